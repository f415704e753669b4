# Reports and results of our own that lie beside the data are no data, with a pattern of tensors too.
. "$CASES/npy.inc"
mkdir run
npy run/step_1.npy "(2, 2)" 1 0 0 0.5
npy run/step_2.npy "(2, 2)" 2 0 0 0.5
analyze()
{
    attnspec analyze "$@" --force -o o.h5
    echo $?
}
analyze run
cp o.h5 run
attnspec report o.h5 --format json -o run/report.json
analyze run
analyze 'run:*'
analyze 'run/*:*'
attnspec info --json run/step_1.npy >run/info.json
attnspec report o.h5 --format csv -o run/report.csv
attnspec report o.h5 --format csv --values -o run/values.csv
attnspec report o.h5 --against o.h5 --format csv -o run/against.csv
for by in layer head scheme source step; do
    attnspec report o.h5 --format csv --group $by -o run/$by.csv
done
for file in run_small.h5 comparison_small.h5; do
    attnspec report "$CASES/../../data/$file" --format csv -o run/$file.csv
done
analyze run
# Named, they are said; tables of others are data.
analyze run/report.json run/report.csv run/step_1.npy
analyze 'run/*.json'
printf 'layer,metric\n1,2\n' >run/head.csv
printf '[[1, 2], [3, 4]]' >run/info.json
attnspec info run/head.csv run/info.json | grep run
