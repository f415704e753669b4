# Little address space (ulimit -v): OpenBLAS waits for its memory for ever, so it is not asked, neither by
# steps of training nor by a test set or a product of q and k (address_space.sh is of analyze).
(
    # A sanitizer reserves more than any limit.
    ulimit -v 2000000
    attnspec --version >/dev/null 2>&1
) || exit 77
# As many threads at its start on any machine.
export OPENBLAS_NUM_THREADS=2
attnspec train --steps 3 --test-samples 64 -q -o run.h5
# LIMIT COMMAND...
under()
{
    limit=$1
    shift
    (
        ulimit -v "$limit"
        timeout -s KILL 20 attnspec "$@" >out 2>err
        code=$?
        case $code in
        0) ;;
        1) grep -q 'BLAS needs 160 MiB of address space' out err ;;
        127) grep -q 'shared' err ;;
        *) false ;;
        esac || echo "$1, $limit: exit $code: $(cat out err)"
        [ "$limit" -ne 2000000 ] || echo "$1 with room enough: $code"
        [ "$limit" -ne 150000 ] || echo "$1 without: $code"
    )
}
for limit in 150000 250000 350000 2000000; do
    for threads in 1 2; do
        under $limit train --steps 3 --test-samples 64 -j $threads -o new.h5 --force
        under $limit ablate run.h5 -j $threads --force
        under $limit build --scheme shaw --n 16 --head-dim 8 -j $threads -o pair.h5 --force
    done
done
