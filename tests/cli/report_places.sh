# Where a matrix stands, in words: layer and head of a tensor that is a mere place in a list, and its
# name where that says more (the step of a generation); layer 0 and batch 0 too where there are others.
# Each layer, batch entry and head is its own number times the matrix of ones, of spectral norm 3.
modules=torch
. "$CASES/numpy.inc"
$python - <<'EOF'
import torch
ones = torch.ones(2, 2, 3, 3, dtype=torch.float64)                  # batch, head, query, key
size = torch.tensor([[1.0, 4], [3, 2]])[:, :, None, None].double()
torch.save((10 * size * ones, size * ones), "list.pt")
torch.save(((5 * ones[:1], ones[:1] * size[:1]), (2 * ones[:1, :, :1], 3 * ones[:1, :, :1])), "steps.pt")
torch.save({"attn": size * ones}, "named.pt")                       # layer, head, query, key
ones[1, 0, 2, 1] = float("nan")
torch.save((size * ones, size), "nan.pt")
torch.save({"layer_3": ones[0], "layer_7": ones[1]}, "names.pt")
EOF
for file in list.pt steps.pt named.pt; do
    attnspec analyze $file | grep -A1 'Spectral norm'
done
attnspec analyze nan.pt >out
attnspec analyze names.pt >out
