# All that a model returns: attention is taken, None is missed, and the rest is skipped with a reason unless
# the user names it.
. "$CASES/columns.inc"
data="$CASES/../../data"
for file in none none_between outputs_whole; do
    cp "$data/$file.pt" .
    echo $file
    attnspec analyze $file.pt -o o.h5 --force
    echo $?
    [ -f o.h5 ] && columns tensor layer head rows cols status
    rm -f o.h5
done
for name in logits last_hidden_state past_key_values.1.0; do
    attnspec analyze outputs_whole.pt:$name -o o.h5 --force -q
    columns tensor layer batch head rows cols status
done
attnspec analyze 'outputs_whole.pt:last_*' -o o.h5 --force
echo $?
# The keys of a cache: layer 0 is full of 0, layer 1 of 1, which the queries meet at 4/sqrt(4) 6 = 12.
attnspec analyze --query outputs_whole.pt:past_key_values.1.0 --key 'outputs_whole.pt:past_*' -o o.h5 --force -q
columns status tensor layer head rows cols spectral_norm | awk '/^ok/ { $NF = sprintf("%.6g", $NF); print }'
attnspec analyze --query outputs_whole.pt:a* --key 'outputs_whole.pt:past_*' -o o.h5 --force
echo $?
# What is in no format.
printf '{"a": [[1, 0], [0, 1]]}\n{"a": [[1, 0], [0, 1]]}\n' >lines.jsonl
printf '[[1, 0], [0, 1]] 3\n' >more.json
printf '\200\201\202\203\204\205\206\207\210' >elements.bin
for file in lines.jsonl more.json elements.bin; do
    attnspec info $file 2>&1
    echo $?
done
