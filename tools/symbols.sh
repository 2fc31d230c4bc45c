#!/bin/sh
# symbols.sh [BUILD] - fail on a call that goes against the layers of docs/design.md, section 2
#
# An #include shows what a folder knows, its object code what it needs: a function may be declared
# below the folder that defines it.  So each static library's undefined symbols must be defined in
# one of those that layers.txt has beside its folder, or outside of src/.  Nobody but generators
# needs src/gen: what others include of it are types.
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}

libraries=$(ls "$build"/libtilec_*.a "$build"/src/plugin/libtilec_*.a 2>/dev/null)
[ -n "$libraries" ] || { echo "symbols.sh: $build has no libraries: make builds them"; exit 1; }

# shellcheck disable=SC2086
nm -A -g -P $libraries | awk '
FILENAME != "-" {
    folder = substr($1, 1, length($1) - ($1 ~ /:$/))
    if (!/^[a-z_]+( calls)?: /)
        next
    list = substr($0, index($0, ":") + 1)
    if ($2 == "calls:")
        calls[folder] = list
    else
        allowed[folder] = list
    next
}
{
    # LIBRARY[OBJECT]: SYMBOL KIND ...
    folder = $1
    sub(/^.*libtilec_/, "", folder)
    object = folder
    sub(/\.a.*/, "", folder)
    sub(/^.*\[/, "", object)
    sub(/\.o\]:$/, "", object)
    if ($3 ~ /^[TDBRCVW]$/)
        home[$2] = folder
    else if ($3 == "U")
        needs[folder, object, $2] = 1
}
END {
    for (need in needs) {
        split(need, part, SUBSEP)
        folder = part[1]
        own = " " folder allowed[folder] calls[folder] (folder ~ /^device_/ ? allowed["device"] : "")
        if (folder !~ /^gen/)
            gsub(/ gen /, " ", own)
        target = home[part[3]]
        if (target == "" || index(own " ", " " target " "))
            continue
        printf "src/%s/%s: src/%s may not call %s() of src/%s\n", folder, part[2], folder, part[3], target
        wrong = 1
    }
    exit wrong
}
' tools/layers.txt -
