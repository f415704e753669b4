# Nothing to analyse is 3, and leaves nothing behind.
. "$CASES/npy.inc"
npy truncated.npy "(2, 2)" 1 2 3
npy empty.npy "(0, 4, 4)"
: >zero_bytes.npy
descr='|O' npy object.npy "(2,)"
descr='|i1' npy integers.npy "(1, 8)" 1
for file in missing.npy truncated.npy empty.npy zero_bytes.npy object.npy integers.npy .; do
    attnspec analyze $file -o o.h5
    echo "$file $?"
done
npy small.npy "(2, 2)" 1 2 3 1
attnspec analyze small.npy --driver onepass -o o.h5
echo $?
attnspec analyze missing.npy truncated.npy -o o.h5
echo $?
ls
