"""Operators that test_torch.py looks at: of one kernel, in place, with strides, of two results."""

import torch

import tilec
import tilec.language as tl
import tilec.torch


@tilec.jit
def scale_kernel(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@tilec.jit
def add_one_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@tilec.jit
def rows_kernel(x, out, row, column, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * row + at * column, mask=at < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(values, axis=0))


def scale_backward(ctx, gradient):
    return scale(gradient, ctx.given["factor"]), None


@tilec.torch.op(backward=scale_backward)
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    """x * factor"""
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[(tilec.cdiv(n, 256),)](x, out, n, factor, BLOCK=256)
    return out


@tilec.torch.op(backward="derive")
def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    scale_kernel[(tilec.cdiv(n, 256),)](x, out, n, factor, BLOCK=256)
    return out


@tilec.jit
def squares_kernel(x, w, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n) * tl.load(w)
    tl.store(out + at, values * values, mask=at < n)


@tilec.jit
def totals_kernel(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(values * tl.exp(values), axis=0))


@tilec.torch.op(backward="derive")
def chained(x: torch.Tensor, w: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Two launches, the second of what the first made, seen as rows; an argument that has no gradient."""
    squared, totals = torch.empty_like(x), x.new_empty(x.shape[0])
    squares_kernel[(tilec.cdiv(x.numel(), 64),)](x, w, squared, x.numel(), BLOCK=64)
    rows = squared.view(x.shape[0], -1)
    totals_kernel[(x.shape[0],)](rows, totals, rows.shape[1], BLOCK=tilec.next_power_of_2(rows.shape[1]))
    return squared, totals


@tilec.jit
def added_kernel(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0)
    tl.atomic_add(out, tl.sum(values * values, axis=0) / row)


@tilec.torch.op(backward="derive")
def added(x: torch.Tensor) -> torch.Tensor:
    """A loss that programs add to."""
    out = x.new_zeros(1)
    added_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=tilec.next_power_of_2(x.shape[1]))
    return out


@tilec.torch.op(backward="derive")
def halved_first(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    half = x / 2
    scale_kernel[(tilec.cdiv(x.numel(), 256),)](half, out, x.numel(), 3.0, BLOCK=256)
    return out


@tilec.torch.op(backward="derive")
def stored_twice(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for factor in (2.0, 3.0):
        scale_kernel[(tilec.cdiv(x.numel(), 256),)](x, out, x.numel(), factor, BLOCK=256)
    return out


@tilec.torch.op(mutates="x")
def add_one(x: torch.Tensor) -> None:
    add_one_kernel[(1,)](x, x.numel(), BLOCK=64)


@tilec.torch.op(strided=True)
def row_sums(x):
    out = x.new_empty(x.shape[0])
    rows_kernel[(x.shape[0],)](x, out, x.stride(0), x.stride(1), x.shape[1],
                               BLOCK=tilec.next_power_of_2(x.shape[1]))
    return out


@tilec.torch.op
def twice_and_thrice(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    outs = torch.empty_like(x), torch.empty_like(x)
    for out, factor in zip(outs, (2, 3)):
        scale_kernel[(tilec.cdiv(x.numel(), 256),)](x, out, x.numel(), factor, BLOCK=256)
    return outs
