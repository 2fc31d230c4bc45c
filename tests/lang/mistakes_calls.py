# lower: relu_of_torch x:*fp32 out:*fp32 n:i32 B=16
# lower: exp_of_torch x:*fp32 out:*fp32 n:i32 B=16
# lower: exp_of_math x:*fp32 out:*fp32 n:i32 B=16
# lower: relu_of_tl x:*fp32 out:*fp32 n:i32 B=16
# lower: pow_of_tl x:*fp32 out:*fp32 n:i32 B=16
# lower: power_operator x:*fp32 out:*fp32 n:i32 B=16
# lower: unpacked_to_more x:*fp32 out:*fp32 n:i32 B=16
# lower: tuple_in_arithmetic x:*fp32 out:*fp32 n:i32 B=16
# lower: result_of_nothing x:*fp32 out:*fp32 n:i32 B=16
# lower: helper_with_too_few x:*fp32 out:*fp32 n:i32 B=16
# lower: helper_with_too_many x:*fp32 out:*fp32 n:i32 B=16
# lower: plain_helper x:*fp32 out:*fp32 n:i32 B=16
# lower: plain_class x:*fp32 out:*fp32 n:i32 B=16
# lower: int_of_a_value x:*fp32 out:*fp32 n:i32 B=16
# lower: float_of_a_value x:*fp32 out:*fp32 n:i32 B=16
# lower: range_as_a_value x:*fp32 out:*fp32 n:i32 B=16
# lower: loop_over_a_number x:*fp32 out:*fp32 n:i32 B=16
# lower: loop_over_a_tile x:*fp32 out:*fp32 n:i32 B=16
# lower: arange_of_one x:*fp32 out:*fp32 n:i32 B=16
# lower: arange_with_step x:*fp32 out:*fp32 n:i32 B=16
# lower: arange_turned_around x:*fp32 out:*fp32 n:i32 B=16
# lower: arange_of_a_program x:*fp32 out:*fp32 n:i32 B=16
# lower: dot_of_two_dtypes x:*fp32 out:*fp32 n:i32 B=16
# lower: float_offsets x:*fp32 out:*fp32 n:i32 B=16
# lower: comparison_with_and x:*fp32 out:*fp32 n:i32 B=16
# lower: invert_a_float x:*fp32 out:*fp32 n:i32 B=16
# lower: not_of_floats x:*fp32 out:*fp32 n:i32 B=16
# lower: and_of_floats x:*fp32 out:*fp32 n:i32 B=16
# lower: mask_of_a_number x:*fp32 out:*fp32 n:i32 B=16
# lower: mask_of_other_extent x:*fp32 out:*fp32 n:i32 B=16
# lower: mask_of_text x:*fp32 out:*fp32 n:i32 B=16
# lower: eviction_policy x:*fp32 out:*fp32 n:i32 B=16
# lower: constant_assigned x:*fp32 out:*fp32 n:i32 B=16
# lower: extent_computed x:*fp32 out:*fp32 n:i32 B=16
# lower: static_assert_at_run_time x:*fp32 out:*fp32 n:i32 B=16
# lower: static_assert_fails x:*fp32 out:*fp32 n:i32 B=16
# lower: static_range_at_run_time x:*fp32 out:*fp32 n:i32 B=16
# lower: loop_variable_behind x:*fp32 out:*fp32 n:i32 B=16
# lower: tuple_by_run_time_index x:*fp32 out:*fp32 n:i32 B=16
# lower: tuple_stored x:*fp32 out:*fp32 n:i32 B=16
# lower: method_mean x:*fp32 out:*fp32 n:i32 B=16
# lower: sum_with_dim x:*fp32 out:*fp32 n:i32 B=16
# lower: method_transpose x:*fp32 out:*fp32 n:i32 B=16
# lower: cat_of_a_list x:*fp32 out:*fp32 n:i32 B=16
# lower: stack_of_tl x:*fp32 out:*fp32 n:i32 B=16
# lower: reversed_slice x:*fp32 out:*fp32 n:i32 B=16
# lower: slice_of_other_extent x:*fp32 out:*fp32 n:i32 B=16
# lower: boolean_index x:*fp32 out:*fp32 n:i32 B=16
# lower: randn_of_a_shape x:*fp32 out:*fp32 n:i32 B=16
# lower: full_turned_around x:*fp32 out:*fp32 n:i32 B=16
# lower: boundary_of_a_pointer x:*fp32 out:*fp32 n:i32 B=16
# lower: item_of_a_tile x:*fp32 out:*fp32 n:i32 B=16
# lower: compared_with_none x:*fp32 out:*fp32 n:i32 B=16
# lower: any_of_tl x:*fp32 out:*fp32 n:i32 B=16
# lower: scan_stored_as_scalar x:*fp32 out:*fp32 n:i32 B=16
# lower: raise_in_a_kernel x:*fp32 out:*fp32 n:i32 B=16
# lower: no_grad x:*fp32 out:*fp32 n:i32 B=16
# lower: nested_kernel x:*fp32 out:*fp32 n:i32 B=16
# lower: list_of_loads x:*fp32 out:*fp32 n:i32 B=16
# lower: text_and_number x:*fp32 out:*fp32 n:i32 B=16
# lower: launch_from_a_kernel x:*fp32 out:*fp32 n:i32 B=16
# lower: store_of_a_pointer x:*fp32 out:*fp32 n:i32 B=16
# lower: store_with_other x:*fp32 out:*fp32 n:i32 B=16
# lower: memory_order x:*fp32 out:*fp32 n:i32 B=16
# lower: block_pointer_without_order x:*fp32 out:*fp32 n:i32 B=16
# lower: lambda_as_combine x:*fp32 out:*fp32 n:i32 B=16
# lower: method_not_called x:*fp32 out:*fp32 n:i32 B=16
"""More of it, about functions, their arguments and values: see mistakes.py."""
import math

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl



