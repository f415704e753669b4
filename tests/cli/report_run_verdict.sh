# What is said of heads that were taken away follows from all intervals, not from the largest drop alone.
modules=h5py
. "$CASES/numpy.inc"
. "$CASES/runs.inc"
# verdict DROP LOW HIGH: of four heads of the first layer; the others differ from 0 nowhere.
verdict()
{
    cp run_small.h5 v.h5
    $python -c '
import sys
import h5py
ablation = h5py.File("v.h5", "r+")["run/ablation"]
for name, given in zip(("drop", "low", "high"), sys.argv[1:]):
    of = [float(x) for x in given.split(",")] + [{"drop": 0.0, "low": -0.01, "high": 0.01}[name]] * 4
    ablation[name][...] = of' "$@"
    attnspec report v.h5 | sed -n '/Deposit index/,$p' | sed '1,2d'
}
verdict 0.2,0.05,0.03,0.1 -0.1,0.01,0.02,-0.1 0.5,0.09,0.04,0.3
verdict 0.2,0.05,-0.3,0.1 -0.1,-0.01,-0.4,-0.1 0.5,0.09,-0.2,0.3
verdict 0.2,0.05,0,0.1 -0.1,-0.01,-0.4,-0.1 0.5,0.09,0.2,0.3
verdict 0.02,0.05,0,0.1 0.01,-0.01,-0.4,0.05 0.03,0.09,0.2,0.3
