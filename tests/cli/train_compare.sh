# Schemes side by side: lists of them in every spelling, each scheme, task and seed trained once, in a small
# file that report reads; without a file the report is printed.
modules=h5py
. "$CASES/numpy.inc"
. "$CASES/train.inc"
for validator in python3 /usr/bin/python3 none; do
    $validator -c 'import jsonschema' 2>/dev/null && break
done
[ $validator != none ] || exit 77
quick="$small --steps 4 --test-samples 32"
rows()
{
    attnspec report "$1" --format csv | tr -d '\r' | $python -c '
import csv, sys
print(*("/".join((r["task"].split(":")[0], r["scheme"], r["seed"])) for r in csv.DictReader(sys.stdin)))'
}
printf '# a list\nrope\nalibi|nope\n' >list
attnspec train $quick --compare 'rope|alibi' nope --seeds 2 -o words.h5
attnspec train $quick --compare rope --compare alibi nope --seeds 2 -o again.h5 -q
attnspec train $quick --compare @list --seeds 2 -o file.h5 -q
for name in words again file; do
    rows $name.h5
done
# Trained alone they come to the same: every trial is a training of its own.
attnspec report words.h5 --format json >words.json
for task in distance count; do
    for seed in 0 1; do
        attnspec train $quick --task $task --scheme alibi --seed $seed -o one.h5 --force -q
        attnspec report one.h5 --format json >$task$seed.json
    done
done
$python - <<'EOF'
import json

whole = json.load(open("words.json"))["comparison"]
assert whole["finished"] and len(whole["rows"]) == 12
for task in ("distance", "count"):
    for seed in (0, 1):
        run = json.load(open(f"{task}{seed}.json"))["run"]
        row, = [r for r in whole["rows"]
                if r["task"].startswith(task) and r["scheme"] == "alibi" and r["seed"] == seed]
        assert row["task"] == run["task"] and row["steps"] == 4
        assert all(row[key] == run[key] for key in ("accuracy", "loss", "plateau")), (row, run)
# What all have in common; the number of tokens is another where the task asks for that.
print(sorted(set(run["config"]) - set(whole["config"])))
EOF
$validator "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" words.json
$python "$CASES/../check_run_h5.py" words.h5
# Values and one task, two words for one scheme, everything that can be trained with these sizes.
attnspec train $quick --task copy --compare 'rope:base=10|100,rotary_heads=1' rope:base=100,rotary_heads=01 --seeds 1 --seed 5 -o v.h5
rows v.h5
attnspec train $quick --task copy --compare all --seeds 1 --dim 12 --heads 4 -o all.h5 -q
rows all.h5
attnspec train $quick --compare 'rope|alibi' nope --seeds 2 >printed.txt
attnspec report words.h5 | diff - printed.txt
ls *.h5*
