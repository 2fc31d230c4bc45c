#!/bin/sh
# layers.sh - fail on an #include that goes against the layers of docs/design.md, section 2
#
# A folder of src/ may include itself and the folders that layers.txt has beside it; LLVM is for
# src/gen, src/gen_* and src/plugin alone: planners and the core know nothing of src/gen but gen.h.
cd "$(dirname "$0")/.." || exit 1

awk '
FILENAME ~ /layers\.txt$/ {
    if (match($0, /^[a-z_]+: /))
        allowed[substr($0, 1, RLENGTH - 2)] = substr($0, RLENGTH + 1)
    next
}
function refuse(what) {
    printf "%s:%d: src/%s may not include %s\n", FILENAME, FNR, folder, what
    wrong = 1
}
/^[ \t]*#[ \t]*include/ {
    split(FILENAME, part, "/")
    folder = part[2]
    own = folder in allowed ? allowed[folder] : ""
    if (folder ~ /^device_/)
        own = allowed["device"] " " folder " " own
    if (own == "") {
        printf "%s: layers.txt does not know the folder %s\n", FILENAME, folder
        wrong = 1
        nextfile
    }
    name = $0
    gsub(/^[^"<]*["<]|[">].*$/, "", name)
    target = folder
    if (name ~ /^tilec(_io)?\.h$/)
        target = "tilec.h"
    else if (name ~ /^\.\.\//)
        target = substr(name, 4, index(substr(name, 4), "/") - 1)
    if (index(" " own " ", " " target " ") == 0)
        refuse(name)
    if (folder !~ /^(gen|gen_.*|plugin)$/ && (name ~ /^llvm/ || target == "gen" && name != "../gen/gen.h"))
        refuse(name)
}
END { exit wrong }
' tools/layers.txt src/*/*.[ch]
