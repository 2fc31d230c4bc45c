#!/bin/sh
# tidy.sh BUILD [FILE...] - clang-tidy over the C files of src/, with the commands of a build folder
#
# .clang-tidy has the checks.  Prints what they find, each finding once, and a count; fails when there
# is any, or when a file could not be read.  Needs clang-tidy 14 or newer: with another version of it
# other things are found.  Minutes, two files at a time and behind all else that the machine does; with
# files, only those.
set -eu
build=$1
shift
cd "$(dirname "$0")/.."
for tidy in clang-tidy-14 clang-tidy; do
    command -v "$tidy" >/dev/null && break
done
command -v "$tidy" >/dev/null || {
    echo "tidy.sh: it needs clang-tidy: apt-get install clang-tidy" >&2
    exit 1
}
[ -f "$build/compile_commands.json" ] || {
    echo "tidy.sh: $build has no compile_commands.json: make BUILD=$build" >&2
    exit 1
}
[ $# -gt 0 ] || set -- $(find src -name '*.c' | sort)

# one file: what is found, with paths from the top; clang-tidy counts what it hides on stderr
log=$build/tidy.log
status=0
printf '%s\n' "$@" | nice xargs -P 2 -n 1 "$tidy" -p "$build" --quiet >"$log" 2>"$log.errors" || status=1

sed "s|^$PWD/||" "$log" | awk '
/^[^ ].*: (warning|error): / { shown = !seen[$0]++; found += shown }
shown
END { print found + 0, "findings"; exit found > 0 }' || status=1
if [ "$status" != 0 ] && [ ! -s "$log" ]; then
    cat "$log.errors" >&2
fi
exit "$status"
