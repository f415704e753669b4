# What is no training says why, and what would be one.
. "$CASES/train.inc"
try()
{
    # The list of schemes grows.
    attnspec train "$@" 2>&1 | sed 's/valid are nope,.*; did/valid are LIST; did/; s/machine has .*/machine has so much/'
    attnspec train "$@" >/dev/null 2>&1
    echo $?
}
try --scheme rop
try --scheme rope:bse=3
try --scheme rope --dim 12 --heads 4
try --scheme sinusoidal --dim 9 --heads 1
try --scheme hf:missing.json
try --scheme t5:file=missing.npy
try --task distanse
try --task distance:betwen=3
try --task distance:between=20
try --task count:sentence=30
try --task copy:length=12
try --task lm
try --task lm:file=missing
try --task lm:file=.
echo short >text
try --task lm:file=text
try --preset tinny
try --profile gu2052
try --dim 30
try --vocab 5
try --vocab 3
try --n 4
try --lr 0
try --lr -1
try --lr nan
try --dropout 1
try --mask windw
try --sinusoids with
try --steps 0
try --seed 9007199254740993
try --seed -1
try --test-samples 7 --probe 8
try --spectra-every often
try --spectra-every ''
try --test-every -1
try --checkpoint-every 1e3 -o o.h5
try --checkpoint-every 0 -o o.h5
try --layers 1024 --dim 16384 --heads 1 -j 1
try --layers 1024 --dim 16384 --heads 1 -j 1 -o o.h5
try --compare rope --layers 1024 --dim 16384 --heads 1 -j 1 -o o.h5
try --batch 1048576 --n 65536 --dim 65536 --heads 1 --task copy
try rope
try --compare rope --scheme alibi
try --resume
try --stop-at 3
try --checkpoint-every 3
try --seeds 3
for one in "--stop-at 3" "--checkpoint-every 3" "--probe 3" "--spectra-every 3" "--test-every 3"; do
    try --compare rope $one -o o.h5
done
try --compare
try --compare ''
try --compare 'rope||alibi'
try --compare @missing
: >empty
try --compare @empty
try --compare rope rop -o o.h5
try --compare 'nope|rope' --dim 12 --heads 4 -o o.h5
try --compare 'nope|cope' -o o.h5
try --compare all --dim 30
try --compare all --task lm:file=missing
try --compare rope --seed 9007199254740991 --seeds 3
ls
