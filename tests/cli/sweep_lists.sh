# What lists stand for: values, whole words, files; what is named twice is done once.
modules=h5py
. "$CASES/numpy.inc"
names()
{
    attnspec sweep -q --n 8 --head-dim 4 -o o.h5 --force "$@" &&
        attnspec report o.h5 --format csv | cut -d, -f6-9 | uniq | sed 1d
    echo $?
}
printf '# bases\n10\n\n  20  \r\n' >bases
printf 'nope\n# a remark\nrope:base=30|40\nrope:base=@bases\n' >schemes
# An editor's byte order mark is no part of the first word, and the last line may have no end.
printf '\357\273\277alibi\nnope' >marked
names --scheme @marked
names --scheme 'nope|rope:base=10|20,layout=interleaved|half'
names --scheme @schemes --scheme nope
names --scheme rope:base=10000 --scheme rope --content 'zipf:vocab=10|20,exponent=1' --n 8,4,8
names --scheme rope:base=@bases --content mean:strength=1 --seeds 2
# The config of a model is a word of a list, whatever its path.
mkdir lr=0.1
echo '{"rope_theta": 500000}' >lr=0.1/a.json
echo '{"model_type": "glm4", "rope_theta": 1000}' >b.json
names --scheme 'nope|hf:lr=0.1/a.json|hf:b.json|rope:base=10|20'
printf 'hf:b.json|alibi\n' >configs
names --scheme @configs
attnspec sweep --n 8 --head-dim 4 --scheme 'hf:b.json|' -o o.h5 --force 2>&1
# A row for each scheme, whatever is done twice.
attnspec sweep -q --scheme all --scheme all --scheme rope --n 8 --head-dim 4 -o o.h5 --force
$python - <<'PYTHON'
import csv, json, subprocess
run = lambda *words: subprocess.check_output(["attnspec", *words]).decode()
names = [s["name"] for s in json.loads(run("schemes", "--json"))["schemes"]]
rows = [r["scheme"] for r in csv.DictReader(run("report", "o.h5", "--format", "csv").splitlines())]
print(rows == names)
PYTHON
