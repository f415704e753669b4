"""torch's side of the training benchmark: a long-lived child that times steps of the same model.

usage: train_peer.py FILE THREADS
  FILE  settings, weights and one batch, as attnspec's side wrote them

Written as torch 1.13 is fast on a processor: one product for what has one input, rotations as complex
numbers, AdamW over lists. Its batches are drawn already; attnspec draws its own within the time.
"""
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F


def read(path):
    """The settings, and all numbers that follow them."""
    with open(path, "rb") as f:
        settings = dict(iter(lambda: f.readline().decode().rstrip("\n").partition(" ")[::2], ("", "")))
        return settings, f.read()


class Model(torch.nn.Module):
    """Pre-norm encoder, mean over positions, linear head; see docs/maths.md, "Training"."""

    def __init__(self, s, numbers):
        super().__init__()
        sizes = ("n", "vocab", "dim", "heads", "layers", "ff", "classes")
        self.n, vocab, self.dim, self.heads, layers, ff, classes = (int(s[key]) for key in sizes)
        assert s["scheme"] == "rope" and s["activation"] == "relu" and s["mask"] == "none"
        self.apart = s["kv-from"] == "embeddings"
        self.dropout = float(s["dropout"])
        d, self.at, self.numbers = self.dim, 0, numbers
        self.embedding = self.take(vocab, d)
        self.layers = torch.nn.ModuleList(self.take_layer(d, ff) for _ in range(layers))
        self.last = self.take_norm(d) if s["final-norm"] == "yes" else None
        self.head = self.take_linear(classes, d)
        self.register_buffer("turns", self.rotations(d // self.heads))
        self.register_buffer("places", self.sinusoids(d) if s["sinusoids"] == "yes" else None)

    def take(self, *shape):
        count = math.prod(shape)
        x = np.frombuffer(self.numbers, np.float32, count, self.at)
        self.at += x.nbytes
        return torch.nn.Parameter(torch.from_numpy(x.copy()).view(shape))

    def take_linear(self, *shape):
        return torch.nn.ParameterList([self.take(*shape), self.take(shape[0])])

    def take_norm(self, d):
        return torch.nn.ParameterList([self.take(d), self.take(d)])

    def take_layer(self, d, ff):
        """Query, key and value are one map; of which keys and values are their own where theirs is another
        input."""
        norm1 = self.take_norm(d)
        parts = [self.take_linear(d, d) for _ in range(3)]
        groups = [parts[:1], parts[1:]] if self.apart else [parts]
        layer = torch.nn.ModuleDict({"norm1": norm1, "output": self.take_linear(d, d), "norm2": self.take_norm(d),
                                     "up": self.take_linear(ff, d), "down": self.take_linear(d, ff)})
        for name, group in zip(("first", "rest"), groups):
            layer[name] = torch.nn.ParameterList(
                [torch.nn.Parameter(torch.cat([part[i].data for part in group])) for i in range(2)])
        return layer

    def rotations(self, size):
        angle = torch.arange(self.n)[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
        return torch.polar(torch.ones_like(angle), angle)[:, None]

    def sinusoids(self, d):
        angle = torch.arange(self.n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
        return torch.cat([angle.sin(), angle.cos()], 1)

    def turned(self, x):
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * self.turns).flatten(-2)

    def attention(self, layer, h, x0):
        shape = (len(h), self.n, -1, self.heads, self.dim // self.heads)
        if self.apart:
            q = F.linear(h, *layer["first"]).view(shape)[:, :, 0]
            k, v = F.linear(x0, *layer["rest"]).view(shape).unbind(2)
        else:
            q, k, v = F.linear(h, *layer["first"]).view(shape).unbind(2)
        q, k = self.turned(q).transpose(1, 2), self.turned(k).permute(0, 2, 3, 1)
        weights = (q * (shape[-1] ** -0.5) @ k).softmax(-1)
        out = (weights @ v.transpose(1, 2)).transpose(1, 2).reshape(h.shape)
        return F.linear(out, *layer["output"])

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training) if self.dropout > 0 else x

    def normed(self, x, norm):
        return F.layer_norm(x, (self.dim,), *norm)

    def forward(self, tokens, labels):
        x = F.embedding(tokens, self.embedding)
        x0 = x = self.drop(x if self.places is None else x + self.places)
        for layer in self.layers:
            x = x + self.drop(self.attention(layer, self.normed(x, layer["norm1"]), x0))
            u = F.relu(F.linear(self.normed(x, layer["norm2"]), *layer["up"]))
            x = x + self.drop(F.linear(u, *layer["down"]))
        if self.last is not None:
            x = self.normed(x, self.last)
        return F.cross_entropy(F.linear(x.mean(1), *self.head), labels)


def main():
    torch.set_num_threads(int(sys.argv[2]))
    settings, numbers = read(sys.argv[1])
    model = Model(settings, numbers)
    batch, n = int(settings["batch"]), model.n
    rest = torch.from_numpy(np.frombuffer(numbers, np.int32, offset=model.at).astype(np.int64))
    tokens, labels = rest[:batch * n].view(batch, n), rest[batch * n:]
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, float(settings["lr"]), foreach=True,
                                  betas=(float(settings["beta1"]), float(settings["beta2"])),
                                  weight_decay=float(settings["weight-decay"]))
    model.eval()
    with torch.no_grad():
        loss = model(tokens, labels).item()
    model.train()
    print(sum(p.numel() for p in parameters), f"{loss:.9g}", settings["classes"], flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line.split()[1])):
            optimizer.zero_grad(set_to_none=True)
            model(tokens, labels).backward()
            optimizer.step()
        print(f"{time.perf_counter() - start:.9f}", flush=True)


main()
