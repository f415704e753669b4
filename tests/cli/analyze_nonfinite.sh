# One bad matrix in a stack of five: four are analysed, one has its count and index.
. "$CASES/npy.inc"
ones="1 1 1 1 1 1 1 1 1"
npy a.npy "(5, 3, 3)" $ones $ones inf 1 1 1 1 1 1 1 1 $ones $ones
attnspec analyze a.npy -o o.h5
echo $?
attnspec report o.h5 --format json | grep -o '"head":[0-9]*\|"status":"[a-z]*","reason":[^}]*masked_e\|"counts":[^}]*}' |
    sed 's/,"route.*//'
