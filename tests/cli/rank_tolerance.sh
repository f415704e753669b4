# The tolerance of the rank is that of the dtype that was read, stored, and may be set, absolute or
# relative. An exact zero has no condition number; a zero matrix has rank 0.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
np.save("double.npy", np.stack([np.diag([1.0, 1e-17]), np.diag([1.0, 0]), np.diag([1, 1e-4]), np.zeros((2, 2))]))
np.save("half.npy", np.diag([1, 1e-4]).astype("f2"))
EOF
show()
{
    attnspec analyze "$@" --kind logits --mask none -q -o o.h5 --force
    rows dtype metrics.matrix_rank metrics.matrix_rank_tolerance metrics.condition_number metrics.condition_number_eff
}
show double.npy
show half.npy
show half.npy --rank-tolerance rel:1e-5
show double.npy --rank-tolerance abs:1e-3
show double.npy --rank-tolerance rel:0
