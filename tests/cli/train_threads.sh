# The same bytes on 1 and 3 threads: of what is trained, measured and removed. Seventeen samples are no
# multiple of anything.
. "$CASES/train.inc"
odd="$small --batch 17 --test-samples 67 --n 13 --task distance:between=6 -q"
for words in "--scheme rope" "--scheme t5 --dropout 0.2" "--scheme learned --samples 40" "--scheme mla --clip 0.3"; do
    for j in 1 3; do
        attnspec train $odd $words -j $j -o $j.h5 --force
        attnspec ablate $j.h5 -j $j -q --deterministic >/dev/null
    done
    cmp 1.h5 3.h5 && echo "$words: the same"
    cp 1.h5 first.h5
done
# Another seed is another training.
attnspec train $odd $words --seed 1 -o other.h5
cmp -s other.h5 first.h5 || echo "another one"
for j in 1 3; do
    attnspec train $odd --steps 3 --compare 'rope|kerple' --seeds 2 --task distance:between=6 -j $j -o c$j.h5
done
cmp c1.h5 c3.h5 && echo "and comparisons"
