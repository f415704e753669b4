# Models as they are saved by name: GPT-2, LLaMA, T5, attention-saver, TransformerLens.
. "$CASES/columns.inc"
for python in python3 /usr/bin/python3 none; do
    $python -c 'import h5py' 2>/dev/null && break
done
[ $python != none ] || exit 77
$python -c '
import h5py, numpy as np
rng = np.random.default_rng(3)
a = np.tril(rng.random((1, 2, 4, 4)))
a /= a.sum(-1, keepdims=True)
np.savez("models.npz", **{name: a for name in (
    "transformer.h.3.attn.weights", "model.layers.3.self_attn.attn_weights",
    "encoder.block.3.layer.0.SelfAttention.weights", "decoder.block.4.layer.1.EncDecAttention.weights")})
np.savez("projections.npz", **{name: a for name in (
    "model.layers.3.self_attn.q_proj", "model.layers.3.self_attn.k_proj", "transformer.h.3.attn.q",
    "decoder.block.3.layer.0.SelfAttention.k", "q.0", "v.0")})
with h5py.File("saver.h5", "w") as f:
    for layer, batch, head in np.ndindex(2, 2, 2):
        f[f"layer_{layer}/batch_{batch}/head_{head}"] = a[0, head]
# batch 2, 5 positions, 4 query heads, 2 key heads, dim 3
q, k = rng.standard_normal((2, 2, 5, 4, 3)), rng.standard_normal((2, 2, 5, 2, 3))
lens = {}
for layer in range(2):
    lens[f"blocks.{layer}.attn.hook_q"] = q[layer]
    lens[f"blocks.{layer}.attn.hook_k"] = k[layer]
    lens[f"blocks.{layer}.attn.hook_v"] = k[layer]
    s = np.einsum("bqhd,bkhd->bhqk", q[layer], np.repeat(k[layer], 2, 2)) / np.sqrt(3)
    lens[f"blocks.{layer}.attn.hook_attn_scores"] = s
    p = np.exp(s)
    lens[f"blocks.{layer}.attn.hook_pattern"] = p / p.sum(-1, keepdims=True)
np.savez("lens.npz", **lens)
np.savez("lens_no_batch.npz", hook_rot_q=q[0, 0], hook_rot_k=k[0, 0])
s = np.stack([lens[f"blocks.{layer}.attn.hook_attn_scores"] for layer in range(2)])
np.save("norms.npy", np.linalg.norm(s, 2, axis=(-2, -1)))
'
for file in models.npz saver.h5; do
    attnspec analyze $file -o o.h5 --force -q
    columns tensor layer batch head kind
done
attnspec analyze projections.npz -o o.h5 --force
echo $?
attnspec analyze lens.npz -o o.h5 --force -q
columns tensor layer batch head rows cols kind status
# Positions are before heads: the logits are those that hook_attn_scores has.
check()
{
    columns layer batch head spectral_norm | grep '\.' | $python -c '
import sys, numpy as np
norms, rows = np.load("norms.npy"), [line.split() for line in sys.stdin]
print(len(rows), all(abs(float(r[3]) / norms[int(r[0]), int(r[1]), int(r[2])] - 1) < 1e-12 for r in rows))'
}
attnspec analyze 'lens.npz:*scores' -o o.h5 --force -q
check
attnspec analyze --query lens.npz --key lens.npz -o o.h5 --force -q
check
columns status tensor reason | grep ^skipped | sort | uniq -c | sed 's/^ *//'
attnspec analyze --query lens_no_batch.npz:*q --key lens_no_batch.npz:*k -o o.h5 --force -q
check
