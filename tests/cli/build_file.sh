# q and k of a dump under another scheme: the same q and k, and the content logits too.
attnspec build --scheme rope --content mean --n 13 --head-dim 4 --heads 4 --kv-heads 2 --layers 2 -q -o a.h5
attnspec build --scheme alibi --content file:a.h5 -q -o b.h5
attnspec info b.h5 | grep -v "^  provenance: {" | cut -c1-60
attnspec build --scheme rope --content file:a.h5 -q -o c.h5
for file in a c; do
    attnspec analyze $file.h5 -q -o $file.r.h5
    attnspec report $file.r.h5 --format csv --values | cut -d, -f 3-5,9- >$file.csv
done
wc -l <a.csv
cut -d, -f 1-3,7- a.csv >a.numbers
cut -d, -f 1-3,7- c.csv >c.numbers
cmp a.numbers c.numbers && echo the same
attnspec build --scheme rope --content file:missing.h5 -o d.h5
echo $?
attnspec build --scheme rope --content file:a.r.h5 -o d.h5
echo $?
attnspec build --scheme rope --content files:a.h5 -o d.h5
echo $?
ls
