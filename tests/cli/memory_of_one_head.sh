# One head of a dump of 256 MiB takes the memory of a few matrices, not of the file; its
# description takes none of it.
modules=h5py
. "$CASES/numpy.inc"
(
    # A sanitizer reserves more than any limit.
    ulimit -v 2000000
    attnspec --version >/dev/null 2>&1
) || exit 77
$python - <<'EOF'
import h5py, numpy as np
a = np.lib.format.open_memmap("a.npy", "w+", "<f2", (1, 32, 2048, 2048))  # holes but for one head
a[0, 30] = 2.0
a.flush()
with h5py.File("a.h5", "w") as f:
    d = f.create_dataset("attn", (1, 512, 512, 512), "<f2", chunks=(1, 1, 512, 512), compression="gzip")
    d[0, 30] = 2.0
EOF
cat >run.py <<'EOF'
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(code, "little" if peak < float(sys.argv[1]) else f"{peak} MiB")
EOF
for file in a.npy a.h5; do
    $python run.py 60 attnspec info --headers $file
    $python run.py 200 attnspec analyze $file --heads 30 --kind logits -q -o o.h5 --force
    rows head rows metrics.frobenius_norm metrics.matrix_rank
done
