# Positions of one's own against numpy: a common shift is nothing to RoPE and something to an absolute
# encoding; behind padding they count from the first token; phases rounded as models do.
. "$CASES/numpy.inc"
cat >check.py <<'PYTHON'
import json, subprocess
import numpy as np

rng = np.random.default_rng(4)
B, H, n, d = 2, 2, 13, 8
q, k = rng.standard_normal((2, B, H, n, d))
np.save("q.npy", q)
np.save("k.npy", k)
axes = ["--query-axes", "batch,head,position,dim", "--key-axes", "batch,head,position,dim"]


def norms(*words):
    subprocess.run(["attnspec", "analyze", "--query", "q.npy", "--key", "k.npy", *axes, *words, "-o", "o.h5",
                    "--force", "-q"], check=True)
    out = subprocess.run(["attnspec", "report", "o.h5", "--format", "json", "--values"], check=True,
                         stdout=subprocess.PIPE).stdout
    return np.array([r["singular_values"] for r in json.loads(out)["matrices"]])


def near(a, b, bound):
    return bool(np.abs(a - b).max() <= bound * np.abs(b).max())


p = np.cumsum(rng.integers(1, 4, (B, n)), -1)
np.save("p.npy", p)
np.save("shifted.npy", p[0].astype(float) + 1e6)
np.save("plain.npy", p[0])
theta = 10000.0 ** (-np.arange(0, d, 2) / d)


def rope(x, p, rounded=lambda x: x, product=np.multiply):
    phase = product(p[:, None, :, None], theta) if p.ndim == 2 else product(p[:, None], theta)
    c, s = rounded(np.cos(phase)), rounded(np.sin(phase))
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


def sigma(q, k):
    return np.linalg.svd(q @ k.swapaxes(-1, -2) / np.sqrt(d), compute_uv=False).reshape(B * H, -1)


print("positions a batch entry", near(norms("--scheme", "rope", "--positions", "p.npy"),
                                      sigma(rope(q, p), rope(k, p)), 1e-13))
a, b = (norms("--scheme", "rope", "--positions", f) for f in ("plain.npy", "shifted.npy"))
print("rope and a common shift", near(a, b, 1e6 * 2.3e-16 * 10))
a, b = (norms("--scheme", "sinusoidal", "--positions", f) for f in ("plain.npy", "shifted.npy"))
print("sinusoidal and a common shift", near(a, b, 1e-2))
pad = np.maximum(np.arange(n) - 3, 0)
np.save("pad.npy", pad)
for scheme in ("rope", "sinusoidal"):
    mask = ["--scheme", scheme, "--mask", "padding:left=3"]
    print("padding on the left,", scheme, near(norms(*mask), norms(*mask, "--positions", "pad.npy"), 1e-15),
          scheme == "rope" or not near(norms(*mask), norms(*mask, "--positions", "plain.npy"), 1e-2))
single = lambda p, t: np.float32(p) * np.float32(t)
f32 = lambda x: x.astype(np.float32).astype(float)


def bf16(x):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32).astype(float)


big = np.arange(n) + 4000
np.save("big.npy", big)
exact = sigma(rope(q, big), rope(k, big))
product = lambda p, t: single(p, t).astype(float)
for name, rounded in (("f32", f32), ("bf16", bf16)):
    r = lambda x: rounded(np.asarray(x, float))
    want = sigma(rope(q, big, r, product), rope(k, big, r, product))
    found = norms("--scheme", "rope", "--positions", "big.npy", "--phase-dtype", name)
    print("phases in", name, near(found, want, 2e-7 if name == "f32" else 1e-6), not near(found, exact, 1e-6))
PYTHON
$python check.py
attnspec analyze --query q.npy --key k.npy --query-axes batch,head,position,dim --key-axes batch,head,position,dim \
    --scheme rope --positions q.npy -o x.h5
echo $?
$python -c 'import numpy; numpy.save("short.npy", numpy.arange(5.))'
attnspec analyze --query q.npy --key k.npy --query-axes batch,head,position,dim --key-axes batch,head,position,dim \
    --batch 0 --heads 0 --scheme rope --positions short.npy -o x.h5
echo $?
attnspec analyze q.npy --positions p.npy
echo $?
