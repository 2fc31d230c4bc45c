#!/bin/sh
# layers.sh - fail on an #include that goes against the layers of docs/design.md, section 2
#
# A folder of src/ may include itself and the folders named beside it below; the public header is
# for src/api, src/io and src/cli, LLVM for src/gen alone.
cd "$(dirname "$0")/.." || exit 1

awk '
BEGIN {
    allowed["base"]   = "base"
    allowed["ir"]     = "base ir"
    allowed["syntax"] = "base syntax"
    allowed["python"] = "base syntax ir python"
    allowed["names"]  = "base syntax ir python names"
    allowed["lower"]  = "base syntax ir python names lower"
    allowed["resolve"] = "base syntax ir python names lower resolve"
    allowed["tl"]     = "base syntax ir python names lower tl"
    allowed["libdevice"] = "base syntax ir python names lower tl libdevice"
    allowed["race"]   = "base race"
    allowed["sim"]    = "base race sim"
    allowed["opt"]    = "base ir opt"
    allowed["interp"] = "base ir race interp"
    allowed["gen"]    = "base ir opt gen"
    allowed["run"]    = "base ir gen run"
    allowed["device"] = "base ir interp gen run device"
    allowed["api"]    = "base ir names lower opt interp gen run device api tilec.h"
    allowed["io"]     = "base ir io tilec.h"
    allowed["cli"]    = "base syntax ir python io api cli tilec.h"
}
function refuse(what) {
    printf "%s:%d: src/%s may not include %s\n", FILENAME, FNR, folder, what
    wrong = 1
}
/^[ \t]*#[ \t]*include/ {
    split(FILENAME, part, "/")
    folder = part[2]
    if (folder ~ /^device_/) # each stands for itself beside what all devices may include
        allowed[folder] = allowed["device"] " " folder (folder == "device_sim" ? " sim" : "")
    if (!(folder in allowed)) {
        printf "%s: layers.sh does not know the folder %s\n", FILENAME, folder
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
    if (index(" " allowed[folder] " ", " " target " ") == 0)
        refuse(name)
    if (name ~ /^llvm/ && name !~ /^llvm\.h$/ && folder != "gen")
        refuse(name)
}
END { exit wrong }
' src/*/*.[ch]
