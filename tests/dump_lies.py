#!/usr/bin/env python3
"""Dumps whose parts do not go together, each made of a true one.
usage: dump_lies.py TRUE.h5     writes one file a lie beside it, and prints their names."""
import shutil
import sys

import h5py
import numpy as np


def lie(name, change):
    shutil.copy(sys.argv[1], name + ".h5")
    with h5py.File(name + ".h5", "r+") as file:
        change(file["dump"])
    print(name)


def replace(group, name, data):
    attributes = dict(group[name].attrs)
    del group[name]
    group[name] = data
    group[name].attrs.update(attributes)


def nan_content(group):
    content = group["content"][()]
    content[0, 0, 1, 2] = np.nan
    replace(group, "content", content)


rng = np.random.default_rng(0)
lie("query_longer", lambda g: replace(g, "query", rng.standard_normal((1, 2, 64, 4))))
lie("query_other", lambda g: replace(g, "query", rng.standard_normal((1, 2, 8, 4))))
lie("key_shorter", lambda g: replace(g, "key", rng.standard_normal((1, 2, 3, 4))))
lie("key_other_size", lambda g: replace(g, "key", rng.standard_normal((1, 2, 8, 6))))
lie("key_no_heads", lambda g: replace(g, "key", rng.standard_normal((1, 0, 8, 4))))
lie("key_three_heads", lambda g: replace(g, "key", rng.standard_normal((1, 3, 8, 4))))
lie("content_smaller", lambda g: replace(g, "content", rng.standard_normal((1, 2, 4, 4))))
lie("content_larger", lambda g: replace(g, "content", rng.standard_normal((1, 2, 16, 16))))
lie("content_nan", nan_content)
lie("scheme_claimed", lambda g: replace(g, "logits", rng.standard_normal((1, 2, 8, 8))))
lie("scheme_unknown", lambda g: g.attrs.__setitem__("scheme", "no scheme of ours"))
lie("scale_nan", lambda g: g.attrs.__setitem__("scale", float("nan")))
