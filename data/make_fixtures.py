#!/usr/bin/env python3
"""Makes every file of this folder: small .npy files in all dtypes and orders, one broken file for
each way of lying, and the demo. Deterministic; needs numpy only."""
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BROKEN = HERE / "broken"


def fixtures():
    """Element (i, j, k, l) of shape (2, 3, 5, 7) is its number in C order minus 100."""
    a = np.arange(2 * 3 * 5 * 7).reshape(2, 3, 5, 7) - 100
    for code in ("f2", "f4", "f8"):
        for order, word in (("<", "little"), (">", "big")):
            for layout in "CF":
                x = np.asarray(a.astype(order + code), order=layout)
                np.save(HERE / f"numbers_2x3x5x7_{code}_{word}_{layout}.npy", x)
    for code in ("i1", "i4", "u1", "b1"):
        np.save(HERE / f"numbers_2x3x5x7_{code}.npy", a.astype(code))
    with open(HERE / "numbers_2x3x5x7_f4_version2.npy", "wb") as f:
        np.lib.format.write_array(f, a.astype("<f4"), version=(2, 0))
    with open(HERE / "numbers_2x3x5x7_f4_version3.npy", "wb") as f:
        np.lib.format.write_array(f, a.astype("<f4"), version=(3, 0))
    np.save(HERE / "scalar_f8.npy", np.float64(2.5))
    np.save(HERE / "empty_2x0x3_f4.npy", np.zeros((2, 0, 3), "f4"))
    # bfloat16 1, 2, -inf, 3.140625, as ml_dtypes saves it.
    np.save(HERE / "opaque_2x2_bf16.npy",
            np.array([0x3F80, 0x4000, 0xFF80, 0x4049], "<u2").view("V2").reshape(2, 2))


def npy(header, data=b"", version=1, length=None):
    text = header.encode("latin1")
    length = len(text) if length is None else length
    size = struct.pack("<H", length) if version == 1 else struct.pack("<I", length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def dictionary(descr="'<f4'", order="False", shape="(2, 3)", more=""):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, %s}\n" % (descr, order, shape, more)


