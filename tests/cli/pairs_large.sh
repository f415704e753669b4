# Logits of q and k that lie far below the others are logits, under a mask too.
. "$CASES/npy.inc"
npy q.npy "(3, 1)" 0 0 1
npy k.npy "(3, 1)" 0 -1 0
for mask in none causal window:3 prefix:1; do
    attnspec analyze --query q.npy --key k.npy --scale 90000 --mask $mask -q -o o.h5 --force
    attnspec report o.h5 --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                 { print $at["mask"], $at["spectral_norm"], $at["contraction_spectral_norm"] }'
done
