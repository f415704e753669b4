# attnspec-NAME and attnspec NAME are one program, wherever the link is.
ln -s "$(command -v attnspec)" attnspec-info
ln -s "$(command -v attnspec)" attnspec-infa
attnspec help info >expected
./attnspec-info --help | diff expected - && attnspec-info --help | diff expected -
./attnspec-infa
