# Files that are layers; what is called q.npy is analysed all the same.
. "$CASES/npy.inc"
. "$CASES/columns.inc"
for layer in 0 1 2 3 4 5 6 7 8 9 10 11; do
    npy layer_$layer.npy "(2, 2)" 1 2 3 $((layer % 4))
done
attnspec analyze layer_*.npy -o o.h5 -q
columns layer batch head source | sort -n
attnspec analyze layer_*.npy -o o.h5 --force -q --layers 3,10-
columns layer source
# Gaps are said.
attnspec analyze layer_0.npy layer_1.npy layer_7.npy layer_8.npy layer_10.npy --layers 5
echo $?
npy q.npy "(1, 2, 2, 2)" 1 2 3 0 3 2 1 0
cp q.npy bert_layer2-head3.f64.npy
attnspec analyze q.npy bert_layer2-head3.f64.npy -o o.h5 --force -q
columns source layer batch head
# So many heads there are.
npy bert_heads2.npy "(2, 2, 2)" 1 2 3 0 3 2 1 0
attnspec analyze bert_heads2.npy -o o.h5 --force -q
columns source layer batch head
# Files that are given for each other belong together, unless both say a layer.
npy content.npy "(2, 2)" 1 0 0 2
attnspec analyze layer_3.npy --baseline content.npy -o o.h5 --force -q
columns layer contraction_spectral_norm | cut -c1-6
attnspec analyze content.npy --baseline layer_3.npy -o o.h5 --force -q
columns layer contraction_spectral_norm | cut -c1-6
attnspec analyze layer_3.npy --baseline layer_2.npy -o o.h5 --force -q
echo $?
attnspec analyze layer_3.npy --baseline layer_0.npy -o o.h5 --force -q
echo $?
cp layer_2.npy k_layer2.npy
cp layer_3.npy q_layer3.npy
attnspec analyze --query q_layer3.npy --key content.npy -o o.h5 --force -q
columns layer rows cols
attnspec analyze --query q_layer3.npy --key k_layer2.npy -o o.h5 --force -q
echo $?
