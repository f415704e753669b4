# Attention of real models, where its folder is known, against independent references.
[ -n "${ATTNSPEC_TEST_DATA:-}" ] || exit 77
. "$CASES/numpy.inc"
$python "$CASES/../check_real_data.py"
