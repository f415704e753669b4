# The whole table as JSON, and into a file that is there already.
attnspec schemes --json -o schemes.json
attnspec schemes --json -o schemes.json
echo $?
python3 - <<'END'
import json
schemes = json.load(open("schemes.json"))["schemes"]
for s in schemes:
    print(s["name"], s["class"], *s["traits"], *[p["key"] for p in s["parameters"]])
print(sorted(schemes[0]))
parameters = {s["name"]: s["parameters"] for s in schemes}
print(json.dumps(parameters["alibi"][0], sort_keys=True))
print(json.dumps(parameters["mla"][1], sort_keys=True))
print(json.dumps(parameters["toeplitz"][0], sort_keys=True))
END
