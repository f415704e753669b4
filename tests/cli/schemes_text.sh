# One scheme in full, by its alias and with parameters; the whole list has each once and is never
# wider than 80 columns.
attnspec schemes rotary:base=5
attnspec schemes | grep '^[a-z]'
attnspec schemes $(attnspec schemes | sed -n 's/^\([a-z].*\) (.*/\1/p') >all && attnspec schemes >>all
awk 'length > 80' all
# Rows of a table are counted towards the keys after the query, as row K + (j − i) of maths.md.
attnspec schemes shaw | tr -s ' \n' ' ' | grep -o 'row K is [^;]*'
