#!/usr/bin/env python3
"""Looks at files of runs and comparisons with h5py: NeXus attributes, the plot that opens, every dataset.

usage: check_run_h5.py FILE...   Exit 0 sound, 1 with a sentence, 77 without h5py.
"""
import json
import sys

sys.dont_write_bytecode = True  # no folder of it beside the tests
from check_result_h5 import check_all, check_attributes, check_group

import h5py
import numpy as np

SPECTRA = ["spectral_norm", "spectral_ratio", "frobenius_ratio", "nuclear_ratio", "stable_rank",
           "content_stable_rank", "effective_rank", "alignment", "content_alignment"]


def default_plot(file):
    """The NXdata that a reader of NeXus draws: the attribute `default` from group to group."""
    group = file
    while group.attrs["NX_class"] != "NXdata":
        group = group[group.attrs["default"]]
    return group


def check_rank(group):
    """An axis for each dimension, and C order said where there are several."""
    signal = group[group.attrs["signal"]]
    assert signal.dtype == np.float64 and signal.ndim == len(group.attrs["axes"]), group.name
    assert signal.ndim == 1 or signal.attrs["dim_order"] == "C", group.name


def check_origin(entry, kind):
    assert entry.attrs["NX_class"] == "NXentry" and entry.attrs["format"] == kind
    assert entry.attrs["format_version"] == 1 and entry.attrs["finished"] in (0, 1)
    assert set(entry["config"].attrs) - {"NX_class"} == set(entry["config/names"].asstr()[()])
    assert entry["provenance"].attrs["NX_class"] == "NXnote"
    assert entry["provenance/type"][()] == b"application/json"
    assert isinstance(json.loads(entry["provenance/data"][()]), dict)


def check_tensors(run):
    """Weights, and moments of the same shape, all in single precision."""
    names = list(run["tensors"].asstr()[()])
    assert sorted(names) == sorted(run["weights"]), names
    for name in names:
        weights = run["weights"][name]
        assert weights.dtype == np.float32 and weights.size > 0, name
        if weights.nbytes >= 64 * 1024:
            assert weights.shuffle and weights.compression == "gzip", name
    for part in ("moment1", "moment2"):
        for name in run.get(part, {}):
            assert run[part][name].shape == run["weights"][name].shape, (part, name)
            assert run[part][name].dtype == np.float32, (part, name)


def check_spectra(run):
    """Curves along training for each layer and head, over the same steps."""
    assert set(run["spectra"]) <= set(SPECTRA), list(run["spectra"])
    assert run["spectra"].attrs["default"] in run["spectra"]
    steps = None
    for name, group in run["spectra"].items():
        assert list(group.attrs["axes"]) == ["layer", "head", "step"], name
        assert group.attrs["signal"] == name
        steps = group["step"][()] if steps is None else steps
        assert (group["step"][()] == steps).all(), name


def check_ablation(run):
    group, deposit = run["ablation"], run["ablation/deposit"]
    assert group.attrs["signal"] == "drop" and "baseline" in group.attrs
    assert deposit.attrs["signal"] == "index" and list(deposit.attrs["axes"]) == ["layer"]
    assert set(group["layer"][()]) == set(deposit["layer"][()])


def number(a, b):
    """tests/run_rows.h"""
    return (a + 1) / (7 * b + 3)


def check_numbers(run):
    """The run of the tests: what stands where."""
    history = run["history"]
    points = np.arange(13)
    assert (history["step"][()] == 3 * points).all()
    assert (history["loss"][()] == number(1, points)).all()
    assert (history["gradient_norm"][()] == number(4, points)).all()
    assert (np.isnan(history["test_loss"][()]) == (points % 3 == 1)).all()
    for v, name in enumerate(SPECTRA):
        values = run["spectra"][name][name][()]
        layers, heads, steps = np.meshgrid(range(3), range(2), range(5), indexing="ij")
        index = (steps * 3 + layers) * 2 + heads
        expected = np.where(index % 3 == 1, np.nan, number(v, index))
        assert np.array_equal(values, expected, equal_nan=True), name
    assert run["config"].attrs["scheme"] == run.attrs["scheme"] == "rope:base=100"
    assert run.attrs["seed"] == 37 and run.attrs["steps"] == 351
    assert run["ablation/accuracy"][3] == number(3, 3) and run["ablation/head"][3] == 1


def check(path):
    with h5py.File(path, "r") as file:
        assert file.attrs["NX_class"] == "NXroot"
        plot = default_plot(file)

        def visit(name, thing):
            check_attributes(name, thing)
            if isinstance(thing, h5py.Group) and thing.attrs.get("NX_class") == "NXdata":
                check_group(name, thing)
                check_rank(thing)

        file.visititems(visit)
        if "comparison" in file:
            assert plot.name == "/comparison/trials" and plot.attrs["signal"] == "accuracy"
            check_origin(file["comparison"], "attnspec-comparison")
            assert plot["task"].shape == plot["scheme"].shape == plot["seed"].shape
            return
        run = file["run"]
        assert plot.name == "/run/history" and plot.attrs["signal"] == "loss"
        assert list(plot.attrs["axes"]) == ["step"]
        check_origin(run, "attnspec-run")
        check_tensors(run)
        if "spectra" in run:
            check_spectra(run)
        if "ablation" in run:
            check_ablation(run)
        if path.endswith("/numbers.h5"):
            check_numbers(run)
        if "dump" in file:
            axes = file["dump/logits"].attrs["axes"].split(",")
            assert len(axes) == file["dump/logits"].ndim and axes[-2:] == ["query", "key"], axes


if __name__ == "__main__":
    check_all(sys.argv[1:], check)
