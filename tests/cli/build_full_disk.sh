# A disk that is full, here a limit on the size of files: 4, and what was there is kept.
echo kept >o.h5
trap '' XFSZ
(
    ulimit -f 100
    attnspec build --scheme rope --n 128 --heads 8 -o o.h5 --force
    echo $?
)
ls -A
cat o.h5
