# Scale, cap, bias, mask, centring and softmax of logits, in that order, against numpy; of q and k the
# cap stands under the scheme's bias; a bias without layers goes to every layer.
/usr/bin/python3 -c 'import numpy' 2>/dev/null || exit 77
cat >check.py <<'PYTHON'
import json, subprocess, sys
import numpy as np

rng = np.random.default_rng(3)
L, H, n, d = 2, 3, 13, 4
x = rng.standard_normal((L, H, n, n)) * 3
causal = np.triu(np.ones((n, n), bool), 1)
np.save("x.npy", np.where(causal, -np.inf, x))
bias = rng.standard_normal((1, H, n, n))
bias[0, :, 5, 2] = -np.inf
np.save("bias.npy", bias)
q, k = rng.standard_normal((H, n, d)), rng.standard_normal((H, n, d))
np.save("q.npy", q)
np.save("k.npy", k)


def rows(*words):
    subprocess.run(["attnspec", "analyze", *words, "-o", "o.h5", "--force", "-q"], check=True)
    out = subprocess.run(["attnspec", "report", "o.h5", "--format", "json", "--values"], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)["matrices"]


def check(name, found, expected, key="singular_values"):
    sigma = np.linalg.svd(expected, compute_uv=False).reshape(-1, expected.shape[-1])
    error = max(np.abs(np.array(r[key]) - s).max() / s[0] for r, s in zip(found, sigma))
    print(name, len(found) == len(sigma) and error < 1e-13)


def centred(x, masked):
    kept = np.where(masked, np.nan, x)
    return np.where(masked, 0, x - np.nanmean(kept, -1, keepdims=True))


cap = lambda x: 5 * np.tanh(x / 5)
masked = causal | np.isneginf(bias)
y = cap(0.5 * x)
found = rows("x.npy", "--scale", "0.5", "--softcap", "5", "--bias", "bias.npy")
check("scale, cap, bias", found, np.where(masked, 0, y + bias))
check("  beside its content", found, np.where(masked, 0, y), "baseline_singular_values")
r = found[4]
print("  recorded:", r["scale"], r["softcap"], r["bias"], r["center"], r["mask"], r["masked_entries"],
      r["contraction"]["guarantee"], r["contraction"]["reasons"].get("alignment_coupled_spectral"))
found = rows("x.npy", "--scale", "0.5", "--softcap", "5", "--bias", "bias.npy", "--center", "row")
check("and centred", found, centred(np.where(masked, 0, y + bias), masked))
print("  recorded:", found[0]["center"])
e = np.where(masked, 0, np.exp(np.where(masked, 0, y + bias)))
found = rows("x.npy", "--scale", "0.5", "--softcap", "5", "--bias", "bias.npy", "--center", "row",
             "--masked-as", "softmax")
check("and softmaxed", found, e / e.sum(-1, keepdims=True))

g = q @ k.swapaxes(-1, -2) / np.sqrt(d)
# The authors' slopes of three heads: those of two, then one of four.
slope = np.array([0.0625, 0.00390625, 0.25])[:, None, None]
distance = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
found = rows("--query", "q.npy", "--key", "k.npy", "--scheme", "alibi", "--softcap", "5")
check("q and k: cap under ALiBi", found, cap(g) - slope * distance)
check("  beside its content", found, cap(g), "baseline_singular_values")
found = rows("--query", "q.npy", "--key", "k.npy", "--scheme", "rope", "--softcap", "5")
angle = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
z = lambda x: (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
turned = (z(q) @ z(k).conj().swapaxes(-1, -2)).real / np.sqrt(d)
check("q and k: cap over RoPE", found, cap(turned))
print("  said:", found[0]["contraction"]["guarantee"], found[0]["contraction"]["alignment"]["coupled"]["spectral"])
found = rows("--query", "q.npy", "--key", "k.npy", "--bias", "bias.npy", "--mask", "causal", "--center", "row")
m = (causal | np.isneginf(bias))[0]
check("q and k: bias, mask, centred", found, centred(np.where(m, 0, g + bias[0]), m))
check("  beside its content", found, centred(np.where(m, 0, g), m), "baseline_singular_values")
# --scale is of q k^T where there are q and k, on either side of a comparison.
np.save("l.npy", 0.125 * q @ k.swapaxes(-1, -2))
found = rows("l.npy", "--baseline-query", "q.npy", "--baseline-key", "k.npy", "--scale", "0.125")
print("read against a product:", [round(r["contraction"]["spectral_norm"], 12) for r in found])
found = rows("--query", "q.npy", "--key", "k.npy", "--scale", "0.125", "--baseline", "l.npy")
print("a product against what is read:", [round(r["contraction"]["spectral_norm"], 12) for r in found])
# Padding of q and k: as if they were shorter, but that terms are of all of q and k.
np.save("q9.npy", q[:, :9])
np.save("k9.npy", k[:, :9])
found = rows("--query", "q.npy", "--key", "k.npy", "--scheme", "rope", "--mask", "causal+padding:right=4",
             "--drop-padding")
short = rows("--query", "q9.npy", "--key", "k9.npy", "--scheme", "rope", "--mask", "causal")
print("padding of q and k:", all(
    a["n"] == 9 and np.abs(np.array(a["singular_values"]) - b["singular_values"]).max() < 1e-12 and
    abs(a["contraction"]["spectral_norm"] - b["contraction"]["spectral_norm"]) < 1e-12 and
    a["contraction"]["alignment"]["coupled"]["spectral"] is None for a, b in zip(found, short)))
hadamard = lambda *more: {r["contraction"]["guarantee"] for r in rows(
    "--query", "q.npy", "--key", "k.npy", "--scheme", "rope_hadamard", *more)}
print("guaranteed:", hadamard(), hadamard("--mask", "causal+padding:left=2", "--drop-padding"),
      hadamard("--softcap", "9"), hadamard("--center", "row"), hadamard("--bias", "bias.npy"))
PYTHON
/usr/bin/python3 check.py
attnspec analyze x.npy --softcap 50 --center row | grep -A2 'On logits'
# What fits nothing, cannot be read, or is for logits alone.
attnspec analyze x.npy --bias q.npy
echo $?
attnspec analyze x.npy --bias missing.npy
echo $?
attnspec analyze x.npy --kind weights --softcap 3
echo $?
attnspec analyze x.npy --softcap -1
echo $?
attnspec analyze x.npy --sentinel low
echo $?
cp bias.npy other.npy
attnspec analyze x.npy --bias bias.npy --bias other.npy
echo $?
attnspec analyze --query q.npy --key k.npy --sentinel 3
echo $?
# Options that had nothing to do say so.
/usr/bin/python3 -c 'import numpy; numpy.save("w.npy", numpy.full((2, 4, 4), 0.25))'
attnspec analyze w.npy --softcap 3 --drop-padding --sentinel -100 -o w.h5
