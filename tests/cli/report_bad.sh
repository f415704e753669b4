# Files that are no results.
echo "no result" >text.h5
: >empty.h5
mkdir folder
attnspec report missing.h5
echo $?
attnspec report text.h5
echo $?
attnspec report empty.h5
echo $?
attnspec report folder
echo $?
