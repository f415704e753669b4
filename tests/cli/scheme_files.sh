# Tables of schemes from files: built and analysed the same, named in the results; a kernel of one's own
# is ALiBi where its numbers are; what does not fit is 2, with the sizes, and nothing stays.
/usr/bin/python3 - <<'END'
import numpy as np
n, heads = 13, 2
delta = np.arange(1 - n, n)
np.save("both.npy", -np.abs(delta) * np.array([[1 / 16], [1 / 256]]))
np.save("one.npy", -np.arange(n) * np.array([[1 / 16], [1 / 256]]))
np.save("cut.npy", np.arange(n - 1.0))
np.savetxt("column.txt", -np.arange(n) / 16)
np.savetxt("row.csv", -np.abs(delta)[None] / 16, delimiter=",")
np.savez("kerple.npz", p=np.array([1.0, 2.0]), a=np.array([0.5, 0.25]))
np.save("bad.npy", np.array([1.0, np.inf]))
END
build() { attnspec build --n 13 --head-dim 6 --heads 2 -q "$@"; echo $?; }
build --scheme alibi -o alibi.h5
build --scheme toeplitz:file=both.npy -o both.h5
build --scheme toeplitz:file=one.npy -o one.h5
build --scheme toeplitz:mode=hadamard,file=one.npy -o hadamard.h5
build --scheme kerple:file=kerple.npz -o kerple.h5
/usr/bin/python3 - <<'END'
import h5py
import numpy as np
d = {name: h5py.File(name + ".h5")["dump"] for name in ("alibi", "both", "one", "hadamard", "kerple")}
delta = np.abs(np.arange(13)[:, None] - np.arange(13))
for name in ("both", "one"):
    print(name, d[name].attrs["scheme"], np.abs(d[name]["logits"][:] - d["alibi"]["logits"][:]).max() < 1e-14)
slopes = np.array([1 / 16, 1 / 256])[:, None, None]
print("hadamard", (d["hadamard"]["logits"][0] == d["alibi"]["content"][0] * (-slopes * delta)).all())
p, a = np.array([1.0, 2.0])[:, None, None], np.array([0.5, 0.25])[:, None, None]
bias = d["kerple"]["logits"][0] - d["kerple"]["content"][0]
print("kerple", np.abs(bias + p * np.log(1 + a * delta)).max() < 1e-14)
np.save("q.npy", d["kerple"]["query"][:]), np.save("k.npy", d["kerple"]["key"][:])
END
# A column or a row of text, for all heads and layers.
for i in column.txt row.csv; do
    build --layers 2 --scheme toeplitz:file=$i -o text.h5 --force
    /usr/bin/python3 -c '
import h5py, numpy as np
d = h5py.File("text.h5")["dump"]
bias = d["logits"][:] - d["content"][:]
print(np.abs(bias + np.abs(np.arange(13)[:, None] - np.arange(13)) / 16).max() < 1e-14)'
done
# The same through analyze.
attnspec analyze --query q.npy --key k.npy --scheme kerple:file=kerple.npz --scheme toeplitz:file=both.npy \
    -o pairs.h5 -q
attnspec report pairs.h5 --format csv | cut -d, -f 5,6,9,10
attnspec analyze kerple.h5 -o again.h5 -q
for i in pairs again; do attnspec report $i.h5 --format json >$i.json; done
/usr/bin/python3 - <<'END'
import h5py, json
import numpy as np
norms = np.linalg.norm(h5py.File("kerple.h5")["dump/logits"][0], 2, (1, 2))
for i in ("pairs", "again"):
    found = [m["metrics"]["spectral_norm"] for m in json.load(open(i + ".json"))["matrices"]][:2]
    print(i, np.abs(found - norms).max() < 1e-13)
END
# Refusals.
build --scheme toeplitz -o o.h5
build --scheme relative -o o.h5
build --scheme toeplitz:file=missing.npy -o o.h5
build --scheme toeplitz:file=cut.npy -o o.h5
build --scheme toeplitz:file=bad.npy -o o.h5
build --scheme kerple:file=one.npy -o o.h5
build --scheme kerple:form=power,p=3 -o o.h5
build --scheme t5:file=one.npy -o o.h5
build --scheme kerple:file=kerple.npz --force -o kerple.npz
attnspec analyze --query q.npy --key k.npy --scheme toeplitz:file=missing.npy
echo $?
attnspec analyze --query q.npy --key k.npy --scheme toeplitz:file=both.npy --softcap 5 | tail -3
attnspec analyze --query q.npy --key k.npy --scheme kerple:file=kerple.npz --force -o kerple.npz
echo $?
test ! -e o.h5
