# A batch of three texts of 13, 9 and 11 tokens: padding on the right of the second, on the left of the
# third. It is found, said, and dropped; numbers against numpy.
/usr/bin/python3 -c 'import numpy' 2>/dev/null || exit 77
cat >make.py <<'PYTHON'
import numpy as np

rng = np.random.default_rng(5)
x = rng.standard_normal((3, 2, 13, 13))
x[:, :, np.triu(np.ones((13, 13), bool), 1)] = -np.inf
x[1, :, :, 9:] = x[2, :, :, :2] = -np.inf
np.save("logits.npy", x.astype("f4"))
with np.errstate(invalid="ignore"):
    w = np.exp(x - x.max(-1, keepdims=True))
w = np.nan_to_num(w / w.sum(-1, keepdims=True))  # rows of the padding see nothing
np.save("weights.npy", w)
np.save("sink.npy", np.full((1, 4, 4), 0.2))
np.save("dropout.npy", np.array([[[0.625, 0.625, 0, 0], [0, 1.25, 0, 0], [0.5, 0, 0.75, 0], [1.25, 0, 0, 0]]]))
np.save("marked.npy", np.where(np.isneginf(x), -100, x))
PYTHON
/usr/bin/python3 make.py
cat >check.py <<'PYTHON'
import json, sys, numpy as np
x = np.load(sys.argv[2]).astype(float)
x = np.where(np.isneginf(x) | (x == -100), 0, x)
for r in json.load(open(sys.argv[1]))["matrices"]:
    b = r["batch"]
    a = x[b, r["head"]][[slice(0, 13), slice(0, 9), slice(2, 13)][b]][:, [slice(0, 13), slice(0, 9), slice(2, 13)][b]]
    s = np.linalg.svd(a, compute_uv=False)
    print(b, r["n"], r["mask"], r["padding_left"], r["padding_right"], r["masked_rows"],
          len(s) == len(r["singular_values"]) and bool(np.abs(s - r["singular_values"]).max() < 1e-13 * s[0]))
PYTHON
for file in logits weights; do
    attnspec analyze $file.npy --axes batch,head,query,key --drop-padding -q -o $file.h5
    attnspec report $file.h5 --format json --values >$file.json
    /usr/bin/python3 check.py $file.json $file.npy
done
attnspec report logits.h5 | sed -n '/Masks/,/Driver/p'
attnspec info logits.npy
attnspec analyze marked.npy --axes batch,head,query,key --sentinel -100 --drop-padding -q -o marked.h5
attnspec report marked.h5 --format json --values >marked.json
/usr/bin/python3 check.py marked.json marked.npy
# Named, and what contradicts the name.
attnspec analyze weights.npy --axes batch,head,query,key --batch 1 --mask causal+padding:right=4 -q -o n.h5
attnspec report n.h5 --format csv | cut -d, -f4,5,13-16,28
attnspec analyze weights.npy --axes batch,head,query,key --batch 0 --heads 0 --mask padding:left=1 -o m.h5
echo $?
# A short text of which nothing is left does not stop the others; baselines lose the same padding.
/usr/bin/python3 -c 'import numpy as np
x = np.arange(1., 37).reshape(6, 6) % 7
np.savez("short.npz", layer_0=x, layer_1=x[:2, :2], layer_2=x)
np.save("whole.npy", x)
for name, key in (("last", 5), ("first", 0)):
    y = x.copy()
    y[:, key] = -np.inf
    np.save(name + ".npy", y)'
attnspec analyze short.npz --mask padding:right=2 --drop-padding -o short.h5
echo $?
attnspec report short.h5 --format csv | cut -d, -f3,9,10,28
for baseline in whole first last; do
    attnspec analyze last.npy --baseline $baseline.npy --drop-padding -o $baseline.h5
    echo $?
done
# Rows that do not sum to 1.
attnspec info sink.npy dropout.npy
attnspec analyze sink.npy dropout.npy --kind weights | grep -A2 'Rows of weights'
