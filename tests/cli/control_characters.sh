# A file's name cannot move the cursor or colour the screen.
. "$CASES/npy.inc"
name=$(printf 'a\033[31m\nb.npy')
npy "$name" "(2, 2)" 1 2 3 1
attnspec info --color=never --headers "$name"
attnspec info --color=never "$name" -o "$name"
