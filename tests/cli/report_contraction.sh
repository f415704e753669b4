# Two layers of two heads, n = 2, d = 2, one pair of dimensions that turns by 1 radian a position:
#   layer 0, head 0  q = (1, 0), k = (0, 1): content 0, so that no ratio is defined
#   layer 0, head 1  q = k = (1, 0): spectral ratio (1 + cos 1)/2 = 0.77015, nuclear ratio 1
#   layer 1, head 0  q = k = identity: coupled is [[1, sin 1], [sin 1, 1]]/√2, so that the spectral
#                    ratio is 1 + sin 1 = 1.8415, and the nuclear ratio 1
#   layer 1, head 1  zero: no ratio either
# Without position every ratio that is defined is 1, and that is guaranteed.
. "$CASES/npy.inc"
npy q.npy "(2, 2, 2, 2)" 1 0 1 0  1 0 1 0  1 0 0 1  0 0 0 0
npy k.npy "(2, 2, 2, 2)" 0 1 0 1  1 0 1 0  1 0 0 1  0 0 0 0
attnspec analyze -q --query q.npy --key k.npy --scheme rope --scheme nope -o heads.h5
echo $?
attnspec report heads.h5 --color=never | grep -v '^  Driver'
# Nothing is wider than 80 columns.
LC_ALL=C attnspec report heads.h5 --color=never | awk 'length > 80'
attnspec report heads.h5 --format csv --values | tr -d '\r' |
    awk -F, 'NR == 1 { print $(NF-2), $(NF-1), $NF }
        NR > 1 { count[$(NF-2)]++ } END { for (name in count) print name, count[name] }' | sort
command -v python3 >/dev/null || exit 77
attnspec report heads.h5 --format json --values >heads.json
attnspec report heads.h5 --format csv >heads.csv
cat >look.py <<'EOS'
import csv, json, math
def refuse(word):
    raise SystemExit(word + " is no JSON")
rows = json.load(open("heads.json"), parse_constant=refuse)["matrices"]
keys = ["baseline", "spectral_norm", "frobenius_norm", "nuclear_norm", "ky_fan", "spread",
        "condition", "majorisation_slack", "weakly_majorised", "factor_free", "reasons",
        "alignment", "guarantee", "guarantees"]
for r in rows:
    c = r["contraction"]
    assert list(c) == keys, list(c)
    for key, value in c.items():
        if key not in ("reasons", "alignment"):
            assert (value is None) == (key in c["reasons"]), key
    for which, norms in c["alignment"].items():
        for norm, value in norms.items():
            assert (value is None) == (f"alignment_{which}_{norm}" in c["reasons"]), (which, norm)
    assert c["guarantee"] == c["guarantees"]["spectral_norm"]
    assert list(c["guarantees"]) == keys[1:9]
    for key, word in c["guarantees"].items():
        assert (word == "undefined") == (c[key] is None), key
    assert r["symmetric_eigenvalues"] is None and len(r["baseline_singular_values"]) == 2
rope = {(r["layer"], r["head"]): r["contraction"] for r in rows if r["scheme"].startswith("rope")}
nope = {(r["layer"], r["head"]): r["contraction"] for r in rows if r["scheme"] == "nope"}
cos, sin = math.cos(1), math.sin(1)
one, eye = rope[0, 1], rope[1, 0]
for value, expected in [
    (one["spectral_norm"], (1 + cos) / 2), (one["nuclear_norm"], 1),
    (one["frobenius_norm"], math.sqrt(2 + 2 * cos * cos) / 2),
    (one["majorisation_slack"], 0), (one["ky_fan"][0], (1 + cos) / 2),
    (one["alignment"]["content"]["spectral"], 1),
    (one["alignment"]["coupled"]["spectral"], (1 + cos) / 2),
    (eye["spectral_norm"], 1 + sin), (eye["nuclear_norm"], 1),
    (eye["frobenius_norm"], math.sqrt(1 + sin * sin)), (eye["majorisation_slack"], sin / 2),
]:
    assert math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-15), (value, expected)
print(one["weakly_majorised"], eye["weakly_majorised"], one["guarantee"])
for place in (0, 0), (1, 1):
    print(rope[place]["spectral_norm"], rope[place]["ky_fan"], rope[place]["guarantee"],
          rope[place]["reasons"]["ky_fan"])
print([nope[p]["spectral_norm"] for p in sorted(nope)], [nope[p]["guarantee"] for p in sorted(nope)])
for r, line in zip(rows, csv.DictReader(open("heads.csv"))):
    c = r["contraction"]
    assert line["contraction_baseline"] == "content" and line["contraction_guarantee"] == c["guarantee"]
    for key in keys[1:4] + keys[5:9]:
        text = line["contraction_" + key]
        assert (text == "") == (c[key] is None) and (text == "" or float(text) == c[key]), key
EOS
python3 look.py
