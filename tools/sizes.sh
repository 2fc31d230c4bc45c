#!/bin/sh
# sizes.sh - fail on a file of over 600 lines, and on a folder of src/ of over 9,000
#
# What is over has a part that is a room of its own, or knows what belongs elsewhere.
cd "$(dirname "$0")/.." || exit 1

wc -l src/*/*.[ch] | awk '
{
    n = split($2, part, "/")
    if (n == 1)
        next # the total of some files
    if ($1 > 600) {
        printf "%s has %d lines, of at most 600\n", $2, $1
        wrong = 1
    }
    lines[part[2]] += $1
}
END {
    for (folder in lines) {
        if (lines[folder] <= 9000)
            continue
        printf "src/%s has %d lines, of at most 9000\n", folder, lines[folder]
        wrong = 1
    }
    exit wrong
}
'
