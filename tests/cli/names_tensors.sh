# Layers and heads inside of tensors' names; the end of a name where others have the same but for its number;
# and one note where nothing says a layer.
. "$CASES/columns.inc"
for python in python3 /usr/bin/python3 none; do
    $python -c 'import h5py' 2>/dev/null && break
done
[ $python != none ] || exit 77
$python -c '
import h5py, numpy as np
a = np.eye(3) + 1
def save(file, *names):
    np.savez(file, **{name: (i + 1) * a for i, name in enumerate(names)})
with h5py.File("inside.h5", "w") as f:
    for layer in range(11):
        f[f"attn_layer{layer}"] = a
with h5py.File("letters.h5", "w") as f:
    for layer, head in np.ndindex(2, 2):
        f[f"L{layer}/H{head}"] = a
save("words.npz", "step0_layer1", "sent0_layer2", "attn_l3", "L4H1", "attn_layer_5_head_1")
save("series.npz", "self_attn_0", "self_attn_1", "weights_5", "weights_7", "lone_3", "attn_v2")
save("none.npz", "h2o", "8x160x160", "conv2d", "attn_v2", "attn_2", "x.0.y")
save("steps.npz", "step_0", "step_1", "sent0", "sent1")
save("lone.npz", "attn")
save("two.npz", "x", "y")
np.savez("heads.npz", a=np.stack([a, a]), b=np.stack([a, a]))
np.savez("qk.npz", q_0=a, k_0=2 * a, q_1=3 * a, k_1=4 * a)
np.savetxt("gpt2_L1H2.csv", a, delimiter=",")
'
for input in inside.h5 letters.h5 words.npz series.npz none.npz steps.npz lone.npz heads.npz gpt2_L1H2.csv; do
    echo "$input"
    attnspec analyze $input -o o.h5 --force 2>>err
    columns tensor layer batch head
done
grep -v ': o.h5: ' err
# Not an error, and not with --quiet; info says it too; several files share one note.
attnspec analyze two.npz none.npz heads.npz -o o.h5 --force 2>&1
echo $?
attnspec analyze two.npz -o o.h5 --force -q 2>&1
attnspec info --headers two.npz 2>&1 >/dev/null
attnspec analyze none.npz:attn* -o o.h5 --force 2>&1
# q_1 and k_1 belong together: the norms of 1/sqrt(3) q k are 2 and 12 times 16/sqrt(3).
attnspec analyze --query qk.npz --key qk.npz -o o.h5 --force -q
columns status tensor layer spectral_norm | awk '/^ok/ { $NF = sprintf("%.6g", $NF); print }'
attnspec analyze --query two.npz --key qk.npz:k_0 -o o.h5 --force
echo $?
