#!/usr/bin/env python3
"""Makes the .npz files of this folder and one broken archive for each way of lying. Deterministic;
needs numpy only. Element number i (in C order) is i − 100, as in the .npy files."""
import io
import pathlib
import struct
import zipfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BROKEN = HERE / "broken"
NUMBERS = np.arange(2 * 3 * 5 * 7).reshape(2, 3, 5, 7) - 100


def npy(array, **options):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), **options)
    return out.getvalue()


def member(name, data, method=0, packed=None, crc=None, size=None, flags=0, local64=False,
           central64=False, gap=b"", header=None, packed_size=None):
    """A member of an archive that is written by hand, so that it can lie."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    if packed is None:
        packed = deflate.compress(data) + deflate.flush() if method == 8 else data
    return dict(name=name.encode(), packed=packed, method=method, flags=flags, gap=gap, header=header,
                crc=zlib.crc32(data) if crc is None else crc, local64=local64, central64=central64,
                size=len(data) if size is None else size,
                packed_size=len(packed) if packed_size is None else packed_size)


def archive(*members, end64=False, tail=b"", hole=0):
    """The offsets are right for a file with a hole of that many bytes after the first member."""
    out, directory = b"", b""
    for m in members:
        at = len(out) + (hole if out else 0) if m["header"] is None else m["header"]
        full = 0xFFFFFFFF
        extra = struct.pack("<HHQQ", 1, 16, m["size"], m["packed_size"]) if m["local64"] else b""
        sizes = (full, full) if m["local64"] else (0, 0) if m["flags"] & 8 else (m["packed_size"], m["size"])
        out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, m["flags"], m["method"], 0, 33, m["crc"], *(min(s, full) for s in sizes),
                           len(m["name"]), len(extra)) + m["name"] + extra + m["packed"] + m["gap"]
        huge = m["central64"] or at >= full or m["size"] >= full or m["packed_size"] >= full
        extra = struct.pack("<HHHHQQQ", 0xCAFE, 0, 1, 24, m["size"], m["packed_size"], at) if huge else b""
        sizes = (full, full, full) if huge else (m["packed_size"], m["size"], at)
        directory += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, m["flags"], m["method"], 0, 33, m["crc"], *sizes[:2],
                                 len(m["name"]), len(extra), 0, 0, 0, 0, sizes[2]) + m["name"] + extra
    at, count = len(out) + hole, len(members)
    out += directory
    if end64:
        out += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), at)
        out += struct.pack("<4sIQI", b"PK\6\7", 0, at + len(directory), 1)
        return out + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0) + tail
    return out + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), at, len(tail)) + tail


def arrays():
    fortran = np.asarray(NUMBERS.astype("<f4"), order="F")
    return {"f8": NUMBERS.astype("<f8"), "f4_F": fortran, "f2": NUMBERS.astype(">f2"),
            "layer_0/head_3": NUMBERS[1, 2].astype("<f8")}


def fixtures():
    np.savez(HERE / "numbers_stored.npz", **arrays())
    np.savez_compressed(HERE / "numbers_deflated.npz", **arrays())
    f8 = NUMBERS.astype("<f8")
    (HERE / "numbers_zip64.npz").write_bytes(archive(
        member("local.npy", npy(f8), local64=True), member("central.npy", npy(f8), central64=True),
        member("both.npy", npy(f8), 8, local64=True, central64=True),
        member("descriptor.npy", npy(f8), 8, flags=8, gap=b"PK\7\10" + b"\0" * 12),
        member("bare", npy(f8)), member("folder/", b""), end64=True))
    objects = io.BytesIO()
    np.save(objects, np.array([[1.0], [2.0, 3.0]], dtype=object), allow_pickle=True)
    small = npy(np.arange(6.0).reshape(2, 3))
    zeros = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = small + b"\0" * (16 << 20)
    bomb = zeros.compress(bomb) + zeros.flush()
    flipped = bytearray(small)
    flipped[-3] ^= 1
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packed.compress(small) + packed.flush()
    (HERE / "members_odd.npz").write_bytes(archive(
        member("objects.npy", objects.getvalue()),
        member("text.npy", npy(np.array(["a", "bc"]))),
        member("records.npy", npy(np.zeros(2, [("a", "<f4"), ("b", "<f4")]))),
        member("readme.txt", b"no array"),
        member("encrypted.npy", small, flags=1),
        member("bzip2.npy", small, method=12),
        member("flipped_stored.npy", small, packed=bytes(flipped)),
        member("flipped_deflated.npy", small, 8, crc=zlib.crc32(bytes(flipped))),
        member("bomb_declared.npy", small, 8, packed=bomb, size=len(small) + (16 << 20)),
        member("bomb_hidden.npy", small, 8, packed=bomb),
        member("too_short.npy", small, 8, packed=packed[:-20]),
        member("no_deflate.npy", small, 8, packed=b"\xff" * 40),
        member("sizes_differ.npy", small, size=len(small) + 1),
        member("short.npy", small[:-1]),
        member("cut_header.npy", small[:60]),
        member("empty.npy", b""),
        member("good.npy", npy(f8)), tail=b"a comment"))
    (HERE / "numbers_around_hole.npz").write_bytes(archive(
        member("before.npy", npy(f8)), member("behind.npy", npy(f8)), member("deflated.npy", npy(f8), 8),
        end64=True, hole=1 << 32))
    (HERE / "empty.npz").write_bytes(archive())


def broken():
    a, b = member("a.npy", npy(np.eye(2))), member("b.npy", npy(np.eye(3)))
    both = archive(a, b)
    end = "is a zip archive without its end record: it was cut off, or bytes follow it"
    directory = "is a zip archive whose directory "
    far = bytearray(both)
    far[-6:-2] = struct.pack("<I", len(both))
    many = bytearray(both)
    many[-12:-10] = struct.pack("<H", 3)
    sign = bytearray(both)
    sign[both.index(b"PK\1\2")] = 0
    disk = bytearray(both)
    disk[-18:-16] = b"\1\0"
    name = bytearray(both)
    name[both.rindex(b"PK\1\2") + 28] = 6
    no64 = archive(a, b, end64=True)
    no64 = no64.replace(b"PK\6\7", b"PK\6\0")
    far64 = bytearray(archive(a, b, end64=True))
    far64[-34:-26] = struct.pack("<Q", 1 << 63)
    lacks = bytearray(archive(member("a.npy", npy(np.eye(2)), central64=True)))
    at = lacks.index(b"\1\0\x18\0", lacks.index(b"PK\1\2"))
    lacks[at:at + 4] = b"\2\0\x18\0"
    return {
        "truncated": (both[:-30], end),
        "truncated_by_one": (both[:-1], end),
        "half": (both[:len(both) // 2], end),
        "bytes_behind": (both + b"\0", end),
        "directory_far": (bytes(far), directory + "of %d bytes at byte %d is not in the file" % (2 * 51, len(both))),
        "directory_short": (bytes(many), directory + "of 102 bytes cannot hold its 3 members"),
        "directory_name": (bytes(name), directory + "is broken"),
        "directory_sign": (bytes(sign), directory + "is broken"),
        "several_files": (bytes(disk), "is a part of a zip archive that spans several files"),
        "zip64_no_locator": (no64, "is a zip archive whose ZIP64 end record is missing"),
        "zip64_locator_far": (bytes(far64), "is a zip archive whose ZIP64 end record is missing"),
        "zip64_no_sizes": (bytes(lacks), "its member 'a.npy' lacks its ZIP64 sizes"),
        "overlap": (archive(a, member("b.npy", npy(np.eye(3)), header=40)), "its members 'a.npy' and 'b.npy' overlap"),
        "beyond": (archive(a, member("b.npy", npy(np.eye(3)), packed_size=4000)), "its member 'b.npy' reaches beyond the archive"),
        "beyond_2^64": (archive(a, member("b.npy", npy(np.eye(3)), packed_size=2**64 - 60, central64=True)), "its member 'b.npy' reaches beyond the archive"),
        "same_name": (archive(a, member("a", npy(np.eye(3)))), "is a .npz with two arrays of the name 'a'"),
        "control_character": (archive(member("a\x1b[2J.npy", npy(np.eye(2)))), "is a zip archive with a control character in a member's name"),
        "no_arrays": (archive(member("word/document.xml", b"<x/>")), "is a zip archive without numpy arrays; its first member is 'word/document.xml'"),
        "torch_behind": (archive(a, member("m/data.pkl", b"\x80\2.")), "is a PyTorch file by its member 'm/data.pkl', but begins with another one"),
    }


def write_broken():
    listed = BROKEN / "expected.txt"
    others = [line for line in listed.read_text().splitlines(True) if ".npz\t" not in line]
    lines = []
    for name, (data, sentence) in broken().items():
        (BROKEN / (name + ".npz")).write_bytes(data)
        lines.append(f"{name}.npz\t{sentence}\n")
    listed.write_text("".join(others + lines))


if __name__ == "__main__":
    fixtures()
    write_broken()
