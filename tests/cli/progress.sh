# The line is drawn where it is asked for, and not into a file by itself.
. "$CASES/npy.inc"
npy a.npy "(3, 2, 2)" 1 2 3 1 1 inf 3 nan 0 1 0 1
attnspec info a.npy >/dev/null
attnspec info --progress=always a.npy 2>&1 >/dev/null | tr '\r' '\n' | tail -1 |
    sed 's/[0-9.e+]*\/s/R\/s/; s/\x1b\[K//'
attnspec info --progress=never a.npy >/dev/null
