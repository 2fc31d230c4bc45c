#!/bin/sh
# assemble.sh [BUILD [ARCH...]] - does ptxas take what the kernels of the tests become?
#
# Every case of tests/num, those of kernels/ among them, is compiled to PTX for each ARCH (sm_80 sm_86
# sm_89 sm_90a sm_100 sm_100a when none is given) and assembled with ptxas.  Texts that are the same are assembled
# once.  What ptxas refuses is named with its message; so is that of which it says that products wait for
# each other (C75xx: wgmma serialised), which fails as well, and what spills registers, which fails for
# kernels/ only.  Ends with "N assembled, N failed, N wait, N spill, N not compiled".
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(realpath "${1:-build}") || exit 2
[ $# -eq 0 ] || shift
archs=${*:-sm_80 sm_86 sm_89 sm_90a sm_100 sm_100a}
command -v ptxas >/dev/null || {
    echo "assemble.sh: ptxas is missing; it comes with the CUDA toolkit" >&2
    exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/seen"
printf 'command="%s" archs="%s"\n' "$build/tilec" "$archs" >"$folder/settings"
export TILEC_PLUGIN="$build/tilec-llvm.so"

# assembles what a `run` would compile, and runs nothing
tools/cases.sh "$folder" assembled <<'END_OF_CASE' || exit 2
for arch in $archs; do
    tr '\n' '\0' <"$mine/words" |
        xargs -0 "$command" dump --device cuda --arch "$arch" --stage ptx >"$mine/ptx" 2>"$mine/why" || {
        echo "refused $arch $what: $(head -1 "$mine/why")" >>"$here/log"
        continue
    }
    grep -v '^[[:space:]]*\(//\|\.loc\|\.file\)' "$mine/ptx" >"$mine/code"
    sum=$(cksum <"$mine/code" | tr ' ' -)
    mkdir "$here/seen/$sum" 2>/dev/null || continue
    if ! ptxas -arch="$arch" -v -o /dev/null "$mine/ptx" >"$mine/why" 2>&1; then
        echo "failed $arch $what: $(grep -m1 error "$mine/why")" >>"$here/log"
    elif grep -q '(C75[0-9][0-9])' "$mine/why"; then
        echo "waits $arch $what: $(grep -m1 -o '(C75[0-9][0-9]).*' "$mine/why")" >>"$here/log"
    elif grep -q '[1-9][0-9]* bytes spill' "$mine/why"; then
        echo "spills $arch $what: $(grep -o '[0-9]* bytes spill stores' "$mine/why")" >>"$here/log"
    else
        echo "fine $arch $what" >>"$here/log"
    fi
done
exit 1
END_OF_CASE

sort "$folder/log" | grep '^\(failed\|spills\|waits\)'
sed -n 's/^refused [^ ]* .*error: \(.*\)/not compiled: \1/p' "$folder/log" | sort | uniq -c | sort -rn
awk '{ n[$1]++ }
     $1 == "spills" && / [^ ]*kernels\// { own++ }
     END { printf "%d assembled, %d failed, %d wait, %d spill, %d not compiled\n",
                  n["fine"] + n["spills"] + n["waits"], n["failed"], n["waits"], n["spills"], n["refused"]
           exit NR == 0 || n["failed"] + n["waits"] + own > 0 }' "$folder/log"
