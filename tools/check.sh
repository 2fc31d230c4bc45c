#!/bin/sh
# check.sh - what must hold before a commit: warnings, format, layers, static analysis, quick tests
#
# Prints one line a check, the output of those that fail, and "N passed, N failed" at the end.
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
log=$build/check.log
passed=0
failed=0

# check NAME COMMAND... : run it quietly; show what it said when it fails
check() {
    name=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok      $name"
        passed=$((passed + 1))
    else
        echo "FAILED  $name"
        tail -60 "$log"
        failed=$((failed + 1))
    fi
}

# the one version whose opinion counts; the tables of the IR are drawn by hand
formatted() {
    format=clang-format-14
    command -v "$format" >/dev/null || format=clang-format
    find src include tests bench examples -name '*.[ch]' ! -name ops.h ! -name dtypes.h |
        xargs "$format" --dry-run -Werror
}

# the cache in the build folder makes a second run fast
analysed() {
    mkdir -p "$build/cppcheck"
    cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
        --cppcheck-build-dir="$build/cppcheck" --inline-suppr --suppressions-list=tools/cppcheck.txt \
        -D__GNUC__=12 -DTILEC_BUILD_ID='""' -Iinclude src bench
}

scripts_parse() {
    for script in tools/*.sh tests/*/*.sh .ci/run; do
        sh -n "$script" || return 1
    done
    python=$(tools/python.sh || echo python3)
    for file in kernels/*.py tests/num/*.py; do
        "$python" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file" || return 1
    done
}

quick_tests() {
    TILEC_RANDOM_COUNT=${TILEC_RANDOM_COUNT:-20} ctest --test-dir "$build" --output-on-failure --no-tests=error -j2 -R '^(unit|cli)\.'
}

mkdir -p "$build"
check "build without warnings" make --no-print-directory BUILD="$build"
check "format" formatted
check "layers" tools/layers.sh
check "static analysis" analysed
check "scripts parse" scripts_parse
check "quick tests" quick_tests
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
