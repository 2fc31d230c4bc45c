#!/bin/sh
# calls.sh TILEC SOURCE - calls that a file names in comments: `--call`, `tilec test`
. "$(dirname "$0")/expect.inc"
mkdir "$folder/in"
k=$folder/in/k.py

cat >"$k" <<'KERNEL'
"""# tilec: call text-1 is text"""
import triton
import triton.language as tl
TEXT = '''
# tilec: call text-2 is text
'''

# tilec: call other:early --grid 1 x=zeros(fp32, 4) --compare x=3
# tilec: call small --grid cdiv(n, BLOCK)   # programs
#     n=20 x=arange(fp32, n) out=empty(fp32, n)
#     factor=2 BLOCK=16 --compare out=x*2
# an ordinary comment   n=5
# tilec: call wrong --call small --compare out=x*2+(x==3) --device cpu,interp
@triton.autotune(configs=[triton.Config({"jit": 1})], key=["n"])
@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    # tilec: call inside --call small n=7 --save out=o.npy --show out --time 3
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


# tilec: call file @more.args
@triton.jit
def other(x):
    tl.device_print("x", tl.load(x))
    tl.device_assert(tl.load(x) < 1, "too much")
    tl.store(x + tl.arange(0, 4), 3.0)
# tilec: call assert --grid 1 x=ones(fp32, 4)
# tilec: call missing --grid 1 x=ones(fp32, 4) y=3
# tilec: call loop --call round
# tilec: call round --call loop
KERNEL
echo "--grid 1 x=zeros(fp32, 4)" >"$folder/in/more.args"

run() {
    "$tilec" run "$@"
}

# a call is a part of the command line, with the kernel; what that says goes first
expect 0 out "out: agrees with x*2 in 20 elements" run "$k" --call small
expect 1 out "0.  2.  4.  6. nan" run "$k" --call small n=4 out="empty(fp32,5)" x="arange(fp32,5)" --show out
expect 0 out "out: agrees with interp in 20 elements" run --call small "$k" --compare interp
expect 1 out "out: differs from x*2+(x==3) in 1 of 20 elements" run "$k" --call wrong
expect 0 out "[ 0.  2.  4.  6.  8. 10. 12.]" run "$k" --call inside
[ -s "$folder/in/o.npy" ] || wrong "--save in a call does not count from the file's folder"
expect 0 out "x: agrees with 3 in 4 elements" run "$k" --call early
expect 0 out "[3. 3. 3. 3.]" run "$k" --call file --show x
expect 1 err "assertion failed: too much" run "$k" --call assert
expect 0 out "kernel @scale(" "$tilec" dump "$k" --call small --stage ir
echo "--call small" >"$folder/call.args"
expect 0 out "agrees" run "$k" "@$folder/call.args"

# what a wrapper names is a kernel, too, for the calls above it
cat >"$folder/wrapped.py" <<'KERNEL'
import triton
import triton.language as tl
TEXT = f"{'# tilec: call text --grid 1'}" f"""{
    # tilec: call text --grid 1
    3}"""
def fill(x):
    tl.store(x + tl.arange(0, 4), 3.0)
# tilec: call last --grid 1
#     x=zeros(fp32, 4) --compare x=3
kernel = triton.jit(fill)
KERNEL
expect 0 out "1 passed, 0 failed" "$tilec" test --device interp "$folder/wrapped.py"

# a comparison that is given nearer to the command line goes before that of a call taken over
cat >"$folder/replaced.py" <<'KERNEL'
import triton
import triton.language as tl
# tilec: call base --grid 1 x=ones(fp32, 4) n=3 --compare x=@missing.npy --compare x[:2]=3
# tilec: call other --call base n=2 --compare x=2 --compare x=x[::-1]+1
@triton.jit
def store(x, n): tl.store(x + tl.arange(0, 4), n.to(tl.float32))
KERNEL
expect 1 out "x: agrees with 2 in 4" run "$folder/replaced.py" --call other
expect 1 out "x: agrees with x[::-1]+1 in 4" run "$folder/replaced.py" --call other
expect 1 out "x[:2]: differs from 3 in 2" run "$folder/replaced.py" --call other
expect 0 out "x: agrees with 3 in 4" run "$folder/replaced.py" --call base --compare x=3
expect 0 out "x: agrees with 3 in 4" run "$folder/replaced.py" --compare x=3 --call base

