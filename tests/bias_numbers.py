#!/usr/bin/env python3
"""Numbers that test_scheme_bias.c expects, from the papers' formulas alone and written anew in numpy.
    /usr/bin/python3 tests/bias_numbers.py >tests/bias_numbers.inc
numpy 1.24."""
import numpy as np

DIM, HEADS, LAYERS = 6, 3, 2
ROWS, COLS = 5, 9
rng = np.random.RandomState(3)


def show(name, values):
    values = np.asarray(values, float).ravel()
    print("static const double %s[%d] = {" % (name, len(values)))
    for i in range(0, len(values), 4):
        print("    " + " ".join("%.17g," % v for v in values[i:i + 4]))
    print("};")


print("/* Made by tests/bias_numbers.py; see there. */")
q, k = rng.randn(ROWS, DIM), rng.randn(COLS, DIM)
show("bias_q", q)
show("bias_k", k)

# The last query at the last key; and places of one's own, before, between and far behind the others.
PLACES = {"": (np.arange(ROWS) + COLS - ROWS, np.arange(COLS)),
          "_placed": (np.array([-3, 0, 4, 40, 700]), np.array([0, 1, 2, 3, 5, 8, 13, 400, 701]))}
show("bias_query_places", PLACES["_placed"][0])
show("bias_key_places", PLACES["_placed"][1])

# Shaw: e_ij = q_i (k_j + a_clip(j - i))^T / sqrt(d), one table a layer, K = 2.
table = rng.randn(LAYERS, 5, DIM)
show("shaw_table", table)
for name, (qp, kp) in PLACES.items():
    a = table[1][np.clip(kp[None, :] - qp[:, None], -2, 2) + 2]
    show("shaw_logits" + name, np.einsum("id,ijd->ij", q, k[None] + a) / np.sqrt(DIM))

# Transformer-XL: ((q+u) k + (q+v) W r_(i-j)) / sqrt(d), r = [sin, cos] of (i-j) 1e4^(-2f/D), D = 10.
D = 10
u, v = rng.randn(HEADS, DIM), rng.randn(HEADS, DIM)
w = rng.randn(LAYERS, HEADS * DIM, D)
show("xl_u", u)
show("xl_v", v)
show("xl_w", w)
h = 2
for name, (qp, kp) in PLACES.items():
    angle = (qp[:, None] - kp[None, :])[:, :, None] * 1e4 ** (-np.arange(0, D, 2) / D)
    r = np.concatenate([np.sin(angle), np.cos(angle)], 2)
    W = w[1, h * DIM:(h + 1) * DIM]
    show("xl_logits" + name, ((q + u[h]) @ k.T + np.einsum("id,dD,ijD->ij", q + v[h], W, r)) / np.sqrt(DIM))

# FIRE: f(ln(1 + c|i-j|) / (ln(1 + c max(L, i)) + eps)), f of 1 -> 4 -> ReLU -> 3; L = 6.
w1, b1 = rng.randn(LAYERS, 4, 1), rng.randn(LAYERS, 4)
w2, b2 = rng.randn(LAYERS, HEADS, 4), rng.randn(LAYERS, HEADS)
for name, array in (("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2)):
    show("fire_" + name, array)
c, L, eps = 0.1, 6.0, 1e-6
for name, (qp, kp) in PLACES.items():
    x = np.log(np.abs(c * (qp[:, None] - kp[None, :])) + 1)
    x = x / (np.log(np.abs(c * np.maximum(L, qp)) + 1) + eps)[:, None]
    hidden = np.maximum(x[:, :, None] @ w1[1].T + b1[1], 0)
    show("fire_bias" + name, (hidden @ w2[1].T + b2[1])[:, :, h])

# KERPLE and Sandwich at every distance.
x = np.arange(40.0)
show("kerple_log", -0.7 * np.log(1 + 0.3 * x))
show("kerple_power", -0.3 * x ** 0.7)
show("sandwich_128_3_of_12", [(np.cos(d / 1e4 ** (2 * np.arange(1, 65) / 128)).sum() - 64) / (3 * 8.0 / 12)
                              for d in x])
