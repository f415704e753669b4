#!/usr/bin/env python3
"""Numbers that test_grid.c expects: the nearest matrix that depends on the two-dimensional offset alone,
by least squares over indicator matrices of the offsets, which is slow and written anew.
    /usr/bin/python3 tests/grid_numbers.py >tests/grid_numbers.inc
numpy 1.24."""
import numpy as np

HEIGHT, WIDTH, LEADING = 3, 4, 2
random = np.random.RandomState(3)


def split(a, kept):
    """Fraction and residual of a [H·W, H·W] over its kept entries."""
    place = np.array([(r, c) for r in range(HEIGHT) for c in range(WIDTH)])
    offsets = (place[:, None, :] - place[None, :, :])[kept]
    design = np.array([(offsets == o).all(axis=1) for o in np.unique(offsets, axis=0)], float).T
    x = a[kept]
    part = design @ np.linalg.lstsq(design, x, rcond=None)[0]
    return (((part - x.mean()) ** 2).sum() / ((x - x.mean()) ** 2).sum(),
            np.linalg.norm(x - part) / np.linalg.norm(x))


def show(name, values, form):
    values = np.asarray(values).ravel()
    wide = 4 if form == "%.17g" else 16
    kind = "double" if form == "%.17g" else "unsigned char"
    print("static const %s %s[%d] = {" % (kind, name, len(values)))
    for i in range(0, len(values), wide):
        print("    " + " ".join(form % v + "," for v in values[i:i + wide]))
    print("};")


n = LEADING + HEIGHT * WIDTH
a = random.randn(n, n) + 0.5
kept = random.rand(n, n) < 0.7
a[~kept] = 0
everything = np.ones((HEIGHT * WIDTH,) * 2, bool)
inner, inner_kept = a[LEADING:, LEADING:], kept[LEADING:, LEADING:]
print("/* Made by grid_numbers.py: %d tokens, then a grid of %d × %d. */" % (LEADING, HEIGHT, WIDTH))
show("grid_matrix", a, "%.17g")
show("grid_masked", ~kept, "%d")
show("grid_unmasked_split", split(inner, everything), "%.17g")
show("grid_masked_split", split(inner, inner_kept), "%.17g")
