# The order of rows: layer.head with norms 3 (0.0), none (0.1), 0 (1.0), 1 (1.1), 3 (2.0), 1 (2.1).
. "$CASES/npy.inc"
npy heads.npy "(3, 2, 2, 2)" 3 0 0 1  1 inf 3 0  0 0 0 0  1 0 0 1  0 1 3 0  0 1 1 0
attnspec analyze -q --kind logits --axes layer,head,query,key heads.npy -o heads.h5 2>/dev/null
show()
{
    echo "$*:" $(attnspec report heads.h5 --format csv "$@" | cut -d, -f3,5 | sed '1d; s/,/./')
}
# What has no number comes last in either direction; equal ones stay in their order.
show --sort spectral_norm
show --sort spectral_norm:asc
show --sort -spectral_norm
show --sort spectral_norm:desc
show --sort=-layer
show --sort status
show --sort seed
show --top 2
show --top 2 --sort toeplitz_fraction
show --top 9 --where head=0
# One table, in the order of the key; a key without a column of its own gets one.
attnspec report heads.h5 --sort -spectral_norm --color=never | grep -v '^  Driver'
attnspec report heads.h5 --sort -nuclear_norm --top 2 | sed -n '3,8p'
attnspec report heads.h5 --sort seed --top 1 | sed -n '5,7p'
# Names stand in columns where they differ.
attnspec build -q --scheme rope --content mean --heads 2 --layers 2 --n 13 --head-dim 6 -o rope.h5
attnspec build -q --scheme alibi --content gaussian --heads 2 --n 13 --head-dim 6 -o alibi.h5
attnspec analyze -q rope.h5 alibi.h5 "$CASES/../../data/demo_logits_2x4x64x64_f32.npy" -o all.h5
attnspec report all.h5 --sort layer --where head=0 | sed -n '1,/^$/p; /^layer/,/^$/p'
# In every order of every kind nothing is wider than 80 columns, and the order is Python's.
command -v python3 >/dev/null || exit 77
cat >look.py <<'EOS'
import json, subprocess, sys
def report(*words, format="json"):
    return subprocess.run(["attnspec", "report", "all.h5", "--format", format, *words], check=True,
                          capture_output=True, text=True).stdout
rows = json.loads(report())["matrices"]
keys = [k for k in rows[0]["metrics"] if k not in ("reasons", "ky_fan_norms")]
keys += ["contraction." + k for k in ("spectral_norm", "nuclear_norm", "spread", "weakly_majorised")]
keys += ["source", "tensor", "scheme", "content", "kind", "mask", "dtype", "status"]
keys += ["layer", "batch", "head", "n", "rows", "cols", "seed"]
def value(row, key):
    if key.startswith("contraction."):
        return (row["contraction"] or {}).get(key[12:])
    return row[key] if key in row else row["metrics"][key]
for key in keys:
    there = [r for r in rows if value(r, key) not in (None, "")]
    lack = [r for r in rows if value(r, key) in (None, "")]
    for word, falls, top in (key, False, 99), ("-" + key, True, 5):
        order = sorted(there, key=lambda r: value(r, key), reverse=falls) + lack
        assert json.loads(report("--sort", word, "--top", str(top)))["matrices"] == order[:top], word
    wide = [line for line in report("--sort", key, format="text").split("\n") if len(line) > 80]
    assert not wide, wide
order = sorted(rows, key=lambda r: -r["metrics"]["spectral_norm"])[:3]
top = json.loads(report("--top", "3"))
assert top["matrices"] == order and top["counts"] == {"ok": 3, "skipped": 0, "failed": 0}
print(len(keys), "keys")
EOS
python3 look.py
attnspec report all.h5 --sort spectral_nrom 2>&1 | cut -c 1-110
attnspec report all.h5 --sort layer:up
echo $?
attnspec report all.h5 --sort=-layer:desc
echo $?
attnspec report all.h5 --top 0
echo $?
