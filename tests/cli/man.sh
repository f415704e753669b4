# The man page of a tool: every option is in it, and no text line is taken for a request.
for tool in ablate analyze build info report schemes sweep train; do
    attnspec help --man $tool >$tool.1
    attnspec help $tool | sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sed 's/-/\\-/g' |
        while read -r option; do
            grep -qF -e "$option" $tool.1 || echo "$tool.1 lacks $option"
        done
    grep '^[.]' $tool.1 | grep -v '^[.]\(TH\|SH\|SS\|TP\|B\|BR\|PP\|nf\|fi\)\b'
done
head -4 report.1 | sed 's/attnspec [0-9.]*/attnspec N/'
attnspec help --man | grep -A1 '^[.]BR'
