# What LAPACK's 32-bit integers cannot count is refused with its size and the limit before a byte is read or
# allocated: beyond them some workspace queries answer garbage and call it success. The others go on.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
for name, shape in ("square", (46341, 46341)), ("row", (1, 2**31)):
    with open(name + ".npy", "wb") as file:  # a hole: no such room is taken
        np.lib.format.write_array_header_1_0(file, {"descr": "<f2", "fortran_order": False, "shape": shape})
        file.truncate(file.tell() + 2 * shape[0] * shape[1])
np.save("small.npy", np.diag([3.0, 1]))
EOF
timeout 20 attnspec analyze square.npy row.npy small.npy --kind logits --mask none --spectra singular,eigen -o o.h5
echo $?
rows rows cols status singular_values eigenvalues
timeout 20 attnspec analyze --query square.npy --key square.npy --scheme nope -q -o o.h5 --force
echo $?
