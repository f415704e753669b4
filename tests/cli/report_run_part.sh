# The checkpoint of a training run that goes on says how far it is; numbers of the end are not there yet.
. "$CASES/runs.inc"
attnspec report run_small.h5.part
attnspec report run_small.h5.part --format json | grep -o '"finished":false,"accuracy":null,[^{]*"samples_per_second":null\|"ablation":null'
attnspec report run_small.h5.part --format csv | tr -d '\r' | grep '^result'
attnspec report comparison_one.h5.part
attnspec report comparison_one.h5.part --format json | grep -o '"finished":false'
