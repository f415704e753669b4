# Every row has every key, null where there is no number, and the reason's code beside it.
command -v python3 >/dev/null || exit 77
. "$CASES/npy.inc"
npy heads.npy "(3, 2, 2)" 3 0 0 1 1 inf 3 0 0 0 0 0
attnspec analyze -q --kind logits heads.npy -o heads.h5 2>/dev/null
attnspec report heads.h5 --format json --spectra >heads.json
cat >look.py <<'EOF'
import json, math
def refuse(word):
    raise SystemExit(word + " is no JSON")
d = json.load(open("heads.json"), parse_constant=refuse)
print(d["schema"], d["schema_version"], d["counts"], d["provenance"]["tool"])
rows = d["matrices"]
assert all(r.keys() == rows[0].keys() for r in rows)
assert all(r["metrics"].keys() == rows[0]["metrics"].keys() for r in rows)
print(" ".join(rows[0]))
print([round(x, 12) for x in rows[0]["singular_values"]], rows[1]["singular_values"])
m = rows[0]["metrics"]
p = [0.75, 0.25]
q = [0.9, 0.1]
for key, value in {
    "spectral_norm": 3, "nuclear_norm": 4, "frobenius_norm": math.sqrt(10),
    "stable_rank": 10 / 9, "nuclear_rank": 4 / 3, "matrix_rank": 2, "condition_number": 3,
    "effective_rank": math.exp(-sum(x * math.log(x) for x in p)),
    "effective_rank_lambda": math.exp(-sum(x * math.log(x) for x in q)),
    "participation_ratio": 100 / 82, "spectral_gap": 2, "spectral_gap_ratio": 1 / 3,
}.items():
    if not math.isclose(m[key], value, rel_tol=1e-14):
        print(key, m[key], "expected", value)
print([round(x, 12) for x in m["ky_fan_norms"]], m["attention_entropy"], m["reasons"]["attention_entropy"])
print(rows[1]["status"], rows[1]["reason"], rows[1]["metrics"]["reasons"]["spectral_norm"])
for r in rows:
    for key, value in r["metrics"].items():
        if key != "reasons":
            assert (value is None) == (key in r["metrics"]["reasons"]), key
EOF
python3 look.py
