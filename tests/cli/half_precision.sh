# Half floats are read exactly, whatever holds them, and the result says which they were; two bytes
# without a meaning are not guessed.
modules=h5py
. "$CASES/numpy.inc"
$python - <<'EOF'
import h5py, json, numpy as np
bfloat = bytes.fromhex("803f0040")  # 1, 2
half = np.array([[65504, 2.0**-24]], "<f2")  # the largest and the smallest


def safetensors(name, dtype, data):
    header = json.dumps({"attn": {"dtype": dtype, "shape": [2, 1, 1], "data_offsets": [0, 4]}}).encode()
    open(name, "wb").write(len(header).to_bytes(8, "little") + header + data)


safetensors("bf16.safetensors", "BF16", bfloat)
safetensors("f16.safetensors", "F16", half.tobytes())
np.save("half.npy", half.reshape(2, 1, 1))
np.save("big.npy", half.reshape(2, 1, 1).astype(">f2"))
np.save("void.npy", np.frombuffer(bfloat, "V2").reshape(2, 1, 1))
np.savez("void.npz", attn=np.frombuffer(bfloat, "V2").reshape(2, 1, 1))
with h5py.File("half.h5", "w") as f:
    f["attn"] = half.reshape(2, 1, 1)
with h5py.File("opaque.h5", "w") as f:
    f["attn"] = np.frombuffer(bfloat, "V2").reshape(2, 1, 1)
EOF
for file in bf16.safetensors f16.safetensors half.npy big.npy half.h5; do
    attnspec analyze $file -q -o o.h5 --force
    echo "$file $?"
    rows head dtype singular_values
done
rm o.h5
for file in void.npy void.npz opaque.h5; do
    attnspec analyze $file -o o.h5
    echo "$file $?"
    attnspec analyze $file --raw-dtype bf16 -q -o o.h5
    echo $?
    rows head dtype singular_values
    rm o.h5
done
