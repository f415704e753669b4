# One infinity makes LAPACK's SVD loop for ever or give NaN as if all were well: whatever is not finite
# is counted and placed before a driver sees it, with every driver and every spectrum, and in time.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
ones = np.ones((3, 3, 3))
ones[0, 0, 0], ones[1, 2, 1], ones[2, 1, 1] = np.inf, np.nan, np.inf
ones[2, 1, 2] = np.nan
np.save("bad.npy", ones)
np.save("pair.npy", np.array([[np.nan, 5], [np.nan, np.nan]]))
large = np.ones((300, 300))
large[299, 0] = np.inf
np.save("large.npy", large)
np.save("minus.npy", np.array([[0.5, 0.5], [1, -np.inf]]))
np.save("query.npy", np.array([[[1.0, np.nan], [1, 1]], [[1, 2], [3, 4]]]))
np.save("key.npy", np.ones((2, 2, 2)))
np.save("causal.npy", np.array([[0, -np.inf, -np.inf], [0, 0, -np.inf], [0, 0, 0.0]]))
EOF
for file in bad pair large; do
    for driver in auto onepass gesdd gesvd; do
        timeout 20 attnspec analyze $file.npy --kind logits --driver $driver \
            --spectra singular,symmetric,eigen -q -o o.h5 --force 2>/dev/null
        echo "$file $driver $?"
    done
    rows status reason singular_values eigenvalues
done
timeout 20 attnspec analyze minus.npy --kind weights -q -o o.h5 --force
echo $?
timeout 20 attnspec analyze --query query.npy --key key.npy --scheme rope -q -o o.h5 --force
echo $?
rows head status
# Minus infinity in logits is a mask, and no driver sees it.
for how in zero softmax; do
    timeout 20 attnspec analyze causal.npy --masked-as $how --spectra singular,eigen -q -o o.h5 --force
    echo $?
    rows mask status singular_values eigenvalues
done
