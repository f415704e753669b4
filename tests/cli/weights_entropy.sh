# 0 ln 0 is 0: no epsilon, no NaN. Natural logarithm; a negative entry is no probability.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
causal = np.tri(3) / np.arange(1, 4)[:, None]
tiny = np.array([[1, 5e-324, 0], [0.5, 0.5, 0], [1, 0, 0]])
negative = np.array([[1, 0, 0], [1 + 1e-9, -1e-9, 0], [1, 0, 0]])
np.save("heads.npy", np.stack([causal, np.eye(3), tiny, negative]))
np.save("rows.npy", causal[:, None, :])
EOF
attnspec analyze heads.npy --kind weights --mask none -q -o o.h5
echo $?
rows head status metrics.attention_entropy
# Every row by itself.
attnspec analyze rows.npy --kind weights --mask none -q -o o.h5 --force
rows head metrics.attention_entropy
