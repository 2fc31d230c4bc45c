#!/bin/sh
# ranks.sh TILEC SOURCE - `run --each` as several ranks: the same bytes and words as one, whatever their number
. "$(dirname "$0")/expect.inc"
mkdir "$folder/work" && cd "$folder/work" || exit 1
cat >k.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def add(o, x, n, bad, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.device_print("first", tl.max(v, 0))
    tl.device_assert(v != bad, "it is bad", mask=i < n)
    tl.store(o + i, v + 1, mask=i < n)


@triton.jit
def slow(o, x, n):
    v = tl.load(x)
    for i in range(n):
        v = v * 1664525 + 1013904223
    tl.store(o, v)
KERNEL
mkdir in out
for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do
    case $((i % 3)) in 0) echo "$i,$i" ;; 1) echo "$i,$i,$i" ;; *) echo "$i,$i,$i,$i" ;; esac >in/$i.csv
done
printf '1,2\n3\n' >in/17.csv

# keep COMMAND... : what it says, without seconds, in words.*
keep() {
    rm -rf out all.csv && mkdir out
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
    code=$?
    sed 's/[0-9.]* s, [0-9.]* files/s/; s/"seconds": *[0-9.e-]*/"seconds":0/g' "$folder/err" >words.err
    sed 's/"seconds": *[0-9.e-]*/"seconds":0/g' "$folder/out" >words.out
}
one() {
    keep "$tilec" "$@" --threads 1
    rm -rf one.out.d one.csv && mv out one.out.d && mv words.err one.err && mv words.out one.out && one_code=$code
    [ ! -e all.csv ] || mv all.csv one.csv
}
# on RANKS OPTION... : that is what they say, too
on() {
    ranks=$1
    shift
    keep mpirun --oversubscribe -n "$ranks" "$tilec" "$@" --threads 1
    [ "$code" = "$one_code" ] || wrong "$ranks ranks exit with $code and one with $one_code: $*"
    cmp -s words.out one.out || wrong "$ranks ranks print something else: $*"
    # mpirun says that a rank has failed, in a frame
    sed '/^---/,/^---/d; /^$/d' words.err | cmp -s - one.err || wrong "$ranks ranks say something else: $*"
    diff -r out one.out.d >/dev/null || wrong "$ranks ranks write other files: $*"
    [ ! -e one.csv ] || cmp -s all.csv one.csv || wrong "$ranks ranks write another table: $*"
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
leaks=${ASAN_OPTIONS:-}
export ASAN_OPTIONS="$leaks:detect_leaks=0" # MPI keeps what it has to the end
add="run k.py:add --each in/*.csv --grid 1 x=@{}:i32 o=empty_like(x) n=x.numel() B=8 --save o=all.csv --save o=out/{name}-{i}.npy"
set -f
# shellcheck disable=SC2086
if [ -e "$(dirname "$tilec")/tilec-mpi.so" ] && mpirun --oversubscribe -n 1 true 2>/dev/null; then
    one $add bad=23 --show o
    on 3 $add bad=23 --show o
    [ "$one_code" = 1 ] || wrong "what is damaged is no failure"
    if [ -n "${TILEC_THOROUGH:-}" ]; then
        on 2 $add bad=23 --show o
        on 4 $add bad=23 --show o
        one $add bad=23 --json
        on 3 $add bad=23 --json
        batch="run k.py:add --each in/*.csv --batch 2 --grid 1 x=@{}:i32 o=empty_like(x) n=x.numel() B=64 --save o=all.csv --save o=out/{name}.npy"
        one $batch bad=23
        on 2 $batch bad=23
        one $batch bad=23 --json
        on 3 $batch bad=23 --json
        # what is wrong with the call, and with where results go; outputs that are there
        one $add bad=nothing
        on 3 $add bad=nothing
        one $add bad=23 --save 'o=none/{name}.npy'
        on 3 $add bad=23 --save 'o=none/{name}.npy'
        # what is not written is found once
        unwritten="run k.py:slow --each in/2*.csv --grid 1 x=@{}:i32 o=empty(i32,2) n=1 --save o=all.csv"
        one $unwritten
        on 3 $unwritten
        grep -q "warning: in/20.csv: " one.err || wrong "no warning"
        # names from stdin are the first rank's, and all have them
        expect 0 err "2 of 2 files" sh -c 'printf "in/10.csv\nin/29.csv\n" | mpirun --oversubscribe -n 3 "$0" run k.py:slow --each @- --grid 1 x=@{}:i32 o="empty(i32,1)" n=1 --threads 1' "$tilec"
        rm in/17.csv && mkdir dead
        slow="run k.py:slow --each in/*.csv --grid 1 x=@{}:i32 o=empty(i32,1) --threads 1"
        expect 0 err "19 of 19" "$tilec" $slow n=1 --save 'o=dead/{name}.npy'
        rm dead/15.npy dead/16.npy
        expect 0 err "2 of 2 files in" mpirun --oversubscribe -n 3 "$tilec" $slow n=1 --save 'o=dead/{name}.npy' --skip-existing
        grep -q "; 17 skipped" "$folder/err" || wrong "not as many are skipped"
        cat >die.sh <<'SCRIPT'
# rank 1 of the command: ends in the middle
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
"$@" &
while [ "$(ls dead | wc -l)" -lt 5 ]; do sleep 0.01; done
kill -9 $! $$
SCRIPT
        rm -r dead && mkdir dead
        mpirun --oversubscribe -n 2 sh die.sh "$tilec" $slow n=100000000 --save o=dead.csv --save 'o=dead/{name}.npy' >"$folder/out" 2>"$folder/err" &&
            wrong "a dead rank is no failure"
        grep -q "rank 1 .* signal 9" "$folder/err" || wrong "the dead rank is not named"
        grep -q "tilec: stopped: [0-9]* of 19 files are done; [1-9][0-9]* left" "$folder/err" || wrong "its files are not left"
        grep -q "^in/10.csv," dead.csv || wrong "no table"
    fi
fi
export ASAN_OPTIONS="$leaks"
expect 1 err "tilec: this is one of 2 ranks, and tilec-mpi.so" env OMPI_COMM_WORLD_SIZE=2 sh -c \
    "cp '$tilec' alone && ./alone run k.py:slow --each in/10.csv --grid 1 x=@{}:i32 o=x n=1"
finish
