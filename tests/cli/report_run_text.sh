# A training run for people: what came of it, how it learned, its spectra along training, what each head costs.
. "$CASES/runs.inc"
attnspec report run_small.h5
# A run that is at its plateau, without position in its logits, and not ablated.
attnspec report run_nope.h5
# Without UTF-8; the file that ends with .part has no spectra but those of one step.
LC_ALL=C attnspec report run_small.h5 | sed -n '/Training$/,/^Spectra/p; /its mean/,/0    1/p'
# Whole history, every point of the spectra.
attnspec report run_small.h5 --values >values.txt
grep -c . values.txt
sed -n '/^ *learning/,/^ *21 /p; /spectr\. *Frob/,/1\.1/p' <values.txt
for file in run_small.h5 run_nope.h5 run_small.h5.part comparison_small.h5 comparison_one.h5.part; do
    attnspec report --values $file | wide
    LC_ALL=C attnspec report --values $file | wide
done
