# A row that is masked as a whole is zeros under softmax, not NaN and not uniform; it is counted, and
# whether rows sum to 1 is said.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
inf = np.inf
np.save("logits.npy", np.array([[0, -inf, -inf], [0, 0, -inf], [-inf, -inf, -inf]]))
np.save("lowest.npy", np.where(np.tri(3) > 0, 0, np.finfo("f4").min).astype("f4") - 0)
np.save("all.npy", np.full((2, 2), -inf))
np.save("weights.npy", np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 0]]))
np.save("uniform.npy", np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]))
np.save("dropout.npy", np.array([[1, 0, 0], [0.5, 0.6, 0], [0.3, 0.3, 0.3]]))
EOF
show()
{
    attnspec analyze "$@" -q -o o.h5 --force
    echo "$1 $?"
    rows kind status masked_rows row_sum_deviation singular_values metrics.attention_entropy
}
show logits.npy --masked-as softmax
show logits.npy --masked-as zero
show lowest.npy --masked-as softmax
show all.npy --masked-as softmax --kind logits
show weights.npy
show uniform.npy
show dropout.npy
show dropout.npy --kind weights
attnspec info logits.npy weights.npy
attnspec analyze weights.npy | grep -i rows
attnspec analyze dropout.npy --kind weights | grep -i rows
