# Killed in the middle: --resume does the rest only, and the numbers are those of a whole run.
. "$CASES/many.inc"
many a.npy 500
attnspec analyze a.npy -o whole.h5 -q
attnspec analyze a.npy -o o.h5 -q &
part_is o.h5.part 400000
kill -9 $!
wait $! 2>/dev/null
ls o.h5*
attnspec analyze a.npy -o o.h5
echo $?
attnspec report o.h5.part --format csv | wc -l >before
[ "$(cat before)" -lt 500 ] && echo "less than all was done"
attnspec analyze a.npy -o o.h5 --resume 2>err
echo $?
sed 's/[0-9]* of 500 are done/N of 500 are done/' err
expr "$(sed -n 's/.*: \([0-9]*\) of 500.*/\1/p' err)" = $(($(cat before) - 1))
attnspec report o.h5 --format csv --values >resumed.csv
attnspec report whole.h5 --format csv --values >whole.csv
cmp resumed.csv whole.csv && wc -l <whole.csv
ls o.h5*
attnspec analyze a.npy -o o.h5 --resume
echo $?
