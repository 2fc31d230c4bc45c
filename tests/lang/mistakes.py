# lower: load_by_brackets x:*fp32 out:*fp32 n:i32 B=16
# lower: store_by_brackets x:*fp32 out:*fp32 n:i32 B=16
# lower: store_without_offsets x:*fp32 out:*fp32 n:i32 B=16
# lower: if_on_a_tile x:*fp32 out:*fp32 n:i32 B=16
# lower: extent_at_run_time x:*fp32 out:*fp32 n:i32 B=16
# lower: extents_differ x:*fp32 out:*fp32 n:i32 B=16
# lower: dtype_of_torch x:*fp32 out:*fp32 n:i32 B=16
# lower: zeros_of_torch x:*fp32 out:*fp32 n:i32 B=16
# lower: zeros_of_numpy x:*fp32 out:*fp32 n:i32 B=16
# lower: plain_global x:*fp32 out:*fp32 n:i32 B=16
# lower: conditional_on_a_tile x:*fp32 out:*fp32 n:i32 B=16
# lower: kernel_returns x:*fp32 out:*fp32 n:i32 B=16
# lower: recursion x:*fp32 out:*fp32 n:i32 B=16
# lower: print_of_f_string x:*fp32 out:*fp32 n:i32 B=16
# lower: print_without_text x:*fp32 out:*fp32 n:i32 B=16
# lower: assert_with_f_string x:*fp32 out:*fp32 n:i32 B=16
# lower: element_assigned x:*fp32 out:*fp32 n:i32 B=16
# lower: sum_of_other_extent x:*fp32 out:*fp32 n:i32 B=16
# lower: sum_of_other_dtype x:*fp32 out:*fp32 n:i32 B=16
# lower: assigned_in_a_loop x:*fp32 out:*fp32 n:i32 B=16
# lower: assigned_in_an_arm x:*fp32 out:*fp32 n:i32 B=16
# lower: arms_differ x:*fp32 out:*fp32 n:i32 B=16
# lower: program_id_of_nothing x:*fp32 out:*fp32 n:i32 B=16
# lower: fourth_axis x:*fp32 out:*fp32 n:i32 B=16
# lower: axis_by_name x:*fp32 out:*fp32 n:i32 B=16
# lower: thread_id x:*fp32 out:*fp32 n:i32 B=16
# lower: thread_index x:*fp32 out:*fp32 n:i32 B=16
# lower: barrier_of_threads x:*fp32 out:*fp32 n:i32 B=16
# lower: shared_memory x:*fp32 out:*fp32 n:i32 B=16
# lower: method_float x:*fp32 out:*fp32 n:i32 B=16
# lower: method_half x:*fp32 out:*fp32 n:i32 B=16
# lower: method_clamp x:*fp32 out:*fp32 n:i32 B=16
# lower: method_astype x:*fp32 out:*fp32 n:i32 B=16
# lower: dtype_as_text x:*fp32 out:*fp32 n:i32 B=16
# lower: size_of_a_tile x:*fp32 out:*fp32 n:i32 B=16
# lower: shape_of_a_pointer x:*fp32 out:*fp32 n:i32 B=16
# lower: stride_of_a_pointer x:*fp32 out:*fp32 n:i32 B=16
# lower: numel_of_a_pointer x:*fp32 out:*fp32 n:i32 B=16
# lower: shape_by_arguments x:*fp32 out:*fp32 n:i32 B=16
# lower: shape_at_run_time x:*fp32 out:*fp32 n:i32 B=16
# lower: zeros_without_dtype x:*fp32 out:*fp32 n:i32 B=16
# lower: reshape_to_more x:*fp32 out:*fp32 n:i32 B=16
# lower: matmul_operator x:*fp32 out:*fp32 n:i32 B=16
# lower: axis_too_high x:*fp32 out:*fp32 n:i32 B=16
# lower: max_with_index x:*fp32 out:*fp32 n:i32 B=16
# lower: store_with_dtype x:*fp32 out:*fp32 n:i32 B=16
# lower: store_turned_around x:*fp32 out:*fp32 n:i32 B=16
# lower: store_of_nothing x:*fp32 out:*fp32 n:i32 B=16
# lower: atomic_of_a_tile x:*fp32 out:*fp32 n:i32 B=16
# lower: other_without_mask x:*fp32 out:*fp32 n:i32 B=16
# lower: text_as_value x:*fp32 out:*fp32 n:i32 B=16
# lower: list_as_global x:*fp32 out:*fp32 n:i32 B=16
# lower: break_in_a_loop x:*fp32 out:*fp32 n:i32 B=16
# lower: where_with_two x:*fp32 out:*fp32 n:i32 B=16
# lower: where_with_one x:*fp32 out:*fp32 n:i32 B=16
"""What people who know Python, PyTorch or CUDA write first: each message says what to do."""
import math

