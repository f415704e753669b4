# That entries are not finite is what info is there to say: no failure.
. "$CASES/npy.inc"
npy a.npy "(3, 2, 2)" 1 2 3 1 1 inf 3 nan 0 1 0 1
attnspec info a.npy
