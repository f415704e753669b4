# What is no run at its end cannot be ablated; what cannot be written is said before heads are removed.
. "$CASES/many.inc"
. "$CASES/train.inc"
. "$CASES/npy.inc"
attnspec train $small -o run.h5 -q
attnspec train $small -o part.h5 --stop-at 3 -q
attnspec train $small --steps 1 --compare rope --seeds 1 -o many.h5 -q
attnspec build --scheme rope --n 5 --head-dim 4 -q -o dump.h5
npy a.npy "(1, 2, 2)" 1 2 3 1
cp run.h5 kept.h5
try()
{
    attnspec ablate "$@" >out
    echo "$? $(wc -c <out)"
}
for file in missing.h5 part.h5.part many.h5 dump.h5 a.npy .; do
    try $file
done
head -c 20000 run.h5 >short.h5
try short.h5 2>&1 | sed 's/truncated file.*/truncated/'
try
try run.h5 part.h5.part
try run.h5 --test-samples 0
try run.h5 -o -
try -
echo kept >there.h5
try run.h5 -o there.h5
try run.h5 -o missing/o.h5
try run.h5 -o run.h5/o.h5
mkdir folder
try run.h5 -o folder --force
cat there.h5
try run.h5 -o there.h5 --force -q 2>&1 | sed 's/ .*/ bytes/'
cmp run.h5 kept.h5
# A disk that is full: the run is as it was, and what was measured is printed all the same.
trap '' XFSZ
(
    ulimit -f 100
    attnspec ablate run.h5 >out
    echo $?
    attnspec ablate run.h5 -o o.h5 >out
    echo $?
)
grep 'right with all heads' out | sed 's/[0-9.]* %/A %/'
grep 'Not ablated\|^run.h5\|^not written' out
cmp run.h5 kept.h5
ls -A
# Interrupted, it is as it was. Many heads and samples, so that all of it takes its time, and one head not.
attnspec train $small --n 8 --task copy --layers 8 --heads 32 --scheme nope -o run.h5 --force -q
cp run.h5 kept.h5
for signal in INT TERM; do
    # A shell's background job ignores SIGINT; env gives it back.
    env --default-signal=INT attnspec ablate run.h5 --test-samples 1000 --progress always >out 2>err &
    part_is err 1
    kill -$signal $!
    wait $!
    echo $?
    tr '\r' '\n' <err | tail -1
    cat out
    cmp run.h5 kept.h5
done
ls -A
