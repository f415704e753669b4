#!/bin/sh
# Finds what a group of the table lacks and installs it with apt-get. Where all is there it installs
# nothing and asks no network; without root and without a terminal it prints the command and fails.
#   usage: .ci/deps.sh GROUP...      groups: build check bench fuzz ci
# <LIBRARY>_LIBS set in the environment (also to nothing) means: that library is seen to already.
set -u

# group  kind    what           override       Debian package
table='
build    command cc             -              gcc
build    header  stdio.h        -              libc6-dev
build    module  lapacke        LAPACKE_LIBS   liblapacke-dev
build    module  openblas,blas  BLAS_LIBS      libopenblas-dev
build    module  hdf5           HDF5_LIBS      libhdf5-dev
build    module  jansson        JANSSON_LIBS   libjansson-dev
build    module  zlib           ZLIB_LIBS      zlib1g-dev
build    module  gsl            GSL_LIBS       libgsl-dev
check    module  check          CHECK_LIBS     check
check    python  h5py           -              python3-h5py
check    python  jsonschema     -              python3-jsonschema
bench    python  numpy          -              python3-numpy
bench    python  h5py           -              python3-h5py
bench    python  torch          -              python3-torch
fuzz     command clang          -              clang
fuzz     clang   fuzzer,address -              libclang-rt-dev
ci       command clang          -              clang
ci       command clang-format   -              clang-format
'

# The compiler that make was told to use is the one to look for.
compiler=${CC:-cc}

have()
{
    kind=$1 what=$2 override=$3
    if [ "$override" != - ] && eval "[ -n \"\${$override+set}\" ]"; then
        return 0
    fi
    case $kind in
    command)
        [ "$what" = cc ] && what=${compiler%% *}
        command -v "$what" >/dev/null 2>&1 ;;
    header)
        echo "#include <$what>" | $compiler -E - >/dev/null 2>&1 ;;
    module)
        for module in $(echo "$what" | tr , ' '); do
            pkg-config --exists "$module" 2>/dev/null && return 0
        done
        return 1 ;;
    clang)
        echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
            clang -fsanitize="$what" -x c -o /dev/null - >/dev/null 2>&1 ;;
    python)
        for python in python3 /usr/bin/python3; do
            "$python" -c "import $what" >/dev/null 2>&1 && return 0
        done
        return 1 ;;
    esac
}

# The packages of the groups "$@" that are missing.
missing()
{
    echo "$table" | while read -r group kind what override package; do
        case " $* " in
        *" ${group:-none} "*) have "$kind" "$what" "$override" || printf '%s ' "$package" ;;
        esac
    done
}

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=none
    [ -t 0 ] && command -v sudo >/dev/null 2>&1 && as_root=sudo
fi

may_install()
{
    command -v apt-get >/dev/null 2>&1 && [ "$as_root" != none ]
}

# A fresh machine has empty lists, so they are fetched once before the first package.
updated=no
install()
{
    echo "installing: $*" >&2
    if [ $updated = no ]; then
        $as_root apt-get -q update >&2 || echo "apt-get update failed; trying the old lists" >&2
        updated=yes
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
        install --no-install-recommends "$@" >&2 || {
        echo "apt-get could not install: $*" >&2
        exit 1
    }
}

packages=$(missing "$@")
# Only pkg-config can tell which libraries are there, so it comes first.
if [ -n "$packages" ] && ! command -v pkg-config >/dev/null 2>&1; then
    if may_install; then
        install pkg-config
        packages=$(missing "$@")
    else
        packages="pkg-config $packages"
    fi
fi
if [ -z "$packages" ]; then
    exit 0
elif may_install; then
    # shellcheck disable=SC2086 # a list of words
    install $packages
elif command -v apt-get >/dev/null 2>&1; then
    echo "missing: $packages" >&2
    echo "as root: apt-get update && apt-get install --no-install-recommends $packages" >&2
    exit 1
else
    echo "missing (by their Debian names): $packages" >&2
    echo "This system has no apt-get; README.md lists the names elsewhere." >&2
    exit 1
fi
