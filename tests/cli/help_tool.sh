# Help is made from the option table; nothing is wider than 80 columns.
attnspec help report
attnspec report --help >same && attnspec help report | diff same -
for tool in ablate analyze build info report schemes sweep train; do
    attnspec help $tool | awk -v tool=$tool 'length > 80 { print tool ": " $0 }'
done
attnspec --help | awk 'length > 80'
# What help calls by name is there.
for tool in ablate analyze build info report schemes sweep train; do
    attnspec help $tool | tr -s ' \n' ' ' | grep -o 'attnspec [a-z]*'
done | sort -u
