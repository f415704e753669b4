# --batch, wherever the batch is: an axis, a number in a name, a file's name.
. "$CASES/columns.inc"
for python in python3 /usr/bin/python3 none; do
    $python -c 'import h5py' 2>/dev/null && break
done
[ $python != none ] || exit 77
$python -c '
import h5py, numpy as np
a = (10 * np.arange(3)[:, None, None, None] + np.arange(2)[:, None, None] + 2) * np.eye(4)
np.save("five.npy", np.stack([a, 7 * a]))
np.save("four.npy", a)
np.savez("layers.npz", a, 7 * a)
for batch in range(3):
    np.save(f"batch_{batch}.npy", a[batch])
with h5py.File("saver.h5", "w") as f:
    for layer in range(2):
        for batch in range(3):
            for head in range(2):
                f[f"layer_{layer}/batch_{batch}/head_{head}"] = (1 + 6 * layer) * a[batch, head]
'
# Every norm is 10 batch + head + 2, in layer 1 of what has two seven times that.
first()
{
    attnspec analyze "$@" -o o.h5 --force -q --batch 1-
    columns tensor layer batch head spectral_norm | awk '{ $NF = sprintf("%.6g", $NF); print }'
}
first five.npy --layers 1
first four.npy --axes batch,head,query,key
first layers.npz
first saver.h5
first batch_0.npy batch_1.npy batch_2.npy
for input in five.npy layers.npz saver.h5 four.npy batch_1.npy; do
    attnspec analyze $input --batch 0,3
    echo $?
done
attnspec analyze batch_0.npy batch_2.npy --batch 1
echo $?
