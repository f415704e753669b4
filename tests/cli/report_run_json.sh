# Runs and comparisons as JSON fit docs/report.schema.json; means, intervals and verdicts are those of Python's.
. "$CASES/runs.inc"
for python in python3 /usr/bin/python3 none; do
    $python -c 'import jsonschema' 2>/dev/null && break
done
[ $python != none ] || exit 77
for file in *.h5 *.part; do
    attnspec report $file --format json >$file.json
    attnspec report $file --format json --values >$file.values.json
done
$python "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" ./*.json
# A run has no matrices, and stands alone.
sed 's/"matrices":\[\]/"matrices":[1]/' run_small.h5.json >no.json
$python "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" no.json 2>&1 | cut -c 1-40
$python - <<'PYTHON'
import json
from math import isclose

run = json.load(open("run_small.h5.values.json"))
print(list(run), len(run["run"]["history"]), list(run["run"]["history"][0]))
spectra, points = run["run"]["spectra"], {}
for p in spectra["points"]:
    points.setdefault((p["step"], p["layer"]), []).append(p)
assert len(points) == 16 == len(spectra["layers"])
for layer in spectra["layers"]:
    heads = points[layer["step"], layer["layer"]]
    assert layer["untouched"] == 1 and layer["compared"] == 3 and layer["heads"] == 4
    ratios = [p["spectral_ratio"] for p in heads if p["spectral_ratio"] != 1]
    assert layer["below_one"] == sum(r < 1 for r in ratios)
    assert (layer["spectral_ratio_min"], layer["spectral_ratio_max"]) == (min(ratios), max(ratios))
    for key in ("spectral_norm", "spectral_ratio", "stable_rank", "effective_rank", "alignment"):
        of = [p[key] for p in heads if p[key] is not None and not (key.endswith("ratio") and p[key] == 1)]
        assert isclose(layer[key], sum(of) / len(of), rel_tol=1e-12), key

# Wilson's ends are where the share is 1.96 standard deviations of theirs away.
r = run["run"]
for end in (r["accuracy_low"], r["accuracy_high"]):
    assert isclose(abs(r["accuracy"] - end), 1.959963984540054 * (end * (1 - end) / r["answers"]) ** 0.5, rel_tol=1e-9)
for layer in run["ablation"]["deposit"]:
    drops = [h["drop"] for h in run["ablation"]["heads"] if h["layer"] == layer["layer"]]
    assert layer["worst_drop"] == max(drops) == drops[layer["worst_head"]]
    assert isclose(layer["index"], max(drops) / sum(d for d in drops if d > 0))
print(sorted(json.load(open("run_small.h5.json"))["run"]["spectra"]["points"][0]))

whole = json.load(open("comparison_small.h5.json"))["comparison"]
for cell in whole["cells"]:
    of = [row["accuracy"] for row in whole["rows"]
          if (row["task"], row["scheme"]) == (cell["task"], cell["scheme"]) and row["accuracy"] is not None]
    assert cell["seeds"] == len(of)
    if of:
        assert isclose(cell["mean"], sum(of) / len(of)) and (cell["min"], cell["max"]) == (min(of), max(of))
        assert cell["low"] < cell["min"] and cell["high"] > cell["max"]
        # Wilson's upper end, below 2 points more than the plateau.
        upper = [(a + 1.9208 / 4096 + 1.96 * (a * (1 - a) / 4096 + 0.9604 / 4096**2) ** 0.5) / (1 + 3.8416 / 4096) for a in of]
        assert cell["fails"] == (len(of) > 1 and max(upper) < cell["plateau"] + 0.02)
        assert cell["at_plateau"] == sum(a - 1.96 * (a * (1 - a) / 4096) ** 0.5 < cell["plateau"] for a in of)
for row in whole["published"]:
    print(row["task"], row["scheme"], row["accuracy"], row["said"], row["measured_scheme"])
for claim in whole["claims"]:
    print(claim["claim"], "|", claim["verdict"])
PYTHON
