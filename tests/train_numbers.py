#!/usr/bin/env python3
"""Losses and gradients that the trainer's tests expect, by torch's automatic differentiation of the model
written anew from its description, in double precision.
    /usr/bin/python3 tests/train_numbers.py >tests/train_numbers.inc
torch 1.13.

The model. x = embedding[token], plus the rows of positions (learned), interleaved sinusoids (sinusoidal) or
[sin, cos] ones (the switch sinusoids). Each layer: h = LN(x); q, k, v from h; softmax of the scheme's logits;
x += output; x += ff_down(act(ff_up(LN(x)))). Then LN, the mean over positions, a linear head; for a task a
position the head at every position. Linear is x W^T + b. The loss is the mean of the cross-entropy over
all answers of the batch. Without the last LN its two tensors are not there, so the numbers of head.weight
and head.bias are two less.

The numbers. Element j of tensor number t, in the order of the tables below: u = (((131 t + j) 7919) mod 1009
/ 1009 - 0.5) 0.6; weights of LN are 1 + u, kerple's p and a 1 + u/2. Token i of sample s is (37 s + 11 i + 5)
mod (V - 1) + 1, and the last s mod 3 are padding, 0; its label is (5 s + 2) mod C. A position's label is
(5 s + 3 i) mod V, and none where i is even; there C is V."""
import math
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

N, VOCAB, DIM, HEADS, LAYERS, FF, CLASSES, BATCH = 7, 13, 12, 3, 2, 10, 5, 6
HS = DIM // HEADS

# Scheme, switches of the trainer's options, whether each position has an answer.
CASES = [
    ("nope", {}, False),
    ("sinusoidal", {}, False),
    ("learned", {}, False),
    ("rope", {}, False),
    ("rope:layout=half", {}, False),
    ("rope:rotary_heads=1", {}, False),
    ("alibi", {}, False),
    ("alibi:slopes=geometric", {}, False),
    ("relative", {}, False),
    ("t5:num_buckets=16,max_distance=64", {}, False),
    ("kerple", {}, False),
    ("kerple:form=power", {}, False),
    ("xpos", {}, False),
    ("mla", {}, False),
    ("rope", {"kv-from": "embeddings", "sinusoids": "yes", "final-norm": "no"}, False),
    ("nope", {"activation": "gelu", "pool": "tokens"}, False),
    ("rope", {"mask": "causal"}, True),
    ("t5:num_buckets=16,max_distance=64", {"mask": "causal"}, False),
    ("relative", {"mask": "causal"}, True),
]


def parse(text):
    name, _, rest = text.partition(":")
    return name, dict(pair.split("=") for pair in rest.split(",") if pair)


def classes(per_position):
    """A task that answers at each position answers by a token."""
    return VOCAB if per_position else CLASSES


