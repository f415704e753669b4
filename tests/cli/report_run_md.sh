# A training run and a comparison as Markdown: tables, pictures in fences; the bytes do not depend on the language.
. "$CASES/runs.inc"
attnspec report run_small.h5 --format md
attnspec report comparison_small.h5 --format md
for file in run_small.h5 comparison_small.h5; do
    LC_ALL=C attnspec report $file --format md >c.md
    attnspec report $file --format md | cmp - c.md
done
# Every row of every table has as many cells as its head.
command -v python3 >/dev/null || exit 77
for file in run_small.h5 run_nope.h5 run_small.h5.part comparison_small.h5 comparison_one.h5.part; do
    attnspec report $file --format md --values
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
