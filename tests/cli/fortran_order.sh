# Fortran order: the numbers are numpy's, not the bytes'. Slices of 1 × 1 make each element its own
# singular value, so that a transposed reading cannot hide behind equal spectra.
. "$CASES/numpy.inc"
$python - <<'EOF'
import io, numpy as np
with open("two.npy", "wb") as f:  # bytes 1, 4, 2, 5, 3, 6 are [[1, 2, 3], [4, 5, 6]]
    np.lib.format.write_array_header_1_0(f, {"descr": "<f8", "fortran_order": True, "shape": (2, 3, 1, 1)})
    f.write(np.array([1.0, 4, 2, 5, 3, 6]).tobytes())
a = np.arange(1.0, 13).reshape(2, 2, 3, 1)
np.save("rank4.npy", np.asfortranarray(a))
np.savez("rank4.npz", attn=np.asfortranarray(a))
np.save("one.npy", np.asfortranarray(np.array([3.0, 4])))
k = np.array([[1.0, 2, 3], [4, 5, 6]])
np.save("k.npy", k), np.save("k_transposed.npy", k.T)
print("fortran_order': True" in str(open("k_transposed.npy", "rb").read(128)))
EOF
attnspec analyze two.npy -q --kind logits -o o.h5 --force
rows layer head singular_values
for file in rank4.npy rank4.npz; do
    # 1 2 3 is the first slice: the norm is √14.
    attnspec analyze $file -q --kind logits -o o.h5 --force
    rows layer head rows cols singular_values
done
attnspec info one.npy
for file in k k_transposed; do
    attnspec analyze $file.npy -q --kind logits -o o.h5 --force
    rows rows cols singular_values
done
# q = e1, e2 picks the rows of k^T: as keys of dimension 3, or two of them transposed by the user.
$python -c 'import numpy as np; np.save("q.npy", np.eye(3)[:1])'
attnspec analyze --query q.npy --key k.npy --scale 1 --query-axes position,dim --key-axes position,dim -q -o o.h5 --force
rows rows cols singular_values