import numpy as np
import torch
import triton
import triton.language as tl

SIZE = 128
table = [1, 2, 3]


@triton.jit
def load_by_brackets(x, out, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * B + tl.arange(0, B)
    v = tl.load(x[offs])
    tl.store(out + offs, v)


@triton.jit
def store_by_brackets(x, out, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    v = x[offs] * 2
    out[offs] = v


@triton.jit
def store_without_offsets(x, out, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    m = offs < n
    v = tl.load(x + offs, m)
    tl.store(out, v, m)


@triton.jit
def if_on_a_tile(x, out, n, B: tl.constexpr):
    offs = tl.arange(0, B)
    if offs < n:
        tl.store(out + offs, 1.0)


@triton.jit
def extent_at_run_time(x, out, n, B: tl.constexpr):
    offs = tl.arange(0, n)
    tl.store(out + offs, 1.0)


@triton.jit
def extents_differ(x, out, n, B: tl.constexpr):
    a = tl.arange(0, B)
    b = tl.arange(0, 2 * B)
    tl.store(out + a, a + b)


@triton.jit
def dtype_of_torch(x, out, n, B: tl.constexpr):
    v = tl.zeros((B, B), dtype=torch.float32)
    tl.store(out, tl.sum(v))


@triton.jit
def zeros_of_torch(x, out, n, B: tl.constexpr):
    v = torch.zeros(B)
    tl.store(out + tl.arange(0, B), v)


@triton.jit
def zeros_of_numpy(x, out, n, B: tl.constexpr):
    v = np.zeros(B)
    tl.store(out + tl.arange(0, B), v)


@triton.jit
def plain_global(x, out, n, B: tl.constexpr):
    offs = tl.arange(0, B)
    tl.store(out + offs, offs * SIZE)


@triton.jit
def conditional_on_a_tile(x, out, n, B: tl.constexpr):
    offs = tl.arange(0, B)
    v = tl.load(x + offs)
    v = v if v > 0 else 0
    tl.store(out + offs, v)


@triton.jit
def kernel_returns(x, out, n, B: tl.constexpr):
    return tl.load(x)


@triton.jit
def recursion(x, out, n, B: tl.constexpr):
    if n <= 1:
        r = 1
    else:
        r = n * recursion(x, out, n - 1, B)
    tl.store(out, r)


@triton.jit
def print_of_f_string(x, out, n, B: tl.constexpr):
    print(f"n is {n}")


@triton.jit
def print_without_text(x, out, n, B: tl.constexpr):
    tl.device_print(n)


@triton.jit
def assert_with_f_string(x, out, n, B: tl.constexpr):
    assert n > 0, f"n {n}"


@triton.jit
def element_assigned(x, out, n, B: tl.constexpr):
    offs = tl.arange(0, B)
    v = tl.load(x + offs)
    v[offs % 2] = 1.0
    tl.store(out + offs, v)


@triton.jit
def sum_of_other_extent(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for i in range(0, n):
        acc += tl.load(x + i * B + tl.arange(0, 2 * B))
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def sum_of_other_dtype(x, out, n, B: tl.constexpr):
    acc = 0
    for i in range(0, n):
        acc += tl.load(x + i)
    tl.store(out, acc)


@triton.jit
def assigned_in_a_loop(x, out, n, B: tl.constexpr):
    for i in range(0, n):
        y = tl.load(x + i)
    tl.store(out, y)


@triton.jit
def assigned_in_an_arm(x, out, n, B: tl.constexpr):
    if n > 3:
        y = 1.0
    tl.store(out, y)


@triton.jit
def arms_differ(x, out, n, B: tl.constexpr):
    y = tl.load(x)
    if y > 3:
        z = 1
    else:
        z = tl.zeros((B,), tl.float32)
    tl.store(out, z)


@triton.jit
def program_id_of_nothing(x, out, n, B: tl.constexpr):
    pid = tl.program_id()
    tl.store(out + pid, 1.0)


@triton.jit
def fourth_axis(x, out, n, B: tl.constexpr):
    pid = tl.program_id(3)
    tl.store(out + pid, 1.0)


@triton.jit
def axis_by_name(x, out, n, B: tl.constexpr):
    pid = tl.program_id("x")
    tl.store(out + pid, 1.0)


@triton.jit
def thread_id(x, out, n, B: tl.constexpr):
    idx = tl.thread_id(0)
    tl.store(out + idx, 1.0)


@triton.jit
def thread_index(x, out, n, B: tl.constexpr):
    idx = threadIdx.x
    tl.store(out + idx, 1.0)


@triton.jit
def barrier_of_threads(x, out, n, B: tl.constexpr):
    tl.syncthreads()


@triton.jit
def shared_memory(x, out, n, B: tl.constexpr):
    s = tl.shared((B,), tl.float32)


@triton.jit
def method_float(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a.float())


@triton.jit
def method_half(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a.half())


@triton.jit
def method_clamp(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a.clamp(0, 1))


@triton.jit
def method_astype(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a.astype(tl.float16))


@triton.jit
def dtype_as_text(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a.to("float16"))


@triton.jit
def size_of_a_tile(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a.size)


@triton.jit
def shape_of_a_pointer(x, out, n, B: tl.constexpr):
    m = x.shape[0]
    tl.store(out, m)


@triton.jit
def stride_of_a_pointer(x, out, n, B: tl.constexpr):
    m = x.stride(0)
    tl.store(out, m)


@triton.jit
def numel_of_a_pointer(x, out, n, B: tl.constexpr):
    m = x.numel()
    tl.store(out, m)


@triton.jit
def shape_by_arguments(x, out, n, B: tl.constexpr):
    a = tl.zeros(B, n)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def shape_at_run_time(x, out, n, B: tl.constexpr):
    a = tl.zeros((B, n), tl.float32)
    tl.store(out, tl.sum(a))


@triton.jit
def zeros_without_dtype(x, out, n, B: tl.constexpr):
    a = tl.zeros((B, 2))
    tl.store(out, tl.sum(a))


@triton.jit
def reshape_to_more(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B)).reshape(B // 2, 3)
    tl.store(out, tl.sum(a))


@triton.jit
def matmul_operator(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    b = a @ a
    tl.store(out, b)


@triton.jit
def axis_too_high(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :])
    tl.store(out, tl.max(a, axis=2))


@triton.jit
def max_with_index(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    m, i = tl.max(a, axis=0)
    tl.store(out, m)


@triton.jit
def store_with_dtype(x, out, n, B: tl.constexpr):
    tl.store(out, tl.load(x), dtype=tl.float16)


@triton.jit
def store_turned_around(x, out, n, B: tl.constexpr):
    tl.store(tl.load(x), out)


@triton.jit
def store_of_nothing(x, out, n, B: tl.constexpr):
    tl.load(x)
    tl.store(out)


@triton.jit
def atomic_of_a_tile(x, out, n, B: tl.constexpr):
    tl.atomic_add(x, tl.arange(0, B))


@triton.jit
def other_without_mask(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B), other=0.0)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def text_as_value(x, out, n, B: tl.constexpr):
    s = "hello"
    tl.store(out, s)


@triton.jit
def list_as_global(x, out, n, B: tl.constexpr):
    t = table[n]
    tl.store(out, t)


@triton.jit
def break_in_a_loop(x, out, n, B: tl.constexpr):
    i = 0
    while i < n:
        if i == 3:
            break
        i += 1
    tl.store(out, i)


@triton.jit
def where_with_two(x, out, n, B: tl.constexpr):
    a = tl.where(tl.arange(0, B) < n, 1.0)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def where_with_one(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), tl.where(a > 0))
