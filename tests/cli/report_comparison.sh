# Schemes side by side, beside the published table, with a verdict on each of its claims that follows from the trials.
. "$CASES/runs.inc"
attnspec report comparison_small.h5
attnspec report comparison_small.h5 --values | sed -n '/^Trials/,/^mla/p'
LC_ALL=C attnspec report comparison_small.h5 | sed -n '/^Test/,/^plateau/p; /^What/,/^  2/p'
