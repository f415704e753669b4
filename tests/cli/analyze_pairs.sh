# Query and key: what is refused, with the numbers and the nearest word.
. "$CASES/npy.inc"
npy q.npy "(3, 2, 2)" 1 2 3 1 1 2 3 1 1 2 3 1
npy k.npy "(2, 2, 2)" 1 2 3 1 1 2 3 1
npy k1.npy "(1, 2, 2)" 1 2 3 1
attnspec analyze --query q.npy --key k.npy
echo $?
attnspec analyze --query q.npy
echo $?
attnspec analyze --query q.npy --key k1.npy --scheme rop
echo $?
attnspec analyze --query q.npy --key k1.npy --scheme rope:base=-3
echo $?
attnspec analyze --query q.npy --key k1.npy --scheme rope:bass=3
echo $?
attnspec analyze --query q.npy --key k1.npy --scheme alibi --position applied
echo $?
attnspec analyze q.npy --scheme rope
echo $?
attnspec analyze q.npy --position applied
echo $?
attnspec analyze q.npy --kind weights --scale 3
echo $?
attnspec analyze q.npy --key-axes head,position,dim
echo $?
attnspec analyze --query q.npy --key k1.npy --spectra singular,eigne
echo $?
attnspec analyze --query q.npy --key missing.npy
echo $?
attnspec analyze
echo $?
attnspec analyze --query q.npy --key k1.npy --scheme rope --scheme nope --scale 1 -o o.h5
echo $?
attnspec report o.h5 --format csv | cut -d, -f 5,6,9,10
