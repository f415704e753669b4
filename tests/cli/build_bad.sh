# What cannot be built is 2, an output that is there 4, more than the machine's memory 1; nothing stays.
refused()
{
    attnspec build "$@"
    echo $?
}
refused -o o.h5
refused --scheme rope
refused --scheme rope -o -
# The lists of schemes and contents grow.
refused --scheme rop -o o.h5 2>&1 | sed "s/valid are .*; did/valid are LIST; did/"
refused --scheme rope:base=-3 -o o.h5
refused --scheme rope --content gausian -o o.h5 2>&1 | sed "s/valid are .*; did/valid are LIST; did/"
refused --scheme rope --head-dim 7 -o o.h5
refused --scheme rope --heads 3 --kv-heads 2 -o o.h5
refused --scheme rope --heads 2 --kv-heads 4 -o o.h5
refused --scheme rope --mask auto -o o.h5
refused --scheme rope --mask windw:3 -o o.h5
refused --scheme rope --n 0 -o o.h5
refused --scheme rope --n 10000000 -o o.h5 2>&1 | sed 's/ machine has.*/ machine has so much/'
refused --scheme rope -o missing/o.h5
ls -A
echo kept >o.h5
refused --scheme rope -o o.h5
refused --scheme rope -o o.h5/below.h5
cat o.h5
refused --scheme rope --n 13 -o o.h5 --force -q
ls -A
