#!/usr/bin/env python3
"""Numbers that test_scheme_content.c expects, from the formulas of the papers alone and written anew, with
explicit loops over i, j and l where the library accumulates. Inputs are sines, the same in both.
    /usr/bin/python3 tests/scheme_content_numbers.py >tests/scheme_content_numbers.inc
Drawn parameters are those of scheme_numbers.py: numpy's init_by_array(), GSL's ziggurat."""
import contextlib
import io
import numpy as np

with contextlib.redirect_stdout(io.StringIO()):
    from scheme_numbers import gaussians, show, uniforms

N, D, ROWS = 37, 8, [0, 12, 36]
wave = lambda size, step, start, *shape: (size * np.sin(step * np.arange(np.prod(shape)) + start)).reshape(shape)
q, k = wave(2, 1.7, 0.3, N, D), wave(2, 2.3, 0.5, N, D)
scale = 1 / np.sqrt(D)
G = q @ k.T * scale
sigmoid = lambda x: 1 / (1 + np.exp(-x))


def cope(e):
    L = G.copy()
    last = e.shape[1] - 1
    for i in range(N):
        for j in range(N):
            p = min(sum(sigmoid(G[i, l]) for l in range(j, i + 1)), last)
            a, b = int(np.floor(p)), int(np.ceil(p))
            L[i, j] += q[i] @ (e[:, a] * (1 - (p - a)) + e[:, b] * (p - a))
    return L


def turned(x, angles):
    """Half-split rows as complex numbers."""
    h = x.shape[1] // 2
    z = (x[:, :h] + 1j * x[:, h:]) * np.exp(1j * angles)
    return np.concatenate([z.real, z.imag], 1)


def fox(w, b, base=None):
    f = sigmoid(k @ w + b)
    t = np.arange(N)[:, None] * (base or 1.0) ** (-2 * np.arange(D // 2) / D)
    L = G.copy() if base is None else turned(q, t) @ turned(k, t).T * scale
    for i in range(N):
        for j in range(N):
            L[i, j] += sum(np.log(f[l]) for l in range(j + 1, i + 1))
    return L


def selective(down, up, conv, base, bias=None, gate=None):
    x = k / np.sqrt((k**2).sum(1, keepdims=True) + 1e-6)
    u = x @ (up @ down).T
    K = conv.shape[1]
    phi = np.zeros((N, D // 2))
    for t in range(N):
        step = sum(conv[:, K - 1 - m] * u[t - m] for m in range(K) if t - m >= 0)
        if bias is not None:
            step = step + np.exp(bias)
        if gate is not None:
            step = step * sigmoid(gate[:D] @ x[t] + gate[D])
        phi[t] = step + (phi[t - 1] if t else 0)
    angle = phi * base ** (-2 * np.arange(D // 2) / D)
    return turned(q, angle) @ turned(k, angle).T * scale


def grape_a(p, slope, base=1.0):
    unit = p / np.sqrt((p**2).mean(1, keepdims=True) + 2.0**-23)
    r = turned(unit, -np.arange(N)[:, None] * base ** (-2 * np.arange(D // 2) / D))
    L = G.copy()
    for i in range(N):
        for j in range(N):
            L[i, j] += sum(slope * np.log(sigmoid(p[i] @ r[l] / D)) for l in range(j + 1, i + 1))
    return L


def pope(delta):
    sp = lambda x: np.log1p(np.exp(x))
    L = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            L[i, j] = sum(sp(q[i, c]) * sp(k[j, c]) * np.cos(1e4 ** (-c / D) * (j - i) + delta[c])
                          for c in range(D)) * scale
    return L


print("/* Made by tests/scheme_content_numbers.py; see there. */")
rows = lambda name, L: show(name, L[ROWS])
rows("cope_rows", cope(wave(1, 0.9, 0.2, D, 5)))
rows("fox_rows", fox(wave(1, 1.1, 0.4, D), 0.25))
rows("fox_rope_rows", fox(wave(1, 1.1, 0.4, D), 0.25, 5e5))
down, up, conv = wave(1, 0.7, 0.1, 3, D), wave(1, 1.3, 0.6, D // 2, 3), wave(1, 1.9, 0.8, D // 2, 4)
rows("selective_rows", selective(down, up, conv, 5e5))
rows("selective_gated_rows", selective(down, up, conv, 100.0, wave(1, 0.5, 0.9, D // 2), wave(1, 0.4, 0.7, D + 1)))
rows("grape_key_rows", grape_a(k, 0.125))  # head 2 of 8: 2^-3
rows("grape_query_rows", grape_a(q, 0.125, 100.0))
rows("pope_rows", pope(wave(3, 0.8, -2.0, D).clip(-2 * np.pi, 0)))

seed, layer, head = 5, 3, 2
rows("drawn_cope_rows", cope(0.02 * gaussians(seed, "cope.table", layer, 0, 64 * D).reshape(64, D).T))
rows("drawn_fox_rows", fox(0.02 * gaussians(seed, "fox.w", layer, head, D), 0))
rows("drawn_pope_rows", pope(2 * np.pi * (uniforms(seed, "pope.delta", layer, head, D) - 1)))
draw = lambda part, fan, *shape: ((2 * uniforms(seed, "selective_rope." + part, layer, head, int(np.prod(shape))) - 1)
                                  / np.sqrt(fan)).reshape(shape)
rows("drawn_selective_rows", selective(draw("down", D, 16, D), draw("up", 16, D // 2, 16), draw("conv", 4, D // 2, 4),
                                       5e5, np.zeros(D // 2), draw("gate", D, D + 1)))
