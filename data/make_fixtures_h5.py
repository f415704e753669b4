"""Makes the HDF5 fixtures of this folder: python3 data/make_fixtures_h5.py
Needs numpy and h5py 3 with HDF5 1.10; writes beside itself and into broken/."""
import pathlib

import h5py
import numpy as np
from h5py import h5d, h5f, h5g, h5p, h5s, h5t

HERE = pathlib.Path(__file__).parent
BROKEN = HERE / "broken"


def numbers(dtype):
    """Element (i, j, k, l) of 2×3×5×7 is its number in C order minus 100."""
    return (np.arange(2 * 3 * 5 * 7) - 100).reshape(2, 3, 5, 7).astype(dtype)


def bf16_type(order="<"):
    t = (h5t.IEEE_F32LE if order == "<" else h5t.IEEE_F32BE).copy()
    t.set_fields(15, 7, 8, 0, 7)
    t.set_size(2)
    t.set_ebias(127)
    return t


def creation(kind=h5p.DATASET_CREATE):
    """Without times, so that the same command makes the same bytes."""
    plist = h5p.create(kind)
    plist.set_obj_track_times(False)
    return plist


def raw_dataset(f, name, h5type, shape, data, plist=None):
    """A dataset of a type that numpy does not know, from bytes that are already in it."""
    plist = plist or creation()
    space = h5s.create_simple(shape)
    d = h5d.create(f.id, name.encode(), h5type, space, plist)
    d.write(h5s.ALL, h5s.ALL, data, h5type)


def bf16_bytes(a, order="<"):
    return (a.astype("<f4").view("<u4") >> 16).astype(order + "u2")


def good():
    with h5py.File(HERE / "numbers_2x3x5x7.h5", "w", libver=("earliest", "v108")) as f:
        for code in ("f2", "f4", "f8"):
            f["little/" + code] = numbers("<" + code)
            f["big/" + code] = numbers(">" + code)
        for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
            f["whole/" + code] = numbers("<" + code)
        f["whole/big_i4"] = numbers(">i4")
        f["whole/b1"] = numbers("f8") != 0
        raw_dataset(f, "little/bf16", bf16_type(), (2, 3, 5, 7), bf16_bytes(numbers("f8")))
        raw_dataset(f, "big/bf16", bf16_type(">"), (2, 3, 5, 7), bf16_bytes(numbers("f8"), ">"))
        f.create_dataset("packed/gzip", data=numbers("f4"), chunks=(1, 1, 5, 7), compression="gzip", shuffle=True, fletcher32=True)
        f.create_dataset("packed/odd", data=numbers("f8"), chunks=(2, 2, 3, 4), compression="gzip")
        f.create_dataset("packed/across", data=numbers("f2"), chunks=(2, 3, 1, 7), fletcher32=True)
        f["layers/10/attn"] = np.full((2, 2), 10.0)
        f["layers/2/attn"] = np.full((2, 2), 2.0)
    with h5py.File(HERE / "kinds.h5", "w") as f:
        f["scalar"] = 3.5
        f["empty"] = np.zeros((2, 0, 3), "f4")
        f["null"] = h5py.Empty("f4")
        f["text"] = "words"
        f["texts"] = np.array([b"ab", b"cd"])
        f["records"] = np.zeros(2, dtype=[("a", "f4"), ("b", "f4")])
        f["complex"] = np.zeros((2, 2), "c16")
        f["references"] = np.array([f["scalar"].ref], dtype=h5py.ref_dtype)
        ragged = f.create_dataset("ragged", (2,), dtype=h5py.vlen_dtype(np.dtype("f8")))
        ragged[0], ragged[1] = np.arange(2.0), np.arange(3.0)
        f.create_dataset("colours", data=np.array([0, 1, 2], "i1"), dtype=h5py.enum_dtype({"R": 0, "G": 1, "B": 2}, "i1"))
        raw_dataset(f, "arrays", h5t.array_create(h5t.IEEE_F32LE, (3,)), (2,), np.zeros((2, 3), "<f4"))
        raw_dataset(f, "opaque_1", h5t.create(h5t.OPAQUE, 1), (2, 2), np.zeros((2, 2), "u1"))
        raw_dataset(f, "opaque_2", h5t.create(h5t.OPAQUE, 2), (2, 2), np.array([0x3F80, 0x4000, 0xFF80, 0x4049], "<u2"))
        long_double = h5t.IEEE_F64LE.copy()
        long_double.set_size(16)
        long_double.set_precision(80)
        long_double.set_fields(79, 64, 15, 0, 64)
        raw_dataset(f, "long_double", long_double, (1,), np.zeros(2, "f8"))
        twelve = h5t.STD_I16LE.copy()
        twelve.set_precision(12)
        raw_dataset(f, "twelve_bits", twelve, (1,), np.zeros(1, "<i2"))
        f.create_dataset("nine_axes", data=np.zeros((1,) * 9))
        # Never written: HDF5 gives the fill value, which is legal; it claims 2^44 bytes.
        f.create_dataset("sparse", (2, 1 << 20, 1 << 20), "f8", chunks=(1, 1, 4096), compression="gzip", fillvalue=2.5)
    with h5py.File(HERE / "links.h5", "w") as f:
        f["a/attn"] = np.eye(2)
        f["a/again"] = f["a/attn"]
        f["a/circle"] = f["a"]
        f["b"] = f["a"]
        f["root"] = f["/"]
        f["dangling"] = h5py.SoftLink("/nowhere")
        f["itself"] = h5py.SoftLink("/itself")
        f["soft"] = h5py.SoftLink("/a/attn")
        f["outside"] = h5py.ExternalLink("other.h5", "/attn")


