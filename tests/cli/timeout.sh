#!/bin/sh
# timeout.sh TILEC SOURCE - --timeout, and what `tilec test` says of a kernel that never ends
. "$(dirname "$0")/expect.inc"

cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl

# tilec: call closed --grid 3 gate=zeros(i32, 1) out=zeros(i32, 3) --compare out=1
# tilec: call open --grid 3 gate=ones(i32, 1) out=zeros(i32, 3) --compare out=1
@triton.jit
def wait(gate, out):
    while tl.atomic_add(gate, 0) == 0:
        pass
    tl.store(out + tl.program_id(0), 1)

# tilec: call again --grid 1 out=zeros(i32, 1) --compare out=1 --timeout 0.3
@triton.jit
def once(out):
    while tl.atomic_xchg(out, 1) == 1:
        pass

# tilec: call slow --grid 1000000 out=zeros(i32, 1) n=100000 --timeout 0.3
@triton.jit
def slow(out, n):
    for i in range(n):
        tl.atomic_add(out, i)
KERNEL
waits="kernel 'wait' has run for [0-9.]* s, and --timeout allows 0.3: 0 of 3 programs have ended, and (0, 0, 0)"

run() {
    "$tilec" run "$folder/k.py:wait" --grid 3 --threads 1 gate="zeros(i32,1)" out="zeros(i32,3)" "$@"
}
for device in cpu interp; do
    expect 1 err "hint: a program that waits for one that has not begun waits for ever" \
        run --device $device --timeout 0.3
    grep -q "^tilec: $waits" "$folder/err" || wrong "what ran on $device, and how long?"
done
expect 1 err "and --timeout allows 0.3: 0 of 3 programs have ended" run --device sim --timeout 0.3
# JSON on stdout, nothing saved
expect 1 out '{"kind": "fault", "message": "kernel '"'wait'"' has run for 0.' run --timeout=0.3 --json --save "out=$folder/o.npy"
grep -qF '"hint": "a program that waits for one' "$folder/out" && grep -qF '"exit": 1}' "$folder/out" || wrong "no object"
[ ! -e "$folder/o.npy" ] || wrong "a file of a launch that did not end"
# the run on another device that a result is compared with
expect 1 err "0 of 3 programs have ended" run --timeout 0.3 --compare out=interp
# what takes less is not ended
expect 0 out "out: agrees with 1 in 3" "$tilec" run "$folder/k.py" --call open --timeout 60
# files of --each: which?
expect 0 "" "" "$tilec" run "$folder/k.py" --call open --save "gate=$folder/h.npy"
expect 1 err "tilec: it was at work on $folder/h.npy" "$tilec" run "$folder/k.py:once" --grid 1 \
    --each "$folder/h.npy" out=@{} --timeout 0.3

# calls of test: one that is ended costs no other, and says why
tests() {
    "$tilec" test "$folder/k.py" --threads 1 "$@"
}
expect 1 out "2 passed, 2 failed" tests --timeout 0.3 --call closed --call open --call again --call slow
grep -qE "^FAIL  .*/k.py:4 +closed +cpu +[0-9.]+ s$" "$folder/out" || wrong "which failed?"
grep -q "^      $waits" "$folder/out" || wrong "no reason"
grep -qF -- "--call closed --device cpu --threads 1 --timeout 0.3" "$folder/out" || wrong "how to do it again?"
grep -q "^      kernel 'slow' has run for [0-9.]* s, and --timeout allows 0.3: " "$folder/out" || wrong "slow?"
grep -A 1 "kernel 'slow'" "$folder/out" | grep -q hint && wrong "a slow kernel does not wait"
grep -A 1 "kernel 'once'" "$folder/out" | grep -q hint && wrong "one program alone waits for no other"
expect 1 out '"problem": {"kind": "fault", "message": "kernel '"'wait'"' has run' tests --timeout 0.3 --call closed --json
# without it, or before it: the warning of run
expect 1 err "tilec: warning: kernel 'wait': nothing has moved for 5 s: 0 of 3 programs have ended, and (0, 0, 0)" \
    tests --timeout 8 --call closed
expect 1 err "nothing has moved for 5 s: 0 of 1 programs have ended, and (0, 0, 0)" \
    "$tilec" run "$folder/k.py:once" --grid 1 out="ones(i32,1)" --timeout 8
grep -qx "hint: Ctrl-C ends the run" "$folder/err" || wrong "what can be done about one program?"

# mistakes
for seconds in 0 -1 x 5s nan inf; do
    expect 2 err "--timeout needs a number of seconds, 5 or 0.5, not '$seconds'" run --timeout=$seconds
done
expect 2 err "--timeout needs a value behind it" run --timeout
finish
