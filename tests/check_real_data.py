#!/usr/bin/env python3
"""Singular values of attention of real models, in every format that people save it in, against
references that were computed before the files were rounded to their dtype, or numpy's SVD of the
same file; the folder is ATTNSPEC_TEST_DATA, its README has the origins.
usage: check_real_data.py     with attnspec on PATH. Prints a line a case; exits 1 on any deviation."""
import gzip
import json
import os
import subprocess
import sys

import numpy as np

folder = os.environ["ATTNSPEC_TEST_DATA"]


def at(name):
    return os.path.join(folder, name)


def svd(a):
    return np.linalg.svd(np.asarray(a, float), compute_uv=False).reshape(-1, min(a.shape[-2:]))


def of_numpy(name):
    return svd(np.load(at(name + ".npy")))


def product(q, k):
    q, k = (np.load(at(name)).astype(float) for name in (q, k))
    return svd(q @ k.swapaxes(-1, -2))


stories, microgpt = (
    {key: np.reshape(value, (-1, value.shape[-1]))
     for key, value in np.load(at(name + "_reference.npz")).items() if key.startswith("sv_")}
    for name in ("stories260K", "microgpt"))
full, lower, attn = (stories["sv_" + key] for key in ("logits", "logits_lower_triangle", "attn"))
one = full[2 * 8 + 3 :][:1]  # layer 2, head 3
with gzip.open(at("found_dodrio_bert_sst2_attention_1125.json.gz")) as file:
    dodrio = np.array(json.load(file))

# How far rounding to the dtype moves a value, relative to the largest one.
F8, F4, F2, BF16 = 1e-12, 1e-6, 5e-4, 3e-3

# what is read, kind, mask, expected [matrix, index], bound
SAVED = [
    ("stories260K_logits_masked_layer0_8x160x160_f32.npy", "logits", "causal", lower[:8], F4),
    ("stories260K_logits_masked_layer2_1x8x160x160_f16.npy", "logits", "causal", lower[16:24], F2),
    ("stories260K_logits_unmasked_layer2_head3_160x160_f32_bigendian.npy", "logits", "none", one, F4),
    ("stories260K_logits_unmasked_layer2_head3_160x160_f64_fortran.npy", "logits", "none", one, F8),
    ("stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5:logits", "logits", "causal", lower, F2),
    ("stories260K_attn_layer3_f32_gzip_shuffle.h5", "weights", "causal", attn[24:32], F4),
    ("stories260K_attn_perlayer_f16_stored.npz", "weights", "causal", attn, F2),
    ("microgpt_attn_1x4x16x16.json:layers*", "weights", "causal", microgpt["sv_attn"], F4),
    ("microgpt_logits_unmasked_layer0_head0_16x16.csv", "logits", "none", microgpt["sv_logits"][:1], F4),
    ("microgpt_qk_logits_attn_f64_deflated.npz:logits_unmasked", "logits", "none", microgpt["sv_logits"], F8),
    ("microgpt_qk_logits_attn_f64_deflated.npz:logits_masked", "logits", "causal",
     microgpt["sv_logits_lower_triangle"], F8),
    ("microgpt_qk_logits_attn_f64_deflated.npz:attn", "weights", "causal", microgpt["sv_attn"], F8),
    ("ngswin_x2_enc1b0_logits_8x6x64x64_f32.npy", "logits", "none",
     of_numpy("ngswin_x2_enc1b0_logits_8x6x64x64_f32"), F8),
    ("ngswin_x2_enc1b0_content_8x6x64x64_f32.npy", "logits", "none",
     of_numpy("ngswin_x2_enc1b0_content_8x6x64x64_f32"), F8),
    ("found_unitree_worldmodel_attentions_2x1x2x39x39_f32.npy", "weights", "prefix:32",
     of_numpy("found_unitree_worldmodel_attentions_2x1x2x39x39_f32"), F8),
    ("found_spatial_probing_crossattn_first8_8x8x16x196_f32.npy", "weights", "none",
     of_numpy("found_spatial_probing_crossattn_first8_8x8x16x196_f32"), F8),
    ("found_dodrio_bert_sst2_attention_1125.json.gz", "weights", None, svd(dodrio), F8),
]

