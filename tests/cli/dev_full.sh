# Data that cannot be written are an error, also when they are short.
[ -w /dev/full ] || exit 77
attnspec --help >/dev/full
echo $?
attnspec help report >/dev/full
echo $?
attnspec --version >/dev/full
echo $?
attnspec --help >&-
echo $?
