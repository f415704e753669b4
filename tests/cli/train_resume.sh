# Stopped and gone on with, a training leaves the bytes of one that was not: what is drawn is numbered, and
# what the optimiser remembers is kept. Another training does not go on with it.
. "$CASES/train.inc"
# Stops at each of the steps after the first word, and compares with the whole.
pieces()
{
    stops=$1
    shift
    attnspec train $small "$@" -o whole.h5 --force -q
    rm -f o.h5*
    for stop in $stops; do
        attnspec train $small "$@" -o o.h5 --stop-at $stop --resume -q
        [ "$(steps_of o.h5.part)" = $stop ] || echo "$* is not at step $stop"
    done
    attnspec train $small "$@" -o o.h5 --resume -q
    cmp o.h5 whole.h5 && echo "$*: the same"
}
pieces "1 7 13 19" --scheme rope
# What is due between two stops is noted once.
pieces "4 9 10 11" --spectra-every 5 --test-every 3 --scheme t5
pieces "7" --dropout 0.3 --scheme alibi --profile gu2025
# 48 samples in turn are three steps an epoch: the stops are in the middle of one.
pieces "4 5" --samples 48 --scheme learned
pieces "13" --task copy --samples 37 --clip 0.5 --spectra-every 0 --test-every 0
ls
rm o.h5
go_on()
{
    attnspec train $small "$@"
    echo $?
}
go_on -o o.h5 --stop-at 7
go_on -o o.h5
# At or behind a stop there is nothing to do.
go_on -o o.h5 --resume --stop-at 7
go_on -o o.h5 --resume --stop-at 3
steps_of o.h5.part
cp o.h5.part kept
for other in "--lr 0.1" "--steps 30" "--dim 64" "--seed 3" "--task count" "--scheme alibi" "--profile gu2025" \
    "--mask causal" "--probe 3" "--spectra-every 3" "--test-every 0"; do
    go_on -o o.h5 --resume $other
done
go_on -o o.h5 --resume --compare rope
cmp o.h5.part kept
# The same settings in other words are the same training.
go_on -o o.h5 --resume --lr 0.0040 --task distance:side=4,between=13 --scheme rope:base=1e4 --spectra-every 2 2>&1 |
    unmeasured
# What is whole is said to be so, or not to be this one.
go_on -o o.h5 --resume
go_on -o o.h5 --resume --lr 0.1
echo kept >k.h5
go_on -o k.h5 --resume
cp kept unfinished.h5
go_on -o unfinished.h5 --resume
# There is no beginning: it is begun.
go_on -o new.h5 --resume 2>&1 | unmeasured
ls
