# Twenty thousand files of one name, matched in seconds of the processor: not each with each.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np, os
for i in range(20000):
    os.makedirs(f"run/checkpoint-{i}")
    np.save(f"run/checkpoint-{i}/attn.npy", np.diag([1.0 + i, 1.0]))
EOF
attnspec analyze -q run -o a.h5
(
    ulimit -t 6
    attnspec report a.h5 --against a.h5 --top 1 | grep matched
)
