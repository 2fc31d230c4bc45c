#!/bin/sh
# test.sh BUILD [CTEST FLAGS...] - run CTest and close with the line "N passed, N failed".
# A test that could not be started counts as failed.
build=$1
shift
cd "$(dirname "$0")/.." || exit 1

log=$build/test.log
ctest --test-dir "$build" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log"
total=$(sed -n 's/^.*tests failed out of \([0-9]*\)$/\1/p' "$log")
failed=$(sed -n 's/^.*, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$log")
if [ -z "$total" ] || [ "$total" = 0 ]; then
    echo "test.sh: no test ran" >&2
    total=1
    failed=1
fi
echo "$((total - failed)) passed, $failed failed"
[ "$failed" = 0 ]
