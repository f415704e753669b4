# Eigenvalues have one order, that of no driver: by magnitude, then real part, then imaginary part, + before
# -; the last digit decides nothing; conjugates of a real matrix are pairs to the last bit.
. "$CASES/numpy.inc"
$python - <<'EOF'
import numpy as np
shift = np.roll(np.eye(3), 1, axis=1)
np.save("heads.npy", np.stack([np.tri(3) / np.arange(1, 4)[:, None], shift, shift.T, np.diag([-1.0, 1, 0.5])]))
np.save("random.npy", np.random.default_rng(1).normal(size=(40, 40)))
EOF
attnspec analyze heads.npy --kind logits --mask none --spectra singular,symmetric,eigen -q -o o.h5
rows head singular_values symmetric_eigenvalues eigenvalues
attnspec analyze random.npy --spectra eigen -q -o o.h5 --force
rows n >/dev/null
$python - <<'EOF'
import json, numpy as np
found = json.load(open("rows.json"))["matrices"][0]["eigenvalues"]
z = np.array([complex(*x) for x in found])
expected = np.linalg.eigvals(np.load("random.npy"))
print(all(np.abs(expected - x).min() < 1e-12 for x in z), bool((np.diff(np.abs(z)) < 1e-12).all()))
pairs = [i for i, x in enumerate(found) if x[1] > 0]
print(len(pairs) > 0, all(found[i + 1] == [found[i][0], -found[i][1]] for i in pairs))
EOF
