# No line of a text report is wider than 80 characters, whatever columns the table has, and every table
# has a heading over its spectrum.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
g = np.random.default_rng(0)
def softmax(x):
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)
logits = g.normal(size=(2, 3, 2, 20, 20))                 # layer, batch, head, query, key
np.save("logits.npy", logits)
np.save("weights.npy", softmax(logits))
np.save("heads.npy", softmax(logits[0, 0]))
np.save("wide.npy", g.normal(size=(2, 10, 100000)))       # a shape of nine characters
np.save("wide_weights.npy", softmax(g.normal(size=(1, 2, 1, 10, 100000))))
broken = g.normal(size=(12, 12, 4, 4))
broken[11, 11, 2, 1] = np.inf
np.save("broken.npy", broken)
np.save("q.npy", 1e5 * logits[..., :8])
np.save("k.npy", 1e5 * logits[..., 8:16])
EOF
widths()
{
    echo "$@"
    attnspec analyze "$@" --color=never >text 2>/dev/null
    attnspec analyze "$@" -o o.h5 --force -q 2>/dev/null
    attnspec report o.h5 --values --color=never >values
    $python - <<'EOF'
for name in "text", "values":
    heads = 0
    for line in open(name, encoding="utf-8"):
        if len(line) > 81:
            print(len(line) - 1, line, end="")
        heads += line.startswith("layer ") and line.endswith((" spectrum\n", " spectra\n", " bars\n"))
    print(name, heads)
EOF
}
widths logits.npy
widths logits.npy --masked-as softmax --mask causal
widths logits.npy --spectra singular,symmetric,eigen
widths weights.npy
widths heads.npy
widths heads.npy --grid 4x4
widths wide.npy wide_weights.npy
widths broken.npy
for batch in 0 0-; do
    for masked_as in zero softmax; do
        widths --query q.npy --key k.npy --scheme rope --mask causal --batch $batch --masked-as $masked_as
    done
done
