#!/bin/sh
# build_id.sh TILEC SOURCE - kernels in the cache are those of this build: its identity follows from every folder that
# makes code, which are those that the plugin and the passes stand on
. "$(dirname "$0")/expect.inc"

# what a row of layers.txt stands on, and what that stands on
stands_on() {
    awk -v from="$1" -F': ' '
        /^[a-z_]+: / { of[$1] = $2 }
        function walk(folder, parts, i, n) {
            if (seen[folder]++) return
            print folder
            n = split(of[folder], parts, " ")
            for (i = 1; i <= n; i++) walk(parts[i])
        }
        END { n = split(from, first, " "); for (k = 1; k <= n; k++) walk(first[k]) }' "$source/tools/layers.txt"
}

identity() {
    cmake -DHEADER="$folder/id.h" -DSOURCE="$folder/src" -DLLVM=20 -P "$source/src/run/build_id.cmake" &&
        cat "$folder/id.h"
}

: >"$folder/out" 2>"$folder/err"
folders=$(stands_on "plugin gen_cpu gen_nv check")
for f in $folders lower; do
    mkdir -p "$folder/src/$f"
    echo 1 >"$folder/src/$f/a.c"
done
before=$(identity)
[ "$before" = "$(identity)" ] || wrong "it is another one each time"
for f in $folders; do
    echo 2 >"$folder/src/$f/a.c"
    after=$(identity)
    [ "$before" != "$after" ] || wrong "it does not follow from src/$f"
    before=$after
done
echo 2 >"$folder/src/lower/a.c"
[ "$before" = "$(identity)" ] || wrong "it follows from the front end, too"
finish
