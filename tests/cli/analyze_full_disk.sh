# A disk that is full, here a limit on the size of files: 4, and the journal stays whole.
. "$CASES/many.inc"
many a.npy 60
trap '' XFSZ
(
    ulimit -f 100
    attnspec analyze a.npy -o o.h5
    echo $?
)
ls o.h5*
attnspec analyze a.npy -o o.h5 --resume 2>/dev/null
echo $?
attnspec report o.h5 --format csv | wc -l
