#!/bin/sh
# test.sh BUILD [CTEST FLAGS...] - run CTest and close with the line "N passed, N failed".
#
# Without flags, what proves most in two minutes: tests with the label "slow" are left out, and those of
# tests/num run each case on some of the devices.  With TILEC_THOROUGH in the environment everything
# runs.  A test that could not be started counts as failed.
build=$1
shift
cd "$(dirname "$0")/.." || exit 1

[ $# -gt 0 ] || [ -n "${TILEC_THOROUGH:-}" ] || set -- -LE slow
cores=$(getconf _NPROCESSORS_ONLN)
export TILEC_JOBS="${TILEC_JOBS:-1}" # of each script: CTest runs several beside each other
log=$build/test.log
ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$((cores + 1))" "$@" 2>&1 | tee "$log"
total=$(sed -n 's/^.*tests failed out of \([0-9]*\)$/\1/p' "$log")
failed=$(sed -n 's/^.*, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$log")
if [ -z "$total" ] || [ "$total" = 0 ]; then
    echo "test.sh: no test ran" >&2
    total=1
    failed=1
fi
echo "$((total - failed)) passed, $failed failed"
[ "$failed" = 0 ]
