# A scheme that is undefined for the head size has one row a content, length and seed, with its reason; the
# others go on. Where every one is, nothing is written.
attnspec sweep --scheme nope --scheme rope --content gaussian --content mean --n 8,9 --head-dim 7 --heads 2 \
    --seeds 2 -o o.h5
echo $?
attnspec report o.h5 --format csv | cut -d, -f5-9,28-29 | grep -v ok
attnspec report o.h5 | sed -n '/^Content mean, n = 9/,/^Summary/p'
attnspec report o.h5 | grep skipped, 
attnspec sweep --scheme rope --head-dim 7 --n 8 -o none.h5
echo $?
# Beyond this machine, and beyond LAPACK.
attnspec sweep --scheme nope --n 8,2000000 -o large.h5 2>err
echo $?
sed 's/needs .*/needs so much/' err
attnspec report large.h5 --format csv | cut -d, -f9,28
ls -A
