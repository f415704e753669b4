# A training that diverges says at which step, ends with 1, and keeps the steps before: to be looked at, and
# to diverge again. What no reader takes is no checkpoint.
. "$CASES/train.inc"
# At which step, and whether by infinity, is a matter of rounding.
words()
{
    sed 's/step [0-9]*: the .* is .*;/step N: X is no number;/; s/the [0-9]* steps/the N steps/
        s/step [0-9]* is/step N is/; s/at [0-9]*\(;\|$\)/at I\1/'
}
try()
{
    attnspec train $small "$@" >out 2>err
    echo $?
    words <err
    cat out
}
wild="--lr 1000 --weight-decay 1000"
try $wild
try $wild --clip 1
try $wild -o o.h5
ls *.h5*
attnspec report o.h5.part >report.txt && grep -ci '\bnan\b\|\binf' report.txt
attnspec report o.h5.part --format json >report.json && grep -ci '[^a-z]nan\|[^a-z]inf' report.json
try $wild -o o.h5 --resume
attnspec ablate o.h5.part
echo $?
# A smaller rate is another training.
attnspec train $small -o o.h5 --resume 2>&1 | sed 's/its --[a-z-]* is.*;/its X is;/'
try -o o.h5 --force -q
ls *.h5*
# The table is multiplied by -999 at each step: single precision ends before the loss does.
table="--scheme relative --lr 1e-3 --weight-decay 1 --table-lr 1e6 --warmup 0"
try $table -o t.h5 --checkpoint-every 1
attnspec report t.h5.part >report.txt && echo "the step before can be read"
# One of several stops no other; a comparison that is gone on with has not forgotten it.
many="--compare rope|nope --task copy --seeds 1"
try $wild --beta1 0.5 $many -o c.h5
ls *.h5*
attnspec report c.h5 --format csv | tr -d '\r' | cut -d, -f1-3,5,6
try $wild --beta1 0.5 $many -o c.h5 --resume
try $wild --beta1 0.5 $many | grep -v '^  \|^$' | head -5
