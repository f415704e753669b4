# Numbers out of range, values that are missing, and values where none belong.
for words in "-j 0" "-j 257" "-j -1" "-j 1x" "--threads=" "-j" "--values=yes" "--format"; do
    attnspec report result.h5 $words && echo "$words was accepted"
done
attnspec report
echo $? >&2
attnspec report one two
