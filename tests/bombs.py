"""Files that are to be refused at little cost: bombs, and shapes of 2^63. Made in the current folder.
Needs h5py."""
import io
import json
import struct
import zipfile
import zlib

import h5py

HUGE = 2**63


def npy(shape, dtype="<f4"):
    """The header of a .npy file."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def deflated(head, block, times):
    """head and then `times` blocks, without packing each anew: after a full flush bits repeat."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = pack.compress(head) + pack.flush(zlib.Z_FULL_FLUSH)
    again = pack.compress(block) + pack.flush(zlib.Z_FULL_FLUSH)
    return first + again * times + pack.flush(zlib.Z_FINISH)


def archive(name, data, size, count=1):
    """A .npz of one deflated member that claims to unpack to `size` bytes."""
    sizes = (0, len(data), size, len(name), 0)
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, *sizes) + name
    entry = b"PK\1\2" + struct.pack("<HHHHHHIIIHH", 20, 20, 0, 8, 0, 33, *sizes)
    entry += struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    at = len(local) + len(data)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(entry), at, 0)
    return local + data + entry + end


def safetensors(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in members.items():
            z.writestr(name, data)
    return out.getvalue()


def torch(pickle):
    return zipped({"m/data.pkl": b"\x80\x02" + pickle + b".", "m/data/0": bytes(24), "m/version": b"3\n"})


def tensor(rows):
    """The pickle of float32 [rows][3] in a storage of 6 elements."""
    length = b"\x8a\x09" + rows.to_bytes(9, "little")
    storage = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\x000X\3\0\0\0cpuK\6tQ"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\0" + length + b"K\3\x86"
            + b"K\3K\1\x86\x89ccollections\nOrderedDict\n)RtR")


def text_bomb():
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + deflated(b"", b"0 0 0 0\n" * 2**17, 10240) + bytes(8)


def entry(shape, begin, end):
    return {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}


zeros = bytes(2**20)
small = zipped({"a.npy": npy("(2, 2)") + bytes(16)})
files = {
    "bomb.npz": archive(b"a.npy", deflated(npy("(2, 2)"), zeros, 10240), 144),
    "bomb.csv.gz": text_bomb(),
    "shape.npy": npy(f"({HUGE}, 3)") + bytes(24),
    "shape.safetensors": safetensors({"a": entry([HUGE, 3], 0, 24)}, bytes(24)),
    "shape.pt": torch(tensor(HUGE)),
    "overlap.safetensors": safetensors({"a": entry([2, 3], 0, 24), "b": entry([2, 3], 8, 32)}, bytes(32)),
    "truncated.npz": small[:-30],
    "members.npz": archive(b"a.npy", deflated(npy("(2, 2)") + bytes(16), b"", 0), 144, 65535),
    "deep.json": b"[" * 100 + b"1" + b"]" * 100,
    "system.pt": torch(b"cos\nsystem\nX\x0a\0\0\0touch PWNED\x85R"),
}
for name, data in files.items():
    with open(name, "wb") as f:
        f.write(data)
with h5py.File("shape.h5", "w") as f:
    # HDF5 makes no larger one: 2^63 bytes.
    f.create_dataset("a", shape=(HUGE // 8, 2), chunks=(1024, 2), dtype="f4")
with h5py.File("virtual.h5", "w") as f:
    layout = h5py.VirtualLayout((4, 4), "f4")
    layout[:] = h5py.VirtualSource("gone.h5", "a", (4, 4))
    f.create_virtual_dataset("a", layout)
