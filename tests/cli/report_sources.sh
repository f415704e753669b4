# Sources that end alike: told apart by as many of their last parts as are needed, in comparisons, in
# tables and in the summary. Spectral norms by step: 1, 2, 3.
. "$CASES/npy.inc"
run()
{
    for step in 1 2 3; do
        mkdir -p "$1/checkpoint-${step}00"
        npy "$1/checkpoint-${step}00/attn.npy" "(1, 2, 2)" $step 0 0 "$2"
    done
}
run a/run 0.5
run b/deep/run 1
attnspec analyze -q a/run -o a.h5
attnspec analyze -q "$PWD/b/deep/run" -o b.h5
attnspec report a.h5 --against b.h5 --format csv | tr -d '\r' | grep spectral_norm | cut -d, -f5,15-
attnspec report a.h5 --against b.h5 | grep -e source -e checkpoint -A 1 | grep -v '^--'
attnspec report a.h5 --against b.h5 | grep -A 1 'Frobenius norm: '
attnspec report a.h5 --against b.h5 --format json | sed 's/.*"largest_changes"//' | grep -o '"frobenius_norm":{"source":"[^"]*"'
# A step that only one of the runs has finds no other, and two files of one end are still in doubt.
rm -r b/deep/run/checkpoint-200
mkdir b/deep/run/checkpoint-400 b/deep/run/checkpoint-500
cp b/deep/run/checkpoint-100/attn.npy b/deep/run/checkpoint-400
cp b/deep/run/checkpoint-100/attn.npy b/deep/run/checkpoint-500
attnspec analyze -q b/deep/run -o c.h5
attnspec report a.h5 --against c.h5 | grep -A 2 -e matched -e Only
attnspec report a.h5 --against b.h5 --where source='*-100/*' | grep matched
# The summary.
attnspec report a.h5 | grep -A 1 'Spectral norm:'
attnspec report a.h5 --sort -spectral_norm | sed -n '/^layer/,/^$/p'
# What is the same in all goes first, then the front; where nothing helps there are numbers.
mkdir -p long w
for step in 1 2; do
    cp a/run/checkpoint-${step}00/attn.npy long/attention_of_step_number_$step.of.the.run.npy
    for name in begins_otherwise_$step middle_${step}_and_a_long_end; do
        cp a/run/checkpoint-${step}00/attn.npy w/$name-of_the_whole_name.npy
    done
done
attnspec analyze -q long -o long.h5
attnspec analyze -q w -o w.h5
attnspec report long.h5 --sort spectral_norm | sed -n '/^layer/,/^$/p'
attnspec report w.h5 --sort spectral_norm | sed -n '/^layer/,/^$/p'
