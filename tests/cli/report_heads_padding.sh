# Padding makes no matrix large enough for a role: four tokens have none, kept in 64 or by themselves,
# square or as the last queries alone; nine have the same roles either way.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
for n in 4, 9:
    a = np.full((64, 64), -np.inf)
    a[:n, :n] = 2 * np.eye(n) + np.eye(n, k=-1) / 7
    a[np.triu_indices(64, 1)] = -np.inf
    np.save(f"square{n}.npy", a)
    wide = a[::-1, ::-1].T[-12:]
    np.save(f"wide{n}.npy", wide)
EOF
for name in square4 wide4 square9 wide9; do
    for drop in "" --drop-padding; do
        attnspec analyze -q --kind logits $drop $name.npy -o o.h5 --force
        echo $name $drop "$(attnspec report o.h5 --format csv | tr -d '\r' | sed -n 2p | awk -F, '{ print $NF }')"
    done
done
