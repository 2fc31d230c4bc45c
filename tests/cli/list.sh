#!/bin/sh
# list.sh TILEC SOURCE - `tilec list`: parameters, calls, examples that run
. "$(dirname "$0")/expect.inc"
cd "$source" || exit 1

add=kernels/add.py
expect 0 out "kernels/add.py:19: add_kernel" "$tilec" list "$add"
expect 0 out "  out    array, written" "$tilec" list "$add"
expect 0 out "  n      size" "$tilec" list "$add"
expect 0 out "  BLOCK  constant  : tl.constexpr" "$tilec" list "$add"
expect 0 out "  calls: add, mixed, in-place" "$tilec" list "$add"
expect 0 out "matmul.py:25: leaky_relu  (a function of others)" "$tilec" list kernels/matmul.py
expect 0 out "stride_bn   stride of b" "$tilec" list kernels/matmul.py
expect 0 out 'ACTIVATION  constant  : tl.constexpr = ""' "$tilec" list kernels/matmul.py:matmul_kernel
! grep -q leaky "$folder/out" || wrong "not only the kernel that was asked for"
expect 0 out '[{"kernel": "add_kernel", "file": "kernels/add.py", "line": 19, "helper": false' \
    "$tilec" list "$add" --json
expect 0 out '{"name": "out", "role": "array, written", "annotation": null, "default": null, "example": null, "constexpr": false}' \
    "$tilec" list "$add" --json
expect 0 out '"calls": ["add", "mixed", "in-place"], "grid": null, "example": "tilec run kernels/add.py:add_kernel --call add"' \
    "$tilec" list "$add" --json
cat >"$folder/plain.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
KERNEL
expect 0 out '{"name": "out", "role": "array, written", "annotation": null, "default": null, "example": "empty(fp32,65536)", "constexpr": false}' \
    "$tilec" list "$folder/plain.py" --json
expect 0 out '"grid": "cdiv(n,BLOCK)"' "$tilec" list "$folder/plain.py" --json
cat >"$folder/methods.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.aggregate
class Pair:
    a: tl.tensor
    b: tl.tensor

    @triton.jit
    def __init__(self, a, b):
        self.a = a
        self.b = b

    @triton.jit
    def both(self):
        return self.a + self.b

    @staticmethod
    @triton.jit
    def put(x):
        tl.store(x, 1.0)

@triton.jit
def only(out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, Pair(i, i).both())
KERNEL
expect 0 out "methods.py:10: __init__  (a function of others)" "$tilec" list "$folder/methods.py"
expect 2 err "Write $folder/methods.py:NAME; it has put, only" "$tilec" run "$folder/methods.py" --grid 1
sed '/@staticmethod/,/tl.store/d' "$folder/methods.py" >"$folder/one.py"
expect 0 out "[0 2 4 6]" "$tilec" run "$folder/one.py" --grid 1 --show out out="empty(i32,4)" N=4
expect 2 err "kernels/add.py has no kernel 'adder'" "$tilec" list "$add:adder"
expect 1 err "there is no function with @triton.jit in this file" "$tilec" list bench/gpu.py
expect 3 err "none.py: No such file" "$tilec" list none.py
expect 2 err "there is no option '--grid' here" "$tilec" list "$add" --grid 1
expect 2 err "FILE.py[:KERNEL] is missing" "$tilec" list

# what cannot be guessed is said: arrays in arrays, a loop, a text that the kernel wants
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": 32}),
                          triton.Config({"B": 64})], key=["n"])
@triton.jit
def gather(src, at, dst, n, lock, eps: tl.float32, B: tl.constexpr, flag=True, half: tl.constexpr = 2):
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = tl.load(at + i, mask=i < n)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.atomic_xchg(lock, 0)
    tl.store(dst + i, tl.load(src + k) + eps, mask=i < n)

