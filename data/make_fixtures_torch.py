#!/usr/bin/env python3
"""Makes the PyTorch files of this folder: what torch.save writes, and one broken file for each way of
lying. Needs torch 1.13 or later; writes beside itself and into broken/."""
import collections
import io
import pathlib
import struct
import zipfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
BROKEN = HERE / "broken"
SHAPE = (2, 3, 5, 7)
DTYPES = {"f8": torch.double, "f4": torch.float, "f2": torch.half, "bf16": torch.bfloat16,
          "i8": torch.long, "i4": torch.int, "i2": torch.short, "i1": torch.int8,
          "u1": torch.uint8, "b1": torch.bool}


def members(path):
    with zipfile.ZipFile(path) as z:
        return [(i.filename, z.read(i)) for i in z.infolist()]


def write_zip(path, entries, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as z:
        for name, data in entries:
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, method)


def numbers():
    """Element (i, j, k, l) of shape (2, 3, 5, 7) is its number in C order minus 100, in every dtype;
    then the same of a big-endian machine (2.0 and later say so), and packed again by a zip program."""
    a = torch.arange(2 * 3 * 5 * 7).reshape(SHAPE) - 100
    path = HERE / "numbers_2x3x5x7.pt"
    torch.save({name: a.to(dtype) for name, dtype in DTYPES.items()}, path)
    entries = members(path)
    sizes = [torch.empty((), dtype=d).element_size() for d in DTYPES.values()]
    swapped = []
    for name, data in entries:
        stem, _, key = name.rpartition("/")
        if stem.endswith("/data"):
            size = sizes[int(key)]
            data = b"".join(data[i:i + size][::-1] for i in range(0, len(data), size))
        swapped.append((name, data))
    stem = entries[0][0].split("/")[0]
    swapped = [e for e in swapped if not e[0].endswith("/byteorder")] + [(stem + "/byteorder", b"big")]
    write_zip(HERE / "numbers_2x3x5x7_big.pt", swapped)
    write_zip(HERE / "numbers_2x3x5x7_deflated.pt", [(stem + "/", b"")] + entries[::-1],
              zipfile.ZIP_DEFLATED)


def containers():
    """Every way in which tensors are held; tensor number n in the file's order is n everywhere."""
    n = iter(range(100))
    t = lambda *shape: torch.full(shape, float(next(n)))
    model = torch.nn.Linear(3, 2)
    tied = t(2, 3)
    with torch.no_grad():
        model.weight.fill_(1.0)
        model.bias.fill_(2.0)
    next(n), next(n)
    torch.save({"tied": tied, "state": model.state_dict(),
                "layers": [{"q": t(2, 2), "k": t(2, 3)}, (t(1, 2), [t(2, 1)])],
                7: torch.nn.Parameter(t(2, 2)), "again": tied,
                "ordered": collections.OrderedDict(x=t(2, 2).requires_grad_()),
                "epoch": 3, "loss": 0.25, "note": "text", "none": None, "flag": True,
                "big": -2**40, "nothing": [], "empty": ()}, HERE / "containers.pt")
    # As attention comes from a model that generates: a tuple of layers, ragged.
    layers = tuple(torch.arange(2.0 * r * c).reshape(1, 2, r, c) for r, c in ((3, 3), (1, 4), (1, 5)))
    torch.save(layers, HERE / "ragged_protocol4.pt", pickle_protocol=4)
    torch.save(torch.arange(6.0).reshape(2, 3), HERE / "single.pt")


def attention(shapes, layers=2, heads=2):
    """Weights of steps of layers: in step s, layer l, head h row i gives 1/2 to key (s + l + h + i) mod cols and
    spreads the rest evenly, so that every tensor's numbers say where it comes from."""
    steps = []
    for s, (rows, cols) in enumerate(shapes):
        step = []
        for l in range(layers):
            a = torch.full((1, heads, rows, cols), 0.5 / cols)
            for h in range(heads):
                for i in range(rows):
                    a[0, h, i, (s + l + h + i) % cols] += 0.5
            step.append(a)
        steps.append(tuple(step))
    return tuple(steps)


