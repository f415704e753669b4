attnspec report --format jsn result.h5
echo $? >&2
attnspec report --format= result.h5
