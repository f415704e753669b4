# A second run on the same output is refused while the first one is at work, with and without --force and
# --resume, and disturbs it not; an input that another process writes is named with what helps.
modules=h5py
. "$CASES/numpy.inc"
. "$CASES/many.inc"
many a.npy 1500
attnspec analyze a.npy -o o.h5 -q 2>first.err &
first=$!
part_is o.h5.part 40000
for how in "" --force --resume; do
    attnspec analyze a.npy --heads 0 -o o.h5 -q $how
    echo "second run $how: $?"
done
kill -TERM $first
wait $first 2>/dev/null
echo "first run: $?"
attnspec analyze a.npy -o o.h5 -q
echo "and its journal is there: $?"
cat >hold.py <<'EOF'
import h5py, numpy, sys
with h5py.File("in.h5", "w") as f:
    f["attn"] = numpy.eye(3)
    f.flush()
    open("held", "w").close()
    sys.stdin.read()
EOF
mkfifo wait
$python hold.py <wait &
exec 9>wait
for i in $(seq 1000); do
    [ -e held ] && break
    sleep 0.01
done
attnspec analyze in.h5 -o in.r.h5
echo $?
exec 9>&-
wait
attnspec analyze in.h5 -o in.r.h5
echo $?
