#!/bin/sh
# Plants one breach at a time into a copy of the tree: tests/layers.sh must name its file and line.
set -u
cd "$(dirname "$0")/.." || exit 1
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
failed=0

fresh()
{
    rm -rf "${copy:?}"/*
    cp -R include lib tools tests "$copy"
}

# plant FILE CODE WHAT: CODE as the only line of a new FILE must be reported in a line with WHAT.
plant()
{
    fresh
    echo "$2" >"$copy/$1"
    if answer=$(tests/layers.sh "$copy"); then
        echo "not noticed: $2 in $1"
        failed=1
    elif ! echo "$answer" | grep -q "^$1:1: .*$3"; then
        echo "$2 in $1: expected a sentence about $3, got: $answer"
        failed=1
    fi
}

fresh
tests/layers.sh "$copy" || failed=1
plant lib/dump/planted.c '#include <lapacke.h>' lapacke.h
plant lib/dump/planted.c '#  include "hdf5.h"' hdf5.h
plant lib/dump/planted.c '#include "attnspec/logits.h"' 'not upstream of dump'
plant include/attnspec/planted.h '#include "attnspec/dump.h"' 'not upstream'
plant lib/logits/planted.c '#include "dump/npy.h"' 'private to dump'
plant lib/metric/planted.c 'void f(void) { printf("x"); }' print
plant lib/result/planted.c 'void f(void) { exit(1); }' exit
plant lib/base/planted.c '/* a */ int f(void) { return isatty(0); }' print
plant lib/spectrum/planted.c 'void f(void) { openblas_set_num_threads(1); }' threads.c
plant lib/door/planted.c 'int f(void) { return fork(); }' trial.c
plant tools/planted.c '#include <hdf5.h>' hdf5.h
plant tools/planted.c '#include "door/lapack.h"' 'not upstream of tools'

[ $failed -eq 0 ] && echo "Every planted breach was named with its file and line."
exit $failed
