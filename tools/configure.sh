#!/bin/sh
# configure.sh BUILD [CMAKE FLAGS...] - configure once; later calls only when the flags changed.
set -eu
build=$1
shift
cd "$(dirname "$0")/.."

if [ -f "$build/build.ninja" ] && [ "$(cat "$build/flags.txt" 2>/dev/null)" = "$*" ]; then
    exit 0
fi
for tool in cmake ninja; do
    command -v "$tool" >/dev/null || {
        echo "configure.sh: $tool is missing: tools/setup.sh installs it" >&2
        exit 1
    }
done
mkdir -p "$build"
cmake -G Ninja -S . -B "$build" "$@" >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    exit 1
}
echo "$*" >"$build/flags.txt"
