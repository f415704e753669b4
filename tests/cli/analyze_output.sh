# An output that cannot be is 4 and leaves nothing; one that exists is kept without --force.
. "$CASES/npy.inc"
npy a.npy "(2, 2)" 1 2 3 1
echo plain >file
attnspec analyze a.npy -o file/o.h5
echo $?
cat file
attnspec analyze a.npy -o missing/o.h5
echo $?
attnspec analyze a.npy -o file
echo $?
cat file
attnspec analyze a.npy -o file --force -q
echo $?
attnspec analyze a.npy -o o.h5 -q
cp o.h5 kept.h5
attnspec analyze a.npy -o o.h5
echo $?
cmp o.h5 kept.h5 && ls
attnspec analyze a.npy -o -
echo $?
attnspec analyze a.npy --resume
echo $?
