attnspec report --formt csv result.h5
echo $? >&2
attnspec report --quite-another result.h5
echo $? >&2
attnspec report -qz result.h5
echo $? >&2
attnspec --formt report
