# What a report of a run refuses: options of matrices, files that do not hold what they say.
. "$CASES/runs.inc"
for words in "--where layer=0" "--sort head" "--top 3" "--group layer" "--against comparison_small.h5"; do
    attnspec report run_small.h5 $words
    echo $?
done
attnspec report comparison_small.h5 --top 1
echo $?
# A result against a run.
attnspec sweep -q --scheme rope --content mean --n 5 --head-dim 4 -o swept.h5
attnspec report swept.h5 --against run_small.h5
echo $?
# A dataset that is not there, and a file that ends early.
LC_ALL=C sed 's/gradient_norm/gradient_nerm/' run_small.h5 >lacks.h5
attnspec report lacks.h5
echo $?
LC_ALL=C sed 's/plateau/plateaf/' comparison_small.h5 >lacks.h5
attnspec report lacks.h5
echo $?
head -c 20000 run_small.h5 >short.h5
attnspec report short.h5 2>&1 | sed 's/truncated.*/truncated/'
# The output is not the input.
attnspec report run_small.h5 -o run_small.h5 --force
echo $?
cmp run_small.h5 "$CASES/../../data/run_small.h5"
attnspec report run_small.h5 --format csv -o run.csv && wc -l <run.csv
