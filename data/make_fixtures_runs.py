"""Makes the files of training runs and of a comparison: python3 data/make_fixtures_runs.py
Needs numpy and h5py 3; writes beside itself. Nothing was trained: the numbers are made up, so that every sentence of a
report has something to say."""
import json
import pathlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent
CONFIG = {
    "task": "distance:between=18,side=6", "scheme": "rope:rotary_heads=3", "preset": "tiny", "profile": "clean", "n": "24",
    "vocab": "64", "dim": "32", "heads": "4", "layers": "2", "ff": "64", "batch": "128", "steps": "350", "samples": "0",
    "test-samples": "4096", "seed": "7", "lr": "0.004", "sinusoids": "no",
}
SPECTRA = ("spectral_norm", "spectral_ratio", "frobenius_ratio", "nuclear_ratio", "stable_rank", "content_stable_rank",
           "effective_rank", "alignment", "content_alignment")


def texts(f, path, values):
    """A column of strings of one length, padded with NUL, in UTF-8."""
    values = [value.encode() for value in values]
    length = max([1] + [len(value) for value in values])
    dtype = h5py.string_dtype("utf-8", length)
    f.create_dataset(path, data=np.array(values, dtype=f"S{length}").astype(dtype), dtype=dtype, track_times=False)


def columns(f, group, table):
    for name, values in table.items():
        if isinstance(values[0], str):
            texts(f, f"{group}/{name}", values)
        else:
            f.create_dataset(f"{group}/{name}", data=values, track_times=False)


def origin(f, group, kind, finished, config):
    f["/"].attrs["default"] = group
    g = f.create_group(group)
    g.attrs["format"] = kind
    g.attrs["format_version"] = np.int64(1)
    g.attrs["finished"] = np.int64(finished)
    c = g.create_group("config")
    for name, value in config.items():
        c.attrs[name] = value
    texts(f, f"{group}/config/names", list(config))
    note = json.dumps({"program": "attnspec", "tool": "none: made by hand"}).encode()
    f.create_dataset(f"{group}/provenance/data", data=np.bytes_(note), track_times=False)
    return g


def history(steps, learns):
    """A logistic rise, with a ripple that no random number makes; the test set at every seventh point."""
    step = np.arange(7, steps + 1, 7)
    rise = 1 / (1 + np.exp((150 - step) / 30)) if learns else np.full(len(step), 0.02)
    rise = rise + 0.01 * np.sin(step)
    tested = np.where(step % 35 == 0, 1, np.nan)
    return {
        "step": step.astype("i8"), "loss": 2.9 - 2.6 * rise, "accuracy": 0.05 + 0.87 * rise,
        "rate": 4e-3 * (1 - step / 350), "gradient_norm": 1 / (1 + step / 50),
        "test_loss": (2.92 - 2.6 * rise) * tested, "test_accuracy": (0.04 + 0.87 * rise) * tested,
    }


def spectra(f, taken, learns):
    """[layer][head][step]. The last head of rope:rotary_heads=3 is not rotated: its ratios are 1, it has no alignment."""
    layer, head, step = np.meshgrid(np.arange(2), np.arange(4), np.arange(len(taken)), indexing="ij")
    fall = 1.053 - 0.06 * step + 0.02 * head + 0.05 * layer
    rotated = np.where((head < 3) & learns, 1, np.nan)
    ratio = np.where(np.isnan(rotated), 1, fall)
    values = (10 + step + 2 * head + layer, ratio, 0.9 * ratio + 0.1, 0.5 * ratio + 0.5, 1.5 + 0.1 * step + 0.02 * head,
              1.5 + 0.05 * step + 0.02 * head, 8 + 0.5 * step + 0.1 * head, (0.6 - 0.03 * step + 0.01 * head) * rotated,
              (0.7 - 0.01 * step + 0.01 * head) * rotated)
    for name, value in zip(SPECTRA, values):
        columns(f, f"run/spectra/{name}", {name: value.astype("f8"), "step": np.array(taken, "i8")})


