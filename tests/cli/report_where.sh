# Rows are chosen by conditions. Layer 0: diag(3, 1), and a matrix that is not finite; layer 1: zero, and
# the identity. Norms 3, 0, 1; stable ranks 10/9, none, 2.
. "$CASES/npy.inc"
npy heads.npy "(2, 2, 2, 2)" 3 0 0 1  1 inf 3 0  0 0 0 0  1 0 0 1
attnspec analyze -q --kind logits --axes layer,head,query,key heads.npy -o heads.h5 2>/dev/null
show()
{
    echo "$*:" $(attnspec report heads.h5 --format csv --where "$@" | cut -d, -f3,5 | sed '1d; s/,/./')
}
show layer=0
show layer!=0
show layer=0-1,head=1
show layer=0,1,head=0,status=ok
show layer=1-
show 'layer>=1' --where 'head<1'
show status=ok
show 'status!=ok'
show 'status=non*'
show 'source=h?ads.*,tensor='
show scheme=
show 'spectral_norm>1'
show 'spectral_norm>=1'
show spectral_norm=3
show 'spectral_norm<=1e0,spectral_norm!=0'
show stable_rank=null
show 'stable_rank!=null'
show 'stable_rank!=2'
show seed=null
show 'n=2,rows=2,cols=2,dtype=f8'
# Counts and the summary are those of what is shown.
attnspec report heads.h5 --format json --where layer=0 | sed -n 's/.*\("counts":{[^}]*}\).*/\1/p'
attnspec report heads.h5 --where layer=1 | sed -n '/^Summary/,/^  Nearest/p'
attnspec report heads.h5 --format csv --values --where spectral_norm=1 | tr -d '\r' | cut -d, -f3,5,30-
# What is refused, in words.
refuse()
{
    attnspec report heads.h5 "$@"
    echo $?
}
refuse --where layr=0
refuse --where layer
refuse --where layer==0
refuse --where 'layer=>0'
refuse --where layer=x
refuse --where layer=
refuse --where 'layer<1-2'
refuse --where 'status<ok'
refuse --where spectral_norm=1-2
refuse --where 'spectral_norm<nan'
refuse --where 'scheme=rope:base=500,layout=half'
refuse --where layer=0,
# Nothing that fulfils them: nothing is written.
refuse --where layer=7 -o nothing.txt
ls
