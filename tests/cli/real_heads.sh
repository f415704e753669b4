# The roles of a real model's 40 heads against numpy, where its folder is known: the model has
# previous-token heads in layers 1 to 3, and no sink.
if [ -z "${ATTNSPEC_TEST_DATA:-}" ]; then
    echo "ATTNSPEC_TEST_DATA names no folder of real attention" >&2
    exit 77
fi
modules=h5py
. "$CASES/numpy.inc"
d=$ATTNSPEC_TEST_DATA
attnspec analyze -q "$d/stories260K_attn_perlayer_f16_stored.npz" -o weights.h5
attnspec analyze -q "$d/stories260K_attn_layer3_f32_gzip_shuffle.h5" -o layer3.h5
attnspec analyze -q "$d/stories260K_logits_masked_layer0_8x160x160_f32.npy" -o logits.h5
for name in weights layer3 logits; do
    attnspec report $name.h5 --format json >$name.json
done
attnspec report weights.h5 | sed -n '/^Heads/,/No role/p'
attnspec report layer3.h5 | sed -n '/^Heads/,/No role/p'
cat >check.py <<'PYTHON'
import json, os
import h5py
import numpy as np

folder = os.environ["ATTNSPEC_TEST_DATA"] + "/"
KEYS = ["previous_token_mass", "diagonal_mass", "first_token_mass", "uniformity"]


def numbers(w):
    w = w.astype(float)
    n = len(w)
    previous = np.mean([w[i, i - 1] for i in range(1, n)])
    p = w / w.sum(1, keepdims=True)
    entropy = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum()
    return [previous, w.trace() / n, w[1:, 0].mean(), entropy / np.log(np.arange(1, n + 1)).sum()]


def check(name, attention, tolerance):
    found = {}
    for r in json.load(open(name + ".json"))["matrices"]:
        want = numbers(attention[r["layer"], r["head"]])
        got = [r["metrics"][k] for k in KEYS]
        assert np.allclose(got, want, rtol=0, atol=tolerance), (r["layer"], r["head"], got, want)
        assert ("previous_token" in r["roles"]) == (want[0] >= 0.4)
        assert ("diagonal" in r["roles"]) == (want[1] >= 0.4)
        assert ("sink" in r["roles"]) == (want[2] >= 0.4)
        assert ("near_uniform" in r["roles"]) == (want[3] >= 0.9)
        found[r["layer"], r["head"]] = got
    return found


with np.load(folder + "stories260K_attn_perlayer_f16_stored.npz") as z:
    weights = {(l, h): z[f"layer_{l}"][h] for l in range(5) for h in range(8)}
found = check("weights", weights, 1e-12)
for head in (1, 3), (1, 6), (3, 6), (2, 6):
    print(head, *(f"{key} {value:.4f}" for key, value in zip(KEYS, found[head])))
print("largest first-token mass", f"{max(f[2] for f in found.values()):.3f}", "in", max(found, key=lambda h: found[h][2]))
with h5py.File(folder + "stories260K_attn_layer3_f32_gzip_shuffle.h5") as f:
    data = next(x for x in f.values() if isinstance(x, h5py.Dataset))[()]
layer = {r["layer"] for r in json.load(open("layer3.json"))["matrices"]}
check("layer3", {(l, h): data.reshape(8, 160, 160)[h] for l in layer for h in range(8)}, 1e-12)
# Logits have the numbers of the weights that the model made of them, to the rounding of half precision.
check("logits", {(0, h): weights[0, h] for h in range(8)}, 1e-3)
PYTHON
$python check.py
