#!/bin/sh
# hint.sh TILEC SOURCE - `run --time` names the block size that would make short rows longer, and is silent else
. "$(dirname "$0")/expect.inc"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def scale(o, x, h, w, H: tl.constexpr = 2, W: tl.constexpr = 4):
    r = tl.program_id(1) * H + tl.arange(0, H)[:, None]
    c = tl.program_id(0) * W + tl.arange(0, W)[None, :]
    m = (r < h) & (c < w)
    tl.store(o + r * w + c, 2 * tl.load(x + r * w + c, mask=m), mask=m)


@triton.jit
def product(a, b, o, n, H: tl.constexpr, W: tl.constexpr):
    r = tl.program_id(1) * H + tl.arange(0, H)[:, None]
    c = tl.program_id(0) * W + tl.arange(0, W)[None, :]
    s = tl.zeros([H, W], tl.float32)
    for k in range(0, n, 32):
        x = tl.load(a + r * n + k + tl.arange(0, 32)[None, :])
        y = tl.load(b + (k + tl.arange(0, 32)[:, None]) * n + c)
        s = tl.dot(x, y, s)
    tl.store(o + r * n + c, s)


@triton.jit
def transpose(o, x, h, w, H: tl.constexpr, W: tl.constexpr):
    r = tl.program_id(1) * H + tl.arange(0, H)[:, None]
    c = tl.program_id(0) * W + tl.arange(0, W)[None, :]
    m = (r < h) & (c < w)
    tl.store(o + c * h + r, tl.load(x + r * w + c, mask=m), mask=m)


@triton.jit
def rows(o, x, w, W: tl.constexpr):
    sum = tl.zeros((W,), tl.float32)
    for k in range(0, w, W):
        c = k + tl.arange(0, W)
        sum += tl.load(x + tl.program_id(0) * w + c, mask=c < w, other=0)
    tl.store(o + tl.program_id(0), tl.sum(sum))


@triton.jit
def box(o, x, h, w, R: tl.constexpr = 1, H: tl.constexpr = 2, W: tl.constexpr = 1):
    r = tl.program_id(1) * H + tl.arange(0, H)[:, None]
    c = tl.program_id(0) * W + tl.arange(0, W)[None, :]
    sum = tl.zeros((H, W), tl.float32)
    for dy in tl.static_range(-R, R + 1):
        for dx in tl.static_range(-R, R + 1):
            i, j = r + dy, c + dx
            inside = (i >= 0) & (i < h) & (j >= 0) & (j < w)
            sum += tl.load(x + i * w + j, mask=inside, other=0)
    tl.store(o + r * w + c, sum, mask=(r < h) & (c < w))


@triton.jit
def powers(o, x, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i, mask=i < n)
    rounds = N
    for k in range(rounds):
        v *= v
    tl.store(o + i, v, mask=i < n)


@triton.jit
def blocks(o, x, n, w, N: tl.constexpr):
    sum = tl.zeros((N,), tl.float32)
    for k in range(tl.cdiv(w, N)):
        c = k * N + tl.arange(0, N)
        sum += tl.load(x + tl.program_id(0) * w + c, mask=c < w, other=0)
    tl.store(o + tl.program_id(0), tl.sum(sum))
KERNEL

# tiles H W OPTION... : scale or transpose, in `kernel`, on 100 x `width`
width=300
kernel=scale
tiles() {
    h=$1 w=$2
    shift 2
    "$tilec" run "$folder/k.py:$kernel" --grid 'cdiv(w,W),cdiv(h,H)' x="rand(fp32,100x$width)" \
        o='empty_like(x)' h=100 w=$width H=$h W=$w --time=2 "$@"
}
quiet() {
    expect 0 out "GB/s" "$@"
    ! grep -q "hint:" "$folder/out" || wrong "a hint: $*"
}

