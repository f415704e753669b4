# A dump in words: logits under a causal mask, weights, and integers.
. "$CASES/npy.inc"
npy logits.npy "(2, 2, 2)" 1 -inf 2 3 2 -inf 3 1
npy weights.npy "(2, 2)" 1 0 0.5 0.5
descr='<i8' npy counts.npy "(2, 2)" 0 0 0 0
attnspec info logits.npy weights.npy counts.npy
echo
LC_ALL=C attnspec info --headers logits.npy
