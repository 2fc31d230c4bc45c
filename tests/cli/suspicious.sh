#!/bin/sh
# suspicious.sh TILEC SOURCE - what a run tells of mistakes that the compiler cannot see, and that it is silent else
. "$(dirname "$0")/expect.inc"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def single(x, out):
    i = tl.program_id(0)
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def tickets(counter, out):
    tl.store(out + tl.atomic_add(counter, 1), 1.0)


@triton.jit
def count(counter):
    tl.atomic_add(counter, 1)


@triton.jit
def divide(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)
    tl.store(out + i, a // b, mask=i < n)


@triton.jit
def divide_right(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)
    q = tl.where(b != 0, a // b, 0)
    tl.store(out, tl.sum(q))
    tl.store(out + i, q, mask=i < n)


@triton.jit
def shift(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, 1 << tl.load(x + i))


@triton.jit
def hist(x, h, n, B: tl.constexpr):
    i = tl.arange(0, B)
    b = tl.load(x + i, mask=i < n)
    c = tl.load(h + b, mask=i < n)
    tl.store(h + b, c + 1, mask=i < n)


@triton.jit
def scatter(x, at, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + tl.load(at + i), tl.load(x + i))


@triton.jit
def scatter_all(x, at, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + tl.load(at + i), tl.load(x + i))


@triton.jit
def multiple(x, out, off, B: tl.constexpr):
    off = tl.multiple_of(off, 16)
    i = tl.arange(0, B)
    tl.store(out + off + i, tl.load(x + off + i))


@triton.jit
def contiguous(x, out, n, B: tl.constexpr):
    i = tl.max_contiguous(tl.arange(0, B) % n, B)
    tl.store(out + tl.arange(0, B), tl.load(x + i))


@triton.jit
def assumed(x, out, n, B: tl.constexpr):
    tl.assume(n > 8)
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def total(x, out, n, T: tl.constexpr):
    i = tl.arange(0, 16)
    acc = tl.zeros((16,), T)
    for k in range(n):
        acc += tl.load(x + k * 16 + i).to(T)
    tl.store(out + i, acc)


@triton.jit
def bits(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i) * 1.5
    tl.store(out + i, v.to(tl.int32, bitcast=True) >> 23)


@triton.jit
def add_to(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(out + i) + tl.load(x + i))


@triton.jit
def scratch(x, tmp, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp + i, tl.load(x + i))
    tl.debug_barrier()
    tl.store(out + i, tl.load(tmp + B - 1 - i))


@triton.jit
def after_the_first(tmp, out, B: tl.constexpr):
    i = tl.arange(0, B)
    before = tl.load(tmp, mask=tl.program_id(0) > 0, other=0.0)
    tl.store(tmp, 1.0)
    tl.store(out + i, before)


@triton.jit
def overflow(x, out, T: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.exp(tl.load(x + i).to(T)))


@triton.jit
def marked(x, out, NONE: tl.constexpr):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    if NONE == "nan":
        tl.store(out + i, tl.where(v > 3, v, float("nan")))
    elif NONE == "inf":
        tl.store(out + i, tl.where(v > 3, v, float("inf")))
    else:
        p = tl.make_block_ptr(x, (8,), (1,), (4,), (8,), (0,))
        tl.store(out + i, tl.load(p, boundary_check=(0,), padding_option="nan"))


@triton.jit
def rows(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i // 8 * 12 + i % 8, tl.load(x + i))


@triton.jit
def logarithm(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.log(tl.load(x + i)))


@triton.jit
def best(x, out, n, OTHER: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.argmax(tl.load(x + i, mask=i < n, other=OTHER), axis=0))


@triton.jit
def least(x, out, n, OTHER: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, 2)[:, None]
    i = tl.arange(0, B)[None, :]
    v = tl.load(x + r * 8 + i, mask=(i < n) & (r < 1), other=OTHER)
    tl.store(out + tl.arange(0, 2), tl.min(v, axis=1))


@triton.jit
def stable(x, out, n, OTHER: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=OTHER)
    e = tl.where(i < n, tl.exp(v - tl.max(v)), 0.0)
    tl.store(out + i, e / tl.sum(e), mask=i < n)


@triton.jit
def steepest(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.max(tl.load(x + i) - tl.load(x + i - 1, mask=i > 0, other=0.0)))


@triton.jit
def doubled(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def packed(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v >> 4, mask=i < n)
    tl.store(out + i, (v * 2).to(tl.uint8), mask=i < n)


@triton.jit
def rows_of(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    tl.store(out + r * w + c, tl.load(x + r * w + c, mask=c < w), mask=c < w)


@triton.jit
def strided(x, out, sr, sc, w, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    tl.store(out + r * w + c, tl.load(x + r * sr + c * sc, mask=c < w), mask=c < w)


@triton.jit
def unmasked(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i))


@triton.jit
def up_to(x, out, last, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i <= last), mask=i <= last)


@triton.jit
def half(x, out, s, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i * s, mask=i < n), mask=i < n)


@triton.jit
def normalise(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(out + i, v / tl.sum(v))


@triton.jit
def row_sums(x, out, stride, w, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * stride + i, mask=i < w, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(v, 0))


@triton.jit
def whole(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) * 2)
KERNEL

# quiet COMMAND... : exits with 0 and says nothing on stderr
quiet() {
    expect 0 err "" "$@"
    [ ! -s "$folder/err" ] || wrong "it was not silent: $*"
}

run() {
    kernel=$1
    shift
    "$tilec" run "$folder/k.py:$kernel" "$@"
}

# --- rows and tiles that are not there ---
expect 0 err "it loads 78 elements of \`x\`, which has 72: 8 rows, 10 apart" run row_sums \
    --grid 8 x="ones(fp32,8x9)" out="zeros(fp32,8)" stride=10 w=8 B=16
quiet run row_sums --grid 8 x="ones(fp32,8x10)" out="zeros(fp32,8)" stride=10 w=10 B=16
quiet run row_sums --grid 4 x="ones(fp32,8x10)" out="zeros(fp32,8)" stride=10 w=10 B=16
quiet run row_sums --grid 8 x="ones(fp32,8x16)[:,:10]" out="zeros(fp32,8)" stride=16 w=10 B=16
expect 0 err "it loads 16 elements of \`x\`, which has 12" run whole \
    --grid 1 x="ones(fp32,12)" out="zeros(fp32,16)" B=16
quiet run whole --grid 1 x="ones(fp32,16)" out="zeros(fp32,16)" B=16

# --- grids ---
expect 0 err "the grid is 4x256x1, and kernel \`double\` never uses tl.program_id(1)" run double \
    --grid 4,256 x="ones(fp32,1024)" out="zeros(fp32,1024)" n=1024 B=256
quiet run double --grid 4 x="ones(fp32,1024)" out="zeros(fp32,1024)" n=1024 B=256
quiet run double --grid 4,1,1 x="ones(fp32,1024)" out="zeros(fp32,1024)" n=1024 B=256
quiet run count --grid 64 counter="zeros(i32,1)"
quiet run tickets --grid 8,8 counter="zeros(i32,1)" out="zeros(fp32,64)"
expect 0 err "each of the 20000 programs of kernel \`single\` works on single elements" run single \
    --grid 20000 x="ones(fp32,20000)" out="zeros(fp32,20000)"
quiet run single --grid 100 x="ones(fp32,100)" out="zeros(fp32,100)"
# their operations count
expect 0 out '"flops": 100' run single --grid 100 x="ones(fp32,100)" out="zeros(fp32,100)" --json

# --- strides that the kernel does not know ---
between="x: its strides are (2), and kernel \`double\` takes elements that lie next to each other"
expect 0 err "$between" run double --grid 1 x="ones(fp32,16)[::2]" out="zeros(fp32,8)" n=8 B=8
expect 0 err "x: its strides are (-1), and" run double --grid 1 x="ones(fp32,16)[7::-1]" \
    out="zeros(fp32,8)" n=8 B=8
quiet run double --grid 1 x="ones(fp32,8)" out="zeros(fp32,8)" n=8 B=8
quiet run double --grid 1 x="ones(fp32,16)[8:]" out="zeros(fp32,8)" n=8 B=8
quiet run half --grid 1 x="ones(fp32,16)[::2]" out="zeros(fp32,8)" s=2 n=8 B=8
turned="x: its rows lie 20 elements apart, and kernel \`rows_of\` goes 30 from row to row, as many as it"
expect 0 err "$turned has rows" run rows_of --grid h x="rand(fp32,30x20)" out="zeros(fp32,600)" h=20 w=30 B=32
quiet run rows_of --grid h x="rand(fp32,30x20)" out="zeros(fp32,600)" h=30 w=20 B=32
quiet run rows_of --grid h x="rand(fp32,600)" out="zeros(fp32,600)" h=20 w=30 B=32
quiet run rows_of --grid h x="rand(fp32,30x20)" out="zeros(fp32,30x20)" h=15 w=40 B=64
parts="x: its rows lie 40 elements apart, and kernel \`rows_of\` goes 20 from row to row, as many as it"
expect 0 err "$parts has columns" run rows_of --grid h x="rand(fp32,30x40)[:,:20]" \
    out="zeros(fp32,30x20)" h=30 w=20 B=32
quiet run strided --grid 30 x="rand(fp32,30x40)[:,:20]" out="zeros(fp32,30x20)" sr=40 sc=1 w=20 B=32

# --- elements that share their places ---
together="out: its 8 elements share 1 place of memory, as its strides (0) say, and kernel \`double\` stores to it"
expect 0 err "$together" run double --grid 1 x="ones(fp32,8)" out="strided(zeros(fp32,8),8,0)" n=8 B=8
expect 0 err "out: its 64 elements share 8 places of memory, as its strides (0, 1) say" run double --grid 8 \
    x="ones(fp32,64)" out="strided(zeros(fp32,64),(8,8),(0,1))" n=64 B=8
expect 0 err "out: its 4 elements share 3 places of memory" run double --grid 1 x="ones(fp32,4)" \
    out="strided(zeros(fp32,8),(2,2),(1,1))" n=4 B=4
expect 0 err "x: its strides are (0), and kernel \`double\` takes elements" run double --grid 1 \
    x="strided(ones(fp32,8),8,0)" out="zeros(fp32,8)" n=8 B=8
expect 0 err "it loads 64 elements of \`x\`, which has 8 in memory, each for several" run double --grid 8 \
    x="strided(ones(fp32,64),(8,8),(0,1))" out="zeros(fp32,64)" n=64 B=8
quiet run half --grid 1 x="strided(ones(fp32,8),8,0)" out="zeros(fp32,8)" s=0 n=8 B=8
quiet run strided --grid 8 x="strided(ones(fp32,8),(8,8),(0,1))" out="zeros(fp32,8x8)" sr=0 sc=1 w=8 B=8
quiet run count --grid 4 counter="strided(zeros(i32,1),4,0)"

# --- grids that do not reach all, and arrays that end before ---
expect 0 err "3 programs along axis 0, with 4 elements each, reach 12 of the 14 that its mask lets through, \`n\`" \
    run double --grid 3 x="ones(fp32,14)" out="zeros(fp32,14)" n=14 B=4
quiet run double --grid 4 x="ones(fp32,14)" out="zeros(fp32,14)" n=14 B=4
quiet run double --grid 14 x="ones(fp32,14)" out="zeros(fp32,14)" n=14 B=1
expect 0 err "kernel \`double\`: it loads 32 elements of \`x\`, which has 30" run double --grid 2 \
    x="ones(fp32,32)[:30]" out="zeros(fp32,32)" n=32 B=16
quiet run double --grid 2 x="ones(fp32,5x6)" out="zeros(fp32,30)" n=30 B=16
expect 0 err "kernel \`unmasked\`: it stores to 32 elements of \`out\`, which has 30" run unmasked --grid 2 \
    x="ones(fp32,32)" out="zeros(fp32,32)[:30]" B=16
quiet run unmasked --grid 2 x="ones(fp32,32)" out="zeros(fp32,32)" B=16
expect 0 err "kernel \`up_to\`: it loads 31 elements of \`x\`, which has 30" run up_to --grid 2 \
    x="ones(fp32,32)[:30]" out="zeros(fp32,32)" last=30 B=16
quiet run up_to --grid 2 x="ones(fp32,30)" out="zeros(fp32,30)" last=29 B=16

# pictures that are black, since white is not 1
expect 0 err "o.png: none of its pixels is more than 1, and 255 is white: it is black" run unmasked --grid 2 \
    x="randint(u8,4x8,0,2)" out="zeros(u8,4x8)" B=16 --save out="$folder/o.png"
grep -q "hint: store tl.where(condition, 255, 0)" "$folder/err" || wrong "it does not say what to do"
expect 0 err "hint: store 255 * v in the kernel" run unmasked --grid 2 x="rand(fp32,4x8)" out="zeros(fp32,4x8)" B=16 \
    --save out:u8="$folder/o.pgm"
quiet run unmasked --grid 2 x="randint(u8,4x8,0,9)" out="zeros(u8,4x8)" B=16 --save out="$folder/o.png"
quiet run unmasked --grid 2 x="zeros(u8,4x8)" out="ones(u8,4x8)" B=16 --save out="$folder/o.png" --save x="$folder/x.png"
quiet run unmasked --grid 2 x="randint(u8,4x8,0,2)" out="zeros(u8,4x8)" B=16 --save out="$folder/o.npy"

# a limit that is a float is told once, whatever it limits
expect 0 err "\`n\` is a float, fp32, and numbers of elements are compared with it" run double --grid 2 \
    x="ones(fp32,30)" out="zeros(fp32,30)" n=60/2 B=16
[ "$(grep -c 'warning:' "$folder/err")" = 1 ] || wrong "it is not told once"

# --- what `empty` leaves, and results that are all NaN ---
expect 0 err "counter: the kernel reads and changes what \`empty\` leaves there, which is undefined" \
    run count --grid 4 counter="empty(i32,1)"
expect 0 err "x: the kernel reads what \`empty\` leaves there" run normalise --grid 1 \
    x="empty(fp32,8)" out="empty(fp32,8)" B=8
expect 0 err "hint: zeros(fp32,8) begins with 0" run add_to --grid 1 x="ones(fp32,8)" \
    out="empty(fp32,8)" B=8
quiet run add_to --grid 1 x="ones(fp32,8)" out="zeros(fp32,8)" B=8
quiet run scratch --grid 1 x="ones(fp32,8)" tmp="empty(fp32,8)" out="empty(fp32,8)" B=8
quiet run after_the_first --grid 1 tmp="empty(fp32,1)" out="empty(fp32,8)" B=8
expect 0 err "out: all of its 8 elements are NaN" run normalise --grid 1 x="zeros(fp32,8)" \
    out="zeros(fp32,8)" B=8
quiet run normalise --grid 1 x="ones(fp32,8)" out="zeros(fp32,8)" B=8
quiet run normalise --grid 1 x="full(fp32,8,nan)" out="zeros(fp32,8)" B=8
# some of them, and what overflows; not what follows from what came in, nor log(0)
expect 0 err "out: 1 of 8 elements is NaN, the first is out[0]" run logarithm --grid 1 \
    x="arange(fp32,8)-0.5" out="zeros(fp32,8)" B=8
quiet run logarithm --grid 1 x="arange(fp32,8)" out="zeros(fp32,8)" B=8
expect 0 err "out: 7 of 16 elements are infinite, the first is out[1,1]" run overflow --grid 1 \
    x="arange(fp32,16)*10" out="zeros(fp32,2x8)" T=fp32 B=16
for none in nan inf pad; do # which the kernel makes on purpose
    quiet run marked --grid 1 x="arange(fp32,8)" out="zeros(fp32,8)" NONE="'$none'"
    quiet run marked --grid 1 x="arange(fp32,8)" out="empty(fp32,8)" NONE="'$none'"
done
quiet run rows --grid 1 x="arange(fp32,16)" out="empty(fp32,2x12)[:,:8]" # gaps are nobody's
expect 0 err "out: 7 of 16 elements are infinite, the first is out[1,1]" run overflow --grid 1 \
    x="arange(fp32,16)*10" out="zeros(fp32,2x8)" T=fp32 B=16
grep -q "hint: fp16 ends at 65504" "$folder/err" || wrong "it does not say why"
expect 0 err "out: all of its 8 elements are infinite" run overflow --grid 1 x="full(fp32,8,20.0)" \
    out="zeros(fp16,8)" T=fp32 B=8
quiet run overflow --grid 1 x="full(fp32,8,inf)" out="zeros(fp32,8)" T=fp32 B=8
quiet run overflow --grid 1 x="arange(fp32,8)*10" out="zeros(fp32,8)" T=fp32 B=8

# --- what the kernel's own roundings cost ---
expect 1 out "units of fp16" run total --quiet --grid 1 x="rand(fp16,16000)" out="empty(fp16,16)" \
    n=1000 T=fp16 --compare fp64
grep -q "out: differs from fp64 in" "$folder/out" || wrong "an accumulator of fp16 is right"
expect 0 out "out: agrees with fp64 in 16 elements; greatest error 0, relative 0, 0 units of fp16" \
    run total --grid 1 x="rand(fp16,16000)" out="empty(fp16,16)" n=1000 T=fp32 --compare out=fp64
# bits are those of the type that was written
expect 0 out "out: agrees with fp64 in 64 elements; greatest error 0, relative 0, 0 units of i32" \
    run bits --grid 1 x="randn(fp32,64)" out="empty(i32,64)" B=64 --compare fp64
expect 0 out '"max_units": 0' run total --grid 1 x="rand(fp16,16000)" out="empty(fp16,16)" n=1000 \
    T=fp32 --compare fp64 --json

# quotients that lie between two integers are rounded the other way now and then
expect 0 out "q: agrees with fp64 in 14000 elements; greatest error 1" "$tilec" run \
    "$source/tests/cli/planted_scaled.py:quant_rows" --grid 200 N=70 x="randn(fp16,200x70)" \
    q="empty(i8,200x70)" s="empty(fp32,200)" BLOCK=128 --compare fp64

# --- with --check: what is computed, promised and shared ---
for device in cpu interp sim; do
    checked() {
        kernel=$1
        shift
        run "$kernel" --grid 1 --check --device $device "$@"
    }
    expect 1 err "k.py:31:23: error: a division of integers by zero" checked divide x="arange(i32,16)" \
        y="arange(i32,16)" out="zeros(i32,16)" n=16 B=16
    # lanes that are masked off or passed over divide as they like
    quiet checked divide x="arange(i32,16)" y="arange(i32,16)+1" out="zeros(i32,16)" n=10 B=16
    quiet checked divide_right x="arange(i32,16)" y="arange(i32,16)" out="zeros(i32,16)" n=10 B=16
    expect 1 err "error: a shift by as many bits as there are" checked shift x="arange(i32,64)" \
        out="zeros(i32,64)" n=10 B=64
    quiet checked shift x="arange(i32,64)" out="zeros(i32,64)" n=10 B=32
    expect 1 err "error: this is no multiple of 16" checked multiple x="arange(fp32,64)" \
        out="zeros(fp32,64)" off=8 B=16
    quiet checked multiple x="arange(fp32,64)" out="zeros(fp32,64)" off=32 B=16
    expect 1 err "error: these are not as contiguous as tl.max_contiguous says" checked contiguous \
        x="arange(fp32,64)" out="zeros(fp32,64)" n=8 B=16
    quiet checked contiguous x="arange(fp32,64)" out="zeros(fp32,64)" n=16 B=16
    expect 1 err "error: this assumption does not hold" checked assumed x="arange(fp32,64)" \
        out="zeros(fp32,64)" n=8 B=16
    quiet checked assumed x="arange(fp32,64)" out="zeros(fp32,64)" n=9 B=16
    wins="a lane that the mask of the load leaves out wins here"
    expect 1 err "error: $wins" checked best x="-ones(fp32,8)" out="zeros(i32,1)" n=6 OTHER=0.0 B=8
    quiet checked best x="-ones(fp32,8)" out="zeros(i32,1)" n=6 OTHER=-2.0 B=8
    quiet checked best x="ones(fp32,8)" out="zeros(i32,1)" n=6 OTHER=0.0 B=8
    quiet checked least x="full(fp32,2x8,nan)" out="zeros(fp32,2)" n=6 OTHER=0.0 B=8
    quiet checked best x="-ones(fp32,8)" out="zeros(i32,1)" n=0 OTHER=0.0 B=8
    expect 1 err "error: $wins" checked least x="ones(fp32,2x8)" out="zeros(fp32,2)" n=6 OTHER=0.0 B=8
    quiet checked least x="ones(fp32,2x8)" out="zeros(fp32,2)" n=8 OTHER=0.0 B=8
    quiet checked least x="-ones(fp32,2x8)" out="zeros(fp32,2)" n=6 OTHER=0.0 B=8
    quiet checked stable x="-ones(fp32,8)" out="zeros(fp32,8)" n=6 OTHER=0.0 B=8
    # the first element is there; what it has no neighbour for is the kernel's to say
    quiet checked steepest x="-arange(fp32,8)-1" out="zeros(fp32,1)" B=8
    expect 1 err "error: this does not fit in uint8, and loses its high bits" checked doubled \
        x="arange(i32,200)" out="zeros(u8,200)" n=200 B=256
    quiet checked doubled x="arange(i32,200)" out="zeros(u8,200)" n=128 B=256
    quiet checked doubled x="-arange(i32,200)" out="zeros(i8,200)" n=65 B=256
    expect 1 err "error: this is infinite in fp16, which ends at 65504" checked rows_of \
        x="arange(fp32,8)*10000" out="zeros(fp16,8)" h=1 w=8 B=8
    quiet checked rows_of x="arange(fp32,8)*9000" out="zeros(fp16,8)" h=1 w=8 B=8
    quiet checked rows_of x="full(fp32,8,inf)" out="zeros(fp16,8)" h=1 w=8 B=8
    quiet checked rows_of x="arange(fp32,8)*10000" out="zeros(bf16,8)" h=1 w=8 B=8
    quiet checked packed x="arange(i32,200)*77" out="zeros(u8,200)" n=200 B=256
    [ "$device" != cpu ] || continue # programs that race there would be taken for lanes
    expect 1 err "error: another lane of this store has the same address: what both add counts once" \
        checked hist x="(arange(i32,8)*5)%7" h="zeros(i32,16)" n=8 B=8
    quiet checked hist --quiet x="(arange(i32,8)*5)%7" h="zeros(i32,16)" n=7 B=8
    expect 1 err "error: another lane of this store, or another program, has the same address and" \
        checked scatter x="arange(fp32,8)" at="(arange(i32,8)*5)%7" out="zeros(fp32,16)" n=7 B=8
    quiet checked scatter x="arange(fp32,8)" at="(arange(i32,8)*5)%8" out="zeros(fp32,16)" n=7 B=8
    # what programs store alike is no race, and what they store at one place else is one of the stores
    quiet run scatter_all --grid 2 --check --device $device x="ones(fp32,16)" at="arange(i32,16)%8" out="zeros(fp32,8)" B=8
    expect 1 err "error: race: store to out[0], which program (0, 0, 0) changes" run scatter_all --grid 2 --check \
        --device $device x="arange(fp32,16)+1" at="arange(i32,16)%8" out="zeros(fp32,8)" B=8
done

# what is looked for in kernels that repeat themselves takes seconds at most: an index of 40 dimensions took a minute,
# 64 columns made orthogonal, one behind the other, 1 GB
cat >"$folder/repeated.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def dimensions(x, sizes, out, N: tl.constexpr, B: tl.constexpr):
    rest = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.zeros((B,), dtype=tl.int64)
    for d in tl.static_range(N):
        at += rest % tl.load(sizes + d) * tl.load(sizes + N + d)
        rest = rest // tl.load(sizes + d)
    tl.store(out + at, tl.load(x + at))


@triton.jit
def orthogonal(x, out, N: tl.constexpr):
    rows, columns = tl.arange(0, 64), tl.arange(0, 64)
    v = tl.load(x + rows[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
    for c in tl.static_range(N):
        last = tl.sum(tl.where(columns[None, :] == c, v, 0.0), axis=1)
        for p in tl.static_range(c):
            one = tl.sum(tl.where(columns[None, :] == p, v, 0.0), axis=1)
            last -= one * tl.sum(one * last, axis=0)
        v = tl.where(columns[None, :] == c, last[:, None], v)
    tl.store(out + rows[:, None] * N + columns[None, :], v, mask=columns[None, :] < N)
KERNEL
soon() {
    kernel=$1
    shift
    (ulimit -t 4 && exec "$tilec" dump "$folder/repeated.py:$kernel" --stage ir 'x:*fp32' 'out:*fp32' "$@")
}
expect 0 out "store" soon dimensions 'sizes:*i32' N=40 B=64
expect 0 out "store" soon orthogonal N=60

finish
