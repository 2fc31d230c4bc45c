#!/bin/sh
# replay.sh OLD [NEW [STAGE]] - which kernels' code does a change alter?
#
# OLD and NEW are two builds of the command, NEW is build/tilec when it is not given.  Every case of
# tests/num is compiled by both for this CPU, and where STAGE (asm; ir, opt, plan, schedule and llvm
# are the others of `tilec dump`) is not the same text, the kernel is named with its arguments.  Notes
# for debuggers do not count.  Ends with "N compared, N differ, N refused by one"; exit code 1 unless both
# of the latter are 0.  A refactoring changes no code; TILEC_REPLAY=DIR keeps the texts that differ.
set -u
[ $# -ge 1 ] || {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
old=$(realpath "$1") || exit 2
cd "$(dirname "$0")/.." || exit 2
new=$(realpath "${2:-build/tilec}") || exit 2
stage=${3:-asm}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -z "${TILEC_REPLAY:-}" ] || mkdir -p "$TILEC_REPLAY"

printf 'old="%s" new="%s" stage="%s" keep="%s"\n' "$old" "$new" "$stage" "${TILEC_REPLAY:-}" >"$folder/settings"

# compares what a `run` compiles, then runs it, so that the case goes on
tools/cases.sh "$folder" compared <<'END_OF_CASE' || exit 2
# what is code in the text of a stage: no comments, no notes for debuggers, and nothing that counts them
code() {
    sed -e '/^[[:space:]]*\.section[[:space:]]*\.debug_/,$d' \
        -e '/^[[:space:]]*\.\(loc\|file\|cfi_[a-z_]*\|ident\)[[:space:]]*/d' \
        -e '/^\.L\(tmp\|func_begin\|func_end\)[0-9]*:/d' -e '/^[[:space:]]*#/d' \
        -e 's/[[:space:]]*# .*$//; /^[[:space:]]*$/d' -e 's/,\{0,1\} !dbg ![0-9]*//; /^!/d'
}

for side in old new; do
    [ $side = old ] && command=$old || command=$new
    tr '\n' '\0' <"$mine/words" | xargs -0 "$command" dump --stage "$stage" >"$mine/raw" 2>/dev/null
    echo $? >"$mine/$side.code"
    code <"$mine/raw" >"$mine/$side"
done
if [ "$(cat "$mine/old.code")" != "$(cat "$mine/new.code")" ]; then
    echo "refused $what" >>"$here/log"
elif cmp -s "$mine/old" "$mine/new"; then
    echo "same $what" >>"$here/log"
else
    echo "differs $what" >>"$here/log"
    [ -z "$keep" ] || cp -r "$mine" "$keep/"
fi
"$new" "$@"
END_OF_CASE

sed -n 's/^differs /differs: /p; s/^refused /refused by one: /p' "$folder/log" | sort | uniq -c | sort -rn
awk '{ n[$1]++ } END { printf "%d compared, %d differ, %d refused by one\n", NR, n["differs"], n["refused"]
                       exit NR == 0 || n["differs"] + n["refused"] > 0 }' "$folder/log"
