#!/usr/bin/env python3
"""Makes one broken text for each way of lying, with the sentence that is expected. Deterministic; needs
nothing but Python."""
import gzip
import pathlib

BROKEN = pathlib.Path(__file__).resolve().parent / "broken"


def packed(data):
    return gzip.compress(data, mtime=0)


def crc_wrong():
    data = bytearray(packed(b"[[1, 2], [3, 4]]"))
    data[-6] ^= 1
    return bytes(data)


FILES = {
    "ragged.csv": (b"1,2,3\n4,5\n", "line 2: 2 numbers, but the rows before have 3"),
    "ragged_matrices.csv": (b"1 2\n3 4\n\n5 6\n", "line 5: a matrix of 1 rows, but those before have 2"),
    "long_matrix.csv": (b"1 2\n\n3 4\n5 6\n", "line 4: a row more than the 1 of the matrices before"),
    "empty_field.csv": (b"1,,2\n", "line 1: an empty field"),
    "row_names.csv": (b",a,b\nx,1,2\n", "is no text of numbers: line 1: begins with an empty field, as tables with row names do; save the numbers alone"),
    "decimal_comma.csv": (b"0;1\n0,5;0,5\n", "line 2: both commas and semicolons; the decimal point is a dot"),
    "word.csv": (b"1,2\n3,x4\n", "line 2: 'x4' is no number"),
    "hexadecimal.csv": (b"1,2\n3,0x4\n", "line 2: '0x4' is no number"),
    "two_points.csv": (b"1.2.3\n", "is no text of numbers: line 1: '1.2.3' is no number"),
    "overflow.csv": (b"1e308\n1e309\n", "line 2: '1e309' is beyond float64"),
    "long_number.csv": (b"0" * 2000, "is no text of numbers: line 1: a number of more than 1023 characters"),
    "only_comment.csv": (b"# nothing\n", "is a text file without numbers"),
    "deep.json": (b"[" * 100 + b"]" * 100, "byte 65: nested more than 64 deep"),
    "null.json": (b"[[1, 2], [null, 4]]", "byte 10: null is no number; models give no attention weights unless they are loaded with attn_implementation=\"eager\""),
    "ragged.json": (b"[[1, 2], [3]]", "byte 12: a list of 1 ends beside one of 2"),
    "ragged_depth.json": (b"[[1, 2], 3]", "byte 10: a number stands where a list is expected"),
    "nine_axes.json": (b"[" * 9 + b"1" + b"]" * 9, "byte 11: lists nested more than 8 deep are no tensor"),
    "unclosed.json": (b"[[1, 2], [3", "byte 11: ends where a comma or ] is expected"),
    "unclosed_string.json": (b'{"a', "byte 3: a string is not closed"),
    "no_comma.json": (b"[1 2]", "byte 3: a comma or ] is expected"),
    "name_twice.json": (b'{"a": [[1]], "a": [[2]]}', "the name 'a' stands twice"),
    "no_lists.json": (b'{"a": 1}', "is JSON without lists; models give no attention weights unless they are loaded with attn_implementation=\"eager\""),
    "lines.json": (b"[1]\n[2]\n", "byte 4: another value follows the first, as in JSON Lines, which is not read: "
                   "put the values in one list, [..., ...]"),
    "truncated.json.gz": (packed(b"[[1, 2], [3, 4]]")[:-9], "is a gzip file that ends too soon"),
    "crc.json.gz": (crc_wrong(), "is a broken gzip file: incorrect data check"),
    "zeros.json.gz": (packed(bytes(1 << 20)), "is a gzip file, but what is packed in it is no text"),
}

listed = BROKEN / "expected.txt"
others = [line for line in listed.read_text().splitlines(True) if line.split("\t")[0] not in FILES]
for name, (data, _) in FILES.items():
    (BROKEN / name).write_bytes(data)
listed.write_text("".join(others + [f"{name}\t{sentence}\n" for name, (_, sentence) in FILES.items()]))