def outputs():
    """What Hugging Face models return: one tuple of layers; of a generation a tuple of steps of layers,
    whose first has the prompt's 6 queries and the later ones one query each."""
    torch.save(attention([(6, 6)], layers=3)[0], HERE / "attentions.pt")
    steps = attention([(6, 6), (1, 7), (1, 8)])
    torch.save(steps, HERE / "generation.pt")
    torch.save({"sequences": torch.arange(8).reshape(1, 8),
                "encoder_attentions": attention([(5, 5)])[0], "decoder_attentions": steps,
                "cross_attentions": attention([(6, 5), (1, 5), (1, 5)])}, HERE / "outputs.pt")


def outputs_whole():
    """What a model that gives no attention returns, None beside what it gives; a layer that is missing between two;
    and all that one with attention returns: its logits, caches of (key, value) and hidden states, full of their place."""
    t = lambda n, *shape: torch.full(shape, float(n))
    layer = attention([(6, 6)], layers=2)[0]
    torch.save({"attentions": (None, None), "logits": t(0, 1, 6, 9), "loss": None, "attention_mask": None,
                "hidden_states": (None, None), "config": {"seed": None, "attn_weights": None}}, HERE / "none.pt")
    torch.save((layer[0], None, layer[1]), HERE / "none_between.pt")
    torch.save({"logits": t(0, 1, 6, 9), "attentions": layer,
                "past_key_values": tuple((t(l, 1, 2, 6, 4), t(10 + l, 1, 2, 6, 4)) for l in range(2)),
                "hidden_states": tuple(t(l, 1, 6, 8) for l in range(3)), "last_hidden_state": t(2, 1, 6, 8),
                "encoder_hidden_states": (t(0, 1, 5, 8),)}, HERE / "outputs_whole.pt")


def views():
    """Views keep their storage whole, whose element number i is i."""
    a = torch.arange(60.0)
    m = a[6:54].reshape(6, 8)
    torch.save({"whole": a.reshape(5, 12), "offset": m, "transposed": m.t(), "steps": m[1::2, 2::3],
                "row_expanded": a[3:7].expand(5, 4), "col_expanded": a[3:7, None].expand(4, 5),
                "all_expanded": a[9].expand(3, 4), "batch_expanded": m.expand(3, 6, 8),
                "sliding": a.as_strided((10, 4), (1, 1), 5),
                "sliding_down": a.as_strided((4, 10), (2, 3), 7),
                "scalar": a[41], "empty": a[60:].reshape(0, 3), "permuted": a.reshape(3, 4, 5).permute(2, 0, 1),
                "complex": torch.zeros(2, 2, dtype=torch.complex64)},
               HERE / "views.pt")


# A pickle by hand: torch.save's opcodes with other numbers.
def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def integer(i):
    return b"\x8a\x08" + struct.pack("<q", i) if abs(i) >= 2**31 else b"J" + struct.pack("<i", i)


def ints(*values):
    return b"(" + b"".join(integer(v) for v in values) + b"t"


def tensor(shape=(2, 3), stride=(3, 1), offset=0, key="0", type="FloatStorage", more=b"\x89c"
           b"collections\nOrderedDict\n)R"):
    storage = b"(" + text("storage") + b"ctorch\n" + type.encode() + b"\n" + text(key) + text("cpu") + integer(6) + b"tQ"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + integer(offset) + ints(*shape) +
            ints(*stride) + more + b"tR")


def archive(pickle, data=b"\0" * 24, more=(), protocol=b"\x80\x02", end=b"."):
    out = io.BytesIO()
    entries = [("m/data.pkl", protocol + pickle + end), ("m/data/0", data), ("m/version", b"3\n")]
    write_zip(out, entries + list(more))
    return out.getvalue()


def without_pickle():
    out = io.BytesIO()
    write_zip(out, [("m/version", b"3\n"), ("m/data/0", b"\0" * 24)])
    return out.getvalue()


