#!/usr/bin/env python3
"""Numbers that test_scheme_papers.c and test_content.c expect, from the formulas alone and written anew:
numpy does the mathematics and initialises mt19937 by its own init_by_array(); of GSL only the
ziggurat is called, on that state.
    /usr/bin/python3 tests/scheme_numbers.py >tests/scheme_numbers.inc
numpy 1.24, GSL 2.7.1."""
import ctypes
import math
import numpy as np

ctypes.CDLL("libgslcblas.so.0", mode=ctypes.RTLD_GLOBAL)
gsl = ctypes.CDLL("libgsl.so.27")
gsl.gsl_rng_alloc.restype = gsl.gsl_rng_state.restype = ctypes.c_void_p
gsl.gsl_rng_alloc.argtypes = gsl.gsl_rng_state.argtypes = [ctypes.c_void_p]
gsl.gsl_ran_gaussian_ziggurat.restype = ctypes.c_double
gsl.gsl_ran_gaussian_ziggurat.argtypes = [ctypes.c_void_p, ctypes.c_double]


def generator(seed, purpose, layer, head):
    words = [w for x in (seed, layer, head) for w in (x & 0xFFFFFFFF, x >> 32)]
    return np.random.RandomState(np.array(words + list(purpose.encode()), dtype=np.uint32))


def gaussians(seed, purpose, layer, head, count):
    state = generator(seed, purpose, layer, head).get_state()
    rng = gsl.gsl_rng_alloc(ctypes.c_void_p.in_dll(gsl, "gsl_rng_mt19937"))
    at = gsl.gsl_rng_state(rng)
    words = (ctypes.c_ulong * 624).from_address(at)
    words[:] = [int(w) for w in state[1]]
    ctypes.c_int.from_address(at + 624 * ctypes.sizeof(ctypes.c_ulong)).value = state[2]
    return np.array([gsl.gsl_ran_gaussian_ziggurat(rng, 1.0) for _ in range(count)])


def uniforms(seed, purpose, layer, head, count):
    raw = generator(seed, purpose, layer, head).randint(0, 2**32, count, dtype=np.uint32)
    return raw.astype(float) / 2.0**32


def show(name, values, kind="double"):
    values = np.asarray(values).ravel()
    form = "%.17g" if kind == "double" else "%d"
    print("static const %s %s[%d] = {" % (kind, name, len(values)))
    for i in range(0, len(values), 4 if kind == "double" else 16):
        print("    " + " ".join(form % v + "," for v in values[i:i + (4 if kind == "double" else 16)]))
    print("};")


def turn(x, theta, pairs):
    """Rows of x as complex numbers times e^{i theta position}."""
    y = x.astype(complex).copy()
    for (a, b), t in zip(pairs, theta):
        z = (x[:, a] + 1j * x[:, b]) * np.exp(1j * t * np.arange(len(x)))
        y[:, a], y[:, b] = z.real, z.imag
    return y.real


def logits(q, k, theta, pairs):
    return turn(q, theta, pairs) @ turn(k, theta, pairs).T


def bucket(rel, bidirectional, count, far):
    start = 0
    if bidirectional:
        count //= 2
        start = count if rel > 0 else 0
        distance = abs(rel)
    else:
        distance = max(-rel, 0)
    exact = count // 2
    if distance < exact:
        return start + distance
    f = np.float32
    over = f(np.log(f(distance) / f(exact))) / f(math.log(far / exact)) * f(count - exact)
    return start + min(exact + int(over), count - 1)


print("/* Made by tests/scheme_numbers.py; see there. */")
rng = np.random.RandomState(0)
q, k = rng.randn(6, 8), rng.randn(6, 8)
theta = 1e4 ** (-np.arange(0, 8, 2) / 8)
show("rope_q", q)
show("rope_k", k)
show("rope_interleaved", logits(q, k, theta, [(2 * f, 2 * f + 1) for f in range(4)]))
show("rope_half", logits(q, k, theta, [(f, f + 4) for f in range(4)]))
theta = 1e4 ** (-np.arange(0, 4, 2) / 4)
show("rope_partial_half", logits(q, k, theta, [(0, 2), (1, 3)]))

rng = np.random.RandomState(1)
q, k = rng.randn(6, 12), rng.randn(6, 12)
content = q[:, :8] @ k[:, :8].T
rotated = logits(q[:, 8:], k[:, 8:], theta, [(0, 1), (2, 3)])
show("mla_q", q)
show("mla_k", k)
show("mla_logits", (content + rotated) / math.sqrt(8 + 4))

show("learned_5x3", 0.02 * gaussians(9, "learned.table", 0, 1, 15))

show("t5_table", 0.02 * gaussians(5, "t5.table", 0, 2, 32))
for name, setting in (("t5_bidirectional", (True, 32, 128)), ("t5_causal", (False, 32, 128)),
                      ("t5_16_64", (True, 16, 64)), ("t5_odd", (True, 7, 100)),
                      ("t5_6_20", (False, 6, 20)), ("t5_9_128", (False, 9, 128))):
    show(name, [bucket(rel, *setting) for rel in range(-200, 201)], "int")

show("stream_uniform", uniforms(7, "test", 2, 3, 4))
show("stream_gaussian", gaussians(7, "test", 2, 3, 6))
show("stream_wide", gaussians(2**40 + 1, "", 2**33, 0, 2))

seed, layer, head, kv, n, d = 11, 1, 3, 1, 5, 3
g = {side: gaussians(seed, "content." + side, layer, h, n * d).reshape(n, d)
     for side, h in (("query", head), ("key", kv))}
mu = gaussians(seed, "content.mean", layer, kv, d)
for side in g:
    own = gaussians(seed, "content.mean." + side, layer, head if side == "query" else kv, d)
    x = g[side].copy()
    for i in range(1, n):
        x[i] = 0.75 * x[i - 1] + math.sqrt(1 - 0.75**2) * g[side][i]
    p = np.arange(1, 6) ** -1.5
    tokens = np.searchsorted(np.cumsum(p) / p.sum(), uniforms(seed, "content.tokens", layer, kv, n),
                             side="right")
    rows = [gaussians(seed, "content.%s.token %d" % (side, t), layer,
                      head if side == "query" else kv, d) for t in tokens]
    show("gaussian_" + side, g[side])
    show("mean_" + side, g[side] + 2 * mu)
    show("mean_own_" + side, g[side] + 2 * own)
    show("ar1_" + side, x)
    show("zipf_" + side, rows)
