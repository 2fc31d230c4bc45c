#!/bin/sh
# coverage.sh BUILD - run the tests in a build for coverage and say which lines and branches they reach
#
# One line a folder of src/ and the total; BUILD/coverage/index.html shows every line.  Fails when a test
# does, or when fewer than 96 % of the lines or 86 % of the branches of src/ were reached.  Needs
# gcovr, a package of Debian's and of PyPI's.
set -eu
build=$1
cd "$(dirname "$0")/.."
command -v gcovr >/dev/null || {
    echo "coverage.sh: it needs gcovr: apt-get install gcovr" >&2
    exit 1
}
find "$build" -name '*.gcda' -delete # what an earlier run has counted
tools/test.sh "$build" -j2
mkdir -p "$build/coverage"
gcovr -r . --object-directory "$build" -f src/ -j2 --exclude-unreachable-branches \
    --html-details "$build/coverage/index.html" --csv "$build/coverage.csv" >/dev/null

# columns: filename, line_total, line_covered, line_percent, branch_total, branch_covered, ...
awk -F, '
NR > 1 {
    split($1, part, "/")
    for (i = 0; i < 2; i++) {
        name = i ? "all of src" : "src/" part[2]
        lines[name] += $2; reached[name] += $3; branches[name] += $5; taken[name] += $6
    }
}
function share(a, b) { return b ? 100 * a / b : 100 }
function row(name) {
    return sprintf("%-14s %6d lines %5.1f %%  %6d branches %5.1f %%", name, lines[name], share(reached[name], lines[name]),
                   branches[name], share(taken[name], branches[name]))
}
END {
    for (name in lines)
        if (name != "all of src")
            print row(name) | "sort"
    close("sort")
    print row("all of src")
    exit share(reached["all of src"], lines["all of src"]) < 96 ||
         share(taken["all of src"], branches["all of src"]) < 86
}' "$build/coverage.csv"
