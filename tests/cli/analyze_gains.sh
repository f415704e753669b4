# Terms of a rotation that grows with the distance exist under a mask alone; a gain on all pairs leaves
# the alignment of the coupled logits as it is, and divides that of the content by its square.
ask()
{
    attnspec build --content mean --n 16 --head-dim 8 -q --force -o x.h5 "$@" 2>/dev/null &&
        attnspec analyze x.h5 -q --force -o r.h5 && attnspec report r.h5 --format json >r.json
}
see()
{
    python3 - <<'END'
import json
c = json.load(open("r.json"))["matrices"][0]["contraction"]
print(*(round(c["alignment"][k]["spectral"], 9) if c["alignment"][k]["spectral"] is not None
        else c["reasons"]["alignment_" + k + "_spectral"] for k in ("coupled", "content")))
END
}
ask --scheme xpos && see
ask --scheme xpos --mask causal && see | grep -c '^[0-9. ]*$'
yarn=rope:scaling=yarn,factor=4,original_max_position_embeddings=64
ask --scheme $yarn,attention_factor=1 && see >one
ask --scheme $yarn,attention_factor=2 && see >two
paste -d ' ' one two | awk '{ print ($1 == $3), ($2 - 4 * $4 < 1e-8 && 4 * $4 - $2 < 1e-8) }'
