#!/bin/sh
# Runs every test of one build and says at the end which failed: the Check programs, the layers,
# the command line. It builds nothing.
#   usage: tests/run.sh BUILD_FOLDER
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:?usage: tests/run.sh BUILD_FOLDER}
failed=

if [ -z "${ATTNSPEC_TEST_DATA:-}" ]; then
    echo "ATTNSPEC_TEST_DATA is not set: the tests on attention of real models are skipped."
fi

# A hang is a failure too.
run()
{
    name=$1
    shift
    echo "== $name"
    timeout 900 "$@" || failed="$failed $name"
}

for source in tests/test_*.c; do
    name=$(basename "$source" .c)
    run "$name" "$build/tests/$name"
done
run layers tests/layers.sh
run layers_test tests/layers_test.sh
run deps_test tests/deps_test.sh
run cli tests/cli/run.sh "$build/bin"

if [ -n "$failed" ]; then
    echo "FAILED:$failed"
    exit 1
fi
echo "All tests passed ($build)."