@triton.jit
def helper(a, b):
    return a + b


def plain(a):
    return a * 2


@triton.jit
def two(a):
    return a, a + 1


@triton.jit
def nothing(a):
    tl.store(a, 1.0)


class Config:
    size = 4


@triton.jit
def relu_of_torch(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), F.relu(v))


@triton.jit
def exp_of_torch(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), torch.exp(v))


@triton.jit
def exp_of_math(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), math.exp(v))


@triton.jit
def relu_of_tl(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), tl.relu(v))


@triton.jit
def pow_of_tl(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), tl.pow(v, 2))


@triton.jit
def power_operator(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), v ** 2)


@triton.jit
def unpacked_to_more(x, out, n, B: tl.constexpr):
    a, b, c = two(n)
    tl.store(out, a)


@triton.jit
def tuple_in_arithmetic(x, out, n, B: tl.constexpr):
    a = two(n) + 1
    tl.store(out, a)


@triton.jit
def result_of_nothing(x, out, n, B: tl.constexpr):
    a = nothing(out)
    tl.store(out, a)


@triton.jit
def helper_with_too_few(x, out, n, B: tl.constexpr):
    a = helper(n)
    tl.store(out, a)


@triton.jit
def helper_with_too_many(x, out, n, B: tl.constexpr):
    a = helper(n, 1, 2)
    tl.store(out, a)


@triton.jit
def plain_helper(x, out, n, B: tl.constexpr):
    a = plain(n)
    tl.store(out, a)


@triton.jit
def plain_class(x, out, n, B: tl.constexpr):
    c = Config()
    tl.store(out, c.size)


@triton.jit
def int_of_a_value(x, out, n, B: tl.constexpr):
    a = int(tl.load(x))
    tl.store(out, a)


@triton.jit
def float_of_a_value(x, out, n, B: tl.constexpr):
    a = float(n)
    tl.store(out, a)


@triton.jit
def range_as_a_value(x, out, n, B: tl.constexpr):
    a = range(4)
    tl.store(out, a)


@triton.jit
def loop_over_a_number(x, out, n, B: tl.constexpr):
    for i in B:
        tl.store(out + i, 1.0)


@triton.jit
def loop_over_a_tile(x, out, n, B: tl.constexpr):
    for v in tl.load(x + tl.arange(0, B)):
        tl.store(out, v)


@triton.jit
def arange_of_one(x, out, n, B: tl.constexpr):
    a = tl.arange(B)
    tl.store(out + a, 1.0)


@triton.jit
def arange_with_step(x, out, n, B: tl.constexpr):
    a = tl.arange(0, B, 2)
    tl.store(out + a, 1.0)


@triton.jit
def arange_turned_around(x, out, n, B: tl.constexpr):
    a = tl.arange(B, 0)
    tl.store(out + a, 1.0)


@triton.jit
def arange_of_a_program(x, out, n, B: tl.constexpr):
    pid = tl.program_id(0)
    a = tl.arange(pid * B, (pid + 1) * B)
    tl.store(out + a, 1.0)


@triton.jit
def dot_of_two_dtypes(x, out, n, B: tl.constexpr):
    a = tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float16))
    tl.store(out, tl.sum(a))


@triton.jit
def float_offsets(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    i = a * 2
    tl.store(out + i, 1.0)


@triton.jit
def comparison_with_and(x, out, n, B: tl.constexpr):
    a = tl.load(x) % 2 == 0 & n > 3
    tl.store(out, a)


@triton.jit
def invert_a_float(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), ~a)


@triton.jit
def not_of_floats(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), not a)