# more than twice the time on any machine with vectors of 4 or more lanes: elements one by one
for tile in "2 1" "16 1" "1 1"; do
    expect 0 out "hint: tiles have rows of 1 element for vectors of " tiles ${tile% *} ${tile#* }
    grep -qE "^hint: .*: W=(16|32|64) should take less than half the time" "$folder/out" || wrong "which W?"
done
expect 0 out '"hint": "tiles have rows of 1 element' tiles 4 1 --json
# of a default, too; in a loop; with --profile
expect 0 out "hint: tiles have rows of 1 element" "$tilec" run "$folder/k.py:scale" --grid 'cdiv(w,W),h' --time=2 \
    x='rand(fp32,100x300)' o='empty_like(x)' h=100 w=300 H=1 W=1
expect 0 out "hint: tiles have rows of 1 element" "$tilec" run "$folder/k.py:rows" --grid 100 --time=2 \
    x='rand(fp32,100x300)' o='empty(fp32,100)' w=300 W=1

# a product that uses what it loads for few rows or columns: what loads it counts as well
product() {
    set -- "$tilec" run "$folder/k.py:product" --grid 'cdiv(n,W),cdiv(n,H)' --time=2 n=256 a='rand(fp32,256x256)' \
        b='rand(fp32,256x256)' o='zeros(fp32,256x256)' H="$1" W="$2"
    "$@"
}
few="1 64,2 128"
grep -q avx2 /proc/cpuinfo && few="$few,4 64,4 16"
oldifs=$IFS
IFS=,
for tile in $few; do
    IFS=$oldifs
    expect 0 out "should take less than half the time" product ${tile% *} ${tile#* }
    grep -qE "^hint: .*: H=(16|32|64) should" "$folder/out" || wrong "which H?"
done
IFS=$oldifs
for tile in "64 1" "64 2" "16 1"; do
    expect 0 out "should take less than half the time" product ${tile% *} ${tile#* }
    grep -qE "^hint: .*: W=(16|32|64) should" "$folder/out" || wrong "which W?"
done

# long rows; those that nothing makes longer; accesses of which one is contiguous; not timed
quiet tiles 1 64
quiet product 64 64
quiet product 16 64
quiet tiles 8 32
width=1
quiet tiles 64 1
width=300
kernel=transpose
quiet tiles 16 1
quiet tiles 4 4
kernel=scale
quiet "$tilec" run "$folder/k.py:rows" --grid 100 --time=2 x='rand(fp32,100x2)' o='empty(fp32,100)' w=2 W=2
expect 0 out "" "$tilec" run "$folder/k.py:scale" --grid 'cdiv(w,W),h' x='rand(fp32,9x9)' o=x h=9 w=9 H=1 W=1
silent

# a radius is no block, however much it would make of the work; a block that bounds a loop is none either,
# but one that divides its bound is; what is long to compile is not compiled again
window() {
    "$tilec" run "$folder/k.py:box" --grid 'cdiv(w,W),cdiv(h,H)' x='rand(fp32,20x300)' o='empty_like(x)' h=20 w=300 \
        --time=1 "$@"
}
names() {
    name=$1
    shift
    expect 0 out "hint: tiles have rows of 1 element for vectors of " "$@"
    grep -qE "^hint: .*: $name=(16|32|64|128|256) should" "$folder/out" || wrong "which $name?"
}
names W window
names W window R=4
[ -z "${TILEC_THOROUGH:-}" ] || quiet window R=8 # seconds
seconds() { # of the CPU, at most
    (ulimit -t "$1" && shift && exec "$@")
}
names COLUMNS seconds 5 "$tilec" run "$source/examples/dilate.py" --grid 'cdiv(width,COLUMNS),cdiv(height,ROWS)' \
    x='randint(u8,256x256,0,255)' o='empty_like(x)' height=256 width=256 ROWS=1 COLUMNS=1 --time=1
quiet "$tilec" run "$folder/k.py:powers" --grid 'cdiv(n,N)' n=300 x='rand(fp32,n)' o='empty(fp32,n)' N=1 --time=1
names N "$tilec" run "$folder/k.py:blocks" --grid n n=10 w=300 x='rand(fp32,10x300)' o='empty(fp32,n)' N=1 --time=1

# visible where it comes from
expect 0 out "hint: rows of 1 in vectors of " "$tilec" dump "$folder/k.py:scale" --stage plan x:*fp32 o:*fp32 h:i32 \
    w:i32 H=8 W=1
expect 0 out 'nest [2,256]' "$tilec" dump "$folder/k.py:scale" --stage plan x:*fp32 o:*fp32 h:i32 w:i32 H=8 W=64
! grep -q "^hint" "$folder/out" || wrong "long rows have a hint"

# a loop that is unrolled until compiling takes more than a second is named, and only then
cat >"$folder/u.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def blur(x, o, h, w, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    s = tl.zeros([B], tl.float32)
    for dy in tl.static_range(-R, R + 1):
        for dx in tl.static_range(-R, R + 1):
            y = tl.minimum(tl.maximum(r + dy, 0), h - 1)
            z = tl.minimum(tl.maximum(c + dx, 0), w - 1)
            s += tl.load(x + y * w + z, mask=c < w, other=0.0)
    tl.store(o + r * w + c, s, mask=c < w)
KERNEL
for radius in 3 ${TILEC_THOROUGH:+15}; do
    expect 0 out '"emit_s": ' env TILEC_CACHE_DIR= "$tilec" run "$folder/u.py" --grid 64,1 --json \
        x='rand(fp32,64x256)' o='zeros(fp32,64x256)' h=64 w=256 R=$radius B=256
    took=$(sed 's/.*"emit_s": \([0-9.e-]*\).*/\1/' "$folder/out")
    told=$(grep -c "u.py:10:15: warning: compiling took .* this loop is unrolled $((2 * radius + 1)) times" "$folder/err")
    awk "BEGIN { exit !($told == ($took > 1)) }" || wrong "$took s of compiling, and $told warnings"
done

# and one that is unrolled beyond what is compiled is where the error stands
cat >"$folder/p.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def prints(x, N: tl.constexpr):
    for i in tl.static_range(N):
        print("x", tl.load(x))
KERNEL
expect 1 err "p.py:7:14: error: this kernel is too long: with 20000 rounds of this loop" \
    "$tilec" dump "$folder/p.py" --stage asm x:*fp32 N=20000
finish
