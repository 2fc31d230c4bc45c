#!/bin/sh
# test_gpu.sh [BUILD [DEVICE]] - the numeric tests on a GPU
#
# Every case of tests/num (the kernels of tests/lang among them), every op and dtype, reductions,
# memory and random kernels, on DEVICE: cuda, or another that `tilec devices` lists.  Needs only the
# programs in BUILD, this source tree and a Python with NumPy, so that both can be carried to a machine
# that has a GPU and no compiler.  Prints what fails and ends with "N passed, N failed"; the counts are
# also in BUILD/test-DEVICE.json, and the line that docs/benchmarks.md keeps is printed before them.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(realpath "${1:-build}") || exit 2
device=${2:-cuda}
python=$(tools/python.sh) || exit 2

export TILEC_SOURCE=. TILEC_PLUGIN="$build/tilec-llvm.so" TILEC_CACHE_DIR="$build/test-$device-cache"
export TILEC_VERSUS_DEVICE="$device"
rm -rf "$TILEC_CACHE_DIR"
here=$("$build/tilec" devices | grep "^$device ") || {
    echo "test_gpu.sh: no device is called $device" >&2
    exit 2
}
case $here in
*"not available"*)
    echo "test_gpu.sh: $here" >&2
    exit 2
    ;;
esac

passed=0 failed=0 parts=
log=$build/test-$device.log
: >"$log"

# count NAME PASSED FAILED
count() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    parts="$parts${parts:+, }\"$1\": {\"passed\": $2, \"failed\": $3}"
    echo "$1: $2 passed, $3 failed"
}

# the first number on the last line of the log that PATTERN matches; 0 when there is none
number() {
    sed -n "s/$1/\\1/p" "$build/test-$device.part" | tail -1 | grep . || echo 0
}

# keep what the last part said; of one that ended in no orderly way, all of it is to be seen
close_part() {
    cat "$build/test-$device.part" >>"$log"
    [ "$1" = 0 ] || grep -a FAILED "$build/test-$device.part" || tail -20 "$build/test-$device.part"
}

for script in tests/num/test_*.py; do
    name=$(basename "$script" .py)
    [ "$name" != test_readme ] || continue # its examples choose their devices themselves
    "$python" -B "$script" "$build/tilec" . "$device" >"$build/test-$device.part" 2>&1
    close_part $?
    cases=$(number "^$device: \\([0-9]*\\) cases.*")
    wrong=$(number "^$device: [0-9]* cases, \\([0-9]*\\) failed.*")
    [ "$cases" != 0 ] || { cases=1 wrong=1; } # it never came to its end
    count "$name" $((cases - wrong)) "$wrong"
done
driver=
[ "$device" != cuda ] || driver=test_gpu # streams, graphs, contexts
for name in $driver test_cpu_ops test_cpu_memory test_cpu_reduce test_random; do
    timeout 400 "$build/tests/$name" >"$build/test-$device.part" 2>&1
    status=$?
    close_part $status
    wrong=$(number '^\[  FAILED  \] \([0-9]*\) test(s).*')
    right=$(number '^\[  PASSED  \] \([0-9]*\) test(s).*')
    [ "$status" = 0 ] || [ "$wrong" != 0 ] || wrong=1 # it never came to its end
    count "$name" "$right" "$wrong"
done
rm -f "$build/test-$device.part"

date=$(date -u +%F)
here=$(echo "$here" | sed "s/^$device *available *[0-9]* threads\\{0,1\\} *//; s/\"/'/g")
printf '{"device": "%s", "what": "%s", "date": "%s", "passed": %d, "failed": %d, "parts": {%s}}\n' \
    "$device" "$here" "$date" "$passed" "$failed" "$parts" >"$build/test-$device.json"
echo "| $date | $here | $passed | $failed |"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
