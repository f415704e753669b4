# A folder of forty files of several formats, killed at half: --resume does the rest only, with the same
# digits. A file that came, went or changed meanwhile is named.
. "$CASES/many.inc"
many one.npy 8
mkdir runs
for i in $(seq 36); do
    ln one.npy runs/layer_$i.npy
done
for file in attentions.pt axes.h5 numbers_deflated.npz single.pt; do
    cp "$CASES/../../data/$file" runs
done
attnspec analyze runs -o whole.h5 -q 2>/dev/null
echo $?
attnspec analyze runs -o o.h5 -q 2>/dev/null &
part_is o.h5.part 1000000
kill -9 $!
wait $! 2>/dev/null
ln one.npy runs/layer_37.npy
attnspec analyze runs -o o.h5 --resume -q
echo $?
mv runs/layer_37.npy runs/layer_7.npy .
attnspec analyze runs -o o.h5 --resume -q
echo $?
cp layer_7.npy runs
attnspec analyze runs -o o.h5 --resume -q
echo $?
attnspec analyze runs -o o.h5 --resume -q --kind logits
echo $?
ln -f layer_7.npy runs
attnspec analyze runs -o o.h5 --resume --progress=always 2>err
echo $?
# The line counts what was left to do.
done=$(sed -n 's/.*: \([0-9]*\) of 380 are done already/\1/p' err)
tr '\r' '\n' <err | grep -c "^[0-9]*/$((380 - done)) matrices, [0-9.]*/s, [0-9:-]* left" >lines
[ "$(cat lines)" -gt 0 ] && [ "$done" -gt 0 ] && [ "$done" -lt 380 ] && echo "what was left was counted"
attnspec report o.h5 --format csv --values >resumed.csv
attnspec report whole.h5 --format csv --values >whole.csv
cmp resumed.csv whole.csv && attnspec report o.h5 --format csv | wc -l
