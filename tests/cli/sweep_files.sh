# Files that schemes name are read once, are inputs, and are never written; a sweep and a dump agree.
. "$CASES/npy.inc"
. "$CASES/columns.inc"
npy t.npy "(9,)" 1 2 3 2 3 0.5 2 1 3
npy u.npy "(9,)" 1 1 1 1 2 1 1 1 1
try()
{
    "$@"
    echo $?
}
attnspec sweep --scheme 'toeplitz:mode=hadamard,file=t.npy|u.npy' --n 5 --head-dim 4 --heads 2 -q -o s.h5
attnspec build --scheme toeplitz:mode=hadamard,file=t.npy --n 5 --head-dim 4 --heads 2 -q -o d.h5
attnspec analyze d.h5 -q -o a.h5
numbers="head spectral_norm frobenius_norm spectral_radius"
cp s.h5 o.h5
columns scheme $numbers | sed -n 's/^.*t\.npy[^ ]* //p' >s.numbers
cp a.h5 o.h5
columns $numbers >a.numbers
cmp s.numbers a.numbers && wc -l <a.numbers
attnspec report s.h5 | grep -c 'mult\.'
# A fault of the file is one sentence, before anything is done.
npy odd.npy "(8,)" 1 1 1 1 2 1 1 1
try attnspec sweep --scheme toeplitz:file=missing.npy --n 5 --head-dim 4 -o x.h5
try attnspec sweep --scheme toeplitz:file=odd.npy --n 5 --head-dim 4 --heads 2 -o x.h5
# What is read is not written, not with --force.
echo '{"model_type": "bloom", "n_head": 2, "hidden_size": 8, "n_layer": 1}' >config.json
npy p.npy "(5,)" 0 1 2 3 1
attnspec build --scheme nope --n 5 --head-dim 4 -q -o q.h5
try attnspec sweep --scheme toeplitz:file=t.npy --n 5 --head-dim 4 -o t.npy --force
try attnspec sweep --scheme hf:config.json --n 5 --head-dim 4 -o config.json --force
try attnspec build --scheme toeplitz:file=t.npy --n 5 --head-dim 4 -o t.npy --force
try attnspec build --scheme hf:config.json --n 5 --head-dim 4 -o config.json --force
try attnspec build --hf-config config.json --n 5 -o config.json --force
pair="--query q.h5:dump/query --key q.h5:dump/key"
try attnspec analyze $pair --scheme toeplitz:file=t.npy -o t.npy --force
try attnspec analyze $pair --scheme hf:config.json -o config.json --force
try attnspec analyze $pair --hf-config config.json -o config.json --force
try attnspec analyze $pair --scheme alibi --positions p.npy -o p.npy --force
# A run does not go on with another file.
cp t.npy v.npy
sweep="attnspec sweep --scheme toeplitz:file=v.npy --n 5 --head-dim 4 -o v.h5"
$sweep -q
cp u.npy v.npy
try $sweep --resume
run="attnspec analyze $pair --scheme toeplitz:file=v.npy -o w.h5"
$run -q
cp t.npy v.npy
try $run --resume
run="attnspec analyze $pair --scheme alibi --positions p.npy -o z.h5"
$run -q
npy p.npy "(5,)" 0 1 2 3 0
try $run --resume
ls
