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
expect 0 out '{"name": "out", "role": "array, written", "annotation": null, "default": null, "example": "empty(fp32,65536)", "constexpr": false}' \
    "$tilec" list "$add" --json
expect 0 out '"calls": ["add", "mixed", "in-place"], "grid": "cdiv(n,BLOCK)"' "$tilec" list "$add" --json
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
    tl.static_assert(MODE == "fast" or MODE == "slow", "no such mode")
    tl.store(x, 1.0)
KERNEL
expect 0 out "  @triton.autotune(configs=[triton.Config({\"B\": 32}), triton.Config({\"B\": 64})], key=[\"n\"]) @triton.jit" \
    "$tilec" list "$folder/k.py:gather"
expect 0 out "  eps     : tl.float32" "$tilec" list "$folder/k.py:gather"
expect 0 out "  configurations: 2, of which a call takes the first: B=32" "$tilec" list "$folder/k.py:gather"
expect 0 out "  lock  array, written by atomics" "$tilec" list "$folder/k.py:gather"
expect 0 out "at='randint(i32,65536,0,65536)'" "$tilec" list "$folder/k.py:gather"
expect 0 out "lock='zeros(i32," "$tilec" list "$folder/k.py:gather"
! grep -v configurations: "$folder/out" | grep -qE "must be changed| B=| flag=| half=" || wrong "the example of gather"
expect 0 out "  which must be changed before it runs: $folder/k.py:45:5: error: static assertion failed" \
    "$tilec" list "$folder/k.py:picky"

expect 0 out "  which must be changed before it runs: it runs for more than 2 s" \
    "$tilec" list "$folder/k.py:waits"
expect 0 out "--grid 64 ids_ptr='randint(i32," "$tilec" list "$folder/k.py:embedding"
expect 0 out "--grid 'cdiv(h,BH),cdiv(w,BW)' src='randn(fp32,64x64)' dst='empty(fp32,64x64)' h=64 w=64 R=2 " \
    "$tilec" list "$folder/k.py:dilate"
for kernel in embedding dilate losses; do
    expect 0 out "$kernel" "$tilec" list "$folder/k.py:$kernel"
    ! grep -q "must be changed" "$folder/out" || wrong "the example of $kernel"
done

# what returns a value is no kernel
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef soft(x): return x + 1\n@triton.jit\ndef one(x): tl.store(x, 1.0)\n' >"$folder/one.py"
expect 0 out "x: fp32 1  min 1.  max 1." "$tilec" run "$folder/one.py" --grid 1 x='zeros(fp32,1)' --show x
printf '@triton.jit\ndef two(x): tl.store(x, 2.0)\n' >>"$folder/one.py"
expect 2 err "one.py:NAME; it has one, two" "$tilec" run "$folder/one.py" --grid 1 x='zeros(fp32,1)'

printf '@triton.jit\ndef f(x, y=: tl.store(x, 1)\n' >"$folder/broken.py"
expect 0 out "  which must be changed before it runs: $folder/broken.py:2:" "$tilec" list "$folder/broken.py"

# the examples of kernels as people write them run as they are printed, checked, on a CPU too
for file in kernels/*.py examples/python/[b-z]*.py examples/python/attention.py; do
    expect 0 out "  example: tilec run $file" "$tilec" list "$file"
    sed -n 's/^  example: tilec //p' "$folder/out" >"$folder/examples"
    ! grep -q "must be changed" "$folder/out" || wrong "no example of $file runs"
    while read -r words; do
        eval "expect 0 out '' \"\$tilec\" $words --check"
    done <"$folder/examples"
done
finish
