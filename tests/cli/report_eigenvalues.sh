# diag(3, 1): eigenvalues 3 and 1. A rotation by 90 degrees: i and -i, and a symmetric part of zero.
# A shift: both 0, though its norm is 1, and its symmetric part has 1/2 and -1/2.
. "$CASES/npy.inc"
npy heads.npy "(3, 2, 2)" 3 0 0 1  0 -1 1 0  0 1 0 0
attnspec analyze -q --kind logits --mask none heads.npy --spectra singular,symmetric,eigen -o heads.h5
echo $?
attnspec report heads.h5 --color=never | sed -n '/Most driven/,/Masks/p'
attnspec report heads.h5 --values | sed -n '/^    0    1/,/^    0    2/p'
attnspec report heads.h5 --format csv --values | tr -d '\r' |
    awk -F, '{ print $5, $(NF-2), $(NF-1), $NF + 0 }' | sed '1d' | sort
command -v python3 >/dev/null || exit 77
attnspec report heads.h5 --format json --values >heads.json
attnspec analyze -q --kind logits heads.npy -o plain.h5
attnspec report plain.h5 --format json --values >plain.json
cat >look.py <<'EOS'
import json
for r in json.load(open("heads.json"))["matrices"]:
    print(r["head"], [[round(x, 12) + 0.0 for x in pair] for pair in r["eigenvalues"]],
          [round(x, 12) + 0.0 for x in r["symmetric_eigenvalues"]],
          round(r["metrics"]["nonnormality"], 12), r["contraction"])
for r in json.load(open("plain.json"))["matrices"]:
    print(r["head"], r["eigenvalues"], r["symmetric_eigenvalues"], r["baseline_singular_values"])
EOS
python3 look.py