# mistakes
expect 2 err "$k has no call 'smal'; did you mean 'small'?" run "$k" --call smal
expect 2 err "add.py has no call 'none'" run "$source/kernels/add.py" --call none
expect 2 err "names no calls: write \`# tilec: call none --grid E" run "$source/bench/gpu.py" --call none
expect 2 err "FILE.py[:KERNEL] is missing" run --call small
expect 2 err "the kernel's file is read twice here: it cannot come from stdin" run - --call small
expect 2 err "k.py:29: the kernel has no parameter 'y'" run "$k" --call missing
expect 2 err "k.py:31: --call loop: this call names itself" run "$k" --call loop
expect 2 err "only \`tilec test\` takes several devices" run "$k" --call small --device cpu,interp
printf '# tilec: small: --grid 1\n@triton.jit\ndef store(x): pass\n' >"$folder/unnamed.py"
expect 2 err "behind \`# tilec:\` comes \`call\`" run "$folder/unnamed.py" --call small
grep -q "there is" "$folder/err" && wrong "a call without a name is offered"
for words in "cal x" "call" "call --grid 1" "call n=1"; do
    echo "# tilec: $words" >"$folder/bad.py"
    expect 2 err "bad.py:1: " run "$folder/bad.py" --call x
done
printf '# tilec: call a\n# tilec: call a\n' >"$folder/bad.py"
expect 2 err "bad.py:2: there is a call 'a' in line 1 already" run "$folder/bad.py" --call a

# names are those of a kernel: two may have one, and a comment that is wrong costs no other
cat >"$folder/two.py" <<'KERNEL'
import triton
import triton.language as tl
# tilec: call a --grid 1 x=zeros(fp32, 1) --compare x=1
@triton.jit
def one(x): tl.store(x, 1.0)
# tilec: call a --grid 1 x=zeros(fp32, 1) --compare x=2
# tilec: call b --call a --threads 1
# tilec: call of-one --call one:a --compare x=2
@triton.jit
def two(x): tl.store(x, 2.0)
# tilec: calls b
# tilec: call two:b --grid 1
KERNEL
expect 0 out "x: agrees with 1 in 1" run "$folder/two.py:one" --call a
expect 0 out "x: agrees with 2 in 1" run "$folder/two.py:two" --call a
expect 0 out "x: agrees with 2 in 1" run "$folder/two.py" --call two:a
expect 0 out "x: agrees with 2 in 1" run --call two:a "$folder/two.py"
expect 0 out "x: agrees with 2 in 1" run "$folder/two.py" --call of-one
expect 2 err "several kernels of $folder/two.py have a call 'a': write --call one:a or --call two:a" \
    run "$folder/two.py" --call a
expect 2 err "two.py has no call 'three:a'" run "$folder/two.py" --call three:a
expect 2 err "two.py:12: there is a call 'b' in line 7 already" run "$folder/two.py" --call b
expect 1 out "4 passed, 2 failed" "$tilec" test "$folder/two.py"
for line in "^PASS  .*/two.py:3   a " "^PASS  .*/two.py:6   a " "^PASS  .*/two.py:7   b " "^FAIL  .*/two.py:11  - " \
    "^      .*two.py:11: behind .# tilec:. comes .call." "^FAIL  .*/two.py:12  b " \
    "^      .*two.py:12: there is a call 'b' in line 7"; do
    grep -q "$line" "$folder/out" || wrong "no line '$line'"
done
expect 0 out "2 passed, 0 failed" "$tilec" test "$folder/two.py" --call a
expect 0 out "1 passed, 0 failed" "$tilec" test "$folder/two.py" --call two:a
expect 0 out "  calls: a, b, of-one" "$tilec" list "$folder/two.py:two"
grep -qF "warning: $folder/two.py:11: behind" "$folder/err" || wrong "list tells nothing of a wrong comment"

