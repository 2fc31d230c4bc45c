#!/bin/sh
# test_gpu.sh [BUILD [DEVICE [JOBS]]] - the numeric tests on a GPU
#
# Every case of tests/num (the kernels of tests/lang among them), every op and dtype, reductions,
# memory and random kernels, on DEVICE: cuda, or another that `tilec devices` lists; JOBS scripts of
# tests/num run beside each other, 4 where it is not said, and all programs but the one that measures
# launches, which runs behind them.  A minute on an H200 with 16 cores.  Needs only the
# programs in BUILD, this source tree and a Python with NumPy, so that both can be carried to a
# machine that has a GPU and no compiler.  Tells each part when it ends, with what failed, and ends
# with "N passed, N failed"; the counts are also in BUILD/test-DEVICE.json, and the line that
# docs/benchmarks.md keeps is printed before them.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(realpath "${1:-build}") || exit 2
device=${2:-cuda}
jobs=${3:-4}
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

log=$build/test-$device.log
: >"$log"

# number PATTERN FILE: the first number on the last line that it matches; 0 when there is none
number() {
    sed -n "s/$1/\\1/p" "$2" | tail -1 | grep . || echo 0
}

# run NAME COMMAND...: one part; what it says goes to a file and its counts to another one
run() {
    name=$1 part=$folder/$1 began=$(date +%s)
    shift
    TILEC_CACHE_DIR=$TILEC_CACHE_DIR/$name "$@" >"$part" 2>&1
    ended=$?
    if grep -qa '^\[==========\]' "$part"; then
        wrong=$(number '^\[  FAILED  \] \([0-9]*\) test(s).*' "$part")
        right=$(number '^\[  PASSED  \] \([0-9]*\) test(s).*' "$part")
    else
        wrong=$(number "^$device: [0-9]* cases, \\([0-9]*\\) failed.*" "$part")
        right=$(($(number "^$device: \\([0-9]*\\) cases.*" "$part") - wrong))
    fi
    [ "$ended" = 0 ] && [ "$right" != 0 ] || [ "$wrong" != 0 ] || wrong=1 # it never came to its end
    # of one that ended in no orderly way, all is to be seen
    [ "$ended" = 0 ] || grep -a FAILED "$part" || tail -20 "$part"
    echo "$name: $right passed, $wrong failed, in $(($(date +%s) - began)) s"
    cat "$part" >>"$log"
    echo "$name $right $wrong" >"$part.count"
}

# start NAME COMMAND...: run it as soon as fewer than JOBS run
start() {
    read -r _ <&3
    {
        run "$@"
        echo >&3
    } &
}

cores=$(getconf _NPROCESSORS_ONLN)
export TILEC_JOBS="${TILEC_JOBS:-$(((cores + jobs - 1) / jobs))}" # processes of each script
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder.turns"
exec 3<>"$folder.turns"
rm "$folder.turns"
for turn in $(seq "$jobs"); do
    echo >&3
done
for name in test_cpu_memory test_cpu_ops test_cpu_reduce test_random; do
    run "$name" timeout 500 "$build/tests/$name" & # one process each, of which one thread works
done
for script in tests/num/test_*.py; do
    case $script in
    */test_readme.py) continue ;; # its examples choose their devices themselves
    esac
    start "$(basename "$script" .py)" "$python" -B "$script" "$build/tilec" . "$device"
done
wait
[ "$device" != cuda ] || run test_gpu timeout 500 "$build/tests/test_gpu" # streams, graphs, contexts, times

passed=0 failed=0 parts=
for count in "$folder"/*.count; do
    read -r name right wrong <"$count"
    passed=$((passed + right))
    failed=$((failed + wrong))
    parts="$parts${parts:+, }\"$name\": {\"passed\": $right, \"failed\": $wrong}"
done

date=$(date -u +%F)
here=$(echo "$here" | sed "s/^$device *available *[0-9]* threads\\{0,1\\} *//; s/\"/'/g")
printf '{"device": "%s", "what": "%s", "date": "%s", "passed": %d, "failed": %d, "parts": {%s}}\n' \
    "$device" "$here" "$date" "$passed" "$failed" "$parts" >"$build/test-$device.json"
echo "| $date | $here | $passed | $failed |"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
