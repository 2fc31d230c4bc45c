#!/bin/sh
# cases.sh FOLDER VERB - do what stdin says for every case of tests/num; for replay.sh and assemble.sh
#
# Runs the numeric tests with a command of its own in place of tilec.  For each `tilec run` of theirs it
# does the lines of shell script on stdin, which find: "$mine", a folder that is removed at the end; the
# file "$mine/words", the arguments of the run that `dump` understands too, one a line; "$what", the
# same for people; "$@", all of them; and "$here", which is FOLDER.  There FOLDER/settings, sourced before,
# must be, and the file `log` gets lines.  On a terminal "COUNT VERB" counts these.
set -u
folder=$1
verb=$2
cd "$(dirname "$0")/.." || exit 2
python=$(tools/python.sh) || exit 2

{
    cat <<'HEAD'
#!/bin/sh
here=$(dirname "$0")
. "$here/settings"
mine=$(mktemp -d "$here/case.XXXXXX")
trap 'rm -rf "$mine"' EXIT

words() {
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        --grid | --device | --save) shift ;;
        *) printf '%s\n' "$1" ;;
        esac
        shift
    done
}

words "$@" >"$mine/words"
what=$(tr '\n' ' ' <"$mine/words" | sed 's/@[^ :]*/@/g')
HEAD
    cat
} >"$folder/tilec"
chmod +x "$folder/tilec"
: >"$folder/log"

for test in tests/num/test_*.py; do
    "$python" -B "$test" "$folder/tilec" . cpu >/dev/null 2>&1
    [ ! -t 2 ] || printf '\r%s %s' "$(wc -l <"$folder/log")" "$verb" >&2
done
[ ! -t 2 ] || printf '\r\033[K' >&2
