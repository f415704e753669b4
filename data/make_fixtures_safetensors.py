"""Makes the safetensors fixtures beside this file and in broken/, with the standard library alone.

Numbers are i - 100 in every dtype, as in numbers_2x3x5x7_*.npy; broken/ has one file for each rule of
the format, and its lines of broken/expected.txt."""
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
BROKEN = HERE / "broken"
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "I64": 8, "I32": 4,
         "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}
LETTERS = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b",
           "U64": "Q", "U32": "I", "U16": "H", "U8": "B"}


def encode(dtype, numbers):
    if dtype == "BOOL":
        return bytes(n != 0 for n in numbers)
    if dtype == "BF16":  # upper half of a float32: exact for numbers this small
        return b"".join(struct.pack("<f", n)[2:] for n in numbers)
    if dtype[0] == "U":
        numbers = [n % 2 ** (8 * SIZES[dtype]) for n in numbers]
    return struct.pack(f"<{len(numbers)}{LETTERS[dtype]}", *numbers)


def container(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def pack(tensors, metadata=None):
    """tensors: name: (dtype, shape, bytes), laid out in this order."""
    header, data = {} if metadata is None else {"__metadata__": metadata}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = entry(dtype, shape, len(data), len(data) + len(raw))
        data += raw
    return header, data


def fixtures():
    numbers = [i - 100 for i in range(210)]
    tensors = {d: (d, [2, 3, 5, 7], encode(d, numbers)) for d in SIZES if not d.startswith("F8")}
    for d in ("F8_E4M3", "F8_E5M2"):
        tensors[d] = (d, [16, 16], bytes(range(256)))
    tensors["scalar"] = ("F64", [], struct.pack("<d", 2.5))
    tensors["empty"] = ("F32", [2, 0, 3], b"")
    tensors["unknown"] = ("F8_E8M0", [4], bytes(4))
    tensors["nine_axes"] = ("U8", [1] * 9, b"\1")
    header, data = pack(tensors, {"made_by": "attnspec", "note": "é"})
    # The header's order is not that of the bytes, and spaces may follow it.
    text = json.dumps(dict(sorted(header.items(), reverse=True))).encode()
    (HERE / "numbers.safetensors").write_bytes(container(text + b" " * (-len(text) % 8), data))

    small = lambda first: struct.pack("<4f", *range(first, first + 4))
    one = pack({"b": ("F32", [2, 2], small(0)), "a": ("F32", [2, 2], small(4)), "extra": ("U8", [1], b"\0")})
    two = pack({"c": ("F32", [2, 2], small(8))})
    (HERE / "sharded-1.safetensors").write_bytes(container(*one))
    (HERE / "sharded-2.safetensors").write_bytes(container(*two))
    weight_map = {"c": "sharded-2.safetensors", "a": "sharded-1.safetensors", "b": "sharded-1.safetensors",
                  "lost": "sharded-2.safetensors", "gone.0": "sharded-3.safetensors", "gone.1": "sharded-3.safetensors"}
    (HERE / "sharded.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": 48}, "weight_map": weight_map}, indent=2) + "\n")


