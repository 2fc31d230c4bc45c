#!/bin/sh
# large.sh TILEC SOURCE - arrays of more elements than one part has (parts.c): each part is done, and once
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cat >nothing.py <<'KERNEL'
import triton


@triton.jit
def nothing(x, y=None, z=None): pass
KERNEL

# values OPTION... : nothing is run, arguments are only made
values() {
    "$tilec" run nothing.py --grid 1 -q "$@"
}
n=1000003 # a prime: the last part is no whole one
expect 0 out "i32 $n  min 0  max 1000002  mean 500001" values "x=arange(i32,$n)" --show x
expect 0 out "u16 $n  min 0  max 65535  mean " values "x=arange(u16,$n)" --show x
expect 0 out "fp32 $n  min 0.  max 1000002.  mean 500001  nan 0  inf 0" values "x=arange(fp32,$n)" --show x
expect 0 out "[0. 2. 0. ... 2. 0. 2.]" values "x=(arange(i64,1000002)%2*2).to(fp16)" --show x
expect 0 out "fp16 1000002  min 0.  max 2.  mean 1  nan 0  inf 0" values "x=(arange(i64,1000002)%2*2).to(fp16)" --show x
expect 0 out "i64 $n  min -5  max -5  mean -5" values "x=full(i64,$n,-5)" --show x
expect 0 out "u64 $n  min 18446744073709551615  max 18446744073709551615  mean 1.84467e+19" \
    values "x=full(u64,$n,18446744073709551615)" --show x
expect 0 out "i1 $n  mean 0.999999" values "x=arange(i32,$n)>0" --show x
# NaN and infinity are counted, wherever they stand: 1/0, 0/0
expect 0 out "nan 1  inf 1000002" values "x=arange(fp32,$n)/0" --show x
expect 0 out "fp64 999x999  nan 999  inf 997002" values "x=arange(fp64,(1,999))/zeros(fp64,(999,1))" --show x
# views with gaps
expect 0 out "i32 1000x500  min 1  max 999999  mean 500000" values "x=arange(i32,(1000,1000))[:,1::2]" --show x

# floor division and remainder: Python's, of every type, with one number and with an array
for type in i8 i16 i32 i64 fp32 fp64; do
    for b in 7 -7 1 -1; do
        x="(arange(i64,$n)*16-8000000).to($type)"
        expect 0 err "" values "x=$x" "y=x//($b)*($b)+x%($b)" --compare x=y,0,0
        expect 0 err "" values "x=$x" "y=x//full($type,$n,$b)" z="x//($b)" --compare y=z,0,0
    done
    expect 0 out "i1 $n  mean 1" values "x=(arange(i64,$n)-500000).to($type)%7" "y=(x>=0)&(x<7)" --show y
    expect 0 out "i1 $n  mean 1" values "x=(arange(i64,$n)-500000).to($type)%(-7)" "y=(x<=0)&(x>-7)" --show y
done
for type in u8 u16 u32 u64; do
    expect 0 err "" values "x=arange($type,$n)*37" "y=x//7*7+x%7" --compare x=y,0,0
    expect 0 out "i1 $n  mean 1" values "x=arange($type,$n)%7" "y=x<7" --show y
done
expect 0 out "[-128]" values "x=full(i8,1,-128)" "y=x//(-1)" --show y
expect 0 out "[-9223372036854775808]" values "x=full(i64,1,-9223372036854775808)" "y=x//(-1)" --show y
expect 0 out "[0]" values "x=full(i64,1,-9223372036854775808)" "y=x%(-1)" --show y
expect 2 err "division by zero" values "x=arange(i32,$n)//arange(i32,$n)"

# comparing: in whatever part it is, exactly, and the first of the worst
expect 1 out "x: differs from y in 1 of $n elements" values "x=arange(i64,$n)" "y=x+(x==900001)" --compare x=y,0,0
grep -q "worst: x\[900001\] is 900001, not 900002; greatest error 1," "$folder/out" || wrong "another one"
expect 1 out "worst: x[300000] is 300000., not 300003.; greatest error 3," values "x=arange(fp32,$n)" \
    "y=x+(x==100000)*2+(x==300000)*3+(x==800000)*3" --compare x=y,0,1
expect 1 out "in 2 of $n elements" values "x=arange(fp32,$n)" "y=x+(x==100000)*2+(x==300000)*3+(x==800000)*3" --compare x=y,0,2
expect 1 out "greatest error 1, relative" values "x=full(i64,$n,4611686018427387905)" "y=x-(arange(i64,$n)>1000000)" --compare x=y,0,0
grep -q "in 2 of $n elements" "$folder/out" || wrong "integers of 64 bits are rounded"
expect 0 out "agrees with y in $n elements" values "x=arange(fp32,$n)/0" "y=arange(fp32,$n)/0" --compare x=y

# the same numbers as in an array of few elements, and on any number of threads
for make in "rand(fp32,%d,seed=3)" "randn(fp32,%d,seed=3)" "randint(u8,%d,0,200,seed=3)" "rand(i64,%d,seed=3)" "rand(i1,%d,seed=3)"; do
    large=$(printf "$make" $n) small=$(printf "$make" 70000)
    expect 0 err "" values "x=$large" "y=$small" 'z=x[:70000]' --compare y=z,0,0
done
expect 0 out "" values "x=randn(fp32,$n)" --show x
cp "$folder/out" all
expect 0 out "" taskset -c 0 "$tilec" run nothing.py --grid 1 -q "x=randn(fp32,$n)" --show x
cmp -s "$folder/out" all || wrong "it depends on the number of threads"
finish
