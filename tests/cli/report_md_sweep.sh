# A sweep as Markdown has the tables of the text, and no heading is empty.
attnspec sweep -q --scheme 'rope|alibi|cope' --scheme rope_hadamard:base=100 --content 'gaussian|mean' --n 9 --head-dim 4 --heads 2 \
    -o s.h5 2>/dev/null
attnspec report s.h5 --format md >s.md
sed '/^### Summary/,$d' s.md
# Its cells are those of the text, where long names have a line of their own.
cells()
{
    grep -E '(observed|guaranteed|partly)[ |]' "$1" | grep -v Ky | tr -d '|\\' | sed 's/^ *rope_hadamard:base=100//' |
        tr -s ' ' | sed 's/^ //; s/ $//'
}
attnspec report s.h5 >s.txt
cells s.md >md.cells
cells s.txt | diff - md.cells && wc -l <md.cells
# With spectra, and where schemes of a file are compared, heads come after the tables.
attnspec report s.h5 --format md --values >values.md
grep '^###' values.md
attnspec report s.h5 --format md --sort scheme >sorted.md
grep -hE '^#+ *$' ./*.md
attnspec build -q --scheme rope --n 9 --head-dim 4 -o d.h5
attnspec analyze -q --query d.h5:dump/query --key d.h5:dump/key --scheme rope --scheme alibi -o c.h5
attnspec report c.h5 --format md | grep '^###'
