# The dump of a run is analysed as any other: layers × samples × heads, with the content as baseline; its q
# and k, coupled by the scheme that was trained, give its logits.
. "$CASES/numpy.inc"
. "$CASES/train.inc"
small="$small --batch 8 --steps 5 --layers 1 --heads 2 --dim 16 --probe 3 --spectra-every 0 -q"
for scheme in rope rope:rotary_heads=1 rope:base=30,layout=half xpos grape_m rope_mixed rope_axial mla alibi t5 nope sinusoidal; do
    attnspec train $small --scheme $scheme -o run.h5 --force
    attnspec analyze run.h5 -o rows.h5 --force -q
    attnspec report rows.h5 --format json --values >rows.json
    # Where position is in the embeddings, or a bias is trained, q and k do not say all of it.
    case $scheme in t5 | sinusoidal) ;; *)
        text=$scheme
        [ $scheme = mla ] && text=mla:qk_nope_head_dim=8,qk_rope_head_dim=8
        attnspec analyze --query run.h5:*query --key run.h5:*key --scheme $text -o pairs.h5 --force -q
        attnspec report pairs.h5 --format json --values >pairs.json
        ;;
    esac
    $python - $scheme <<'EOF'
import json, os, sys

rows = json.load(open("rows.json"))["matrices"]
assert [(r["layer"], r["batch"], r["head"]) for r in rows] == [(0, b, h) for b in range(3) for h in range(2)]
assert {r["tensor"] for r in rows} == {"dump/logits"} and {r["status"] for r in rows} == {"ok"}
same = "its q and k are not all of it"
if os.path.exists("pairs.json"):
    pairs = {(p["layer"], p["batch"], p["head"]): p for p in json.load(open("pairs.json"))["matrices"]}
    assert len(pairs) == len(rows)
    for r in rows:
        a, b = r["singular_values"], pairs[r["layer"], r["batch"], r["head"]]["singular_values"]
        assert len(a) == len(b) == 24
        # Single precision: 24 sums of 8 products, norms of some ten of them.
        assert max(abs(x - y) for x, y in zip(a, b)) < 2e-6 * a[0], (a, b)
    same = "the same from q and k"
    os.remove("pairs.json")
untouched = sum(r["contraction"]["spectral_norm"] == 1 for r in rows)
print(sys.argv[1], rows[0]["contraction"]["baseline"], rows[0]["scheme"], f"{untouched} of {len(rows)} untouched,", same)
EOF
done
