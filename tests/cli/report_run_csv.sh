# A training run as CSV: one number a row, with all its digits; what does not exist is empty.
. "$CASES/runs.inc"
attnspec report run_small.h5 --format csv >run.csv
tr -d '\r' <run.csv | grep -v '^history\|^spectra'
tr -d '\r' <run.csv | grep '^history,\(7\|35\),'
tr -d '\r' <run.csv | grep '^spectra,350,1,[23],'
# A point of the spectra is nine numbers: of three of the eight steps taken, or of all.
for values in "" --values; do
    attnspec report run_small.h5 --format csv $values | grep -c '^spectra'
done
attnspec report run_nope.h5 --format csv | tr -d '\r' | grep ',samples_per_second,\|^ablation\|^spectra,350,1,3,alig'
attnspec report comparison_small.h5 --format csv | tr -d '\r' | grep '^task\|,rope\|^copy\|^count,t5'
# Rows end as RFC 4180 has it.
grep -cv "$(printf '\r')$" run.csv
exit 0
