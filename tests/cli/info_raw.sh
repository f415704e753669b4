# Elements without a header: the shape and dtype are the user's word, for info and for analyze.
printf '\77\200\0\0\100\0\0\0\100\100\0\0\100\200\0\0' >four.bin
attnspec info --raw '2x2:>f32' four.bin
attnspec info --raw 2x3:f32 four.bin; echo $?
attnspec info --raw 2x2 four.bin 2>/dev/null; echo $?
attnspec analyze --raw '2x2:>f32' four.bin -q | grep -c four.bin
attnspec info four.bin >/dev/null; echo $?
