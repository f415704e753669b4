# Heads that are removed: into the run file, of which nothing else changes, or into a copy; drops, intervals
# and deposit indices are those of their definitions.
modules=h5py
. "$CASES/numpy.inc"
. "$CASES/train.inc"
for validator in python3 /usr/bin/python3 none; do
    $validator -c 'import jsonschema' 2>/dev/null && break
done
[ $validator != none ] || exit 77
# Long enough that some head is worth something.
attnspec train $small --batch 32 --steps 60 --task copy --layers 2 --heads 2 --dim 16 --test-samples 48 -o run.h5 -q
cp run.h5 before.h5
attnspec ablate run.h5 >printed.txt
echo $?
attnspec report run.h5 | cmp - printed.txt && echo "the report"
attnspec ablate before.h5 -o copy.h5 -q >/dev/null
cmp copy.h5 run.h5 && echo "the same as a copy"
attnspec ablate run.h5 -q >/dev/null
cmp copy.h5 run.h5 && echo "the same again"
$python "$CASES/../check_run_h5.py" run.h5
attnspec report run.h5 --format json >run.json
attnspec report before.h5 --format json | grep -o '"ablation":[a-z]*'
$validator "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" run.json
$python - <<'EOF'
import json, math
import h5py, numpy as np

def contents(path):
    found = {}
    def take(name, x):
        if "ablation" not in name:
            value = x[()] if isinstance(x, h5py.Dataset) else None
            found[name] = (value.tobytes() if isinstance(value, np.ndarray) else value,
                           {k: np.asarray(v).tolist() for k, v in x.attrs.items()})
    with h5py.File(path) as file:
        file.visititems(take)
    return found

before, after = contents("before.h5"), contents("run.h5")
assert before == after and any("weights" in name for name in before) and "dump/logits" in before
print(len(before), "objects are as they were")

report = json.load(open("run.json"))
a, run = report["ablation"], report["run"]
assert a["answers"] == run["answers"] == 48 * 11 and a["baseline"] == run["accuracy"]
N = a["answers"]
assert [(h["layer"], h["head"]) for h in a["heads"]] == [(l, h) for l in range(2) for h in range(2)]
some = 0
for head in a["heads"]:
    for way in ("", "mean_"):
        drop, low, high = (head[way + key] for key in ("drop", "low", "high"))
        assert math.isclose(drop, a["baseline"] - head[way + "accuracy"], abs_tol=1e-12)
        # Bonett and Price: d ± 1.96 √(((b + c + 2)/(N + 2) − d²)/(N + 2)), d = (b − c)/(N + 2); b, c counts.
        d = drop * N / (N + 2)
        assert math.isclose(d - low, high - d, abs_tol=1e-12) or high == 1 or low == -1
        half = max(high - d, d - low) / 1.959963984540054
        both = (half**2 * (N + 2) + d**2) * (N + 2) - 2
        b, c = (both + drop * N) / 2, (both - drop * N) / 2
        assert abs(b - round(b)) < 1e-6 and abs(c - round(c)) < 1e-6 and min(round(b), round(c)) >= 0, (b, c)
        some += b + c > 0.5
assert some > 0, "no head is worth anything: train longer"
for layer in a["deposit"]:
    for way, index in (("", "index"), ("mean_", "mean_index")):
        drops = [h[way + "drop"] for h in a["heads"] if h["layer"] == layer["layer"]]
        positive = sum(d for d in drops if d > 0)
        assert layer[index] is None if positive == 0 else math.isclose(layer[index], max(drops) / positive)
        if way == "":
            assert layer["worst_drop"] == max(drops) == drops[layer["worst_head"]]
            assert layer["second_drop"] == sorted(drops)[-2]
EOF
# Another test set; -j changes nothing.
attnspec ablate run.h5 --test-samples 20 -j 1 -o few.h5 -q >/dev/null
attnspec ablate run.h5 --test-samples 20 -j 3 -o again.h5 -q >/dev/null
cmp few.h5 again.h5
attnspec report few.h5 --format json | grep -o '"ablation":{[^[]*' | sed 's/line":[0-9.]*/line":B/'
attnspec report few.h5 | grep -o 'of [0-9]* answers are'
# The analysis takes no notice.
attnspec analyze before.h5 -q -o b.h5
attnspec analyze run.h5 -q -o a.h5
attnspec report b.h5 --format csv >b.csv
attnspec report a.h5 --format csv | sed 's/^run.h5/before.h5/' | cmp - b.csv && wc -l <b.csv
