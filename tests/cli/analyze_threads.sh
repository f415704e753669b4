# The same spectra to the last bit on 1 and 3 threads, and the same file under --deterministic.
data=$CASES/../../data/demo_logits_2x4x64x64_f32.npy
for j in 1 3; do
    attnspec analyze "$data" -o $j.h5 -j $j -q
    attnspec report $j.h5 --format csv --values >$j.csv
    attnspec analyze "$data" -o d$j.h5 -j $j -q --deterministic
done
cmp 1.csv 3.csv && cmp d1.h5 d3.h5 && wc -l <1.csv
