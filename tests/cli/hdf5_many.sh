# More HDF5 files than may be open at once.
set --
for i in $(seq 120); do
    cp "$CASES/../../data/broken/source.h5" "$i.h5"
    set -- "$@" "$i.h5:attn"
done
ulimit -n 90
attnspec analyze -q -j 3 "$@" -o o.h5 || exit 1
attnspec report o.h5 --format json | tr '{' '\n' | grep -c '"status":"ok"'
