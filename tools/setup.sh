#!/bin/sh
# setup.sh [--checks] [--python] [--mpi] - install what is missing from the distribution's packages
#
# Without --checks: what the build, the demo and the tests need.  With it: also what `make check`
# and `make fuzz` run.  --python makes .venv, which tests then use, with NumPy, pytest, matplotlib
# and, where a CPU build is to be had, PyTorch: these come by pip.  --mpi: what tilec-inspect and
# `tilec run --each` need to share work over ranks.  For Debian 12 and Ubuntu 24.04 and later.  Says what it does before it does
# it; says nothing and does nothing when all is there.  Uses sudo unless root runs it.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C # parts of what apt says are read below
export LC_ALL

# the newest LLVM that both we and the distribution know; 19 has no sm_100, nor does its assembly say where
# inlined code is from
llvm_versions="22 21 20"

# every line says who speaks
say() {
    echo "setup.sh: $*"
}

die() {
    say "$*" >&2
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

have_header() {
    [ -e "/usr/include/$1" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/$1" ]
}

# the same question that src/plugin/CMakeLists.txt asks
have_llvm() {
    for version in $llvm_versions; do
        have "llvm-config-$version" &&
            [ -e "$("llvm-config-$version" --includedir)/llvm-c/Core.h" ] && return 0
    done
    return 1
}

# of the Python that the package is built for, see python/CMakeLists.txt
have_python_header() {
    "$(tools/python.sh || echo python3)" -c '
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

# name every package that the build and the tests miss, one a line
missing() {
    have gcc && have_header stdio.h || echo gcc libc6-dev
    have g++ || echo g++ # LLVM's static libraries want its libstdc++
    for command in make cmake pkg-config; do
        have "$command" || echo "$command"
    done
    have ninja || echo ninja-build
    have_header cmocka.h || echo libcmocka-dev
    have_header zstd.h || echo libzstd-dev
    have_header zlib.h || echo zlib1g-dev
    have_header png.h || echo libpng-dev
    have_header json-c/json.h || echo libjson-c-dev
    have_llvm || echo llvm
    tools/python.sh >/dev/null 2>&1 || echo python3-numpy
    have_python_header || echo python3-dev
}

# what only the checks miss
missing_for_checks() {
    for command in ccache cppcheck clang gdb; do
        have "$command" || echo "$command"
    done
    have clang-format-14 || have clang-format || echo clang-format-14
}

# what only ranks miss
missing_for_mpi() {
    have mpirun || echo openmpi-bin
    have mpicc || echo libopenmpi-dev
}

wanted_packages() {
    missing
    [ -z "$mpi" ] || missing_for_mpi
    [ -z "$checks" ] || missing_for_checks
    [ -z "$python" ] || python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
}

# .venv with what tests of the Python package use
make_python() {
    [ -x .venv/bin/pip ] || python3 -m venv .venv
    .venv/bin/python3 -c 'import numpy, pytest, matplotlib' 2>/dev/null || {
        say "installing into .venv: numpy pytest matplotlib"
        .venv/bin/pip install -q --retries 1 numpy pytest matplotlib || {
            say "pip could not: tests use the Python that there is"
            return
        }
    }
    .venv/bin/python3 -c 'import torch' 2>/dev/null && return
    say "installing into .venv: torch for CPUs"
    .venv/bin/pip install -q --retries 1 torch --index-url https://download.pytorch.org/whl/cpu ||
        say "no PyTorch for CPUs is to be had here: tests that need it will be skipped"
}

available() {
    apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'
}

# packages that go by another name, or that only some releases have; one a line
resolve() {
    case $1 in
    llvm)
        for version in $llvm_versions; do
            if available "llvm-$version-dev"; then
                echo "llvm-$version-dev"
                return
            fi
        done
        die "no LLVM from 20 to 22 among this system's packages; https://apt.llvm.org has them"
        ;;
    clang)
        # the fuzzers need its run-time library, which newer releases pack apart
        default=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -1)
        echo clang
        if available "libclang-rt-$default-dev"; then
            echo "libclang-rt-$default-dev"
        fi
        ;;
    clang-format-14)
        # one version, since each formats a little differently; check.sh skips with another
        if available clang-format-14; then
            echo clang-format-14
        else
            echo clang-format
        fi
        ;;
    *)
        available "$1" || die "no package $1 in this system's lists"
        echo "$1"
        ;;
    esac
}

# a package manager that is just running, as on a machine that has just started, is waited for
apt_get() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

checks=
python=
mpi=
for option; do
    case $option in
    --checks) checks=yes ;;
    --python) python=yes ;;
    --mpi) mpi=yes ;;
    *) die "usage: tools/setup.sh [--checks] [--python] [--mpi]" ;;
    esac
done

wanted=$(wanted_packages)
if [ -z "$wanted" ]; then
    [ -z "$python" ] || make_python
    exit 0
fi
say "missing:" $wanted
have apt-get || die "this system has no apt-get; please install these in its own way"
sudo=
if [ "$(id -u)" != 0 ]; then
    have sudo || die "installing needs root, and there is no sudo: run tools/setup.sh as root"
    sudo=sudo
    say "asking sudo for root's rights"
    sudo true || die "sudo did not give them; or run tools/setup.sh as root"
fi

say "reading the lists of packages: ${sudo:+$sudo }apt-get update"
apt_get update || say "the lists could not all be read; going on with those that are there" >&2
packages=
for name in $wanted; do
    more=$(resolve "$name") # apart, so that its failure ends this script
    packages="$packages $more"
done
packages=$(echo $packages)

say "installing: ${sudo:+$sudo }apt-get install --no-install-recommends $packages"
apt-get install --assume-no --no-install-recommends -o Debug::NoLocking=1 $packages 2>/dev/null |
    sed -n 's/^\(Need to get\|After this operation\)/setup.sh: &/p'
apt_get install -y --no-install-recommends $packages >/dev/null ||
    die "apt-get could not install them, see above"
wanted=$(wanted_packages)
[ -z "$wanted" ] || die "installed, but still not found:" $wanted
[ -z "$python" ] || make_python
say "done"
