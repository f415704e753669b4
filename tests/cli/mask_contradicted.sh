# A fallback once ran without the causal mask: matrices that are said to be causal and are not are
# flagged one by one with their largest entry beyond the mask, and what nobody claimed is shown.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
causal = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
third = np.full((3, 3), 1 / 3)
np.save("heads.npy", np.stack([third, causal]))
np.save("close.npy", causal + np.array([[-1e-3, 1e-3, 0], [0, 0, 0], [0, 0, 0]]))
np.save("short.npy", np.array([[0.5, 0.25, 0.25], [0, 0, 1]]))
np.save("logits.npy", np.stack([np.zeros((3, 3)), np.where(causal > 0, 0, -np.inf)]))
EOF
attnspec analyze heads.npy --mask causal -o o.h5
echo $?
rows head status reason mask
attnspec analyze close.npy --mask causal -q -o o.h5 --force
echo $?
# Fewer queries than keys: the last query sees the last key.
attnspec analyze short.npy --mask causal -q -o o.h5 --force
echo $?
attnspec analyze heads.npy -q -o o.h5 --force
rows head status mask row_sum_deviation
attnspec info heads.npy
# Logits that lack the mask get it: nothing was computed with them yet.
attnspec analyze logits.npy --mask causal --masked-as softmax --spectra singular,eigen -q -o o.h5 --force
echo $?
rows head status mask eigenvalues
