# A model's config.json stands for its scheme, and for the sizes that are not named; what it does not
# say is 2. xPos without a mask warns.
cat >config.json <<'END'
{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
 "rope_theta": 500000.0, "max_position_embeddings": 131072,
 "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                  "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}
END
sed 's/llama3/mystery/' config.json >mystery.json
attnspec build --hf-config config.json --n 13 -q -o a.h5
attnspec build --scheme hf:config.json --heads 4 --kv-heads 2 --head-dim 16 --n 13 -q -o b.h5
attnspec build --hf-config config.json --heads 1 --head-dim 8 --n 13 -q -o c.h5
for f in a b c; do
    /usr/bin/python3 -c "import h5py; f = h5py.File('$f.h5'); print(f['dump'].attrs.get('scheme', f.attrs.get('scheme')), f['dump/query'].shape, f['dump/key'].shape)"
done
/usr/bin/python3 -c "
import h5py, numpy as np
a, b = (h5py.File(f)['dump/logits'][:] for f in ('a.h5', 'b.h5'))
print('the same logits:', np.array_equal(a, b))
f = h5py.File('a.h5')
np.save('q.npy', f['dump/query'][0])
np.save('k.npy', f['dump/key'][0])
"
attnspec analyze --query q.npy --key k.npy --hf-config config.json -q -o r.h5
attnspec report r.h5 --format json | grep -o '"scheme":"[^"]*"' | sort -u
attnspec build --hf-config mystery.json -o d.h5
echo $?
attnspec analyze --hf-config config.json
echo $?
attnspec build --scheme xpos --n 8 --head-dim 4 -q -o x.h5
attnspec build --scheme xpos --n 8 --head-dim 4 -o x.h5 --force 2>&1 | head -1
attnspec build --scheme xpos --n 8 --head-dim 4 -o y.h5 -q --mask causal
attnspec analyze --query q.npy --key k.npy --scheme xpos 2>&1 >/dev/null | sort -u
# A scale and a cap that are not applied are said, once.
echo '{"rope_theta": 10, "head_dim": 4, "query_pre_attn_scalar": 16, "attn_logit_softcapping": 50}' >gemma.json
attnspec build --hf-config gemma.json --n 8 -o g.h5 2>&1 | grep gemma.json
attnspec build --scheme hf:gemma.json --n 8 --head-dim 4 -o g.h5 --force 2>&1 | grep gemma.json
attnspec sweep --scheme 'nope|hf:gemma.json' --n 8 --head-dim 4 2>&1 >/dev/null | grep gemma.json
attnspec analyze --query q.npy --key k.npy --hf-config gemma.json 2>&1 >/dev/null | grep gemma.json
attnspec analyze --query q.npy --key k.npy --scheme hf:gemma.json 2>&1 >/dev/null | grep gemma.json