@triton.jit
def embedding(ids_ptr, table_ptr, out_ptr, n_ids, dim: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    row = tl.load(table_ptr + tl.load(ids_ptr + pid) * dim + offs, mask=offs < dim)
    tl.store(out_ptr + pid * dim + offs, row, mask=offs < dim)

@triton.jit
def dilate(src, dst, h, w, R: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    x = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    best = tl.zeros((BH, BW), tl.float32)
    for dy in tl.static_range(-R, R + 1):
        ok = (y + dy >= 0) & (y + dy < h) & (x < w)
        best = tl.maximum(best, tl.load(src + (y + dy) * w + x, mask=ok, other=0))
    tl.store(dst + y * w + x, best, mask=(y < h) & (x < w))

@triton.jit
def losses(logits_ptr, labels_ptr, loss_ptr, stride, n_classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels_ptr + row)
    tl.store(loss_ptr + row, tl.load(logits_ptr + row * stride + label))

@triton.jit
def waits(flag):
    while tl.load(flag, volatile=True) > -100.0:
        pass

@triton.jit
def picky(x, MODE: tl.constexpr):
    tl.static_assert(MODE * 2 == 14, "no such mode")
    tl.store(x, 1.0)
KERNEL
expect 0 out "  @triton.autotune(configs=[triton.Config({\"B\": 32}), triton.Config({\"B\": 64})], key=[\"n\"]) @triton.jit" \
    "$tilec" list "$folder/k.py:gather"
expect 0 out "  eps     : tl.float32" "$tilec" list "$folder/k.py:gather"
expect 0 out "  configurations: 2, of which a call takes the first: B=32" "$tilec" list "$folder/k.py:gather"
expect 0 out "  lock  array, written by atomics" "$tilec" list "$folder/k.py:gather"
expect 0 out "at='randint(i32,65536,0,65536)'" "$tilec" list "$folder/k.py:gather"
expect 0 out "lock='zeros(i32," "$tilec" list "$folder/k.py:gather"
! grep -v configurations: "$folder/out" | grep -qE "no call was found| B=| flag=| half=" || wrong "the example of gather"
expect 0 out "  no call was found that runs: $folder/k.py:45:5: error: static assertion failed" \
    "$tilec" list "$folder/k.py:picky"

[ -z "${TILEC_THOROUGH:-}" ] || expect 0 out "  no call was found that runs: it runs for more than 2 s" \
    "$tilec" list "$folder/k.py:waits"
expect 0 out "--grid 64 ids_ptr='randint(i32," "$tilec" list "$folder/k.py:embedding"
expect 0 out "--grid 'cdiv(h,BH),cdiv(w,BW)' src='randn(fp32,64x64)' dst='empty(fp32,64x64)' h=64 w=64 R=2 " \
    "$tilec" list "$folder/k.py:dilate"
for kernel in embedding dilate losses; do
    expect 0 out "$kernel" "$tilec" list "$folder/k.py:$kernel"
    ! grep -q "no call was found" "$folder/out" || wrong "the example of $kernel"
done

# the roles of parameters and the axes of the grid, as far as the kernel's text tells them
cat >"$folder/g.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def flash(Q, K, O, H, N_CTX, stride_qh, stride_qm, stride_kh, stride_kn, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m = tl.program_id(0)
    h = tl.program_id(1)
    q_blk = tl.make_block_ptr(base=Q + h * stride_qh, shape=(N_CTX, D), strides=(stride_qm, 1), offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, D), order=(1, 0))
    k_blk = tl.make_block_ptr(base=K + h * stride_kh, shape=(N_CTX, D), strides=(stride_kn, 1), offsets=(0, 0), block_shape=(BLOCK_N, D), order=(1, 0))
    o_blk = tl.make_block_ptr(base=O + h * stride_qh, shape=(N_CTX, D), strides=(stride_qm, 1), offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, D), order=(1, 0))
    q = tl.load(q_blk, boundary_check=(0,))
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    for n in range(0, N_CTX, BLOCK_N):
        k = tl.load(k_blk, boundary_check=(0,))
        s = tl.dot(q, tl.trans(k))
        acc += tl.dot(s, k)
        k_blk = tl.advance(k_blk, (BLOCK_N, 0))
    tl.store(o_blk, acc, boundary_check=(0,))

