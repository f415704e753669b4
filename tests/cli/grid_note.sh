# A grid that does not fit: the numbers, and which one would, up to 16 tokens before the patches. Beside a
# file once on standard error, else in the report.
. "$CASES/npy.inc"
zeros() { i=0; while [ $i -lt $1 ]; do printf ' 1'; i=$((i + 1)); done; }
npy five.npy "(2, 5, 5)" $(zeros 50)
npy rectangle.npy "(4, 5)" $(zeros 20)
npy twenty.npy "(20, 20)" $(zeros 400)
for how in "five.npy 2x2" "five.npy 2+2x2" "five.npy 1+2x2" "five.npy 1+1x5" "rectangle.npy 2x2" "twenty.npy 1x3" \
    "twenty.npy 2x2" "five.npy 3x3"; do
    attnspec analyze ${how% *} --grid ${how#* } -o o.h5 --force
done
attnspec analyze five.npy twenty.npy --grid 2x2 | grep -A1 'Not the grid'
LC_ALL=C attnspec analyze five.npy --grid 2x2 | grep -A1 'Not the grid'
