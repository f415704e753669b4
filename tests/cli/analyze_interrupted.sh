# SIGINT and SIGTERM: what was finished is kept, can be read, and --resume goes on. Another run's
# journal is not gone on with, and not thrown away without --force.
. "$CASES/many.inc"
many a.npy 500
for signal in INT TERM; do
    # A shell's background job ignores SIGINT; env gives it back.
    env --default-signal=INT attnspec analyze a.npy -o o.h5 2>err &
    part_is o.h5.part 400000
    kill -$signal $!
    wait $!
    echo $?
    sed 's/after [0-9]* of/after N of/' err
    attnspec report o.h5.part --format csv | head -1 | cut -d, -f1-4
    attnspec analyze a.npy -o o.h5 --resume --masked-as softmax
    echo $?
    attnspec analyze a.npy -o o.h5 --resume -q
    echo $?
    attnspec report o.h5 --format csv | wc -l
    rm o.h5
done
