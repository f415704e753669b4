# What heads do and how they share it, the grid, operations on logits and the power law stand in Markdown
# as in the text; of chosen rows all of it is of these alone, in every format.
data=$CASES/../../data
cp "$data/demo_logits_2x4x64x64_f32.npy" demo.npy
attnspec analyze -q demo.npy --grid 8x8 --softcap 30 --metrics core,ww -o o.h5
attnspec report o.h5 --format md | grep -v '^- Driver' | sed -n '/^### Heads/,$p'
# The same sentences as in the text.
words()
{
    sed -n '/Heads$/,/Driver/p' | grep -v '^|\|^ *[01] .*\|layer heads\|^ *norm\|Concentration' |
        sed 's/^### //; s/^ *- //; s/\\//g' | tr -s ' \n' ' '
}
attnspec report o.h5 --format md | words >md
attnspec report o.h5 | words >text
cmp md text && echo "the same"
for words in "" "--sort effective_rank" "--format md"; do
    attnspec report o.h5 --where layer=1,head!=3 $words | grep '1 of 3\|2 of 3\|3 of 3\|1 *|* *3 '
done
attnspec report o.h5 --where layer=1,head!=3 --format json | grep -o '"layer":1,"heads":[0-9]*\|"layer":0'
attnspec report o.h5 --where layer=1,head=0 --format csv | tr -d '\r' | awk -F, '{ print $NF }'
# A matrix that is not the grid.
. "$CASES/npy.inc"
npy five.npy "(5, 5)" 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 0
attnspec analyze -q five.npy --grid 2x2 -o five.h5
attnspec report five.h5 --format md | grep 'Not the grid'
# What is compared is not written over either.
cp o.h5 p.h5
for output in o.h5 p.h5; do
    attnspec report o.h5 --against p.h5 -o $output --force
    echo $?
done
