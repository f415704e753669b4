# Killed, a training goes on from its last checkpoint; interrupted, from its last step: the bytes are those of
# one that was not. How far it came depends on the machine, so that the whole one goes as far.
. "$CASES/many.inc"
. "$CASES/train.inc"
# Not a function: what is killed is the program, not a shell around it.
train="attnspec train $endless --checkpoint-every 20"
# Two more stops, and the whole training in one go.
compare()
{
    at=$(steps_of o.h5.part)
    $train -q -o o.h5 --resume --stop-at $((at + 5))
    $train -q -o o.h5 --resume --stop-at $((at + 30))
    $train -q -o w.h5 --force --stop-at $((at + 30))
    cmp o.h5.part w.h5.part && echo "the same"
    rm -f ./*.h5.part
}
begun()
{
    for i in $(seq 2000); do
        [ "$(steps_of o.h5.part 2>/dev/null || echo 0)" -gt 0 ] 2>/dev/null && return
        sleep 0.01
    done
    echo "no step was taken"
}
$train -q -o o.h5 &
begun
# Nobody else begins there.
attnspec train $small -o o.h5
echo $?
kill -9 $!
wait $! 2>/dev/null
expr $(steps_of o.h5.part) % 20
compare
# Its first checkpoint is of no step, and is there at once.
attnspec train $endless -q -o o.h5 &
part_is o.h5.part 1
kill -9 $!
wait $! 2>/dev/null
compare
for signal in INT TERM; do
    # A shell's background job ignores SIGINT; env gives it back.
    env --default-signal=INT $train -q -o o.h5 2>err &
    begun
    kill -$signal $!
    wait $!
    echo $?
    unmeasured <err
    compare
done
# Without a file there is nothing to keep.
env --default-signal=INT attnspec train $endless --progress always >out 2>err &
part_is err 1
kill -INT $!
wait $!
echo $?
tr '\r' '\n' <err | unmeasured | tail -1
ls
