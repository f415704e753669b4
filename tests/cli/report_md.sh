# Markdown: a table for each tensor, and the summary; what Markdown would take for its own is escaped.
. "$CASES/npy.inc"
npy 'a|b*_c<d>.npy' "(4, 2, 2)" 3 0 0 1  1 inf 3 0  0 0 0 0  1 0 0 1
npy plain.npy "(2, 2)" 1 0 0 1
attnspec analyze -q --kind logits 'a|b*_c<d>.npy' plain.npy missing.npy -o heads.h5 2>/dev/null
attnspec report heads.h5 --format md | grep -v '^- Driver'
attnspec report heads.h5 --format md --values --where 'source=a*' | sed -n '/spectrum | values/,/^$/p'
# Sorted, it is one table, with names where they differ.
attnspec report heads.h5 --format md --sort -nuclear_norm --top 3 | sed '/^### Summary/,$d'
attnspec report heads.h5 --format md --group source
# The bytes do not depend on the language.
LC_ALL=C attnspec report heads.h5 --format md >c.md
attnspec report heads.h5 --format md | cmp - c.md
# Every row of every table has as many cells as its head.
command -v python3 >/dev/null || exit 77
attnspec build -q --scheme rope --content mean --heads 2 --n 13 --head-dim 6 -o rope.h5
attnspec analyze -q rope.h5 'a|b*_c<d>.npy' --kind logits -o all.h5 2>/dev/null
for words in "" "--values" "--sort seed --values" "--group scheme" "--against heads.h5 --values"; do
    attnspec report all.h5 --format md $words
done | python3 -c '
import re, sys
tables = rows = cells = 0
for line in sys.stdin:
    if not line.startswith("|"):
        cells = 0
        continue
    count = len(re.split(r"(?<!\\)\|", line.strip()))
    tables += cells == 0
    rows += 1
    assert cells in (0, count), line
    cells = count
print(tables, "tables", rows, "rows")
'
