#!/bin/sh
# The architecture as an allow-list: which room may include which, and which words belong to one
# place. Prints a sentence with file and line for every breach and then fails.
#   usage: tests/layers.sh [ROOT]
cd "${1:-$(dirname "$0")/..}" || exit 1

# room: what is upstream of it. Other rooms are seen through attnspec/ROOM.h, only base and door
# through headers of their own.
upstream='
base:
door: base
scheme: base door
content: base door dump
dump: base door
logits: base door scheme content dump
spectrum: base door scheme content dump logits
metric: base door scheme content dump logits spectrum
result: base door scheme content dump logits spectrum metric
train: base door scheme content dump
tools: base scheme content dump logits spectrum metric result train
'
# Headers of the C standard library and of POSIX; any other <header> is foreign.
standard='assert complex ctype dirent dlfcn errno fcntl fenv float fnmatch glob inttypes langinfo
limits locale math poll pthread regex sched setjmp signal stdalign stdarg stdatomic stdbool stddef
stdint stdio stdlib stdnoreturn string strings sys/file sys/ioctl sys/mman sys/resource sys/stat
sys/statvfs sys/time sys/types sys/utsname sys/wait termios threads time unistd wchar wctype'

find include lib tools tests -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort |
    xargs awk -v upstream="$upstream" -v standard="$standard" -f tests/layers.awk
