#!/bin/sh
# uninstall.sh BUILD - remove what was installed from this build folder to $PREFIX, below $DESTDIR if set
#
# Goes by the list that each installation leaves in the build folder (cmake/installed.cmake): files, and the
# folders that it made, with a slash behind them.  Folders that are then empty go if they are on it or
# tilec's own.
set -eu
[ -n "${PREFIX:-}" ] || {
    echo "uninstall.sh: from where? PREFIX is empty" >&2
    exit 2
}
prefix=${DESTDIR:-}$(realpath -ms -- "$PREFIX")
lists=$1/installed
list=$lists/$(printf %s "$prefix" | md5sum | cut -d ' ' -f 1).txt

[ -f "$list" ] || {
    echo "uninstall.sh: nothing was installed from $1 to $prefix" >&2
    for other in "$lists"/*.txt; do
        there=$(head -n 1 "$other" 2>/dev/null) || continue
        [ ! -d "$there" ] || echo "uninstall.sh: it was to $there" >&2
    done
    exit 1
}
sed '1d; /\/$/d' "$list" | while read -r file; do
    rm -f "$file"
done
sed '1d; /\/$/d; s,/[^/]*$,,' "$list" | sort -ru | while read -r folder; do
    own=${folder#"$prefix"}
    while [ "${own#*/tilec}" != "$own" ]; do
        rmdir "$prefix$own" 2>/dev/null || break
        own=${own%/*}
    done
done
sed -n '1d; s,/$,,p' "$list" | sort -ru | while read -r folder; do
    rmdir "$folder" 2>/dev/null || true
done
rm "$list"
