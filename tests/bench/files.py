"""The file of the whole-command benchmark, and whether both results agree.

usage: files.py make FILE.npy | files.py compare OURS.h5 THEIRS.h5
"""
import sys

import h5py
import numpy as np


def make(path, layers=12, heads=12, n=256, dim=64):
    """QKᵀ/8 with an ALiBi bias, as float16: what people save from a model."""
    g = np.random.default_rng(7)
    distance = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
    slope = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    a = np.empty((layers, heads, n, n), np.float16)
    for layer in range(layers):
        for head in range(heads):
            q, k = g.standard_normal((2, n, dim))
            a[layer, head] = q @ k.T / 8.0 - slope[head] * distance
    np.save(path, a)


def compare(ours, theirs):
    """The largest difference of the spectra relative to σ₁, and of each metric relative to itself."""
    with h5py.File(ours) as a, h5py.File(theirs) as b:
        s, t = a["entry/singular_values/singular_values"][()], b["singular_values"][()]
        print(f"spectra differ by {(np.abs(s - t).max(axis=1) / t[:, 0]).max():.1e} of s1", end="")
        worst, where = 0.0, "-"
        for key in b["metrics"]:
            x, y = a["entry/metrics/" + key][()], b["metrics/" + key][()]
            error = np.nanmax(np.abs(x - y) / np.maximum(np.abs(y), 1e-300), initial=0.0)
            if error > worst or (np.isnan(x) != np.isnan(y)).any():
                worst, where = error, key
        print(f", {len(b['metrics'])} metrics by at most {worst:.1e} ({where})")
        if not (np.abs(s - t).max(axis=1) <= 1e-12 * t[:, 0]).all():
            sys.exit("the spectra disagree")


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    compare(sys.argv[2], sys.argv[3])
