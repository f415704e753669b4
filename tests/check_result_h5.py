#!/usr/bin/env python3
"""Looks at result files with h5py: NeXus attributes, every dataset, types that all readers know.

usage: check_result_h5.py FILE...   Exit 0 sound, 1 with a sentence, 77 without h5py.
"""
import json
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: no h5py")
    sys.exit(77)


def check_data(name, data):
    """A dataset that h5py, silx, H5Web, Octave and R all read."""
    assert all(c in "abcdefghijklmnopqrstuvwxyz0123456789_/" for c in name), name
    values = data[()]
    if data.dtype.kind == "S":
        assert name.startswith("entry/provenance/"), f"{name} is a string"
        values.decode("ascii")
        return
    assert data.dtype in (np.float64, np.int64, np.uint64, np.int32, np.uint8), (name, data.dtype)
    assert data.dtype.byteorder in "=<|", name
    assert data.ndim in (1, 2) and (data.ndim == 1 or data.shape[1] > 1), (name, data.shape)
    if data.nbytes >= 64 * 1024:
        assert data.shuffle and data.compression == "gzip" and data.compression_opts == 4, name
    else:
        assert data.chunks is None, name
    if data.ndim == 2:
        assert data.attrs["dim_order"] == "C", name


def check_group(name, group):
    """An NXdata group that draws itself."""
    signal = group[group.attrs["signal"]]
    axes = list(group.attrs["axes"])
    assert len(axes) == signal.ndim, (name, axes, signal.shape)
    for i, axis in enumerate(axes):
        assert group.attrs[axis + "_indices"] == i, (name, axis)
        assert group[axis].shape == (signal.shape[i],), (name, axis)
        assert group[axis].dtype == np.int64, (name, axis)
        assert group[axis].attrs["long_name"], (name, axis)
    for other in group.attrs.get("auxiliary_signals", []):
        assert group[other].shape == signal.shape, (name, other)
    assert signal.attrs["interpretation"] in ("spectrum", "image"), name
    assert signal.attrs["long_name"] and "units" in signal.attrs, name
    assert group.attrs["title"], name
    if "SILX_style" in group.attrs:
        json.loads(group.attrs["SILX_style"])


def check_attributes(name, thing):
    """Strings are variable-length UTF-8."""
    for key in thing.attrs:
        kind = thing.attrs.get_id(key).dtype
        text = h5py.check_string_dtype(kind)
        if text is not None:
            assert text.length is None and text.encoding == "utf-8", (name, key)


def check_numbers(entry):
    """The numbers fit together."""
    names = json.loads(entry["provenance/data"][()])["names"]
    status = entry["status"][()]
    words = list(entry["status"].attrs["names"])
    assert words == ["ok", "skipped", "nonfinite", "not_converged", "contradicts_mask",
                     "too_large", "unreadable", "out_of_memory"], words
    assert status.max(initial=0) < len(words)
    for field in names:
        index = entry[field][()]
        assert index.min(initial=0) >= -1 and index.max(initial=-1) < len(names[field]), field
    sigma = entry["singular_values/singular_values"][()].reshape(len(status), -1)
    count = entry["singular_values/count"][()]
    assert (np.isfinite(sigma).sum(axis=1) == count).all()
    assert (np.diff(sigma, axis=1)[np.isfinite(np.diff(sigma, axis=1))] <= 0).all()
    metrics = entry["metrics"]
    keys = [key for key in metrics if key + "_status" in metrics]
    assert len(keys) >= 24, keys
    for key in keys:
        codes = metrics[key + "_status"]
        assert codes.attrs["names"][0] == "none"
        assert (np.isnan(metrics[key][()]) == (codes[()] != 0)).all(), key
        assert "formula" in metrics[key].attrs and metrics[key].attrs["long_name"], key
    check_heads(entry, status)
    check_spectra(entry, status)
    check_contraction(entry, status)
    profile = entry["toeplitz_profile"]
    offset, rows = profile["offset"][()], entry["rows"][()]
    assert (np.diff(offset) == 1).all()
    width = profile["count"][()]
    for i in np.flatnonzero(width):
        line = profile["toeplitz_profile"][i] if len(offset) > 1 else None
        here = (offset >= 1 - int(rows[i])) & (offset < 1 - int(rows[i]) + int(width[i]))
        assert np.isnan(line[~here]).all() and np.isfinite(line[here]).any(), i


def check_spectra(entry, status):
    """What only some rows have: padded with NaN behind its count, and no group where none has it."""
    for group, arrays in {"baseline_singular_values": ["baseline_singular_values"],
                          "eigenvalues": ["eig_re", "eig_im"],
                          "symmetric_eigenvalues": ["symmetric_eigenvalues"]}.items():
        if group not in entry:
            continue
        count = entry[group]["count"][()]
        assert count.max() > 0, group
        for name in arrays:
            values = entry[group][name][()].reshape(len(status), -1)
            assert (np.isfinite(values).sum(axis=1) == count).all(), name
            assert values.shape[1] == count.max(), name
        if "eig_re" not in arrays:
            steps = np.diff(values, axis=1)
            assert (steps[np.isfinite(steps)] <= 0).all(), group


