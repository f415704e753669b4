# What cannot be swept is 2, an output that is there 4; nothing stays.
refused()
{
    attnspec sweep "$@" -o o.h5
    echo $?
}
refused
refused --scheme rop 2>&1 | sed "s/valid are .*; did/valid are LIST; did/"
refused --scheme rope:bse=3 2>&1 | sed "s/valid are .*; did/valid are LIST; did/"
refused --scheme rope --content gausian 2>&1 | sed "s/valid are .*; did/valid are LIST; did/"
refused --scheme rope --content file:x.h5
refused --scheme rope --n 0
refused --scheme rope --n ''
refused --scheme rope --n 8,,9
refused --scheme rope --n 8,x
refused --scheme rope --n 99999999999999999999
refused --scheme ''
refused --scheme '|rope'
refused --scheme 'rope|'
refused --scheme 'rope:base=1||2'
refused --scheme 'rope:base=1|x'
refused --scheme rope --content ''
refused --scheme @
refused --scheme @missing
echo '# nothing' >empty
refused --scheme @empty
refused --scheme rope:base=@empty
echo @empty >nested
refused --scheme @nested
# A list is a file of text: nobody waits for a pipe, or reads without an end.
mkfifo pipe
refused --scheme @pipe
refused --scheme @/dev/zero
refused --scheme rope:base=@.
printf 'ali\0bi\n' >nul
refused --scheme @nul
truncate -s 5000000 long
refused --scheme @long
head -c 5000 /dev/zero | tr '\0' a >wide
refused --scheme @wide
refused --scheme rope --seeds 0
refused --scheme rope --heads 3 --kv-heads 2
refused --scheme rope --mask auto
refused --scheme rope --mask windw:3
refused --scheme rope --spectra singular,egen
refused --scheme rope --seeds 1000000 --heads 1000000
attnspec sweep --scheme rope --resume
echo $?
attnspec sweep --scheme rope -o -
echo $?
attnspec sweep --scheme rope -o missing/o.h5
echo $?
ls -A
echo kept >o.h5
refused --scheme rope --n 8
cat o.h5