def broken():
    """name: (bytes, the sentence that is expected)."""
    data = np.arange(6, dtype="<f4").tobytes()
    literal = "the .npy header is no dictionary that numpy writes: at byte "
    short = "is too short: the shape %s of f4 needs %s, the file holds %d"
    none = ", none of the formats that are read"
    begins = "begins with the bytes %s, as none of the formats that are read"
    zipped = b"PK\x03\x04" + b"\0" * 22 + struct.pack("<HH", len("a.npy"), 0) + b"a.npy"
    torch = b"PK\x03\x04" + b"\0" * 22 + struct.pack("<HH", len("m/data.pkl"), 0) + b"m/data.pkl"
    dtype = lambda d: npy(dictionary(descr="'%s'" % d), data)
    return {
        "empty_file": (b"", "is empty"),
        "bad_magic": (b"\x93NUMPX" + npy(dictionary(), data)[6:], begins % "93 4e 55 4d 50 58 01 00"),
        "short_magic": (b"\x93NU", begins % "93 4e 55"),
        "only_magic": (b"\x93NUMPY\x01", "ends inside the .npy header, after 7 bytes"),
        "version_9": (npy(dictionary(), data, version=9), "is a .npy of version 9.0; versions 1, 2 and 3 are read"),
        "truncated_header": (npy(dictionary())[:40], "ends inside the .npy header, which should be 60 bytes long, but only 30 are there"),
        "header_beyond_file": (npy(dictionary(), data, version=2, length=0xFFFFFFF0), "ends inside the .npy header, which should be 4294967280 bytes long, but only 84 are there"),
        "header_too_long": (npy(" " * 70000 + dictionary(), data, version=2), "has a .npy header of 70060 bytes; more than 65536 are not read"),
        "header_empty": (npy("", data), literal + "0, { is expected"),
        "header_no_literal": (npy("__import__('os').system('true')\n", data), literal + "0, { is expected"),
        "header_call_in_shape": (npy(dictionary(shape="tuple((2, 3))"), data), literal + "50, a shape such as (3, 4) is expected"),
        "header_call_in_length": (npy(dictionary(shape="(int(2), 3)"), data), literal + "51, a whole number is expected"),
        "header_list": (npy("['<f4', False, (2, 3)]\n", data), literal + "0, { is expected"),
        "header_unclosed": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)\n", data), literal + "57, a comma or } is expected"),
        "header_unclosed_string": (npy("{'descr': '<f4\n", data), literal + "14, a dtype such as '<f4' is expected"),
        "header_trailing_text": (npy(dictionary() + "x", data), literal + "60, nothing more is expected"),
        "header_nul": (npy("{\0" + dictionary()[1:], data), literal + "1, a key in quotes is expected"),
        "header_escape": (npy(dictionary(descr="'\\x3cf4'"), data), literal + "11, a dtype such as '<f4' is expected"),
        "key_missing": (npy("{'descr': '<f4', 'fortran_order': False}\n", data), "the .npy header lacks the key 'shape'"),
        "key_twice": (npy(dictionary(more="'shape': (3, 2)"), data), "the .npy header has the key 'shape' twice"),
        "key_unknown": (npy(dictionary(more="'order': 'C'"), data), "the .npy header has the key 'order', which the format does not know"),
        "key_no_string": (npy(dictionary(more="1: 2"), data), literal + "58, a key in quotes is expected"),
        "order_number": (npy(dictionary(order="1"), data), literal + "34, True or False is expected"),
        "shape_number": (npy(dictionary(shape="(6)"), data), literal + "53, a shape with a comma, such as (3,), is expected"),
        "shape_list": (npy(dictionary(shape="[2, 3]"), data), literal + "50, a shape such as (3, 4) is expected"),
        "shape_negative": (npy(dictionary(shape="(-2, 3)"), data), "the .npy header has a negative length in its shape"),
        "shape_float": (npy(dictionary(shape="(2.0, 3)"), data), "the .npy header has a length in its shape that is no whole number"),
        "shape_octal": (npy(dictionary(shape="(02, 3)"), data), literal + "51, a whole number is expected"),
        "shape_no_comma": (npy(dictionary(shape="(2 3)"), data), literal + "53, a comma or ) is expected"),
        "shape_2^63": (npy(dictionary(shape="(9223372036854775808, 3)"), data), short % ("(9223372036854775808, 3)", "more than 2^64 bytes", 24)),
        "shape_2^64": (npy(dictionary(shape="(18446744073709551616, 3)"), data), "the .npy header has a length in its shape that is beyond 64 bits"),
        "shape_product_wraps": (npy(dictionary(shape="(4294967296, 4294967296)"), data), short % ("(4294967296, 4294967296)", "more than 2^64 bytes", 24)),
        "shape_huge": (npy(dictionary(shape="(2147483648, 1073741823)"), data), short % ("(2147483648, 1073741823)", "9223372028264841216 bytes", 24)),
        "shape_nine_axes": (npy(dictionary(shape="(1, 1, 1, 1, 1, 1, 1, 2, 3)"), data), "the .npy has more than 8 axes"),
        "data_truncated": (npy(dictionary(), data[:-1]), short % ("(2, 3)", "24 bytes", 23)),
        "data_missing": (npy(dictionary()), short % ("(2, 3)", "24 bytes", 0)),
        "dtype_object": (dtype("|O"), "the .npy holds Python objects (|O), a pickle, which is never opened; save a list of numeric arrays instead. If they are None: models give no attention weights unless they are loaded with attn_implementation=\"eager\""),
        "dtype_structured": (npy(dictionary(descr="[('a', '<f4'), ('b', '<f4')]"), data), "the .npy holds records (a structured dtype); save each field as an array of its own"),
        "dtype_subarray": (npy(dictionary(descr="('<f4', (3,))"), data), "the .npy holds records (a structured dtype); save each field as an array of its own"),
        "dtype_complex": (dtype("<c8"), "the .npy holds complex numbers (<c8); save the real and the imaginary part"),
        "dtype_longdouble": (dtype("<f16"), "the .npy holds floats of a size that only some machines know (<f16); save them as float64"),
        "dtype_text": (dtype("<U4"), "the .npy holds text (<U4), not numbers"),
        "dtype_bytes": (dtype("|S4"), "the .npy holds text (|S4), not numbers"),
        "dtype_time": (dtype("<M8[ns]"), "the .npy holds times (<M8[ns]), not numbers"),
        "dtype_opaque_2": (dtype("<V2"), "the .npy holds opaque elements of 2 bytes (<V2), as numpy writes bfloat16; if that is what they are, say so with --raw-dtype bf16"),
        "dtype_opaque_1": (dtype("|V1"), "the .npy holds opaque elements (|V1); save them as float32"),
        "dtype_bf16_by_name": (dtype("<bf16"), "the .npy has a dtype that is not known: '<bf16'"),
        "dtype_unknown": (dtype("<q4"), "the .npy has a dtype that is not known: '<q4'"),
        "dtype_empty": (dtype(""), "the .npy has a dtype that is not known: ''"),
        "zip_renamed": (zipped, "is a zip archive without its end record: it was cut off, or bytes follow it"),
        "torch_renamed": (torch, "is a zip archive without its end record: it was cut off, or bytes follow it"),
        "torch_legacy_renamed": (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02", "is a PyTorch file older than version 1.6 (torch.load() and torch.save() it again with a newer PyTorch)" + none),
        "pickle_renamed": (b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00]\x94.", "is a pickle" + none),
        "gzip_renamed": (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "is a gzip file that ends too soon"),
        "text_renamed": (b"one, two\nthree, four\n", "is no text of numbers: line 2: 'three' is no number"),
    }


