# Heads that stand in the names of datasets: each query head has the key head of its group and the slope
# of its number among all of them, whichever are chosen.
for python in python3 /usr/bin/python3 none; do
    $python -c 'import h5py' 2>/dev/null && break
done
[ $python != none ] || exit 77
$python - <<'END'
import h5py
import numpy as np

with h5py.File("qk.h5", "w") as file:
    for head in range(4):
        file[f"one/head_{head}/q"] = np.ones((1, 1))
        file[f"two/head_{head}/q"] = np.zeros((2, 1))
    for head in range(2):
        file[f"one/head_{head}/k"] = np.full((1, 1), 10.0 * (head + 1))
        file[f"two/head_{head}/k"] = np.zeros((2, 1))
with h5py.File("dump.h5", "w") as file:
    logits = np.ones((1, 1, 3, 3))
    logits[0, 0, 2, 1] = -9e4
    group = file.create_group("dump")
    group.attrs.update({"format": "attnspec-dump", "format_version": 1, "scheme": "nope"})
    group["logits"] = group["content"] = logits
END
for heads in 0-3 1,3; do
    attnspec analyze --query 'qk.h5:one/*/q' --key 'qk.h5:one/*/k' --scale 1 --heads $heads -q -o o.h5 --force
    attnspec report o.h5 --format csv >o.csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["head"], $at["spectral_norm"] }' o.csv
    attnspec analyze --query 'qk.h5:two/*/q' --key 'qk.h5:two/*/k' --scheme alibi --heads $heads -q -o o.h5 --force
    attnspec report o.h5 --format csv >o.csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["head"], $at["spectral_norm"] }' o.csv
done
# A dump of ours masks by -infinity: a large negative logit in it is one.
attnspec analyze dump.h5 -q -o o.h5 --force
attnspec report o.h5 --format csv >o.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["mask"], ($at["spectral_norm"] > 90000) }' o.csv
