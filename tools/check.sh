#!/bin/sh
# check.sh - what must hold before a commit: warnings, format, layers, static analysis, quick tests
#
# From then on a warning is an error in that build folder.  tools/setup.sh --checks installs what
# this needs.  Files that have not changed since they passed are neither formatted nor analysed again
# (tools/changed.py): a fresh clone, as .ci/run has, looks at all.
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

# CMake remembers the setting, so that both this and `make` go on with one set of objects
built() {
    make --no-print-directory BUILD="$build" configure || return 1
    grep -q '^CMAKE_COMPILE_WARNING_AS_ERROR:.*=ON' "$build/CMakeCache.txt" ||
        cmake -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "$build" || return 1
    ninja -C "$build"
}

python() {
    "$(tools/python.sh || echo python3)" "$@"
}

# changed CHECK OPTIONS... : of the files on stdin those that have changed since CHECK passed, to $build/changed
changed() {
    python tools/changed.py "$build" "$@" >"$build/changed"
}

# the one version whose opinion counts
find_format() {
    for format in clang-format-14 clang-format; do
        "$format" --version 2>/dev/null | grep -q 'version 14\.' && return
    done
    return 1
}

# the tables of the IR are drawn by hand
formatted() {
    find src include tests bench examples python apps -name '*.[ch]' ! -name dtypes.h | changed format .clang-format &&
        xargs -r -P "$(getconf _NPROCESSORS_ONLN)" -n 40 "$format" --dry-run -Werror <"$build/changed" &&
        changed format --passed
}

# the contract of what one folder asks of another is written in its headers
documented() {
    python tools/documented.py
}

# a name that a signature lacks would be an internal error of the compiler
arguments_exist() {
    python tools/arguments.py
}

# which of two arguments is evaluated first is the compiler's choice, and would be seen in the code
order_is_said() {
    python tools/order.py
}

# Python finds the language's names in a file that the compiler's tables write
names_are_current() {
    python tools/python_names.py --check
}

analysed() {
    find src bench apps -name '*.c' | changed analysis --headers tools/check.sh tools/cppcheck.txt || return 1
    [ -s "$build/changed" ] || return 0
    mkdir -p "$build/cppcheck"
    cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
        --cppcheck-build-dir="$build/cppcheck" --inline-suppr --suppressions-list=tools/cppcheck.txt \
        -D__GNUC__=12 -DTILEC_BUILD_ID='""' -Iinclude --file-list="$build/changed" && changed analysis --passed
}

scripts_parse() {
    for script in tools/*.sh tests/*/*.sh bench/*.sh .ci/run; do
        sh -n "$script" || return 1
    done
    python -c 'import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name, encoding="utf-8").read(), name)' kernels/*.py bench/*.py tests/num/*.py tests/num/*/*.py
}

# those of single parts that take no time; `make test` has the others
quick_tests() {
    TILEC_THOROUGH='' TILEC_RANDOM_COUNT=${TILEC_RANDOM_COUNT:-20} ctest --test-dir "$build" --output-on-failure \
        --no-tests=error -j3 -R '^unit\.' -E 'test_(gen|nv|cpu_[a-z]*|math|long|progress|sampler)$'
}

mkdir -p "$build"
check "build without warnings" built
if find_format; then
    check "format" formatted
else
    echo "skipped format: it needs clang-format 14"
fi
check "sizes" tools/sizes.sh
check "layers" tools/layers.sh
check "layers of symbols" tools/symbols.sh "$build"
check "contracts documented" documented
check "arguments of builtins" arguments_exist
check "order of what is made" order_is_said
check "names for Python" names_are_current
check "static analysis" analysed
check "scripts parse" scripts_parse
check "quick tests" quick_tests
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
