# The four tensors of a dump fit together, as numpy sees it: content is q k^T times the scale, logits
# are that of rotated rows; key head h / (H / K); the mask in both.
/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || exit 77
attnspec build --scheme rope:layout=half,base=500 --content mean:strength=2 --n 37 --head-dim 8 \
    --heads 6 --kv-heads 2 --layers 2 --mask window:9 --seed 3 -q -o o.h5
cat >check.py <<'PYTHON'
import h5py, json, numpy as np

d = h5py.File("o.h5")["dump"]
q, k, logits, content = (d[x][()] for x in ("query", "key", "logits", "content"))
n, dim = 37, 8
print(q.shape, k.shape, logits.shape, content.shape, q.dtype)
angle = np.arange(n)[:, None] * 500.0 ** (-np.arange(0, dim, 2) / dim)
turn = np.exp(1j * angle)


def rotate(x):
    z = (x[..., : dim // 2] + 1j * x[..., dim // 2 :]) * turn
    return np.concatenate([z.real, z.imag], -1)


k = np.repeat(k, 3, axis=1)
delta = np.arange(n)[:, None] - np.arange(n)[None, :]
kept = (delta >= 0) & (delta < 9)
close = lambda a, b: bool(np.abs(a - b)[..., kept].max() < 1e-12 and (a[..., ~kept] == -np.inf).all())
print(close(content, q @ k.swapaxes(-1, -2) / np.sqrt(dim)))
print(close(logits, rotate(q) @ rotate(k).swapaxes(-1, -2) / np.sqrt(dim)))
print(d.attrs["scale"] == 1 / np.sqrt(dim), d.attrs["seed"], d.attrs["scheme"], d.attrs["content"], d.attrs["mask"])
print(d["logits"].attrs["axes"], d["query"].attrs["axes"], d["logits"].chunks, d["logits"].compression, d["logits"].shuffle)
print(d.attrs["format"], d.attrs["format_version"], json.loads(d.attrs["provenance"])["tool"])
PYTHON
/usr/bin/python3 check.py
