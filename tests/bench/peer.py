"""numpy's side of the benchmark: a long-lived child that times one repetition a line.

usage: peer.py numpy|pool FILE COUNT N
  numpy  np.linalg.svd(batch, compute_uv=False), as people call it
  pool   a thread a core, each with small pieces of the batch; run with OPENBLAS_NUM_THREADS=1
"""
import ctypes
import os
import sys
import time
from multiprocessing.pool import ThreadPool

import numpy as np


def kernel():
    """The core that numpy's BLAS chose, and the file it came from."""
    np.linalg.svd(np.eye(3))
    with open("/proc/self/maps") as maps:
        files = sorted({line.split()[-1] for line in maps if "blas" in line.lower()})
    for file in files:
        library = ctypes.CDLL(file)
        for name in ("openblas_get_corename", "openblas_get_corename64_",
                     "scipy_openblas_get_corename", "scipy_openblas_get_corename64_"):
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype = ctypes.c_char_p
                return f"{function().decode()} of {file}"
    return "unknown of " + (files[0] if files else "unknown")


def main():
    kind, path, count, n = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    batch = np.asarray(np.memmap(path, dtype="f8", mode="r", shape=(count, n, n)))
    cores = len(os.sched_getaffinity(0))
    pieces = np.array_split(batch, min(count, 8 * cores))
    pool = ThreadPool(cores) if kind == "pool" else None

    def values(a):
        return np.linalg.svd(a, compute_uv=False)

    print(kernel(), flush=True)
    sigma = None
    for line in sys.stdin:
        if line.startswith("save "):
            sigma.tofile(line[5:].strip())
            print("saved", flush=True)
            continue
        start = time.perf_counter()
        sigma = values(batch) if pool is None else np.concatenate(pool.map(values, pieces))
        print(f"{time.perf_counter() - start:.9f}", flush=True)


main()
