#!/usr/bin/env python3
"""Numbers that test_rope_family.c expects, from the papers' formulas alone and as complex numbers.
    /usr/bin/python3 tests/rope_numbers.py >tests/rope_numbers.inc
numpy 1.24."""
import math
import numpy as np


def show(name, values):
    values = np.asarray(values).ravel()
    print("static const double %s[%d] = {" % (name, len(values)))
    for i in range(0, len(values), 4):
        print("    " + " ".join("%.17g," % v for v in values[i:i + 4]))
    print("};")



print("/* Made by tests/rope_numbers.py; see there. */")
rng = np.random.RandomState(3)
q, k = rng.randn(7, 8), rng.randn(7, 8)
show("grid_q", q)
show("grid_k", k)


def pairs(x):
    return x[:, 0::2] + 1j * x[:, 1::2]


def logits(phase_q, phase_k, gain=1.0):
    return gain * (pairs(q) * phase_q @ (pairs(k) * phase_k).conj().T).real


# LongRoPE: theta_f / lambda_f, cos and sin times sqrt(1 + ln s/ln L), long past L.
short, long = [1, 1.05, 1.3, 2], [1, 2.5, 7, 30]
for name, factors in (("longrope_short", short), ("longrope_long", long)):
    theta = np.array([1 / (x * 1e4 ** (2 * f / 8)) for f, x in enumerate(factors)])
    show(name, theta)
n = np.arange(7)[:, None]
theta = np.array([1 / (x * 1e4 ** (2 * f / 8)) for f, x in enumerate(long)])
e = np.exp(1j * n * theta)
show("longrope_logits", logits(e, e, 1 + math.log(4) / math.log(6)))

# Axial: a class token, then 6 tokens of width 3: x = t mod 3, y = t div 3.
t = np.arange(6)
x, y = np.concatenate([[0], t % 3]), np.concatenate([[0], t // 3])
w = 100.0 ** (-4 * np.arange(2) / 8)
e = np.exp(1j * np.concatenate([np.outer(x, w), np.outer(y, w)], axis=1))
show("axial_logits", logits(e, e))

# Mixed: pair f turns by a_f x + b_f y.
a, b = rng.randn(4), rng.randn(4)
show("mixed_freqs", np.stack([a, b]))
e = np.exp(1j * (np.outer(x, a) + np.outer(y, b)))
show("mixed_logits", logits(e, e))

# xPos with base 100, gamma 1 and zeta over 4 positions, half-split, n = 7.
theta = 100.0 ** (-2 * np.arange(4) / 8)
zeta = (2 * np.arange(4) / 8 + 1) / 2
qc, kc = q[:, :4] + 1j * q[:, 4:], k[:, :4] + 1j * k[:, 4:]
delta = n - n.T
l = sum(np.outer(qc[:, f], kc[:, f].conj()) * zeta[f] ** (delta / 4) * np.exp(1j * theta[f] * delta)
        for f in range(4)).real
show("xpos_logits", l)

# MLA: c = latent of rank 3, k = [W c, R k_r], q = [q_n, R q_r]; YaRN s = 40, L = 4096 on 4 dimensions of
# 6 + 4; the softmax scale times (0.1 ln 40 + 1)^2.
n_, rank, nope, rope = 7, 3, 6, 4
c, up, qn = rng.randn(n_, rank), rng.randn(nope, rank), rng.randn(n_, nope)
qr, kr = rng.randn(n_, rope), rng.randn(n_, rope)
show("mla_latent", c)
show("mla_up", up)
show("mla_q_nope", qn)
show("mla_q_rope", qr)
show("mla_k_rope", kr)
f = 1e4 ** (-np.arange(0, rope, 2) / rope)
dim = lambda r: rope * math.log(4096 / (r * 2 * math.pi)) / (2 * math.log(1e4))
lo, hi = max(math.floor(dim(32)), 0), min(math.ceil(dim(1)), rope - 1)
ramp = np.clip((np.arange(rope // 2) - lo) / (hi - lo), 0, 1)
f = f / 40 * ramp + f * (1 - ramp)
show("mla_yarn_theta", f)
e = np.exp(1j * n * f)
content = (qn @ up) @ c.T  # W absorbed into q
rotated = ((qr[:, 0::2] + 1j * qr[:, 1::2]) * e @ ((kr[:, 0::2] + 1j * kr[:, 1::2]) * e).conj().T).real
show("mla_absorbed", (content + rotated) * (0.1 * math.log(40) + 1) ** 2 / math.sqrt(nope + rope))

# YaRN with fractional ends, with both scales, and with ends that meet.
def yarn(dim, base, s, length, fast, slow, truncate):
    at = lambda r: dim * math.log(length / (r * 2 * math.pi)) / (2 * math.log(base))
    lo, hi = at(fast), at(slow)
    if truncate:
        lo, hi = math.floor(lo), math.ceil(hi)
    lo, hi = max(lo, 0), min(hi, dim - 1)
    hi += 0.001 if lo == hi else 0
    ramp = np.clip((np.arange(dim // 2) - lo) / (hi - lo), 0, 1)
    e = base ** (-np.arange(0, dim, 2) / dim)
    return e / s * ramp + e * (1 - ramp)


show("yarn_fractional", yarn(16, 1e4, 8.0, 2048, 32, 1, False))
show("yarn_meeting", yarn(16, 1e4, 8.0, 2048, 3, 3, False))

# Llama 3.2: d = 64, base 5e5, factor 32.
e = 5e5 ** (-np.arange(0, 64, 2) / 64)
wave = 2 * math.pi / e
smooth = (8192 / wave - 1) / (4 - 1)
show("llama32", np.where(wave < 8192 / 4, e, np.where(wave > 8192, e / 32,
                                                        (1 - smooth) * e / 32 + smooth * e)))
