# Without -o the report is printed and nothing is written. Causal ones: 1/(2 sin(π/14)) = 2.247.
. "$CASES/npy.inc"
npy a.npy "(1, 3, 3)" 1 -inf -inf 1 1 -inf 1 1 1
attnspec analyze a.npy
echo $?
ls
