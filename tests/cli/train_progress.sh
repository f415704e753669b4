# The line of a training: steps, rate, time left, loss and accuracy; only where it is asked for.
. "$CASES/train.inc"
line()
{
    attnspec train $small "$@" --progress always 2>&1 >/dev/null | tr '\r' '\n' | sed 's/\x1b\[K//' | grep '/s,' | tail -1 |
        sed 's/ [0-9.e+]*\/s/ R\/s/; s/[0-9]*:[0-9]* left/T left/; s/loss [0-9.]*/loss L/; s/accuracy [0-9.]*/accuracy A/'
}
line
line -o o.h5
line -q
line -o p.h5 --stop-at 7
line -o p.h5 --resume
line --compare 'rope|nope' --seeds 2
line --lr 1000 --clip 1e-9
attnspec train $small >/dev/null
attnspec train $small -q >/dev/null
attnspec train $small --progress never >/dev/null
attnspec train $small -q -o q.h5
attnspec ablate o.h5 --progress always 2>&1 >/dev/null | tr '\r' '\n' | sed 's/\x1b\[K//; s/ [0-9.e+]*\/s/ R\/s/' | tail -2
attnspec ablate o.h5 -q >/dev/null