# test makes them all, on the devices that they name, and goes on behind what fails
test_all() {
    "$tilec" test "$k" "$@"
}
line() {
    expect 1 out "" test_all
    grep -qE "$1" "$folder/out" || wrong "no line '$1'"
}
line "^PASS  .*/k.py:8   early    cpu     [0-9.]* s$"
line "^PASS  .*/k.py:9   small    cpu "
line "^FAIL  .*/k.py:13  wrong    cpu "
line "^FAIL  .*/k.py:13  wrong    interp "
line "^      out: differs from x\*2\+\(x==3\) in 1 of 20 elements"
line "^      again: tilec run .*/k.py:scale --call wrong --device interp$"
line "^PASS  .*/k.py:17  inside   cpu "
line "^PASS  .*/k.py:22  file     cpu "
line "^FAIL  .*/k.py:28  assert   cpu "
line "k.py:26:5: error: assertion failed: too much"
line "^      again: tilec run .*/k.py:other --call assert --device cpu --compare interp"
line "^FAIL  .*/k.py:29  missing  cpu "
line "^FAIL  .*/k.py:30  loop     cpu "
line "^4 passed, 6 failed$"
! grep -q "^x" "$folder/out" || wrong "what a kernel prints is in the way"

# chosen calls, devices, kernels; arguments for all
expect 2 err "--device: 'simm' is no device; did you mean 'sim'?" test_all --call small --device interp,simm
expect 0 out "1 passed, 0 failed" test_all --call small
expect 0 out "2 passed, 0 failed" test_all --call small --call early --threads 1 --check
# .. and all that an array by empty() has was written
expect 0 out "2 passed, 0 failed" "$tilec" test "$source/kernels/morphology.py" --call pixel --check
expect 0 out "small  sim     " test_all --call small --device interp,sim
expect 0 out "2 passed, 0 failed" test_all --call small --device interp,sim
expect 0 out "1 passed, 0 failed" test_all --call wrong --device cpu n=3 "x=arange(fp32,3)" "out=empty(fp32,3)"
expect 1 out "2 passed, 4 failed" "$tilec" test "$k:other" --device cpu
expect 2 err "--call smal: there is no such call; did you mean 'small'?" test_all --call smal
expect 2 err "nothing to test" "$tilec" test "$source/bench/gpu.py"
expect 2 err "bench/gpu.py names no calls" "$tilec" test "$source/bench/gpu.py"
expect 3 err "none.py: No such file" "$tilec" test "$folder/none.py"
expect 2 err "FILE.py[:KERNEL] is missing" "$tilec" test
sed 's/tl.arange(/tl.arnge(/' "$k" >"$folder/broken.py"
expect 1 out "did you mean" "$tilec" test "$folder/broken.py" --call small "$k"
expect 1 out "1 passed, 1 failed" "$tilec" test "$folder/broken.py" --call small "$k"

# the command below a failure has the arguments and options of this one, and does the same
expect 1 out "again: tilec run $k:scale --call small --device sim 'x=arange(fp32,30)' --check --compare 'out=x[:20]*3'" \
    test_all --call small --device=sim "x=arange(fp32,30)" --check --compare "out=x[:20]*3"
again=$(sed -n "s/.*again: tilec //p" "$folder/out")
expect 1 out "out: differs from x[:20]*3" eval "\"\$tilec\" $again"

# a device that only the call asks for is skipped where it is missing
echo "# tilec: call gpu --call small --device cuda" >>"$k"
expect 0 out "SKIP" env TILEC_LIBCUDA=/nowhere/libcuda.so "$tilec" test "$k" --call gpu
expect 0 out "0 passed, 0 failed, 1 skipped" env TILEC_LIBCUDA=/nowhere/libcuda.so \
    "$tilec" test "$k" --call gpu
expect 1 out "there is no NVIDIA driver" env TILEC_LIBCUDA=/nowhere/libcuda.so \
    "$tilec" test "$k" --call small --device cuda

