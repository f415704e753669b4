# What bash offers for words that are begun.
command -v bash >/dev/null || exit 77
attnspec completion >completion.bash
cat >try.bash <<'EOF'
. ./completion.bash
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attnspec "$1"; echo "${COMPREPLY[@]}"; }
try attnspec re
try attnspec tr
try attnspec report --form
try attnspec report --format c
try attnspec-report --format js
try attnspec info --h
try attnspec train --sinu
try attnspec train --sinusoids w
touch result.h5
try attnspec report res
EOF
bash try.bash
