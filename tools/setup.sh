#!/bin/sh
# setup.sh - install what the build, the tests and the checks need, from the distribution's packages
#
# For Debian 12 and later and Ubuntu 24.04 and later.  Says what it does; does nothing when all is
# there.  Uses sudo when it is not run by root.
set -eu
cd "$(dirname "$0")/.."

# the newest LLVM that both we and the distribution know; the names are those of its packages
llvm_versions="22 21 20 19"

have() {
    command -v "$1" >/dev/null 2>&1
}

have_header() {
    [ -e "/usr/include/$1" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/$1" ]
}

have_llvm() {
    for version in $llvm_versions; do
        [ -e "/usr/lib/llvm-$version/include/llvm-c/Core.h" ] && return 0
    done
    return 1
}

# name every package that is missing, one a line
missing() {
    have gcc && have_header stdio.h || echo gcc libc6-dev
    have g++ || echo g++ # LLVM's static libraries want its libstdc++
    for command in make cmake ccache cppcheck clang pkg-config; do
        have "$command" || echo "$command"
    done
    have ninja || echo ninja-build
    have clang-format-14 || echo clang-format-14
    have_header cmocka.h || echo libcmocka-dev
    have_header zstd.h || echo libzstd-dev
    have_header zlib.h || echo zlib1g-dev
    have_llvm || echo llvm
    tools/python.sh >/dev/null 2>&1 || echo python3-numpy
}

# packages that go by another name, or that only some releases have
resolve() {
    case $1 in
    llvm)
        for version in $llvm_versions; do
            if apt-cache show "llvm-$version-dev" >/dev/null 2>&1; then
                echo "llvm-$version-dev"
                return
            fi
        done
        echo "setup.sh: no LLVM from 19 to 22 among this system's packages" >&2
        return 1
        ;;
    clang)
        # the fuzzers need its run-time library, which newer releases pack apart
        default=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -1)
        echo clang
        if apt-cache show "libclang-rt-$default-dev" >/dev/null 2>&1; then
            echo "libclang-rt-$default-dev"
        fi
        ;;
    clang-format-14)
        # one version, since each formats a little differently
        if apt-cache show clang-format-14 >/dev/null 2>&1; then
            echo clang-format-14
        else
            echo clang-format
        fi
        ;;
    *)
        echo "$1"
        ;;
    esac
}

wanted=$(missing)
[ -n "$wanted" ] || exit 0
if ! have apt-get; then
    echo "setup.sh: this system has no apt-get; please install:" $wanted >&2
    exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
fi
echo "setup.sh: missing:" $wanted
echo "setup.sh: reading the list of packages"
$sudo apt-get update -qq
packages=
for name in $wanted; do
    packages="$packages $(resolve "$name")"
done
echo "setup.sh: installing" $packages
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    $packages >/dev/null
echo "setup.sh: done"
