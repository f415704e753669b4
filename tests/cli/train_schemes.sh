# Every scheme of the table is trained, analysed, reported and ablated, or says why not.
. "$CASES/numpy.inc"
. "$CASES/train.inc"
attnspec schemes --json | $python -c '
import json, sys
print(*(s["name"] for s in json.load(sys.stdin)["schemes"]))' >names
for scheme in $(cat names); do
    attnspec train --batch 8 --steps 3 --test-samples 24 --layers 1 --n 13 --task distance:between=6 --dim 16 \
        --heads 2 --deterministic --scheme $scheme -o run.h5 --force -q 2>err
    code=$?
    if [ $code != 0 ]; then
        echo "$scheme: $code, $(sed 's/.*is not for training: //; s/\..*//' err)"
        continue
    fi
    attnspec analyze run.h5 -q -o rows.h5 --force || echo "$scheme: not analysed"
    attnspec ablate run.h5 -q >ablated.txt || echo "$scheme: not ablated"
    attnspec report run.h5 | cmp - ablated.txt
    attnspec report run.h5 --format json | $python -c '
import json, sys
report = json.load(sys.stdin)
heads = report["ablation"]["heads"]
print(report["run"]["scheme"], len(report["run"]["history"]), "points", len(heads), "heads")'
done
