# Lists of layers, and of the steps of a generation, which stay apart: no image is the mean over steps.
. "$CASES/columns.inc"
for file in attentions generation outputs; do
    echo "$file"
    attnspec analyze "$CASES/../../data/$file.pt" -o o.h5 --force -q --spectra eigen
    echo $?
    columns tensor layer batch head rows cols status
    attnspec report o.h5 --format json | grep -o '"eigen_status":[a-z_"]*' | sort | uniq -c | sed 's/^ *//'
    grep -aq by_head o.h5 && echo with images
done
echo JSON
cat >lists.json <<'END'
[{"attn": [[[1, 0], [0.5, 0.5]], [[1, 0], [0.25, 0.75]]]}, {"attn": [[[1, 0], [0.5, 0.5]], [[1, 0], [0.25, 0.75]]]}]
END
attnspec analyze lists.json -o o.h5 --force -q
columns tensor layer batch head
# A list of tensors is layers whose rank 4 begins with the batch.
attnspec analyze "$CASES/../../data/generation.pt" -o o.h5 --force -q --layers 1 --heads 0
columns tensor layer head
attnspec analyze "$CASES/../../data/generation.pt:[0-9].1" -o o.h5 --force -q --layers 0
echo $?
