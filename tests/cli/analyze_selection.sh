# Layers, heads and drivers are chosen; what is not there is said.
data=$CASES/../../data/demo_logits_2x4x64x64_f32.npy
rows()
{
    attnspec analyze "$data" -o o.h5 --force -q "$@"
    echo $?
    attnspec report o.h5 --format csv | cut -d, -f3,5 | tr '\n' ' '
    attnspec report o.h5 --format json | grep -o '"driver":"[a-z]*","mask' | cut -d'"' -f4 | sort | uniq -c
}
rows --layers 1 --heads 0,2-
rows --heads 3 --driver gesvd
rows --heads 3 --driver gesdd
rows --heads 3 -j 1
rm o.h5
attnspec analyze "$data" -o o.h5 --layers 7
echo $?
attnspec analyze "$data" --heads 1-x
echo $?
attnspec analyze "$data" --axes query,key
echo $?
attnspec analyze "$data" --mask caussal
echo $?
attnspec analyze "$data" --rank-tolerance rel:-1
echo $?
ls
