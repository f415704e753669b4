# Rectangular attention: min(m, n) singular values and no eigenvalues; a row of generation has one, its
# norm; a causal mask ends at the last key; steps of all lengths stay apart.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
np.save("wide.npy", np.array([[1.0, 2, 3], [4, 5, 6]]))
np.save("tall.npy", np.array([[1.0, 4], [2, 5], [3, 6]]))
np.save("row.npy", np.array([[3.0, 4]]))
np.save("column.npy", np.array([[3.0], [4]]))
np.save("step.npy", np.zeros((1, 3)))
np.save("two.npy", np.zeros((2, 4)))
sizes = [(6, 6), (1, 7), (1, 8)]
steps = {f"step_{i}": np.full((1, 2, m, n), 1 / n) for i, (m, n) in enumerate(sizes)}
np.savez("steps.npz", **steps)
EOF
for file in wide tall row column; do
    attnspec analyze $file.npy --spectra singular,symmetric,eigen --mask none --kind logits -q -o o.h5 --force
    echo "$file $?"
    rows rows cols status eigen_status singular_values eigenvalues metrics.spectral_radius
done
for file in step two; do
    attnspec analyze $file.npy --mask causal --masked-as softmax -q -o o.h5 --force
    echo "$file $?"
    rows singular_values mask masked_entries
done
attnspec analyze steps.npz -q -o o.h5 --force
echo $?
rows tensor head rows cols kind singular_values
