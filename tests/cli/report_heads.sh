# What heads do and how they share it, as text, JSON and CSV, against numpy: logits of two layers, two
# texts and three heads; weights of ten previous-token heads and two sinks; q and k with a ratio.
. "$CASES/numpy.inc"
cat >make.py <<'PYTHON'
import numpy as np

r = np.random.RandomState(5)
n = 12
logits = r.randn(2, 2, 3, n, n)
previous = np.eye(n, k=-1)
logits[0, :, 1] += 6 * previous
logits[1, :, 2, :, 0] += [[5], [4]]
logits[:, :, :, np.triu(np.ones((n, n)), 1) > 0] = -np.inf
np.save("logits.npy", logits)
first = np.zeros((n, n))
first[:, 0] = 1
previous[0, 0] = 1
uniform = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
np.save("weights.npy", [(0.5 + 0.03 * h) * previous + (0.5 - 0.03 * h) * uniform for h in range(10)] +
        [0.9 * first + 0.1 * uniform] * 2)
np.save("q.npy", r.randn(1, 4, 9, 4))
np.save("k.npy", r.randn(1, 4, 9, 4))
np.save("small.npy", r.randn(2, 7, 7))
PYTHON
$python make.py
attnspec analyze -q --axes layer,batch,head,query,key logits.npy -o logits.h5
attnspec analyze -q weights.npy -o weights.h5
attnspec analyze -q --query q.npy --key k.npy --scheme rope -o pairs.h5
attnspec analyze -q small.npy -o small.h5
for name in logits weights pairs small; do
    attnspec report $name.h5 --format json >$name.json
    attnspec report $name.h5 --format csv | tr -d '\r' | awk -F, '{ print $NF }' | paste -s -d, >$name.roles
done
attnspec report logits.h5 | sed -n '/^Heads/,/^$/p'
LC_ALL=C attnspec report weights.h5 | sed -n '/^Heads/,/^$/p'
attnspec report pairs.h5 | sed -n '/^Heads/,/^$/p'
attnspec report small.h5 | grep -c '^Heads'
cat logits.roles weights.roles
cat >check.py <<'PYTHON'
import json
import numpy as np

KEYS = ["spectral_norm", "toeplitz_fraction", "previous_token_mass", "first_token_mass", "contraction_spectral_norm"]
SHARES = ["head_max_share", "head_gini", "head_hhi"]


def shares(x):
    x = np.array(x)
    gini = np.abs(x[:, None] - x).mean() / 2 / x.mean()
    return [x.max() / x.sum(), gini, ((x / x.sum()) ** 2).sum()]


for name, source in ("logits", "logits.npy"), ("weights", "weights.npy"), ("pairs", "q.npy"), ("small", "small.npy"):
    d = json.load(open(name + ".json"))
    rows = d["matrices"]
    for layer in d["layers"]:
        assert list(layer) == ["source", "scheme", "content", "layer", "heads", "means", "concentration"]
        assert layer["source"] == source and layer["scheme"] == rows[0]["scheme"]
        assert list(layer["means"]) == KEYS + ["reasons"] and list(layer["concentration"]) == KEYS
        here = [r for r in rows if r["layer"] == layer["layer"]]
        heads = sorted({r["head"] for r in here})
        assert layer["heads"] == len(heads)
        for key in KEYS:
            get = (lambda r: r["metrics"][key]) if key != KEYS[-1] else \
                (lambda r: r["contraction"] and r["contraction"]["spectral_norm"])
            got = layer["concentration"][key]
            if get(here[0]) is None:
                assert layer["means"][key] is None
                assert layer["means"]["reasons"][key] == got["reasons"]["head_gini"] == "no_baseline", key
                assert got["head_gini"] is None and len(got["reasons"]) == 3
                continue
            values = [np.mean([get(r) for r in here if r["head"] == h]) for h in heads]
            assert np.isclose(layer["means"][key], np.mean(values), rtol=1e-13)
            assert np.allclose([got[s] for s in SHARES], shares(values), rtol=1e-12), (key, got, shares(values))
            assert got["reasons"] == {}
    print(name, len(d["layers"]), [" ".join(r["roles"]) for r in rows][:6])

a = np.load("logits.npy")
p = np.exp(a - a.max(-1, keepdims=True))
p /= p.sum(-1, keepdims=True)
for r in json.load(open("logits.json"))["matrices"]:
    w = p[r["layer"], r["batch"], r["head"]]
    n = len(w)
    entropy = -np.where(w > 0, w * np.log(np.where(w > 0, w, 1)), 0).sum()
    want = [np.diag(w, -1).mean(), np.diag(w).mean(), w[1:, 0].mean(), entropy / np.log(np.arange(2, n + 1)).sum()]
    got = [r["metrics"][k] for k in ("previous_token_mass", "diagonal_mass", "first_token_mass", "uniformity")]
    assert np.allclose(got, want, rtol=1e-12), (got, want)
print("masses as numpy has them")
PYTHON
$python check.py
# Nothing is wider than 80 columns; many files are counted.
for i in 1 2 3 4 5 6 7 8 9 10; do cp weights.npy "w$i.npy"; done
LC_ALL=C attnspec analyze w*.npy | sed -n '/^Heads/,/^Summary/p' >many
grep '^Heads' many
awk 'length > 80' many
