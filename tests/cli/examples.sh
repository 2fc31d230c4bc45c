#!/bin/sh
# examples.sh TILEC SOURCE - the commands on kernels/ that the help and the manual print do work
. "$(dirname "$0")/expect.inc"
mkdir "$folder/here" # for what they write
ln -s "$source/kernels" "$source/docs" "$folder/here"
cd "$folder/here" || exit 1

tilec() {
    "$tilec" "$@"
}

# one command a line; the backslashes of roff and those before a line's end are taken out
commands() {
    awk '/^example: |^ *tilec /, !/\\$/ {
        sub(/^example: /, "")
        gsub(/\\-/, "-")
        printf "%s%s", $0, sub(/\\+$/, "") ? "" : "\n"
    }' "$1" | sed 's/\\*  */ /g' | grep kernels/
}

tilec help options >"$folder/help"
tilec help >"$folder/brief"
for file in "$folder/help" "$folder/brief" "$source/docs/tilec.1"; do
    expect 0 out "" commands "$file"
    cat "$folder/out" >>"$folder/all"
done
sort -u "$folder/all" >"$folder/commands" # what two pages print runs once
while read -r command; do
    case $command in
    # calls.sh tests a folder, and what measures has tests of its own: compare.sh, report.sh
    "tilec test kernels/" | *" --time "* | "tilec report "*) [ -n "${TILEC_THOROUGH:-}" ] || continue ;;
    esac
    expect 0 out "" eval "$command"
    [ -s "$folder/out" ] || wrong "it printed nothing: $command"
done <"$folder/commands"
finish
