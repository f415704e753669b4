# Dumps whose parts do not go together: a row with its reason, never a ratio of what is not there, and
# no guarantee for a scheme that is only claimed.
for python in python3 /usr/bin/python3 none; do
    $python -c 'import h5py' 2>/dev/null && break
done
[ $python != none ] || exit 77
attnspec build --scheme rope_hadamard --n 8 --head-dim 4 --heads 2 -q -o true.h5
$python "$CASES/../dump_lies.py" ./true.h5 >names
for name in true $(cat names); do
    attnspec analyze $name.h5 --heads 0 --force -q -o o.h5 2>err
    echo "$name $?" $(cut -d: -f3- err | tail -1)
    attnspec report o.h5 --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
                 NR == 2 { print "  " $at["status"], $at["contraction_baseline"], $at["contraction_guarantee"] }'
    attnspec build --scheme rope --content file:$name.h5 --force -q -o b.h5 2>err
    echo "  build $?"
    rm -f o.h5
done
# q and k that the logits do not come of have no terms: an alignment above 1 would be one of others.
attnspec build --scheme rope --n 8 --head-dim 4 --heads 2 -q --force -o true.h5
$python "$CASES/../dump_lies.py" ./true.h5 >names
for name in true scheme_claimed query_other; do
    attnspec analyze $name.h5 --heads 0 --force -q -o o.h5
    attnspec report o.h5 --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
                 NR == 2 { x = $at["contraction_alignment_coupled_spectral"]
                           print (x == "" ? "no alignment" : x <= 1 ? "alignment at most 1" : x) }'
done
