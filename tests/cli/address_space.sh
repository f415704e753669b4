# Little address space (ulimit -v): OpenBLAS waits for its memory for ever, so it is not asked. Below the
# size of the libraries nothing starts, which is the loader's to say.
. "$CASES/npy.inc"
(
    # A sanitizer reserves more than any limit.
    ulimit -v 2000000
    attnspec --version >/dev/null 2>&1
) || exit 77
npy a.npy "(2, 2)" 3 0 0 1
# As many threads at its start on any machine.
export OPENBLAS_NUM_THREADS=2
for limit in 150000 250000 350000 2000000; do
    (
        ulimit -v $limit
        timeout -s KILL 20 attnspec analyze a.npy -j 2 >out 2>err
        code=$?
        case $code in
        0) grep -q '1 ok, 0 skipped, 0 failed' out ;;
        1) grep -q 'out_of_memory: BLAS needs 160 MiB of address space' out ;;
        127) grep -q 'shared' err ;;
        *) false ;;
        esac || echo "$limit: exit $code: $(cat err)"
        [ $limit -ne 2000000 ] || echo "with room enough: $code"
        [ $limit -ne 150000 ] || echo "without: $code"
    )
done
