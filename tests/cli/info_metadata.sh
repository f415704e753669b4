# What a file says of itself is shown, and steers nothing: the __metadata__ of safetensors, the metadata of
# their index, the attributes of a dump of attnspec build. It may be anything: it cannot move the cursor.
command -v python3 >/dev/null || exit 77
python3 - <<'EOF'
import json


def safetensors(name, metadata):
    header = json.dumps({"attn": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}, "__metadata__": metadata})
    header = header.encode()
    ones = b"\0\0\x80\x3f" * 4
    open(name, "wb").write(len(header).to_bytes(8, "little") + header + ones)


evil = "red \x1b[31m, a line\nand its end\r, back\b, C1 \u009b2J, Zürich"
safetensors("a.safetensors", {
    "format": "pt",
    "scheme": "rope",  # not a dump of ours: no scheme is believed
    "mask": "causal",
    "evil \x1b[2J": evil,
    "empty": "",
    "long": "word " * 100,
    "config": "{" + '"a":1,' * 30 + "}",
})
safetensors("none.safetensors", {})
safetensors("many.safetensors", {f"key_{i:02}": str(i) for i in range(15)})
json.dump({"metadata": {"total_size": 16, "by": {"name": ["x", None, 1.5]}, "note": "two"},
           "weight_map": {"attn": "none.safetensors"}}, open("m.safetensors.index.json", "w"))
json.dump({"metadata": "text", "weight_map": {"attn": "none.safetensors"}}, open("t.safetensors.index.json", "w"))
EOF
attnspec info --color=never --headers a.safetensors none.safetensors m.safetensors.index.json t.safetensors.index.json
attnspec info --headers many.safetensors | tail -5
attnspec info --json a.safetensors none.safetensors many.safetensors m.safetensors.index.json missing >o.json
python3 - <<'EOF'
import json
for f in json.load(open("o.json"))["files"]:
    print(f["source"], f["metadata"] and list(f["metadata"].items())[:12])
EOF
# Neither the scheme nor the mask of a stranger's metadata reaches the results.
attnspec analyze a.safetensors -q -o o.h5
attnspec report o.h5 --format json | sed 's/"layers":.*//' | grep -o '"scheme":[^,]*\|"mask":[^,]*'
