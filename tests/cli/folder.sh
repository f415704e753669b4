# A folder of twenty files, three of them no attention: seventeen are analysed, in the order of their
# numbers, three are said, and the exit code is 1. Results that are written into it are left out.
. "$CASES/npy.inc"
. "$CASES/columns.inc"
mkdir -p runs/more empty
for layer in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    npy runs/layer_$layer.npy "(2, 2)" 1 2 3 $((layer % 4))
done
npy runs/more/layer_16.npy "(2, 2)" 1 2 3 1
npy runs/truncated.npy "(2, 2)" 1 2 3
cp "$CASES/../../data/broken/os_system.pt" runs/evil.pt
echo "These are the runs of Tuesday." >runs/README
attnspec analyze runs -o runs/o.h5
echo $?
mv runs/o.h5 .
columns source layer status
mv o.h5 runs
attnspec analyze runs -o runs/o.h5 --resume
echo $?
# By a pattern, with a file that is named too; and without what is wrong.
attnspec analyze 'runs/layer_*.npy' runs/layer_3.npy ./runs/layer_4.npy -o o.h5
echo $?
attnspec analyze 'runs/layer_*.npy' --layers 10- -o o.h5 -q --force
columns source
attnspec info runs/more 'runs/layer_1*.npy' | grep npy
# Nothing there, or nothing readable.
for input in empty 'runs/none*' 'runs/*.h5' runs/o.h5; do
    attnspec analyze "$input" -o n.h5
    echo $?
done
ls
# What holds nothing is left out, by a pattern as in a folder; a folder of results says that it is one.
mkdir -p some/none results
mkfifo some/pipe
npy some/a.npy "(2, 2)" 1 2 3 1
cp runs/o.h5 results
for input in some 'some/*' results 'res*'; do
    attnspec analyze "$input" -o n.h5 --force
    echo $?
done
