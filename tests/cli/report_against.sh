# Two results compared. A: diag(3, 1), not finite, zero, identity; B: diag(2, 1), identity, zero, not finite.
. "$CASES/npy.inc"
npy a.npy "(4, 2, 2)" 3 0 0 1  1 inf 3 0  0 0 0 0  1 0 0 1
npy b.npy "(5, 2, 2)" 2 0 0 1  1 0 0 1  0 0 0 0  1 nan 0 1  1 0 0 1
attnspec analyze -q --kind logits a.npy -o a.h5 2>/dev/null
attnspec analyze -q --kind logits b.npy -o b.h5 2>/dev/null
attnspec report a.h5 --against b.h5 --values
attnspec report a.h5 --against b.h5 --format csv --where head=0-1,4 | tr -d '\r' |
    cut -d, -f4,9,14- | grep -e metric -e spectral_norm -e finite
attnspec report a.h5 --against b.h5 --format md --where head=0
attnspec report a.h5 --against b.h5 --sort -head --top 2 | sed -n '4,8p'
# A source counts only where rows cannot be told apart without it, and then the folder only if it must.
mkdir x y
cp a.npy x/same.npy
cp b.npy y/same.npy
cp a.npy x/other.npy
attnspec analyze -q --kind logits x/same.npy x/other.npy -o x.h5 2>/dev/null
attnspec analyze -q --kind logits y/same.npy -o y.h5 2>/dev/null
attnspec report x.h5 --against y.h5 --where head=0 --format csv | tr -d '\r' |
    cut -d, -f5,10,15- | grep -e spectral_norm
attnspec report x.h5 --against b.h5 --where head=0
echo $?
attnspec report b.h5 --against x.h5 --where head=0
echo $?
attnspec report x.h5 --against x.h5 --where head=0 | sed -n '4,8p'
mkdir z
cp a.npy z/same.npy
attnspec analyze -q --kind logits x/same.npy z/same.npy -o z.h5 2>/dev/null
attnspec report z.h5 --against y.h5 --where head=0
echo $?
attnspec report z.h5 --against z.h5 --where head=0 | sed -n '4,8p'
attnspec report z.h5 --top 2 --format md | sed -n '/^| source/,/^$/p'
# Nothing in common, no such file, and what does not go together.
attnspec build -q --scheme rope --content mean --heads 2 --layers 2 --n 13 --head-dim 6 -o rope.dump.h5
attnspec build -q --scheme alibi --content mean --heads 3 --layers 2 --n 13 --head-dim 6 -o alibi.dump.h5
attnspec analyze -q rope.dump.h5 -o rope.h5
attnspec analyze -q alibi.dump.h5 -o alibi.h5
attnspec analyze -q rope.dump.h5 alibi.dump.h5 -o both.h5
attnspec report rope.h5 --against a.h5
echo $?
attnspec report rope.h5 --against missing.h5
echo $?
attnspec report rope.h5 --against alibi.h5 --group layer
echo $?
for words in "rope.h5 --against alibi.h5 --values" "both.h5 --against both.h5" "rope.h5 --against both.h5"; do
    LC_ALL=C attnspec report $words | awk 'length > 80'
done
command -v python3 >/dev/null || exit 77
cat >look.py <<'EOS'
import json, math, subprocess
def report(*words):
    text = subprocess.run(["attnspec", "report", *words, "--format", "json", "--values"], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)
def value(row, key):
    if key.startswith("contraction."):
        return (row["contraction"] or {}).get(key[12:])
    return row["metrics"][key]
def quotient(b, a):
    return None if a is None or b is None or a == 0 else b / a
def close(x, y):
    return x is y is None or math.isclose(x, y, rel_tol=1e-14, abs_tol=1e-300)
def place(row):
    return row["tensor"], row["layer"], row["batch"], row["head"]
def check(a_file, b_file, with_scheme, words=()):
    key = lambda r, scheme: place(r) + ((scheme,) if with_scheme else ())
    a = {key(r, r["scheme"]): r for r in report(a_file)["matrices"]}
    b = {key(r, r["scheme"]): r for r in report(b_file)["matrices"]}
    d = report(a_file, "--against", b_file, *words)["against"]
    assert d["matched"] == len(a.keys() & b.keys()) == d["shown"] == len(d["pairs"])
    assert {key(r, r["scheme"]) for r in d["only_in_a"]} == a.keys() - b.keys()
    assert {key(r, r["scheme"]) for r in d["only_in_b"]} == b.keys() - a.keys()
    layers = {}
    for p in d["pairs"]:
        ra, rb = a[key(p, p["a"]["scheme"])], b[key(p, p["a"]["scheme"])]
        for name, number in p["metrics"].items():
            va, vb = value(ra, name), value(rb, name)
            assert (number["a"], number["b"]) == (va, vb)
            assert close(number["difference"], None if va is None or vb is None else vb - va)
            assert close(number["ratio"], quotient(vb, va))
            for where in p["layer"], None:
                layers.setdefault((where, name), []).append((va, vb, number["ratio"], place(p)))
        sa, sb = ra["singular_values"], rb["singular_values"]
        expected = None
        if sa and sb and sa[0] > 0:
            expected = max(abs(y - x) for x, y in zip(sa, sb)) / sa[0]
        assert close(p["spectrum_difference"], expected)
    means = [(None, d["summary"])] + [(l["layer"], l) for l in d["layers"]]
    for where, group in means:
        for name, m in group["metrics"].items():
            both = [x for x in layers[where, name] if x[0] is not None and x[1] is not None]
            ratios = [x[2] for x in both if x[2] is not None]
            assert m["count"] == len(both) and m["ratios"] == len(ratios)
            if both:
                ma, mb = (math.fsum(x[i] for x in both) / len(both) for i in (0, 1))
                assert math.isclose(m["mean_a"], ma, rel_tol=1e-13, abs_tol=1e-300)
                assert math.isclose(m["mean_b"], mb, rel_tol=1e-13, abs_tol=1e-300)
                assert (m["ratio_of_means"] is None) == (ma == 0)
                assert ma == 0 or math.isclose(m["ratio_of_means"], mb / ma, rel_tol=1e-13)
            if ratios:
                assert math.isclose(m["mean_ratio"], math.fsum(ratios) / len(ratios), rel_tol=1e-13)
                assert (m["min_ratio"], m["max_ratio"]) == (min(ratios), max(ratios))
    for name, change in d["largest_changes"].items():
        ratios = [x[2] for x in layers[None, name] if x[2] is not None]
        assert (change is None) == (not ratios)
        if ratios:
            sizes = [math.inf if r == 0 else abs(math.log(r)) for r in ratios]
            at = math.inf if change["ratio"] == 0 else abs(math.log(change["ratio"]))
            assert at == max(sizes)
    print(a_file, b_file, d["matched"], len(d["only_in_a"]), len(d["only_in_b"]), d["pairs"][0]["a"]["scheme"],
          d["pairs"][0]["b"]["scheme"])
check("a.h5", "b.h5", False)
check("rope.h5", "alibi.h5", False)
check("alibi.h5", "rope.h5", False, ("--sort", "-head"))
check("rope.h5", "both.h5", True)
check("both.h5", "both.h5", True)
EOS
python3 look.py
