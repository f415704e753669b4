# info is told what the numbers are as analyze is: weights whose rows sum to 3/2, a mask, a sentinel.
. "$CASES/npy.inc"
npy sink.npy "(2, 2)" 1 0.5 0.5 1
npy weights.npy "(2, 2)" 0.5 0.5 0 1
npy ones.npy "(2, 2)" 3 -1 2 3
attnspec info sink.npy
attnspec info --kind weights sink.npy
attnspec info --kind logits weights.npy | sed -n 3p
attnspec info --mask causal --kind weights weights.npy
echo $?
attnspec info --mask causal ones.npy
attnspec info --sentinel -1 ones.npy
attnspec info --sentinel one ones.npy
echo $?
attnspec info --mask half ones.npy
echo $?
attnspec info --kind q ones.npy
echo $?
