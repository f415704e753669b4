# What is read is never written, not with --force and not through another name; nor is the journal.
. "$CASES/npy.inc"
npy a.npy "(1, 2, 2)" 1 2 3 1
npy b.npy "(1, 2, 2)" 1 2 3 1
cp a.npy kept.npy
ln -s a.npy link.npy
try()
{
    "$@"
    echo $?
}
try attnspec analyze a.npy -o a.npy --force
try attnspec analyze a.npy -o link.npy --force
try attnspec analyze b.npy --bias a.npy -o a.npy --force
try attnspec analyze b.npy --baseline a.npy -o a.npy --force
try attnspec info a.npy -o a.npy --force
cp a.npy c.h5.part
try attnspec analyze c.h5.part -o c.h5 --force
cmp c.h5.part kept.npy
attnspec analyze a.npy -q -o o.h5
try attnspec report o.h5 -o o.h5 --force
attnspec build --scheme rope --n 5 --head-dim 4 -q -o d.h5
try attnspec build --scheme nope --content file:d.h5 -o d.h5 --force
attnspec report o.h5 --format csv | cut -d, -f1,9
cmp a.npy kept.npy
ls
