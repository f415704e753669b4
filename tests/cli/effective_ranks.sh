# What people call effective rank is five numbers, each under its own name with its own formula.
modules=h5py
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
np.save("two.npy", np.diag([3.0, 1]))
np.save("square.npy", np.stack([np.eye(4), np.ones((4, 4)), np.zeros((4, 4))]))
EOF
for file in two square; do
    attnspec analyze $file.npy --kind logits --mask none -q -o o.h5 --force
    rows head metrics.effective_rank metrics.effective_rank_lambda metrics.stable_rank \
        metrics.participation_ratio metrics.nuclear_rank
done
$python - <<'EOF'
import h5py
metrics = h5py.File("o.h5")["entry/metrics"]
for name in "effective_rank", "effective_rank_lambda", "stable_rank", "participation_ratio", "nuclear_rank":
    print(name, dict(metrics[name].attrs))
EOF
