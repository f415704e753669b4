# --dry-run says how many matrices of which shapes, what is left out and why, and how much memory; it
# writes nothing and ends as the plan would.
modules=resource
. "$CASES/numpy.inc"
. "$CASES/npy.inc"
mkdir in
for layer in 1 2 10; do
    npy in/layer_$layer.npy "(2, 2, 2)" 1 2 3 0 3 2 1 0
done
npy in/wide.npy "(1, 3)" 1 2 3
npy in/truncated.npy "(2, 2)" 1 2 3
descr='|i1' npy in/integers.npy "(1, 8)" 1
echo "1 2" >in/text.csv
echo "no numbers" >in/README
# Time depends on the machine; memory is measured below.
masked()
{
    sed 's/^Time: about [0-9.]* \(s\|min\|h\),/Time: about T,/; /^Memory/s/about [0-9]* MiB: [0-9.]* /about M MiB: M /
        s/, [0-9]* besides/, M besides/'
}
attnspec analyze in -o o.h5 -j 2 --dry-run >out
echo $?
masked <out
rm in/truncated.npy in/README
attnspec analyze in/layer_*.npy --heads 0 --dry-run -j 1 >out
echo $?
masked <out
attnspec analyze in/integers.npy --dry-run
echo $?
attnspec analyze in --driver onepass --dry-run
echo $?
attnspec analyze in --layers 7 --dry-run
echo $?
ls
# What it says of memory is what is used, within a factor of two.
$python - <<'EOF'
import numpy, re, resource, subprocess
numpy.save("a.npy", numpy.random.default_rng(1).standard_normal((6, 900, 900)))
command = ["attnspec", "analyze", "a.npy", "-j2", "-q"]
said = subprocess.run(command + ["--dry-run"], capture_output=True, text=True).stdout
said = int(re.search("Memory: about ([0-9]+) MiB", said)[1])
subprocess.run(command + ["-o", "o.h5"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
sanitized = b"__asan" in open(subprocess.run(["which", "attnspec"], capture_output=True, text=True).stdout.strip(), "rb").read()
print("memory as it was said" if sanitized or used / 2 < said < 2 * used else (said, used))
EOF