def shapes(name, switches, per_position):
    """Names and shapes of the tensors in their order."""
    yield "embedding", (VOCAB, DIM)
    if name == "learned":
        yield "positions", (N, DIM)
    if name == "t5":
        yield "bias.table", (HEADS, 16)
    for layer in range(LAYERS):
        at = "layer_%d." % layer
        yield at + "norm1.weight", (DIM,)
        yield at + "norm1.bias", (DIM,)
        if name == "mla":
            yield at + "query_down.weight", (DIM // 2, DIM)
            yield at + "query_up.weight", (HEADS * 2 * HS, DIM // 2)
            yield at + "kv_down.weight", (DIM // 2, DIM)
            yield at + "key_up.weight", (DIM, DIM // 2)
            yield at + "value_up.weight", (DIM, DIM // 2)
            yield at + "key_rope.weight", (HS, DIM)
            yield at + "output.weight", (DIM, DIM)
        else:
            for part in ("query", "key", "value", "output"):
                yield at + part + ".weight", (DIM, DIM)
                yield at + part + ".bias", (DIM,)
        if name == "relative":
            yield at + "bias.table", (HEADS, 2 * N - 1)
        if name == "kerple":
            yield at + "bias.kernel", (HEADS, 2)
        yield at + "norm2.weight", (DIM,)
        yield at + "norm2.bias", (DIM,)
        yield at + "ff_up.weight", (FF, DIM)
        yield at + "ff_up.bias", (FF,)
        yield at + "ff_down.weight", (DIM, FF)
        yield at + "ff_down.bias", (DIM,)
    if switches.get("final-norm") != "no":
        yield "final_norm.weight", (DIM,)
        yield "final_norm.bias", (DIM,)
    yield "head.weight", (classes(per_position), DIM)
    yield "head.bias", (classes(per_position),)


def tensors(name, switches, per_position):
    made = {}
    for t, (tensor, shape) in enumerate(shapes(name, switches, per_position)):
        u = [(((t * 131 + j) * 7919) % 1009 / 1009 - 0.5) * 0.6 for j in range(math.prod(shape))]
        if "norm" in tensor and tensor.endswith("weight"):
            u = [1 + x for x in u]
        if tensor.endswith("kernel"):
            u = [1 + x / 2 for x in u]
        made[tensor] = torch.tensor(u).reshape(shape).requires_grad_()
    return made


def samples():
    tokens = [[(s * 37 + i * 11 + 5) % (VOCAB - 1) + 1 if i < N - s % 3 else 0 for i in range(N)]
              for s in range(BATCH)]
    of_sample = [(s * 5 + 2) % CLASSES for s in range(BATCH)]
    of_place = [[(s * 5 + i * 3) % VOCAB if i % 2 == 1 else -1 for i in range(N)] for s in range(BATCH)]
    return torch.tensor(tokens), torch.tensor(of_sample), torch.tensor(of_place)


PLACE = torch.arange(N, dtype=torch.float64)
DELTA = PLACE[:, None] - PLACE[None, :]  # query minus key


def frequencies(d):
    return 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoids(interleaved):
    angle = PLACE[:, None] * frequencies(DIM)
    parts = [torch.sin(angle), torch.cos(angle)]
    return torch.stack(parts, 2).reshape(N, DIM) if interleaved else torch.cat(parts, 1)


def turned(q, k, half=False, growth=None):
    """Sum over pairs of Re(q conj(k) e^{i theta (i - j)}) zeta^{(i - j)/512}; q, k [..., N, d]."""
    d = q.shape[-1]
    first = slice(0, d // 2) if half else slice(0, d, 2)
    second = slice(d // 2, d) if half else slice(1, d, 2)
    (qa, qb), (ka, kb) = (q[..., first], q[..., second]), (k[..., first], k[..., second])
    angle = DELTA[:, :, None] * frequencies(d)
    cosine, sine = torch.cos(angle), torch.sin(angle)
    if growth is not None:
        factor = growth ** (DELTA[:, :, None] / 512)
        cosine, sine = cosine * factor, sine * factor
    return (torch.einsum("...if,...jf,ijf->...ij", qa, ka, cosine)
            + torch.einsum("...if,...jf,ijf->...ij", qb, kb, cosine)
            - torch.einsum("...if,...jf,ijf->...ij", qb, ka, sine)
            + torch.einsum("...if,...jf,ijf->...ij", qa, kb, sine))


def buckets(bidirectional):
    """T5Attention._relative_position_bucket() of 16 buckets up to 64; of the key minus the query."""
    count, most, relative = 16, 64, (-DELTA).long()
    out = torch.zeros_like(relative)
    if bidirectional:
        count //= 2
        out = out + (relative > 0).long() * count
        relative = relative.abs()
    else:
        relative = -torch.min(relative, torch.zeros_like(relative))
    exact = count // 2
    far = exact + (torch.log(relative.float() / exact) / math.log(most / exact) * (count - exact)).long()
    far = torch.min(far, torch.full_like(far, count - 1))
    return out + torch.where(relative < exact, relative, far)


def slopes(geometric):
    """Of 3 heads; the authors take those of 2 and then the first of 4."""
    return torch.tensor([2.0 ** (-8 * (h + 1) / 3) for h in range(3)] if geometric else
                        [2.0 ** -4, 2.0 ** -8, 2.0 ** -2])


def bias(name, given, p, at, causal):
    """[HEADS][N][N], or 0."""
    if name == "alibi":
        return -slopes(given.get("slopes") == "geometric")[:, None, None] * DELTA.abs()
    if name == "relative":
        return p[at + "bias.table"][:, (DELTA + N - 1).long()]
    if name == "t5":
        return p["bias.table"][:, buckets(not causal)]
    if name == "kerple":
        power, factor = p[at + "bias.kernel"].T[:, :, None, None]
        if given.get("form") == "power":
            return -factor * DELTA.abs() ** power
        return -power * torch.log(1 + factor * DELTA.abs())
    return 0


def linear(p, name, x):
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def norm(p, name, x):
    return F.layer_norm(x, (DIM,), p[name + ".weight"], p[name + ".bias"], 1e-5)


def split(x, heads=HEADS):
    return x.reshape(BATCH, N, heads, -1).transpose(1, 2)


def mla(p, at, h):
    """Scaled logits [BATCH][HEADS][N][N], and values."""
    latent = linear(p, at + "kv_down", h)
    q = split(linear(p, at + "query_up", linear(p, at + "query_down", h)))
    k = split(linear(p, at + "key_up", latent))
    rotated = split(linear(p, at + "key_rope", h), 1).expand(-1, HEADS, -1, -1)
    logits = q[..., :HS] @ k.transpose(2, 3) + turned(q[..., HS:], rotated)
    return logits / math.sqrt(2 * HS), split(linear(p, at + "value_up", latent))


def attention(name, given, p, at, h, source, causal):
    if name == "mla":
        logits, v = mla(p, at, h)
    else:
        q, k, v = (split(linear(p, at + part, x))
                   for part, x in (("query", h), ("key", source), ("value", source)))
        logits = q @ k.transpose(2, 3)
        if name == "rope":
            rotating = int(given.get("rotary_heads", HEADS))
            with_position = turned(q, k, given.get("layout") == "half")
            logits = torch.cat([with_position[:, :rotating], logits[:, rotating:]], 1)
        if name == "xpos":
            f = torch.arange(0, HS, 2, dtype=torch.float64)
            logits = turned(q, k, growth=(f + 0.4 * HS) / (1.4 * HS))
        scale = 1 if name == "t5" else 1 / math.sqrt(HS)
        logits = logits * scale + bias(name, given, p, at, causal)
    if causal:
        logits = logits.masked_fill(DELTA < 0, -math.inf)
    out = torch.softmax(logits, 3) @ v
    return linear(p, at + "output", out.transpose(1, 2).reshape(BATCH, N, DIM))


def loss_of(scheme, switches, per_position, p):
    name, given = parse(scheme)
    tokens, of_sample, of_place = samples()
    causal = switches.get("mask") == "causal"
    activate = F.gelu if switches.get("activation") == "gelu" else F.relu
    x = p["embedding"][tokens]
    if name == "learned":
        x = x + p["positions"]
    if name == "sinusoidal":
        x = x + sinusoids(True)
    if switches.get("sinusoids") == "yes":
        x = x + sinusoids(False)
    x0 = x
    for layer in range(LAYERS):
        at = "layer_%d." % layer
        h = norm(p, at + "norm1", x)
        source = x0 if switches.get("kv-from") == "embeddings" else h
        x = x + attention(name, given, p, at, h, source, causal)
        x = x + linear(p, at + "ff_down", activate(linear(p, at + "ff_up", norm(p, at + "norm2", x))))
    if switches.get("final-norm") != "no":
        x = norm(p, "final_norm", x)
    if per_position:
        return F.cross_entropy(linear(p, "head", x).reshape(-1, VOCAB), of_place.reshape(-1),
                               ignore_index=-1)
    if switches.get("pool") == "tokens":
        seen = (tokens != 0).double()[:, :, None]
        x = (x * seen).sum(1) / seen.sum(1)
    else:
        x = x.mean(1)
    return F.cross_entropy(linear(p, "head", x), of_sample)


def run(case):
    """The loss, and of each tensor its name, the sum of its gradient g, and the sum of g_j (j mod 7 + 1)."""
    p = tensors(parse(case[0])[0], case[1], case[2])
    loss = loss_of(*case, p)
    loss.backward()
    rows = []
    for name, tensor in p.items():
        g = tensor.grad.reshape(-1)
        rows.append((name, g.sum().item(), (g * (torch.arange(len(g)) % 7 + 1)).sum().item()))
    return loss.item(), rows


HEADER = """/* Made by tests/train_numbers.py; see there. Sizes; and of each case the loss, and of each tensor in its
 * order the sum of its gradient g and the sum of g[j]*(j %% 7 + 1). */
enum {
    TRAIN_N = %d,
    TRAIN_VOCAB = %d,
    TRAIN_DIM = %d,
    TRAIN_HEADS = %d,
    TRAIN_LAYERS = %d,
    TRAIN_FF = %d,
    TRAIN_CLASSES = %d,
    TRAIN_BATCH = %d
};
typedef struct train_sums {
    const char *tensor;
    double sum, weighted;
} train_sums;
typedef struct train_case {
    const char *scheme;
    const char *switches[4][2]; /* option, value; ends with NULL */
    bool per_position;          /* labels are those of positions */
    double loss;
    size_t count;
    const train_sums *sums; /* [count] */
} train_case;"""


def main():
    print(HEADER % (N, VOCAB, DIM, HEADS, LAYERS, FF, CLASSES, BATCH))
    table = []
    for c, case in enumerate(CASES):
        loss, rows = run(case)
        print("static const train_sums train_sums_%d[%d] = {" % (c, len(rows)))
        for row in rows:
            print('    {"%s", %.17g, %.17g},' % row)
        print("};")
        words = ["{\"%s\", \"%s\"}" % pair for pair in case[1].items()] + ["{NULL, NULL}"]
        table.append('    {"%s",\n     {%s},\n     %s, %.17g, %d, train_sums_%d},' % (
            case[0], ", ".join(words), "true" if case[2] else "false", loss, len(rows), c))
    print("static const train_case train_cases[%d] = {" % len(CASES))
    print("\n".join(table))
    print("};")


if __name__ == "__main__":
    main()