def virtual(f, name, *mappings):
    """A virtual 2×2 dataset; a mapping is (rows of it, file, dataset, shape of the source, rows of it)."""
    plist = creation()
    for rows, source, dataset, shape, taken in mappings:
        to, of = h5s.create_simple((2, 2)), h5s.create_simple(shape)
        if rows is not None:
            to.select_hyperslab((rows, 0), (1, 2))
        if taken is not None:
            of.select_hyperslab((taken, 0), (1, 2))
        plist.set_virtual(to, source, dataset, of)
    h5d.create(f.id, name, h5t.IEEE_F64LE, h5s.create_simple((2, 2)), plist)


def whole(source, dataset=b"attn"):
    return (None, source, dataset, (2, 2), None)


def tensors():
    """Files that open, and tensors in them that cannot be read: (tensor, sentence)."""
    with h5py.File(BROKEN / "source.h5", "w") as f:
        f["attn"] = np.eye(2)
        f["small"] = np.eye(1)
        virtual(f, b"hollow", whole(b"missing.h5"))
    with h5py.File(BROKEN / "virtual.h5", "w") as f:
        f["local"] = np.eye(2)
        virtual(f, b"good", whole(b"source.h5"))
        virtual(f, b"good_local", whole(b".", b"local"))
        virtual(f, b"good_rows", (0, b"source.h5", b"attn", (2, 2), 1), (1, b"source.h5", b"attn", (2, 2), 0))
        virtual(f, b"no_file", whole(b"missing.h5"))
        virtual(f, b"no_dataset", whole(b"source.h5", b"nothing"))
        virtual(f, b"too_small", whole(b"source.h5", b"small"))
        virtual(f, b"beyond", (0, b"source.h5", b"attn", (3, 2), 2))
        virtual(f, b"of_virtual", whole(b"source.h5", b"hollow"))
        virtual(f, b"circle", whole(b".", b"circle"))
        rows = h5s.create_simple((2, 2), (h5s.UNLIMITED, 2))
        rows.select_hyperslab((0, 0), (h5s.UNLIMITED, 1), (1, 2), (1, 2))
        plist = creation()
        plist.set_virtual(rows, b"part%b.h5", b"attn", h5s.create_simple((1, 2)))
        h5d.create(f.id, b"numbered", h5t.IEEE_F64LE, h5s.create_simple((2, 2), (h5s.UNLIMITED, 2)), plist)
    filtered = creation()
    filtered.set_chunk((2, 2))
    filtered.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))
    unknown = creation()
    unknown.set_chunk((2, 2))
    unknown.set_filter(399, h5py.h5z.FLAG_OPTIONAL, ())
    outside = creation()
    outside.set_external(b"broken_nowhere.bin", 0, 32)
    with h5py.File(BROKEN / "storage.h5", "w") as f:
        # Optional filters that are not there are left out when writing, so the chunks are legal
        # and it is the pipeline that is refused.
        raw_dataset(f, "zstd", h5t.IEEE_F64LE, (2, 2), np.eye(2), filtered)
        raw_dataset(f, "unknown", h5t.IEEE_F64LE, (2, 2), np.eye(2), unknown)
        h5d.create(f.id, b"external", h5t.IEEE_F64LE, h5s.create_simple((2, 2)), outside)
    where = "is virtual, and "
    packed = "which this HDF5 lacks; install the plugin (of hdf5plugin, in the folder HDF5_PLUGIN_PATH), or save it with gzip"
    return {
        "virtual.h5": [
            ("no_file", where + 'the file of its source, "missing.h5", is not there'),
            ("no_dataset", where + 'its source "nothing" in "source.h5" is not there'),
            ("too_small", where + 'its source "small" in "source.h5" is too small'),
            ("beyond", where + 'its source "attn" in "source.h5" is too small'),
            ("of_virtual", where + 'the file of its source, "missing.h5", is not there'),
            ("numbered", where + 'its sources are numbered ("part%b.h5"), so that a missing one cannot be told; name its sources'),
            ("circle", where + "its sources are virtual more than 4 times over"),
        ],
        "storage.h5": [
            ("zstd", "is packed by the filter 32015 (zstd), " + packed),
            ("unknown", "is packed by the filter 399 (unknown), " + packed),
            ("external", 'is stored in the file "broken_nowhere.bin", which is not there (a relative name is looked for where the program runs, or in HDF5_EXTFILE_PREFIX)'),
        ],
    }


