# An output is there whole or not at all, and is not replaced without --force.
. "$CASES/npy.inc"
npy a.npy "(2, 2)" 1 2 3 1
attnspec info a.npy -o text || echo $?
attnspec info a.npy | diff - text
echo "mine" >mine
attnspec info a.npy -o mine
echo $?
cat mine
attnspec info a.npy -o mine --force || echo $?
diff mine text
attnspec info a.npy -o mine/below
echo $?
attnspec info a.npy -o .
echo $?
attnspec info a.npy -o none/there
echo $?
ls -A
[ -w /dev/full ] || exit 0
attnspec info a.npy -o /dev/full
echo $?
