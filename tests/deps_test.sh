#!/bin/sh
# .ci/deps.sh against an apt-get that only writes down what it was asked, and a pkg-config that knows
# the libraries in $KNOWN. Nothing is installed.
set -u
cd "$(dirname "$0")/.." || exit 1
fake=$(mktemp -d) || exit 1
trap 'rm -rf "$fake"' EXIT
failed=0

cat >"$fake/apt-get" <<'END'
#!/bin/sh
echo "apt-get $*" >>"$CALLS"
END
cat >"$fake/pkg-config" <<'END'
#!/bin/sh
case " $KNOWN " in *" $2 "*) exit 0 ;; esac
exit 1
END
cat >"$fake/id" <<'END'
#!/bin/sh
echo "$USER_ID"
END
printf '#!/bin/sh\nexit 0\n' >"$fake/python3"
chmod +x "$fake"/*
export CALLS="$fake/calls"

# expect EXIT WORDS [ASSIGNMENT...]: the exit code of deps.sh, and what apt-get was asked or what was
# said instead.
expect()
{
    code=$1 words=$2
    shift 2
    : >"$CALLS"
    said=$(env -u BLAS_LIBS -u LAPACKE_LIBS -u HDF5_LIBS -u JANSSON_LIBS -u ZLIB_LIBS \
        -u GSL_LIBS -u CHECK_LIBS PATH="$fake:$PATH" "$@" .ci/deps.sh build check </dev/null 2>&1)
    got=$?
    if [ $got -ne "$code" ] || ! echo "$said $(cat "$CALLS")" | tr '\n' ' ' | grep -q -e "$words"; then
        echo "deps.sh with $*: exit $got, '$said', $(cat "$CALLS"); expected $code and '$words'"
        failed=1
    fi
}

all="lapacke openblas hdf5 jansson zlib gsl check"
expect 0 '^ *$' USER_ID=0 KNOWN="$all"
expect 0 '^ *$' USER_ID=1000 KNOWN="$all"
expect 0 '^ *$' USER_ID=1000 KNOWN="hdf5 jansson zlib gsl check" LAPACKE_LIBS= BLAS_LIBS=-lmkl_rt
expect 0 'update apt-get .*install --no-install-recommends libhdf5-dev check *$' \
    USER_ID=0 KNOWN="lapacke blas jansson zlib gsl"
expect 1 'missing: libhdf5-dev *as root: apt-get update && apt-get install' \
    USER_ID=1000 KNOWN="lapacke openblas jansson zlib gsl check"
if grep -q . "$CALLS"; then
    echo "without root and terminal apt-get was called all the same"
    failed=1
fi

[ $failed -eq 0 ] && echo "deps.sh asks for what is missing and for nothing else."
exit $failed
