#!/bin/sh
# Runs the command line's cases: tests/cli/NAME.sh in a fresh folder, with the programs on PATH, and
# compares with NAME.out, NAME.err and NAME.exit (where one is missing: nothing, and 0).
# ATTNSPEC_TEST_DATA is handed on; a case that ends with 77 is skipped.
#   usage: tests/cli/run.sh BIN_FOLDER [NAME]...
set -u
bin=$(cd "${1:?usage: tests/cli/run.sh BIN_FOLDER [NAME]...}" && pwd) || exit 2
shift
cd "$(dirname "$0")" || exit 2
cases=$(pwd)
work=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

[ $# -gt 0 ] || set -- $(ls ./*.sh | sed 's|^\./||; s|\.sh$||' | grep -v '^run$')

# What came of one stream against what was expected of it.
compare()
{
    expected=$cases/$1.$2
    [ -f "$expected" ] || expected=/dev/null
    diff -u --label "$1.$2: expected" --label "$1.$2: found" "$expected" "$work/$1.$2"
}

for name; do
    mkdir "$work/$name"
    (
        cd "$work/$name" || exit 2
        export PATH="$bin:$PATH" LC_ALL=C.UTF-8 HOME="$work/$name" CASES="$cases"
        unset NO_COLOR OMP_NUM_THREADS OPENBLAS_NUM_THREADS
        exec timeout 60 sh "$cases/$name.sh"
    ) >"$work/$name.out" 2>"$work/$name.err" </dev/null
    code=$?
    if [ $code -eq 77 ]; then
        skipped=$((skipped + 1))
        echo "skipped: $name"
        continue
    fi
    echo $code >"$work/$name.exit"
    [ -f "$cases/$name.exit" ] || echo 0 >"$work/zero"
    same=yes
    compare "$name" out || same=no
    compare "$name" err || same=no
    diff -u --label "$name.exit: expected" --label "$name.exit: found" \
        "$([ -f "$cases/$name.exit" ] && echo "$cases/$name.exit" || echo "$work/zero")" \
        "$work/$name.exit" || same=no
    if [ $same = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
done
echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ $failed -eq 0 ]
