# A closed standard stream is no place for a file: what is meant for the stream must not get into it.
. "$CASES/many.inc"
many a.npy 3
# NaN as the first number of a.npy, so that there is something to say.
printf '\000\000\300\177' | dd of=a.npy bs=1 seek=128 conv=notrunc 2>/dev/null
attnspec analyze a.npy -o o.h5 2>&-
echo $?
# The journal, while it is there, begins as one.
trap '' XFSZ
(
    ulimit -f 20
    attnspec analyze a.npy -j 1 -o p.h5 2>&-
    echo $?
)
head -c 16 p.h5.part
echo
attnspec analyze a.npy -o q.h5 <&- >&- 2>&-
echo $?
attnspec report q.h5 --format csv | wc -l
# Data still have nowhere to go.
attnspec report q.h5 >&-
echo $?
