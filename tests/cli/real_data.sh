# Attention of real models, where its folder is known, against independent references.
[ -n "${ATTNSPEC_TEST_DATA:-}" ] || exit 77
for python in python3 /usr/bin/python3; do
    if $python -c 'import numpy' 2>/dev/null; then
        exec $python "$CASES/../check_real_data.py"
    fi
done
exit 77
