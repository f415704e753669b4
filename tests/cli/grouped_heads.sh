# Query head h uses key head h / (H / K), rounded down: 0, 0, 1, 1 and not 0, 1, 0, 1. One position and
# one dimension make every logit its own singular value.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
np.save("q4.npy", np.array([1.0, 2, 3, 4]).reshape(4, 1, 1))
np.save("k2.npy", np.array([10.0, 100]).reshape(2, 1, 1))
np.save("k1.npy", np.array([10.0]).reshape(1, 1, 1))
np.save("q3.npy", np.ones((3, 1, 1)))
np.save("q2.npy", np.ones((2, 1, 1)))
rng = np.random.default_rng(0)
q, k = rng.normal(size=(4, 3, 2)), rng.normal(size=(2, 3, 2))
np.save("q.npy", q), np.save("k.npy", k)
np.save("q_last.npy", q.transpose(1, 0, 2)), np.save("k_last.npy", k.transpose(1, 0, 2))
for i in range(4):
    s = np.linalg.svd(q[i] @ k[i // 2].T, compute_uv=False)
    print(i, [round(x, 12) + 0.0 for x in s.tolist()])
EOF
pair()
{
    attnspec analyze --query $1.npy --key $2.npy --scale 1 --scheme nope -q -o o.h5 --force
    echo "$1 $2 $?"
}
pair q4 k2 && rows head singular_values
pair q4 k1 && rows head singular_values
pair q3 k2
pair q2 q4
# Against numpy, whose lines stand above; the axes as the user says.
axes=head,position,dim
attnspec analyze --query q.npy --key k.npy --scale 1 --query-axes $axes --key-axes $axes -q -o o.h5 --force
rows head singular_values
axes=position,head,dim
attnspec analyze --query q_last.npy --key k_last.npy --scale 1 --query-axes $axes --key-axes $axes -q -o o.h5 --force
rows head singular_values
attnspec analyze --query q_last.npy --key k_last.npy --query-axes head,head,dim -q -o o.h5 --force
echo $?
