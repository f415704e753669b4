# Tokens of an image: Toeplitz metrics go by the offset in two dimensions. A matrix of 2 x 2 tokens made of
# nine offsets, and the same behind a class token: all of it on the grid, by numpy 0.90919, 0.20267 and
# 0.37890, 0.51025 in a line.
. "$CASES/npy.inc"
npy image.npy "(4, 4)" 3 2 0 1 1 3 0.5 0 0.5 2 3 2 -1 0.5 1 3
npy class.npy "(5, 5)" 0 3 3 0 3 2 3 2 0 1 2 1 3 0.5 0 2 0.5 2 3 2 0 -1 0.5 1 3
numbers()
{
    attnspec analyze "$@" -o o.h5 --force -q
    attnspec report o.h5 --format json >o.json
    echo "$@": $(sed 's/"layers":.*//' o.json | grep -o '"toeplitz_[a-z]*":[^,}]*' | sed 's/":0\.\([0-9]\{12\}\)[0-9]*$/":0.\1/') \
        $(grep -o '"grid":"[^"]*"' o.json)
}
numbers image.npy
numbers image.npy --grid 2x2
numbers class.npy
numbers class.npy --grid 1+2x2
numbers image.npy class.npy --grid 2x2
attnspec report o.h5 --color=never | sed -n '/Most driven/,/alone/p; /dash/p'
attnspec analyze class.npy --grid 1+2x2 --color=never | sed -n '/Most driven/,/alone/p'
LC_ALL=C attnspec analyze image.npy --grid 2x2 --color=never | sed -n '/Most driven/,/alone/p'
# It belongs to what a run is: another grid is another run.
attnspec analyze image.npy class.npy --grid 1+2x2 -o o.h5 --resume
echo $?
for words in 2 2x 0x4 2x-2 2x2+1 99999999999x99999999999; do
    attnspec analyze image.npy --grid $words
    echo $?
done
attnspec analyze --help | grep -A2 -e --grid