INTERLEAVED = ["--scheme", "rope:base=10000,layout=interleaved"]
HALF = ["--scheme", "rope:base=10000,layout=half"]
APPLIED = ["--position", "applied"]
BY_POSITION = ["--query-axes", "position,head,dim", "--key-axes", "position,head,dim"]
H5 = "stories260K_qk_and_logits_masked_f16_gzip_shuffle.h5"
F32 = "stories260K_qk_halfsplit_f32.safetensors"
BFLOAT = "stories260K_qk_interleaved_bf16.safetensors"
CONTENT = stories["sv_logits_content_only"]

# queries, keys, options, expected with and without position (None: no scheme), bound
PAIRS = [
    ("stories260K_q_prepe_5x8x160x8_f32.npy", "stories260K_k_prepe_5x4x160x8_f32.npy", INTERLEAVED,
     full, CONTENT, F4),
    (H5 + ":layers/*/q_prepe", H5 + ":layers/*/k_prepe", INTERLEAVED + BY_POSITION, full, CONTENT, F4),
    (H5 + ":layers/*/q_rope", H5 + ":layers/*/k_rope", INTERLEAVED + BY_POSITION + APPLIED, full, CONTENT, F4),
    (F32 + ":*q_prepe", F32 + ":*k_prepe", HALF, full, CONTENT, F4),
    (F32 + ":*q_rope", F32 + ":*k_rope", HALF + APPLIED, full, CONTENT, F4),
    (BFLOAT + ":*q_prepe", BFLOAT + ":*k_prepe", INTERLEAVED, full, CONTENT, BF16),
    (BFLOAT + ":*q_rope", BFLOAT + ":*k_rope", INTERLEAVED + APPLIED, full, CONTENT, BF16),
    ("microgpt_qk_logits_attn_f64_deflated.npz:q", "microgpt_qk_logits_attn_f64_deflated.npz:k", [],
     microgpt["sv_logits"], None, F8),
    ("ngswin_x2_enc1b0_q_raw_8x6x64x10_f32.npy", "ngswin_x2_enc1b0_k_raw_8x6x64x10_f32.npy", ["--scale", "1"],
     product("ngswin_x2_enc1b0_q_raw_8x6x64x10_f32.npy", "ngswin_x2_enc1b0_k_raw_8x6x64x10_f32.npy"), None, F8),
]


def analyze(*arguments):
    subprocess.run(["attnspec", "analyze", *arguments, "-o", "o.h5", "--force", "-q"], check=True)
    out = subprocess.run(["attnspec", "report", "o.h5", "--format", "json", "--values"], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)["matrices"]


def close(found, expected, bound, norm=0):
    """All values of one matrix, those beyond its rank too; relative to its norm, or a larger one."""
    found = np.array(found)
    return found.shape == expected.shape and np.abs(found - expected).max() <= bound * max(norm, expected[0])


def tell(name, count, good):
    print(f"{name}: {count} matrices, {'as the reference' if good else 'NOT the reference'}")
    return good


all_good = True
for name, kind, mask, expected, bound in SAVED:
    rows = analyze(at(name))
    good = len(rows) == len(expected) and all(
        row["status"] == "ok" and row["kind"] == kind and row["mask"] in (mask, mask or row["mask"])
        and close(row["singular_values"], sigma, bound) for row, sigma in zip(rows, expected))
    all_good &= tell(name, len(rows), good)

for query, key, options, coupled, content, bound in PAIRS:
    rows = analyze("--query", at(query), "--key", at(key), *options)
    good = len(rows) == len(coupled)
    for i, row in enumerate(rows if good else []):
        good = good and row["mask"] == "none" and close(row["singular_values"], coupled[i], bound)
        if content is not None:
            ratio = coupled[i][0] / content[i][0]
            # What was rounded after rotation has errors of the size of the rotated logits.
            norm = coupled[i][0] if "applied" in options else 0
            good = (good and close(row["baseline_singular_values"], content[i], bound, norm)
                    and abs(row["contraction"]["spectral_norm"] - ratio) <= 10 * bound * ratio
                    and row["contraction"]["guarantee"] == "observed")
    all_good &= tell(" ".join([query, *options]), len(rows), good)
sys.exit(not all_good)