def negative():
    """What 2.0 and later make of torch.imag(x.conj()): a bit says that the numbers are to be negated."""
    pickle = tensor(more=b"\x89ccollections\nOrderedDict\n)R}" + text("neg") + b"\x88s")
    (HERE / "negative.pt").write_bytes(archive(pickle))


def broken():
    """name: (bytes, the sentence that is expected)."""
    at = "the pickle is wrong at byte %d: "
    names = ("the pickle names %s at byte %d, which is neither a tensor nor plain data; nothing of it is run: "
             "save a list or a dictionary of tensors instead")
    opcode = "the pickle has the opcode 0x%02x at byte %d, which tensors and plain data do not need"
    beyond = 'the tensor "" reaches beyond its storage m/data/0, which has 24 bytes'
    short = "the stack holds less than the opcode takes"
    doubled = b"]q\0(h\0h\0e"  # a list that holds itself twice
    fan = b"(]q\0" + b"".join(b"](h%ch%ch%ch%ceq%c" % (i, i, i, i, i + 1) for i in range(30)) + b"t"
    tensors = fan.replace(b"(]q\0", b"(" + tensor() + b"q\0")
    return {
        "os_system": (archive(b"cos\nsystem\n" + text("true") + b"\x85R"), names % ("os.system", 2)),
        "builtins_eval": (archive(b"\x8c\x08builtins\x8c\x04eval\x93" + text("1") + b"\x85R",
                                  protocol=b"\x80\x04"), names % ("builtins.eval", 18)),
        "numpy_array": (archive(b"cnumpy.core.multiarray\n_reconstruct\n"),
                        names % ("numpy.core.multiarray._reconstruct", 2)),
        "global_escape": (archive(b"c\x1b[2J\nx\n"), names % ("?[2J.x", 2)),
        "storage_called": (archive(b"ctorch\nFloatStorage\n)R"),
                           "the pickle calls torch.FloatStorage at byte 23 in a way that plain data do not"),
        "dict_with_arguments": (archive(b"ccollections\nOrderedDict\n]\x85R"),
                                "the pickle calls collections.OrderedDict at byte 29 in a way that plain data do not"),
        "call_of_text": (archive(text("os") + b")R"), at % 10 + "a call is none of a global with a tuple"),
        "object": (archive(b"]\x81"), opcode % (0x81, 3)),
        "protocol_0_text": (archive(b"S'x'\n"), opcode % (ord("S"), 2)),
        "protocol_9": (archive(b"]", protocol=b"\x80\x09"), at % 0 + "its protocol is none that is known (2 to 5)"),
        "pickle_empty": (archive(b"", protocol=b"", end=b""), at % 0 + "it ends without its last opcode"),
        "no_stop": (archive(b"]", end=b""), at % 3 + "it ends without its last opcode"),
        "two_values": (archive(b"]]"), at % 4 + "it does not end with one value"),
        "text_too_long": (archive(b"X\xff\xff\xff\xff"), at % 2 + "it ends inside an opcode"),
        "global_unfinished": (archive(b"cos", end=b""), at % 2 + "it ends inside an opcode"),
        "stack_empty": (archive(b"a"), at % 2 + short),
        "tuple_of_mark": (archive(b"(\x85"), at % 3 + short),
        "no_mark": (archive(b"]t"), at % 3 + "it has no mark to go back to"),
        "append_to_tuple": (archive(b")Na"), at % 4 + "items are given to what is no list"),
        "key_alone": (archive(b"}(Nu"), at % 5 + "a dictionary has a key without a value"),
        "build_on_list": (archive(b"]}b"), at % 4 + "attributes are given to what is no dictionary"),
        "memo_empty": (archive(b"h\7"), at % 2 + "it takes from its memo what was never put there"),
        "memo_huge": (archive(b"]r\xff\xff\xff\xff"), at % 3 + "a key of its memo is larger than any that is read (2^22)"),
        "long_huge": (archive(b"\x8a\x09" + b"\1" * 9), at % 2 + "a whole number is beyond 64 bits"),
        "persistent_text": (archive(text("0") + b"Q"), at % 8 + "a persistent id is no tuple"),
        "deep_list": (archive(b"]" * 100 + b"a" * 99), "has containers nested more than 64 deep"),
        "holds_itself": (archive(doubled), "has containers nested more than 64 deep"),
        "doubling": (archive(fan), "has more values than are read (2^22)"),
        "tensors_doubling": (archive(tensors), "has more tensors than are read (2^18)"),
        "key_tuple": (archive(b"})" + tensor() + b"s"),
                      'has a key below "" that is no name: neither printable text nor a whole number, or the name is longer than 1023 bytes'),
        "key_escape": (archive(b"}" + text("\x1b[2J") + tensor() + b"s"),
                       'has a key below "" that is no name: neither printable text nor a whole number, or the name is longer than 1023 bytes'),
        "key_twice": (archive(b"}(" + text("a") + tensor() + text("a") + tensor() + b"u"),
                      'has two tensors by the name "a"'),
        "view_one_beyond": (archive(tensor(offset=1)), beyond),
        "view_offset_wraps": (archive(tensor(offset=2**63 - 1)), beyond),
        "view_stride_wraps": (archive(tensor(stride=(2**62, 2**62))), beyond),
        "view_shape_wraps": (archive(tensor(shape=(2**32, 2**32), stride=(2**32, 1))), beyond),
        "storage_short": (archive(tensor(), data=b"\0" * 23),
                          'the tensor "" reaches beyond its storage m/data/0, which has 23 bytes'),
        "shape_negative": (archive(tensor(shape=(-2, 3))), 'the tensor "" has a shape or strides that are no whole numbers from 0 on'),
        "stride_negative": (archive(tensor(stride=(3, -1))), 'the tensor "" has a shape or strides that are no whole numbers from 0 on'),
        "stride_missing": (archive(tensor(stride=(1,))), 'the tensor "" has an offset or strides that do not fit its shape'),
        "offset_negative": (archive(tensor(offset=-1)), 'the tensor "" has an offset or strides that do not fit its shape'),
        "nine_axes": (archive(tensor(shape=(1,) * 9, stride=(1,) * 9)), 'the tensor "" has more than 8 axes'),
        "storage_missing": (archive(tensor(key="7")), 'the tensor "" has its numbers in data/7, which is not in the archive'),
        "storage_unknown": (archive(tensor(type="QInt8Storage")), names % ("torch.QInt8Storage", 49)),
        "storage_is_global": (archive(tensor(type="Storage").replace(b"ctorch\nStorage", b"ccollections\nOrderedDict")), 'the tensor "" has no storage'),
        "parts_missing": (archive(tensor(more=b"")), 'the tensor "" is made of another number of parts than PyTorch gives'),
        "byte_order": (archive(tensor(), more=[("m/byteorder", b"middle")]), "has a byte order that is neither little nor big"),
        "two_pickles": (archive(tensor(), more=[("n/data.pkl", b"\x80\x02].")]), "has two pickles, m/data.pkl and n/data.pkl"),
        "no_pickle": (without_pickle(), "is a PyTorch file without its pickle (data.pkl)"),
        "cut_off": (archive(tensor())[:-30], "is a zip archive without its end record: it was cut off, or bytes follow it"),
        "legacy": (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02",
                   "is a PyTorch file older than version 1.6 (torch.load() and torch.save() it again with a newer "
                   "PyTorch), none of the formats that are read"),
    }


def write_broken():
    listed = BROKEN / "expected.txt"
    lines = [line for line in listed.read_text().splitlines(True) if ".pt\t" not in line]
    for name, (data, sentence) in broken().items():
        (BROKEN / (name + ".pt")).write_bytes(data)
        lines.append(f"{name}.pt\t{sentence}\n")
    listed.write_text("".join(lines))


if __name__ == "__main__":
    numbers()
    containers()
    outputs()
    outputs_whole()
    views()
    negative()
    write_broken()
