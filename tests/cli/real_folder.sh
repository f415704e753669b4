# A folder of attention of real models at once, where it is known: nothing is left out in silence.
[ -n "${ATTNSPEC_TEST_DATA:-}" ] || exit 77
modules=h5py
. "$CASES/numpy.inc"
$python "$CASES/../check_real_folder.py"
