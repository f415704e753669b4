# A file of a few kilobytes can claim millions of chunks, each of which costs HDF5 microseconds: refused
# at once, and the others go on.
. "$CASES/numpy.inc"
$python - <<'EOF'
import h5py
with h5py.File("chunks.h5", "w") as f:
    f.create_dataset("layer_0", (1024, 1024), "f4", chunks=(1, 1))
    f.create_dataset("layer_1", data=[[1.0, 2.0], [3.0, 4.0]], chunks=(1, 1))
EOF
timeout 20 attnspec analyze chunks.h5 -o o.h5
echo $?