@triton.jit
def rms(X, Y, RSTD, X_row_stride, Y_row_stride, RSTD_row_stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    X += row * X_row_stride
    Y += row * Y_row_stride
    RSTD += row * RSTD_row_stride
    x = tl.load(X + c, mask=c < n_cols, other=0.0)
    r = 1 / tl.sqrt(tl.sum(x * x) / n_cols + eps)
    tl.store(RSTD, r)
    tl.store(Y + c, x * r, mask=c < n_cols)

@triton.jit
def segsum(x, offsets, o, D: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    lo = tl.load(offsets + b)
    hi = tl.load(offsets + b + 1)
    d = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for i in range(lo, hi):
        acc += tl.load(x + i * D + d, mask=d < D, other=0.)
    tl.store(o + b * D + d, acc, mask=d < D)

@triton.jit
def desc(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    a = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    b = tl.make_tensor_descriptor(y, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    b.store([m, n], a.load([m, n]) * 2)

@triton.jit
def hostdesc(desc_in, desc_out, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    desc_out.store([m, n], desc_in.load([m, n]) * 2)

@triton.jit
def seg(x, o, n, REDUCE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.)
    if REDUCE == "sum":
        tl.atomic_add(o, tl.sum(v))
    elif REDUCE == "max":
        tl.atomic_max(o, tl.max(v))
    else:
        tl.static_assert(False, "no such reduction")

@triton.jit
def shifted(x, o, height, width, dy, dx, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    c = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    ok = (r < height) & (c < width)
    src = ((r + dy) % height) * width + (c + dx) % width
    tl.store(o + r * width + c, tl.load(x + src, mask=ok, other=0), mask=ok)

def _body(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)

k4 = triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])(triton.jit(_body))

@triton.jit
def packed(q, o, n, shift, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(q + i, mask=i < n, other=0)
    tl.store(o + i, v >> shift, mask=i < n)
KERNEL
of_g() { # NAME TEXT: a line of what is listed; and the example runs
    expect 0 out "$2" "$tilec" list "$folder/g.py:$1"
    ! grep -q "no call was found" "$folder/out" || wrong "the example of $1"
}
of_g flash "  Q          array, read"
grep -qE "^  Q +array, read$" "$folder/out" || wrong "Q is not written"
of_g flash "--grid 'cdiv(N_CTX,BLOCK_M),64' Q='randn(fp32,64x64x64)'"
of_g flash "  O          array, written"
of_g rms "RSTD_row_stride='RSTD.stride(0)'"
of_g segsum "x='randn(fp32,64x64)' offsets='arange(i32,65)' o='empty(fp32,4096)'"
of_g desc "--grid 'cdiv(M,BM),cdiv(N,BN)' x='randn(fp32,64x64)' y='empty(fp32,64x64)' M=64 N=64 BM=64 BN=64"
of_g hostdesc "desc_in='descriptor(randn(fp32,64x64),(64,64))' desc_out='descriptor(empty(fp32,64x64),(64,64))' BM=64 BN=64"
of_g seg "REDUCE=\"'sum'\""
of_g shifted "--grid 'cdiv(width,COLUMNS),cdiv(height,ROWS)'"
of_g packed "q='randint(i32,65536,0,65536)' o='empty(fp32,65536)' n='q.numel()' shift=1 "
grep -v "tilec: call" kernels/matmul.py >"$folder/matmul.py"
expect 0 out "b='randn(fp32,64x64)' c='empty(fp32,64x64)' M=64" "$tilec" list "$folder/matmul.py:matmul_kernel"
of_g k4 '  k4 = triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])(triton.jit(_body))'
expect 0 out "--grid 'cdiv(width,COLUMNS),cdiv(height,ROWS),16'" "$tilec" list examples/dilate.py

# what returns a value is no kernel
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef soft(x): return x + 1\n@triton.jit\ndef one(x): tl.store(x, 1.0)\n' >"$folder/one.py"
expect 0 out "x: fp32 1  min 1.  max 1." "$tilec" run "$folder/one.py" --grid 1 x='zeros(fp32,1)' --show x
printf '@triton.jit\ndef two(x): tl.store(x, 2.0)\n' >>"$folder/one.py"
expect 2 err "one.py:NAME; it has one, two" "$tilec" run "$folder/one.py" --grid 1 x='zeros(fp32,1)'

printf '@triton.jit\ndef f(x, y=: tl.store(x, 1)\n' >"$folder/broken.py"
expect 0 out "  cannot be called: $folder/broken.py:2:" "$tilec" list "$folder/broken.py"

# kernels of many kinds: each example runs, writes all of its outputs, and says what is what
listed=tests/cli/listed.py
expect 0 out "" "$tilec" list "$listed"
cp "$folder/out" "$folder/listed"
[ -z "${TILEC_THOROUGH:-}" ] || expect 0 out "" "$tilec" list tests/cli/listed_long.py
[ -z "${TILEC_THOROUGH:-}" ] || cat "$folder/out" >>"$folder/listed"
[ "$(grep -c '^  example: ' "$folder/listed")" = $((29 + ${TILEC_THOROUGH:+4}+0)) ] || wrong "examples of listed.py"
! grep -q "leaves unwritten" "$folder/listed" || wrong "an example of listed.py leaves something unwritten"
sed -n 's/^  example: tilec //p' "$folder/listed" >"$folder/examples"
every=3 # of the examples one runs, see docs/testing.md
[ -z "${TILEC_THOROUGH:-}" ] || every=1
awk -v every=$every 'NR % every == 0' "$folder/examples" >"$folder/some"
while read -r words; do
    eval "expect 0 out '' \"\$tilec\" $words --check"
done <"$folder/some"
of_listed() { # KERNEL TEXT
    grep "example: .*:$1 " "$folder/listed" | grep -qF -- "$2" || wrong "$1: $2"
}
of_listed stats "out='empty(fp32,2)' x='randn(fp32,65536)' n='x.numel()'"
of_listed gptq_gemm "b_ptr='randint(i32,64x64,0,64)'"
of_listed gptq_gemm "scales_ptr='randn(fp32,1x64)' zeros_ptr='randint(i32,1x64,0,64)'" # one group: no more is read
of_listed embedding_bag "offsets='arange(i32,"
of_listed paged_attention "context_lens_ptr='full(i32,"
of_listed flash_fwd "--grid 'cdiv(N_CTX,BLOCK_M),16*H'"
of_listed strided_copy_4d "--grid 'cdiv(shape0*shape1*shape2*shape3,BLOCK)'"
of_listed flip_channels_3d "D=16 H=16 W=16"
of_listed resize "h=64 w=64 "
of_listed compact "out='zeros(fp32,"
of_listed threshold_u8 "dst='empty(u8,"
of_listed cross_entropy "ignore_index=-1"
of_listed lookback_cumsum "flag_ptr='zeros(i32,"
of_listed rotary "x='randn(fp32,16x16x16x32)'"
of_listed adamw "n_elements='p_ptr.numel()'"
grep -A1 "^  no call was found that runs: ptrs holds addresses, which no command line can give" "$folder/listed" |
    grep -q "^  fill in what is wrong: tilec run $listed:group_by_address" || wrong "an honest word of addresses"
expect 0 out '"example": null, "template": "tilec run' "$tilec" list "$listed:group_by_address" --json

# the examples of kernels as people write them run as they are printed, checked, on a CPU too
files="$(grep -l '^@[a-z]*\.jit' examples/python/[b-z]*.py) examples/python/attention.py"
some="kernels/add.py kernels/matmul.py kernels/softmax.py"
[ -z "${TILEC_THOROUGH:-}" ] || some="kernels/*.py $files"
for file in $some; do
    expect 0 out "  example: tilec run $file" "$tilec" list "$file"
    sed -n 's/^  example: tilec //p' "$folder/out" >"$folder/examples"
    ! grep -q "no call was found" "$folder/out" || wrong "no example of $file runs"
    while read -r words; do
        eval "expect 0 out '' \"\$tilec\" $words --check"
    done <"$folder/examples"
done

expect 0 out "example: tilec run kernels/giou.py:giou_loss_kernel --call sums" \
    "$tilec" list kernels/giou.py

# a file may be called anything: its name drives no terminal, and stays in its line
odd=$(printf '%s/odd\n\033[31m.py' "$folder")
cp "$source/kernels/add.py" "$odd"
expect 0 out '/odd\n\x1b[31m.py:' "$tilec" list "$odd"
expect 0 out "/odd\\n\\x1b[31m.py':add_kernel --call add" "$tilec" list "$odd"
expect 0 out '/odd\n\x1b[31m.py:' "$tilec" test "$odd"
[ "$(grep -c PASS "$folder/out")" = 5 ] || wrong "a test of it failed"
! grep -q "$(printf '\033')" "$folder/out" || wrong "an escape character got out"
finish
