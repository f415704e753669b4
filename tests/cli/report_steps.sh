# Files that are steps of a training run: a table of means a step, the head that changed most, and
# --group step in every format; numbers against numpy.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np, os
rng = np.random.default_rng(2)
x = rng.standard_normal((2, 2, 12, 12))
u = rng.standard_normal((12, 1))
for step in (0, 500, 1000, 10000):
    y = x.copy()
    y[1, 0] = x[1, 0] + step / 500 * (u @ u.T)  # one head becomes low rank
    os.makedirs(f"run/checkpoint-{step}")
    np.save(f"run/checkpoint-{step}/attn.npy", y)
np.save("run/other.npy", x)
EOF
attnspec analyze run -q -o steps.h5
attnspec report steps.h5 | sed -n '/^Steps/,/^$/p'
attnspec report steps.h5 --format md | sed -n '/^### Steps/,/^###* Su/p' | head -12
attnspec report steps.h5 --group step --format csv | tr -d '\r' | grep -E '^step|spectral_norm|effective_rank,' | awk -F, -v OFS=, 'NR > 1 { for (i = 4; i <= 6; i++) $i = sprintf("%.6g", $i) } { print $1, $2, $3, $4, $5, $6 }'
attnspec report steps.h5 --format csv >all.csv
$python - <<'EOF'
import csv, re
rows = list(csv.DictReader(open("all.csv")))
for step in (0, 500, 1000, 10000):
    of = [float(r["spectral_norm"]) for r in rows if f"checkpoint-{step}/" in r["source"]]
    print(step, len(of), "%.6g" % (sum(of) / len(of)))
EOF
# A number that is no step's, and a single step, make no table.
mkdir one && cp run/checkpoint-500/attn.npy one/epoch3.npy && cp run/other.npy one/stepladder7b.npy
attnspec analyze one -q -o one.h5
attnspec report one.h5 | grep -c '^Steps'
# The step is a key: of the groups' order, of rows and of conditions, and what has none fulfils none.
attnspec report steps.h5 --group step --sort -step --format csv | tr -d '\r' | grep -o '^[0-9]*,spectral_norm'
attnspec report steps.h5 --sort -step --where 'step>=500,step!=1000' --format csv | sed 1d | cut -d/ -f2 | uniq
attnspec report steps.h5 --where step=0,10000 --format csv | sed 1d | cut -d/ -f2 | uniq
attnspec report steps.h5 --where step=null --format csv | sed 1d | cut -d, -f1 | uniq
# Files without steps are called so.
attnspec report steps.h5 --group step | tail -2
attnspec report steps.h5 --group step --where 'source=*other*'
echo $?
