# Every scheme of the table can be built at unround lengths: those for causal heads with a causal mask, a
# kernel of one's own with its file; what is for training says so. Its dump is analysed.
. "$CASES/numpy.inc"
attnspec schemes --json >schemes.json
$python - >names <<'EOF'
import json, numpy as np
for n in (13, 37):
    np.save(f"t{n}.npy", 1 / (1 + np.abs(np.arange(1 - n, n))))
print(*(s["name"] for s in json.load(open("schemes.json"))["schemes"]))
EOF
for n in 13 37; do
    for scheme in $(cat names); do
        text=$scheme
        [ $scheme = toeplitz ] && text=toeplitz:file=t$n.npy
        for mask in none causal; do
            attnspec build --scheme $text --n $n --head-dim 8 --heads 2 --mask $mask -o d.h5 --force -q 2>err
            code=$?
            if [ $code = 0 ]; then
                attnspec analyze d.h5 -q -o r.h5 --force || echo "$text: not analysed"
            else
                echo "$n $mask: $(sed 's/^attnspec build: //; s/;.*//' err)"
            fi
        done
    done
done