def write_broken():
    BROKEN.mkdir(exist_ok=True)
    listed = BROKEN / "expected.txt"
    others = [line for line in listed.read_text().splitlines(True) if ".npy\t" not in line] if listed.exists() else []
    lines = []
    for name, (data, sentence) in broken().items():
        (BROKEN / (name + ".npy")).write_bytes(data)
        lines.append(f"{name}.npy\t{sentence}\n")
    listed.write_text("".join(lines + others))


def rope(x, base=1e4):
    """Rotates pairs (2i, 2i+1) of x [n, d] by position · base^(−2i/d)."""
    n, d = x.shape
    angle = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(angle), np.sin(angle)
    out = np.empty_like(x)
    out[:, 0::2] = x[:, 0::2] * c - x[:, 1::2] * s
    out[:, 1::2] = x[:, 0::2] * s + x[:, 1::2] * c
    return out


def demo(n=64, d=16):
    """Eight heads, each of one recognisable kind, pre-softmax and causal."""
    rng = np.random.default_rng(20240229)
    delta = np.arange(n)[:, None] - np.arange(n)[None, :]
    g = lambda *shape: rng.standard_normal(shape)
    noise = lambda: 0.3 * g(n, n)
    mean = 2 * g(d)
    heads = np.stack([
        8.0 * (delta == 1) + noise(),                               # 0.0 previous token
        -0.25 * np.abs(delta) + noise(),                            # 0.1 ALiBi-like decay
        g(n, d) @ g(n, d).T / np.sqrt(d),                           # 0.2 content, rank 16
        rope(mean + g(n, d)) @ rope(mean + g(n, d)).T / np.sqrt(d), # 0.3 RoPE on mean content
        6.0 * (np.arange(n)[None, :] == 0) + noise(),               # 1.0 sink on the first token
        5.0 * (delta % 16 == 1) + noise(),                          # 1.1 period of 16
        4.0 * np.exp(-0.5 * (delta / 4.0) ** 2) + noise(),          # 1.2 soft window
        (mean + g(n, d)) @ (mean + g(n, d)).T / np.sqrt(d),         # 1.3 mean content, no position
    ])
    heads[:, delta < 0] = -np.inf
    np.save(HERE / "demo_logits_2x4x64x64_f32.npy", heads.reshape(2, 4, n, n).astype("<f4"))


if __name__ == "__main__":
    fixtures()
    write_broken()
    demo()
