# What a comparison does not say for want of evidence: failure by a small test set, by one seed, or where no
# scheme learns the task; an order of schemes with one seed.
modules=h5py
. "$CASES/numpy.inc"
. "$CASES/runs.inc"
# variant NAME PYTHON: comparison_small.h5 with other trials, its cells of nope and its claims.
variant()
{
    echo "== $1"
    cp comparison_small.h5 v.h5
    $python -c '
import sys
import h5py
f = h5py.File("v.h5", "r+")
config, trials = f["comparison/config"].attrs, f["comparison/trials"]
task, scheme = (trials[k].asstr()[()] for k in ("task", "scheme"))
accuracy, seed = trials["accuracy"][()], trials["seed"][()]
exec(sys.argv[1])
trials["accuracy"][...] = accuracy' "$2"
    attnspec report v.h5 >v.txt
    sed -n '/^Test/,/^copy/ { /^nope/p; /^alibi  /p; }' v.txt
    sed -n '/^What/,$p' v.txt
}
variant "8 test samples" 'config["test-samples"] = "8"'
variant "one seed" 'accuracy[seed > 0] = float("nan")'
variant "nobody learns" 'accuracy[task != "count"] = 0.11'
variant "barely above" 'accuracy[scheme == "nope"] = 0.155'
variant "alibi fails, nope learns" 'accuracy[scheme == "alibi:slopes=gu2025"] = 0.111; accuracy[scheme == "nope"] = 0.9'
variant "no size" 'config["test-samples"] = "none"'
sed -n '/^  Per cent/,/^$/p' v.txt
