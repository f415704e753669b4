# What the table of all schemes is for: the one that a theorem is about, and what it is not about. Norms of
# independent Gaussian rows do not change under a rotation but for chance; those of a common mean do.
modules=h5py
. "$CASES/numpy.inc"
attnspec sweep --scheme all --content gaussian --content mean --n 128 --heads 8 --seeds 3 -q -o o.h5
attnspec report o.h5 --format json >all.json
attnspec report o.h5 | sed -n 's/^\(rope_hadamard \).* \(guaranteed\) .*/\1\2/p'
LC_ALL=C attnspec report o.h5 | awk 'length > 80; /rope_hadamard .*[+]-/ { print "in ASCII too" }'
$python - <<'PYTHON'
import json
report = json.load(open("all.json"))
cell = {(c["content"], c["scheme"]): c for c in report["schemes"]}
rows = [r for r in report["matrices"] if r["scheme"] == "rope_hadamard"]
print(len(rows), all(k <= 1 + 1e-12 for r in rows for k in r["contraction"]["ky_fan"]),
      all(cell[c, "rope_hadamard"]["weakly_majorised"] == 24 for c in ("gaussian", "mean")),
      all(set(cell[c, "rope_hadamard"]["guarantees"].values()) == {"guaranteed"} for c in ("gaussian", "mean")))
for content in ("gaussian", "mean"):
    print(content, [round(cell[content, "rope"][f"contraction_{k}_norm"]["mean"], 1) for k in ("spectral", "frobenius")],
          cell[content, "rope"]["guarantees"]["spectral_norm"])
# Schemes that add nothing but a function of the distance: of the eight slopes most outweigh the content.
toeplitz = {s: cell["gaussian", s]["toeplitz_fraction"]["mean"] for s in ("nope", "sinusoidal", "learned", "t5", "rope", "mla")}
print(cell["gaussian", "alibi"]["toeplitz_fraction"]["mean"] > 0.5 > 3 * max(toeplitz.values()))
PYTHON
