# A file of queries, keys and values: each option takes those that are its own by their names.
for python in python3 /usr/bin/python3 none; do
    $python -c 'import h5py' 2>/dev/null && break
done
[ $python != none ] || exit 77
$python -c '
import h5py, numpy as np
rng = np.random.default_rng(0)
with h5py.File("one.h5", "w") as f:
    for layer in range(2):
        for name in ("q_proj", "k_proj", "v_proj", "value"):
            f[f"layers/{layer}/{name}"] = rng.standard_normal((4, 8, 4))
'
attnspec analyze --query one.h5 --key one.h5 --scheme rope -o o.h5 2>&1 | sort | uniq -c | sed 's/^ *//'
attnspec report o.h5 --format csv | cut -d, -f 2-5,6 | sort -u
# Two that stand at the same place cannot be paired.
$python -c '
import h5py, numpy as np
with h5py.File("two.h5", "w") as f:
    for name in ("q_prepe", "q_rope", "k_prepe", "k_rope"):
        f[f"layers/0/{name}"] = np.ones((2, 3, 4))
'
attnspec analyze --query two.h5 --key two.h5
echo $?
attnspec analyze --query two.h5:*q_rope --key two.h5:*k_rope -q >report
echo $?
