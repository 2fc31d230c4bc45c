#!/bin/sh
# uninstall.sh BUILD PREFIX - remove what `make install` put below PREFIX from this build folder
#
# Goes by the list that the installation left in the build folder.  Folders that are empty then go
# if they are tilec's own.  DESTDIR stands in front of all paths, as it does when installing.
set -eu
list=$1/install_manifest.txt
prefix=$2

[ -f "$list" ] || {
    echo "uninstall.sh: $list is missing: nothing was installed from $1" >&2
    exit 1
}
if grep -qvF "$prefix/" "$list"; then
    echo "uninstall.sh: $1 was installed to another prefix than $prefix:" \
        "$(grep -vF "$prefix/" "$list" | head -n 1)" >&2
    exit 1
fi
# the list ends without a newline
sort -r "$list" | while read -r file; do
    rm -f "${DESTDIR:-}$file"
done
for folder in $(sed 's,/[^/]*$,,' "$list" | grep /tilec | sort -ru); do
    while [ "${folder#*/tilec}" != "$folder" ]; do
        rmdir "${DESTDIR:-}$folder" 2>/dev/null || break
        folder=${folder%/*}
    done
done
rm "$list"
