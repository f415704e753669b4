# SIGINT and SIGTERM: 130 and 143, and nothing stays; what was there before is kept.
echo kept >o.h5
for signal in INT TERM; do
    # A shell's background job ignores SIGINT; env gives it back.
    env --default-signal=INT attnspec build --scheme rope --n 256 --layers 100 --heads 32 -o o.h5 \
        --force 2>err &
    for i in $(seq 2000); do
        [ "$(stat -c %s .o.h5.* 2>/dev/null || echo 0)" -gt 2000000 ] && break
        sleep 0.01
    done
    kill -$signal $!
    wait $!
    echo $?
    sed 's/after [0-9]* of/after N of/' err
    ls -A
    cat o.h5
done
