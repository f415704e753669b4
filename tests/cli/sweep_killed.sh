# Killed in the middle: --resume does the rest only, and the file is that of a whole run, bit for bit.
. "$CASES/many.inc"
# Not a function: what is killed is the program, not a shell around it.
sweep="attnspec sweep --scheme nope|rope|alibi --content mean --n 96 --head-dim 8 --seeds 400 --deterministic"
$sweep -o whole.h5 -q
$sweep -o o.h5 -q &
part_is o.h5.part 400000
kill -9 $!
wait $! 2>/dev/null
ls o.h5*
$sweep -o o.h5
echo $?
attnspec report o.h5.part --format csv | wc -l >before
[ "$(cat before)" -lt 1200 ] && echo "less than all was done"
$sweep -o o.h5 --resume 2>err
echo $?
sed 's/[0-9]* of 1200 are done/N of 1200 are done/' err
expr "$(sed -n 's/.*: \([0-9]*\) of 1200.*/\1/p' err)" = $(($(cat before) - 1))
cmp o.h5 whole.h5 && ls o.h5*
$sweep -o o.h5 --resume
echo $?
attnspec sweep --scheme rope --n 96 -o o.h5 --resume
echo $?
# A list of which a run is made is part of it.
echo rope >list
attnspec sweep --scheme @list --n 8 -o list.h5 -q
echo nope >>list
attnspec sweep --scheme @list --n 8 -o list.h5 --resume
echo $?
# SIGTERM: what was finished is kept.
$sweep -o t.h5 2>err &
part_is t.h5.part 100000
kill -TERM $!
wait $!
echo $?
sed 's/after [0-9]* of/after N of/' err
ls t.h5*