def check_contraction(entry, status):
    """Ratios with their codes and guarantees, where some row has a baseline."""
    compared = entry["baseline"][()] >= 0
    assert ("contraction" in entry) == compared.any()
    if "contraction" not in entry:
        return
    group = entry["contraction"]
    assert group.attrs["signal"] == "spectral_norm" and list(group.attrs["axes"]) == ["matrix"]
    why = list(group["status"].attrs["names"])
    assert why[0] == "none"
    whole = group["status"][()] == 0
    assert (group["status"][()][~compared] == why.index("no_baseline")).all()
    ratios = ["spectral_norm", "frobenius_norm", "nuclear_norm", "spread", "condition",
              "majorisation_slack", "weakly_majorised"]
    alignments = [f"alignment_{which}_{norm}" for which in ("coupled", "content", "complex_sum")
                  for norm in ("spectral", "frobenius", "nuclear")]
    for key in ratios + alignments:
        codes = group[key + "_status"]
        assert list(codes.attrs["names"]) == why, key
        assert (np.isnan(group[key][()]) == (codes[()] != 0)).all(), key
        assert (codes[()][~whole] != 0).all(), key
        assert group[key].attrs["formula"].startswith("equation C"), key
    for key in ratios:
        guarantee = group[key + "_guarantee"]
        assert list(guarantee.attrs["names"]) == ["observed", "guaranteed", "undefined"]
        assert guarantee.dtype == np.uint8
        assert ((guarantee[()] == 2) == np.isnan(group[key][()])).all(), key
    width = int(group["ky_fan_count"][()].max())
    if width > 0:
        assert (group["k"][()] == 2 ** np.arange(width)).all()
        assert group["ky_fan"][()].reshape(len(status), -1).shape[1] == width


def check_heads(entry, status):
    """by_head is the mean over the matrices that are ok, where they are of one source and scheme, and
    those of a head are a batch of one shape."""
    ok = status == 0
    mixed = any(len(set(entry[name][()][ok])) > 1 for name in ("source", "scheme", "content"))
    columns = np.stack([entry[name][()][ok] for name in ("layer", "head", "batch", "rows", "cols")])
    places = {tuple(c) for c in columns[:3].T}
    shapes = {tuple(c) for c in columns[[0, 1, 3, 4]].T}
    crowded = len(places) < ok.sum() or len(shapes) > len({place[:2] for place in places})
    assert ("by_head" in entry) == (ok.any() and not mixed and not crowded)
    if "by_head" not in entry:
        return
    group = entry["by_head"]
    layers, heads = group["layer"][()], group["head"][()]
    images = {key: entry["metrics/" + key][()]
              for key in ("spectral_norm", "previous_token_mass", "first_token_mass")}
    compared = "contraction" in entry and (entry["contraction/status"][()][ok] == 0).any()
    assert ("contraction_spectral_norm" in group) == compared
    if compared:
        images["contraction_spectral_norm"] = entry["contraction/spectral_norm"][()]
    for name, values in images.items():
        image = group[name][()].reshape(len(layers), len(heads))
        for i, layer in enumerate(layers):
            for j, head in enumerate(heads):
                here = (entry["layer"][()] == layer) & (entry["head"][()] == head) & ok
                here &= np.isfinite(values)
                expected = values[here].mean() if here.any() else np.nan
                assert np.allclose(image[i, j], expected, rtol=1e-12, equal_nan=True), (layer, head)


def check(path):
    with h5py.File(path, "r") as file:
        assert file.attrs["NX_class"] == "NXroot" and file.attrs["default"] == "entry"
        entry = file["entry"]
        images = {"images.h5": True, "plain.h5": True, "steps.h5": False, "shapes.h5": False}
        name = path.rpartition("/")[2]
        assert ("by_head" in entry) == images.get(name, "by_head" in entry), name
        assert entry.attrs["NX_class"] == "NXentry"
        assert entry[entry.attrs["default"]].attrs["NX_class"] == "NXdata"
        assert entry["provenance"].attrs["NX_class"] == "NXnote"
        assert entry["provenance/type"][()] == b"application/json"
        groups = []

        def visit(name, thing):
            check_attributes(name, thing)
            if isinstance(thing, h5py.Dataset):
                check_data(name, thing)
            elif thing.attrs["NX_class"] == "NXdata":
                groups.append(name)
                check_group(name, thing)

        file.visititems(visit)
        always = {"entry/ky_fan", "entry/metrics", "entry/singular_values",
                  "entry/toeplitz_profile"}
        sometimes = {"entry/by_head", "entry/baseline_singular_values", "entry/contraction",
                     "entry/eigenvalues", "entry/symmetric_eigenvalues"}
        assert always <= set(groups) <= always | sometimes, groups
        check_numbers(entry)


def check_all(paths, look):
    for path in paths:
        try:
            look(path)
        except (AssertionError, KeyError, ValueError) as error:
            print(f"{path}: {type(error).__name__}: {error}")
            raise


if __name__ == "__main__":
    check_all(sys.argv[1:], check)
