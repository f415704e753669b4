# A run: its file, what report says of it, and the same without a file. What depends on the machine's
# arithmetic is checked, not printed.
modules=h5py
. "$CASES/numpy.inc"
. "$CASES/train.inc"
for validator in python3 /usr/bin/python3 none; do
    $validator -c 'import jsonschema' 2>/dev/null && break
done
[ $validator != none ] || exit 77
attnspec train --batch 16 --steps 20 --test-samples 64 --scheme rope:base=100 --seed 7 -o run.h5 2>err
echo $?
unmeasured <err
ls -A
$python "$CASES/../check_run_h5.py" run.h5
attnspec report run.h5 --format json --values >run.json
$validator "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" run.json
attnspec train --batch 16 --steps 20 --test-samples 64 --scheme rope:base=100 --seed 7 >printed.txt
echo $?
attnspec report run.h5 >report.txt
# The rate is that of the clock, and there is no file that could be ablated.
diff report.txt printed.txt | sed 's/[0-9]* samples/N samples/'
ls -A
attnspec info run.h5 | sed '/^  provenance/d; s/  [ -][0-9.]*  *[0-9.]*$//'
# Settings in one spelling, also those that say how it was looked at.
$python - <<'EOF'
import json, math
import h5py, numpy as np

file = h5py.File("run.h5")
found = {}
file.visititems(lambda name, x: found.update({name: x.shape}) if isinstance(x, h5py.Dataset) else None)
for name in sorted(found):
    if not name.startswith(("run/spectra/", "run/ablation")) or name.count("/") == 3 and "ratio/spectral_ratio" in name:
        print(name, *found[name])
print(*(f"{name}={file['run/config'].attrs[name]}" for name in file["run/config/names"].asstr()[()]))
assert not any("moment" in name for name in found)

report = json.load(open("run.json"))
run = report["run"]
for key in ("task", "scheme", "preset", "profile", "seed", "steps", "finished", "answers"):
    print(key, run[key])
assert 0 <= run["accuracy_low"] <= run["accuracy"] <= run["accuracy_high"] <= 1
assert run["loss"] > 0 and run["samples_per_second"] > 0 and 0 < run["plateau"] < 1
# Twenty steps are one point each; tests and spectra where they are due.
history = run["history"]
assert [p["step"] for p in history] == list(range(1, 21))
assert [p["step"] for p in history if p["test_loss"] is not None] == [5, 10, 15, 20]
assert history[-1]["test_accuracy"] == run["accuracy"] and history[-1]["test_loss"] == run["loss"]
assert all(p["loss"] > 0 and p["gradient_norm"] > 0 and p["accuracy"] * 16 % 1 == 0 for p in history)
# Warm-up over 0.06·20 steps, then half a cosine to 0.
for p in history:
    w, s = 0.06 * 20, p["step"]
    rate = 4e-3 * (s / w if s <= w else (1 + math.cos(math.pi * (s - w) / (20 - w))) / 2)
    assert math.isclose(p["rate"], rate, rel_tol=1e-12, abs_tol=1e-18), p
points = run["spectra"]["points"]
assert sorted({p["step"] for p in points}) == list(range(0, 21, 2)) and len(points) == 11 * 2 * 4
assert {(p["layer"], p["head"]) for p in points} == {(l, h) for l in range(2) for h in range(4)}
assert report["ablation"] is None and report["matrices"] == []
# The loss at the beginning is about that of who guesses among 13 answers.
assert abs(history[0]["loss"] - math.log(13)) < 1
# The spectra of the last step are those of the dump.
dump = {name: file["dump"][name][()] for name in ("logits", "content", "query", "key")}
norm = np.linalg.svd(dump["logits"], compute_uv=False)[..., 0].mean(axis=1)
last = file["run/spectra/spectral_norm/spectral_norm"][:, :, -1]
assert np.allclose(norm, last, rtol=1e-12), (norm, last)
content = np.einsum("lbhid,lbhjd->lbhij", dump["query"], dump["key"]) * file["dump"].attrs["scale"]
assert np.allclose(content, dump["content"], rtol=1e-5, atol=1e-6)
EOF
