# A comparison that was killed goes on behind its last training, to the same bytes; nothing else goes on there.
. "$CASES/train.inc"
# Not a function: what is killed is the program, not a shell around it.
compare="attnspec train $small --batch 4 --test-samples 16 --compare rope|nope --task count"
trials()
{
    attnspec report "$1" --format csv | sed 1d | grep -c .
}
begun()
{
    for i in $(seq 2000); do
        [ -e o.h5.part ] && [ "$(trials o.h5.part)" -ge "$1" ] && return
        sleep 0.01
    done
    echo "$1 trainings were not done"
}
$compare --seeds 2 -q -o whole.h5
# Of a thousand seeds it is never at its end.
$compare --seeds 1000 -q -o o.h5 &
begun 2
$compare -o o.h5
echo $?
kill -9 $!
wait $! 2>/dev/null
ls o.h5*
attnspec report o.h5.part | grep -o 'Not finished'
# How many were done is the machine's matter: of so many seeds, it is resumed once more.
seeds=$(($(trials o.h5.part) / 2 + 1))
$compare --seeds $seeds -q -o o.h5 --resume
echo $?
$compare --seeds $seeds -q -o w.h5
cmp o.h5 w.h5 && ls o.h5*
$compare --seeds $seeds -o o.h5 --resume
echo $?
rm o.h5 w.h5
for signal in INT TERM; do
    # A shell's background job ignores SIGINT; env gives it back.
    env --default-signal=INT $compare --seeds 1000 -q -o o.h5 2>err &
    begun 1
    kill -$signal $!
    wait $!
    echo $?
    sed 's/after [0-9]* of/after N of/' err
    seeds=$(($(trials o.h5.part) / 2 + 1))
    $compare --seeds $seeds -q -o o.h5 --resume
    $compare --seeds $seeds -q -o w.h5 --force
    cmp o.h5 w.h5 && echo "the same"
    rm o.h5
done
# More seeds go on; fewer, other schemes, sizes or tasks are another comparison, also of one that is whole.
cp whole.h5 o.h5.part
$compare --seeds 3 -q -o o.h5 --resume
$compare --seeds 3 -q -o w.h5 --force
cmp o.h5 w.h5 && echo "and one seed more"
rm o.h5
cp whole.h5 o.h5.part
refused()
{
    attnspec train $small --batch 4 --test-samples 16 "$@" -o o.h5 --resume
    echo $?
}
for i in part whole; do
    refused --compare 'rope|nope' --task count --seeds 1
    refused --compare 'rope|alibi' --task count --seeds 2
    refused --compare 'rope|nope' --task count --seeds 2 --lr 0.01
    refused --compare 'rope|nope' --seeds 2
    refused --scheme rope
    mv o.h5.part o.h5 2>/dev/null
done
refused --compare 'rope|nope' --task count --seeds 2
refused --compare 'rope|nope' --task count --seeds 3
cmp o.h5 whole.h5
head -c 9000 whole.h5 >o.h5.part
refused --compare 'rope|nope' --task count --seeds 2 2>&1 | sed 's/truncated file.*;/truncated;/'
$compare --seeds 2 -q -o o.h5 --force
cmp o.h5 whole.h5 && ls
# A full disk ends it, and what was done before is kept.
cp whole.h5 o.h5.part
rm o.h5
trap '' XFSZ
(
    ulimit -f 20
    $compare --seeds 3 -o o.h5 --resume
    echo $?
)
cmp o.h5.part whole.h5
ls
