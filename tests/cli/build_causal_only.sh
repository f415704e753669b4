# Schemes that sum over the tokens up to the query refuse heads without a causal mask.
for scheme in cope fox grape_a grape_a:form=linear; do
    attnspec build --scheme $scheme --n 13 --head-dim 8 -q -o none.h5
    echo $?
    attnspec build --scheme $scheme --n 13 --head-dim 8 --mask causal -q --force -o causal.h5
    echo $?
done
for scheme in pope selective_rope grape_m; do
    attnspec build --scheme $scheme --n 13 --head-dim 8 -q --force -o causal.h5
    echo $?
done
attnspec analyze causal.h5 | grep Contraction
ls