def ablation(f, answers):
    """Of b answers that were right only with the head and c only without it: the drop and its interval (maths.md, T20)."""
    f.create_group("run/ablation").attrs["answers"] = np.int64(answers)
    f["run/ablation"].attrs["baseline"] = 0.9264
    with_only = np.array([25, 2530, 20, 9, 30, 12, 215, 31], "f8")
    without_only = np.array([24, 13, 20, 30, 22, 9, 10, 4], "f8")

    def drops(b, c):
        drop = (b - c) / answers
        half = 1.959963984540054 * np.sqrt(b + c - (b - c) ** 2 / answers) / answers
        return drop, drop - half, drop + half

    drop, low, high = drops(with_only, without_only)
    mean_drop, mean_low, mean_high = drops(with_only // 2, without_only)
    mean_drop[7] = mean_low[7] = mean_high[7] = np.nan
    columns(f, "run/ablation", {
        "layer": np.repeat([0, 1], 4), "head": np.tile(np.arange(4), 2), "accuracy": 0.9264 - drop, "drop": drop,
        "low": low, "high": high, "mean_accuracy": 0.9264 - mean_drop, "mean_drop": mean_drop, "mean_low": mean_low,
        "mean_high": mean_high,
    })
    layers = drop.reshape(2, 4)
    ordered = np.sort(layers, axis=1)
    columns(f, "run/ablation/deposit", {
        "layer": np.arange(2), "index": ordered[:, 3] / np.where(layers > 0, layers, 0).sum(axis=1),
        "worst_head": layers.argmax(axis=1), "worst_drop": ordered[:, 3], "second_drop": ordered[:, 2],
        "mean_index": np.array([0.98, np.nan]),
    })


def run(name, steps, accuracy, learns=True, ablated=False, taken=(), speed=None, **config):
    """A checkpoint where the accuracy is None."""
    with h5py.File(HERE / name, "w", libver=("earliest", "v108")) as f:
        config = {**CONFIG, **config}
        g = origin(f, "run", "attnspec-run", accuracy is not None, config)
        for key in ("task", "scheme", "preset"):
            g.attrs[key] = config[key]
        g.attrs["seed"] = np.int64(config["seed"])
        g.attrs["steps"] = np.int64(steps)
        g.attrs["answers"] = np.int64(4096)
        g.attrs["plateau"] = 0.1104
        if accuracy is not None:  # the checkpoint is as one was that did not say it yet
            g.attrs["plateau_of"] = "from the length of the sentence alone"
        if accuracy is not None:
            g.attrs["accuracy"] = accuracy
            g.attrs["loss"] = 0.25 if learns else 2.85
        if speed is not None:
            g.attrs["samples_per_second"] = speed
        texts(f, "run/tensors", ["head.bias"])
        f.create_dataset("run/weights/head.bias", data=np.arange(5, dtype="f4"), track_times=False)
        columns(f, "run/history", history(steps, learns))
        if taken:
            spectra(f, taken, learns)
        if ablated:
            ablation(f, 4096)


# Accuracies of three seeds, or of one.
TRIALS = {
    "distance:between=18,side=6": {
        "nope": (0.107, 0.110, 0.112), "sinusoidal": (0.88, 0.90, 0.93), "alibi": (0.30, 0.31, 0.33),
        "alibi:slopes=gu2025": (0.1, 0.11, 0.35), "rope": (0.95, 0.97, 0.98), "rope:rotary_heads=1": (0.85, 0.88, 0.90),
        "mla": (0.90, 0.94, 0.96), "t5": (0.99,),
    },
    "count": {
        "nope": (0.71, 0.72, 0.73), "sinusoidal": (0.60, 0.62, 0.64), "alibi:slopes=gu2025": (0.80, 0.81, 0.82),
        "rope": (0.66, 0.69, 0.715), "t5": (np.nan,),
    },
    "copy": {"rope": (0.9,), "t5": (0.95,)},
}
PLATEAUS = {"distance:between=18,side=6": 0.1104, "count": 0.25, "copy": 0.125}


def comparison(name, finished, tasks, **config):
    shared = {key: value for key, value in CONFIG.items() if key not in ("task", "scheme", "seed")}
    rows = [(task, scheme, seed, accuracy) for task in tasks for scheme, seeds in TRIALS[task].items()
            for seed, accuracy in enumerate(seeds)]
    with h5py.File(HERE / name, "w", libver=("earliest", "v108")) as f:
        origin(f, "comparison", "attnspec-comparison", finished, {**shared, **config})
        columns(f, "comparison/trials", {
            "task": [row[0] for row in rows], "scheme": [row[1] for row in rows],
            "seed": np.array([row[2] for row in rows], "i8"), "steps": np.full(len(rows), 350, "i8"),
            "accuracy": np.array([row[3] for row in rows]), "loss": np.array([1 - row[3] for row in rows]),
            "plateau": np.array([PLATEAUS[row[0]] for row in rows]), "samples_per_second": np.full(len(rows), np.nan),
        })


if __name__ == "__main__":
    run("run_small.h5", 350, 0.9264, ablated=True, taken=(7, 56, 105, 154, 203, 252, 301, 350), speed=12345.6)
    run("run_nope.h5", 350, 0.1057, learns=False, taken=(7, 350), scheme="nope")
    run("run_part.h5", 120, None, taken=(7,))
    comparison("comparison_small.h5", 1, list(TRIALS))
    comparison("comparison_part.h5", 0, ["copy"], layers="6", heads="16", dim="256", n="128", sinusoids="yes")
