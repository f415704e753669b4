# Links, modes, and two trainings at once.
train="attnspec train -q --deterministic --batch 16 --steps 20 --test-samples 64 --dim 16 --ff 16"
# A link to nothing is refused before anything is trained.
ln -s nothing.h5 link.h5
$train -o link.h5
echo $?
ls
rm link.h5
# A run that is a link stays one: the ablation is in the file behind it, which keeps its mode.
$train -o real.h5
chmod 600 real.h5
ln -s real.h5 link.h5
attnspec ablate link.h5 -q >/dev/null
echo $?
stat -c '%F %a' link.h5 real.h5
attnspec report real.h5 --format json | grep -c '"ablation":{'
# Of two that begin at once one is told, and the other is whole.
$train --steps 300 -o both.h5 2>a.err &
$train --steps 300 -o both.h5 2>b.err
one=$?
wait $!
expr $one + $?
# Found by its look, when it wrote its first, or when the other was whole already.
sed 's/both.h5.* is there.*/both.h5 is there/' a.err b.err
ls both.h5*
# Memory for the probe is asked for before the training.
attnspec train -q --steps 2 --spectra-every 0 --probe 400 --test-samples 400 --n 1024 --scheme nope --task count \
    --vocab 64 --layers 6 --heads 64 --dim 64 --ff 8 --batch 1 -o big.h5 2>big.err
echo $?
sed 's/take .* GiB, but the machine has .*/take G GiB, but the machine has less/' big.err
ls big.h5* 2>/dev/null || echo nothing is left