# one for the files of --each is made for all of them; nothing of it is saved or printed
mkdir "$folder/each"
cat >"$folder/each/t.py" <<'KERNEL'
import triton
import triton.language as tl
# tilec: call folder --grid 1 --each 'data/*.npy' x=@{} --compare x=2 --save x=kept.csv --show x
# tilec: call bare --grid 1 --each 'data/*.npy' x=@{}
# tilec: call stacked --call bare --batch 2
# tilec: call wrong --grid 1 --each 'data/*.npy' x=@{} --compare 'x=2+(x.shape(x.ndim-1)==5)'
# tilec: call wrong-stacked --call wrong --batch 2
# tilec: call none --grid 1 --each 'nothing/*.npy' x=@{}
# tilec: call misspelt --grid 1 --each 'data/*.npy' y=@{}
@triton.jit
def store(x): tl.store(x + tl.arange(0, 4), 2.0)
KERNEL
mkdir "$folder/each/data"
for n in a b c d; do run "$folder/each/t.py" --grid 1 "x=zeros(fp32,4)" --save "x=$folder/each/data/$n.npy"; done
test_each() {
    "$tilec" test "$folder/each/t.py" "$@"
}
expect 0 out "3 passed, 0 failed" test_each --call folder --call bare --call stacked
[ "$(wc -l <"$folder/out")" = 4 ] && [ ! -s "$folder/err" ] || wrong "it tells more than that they pass"
[ ! -e "$folder/each/kept.csv" ] && [ ! -e kept.csv ] || wrong "it saves"
run "$folder/each/t.py" --grid 1 "x=full(fp32,5,2)" --save "x=$folder/each/data/c.npy"
for call in wrong wrong-stacked; do
    expect 1 out "      1 of 4 files failed" test_each --call $call
    grep -q "^      $folder/each/data/c.npy: it is not what --compare says" "$folder/out" || wrong "c is not named"
    grep -q "data/[abd].npy" "$folder/out" && wrong "others are named too"
    grep -q "again: tilec run $folder/each/t.py:store --call $call --device cpu$" "$folder/out" || wrong "no command"
    expect 1 out '"compared": [{"path": "' test_each --json --call $call
    grep -qF '"pass": false' "$folder/out" || wrong "no comparison in the JSON"
done
rm "$folder/each/data/c.npy"
echo no >"$folder/each/data/c.npy"
for call in folder stacked; do
    expect 1 out "data/c.npy: not a .npy file" test_each --call $call
done
expect 1 out "nothing/*.npy: there is no such file" test_each --call none
expect 1 out "the kernel has no parameter 'y'" test_each --call misspelt
expect 1 out '"problem": {"kind": "usage"' test_each --call misspelt --json
expect 0 out "2 passed, 0 failed" test_each "x=zeros(fp32,4)" --call folder --call bare

# one that ends the process costs no other
cat >"$folder/far.py" <<'KERNEL'
import triton
import triton.language as tl
# tilec: call far --grid 1 x=ones(fp32, 4) n=100000000000 --compare x=1
# tilec: call near --call far n=2
@triton.jit
def store(x, n): tl.store(x + n, 1.0)
KERNEL
expect 1 out "      it reaches memory outside of its arrays: --check says where" "$tilec" test "$folder/far.py"
expect 1 out "1 passed, 1 failed" "$tilec" test "$folder/far.py"
expect 1 out "far.py:6:18: error: store to x[100000000000] is outside of its 4 elements" \
    "$tilec" test "$folder/far.py" --check

# JSON
expect 1 out '{"passed": 1, "failed": 1, "skipped": 0, "calls": [{"file": "' \
    test_all --json --call small --call wrong --device cpu
expect 1 out '"line": 13, "call": "wrong", "kernel": "scale", "device": "cpu", "result": "FAIL"' \
    test_all --json --call small --call wrong --device cpu
expect 1 out '"compare": [{"name": "out", "with": "x*2", "pass": true' \
    test_all --json --call small --call wrong --device cpu

# of the devices that a call names, a stage is shown for the first one that has it
expect 0 out ".version" "$tilec" dump "$source/kernels/add.py" --call add --stage ptx
expect 0 out "kernel @add_kernel(" "$tilec" dump "$source/kernels/add.py" --call add --stage opt
expect 2 err "the device \`cpu\` has no stage \`ptx\`" "$tilec" dump "$source/kernels/add.py" --call add --stage ptx --device cpu

