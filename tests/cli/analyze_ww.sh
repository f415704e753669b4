# --metrics ww against numpy, from the formulas of docs/maths.md: noise, noise with three spikes, a
# product of q and k of low rank, and a causal mask. Not asked for, the numbers are null.
/usr/bin/python3 -c 'import numpy' 2>/dev/null || exit 77
cat >make.py <<'PYTHON'
import numpy as np

r = np.random.RandomState(3)
noise = r.randn(120, 80)
spiked = noise + sum(30 * (3 - i) * np.outer(u / np.linalg.norm(u), v / np.linalg.norm(v))
                     for i, (u, v) in enumerate((r.randn(120), r.randn(80)) for _ in range(3)))
np.savez("wide.npz", noise=noise, spiked=spiked)
np.save("heads.npy", np.stack([r.randn(90, 60) @ r.randn(60, 90), np.tril(np.exp(r.randn(90, 90)))]))
np.save("small.npy", r.randn(49, 300))
PYTHON
/usr/bin/python3 make.py
for input in wide.npz heads.npy small.npy; do
    attnspec analyze -q --kind logits --mask none --metrics core,ww $input -o $input.h5 &&
        attnspec report $input.h5 --format json --values >$input.json
done
cat >check.py <<'PYTHON'
import json, sys
import numpy as np

keys = "alpha ks_distance alpha_weighted log_alpha_norm log_norm log_spectral_norm ww_spectral_norm " \
       "mp_softrank num_spikes".split()


def density(t, y, sigma):
    low, high = sigma * (1 - y), sigma * (1 + y)
    with np.errstate(all="ignore"):
        d = np.sqrt(np.clip((high**2 - t**2) * (t**2 - low**2), 0, None)) / (np.pi * (sigma * y) ** 2 * t)
    d[0] = 2 / (np.pi * sigma) if y == 1 else 0
    return d


def bulk(x, larger):
    y = np.sqrt(len(x) / larger)
    edge = (1 + y) ** 2
    shift = np.sqrt(y * (edge / len(x)) ** (2 / 3))
    spikes = 0
    while True:
        mean = x[spikes:].mean()
        t = np.sqrt(x[spikes:] / mean)
        grid = np.linspace(0, min(t[0], 1.25 * (1 + y)) + 0.5, 1000)
        kernel = np.clip(1 - np.abs(grid[:, None] - t) / 0.1, 0, None).sum(1) / 0.1 / len(t)
        nearest = lambda s: s[np.argmin([((density(grid, y, v) - kernel) ** 2).sum() for v in s])]
        best = nearest(0.05 + 0.01 * np.arange(121))
        best = nearest(best - 0.01 + 0.0005 * np.arange(41))
        now = int((x > best**2 * mean * (edge + shift)).sum())
        if now == spikes:
            return best**2 * mean, spikes
        spikes = now


def expected(s, rank, rows, cols):
    lam = np.sort(s**2)
    x = lam[-rank:]
    best = (9.0,)
    for i in range(len(x) - 1):
        t = x[i:]
        n = len(t)
        a = 1 + n / np.log(t / t[0]).sum()
        d = np.abs(1 - (t / t[0]) ** (1 - a) - np.arange(n) / n).max()
        if d < best[0]:
            best = (d, a)
    d, a = best
    variance, spikes = bulk(x[::-1], max(rows, cols))
    top = np.log10(lam[-1])
    return [a, d, a * top, np.log10((lam**a).sum()), np.log10(lam.sum()), top, lam[-1],
            variance * (1 + np.sqrt(rank / max(rows, cols))) ** 2 / lam[-1], spikes]


for name in sys.argv[1:]:
    for row in json.load(open(name))["matrices"]:
        m = row["metrics"]
        if m["alpha"] is None:
            print(row["source"], row["rows"], {m["reasons"][k] for k in keys + ["rand_distance"]})
            continue
        want = expected(np.array(row["singular_values"]), int(m["matrix_rank"]), row["rows"], row["cols"])
        for k, w in zip(keys, want):
            if not np.isclose(m[k], w, rtol=1e-10):
                print(k, m[k], "expected", w)
        print(row["source"], row["tensor"], row["head"], "rank", int(m["matrix_rank"]), "spikes", m["num_spikes"],
              "random" if m["rand_distance"] < 0.05 else "structured")
PYTHON
/usr/bin/python3 check.py wide.npz.json heads.npy.json small.npy.json
for input in wide.npz heads.npy small.npy; do
    attnspec report $input.h5 | sed -n '/ower law/,/Masks/p' | grep -v Masks
done
# The order of the shuffle depends on the seed alone, not on threads.
distance()
{
    attnspec analyze -q --kind logits --mask none --metrics ww heads.npy -o o.h5 --force "$@"
    attnspec report o.h5 --format json | grep -o '"rand_distance":[0-9.]*' | tr '\n' ' '
}
first=$(distance -j 1)
[ "$first" = "$(distance -j 2)" ] && [ "$first" = "$(distance --seed 0)" ] && echo "as before"
[ "$first" = "$(distance --seed 1)" ] || echo "another seed, another order"
attnspec analyze -q --kind logits heads.npy -o plain.h5
attnspec report plain.h5 --format json | grep -o '"alpha":null\|"rand_distance":"[a-z_]*"' | sort | uniq -c
for words in ww, core,www ""; do
    attnspec analyze heads.npy --metrics "$words"
    echo $?
done
