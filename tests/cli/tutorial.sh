# What the tutorial and the README show is what one gets.
modules=h5py
. "$CASES/numpy.inc"
repository=$(cd "$CASES/../.." && pwd)
ln -s "$repository/data" data
build=$(cd "$(dirname "$(command -v attnspec)")/.." && pwd)
# A library with sanitizers is not linked by the command that the page shows.
case $build in */release)
    mkdir build
    ln -s "$build" build/release
    ln -s "$repository/include" include
esac
mkdir bin
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v $python)" >bin/python3
chmod +x bin/python3
PATH="$PWD/bin:$PATH" $python "$repository/tests/tutorial.py" "$repository/README.md" "$repository/docs/tutorial.md"
