# What is there stays without --force; where nothing can be written, nothing is trained; a disk that is full
# costs no step that was taken.
. "$CASES/train.inc"
try()
{
    attnspec train $small "$@"
    echo $?
}
# None of these comes to an end: it is refused before.
early()
{
    attnspec train $small --steps 1000000 "$@"
    echo $?
}
echo kept >o.h5
early -o o.h5
echo kept >p.h5.part
early -o p.h5
early -o missing/o.h5
early -o o.h5/o.h5 --force
mkdir folder
early -o folder
early -o folder --force
early -o /dev/null --force
mkdir q.h5.part
early -o q.h5 --force
early -o ''
early -o -
early --compare 'rope|alibi' -o missing/c.h5
early --compare 'rope|alibi' -o -
early --compare 'rope|alibi' -o o.h5
# What is read is not written.
yes "a text" | head -c 4000 >text
cp text text.kept
early --task lm:file=text -o text --force
early --task lm:file=text --compare rope -o text --force
echo rope >list
early --compare @list -o list --force
cat o.h5 p.h5.part list
cmp text text.kept
ls -A
rmdir folder q.h5.part
# The rest of an older training does not outlive --force.
try -o o.h5 --force -q
try -o p.h5 --force -q
cmp o.h5 p.h5
mv o.h5 whole.h5
rm p.h5
# A file of a run with many samples is larger than its checkpoint: there is room for the one alone.
probe="--probe 16 --spectra-every 0"
trap '' XFSZ
(
    ulimit -f 1500
    try $probe -o o.h5 -q
)
ls
steps_of o.h5.part
attnspec train $small $probe -o whole.h5 --force -q
try $probe -o o.h5 --resume -q
cmp o.h5 whole.h5
# No room for anything: the checkpoint that there was is kept.
try $probe -o o.h5 --force --stop-at 7 -q
cp o.h5.part kept
(
    ulimit -f 100
    try $probe -o o.h5 --resume -q --checkpoint-every 1
    try $probe -o n.h5
)
cmp o.h5.part kept
cmp o.h5 whole.h5
ls -A
# The report has nowhere to go.
[ -w /dev/full ] || exit 77
attnspec train $small >/dev/full
echo $?
