#!/bin/sh
# compare.sh TILEC SOURCE - --compare: references, tolerances, what is told of a difference
. "$(dirname "$0")/expect.inc"

cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)
KERNEL

# run WORD... : 20 numbers times 2
run() {
    "$tilec" run "$folder/k.py" --grid 2 n=20 BLOCK=16 factor=2 "$@"
}

# scale WORD... : those of an fp32 array of their own
scale() {
    run x="arange(fp32,20)" out="empty(fp32,20)" "$@"
}

expect 0 out "out: agrees with x*2 in 20 elements; greatest error 0, relative 0" scale --compare "out=x*2"
expect 0 out "out: agrees with interp in 20 elements" scale --compare out=interp
expect 0 out "out: agrees with sim in 20 elements" scale --compare "out=sim"
expect 0 out "out: agrees with cpu in 20 elements" scale --device null --compare out=cpu,inf
expect 0 out "x: agrees with arange(fp32,20) in 20" scale --compare "x=arange(fp32,20)" --compare "out=x+x"
expect 1 out "out: differs from x in 19 of 20 elements (95%), rtol 1e-05, atol 9.5e-05" \
    scale --compare out=x
expect 0 out "" scale --save "out=$folder/r.npy"
expect 0 out "out: agrees with @$folder/r.npy in 20" scale --compare "out=@$folder/r.npy"
expect 0 out "out[1:4:2]: agrees with x[2:8:4] in 2 elements" scale --compare "out[1:4:2]=x[2:8:4]"

# reductions as references
expect 0 out "x: agrees with full(fp32,20,x.mean()) in 20" run x="ones(fp32,20)" out="empty(fp32,20)" --compare "x=full(fp32,20,x.mean())"
expect 1 out "out: differs from sum(x) in 20 of 20" scale --compare "out=sum(x)"

# every array that something happened to; what a run changed is put back before the next one
expect 0 out "out: agrees with interp in 20 elements" scale --compare interp
! grep -q "^x:" "$folder/out" || wrong "an array was told of that nothing happened to"
expect 0 out "no array was changed, neither here nor by interp" \
    "$tilec" run "$folder/k.py" --grid 0 n=20 BLOCK=16 factor=2 x="ones(fp32,20)" out="empty(fp32,20)" \
    --compare interp
expect 0 out "x: agrees with interp in 20 elements" run x="ones(fp32,20)" out=x --compare interp \
    --compare sim --compare x=2 --compare "x=x*2"
expect 0 out "[2. 2." run x="ones(fp32,20)" out=x --compare interp --compare sim --show x

# the worst element by index, and what is beyond the tolerance
expect 1 out "worst: out[1,9] is 38., not 0; greatest error 38, relative 0" \
    run x="arange(fp32,2x10)" out="empty(fp32,2x10)" --compare "out=0"
expect 1 out "differs from x in 9 of 20" scale --compare "out=x,0,10"
expect 1 out "differs from x in 9 of 20" scale --compare "out=x, atol = 10, rtol=0"
expect 1 out "in 10 of 20 elements (50%), rtol 0, atol 10" scale --compare "out=full(fp32,20,19),atol=10,rtol=0"
expect 0 out "agrees" scale --compare "out=x,1"
expect 0 out "agrees" scale --compare "out=x,rtol=min(1,2)"
expect 0 out "agrees" scale --compare "out=x*2.00001"
expect 1 out "differs" scale --compare "out=x*2.0001"
expect 0 out "agrees" scale --compare "out=(x*2.001).to(fp16)"
# integers are compared as such, whatever a double can hold
expect 1 out "differs from x*2+(x==x[7]) in 1 of 20 elements (5%), rtol 0, atol 0" \
    run x="arange(i64,20)+9007199254740992" out="zeros(i64,20)" --compare "out=x*2+(x==x[7])"
expect 1 out "worst: out[7] is 18014398509481998, not 18014398509481999; greatest error 1," \
    run x="arange(i64,20)+9007199254740992" out="zeros(i64,20)" --compare "out=x*2+(x==x[7])"

# NaN is NaN, an infinity is itself
missing() {
    "$tilec" run "$folder/k.py" --grid 2 n=19 BLOCK=16 factor=inf x="full(fp32,20,1)" \
        out="empty(fp32,20)" "$@"
}
expect 0 out "out: agrees with interp in 20 elements; greatest error 0" missing --compare interp
grep -q "; 1 of 20 elements is NaN in both$" "$folder/out" || wrong "no word of the NaN"
expect 0 out '"elements": 20, "wrong": 0, "nan_in_both": 1' missing --compare interp --json
expect 1 out "worst: out[19] is nan, not inf; greatest error inf, relative inf" \
    missing --compare "out=x*inf"
