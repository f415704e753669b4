"""What attnspec analyze does, as the Python script one would write for it.

usage: script.py FILE.npy OUT.h5
"""
import sys

import h5py
import numpy as np


def from_singular_values(s, shape):
    """Every metric of docs/maths.md that needs singular values; s is [q], largest first."""
    eps = np.finfo(float).eps
    energy, total = s**2, s.sum()
    p, pl = s / total, energy / energy.sum()
    p, pl = p[p > 0], pl[pl > 0]
    frobenius = np.sqrt(energy.sum())
    tolerance = max(max(shape) * eps * s[0], np.finfo(np.float16).eps / 2 * frobenius)
    rank = int((s > tolerance).sum())
    entropy = -(pl * np.log(pl)).sum()
    share = np.cumsum(energy) / energy.sum()
    return {
        "spectral_norm": s[0], "frobenius_norm": frobenius, "nuclear_norm": total,
        "stable_rank": energy.sum() / energy[0], "nuclear_rank": total / s[0],
        "effective_rank": np.exp(-(p * np.log(p)).sum()),
        "effective_rank_lambda": np.exp(entropy), "spectral_entropy": entropy,
        "participation_ratio": energy.sum()**2 / (energy**2).sum(),
        "matrix_rank": rank, "matrix_rank_tolerance": tolerance,
        "condition_number": s[0] / s[-1] if s[-1] > max(shape) * eps * s[0] else np.nan,
        "condition_number_eff": s[0] / s[rank - 1],
        "spectral_gap": s[0] - s[1], "spectral_gap_ratio": s[1] / s[0],
        "energy_rank_90": np.searchsorted(share, 0.90) + 1,
        "energy_rank_99": np.searchsorted(share, 0.99) + 1,
    }


def from_matrix(a, offset):
    """The Toeplitz split and the symmetric part; offset[i, j] numbers the diagonals from 0."""
    count = np.bincount(offset.ravel())
    profile = np.bincount(offset.ravel(), weights=a.ravel()) / count
    toeplitz, mean, energy = profile[offset], a.mean(), (a**2).sum()
    return {
        "toeplitz_fraction": ((toeplitz - mean)**2).sum() / ((a - mean)**2).sum(),
        "toeplitz_residual": np.sqrt(((a - toeplitz)**2).sum() / energy),
        "symmetric_fraction": ((0.5 * (a + a.T))**2).sum() / energy,
    }, profile


def main():
    tensor = np.load(sys.argv[1], mmap_mode="r")
    layers, heads, n, _ = tensor.shape
    offset = np.arange(n)[:, None] - np.arange(n)[None, :] + n - 1
    spectra, profiles, columns = [], [], {}
    for layer in range(layers):
        for head in range(heads):
            a = tensor[layer, head].astype(np.float64)
            s = np.linalg.svd(a, compute_uv=False)
            more, profile = from_matrix(a, offset)
            spectra.append(s)
            profiles.append(profile)
            for key, value in {**from_singular_values(s, a.shape), **more}.items():
                columns.setdefault(key, []).append(value)
    with h5py.File(sys.argv[2], "w") as out:
        packed = {"compression": "gzip", "compression_opts": 4, "shuffle": True}
        out.create_dataset("singular_values", data=np.array(spectra), **packed)
        out.create_dataset("toeplitz_profile", data=np.array(profiles), **packed)
        for key, values in columns.items():
            out["metrics/" + key] = np.array(values, dtype=float)


main()
