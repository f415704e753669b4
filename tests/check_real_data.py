#!/usr/bin/env python3
"""Singular values of attention of real models against references that numpy computed before the
files were rounded to their dtype; the folder is ATTNSPEC_TEST_DATA, its README has the origins.
usage: check_real_data.py     with attnspec on PATH. Prints a line a file; exits 1 on any deviation."""
import json
import os
import subprocess
import sys

import numpy as np

folder = os.environ["ATTNSPEC_TEST_DATA"]
stories = np.load(os.path.join(folder, "stories260K_reference.npz"))
ngswin = np.load(os.path.join(folder, "ngswin_x2_enc1b0_logits_8x6x64x64_f32.npy")).astype(float)
lower, full = stories["sv_logits_lower_triangle"], stories["sv_logits"]

# file, mask, expected [matrix, index], bound relative to the largest value: the dtype's rounding
CASES = [
    ("stories260K_logits_masked_layer0_8x160x160_f32", "causal", lower[0], 1e-6),
    ("stories260K_logits_masked_layer2_1x8x160x160_f16", "causal", lower[2], 5e-4),
    ("stories260K_logits_unmasked_layer2_head3_160x160_f32_bigendian", "none", full[2, 3:4], 1e-6),
    ("stories260K_logits_unmasked_layer2_head3_160x160_f64_fortran", "none", full[2, 3:4], 1e-6),
    ("ngswin_x2_enc1b0_logits_8x6x64x64_f32", "none",
     np.linalg.svd(ngswin, compute_uv=False).reshape(48, 64), 1e-12),
]


def rows(name):
    source = os.path.join(folder, name + ".npy")
    subprocess.run(["attnspec", "analyze", source, "-o", "o.h5", "--force", "-q"], check=True)
    out = subprocess.run(["attnspec", "report", "o.h5", "--format", "json", "--values"], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)["matrices"]


failed = False
for name, mask, expected, bound in CASES:
    found = rows(name)
    good = len(found) == len(expected)
    for row, sigma in zip(found, expected):
        error = np.abs(np.array(row["singular_values"]) - sigma).max() / sigma[0]
        good = good and row["status"] == "ok" and row["mask"] == mask and error <= bound
    print(f"{name}: {len(found)} matrices, {'as the reference' if good else 'NOT the reference'}")
    failed = failed or not good

def pairs(*options):
    subprocess.run(["attnspec", "analyze", *options, "--scheme",
                    "rope:base=10000,layout=interleaved", "-o", "o.h5", "--force", "-q"], check=True)
    out = subprocess.run(["attnspec", "report", "o.h5", "--format", "json", "--values"], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)["matrices"]


def same_norms(name, found):
    """Spectral norms with and without position, head by head, and what may be said of them."""
    global failed
    good = len(found) == 40
    for row in found:
        at = (row["layer"], row["head"])
        with_pe, content = stories["specnorm_with_pe"][at], stories["specnorm_content_only"][at]
        good = (good and abs(row["singular_values"][0] - with_pe) <= 1e-6 * with_pe
                and abs(row["baseline_singular_values"][0] - content) <= 1e-6 * content
                and abs(row["contraction"]["spectral_norm"] - with_pe / content) <= 1e-5
                and row["contraction"]["guarantee"] == "observed" and row["mask"] == "none")
    print(f"{name}: {len(found)} pairs, {'as the reference' if good else 'NOT the reference'}")
    failed = failed or not good


same_norms("q and k in .npy", pairs(
    "--query", os.path.join(folder, "stories260K_q_prepe_5x8x160x8_f32.npy"),
    "--key", os.path.join(folder, "stories260K_k_prepe_5x4x160x8_f32.npy")))
saved = os.path.join(folder, "stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5")
axes = "position,head,dim"
same_norms("q and k in HDF5", pairs("--query", saved + ":layers/*/q_prepe", "--query-axes", axes,
                                    "--key", saved + ":layers/*/k_prepe", "--key-axes", axes))
same_norms("q and k after position", pairs(
    "--query", saved + ":layers/*/q_rope", "--query-axes", axes, "--position", "applied",
    "--key", saved + ":layers/*/k_rope", "--key-axes", axes))
sys.exit(failed)
