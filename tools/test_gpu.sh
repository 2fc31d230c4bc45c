#!/bin/sh
# test_gpu.sh [BUILD [DEVICE [JOBS]]] - the numeric tests on a GPU
#
# Every case of tests/num (the kernels of tests/lang among them), every op and dtype, reductions,
# memory and random kernels, on DEVICE: cuda, or another that `tilec devices` lists; JOBS parts of
# these run beside each other, 3 where it is not said.  Needs only the programs in BUILD, this source
# tree and a Python with NumPy, so that both can be carried to a machine that has a GPU and no
# compiler.  Prints what fails and ends with "N passed, N failed"; the counts are also in
# BUILD/test-DEVICE.json, and the line that docs/benchmarks.md keeps is printed before them.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(realpath "${1:-build}") || exit 2
device=${2:-cuda}
jobs=${3:-3}
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

# the first number on the last line of the part that PATTERN matches; 0 when there is none
number() {
    sed -n "s/$1/\\1/p" "$part" | tail -1 | grep . || echo 0
}

# keep what a part said; of one that ended in no orderly way, all of it is to be seen
close_part() {
    cat "$part" >>"$log"
    [ "$1" = 0 ] || grep -a FAILED "$part" || tail -20 "$part"
}

# run NAME COMMAND...: what it says goes to a file, how it ended into another one
run() {
    name=$1
    shift
    TILEC_CACHE_DIR=$TILEC_CACHE_DIR/$name "$@" >"$folder/$name" 2>&1
    echo $? >"$folder/$name.status"
}

# start NAME COMMAND...: run it beside others, JOBS at a time
running=0
start() {
    run "$@" &
    running=$((running + 1))
    [ $((running % jobs)) != 0 ] || wait
}

# each case is a process of its own, which waits for the driver most of the time
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for script in tests/num/test_*.py; do
    case $script in
    */test_readme.py) continue ;; # its examples choose their devices themselves
    esac
    start "$(basename "$script" .py)" "$python" -B "$script" "$build/tilec" . "$device"
done
driver=
[ "$device" != cuda ] || driver=test_gpu # streams, graphs, contexts
for name in $driver test_cpu_ops test_cpu_memory test_cpu_reduce test_random; do
    start "$name" timeout 400 "$build/tests/$name"
done
wait

for status in "$folder"/*.status; do
    part=${status%.status}
    ended=$(cat "$status")
    close_part "$ended"
    if grep -qa '^\[==========\]' "$part"; then
        wrong=$(number '^\[  FAILED  \] \([0-9]*\) test(s).*')
        right=$(number '^\[  PASSED  \] \([0-9]*\) test(s).*')
    else
        wrong=$(number "^$device: [0-9]* cases, \\([0-9]*\\) failed.*")
        right=$(($(number "^$device: \\([0-9]*\\) cases.*") - wrong))
    fi
    [ "$ended" = 0 ] && [ "$right" != 0 ] || [ "$wrong" != 0 ] || wrong=1 # it never came to its end
    count "$(basename "$part")" "$right" "$wrong"
done

date=$(date -u +%F)
here=$(echo "$here" | sed "s/^$device *available *[0-9]* threads\\{0,1\\} *//; s/\"/'/g")
printf '{"device": "%s", "what": "%s", "date": "%s", "passed": %d, "failed": %d, "parts": {%s}}\n' \
    "$device" "$here" "$date" "$passed" "$failed" "$parts" >"$build/test-$device.json"
echo "| $date | $here | $passed | $failed |"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
