. "$CASES/npy.inc"
npy logits.npy "(2, 2, 2)" 1 -inf 2 3 2 -inf 3 nan
attnspec info --json logits.npy missing.npy
