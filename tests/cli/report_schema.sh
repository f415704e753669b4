# Reports of every kind fit docs/report.schema.json, and without any one of their keys they do not.
for python in python3 /usr/bin/python3 none; do
    $python -c 'import jsonschema' 2>/dev/null && break
done
[ $python != none ] || exit 77
. "$CASES/npy.inc"
npy heads_step3.npy "(4, 2, 2)" 3 0 0 1  1 inf 3 0  0 0 0 0  1 0 0 1
npy wide.npy "(2, 1, 3)" 0.5 0.5 0  1 0 0
npy whole.npy "(4,)" 1 1 1 1
attnspec build -q --scheme rope --content mean --heads 2 --layers 2 --n 13 --head-dim 6 -o rope.dump.h5
attnspec analyze -q rope.dump.h5 heads_step3.npy --kind logits -o odd.h5 2>/dev/null
attnspec analyze -q --spectra singular,symmetric,eigen rope.dump.h5 -o rope.h5
attnspec analyze -q wide.npy whole.npy missing.npy -o rest.h5 2>/dev/null
attnspec sweep -q --scheme all --n 16 --head-dim 8 --heads 2 -o swept.h5 2>/dev/null
attnspec sweep -q --scheme rope --content mean --n 5 --head-dim 4 -o single.h5
attnspec analyze -q --query rope.dump.h5:dump/query --key rope.dump.h5:dump/key --scheme rope --scheme alibi -o compared.h5
attnspec report odd.h5 --format json >plain.json
attnspec report swept.h5 --format json >swept.json
attnspec report single.h5 --format json >single.json
attnspec report compared.h5 --format json >compared.json
grep -c '"schemes":\[' swept.json single.json compared.json
attnspec report odd.h5 --format json --values --where head=0-1 --top 3 >values.json
attnspec report rope.h5 --format json --values --top 1 >eigen.json
attnspec report rest.h5 --format json >rest.json
for by in layer head scheme source step; do
    attnspec report odd.h5 --format json --group $by --top 1 >$by.json
done
attnspec report odd.h5 --format json --against rope.h5 --values --top 2 >against.json
attnspec report rope.h5 --format json --against odd.h5 >back.json
$python "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" ./*.json
# What is no report.
sed 's/"matched":[0-9]*/"matched":-1/' back.json >no.json
$python "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" no.json
echo $?
sed 's/"status":"ok"/"status":"good"/' plain.json >no.json
$python "$CASES/../check_report_schema.py" "$CASES/../../docs/report.schema.json" no.json 2>&1 | cut -c 1-60