expect 1 out '"wrong": 1, "nan_in_both": 0, "share": 0.05, "max_abs": null, "max_rel": null' \
    missing --json --compare "out=x*inf"
expect 1 out '"worst": {"index": [19], "value": "nan", "reference": "inf"}}]' \
    missing --json --compare "out=x*inf"
expect 0 out '"compare": [{"name": "out", "with": "x*2", "pass": true, "elements": 20, "wrong": 0' \
    scale --json --compare "out=x*2"
expect 0 out "out: agrees with x in 0 elements" "$tilec" run "$folder/k.py" --grid 2 n=0 BLOCK=16 \
    factor=2 x="zeros(fp32,0)" out=x --compare out=x

# devices that agree in nothing but NaN show nothing; whoever wants NaN may say so
cat >"$folder/total.py" <<'KERNEL'
import triton
import triton.language as tl

# tilec: call total --grid 4 x=ones(fp32,4) out=empty(fp32,1)
# tilec: call from-zero --grid 4 x=ones(fp32,4) out=zeros(fp32,1)
@triton.jit
def total(x, out):
    tl.atomic_add(out, tl.load(x + tl.program_id(0)))
KERNEL
nothing="out: 1 of 1 elements is NaN in both: that interp gives the same says nothing"
total() {
    "$tilec" run "$folder/total.py" --grid 4 x="ones(fp32,4)" "$@"
}
expect 0 err "tilec: warning: $nothing" total out="empty(fp32,1)" --compare interp
grep -qF "hint: does the kernel read an array that nobody filled? \`empty\` makes it of NaN; zeros(fp32,1) begins with 0" \
    "$folder/err" || wrong "no hint"
expect 0 out "out: agrees with interp in 1 elements; greatest error 0, relative 0; 1 of 1 elements is NaN in both" \
    total out="empty(fp32,1)" --compare out=interp
expect 0 out "" total out="empty(fp32,1)" --compare out=nan
! grep -q "says nothing" "$folder/err" || wrong "NaN was asked for"
expect 0 out "" total out="zeros(fp32,1)" --compare interp
! grep -q "NaN" "$folder/out" "$folder/err" || wrong "nothing is NaN"
expect 0 out "      $nothing" "$tilec" test "$folder/total.py" --call total
expect 0 out "" "$tilec" test "$folder/total.py" --call from-zero
! grep -q "NaN" "$folder/out" || wrong "nothing is NaN"
expect 0 out '"why": "out: 1 of 1 elements is NaN in both' "$tilec" test "$folder/total.py" --call total --json
cp "$folder/r.npy" "$folder/s.npy"
expect 0 err "r.npy: $nothing" "$tilec" run "$folder/total.py" --grid 1 --each "$folder/[rs].npy" x=@{} out="empty(fp32,1)" \
    --compare interp
# not beside what is not written at all
expect 0 err "none of its 20 elements was written" \
    "$tilec" run "$folder/k.py" --grid 0 n=20 BLOCK=16 factor=2 x="ones(fp32,20)" out="empty(fp32,20)" \
    --compare out=interp
! grep -q "says nothing" "$folder/err" || wrong "told twice"

# mistakes, before anything runs
expect 2 err "--compare needs NAME=VALUE or NAME=DEVICE, not '=3'" scale --compare =3
expect 2 err "'x[0' is no device" scale --compare "x[0"
expect 2 err "--compare needs NAME=VALUE or NAME=DEVICE, not 'out='" scale --compare out=
expect 2 err "'interpp' is no device; did you mean 'interp'?" scale --compare interpp
expect 2 err "--compare ou: there is no such argument; did you mean 'out'?" scale --compare ou=x
expect 2 err "--compare n: it is an integer, not an array" scale --compare n=20
expect 2 err "--compare out: its shape is 20, and that of x[:5] is 5" scale --compare "out=x[:5]"
expect 2 err "--compare out: an array is compared with an array, a number or a device, not a text" \
    scale --compare "out='x'"
expect 2 err "behind the value come only rtol and atol" scale --compare out=x,1,2,3
expect 2 err "behind the value come only rtol and atol" scale --compare out=x,1,rtol=2
expect 2 err "--compare: rtol must be a number of 0 or more, not -1" scale --compare out=x,-1
expect 3 err "none.npy: No such file" scale --compare out=@none.npy
printf -- '--compare out=x+y\n' >"$folder/c.args"
expect 2 err "c.args:1: --compare out: 'y' is not an earlier argument" scale "@$folder/c.args"
finish
