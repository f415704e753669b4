# Every task is trained: what it is called then, its answers, and the plateau with what it is right by.
. "$CASES/numpy.inc"
. "$CASES/train.inc"
# 1500 bytes; the blanks of the last tenth, which is for tests, are counted.
$python -c '
import sys
text = ("one two three four five " * 100)[:1500]
sys.stdout.write(text)
print(text[1350:].count(" "), file=sys.stderr)' >text 2>blanks
for task in distance distance:between=7,side=2 count copy copy:length=5 induction lm:file=text; do
    attnspec train $small --task $task -o run.h5 --force -q
    attnspec report run.h5 --format json | $python -c '
import json, sys
run = json.load(sys.stdin)["run"]
plateau = run["plateau"]
print(run["task"], "mask", run["config"]["mask"], "vocab", run["config"]["vocab"], "answers", run["answers"],
      f"plateau {plateau:.6f}", run["plateau_of"])
assert run["finished"] and 0 <= run["accuracy"] <= 1 and (run["accuracy"] * run["answers"] + 0.5) % 1 - 0.5 < 1e-6'
    attnspec analyze run.h5 -q -o rows.h5 --force && attnspec ablate run.h5 -q >/dev/null || echo "$task: $?"
done
$python -c 'print("%.6f" % (int(open("blanks").read()) / 150))'
# A text that has changed since is not the one that it was trained on.
attnspec train $small --task lm:file=text -o part.h5 --stop-at 3 -q
cp run.h5 kept.h5
tr e E <text >other
mv other text
attnspec ablate run.h5
echo $?
cmp run.h5 kept.h5
attnspec train $small --task lm:file=text -o part.h5 --resume
echo $?
rm text
attnspec ablate run.h5
echo $?
mkdir away
cp run.h5 away
(cd away && attnspec analyze run.h5 -q -o rows.h5 && echo "the dump needs no text")
