# Means over the matrices of a layer, head, source or scheme. Norms by layer and head:
# 3, none (not finite); 0, 1; 3, 1.
. "$CASES/npy.inc"
npy heads.npy "(3, 2, 2, 2)" 3 0 0 1  1 inf 3 0  0 0 0 0  1 0 0 1  0 1 3 0  0 1 1 0
attnspec analyze -q --kind logits --axes layer,head,query,key heads.npy -o heads.h5 2>/dev/null
attnspec report heads.h5 --group layer
attnspec report heads.h5 --group head --format csv | tr -d '\r' | grep -e mean -e norm
show()
{
    echo "$*:" $(attnspec report heads.h5 --format csv "$@" | sed -n '/spectral_norm/s/,.*//p')
}
show --group layer --sort -spectral_norm
show --group layer --sort spectral_norm --top 1
show --group layer --top 2
show --group layer --sort layer:desc
show --group scheme
show --group source --sort -source
# What is refused; what has no group.
attnspec report heads.h5 --group layer --sort head
echo $?
attnspec report heads.h5 --group layer --values
echo $?
attnspec report heads.h5 --group layer --where 'status!=ok'
echo $?
command -v python3 >/dev/null || exit 77
attnspec build -q --scheme rope --content mean --heads 3 --layers 2 --n 13 --head-dim 6 -o rope.h5
attnspec build -q --scheme alibi --content mean --heads 3 --layers 2 --n 13 --head-dim 6 -o alibi.h5
attnspec analyze -q rope.h5 alibi.h5 heads.npy --kind logits -o all.h5 2>/dev/null
for by in layer head scheme source; do
    LC_ALL=C attnspec report all.h5 --group $by | awk 'length > 80'
done
cat >look.py <<'EOS'
import csv, io, json, math, subprocess
def report(*words):
    return subprocess.run(["attnspec", "report", "all.h5", *words], check=True, capture_output=True,
                          text=True).stdout
whole = json.loads(report("--format", "json"))
rows = [r for r in whole["matrices"] if r["status"] == "ok"]
def value(row, key):
    if key.startswith("contraction."):
        return (row["contraction"] or {}).get(key[12:])
    return row["metrics"][key]
numbers = 0
for by in "layer", "head", "scheme", "source":
    d = json.loads(report("--format", "json", "--group", by))
    assert d["group_by"] == by and d["counts"] == whole["counts"]
    expected = list(dict.fromkeys(r[by] for r in rows))
    if by in ("layer", "head"):
        expected.sort()
    assert [g[by] for g in d["groups"]] == expected
    table = {(r[by], r["metric"]): r for r in csv.DictReader(io.StringIO(report("--format", "csv", "--group", by)))}
    for g in d["groups"]:
        inside = [r for r in rows if r[by] == g[by]]
        assert g["count"] == len(inside)
        for key, s in g["metrics"].items():
            v = [value(r, key) for r in inside if value(r, key) is not None]
            line = table.get((str(g[by] if g[by] is not None else ""), key))
            assert s["count"] == len(v)
            if not v:
                assert (s["mean"], s["min"], s["max"]) == (None, None, None)
                assert line is None or line["mean"] == line["min"] == line["max"] == ""
                continue
            assert math.isclose(s["mean"], math.fsum(v) / len(v), rel_tol=1e-14)
            assert (s["min"], s["max"]) == (min(v), max(v))
            assert [float(line[k]) for k in ("count", "mean", "min", "max")] == list(s.values())
            numbers += 1
print(numbers, "means")
EOS
python3 look.py
