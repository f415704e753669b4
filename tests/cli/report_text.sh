# diag(3, 1): stable rank 10/9, effective rank 1.75477; a zero matrix has norms and no ratios;
# a matrix that is not finite has its reason.
. "$CASES/npy.inc"
npy heads.npy "(3, 2, 2)" 3 0 0 1 1 inf 3 0 0 0 0 0
attnspec analyze -q --kind logits heads.npy -o heads.h5 2>/dev/null
echo $?
attnspec report heads.h5 --color=never | grep -v '^  Driver'
LC_ALL=C attnspec report heads.h5 --values | sed -n '4,10p'