def patched(data, bytes_at):
    data = bytearray(data)
    for at, byte in bytes_at.items():
        data[at] = byte
    return bytes(data)


def files():
    """name: (bytes, the sentence that is expected)."""
    data = (BROKEN / "source.h5").read_bytes()
    latest = h5p.create(h5p.FILE_ACCESS)
    latest.set_libver_bounds(h5f.LIBVER_LATEST, h5f.LIBVER_LATEST)
    f = g = h5f.create(bytes(BROKEN / "deep.h5"), h5f.ACC_TRUNC, creation(h5p.FILE_CREATE), latest)
    for _ in range(70):
        g = h5g.create(g, b"g", gcpl=creation(h5p.GROUP_CREATE))
    del g
    f.close()
    with h5py.File(BROKEN / "scratch.h5", "w") as f:
        f["e"] = h5py.ExternalLink("o.h5", "/x")
        f["x"] = h5py.SoftLink("/y")
    links = (BROKEN / "scratch.h5").read_bytes()
    with h5py.File(BROKEN / "scratch.h5", "w") as f:
        f.create_dataset("a", data=np.zeros((4, 4), "f4"), chunks=(2, 2), compression=1)
    chunks = (BROKEN / "scratch.h5").read_bytes()
    (BROKEN / "scratch.h5").unlink()
    deep = (BROKEN / "deep.h5").read_bytes()
    hdf5 = "cannot be read as HDF5:"  # then what HDF5 says
    breaks = "libhdf5 crashes (or does not end) on it: the file is broken"
    return {
        "only_magic.h5": (data[:8], hdf5),
        "truncated.h5": (data[:1500], hdf5),
        "superblock_version.h5": (data[:8] + b"\x63" + data[9:], hdf5),
        "no_root.h5": (data[:96] + b"\xff" * 600 + data[696:], hdf5),
        "deep.h5": (deep, "has groups nested more than 64 deep"),
        "crash_link.h5": (patched(links, {859: 0}), breaks),
        "crash_heap.h5": (patched(links, {814: 254}), breaks),
        "endless.h5": (patched(chunks, {626: 8, 728: 16}), breaks),
    }


def write_broken():
    listed = BROKEN / "expected.txt"
    lines = [line for line in listed.read_text().splitlines(True) if ".h5\t" not in line]
    per_tensor = tensors()
    with open(BROKEN / "expected_tensors.txt", "w") as f:
        for name, rows in per_tensor.items():
            for tensor, sentence in rows:
                f.write(f"{name}\t{tensor}\t{sentence}\n")
    for name, (data, sentence) in files().items():
        (BROKEN / name).write_bytes(data)
        lines.append(f"{name}\t{sentence}\n")
    listed.write_text("".join(lines))


def axes():
    """Of every rank that can be attention a tensor whose element is its number in C order, plain and packed."""
    with h5py.File(HERE / "axes.h5", "w", libver=("earliest", "v108")) as f:
        for rank in range(2, 6):
            shape = (2, 3, 4, 5, 6)[:rank]
            a = np.arange(np.prod(shape), dtype="f4").reshape(shape)
            f[f"plain/rank_{rank}"] = a
            f.create_dataset(f"packed/rank_{rank}", data=a, chunks=(1,) + (2,) * (rank - 1), compression="gzip")


if __name__ == "__main__":
    good()
    axes()
    write_broken()