@triton.jit
def and_of_floats(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B)) & 1
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def mask_of_a_number(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B), mask=n)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def mask_of_other_extent(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B), mask=tl.arange(0, 8) < n)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def mask_of_text(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B), mask="n")
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def eviction_policy(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B), eviction_policy="first")
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def constant_assigned(x, out, n, B: tl.constexpr):
    B = B * 2
    tl.store(out + tl.arange(0, B), 1.0)


@triton.jit
def extent_computed(x, out, n, B: tl.constexpr):
    k = n // 2
    tl.store(out + tl.arange(0, k), 1.0)


@triton.jit
def static_assert_at_run_time(x, out, n, B: tl.constexpr):
    tl.static_assert(n > 0)


@triton.jit
def static_assert_fails(x, out, n, B: tl.constexpr):
    tl.static_assert(B > 100, "B is too small")


@triton.jit
def static_range_at_run_time(x, out, n, B: tl.constexpr):
    for i in tl.static_range(n):
        tl.store(out + i, 1.0)


@triton.jit
def loop_variable_behind(x, out, n, B: tl.constexpr):
    i = 0
    for i in range(n):
        i = i + 2
    tl.store(out, i)


@triton.jit
def tuple_by_run_time_index(x, out, n, B: tl.constexpr):
    t = (1.0, 2.0)
    tl.store(out, t[n])


@triton.jit
def tuple_stored(x, out, n, B: tl.constexpr):
    t = (1.0, 2.0)
    tl.store(out, t)


@triton.jit
def method_mean(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out, a.mean())


@triton.jit
def sum_with_dim(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out, tl.sum(a, dim=0))


@triton.jit
def method_transpose(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B)).view(4, 4)
    tl.store(out, tl.sum(a.transpose(0, 1)))


@triton.jit
def cat_of_a_list(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    b = tl.cat([a, a])
    tl.store(out + tl.arange(0, 2 * B), b)


@triton.jit
def stack_of_tl(x, out, n, B: tl.constexpr):
    a = tl.stack((n, n))
    tl.store(out, a)


@triton.jit
def reversed_slice(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a[::-1])


@triton.jit
def slice_of_other_extent(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a[0:8])


@triton.jit
def boolean_index(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), a[a > 0])


@triton.jit
def randn_of_a_shape(x, out, n, B: tl.constexpr):
    a = tl.randn(B)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def full_turned_around(x, out, n, B: tl.constexpr):
    a = tl.full((B,), tl.float32, 0)
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def boundary_of_a_pointer(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B), boundary_check=(0,))
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def item_of_a_tile(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B)).item()
    tl.store(out, a)


@triton.jit
def compared_with_none(x, out, n, B: tl.constexpr):
    if x == None:
        tl.store(out, 1.0)


@triton.jit
def any_of_tl(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    if tl.any(a > 0):
        tl.store(out, 1.0)


@triton.jit
def scan_stored_as_scalar(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(out, tl.cumsum(a))


@triton.jit
def raise_in_a_kernel(x, out, n, B: tl.constexpr):
    raise ValueError("no")


@triton.jit
def no_grad(x, out, n, B: tl.constexpr):
    with torch.no_grad():
        pass


@triton.jit
def nested_kernel(x, out, n, B: tl.constexpr):
    @triton.jit
    def inner(a):
        return a
    tl.store(out, inner(1.0))


@triton.jit
def list_of_loads(x, out, n, B: tl.constexpr):
    a = [tl.load(x + i) for i in range(B)]
    tl.store(out, a[0])


@triton.jit
def text_and_number(x, out, n, B: tl.constexpr):
    s = f"{B}"
    tl.static_print(s)
    y = "a" + n


@triton.jit
def launch_from_a_kernel(x, out, n, B: tl.constexpr):
    grid = triton.cdiv(n, B)
    helper[(grid,)](x, out)


@triton.jit
def store_of_a_pointer(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    tl.store(a, out + tl.arange(0, B))


@triton.jit
def store_with_other(x, out, n, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), tl.load(x + tl.arange(0, B)), tl.arange(0, B) < n, 0.0)


@triton.jit
def memory_order(x, out, n, B: tl.constexpr):
    tl.atomic_add(out, 1.0, sem="relaxd")


@triton.jit
def block_pointer_without_order(x, out, n, B: tl.constexpr):
    a = tl.make_block_ptr(x, (n,), (1,), (0,), (B,))
    tl.store(out, tl.sum(tl.load(a)))


@triton.jit
def lambda_as_combine(x, out, n, B: tl.constexpr):
    a = tl.reduce(tl.load(x + tl.arange(0, B)), 0, lambda a, b: a + b)
    tl.store(out, a)


@triton.jit
def method_not_called(x, out, n, B: tl.constexpr):
    a = tl.load(x + tl.arange(0, B))
    b = tl.max(a, 0)
    c = a.max
    tl.store(out, c)
