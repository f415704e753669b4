# A dump is built and read back; the same seed gives the same bytes, in any file, with any threads
# told; another seed does not.
for n in 13 37; do
    attnspec build --scheme rope --n $n --head-dim 6 --heads 4 --kv-heads 2 --layers 2 --mask causal \
        -o rope$n.h5 2>err
    echo $?
    sed 's/[0-9.]* KiB/SIZE/' err
    attnspec info rope$n.h5 | grep -v "^  provenance: {" | cut -c1-60
done
attnspec build --scheme rope --n 13 --head-dim 6 --mask window:4 --seed 5 -q -o a.h5
attnspec build --scheme rope --n 13 --head-dim 6 --mask window:4 --seed 5 -q -o b.h5 -v --progress=never
attnspec build --scheme rope --n 13 --head-dim 6 --mask window:4 --seed 6 -q -o c.h5
attnspec build --scheme rope --n 13 --head-dim 6 --mask prefix:4 --seed 5 -q -o d.h5
cmp a.h5 b.h5 && echo the same
cmp -s a.h5 c.h5 || echo another
cmp -s a.h5 d.h5 || echo another
ls -A *.h5
