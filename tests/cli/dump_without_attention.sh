# Fused attention gives no weights: what was saved is empty, None or a list of None. Never a result
# without matrices: each is named, with what helps.
. "$CASES/numpy.inc"
$python - <<'EOF'
import json, numpy as np
np.savez("empty_array.npz", attn=np.zeros((0,)))
np.savez("no_keys.npz", attn=np.zeros((1, 2, 5, 0)))
np.savez("no_members.npz")
np.save("none.npy", np.array(None), allow_pickle=True)
np.save("nones.npy", np.array([None, None]), allow_pickle=True)
json.dump({"attentions": None}, open("null.json", "w"))
json.dump({"attentions": [None, None]}, open("nulls.json", "w"))
json.dump({"attentions": []}, open("no_layers.json", "w"))
header = json.dumps({"attn": {"dtype": "F32", "shape": [0, 4, 4], "data_offsets": [0, 0]}}).encode()
open("empty.safetensors", "wb").write(len(header).to_bytes(8, "little") + header)
open("none.safetensors", "wb").write((2).to_bytes(8, "little") + b"{}")
EOF
for file in empty_array.npz no_keys.npz no_members.npz none.npy nones.npy null.json nulls.json no_layers.json \
    empty.safetensors none.safetensors; do
    attnspec analyze $file -o o.h5
    echo "$file $?"
done
ls | grep -c o.h5
# One that has attention goes on; the empty one has its row.
$python -c 'import numpy as np; np.savez("mixed.npz", a=np.zeros((0, 3)), b=np.eye(3))'
attnspec analyze mixed.npz -o o.h5
echo $?
rows tensor status reason