# what a comment names is not what a user typed: new files, and those below the kernel's folder
mkdir "$folder/in/below" "$folder/apart"
cat >"$folder/in/writes.py" <<'KERNEL'
import triton
import triton.language as tl


# tilec: call new --grid 1 o=ones(fp32, 4) --save o=../apart/new.npy --trace ../apart/new.json
# tilec: call below --grid 1 o=ones(fp32, 4) --save o=below/o.npy
# tilec: call hidden --grid 1 o=ones(fp32, 4) --trace .profile
# tilec: call new-hidden --grid 1 o=ones(fp32, 4) --trace ../.bash_login
# tilec: call in-hidden --grid 1 o=ones(fp32, 4) --save o=../.config/o.npy
# tilec: call hidden-here --grid 1 o=ones(fp32, 4) --save o=below/.o.npy
# tilec: call link --grid 1 o=ones(fp32, 4) --save o=below/out.npy
# tilec: call inner @inner.args
@triton.jit
def nothing(o):
    tl.store(o, 1.0)
KERNEL
echo "--grid 1 o=ones(fp32, 4) --save o=$folder/apart/new.npy" >"$folder/in/inner.args"
ln -s ../../apart/out.npy "$folder/in/below/out.npy"
echo "mine" >"$folder/in/.profile"
writes() {
    run "$folder/in/writes.py" --call "$@"
}
expect 0 out "" writes new
expect 0 out "" writes below
expect 0 out "" writes below
expect 2 err "a call in a comment replaces only files below the folder of its kernel" writes new
expect 2 err "hint: --trace on the command line does" writes hidden
mkdir "$folder/.config"
for call in new-hidden in-hidden hidden-here; do
    expect 2 err "is hidden by a dot, and a call in a comment writes nothing there" writes "$call"
done
expect 2 err "--save: " writes link
expect 2 err "inner.args:1: --save: " writes inner
expect 0 out "" writes below --save "o=$folder/apart/new.npy"
[ ! -e "$folder/.bash_login" ] && [ ! -e "$folder/.config/o.npy" ] || wrong "a comment has made a hidden file"
[ "$(cat "$folder/in/.profile")" = mine ] && [ ! -e "$folder/apart/out.npy" ] || wrong "a comment has replaced a file"

# a folder: all its files, in the order of their names, not those below it or hidden
mkdir -p "$folder/many [1]/below"
for name in b a .hidden below/c; do
    printf '%s\n' 'import triton' '' '# tilec: call zero --grid 1 x=full(fp32, 4, 1.0) --compare x=0' \
        '@triton.jit' "def k(x):" '    tl.store(x, 0.0)' | sed 's/^import triton$/&\nimport triton.language as tl/' \
        >"$folder/many [1]/$name.py"
done
sed -i 's/4, 1.0/1, 1.0/' "$folder/many [1]/b.py"
echo 'WIDTH = 4' >"$folder/many [1]/sizes.py"
expect 1 out "1 passed, 1 failed" "$tilec" test "$folder/many [1]"
grep -E '^(PASS|FAIL)' "$folder/out" | sed 's/.*\(.\)\.py:.*/\1/' | tr -d '\n' | grep -qx ab ||
    wrong "not the files of the folder in order"
! grep -q sizes "$folder/err" || wrong "a file for others need not name calls"
expect 0 out "2 passed, 0 failed" "$tilec" test "$folder/many [1]/b.py" "$folder/many [1]/below/" --call zero x=zeros\(fp32,1\)
mkdir "$folder/none"
expect 2 err "$folder/none/ names no calls" "$tilec" test "$folder/none/"

# the kernels of this project test themselves: here those of a few files, thoroughly all of them
kernels="$source/kernels"
if [ -z "${TILEC_THOROUGH:-}" ]; then
    kernels="$folder/kernels"
    mkdir "$kernels"
    cp "$source"/kernels/add.py "$source"/kernels/s*.py "$source"/kernels/giou.py "$kernels"
fi
expect 0 out ", 0 failed" "$tilec" test "$kernels/"
for file in "$kernels"/*.py; do
    grep -q "^PASS  $file:" "$folder/out" || wrong "$file has no call"
done
finish