def broken():
    """name: (bytes, the sentence that is expected)."""
    four, f = bytes(4), lambda *a: {"a": entry(*a)}
    tensor, header = "the tensor '%s' of the safetensors header ", "the safetensors header: no JSON: "
    two = lambda begin, end: {"a": entry("F32", [1], 0, 4), "b": entry("F32", [1], begin, end)}
    needs = lambda need, has: tensor % "a" + f"needs {need} bytes for its shape and has {has}"
    whole = " that %s no whole number up to 2^53"
    length = tensor % "a" + "has a length in its shape" + whole % "is"
    offsets = tensor % "a" + "has data_offsets that are no two whole numbers up to 2^53"
    lacks = tensor % "a" + "lacks a dtype, a shape or data_offsets"
    good = f("F32", [1], 0, 4)
    return {
        "header_absurd": (container(good, four, 2**64 - 1), "should have a safetensors header of 18446744073709551615 bytes, more than the format allows (100000000): is this really safetensors?"),
        "header_over_limit": (container(good, four, 100000001), "should have a safetensors header of 100000001 bytes, more than the format allows (100000000): is this really safetensors?"),
        "header_beyond_file": (container(good, four, 100), "ends inside the safetensors header, which should be 100 bytes long, but only 58 are there"),
        "header_no_json": (container(b'{"a":}'), header + "line 1, column 6:"),
        "header_text_after": (container(b"{} x"), header + "line 1, column 4:"),
        "header_nul_after": (container(b"{}\0"), header + "line 1, column 3:"),
        "header_key_twice": (container(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'), header + "line 1, column 56:"),
        "header_deep": (container(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}"), lacks),
        "header_deeper": (container(b'{"__metadata__":{"a":' + b"[" * 100 + b"]" * 100 + b"}}"), "the __metadata__ 'a' of the safetensors header is no text"),
        "metadata_number": (container({"__metadata__": {"a": 1}}), "the __metadata__ 'a' of the safetensors header is no text"),
        "metadata_text": (container({"__metadata__": "a"}), "the __metadata__ of the safetensors header is no JSON object"),
        "entry_text": (container({"a": "F32"}), lacks),
        "entry_no_dtype": (container({"a": {"shape": [1], "data_offsets": [0, 4]}}, four), lacks),
        "entry_no_shape": (container({"a": {"dtype": "F32", "data_offsets": [0, 4]}}, four), lacks),
        "entry_more": (container({"a": dict(good["a"], stride=[1])}, four), tensor % "a" + "has more than a dtype, a shape and data_offsets"),
        "shape_negative": (container(f("F32", [-1], 0, 4), four), length),
        "shape_fraction": (container(f("F32", [1.5], 0, 4), four), length),
        "shape_2^64": (container(f("F32", [2**64], 0, 4), four), length),
        "shape_product_wraps": (container(f("F32", [2**32, 2**32], 0, 0)), tensor % "a" + "needs more than 2^64 bytes for its shape"),
        "shape_small": (container(f("F32", [1], 0, 8), 2 * four), needs(4, 8)),
        "shape_large": (container(f("F32", [3], 0, 8), 2 * four), needs(12, 8)),
        "shape_empty": (container(f("F32", [0, 2**50, 2**50], 0, 4), four), needs(0, 4)),
        "offsets_three": (container({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 8]}}, four), offsets),
        "offsets_negative": (container(f("F32", [1], -4, 0), four), offsets),
        "offsets_2^53": (container(f("F32", [1], 0, 2**53 + 1), four), offsets),
        "offsets_reversed": (container(f("F32", [1], 4, 0), four), tensor % "a" + "ends before it begins"),
        "offsets_beyond": (container(f("F32", [2], 0, 8), four), tensor % "a" + "ends at byte 8 of the data, which has 4"),
        "hole": (container(two(8, 12), 3 * four), tensor % "b" + "leaves 4 bytes of the data before it unused"),
        "hole_at_start": (container(f("F32", [1], 4, 8), 2 * four), tensor % "a" + "leaves 4 bytes of the data before it unused"),
        "overlap": (container(two(2, 6), bytes(6)), tensor % "b" + "lies over 'a'"),
        "same_place": (container(two(0, 4), four), tensor % "b" + "lies over 'a'"),
        "data_left": (container(good, four + b"\0"), "holds 1 bytes after the last tensor of the safetensors header"),
        "no_tensors_but_data": (container({}, four), "holds 4 bytes after the last tensor of the safetensors header"),
    }


def broken_indices():
    index = lambda weight_map: json.dumps({"weight_map": weight_map}).encode()
    outside = "the index names the file '%s', which is not in its folder; such a path is not followed"
    return {
        "index_up": (index({"a": "../a.safetensors"}), outside % "../a.safetensors"),
        "index_up_inside": (index({"a": "b/../../a.safetensors"}), outside % "b/../../a.safetensors"),
        "index_absolute": (index({"a": "/a.safetensors"}), outside % "/a.safetensors"),
        "index_empty_name": (index({"a": ""}), outside % ""),
        "index_number": (index({"a": 1}), "the index gives no file for the tensor 'a'"),
        "index_list": (index(["a"]), 'the index of safetensors files has no object "weight_map"'),
        "index_twice": (b'{"weight_map":{"a":"x","a":"y"}}', "the index of safetensors files: no JSON: line 1, column 26:"),
        "index_unclosed": (b'{"weight_map":{', "the index of safetensors files: no JSON: line 1, column 15:"),
    }


def write_broken():
    listed = BROKEN / "expected.txt"
    lines = [line for line in listed.read_text().splitlines(True) if ".safetensors" not in line.split("\t")[0]]
    for made, ending in ((broken(), ".safetensors"), (broken_indices(), ".safetensors.index.json")):
        for name, (data, sentence) in made.items():
            assert len(data) < 300, name
            (BROKEN / (name + ending)).write_bytes(data)
            lines.append(f"{name}{ending}\t{sentence}\n")
    listed.write_text("".join(lines))


if __name__ == "__main__":
    fixtures()
    write_broken()
