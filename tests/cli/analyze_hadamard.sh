# The averaged RoPE kernel contracts every Ky Fan norm of any content, masked on both sides or not:
# guaranteed, and so it must come out. True RoPE is only observed, whatever comes out.
column()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
                          NR > 1 { print $at }'
}
for content in gaussian mean:strength=4 ar1:rho=0.9 zipf; do
    for mask in none causal; do
        attnspec build --scheme rope_hadamard --content $content --mask $mask --n 37 --head-dim 16 \
            --heads 3 -o d.h5 --force -q
        attnspec analyze d.h5 -o o.h5 --force -q --spectra symmetric
        attnspec report o.h5 --format csv >o.csv
        echo "$content $mask" $(column contraction_guarantee <o.csv | sort -u) \
            $(column contraction_weakly_majorised <o.csv | sort -u)
        for norm in spectral_norm frobenius_norm nuclear_norm spread; do
            column contraction_$norm <o.csv | awk -v norm=$norm '!($1 <= 1 + 1e-9) { print norm, $1 }'
        done
    done
done
attnspec build --scheme rope --content mean:strength=4 --n 37 --head-dim 16 -o d.h5 --force -q
attnspec analyze d.h5 -o o.h5 --force -q
attnspec report o.h5 --format csv | column contraction_guarantee
# A file's word for its scheme is not taken: these are not a Hadamard product.
attnspec build --scheme alibi --n 13 --head-dim 4 -o d.h5 --force -q
attnspec analyze d.h5 -o o.h5 --force -q
attnspec report o.h5 --format csv | column contraction_guarantee
