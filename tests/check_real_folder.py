#!/usr/bin/env python3
"""A whole folder at once: `analyze FOLDER/*` has a row for every tensor of every file, as the files'
own libraries list them, as many matrices as their shapes say, and says what it left out and why.
usage: check_real_folder.py     with attnspec on PATH; the folder is ATTNSPEC_TEST_DATA."""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys

import h5py
import numpy as np

folder = os.environ["ATTNSPEC_TEST_DATA"]
PAIRS = ("q", "k", "q_prepe", "k_prepe", "q_rope", "k_rope")  # taken with --query and --key only


def lists(value, name=""):
    """Tensors of a JSON text: the outermost lists, by the keys on the way to them."""
    if isinstance(value, list) and not (value and isinstance(value[0], dict)):
        yield name, np.array(value)
    else:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from lists(part, f"{name}/{key}" if name else str(key))


def of_hdf5(path):
    found = []
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.append((name, item.shape, item.dtype.kind))
                        if isinstance(item, h5py.Dataset) else None)
    return found


def of_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return [(name, tensor["shape"], "f") for name, tensor in header.items() if name != "__metadata__"]


def tensors(path):
    """(name, shape, numpy's letter of the dtype's kind) of each; None where the file is no dump."""
    suffix = os.path.basename(path).partition(".")[2]
    if suffix == "npy":
        arrays = [("", np.load(path, mmap_mode="r"))]
    elif suffix == "npz":
        arrays = np.load(path).items()
    elif suffix == "csv":
        arrays = [("", np.loadtxt(path, delimiter=","))]
    elif suffix in ("json", "json.gz"):
        with (gzip.open if suffix == "json.gz" else open)(path) as file:
            arrays = lists(json.load(file))
    elif suffix == "h5":
        return of_hdf5(path)
    elif suffix == "safetensors":
        return of_safetensors(path)
    else:
        return None
    return [(name, array.shape, array.dtype.kind) for name, array in arrays]


def expected(path):
    """(tensor, status): rows. What gives no matrix has one row."""
    found = tensors(path)
    if found is None:
        return {("", "unreadable"): 1}
    rows = {}
    for name, shape, kind in found:
        last = name.replace("/", ".").split(".")[-1]
        taken = kind == "f" and len(shape) >= 2 and last not in PAIRS
        rows[name, "ok" if taken else "skipped"] = int(np.prod(shape[:-2])) if taken else 1
    return rows


files = sorted(glob.glob(os.path.join(folder, "*")))
run = subprocess.run(["attnspec", "analyze", *files, "-o", "all.h5", "--force"], stderr=subprocess.PIPE)
out = subprocess.run(["attnspec", "report", "all.h5", "--format", "json"], check=True,
                     stdout=subprocess.PIPE).stdout
report = json.loads(out)
found = collections.defaultdict(collections.Counter)
for row in report["matrices"]:
    found[row["source"]][row["tensor"] or "", row["status"]] += 1
    if row["status"] != "ok" and not row["reason"]:
        sys.exit(f"{row['source']}: {row['tensor']}: {row['status']} without a reason")

good = True
counts = collections.Counter()
for path in files:
    rows = expected(path)
    for (_, status), count in rows.items():
        counts[status if status in ("ok", "skipped") else "failed"] += count
    for key in set(rows) ^ set(found[path]) | {k for k in rows if rows[k] != found[path][k]}:
        print(f"{path}: {key}: {rows.get(key, 0)} rows expected, {found[path][key]} found")
        good = False
good &= set(found) == set(files)
good &= report["counts"] == {key: counts[key] for key in ("ok", "skipped", "failed")}
good &= run.returncode == (1 if counts["failed"] else 0)
last = run.stderr.decode().splitlines()[-1]
good &= last.endswith(": {ok} ok, {skipped} skipped, {failed} failed".format(**report["counts"]))
print("every tensor of every file has its rows" if good else f"NOT every tensor has its rows: {last}")
sys.exit(not good)
