# Standard output and files get the same bytes; a result is not replaced by its report.
. "$CASES/npy.inc"
npy heads.npy "(2, 2)" 3 0 0 1
attnspec analyze -q heads.npy -o heads.h5
for format in text csv json; do
    attnspec report heads.h5 --format $format -o heads.$format
    attnspec report heads.h5 --format $format | cmp - heads.$format
done
attnspec report heads.h5 -o heads.h5
echo $?
attnspec report heads.h5 | head -1
