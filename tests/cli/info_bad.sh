# A file that cannot be read is a line with its sentence, and the others go on.
. "$CASES/npy.inc"
npy good.npy "(2, 2)" 1 2 3 1
npy short.npy "(2, 2)" 1 2 3
echo "no array" >text.npy
attnspec info missing.npy short.npy good.npy text.npy
echo $?
attnspec info --headers missing.npy
echo $?
attnspec info --axes head,tail good.npy
echo $?
