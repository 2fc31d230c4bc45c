#!/bin/sh
# install.sh BUILD - build for the folder $PREFIX and install there, below $DESTDIR if that is set
set -eu
build=$1
[ -n "${PREFIX:-}" ] || {
    echo "install.sh: where to? PREFIX is empty" >&2
    exit 2
}
prefix=$(realpath -ms -- "$PREFIX")

cmake "-DCMAKE_INSTALL_PREFIX=$prefix" "$build" >/dev/null
ninja -C "$build"
cmake --install "$build"
