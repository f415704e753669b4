# One row a matrix, or one a singular value; RFC 4180 ends lines with CR LF and doubles quotes.
. "$CASES/npy.inc"
npy 'a"b.npy' "(3, 2, 2)" 3 0 0 1 1 inf 3 0 0 0 0 0
attnspec analyze -q --kind logits 'a"b.npy' -o heads.h5 2>/dev/null
attnspec report heads.h5 --format csv >table.csv
head -1 table.csv | tr -d '\r' | tr ',' '\n'
cut -d, -f1-18,28 table.csv | sed -n '2,$p'
attnspec report heads.h5 --format csv --values | cut -d, -f1-5,28- |
    awk -F, '{ end = sub(/\r$/, "") ? " CR" : "" }
        NR > 1 && $NF != "" { last = sprintf("%.12g", $NF); sub(/[^,]*$/, last) }
        { print $0 end }'
