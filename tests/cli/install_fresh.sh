#!/bin/sh
# install_fresh.sh TILEC SOURCE - the lines of README.md that install tilec and build against it, as
# they stand there, in a new copy of the sources, by somebody whose home is empty
. "$(dirname "$0")/expect.inc"
unset TILEC_PLUGIN
HOME=$folder/home
CMAKE_FLAGS="-DTILEC_TESTS=OFF -DTILEC_PYTHON_PACKAGE=OFF $(grep -h '^TILEC_LLVM_CONFIG:[^=]*=.' \
    "$(dirname "$tilec")/CMakeCache.txt" | sed 's/^/-D/')"
CCACHE_DIR=${CCACHE_DIR:-$(ccache -k cache_dir 2>/dev/null)} # it would be looked for below HOME
CCACHE_NOHASHDIR=1
export HOME CMAKE_FLAGS CCACHE_DIR CCACHE_NOHASHDIR
command -v ccache >/dev/null || unset CCACHE_DIR

mkdir "$HOME" "$folder/tilec"
(cd "$source" && tar cf - --exclude='./build*' --exclude=./.git .) | tar xf - -C "$folder/tilec"
cd "$folder/tilec" || exit 1

# block KIND: the blocks of that kind in "From C"; "commands": those that tests/cli/documents.py
# runs, and those that it leaves to this test, each line of the latter behind a `$`
block() {
    awk -v kind="$1" '/^## / { inside = /^## From C$/ } !inside { next }
         /^```/ { is_sh = $1 == "```sh"
                  open = !fenced && ($1 == "```" kind ||
                                     kind == "commands" && (is_sh || $1 == "```console"))
                  fenced = !fenced; next }
         open { print (is_sh ? "$ " : "") $0 }' README.md
}
# each command, and the line behind it where it prints one
block commands >"$folder/lines"
[ "$(grep -c '^\$ ' "$folder/lines")" = 6 ] || wrong "README.md has other commands than expected"
while read -r line; do
    case $line in
    "\$ "*)
        expect 0 out "" sh -c "${line#\$ }"
        cp "$folder/out" "$folder/printed"
        ;;
    *) grep -qxF -- "$line" "$folder/printed" || wrong "it did not print: $line" ;;
    esac
done <"$folder/lines"

# the program and the CMake lines of a project of one's own
mkdir "$folder/project"
block c >"$folder/project/program.c"
(echo "cmake_minimum_required(VERSION 3.16)"; echo "project(own C)"; block cmake) \
    >"$folder/project/CMakeLists.txt"
expect 0 out "" cmake -S "$folder/project" -B "$folder/own" -DCMAKE_PREFIX_PATH="$HOME/tilec"
expect 0 out "" cmake --build "$folder/own"
expect 0 out "99999 + 0.5 = 99999.5" "$folder/own/program" kernels/add.py

# the static library finds the code generator of the prefix that it was installed to, from anywhere
expect 0 out "" cc examples/add.c -I"$HOME/tilec/include" -o "$folder/static" \
    "$HOME/tilec/lib/libtilec.a" -lm -ldl -lpthread
expect 0 out "99999.5" env TILEC_CACHE_SIZE=0 "$folder/static" kernels/add.py
# a prefix with blanks is one, and each can be taken away
expect 0 out "" make --no-print-directory install PREFIX="$HOME/a b/c d"
expect 0 out "" cc examples/add.c -I"$HOME/a b/c d/include" -o "$folder/static" \
    "$HOME/a b/c d/lib/libtilec.a" -lm -ldl -lpthread
expect 0 out "99999.5" env TILEC_CACHE_SIZE=0 "$folder/static" kernels/add.py
[ ! -e "$HOME/a" ] || wrong "it installed to half of the prefix"
expect 0 out "" make --no-print-directory uninstall PREFIX="$HOME/a b/c d"
expect 1 err "" test -e "$HOME/a b/c d/lib/libtilec.so"
expect 0 out "" make --no-print-directory uninstall PREFIX="$HOME/tilec"
expect 1 err "" test -e "$HOME/tilec/lib/libtilec.so"
finish
