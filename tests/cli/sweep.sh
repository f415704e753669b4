# Two schemes, two contents, two lengths, two seeds, two heads: every row is there, the means of the text
# and of the JSON are those of the CSV, and all numbers are those of build and analyze.
modules=h5py
. "$CASES/numpy.inc"
sweep()
{
    attnspec sweep --scheme rope --scheme 'alibi|rope' --content gaussian --content 'mean:strength=1|2' \
        --n 13,20 --head-dim 6 --heads 2 --seeds 2 --seed 3 "$@"
}
sweep -o o.h5
attnspec report o.h5 --format csv >all.csv
attnspec report o.h5 >all.txt
attnspec report o.h5 --format json >all.json
sed -n '1,/^$/p' all.txt
grep -c '^Content' all.txt
sweep | diff all.txt - && echo "the same without a file"
sweep -o one.h5 -j1 --deterministic -q
sweep -o three.h5 -j3 --deterministic -q
cmp one.h5 three.h5 && echo "the same on one thread and on three"

for scheme in rope alibi; do
    for content in gaussian mean mean:strength=2; do
        for n in 13 20; do
            for seed in 3 4; do
                attnspec build --scheme $scheme --content $content --n $n --head-dim 6 --heads 2 \
                    --seed $seed -q -o $scheme-$content-$n-$seed.h5
            done
        done
    done
done
attnspec analyze ./rope-*.h5 ./alibi-*.h5 -q -o built.h5
attnspec report built.h5 --format csv >built.csv
$python - <<'PYTHON'
import csv, itertools, json, re, statistics

def read(path):
    return list(csv.DictReader(open(path, newline="", encoding="utf-8")))

rows, built = read("all.csv"), read("built.csv")
key = lambda r: (r["scheme"], r["content"], r["rows"], r["seed"], r["head"])
expected = list(itertools.product(["rope", "alibi"], ["gaussian", "mean", "mean:strength=2"], ["13", "20"],
                                  ["3", "4"], ["0", "1"]))
print(len(rows), "rows, all in their order:", [key(r) for r in rows] == expected)
other = {key(r): r for r in built}
apart = {c for r in rows for c in r if r[c] != other[key(r)][c]}
print("other than those of build and analyze:", *sorted(apart))

text = open("all.txt", encoding="utf-8").read()
tables = dict(re.findall(r"(?ms)^Content (\S+, n = \d+):(.*?)\n\n(?=Content|Summary)", text.replace("\n  deviation", " deviation")))
cells = {(c["content"], c["n"], c["scheme"]): c for c in json.load(open("all.json"))["schemes"]}
checked = 0
for content, n, scheme in itertools.product(["gaussian", "mean", "mean:strength=2"], [13, 20], ["rope", "alibi"]):
    mine = [r for r in rows if (r["scheme"], r["content"], r["rows"]) == (scheme, content, str(n))]
    line = re.search(rf"(?m)^{scheme} .*", tables[f"{content}, n = {n}"])[0].split()
    cell = cells[content, n, scheme]
    for at, norm in enumerate(["spectral_norm", "frobenius_norm", "nuclear_norm"]):
        values = [float(r["contraction_" + norm]) for r in mine]
        mean, spread = statistics.mean(values), statistics.stdev(values)
        assert line[2 + at] == f"{mean:.3f}±{spread:.3f}", (line, mean, spread)
        found = cell["contraction_" + norm]
        assert abs(found["mean"] - mean) < 1e-12 and abs(found["deviation"] - spread) < 1e-12
        assert found["matrices"] == 4 and cell["guarantees"][norm] == "observed"
        checked += 1
    ranks = statistics.mean(float(r["matrix_rank"]) for r in mine)
    toeplitz = statistics.mean(float(r["toeplitz_fraction"]) for r in mine)
    assert float(line[6]) == ranks == cell["matrix_rank"]["mean"], (line, ranks)
    assert abs(float(line[7]) - toeplitz) < 6e-4 and abs(cell["toeplitz_fraction"]["mean"] - toeplitz) < 1e-12
    assert line[1] == {"rope": "mult.", "alibi": "add."}[scheme] and line[5] == "observed"
print(checked, "means checked")
PYTHON
