# Ways to spell options: bundles, values with and without a space, and -- before operands.
. "$CASES/npy.inc"
npy ./-a.npy "(2, 2)" 0 1 1 0
attnspec info --headers -- -a.npy
attnspec info -qvj1 --headers -o- -- -a.npy | head -1
attnspec info -ofile --headers ./-a.npy && head -1 file
attnspec info --output=file --force --json ./-a.npy && head -c 24 file && echo
