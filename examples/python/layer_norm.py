"""Layer norm of the rows of a matrix, forward and backward.

    y = (x - mean) * rstd * weight + bias

The backward kernel gives the gradient of x row by row; those of weight and bias are sums over all
rows, which programs collect in GROUPS partial sums under a lock each, and a second kernel adds up.
With PyTorch it is an autograd function.

    python -m tilec layer_norm.py
"""

import numpy as np
import triton
import triton.language as tl

import arrays

GROUPS = 8


@triton.jit
def forward_kernel(x, y, weight, bias, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * stride + columns, mask=inside, other=0.0).to(tl.float32)
    average = tl.sum(values, axis=0) / n
    centred = tl.where(inside, values - average, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w = tl.load(weight + columns, mask=inside)
    b = tl.load(bias + columns, mask=inside)
    tl.store(y + row * stride + columns, centred * scale * w + b, mask=inside)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)


@triton.jit
def backward_kernel(dy, x, weight, mean, rstd, dx, dw, db, lock, stride, n, GROUPS: tl.constexpr,
                    BLOCK: tl.constexpr):
    """dx of one row; its share of dw and db goes to row `row % GROUPS` of the partial sums, which
    `lock` guards and whose first writer, told by a flag behind the lock, does not add.
    """
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    average = tl.load(mean + row)
    scale = tl.load(rstd + row)
    xhat = (tl.load(x + row * stride + columns, mask=inside, other=0.0) - average) * scale
    xhat = tl.where(inside, xhat, 0.0)
    gradient = tl.load(dy + row * stride + columns, mask=inside, other=0.0)
    wdy = tl.load(weight + columns, mask=inside, other=0.0) * gradient
    c1 = tl.sum(xhat * wdy, axis=0) / n
    c2 = tl.sum(wdy, axis=0) / n
    tl.store(dx + row * stride + columns, (wdy - (xhat * c1 + c2)) * scale, mask=inside)

    group = row % GROUPS
    dw += group * n + columns
    db += group * n + columns
    lock += group
    written = lock + GROUPS
    part_w = gradient * xhat
    part_b = gradient
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(written) == 0:
        tl.atomic_xchg(written, 1)
    else:
        part_w += tl.load(dw, mask=inside)
        part_b += tl.load(db, mask=inside)
    tl.store(dw, part_w, mask=inside)
    tl.store(db, part_b, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def sum_kernel(parts, out, rows, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """out[j] = the sum over i of parts[i, j]."""
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.arange(0, ROWS)
    inside = (i[:, None] < rows) & (columns[None, :] < n)
    values = tl.load(parts + i[:, None] * n + columns[None, :], mask=inside, other=0.0)
    tl.store(out + columns, tl.sum(values, axis=0), mask=columns < n)


def forward(x, weight, bias, eps):
    rows, n = x.shape
    y, mean, rstd = arrays.empty_like(x), arrays.zeros(rows), arrays.zeros(rows)
    forward_kernel[(rows,)](x, y, weight, bias, mean, rstd, arrays.strides(x)[0], n, eps,
                            BLOCK=triton.next_power_of_2(n))
    return y, mean, rstd


def backward(dy, x, weight, mean, rstd):
    rows, n = x.shape
    dx, dw, db = arrays.empty_like(x), arrays.empty_like(weight), arrays.empty_like(weight)
    parts_w, parts_b = arrays.zeros(GROUPS, n), arrays.zeros(GROUPS, n)
    lock = arrays.zeros(2 * GROUPS, dtype="int32")
    backward_kernel[(rows,)](dy, x, weight, mean, rstd, dx, parts_w, parts_b, lock,
                             arrays.strides(x)[0], n, GROUPS=GROUPS,
                             BLOCK=triton.next_power_of_2(n))
    for parts, out in ((parts_w, dw), (parts_b, db)):
        sum_kernel[(triton.cdiv(n, 128),)](parts, out, min(GROUPS, rows), n, ROWS=GROUPS, BLOCK=128)
    return dx, dw, db


def reference(x, weight, bias, dy, eps):
    """y, dx, dw, db in float64."""
    x, weight, bias, dy = (arrays.to_numpy(v).astype(np.float64) for v in (x, weight, bias, dy))
    centred = x - x.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)
    xhat, wdy = centred * scale, weight * dy
    dx = scale * (wdy - wdy.mean(axis=1, keepdims=True) -
                  xhat * (xhat * wdy).mean(axis=1, keepdims=True))
    return xhat * weight + bias, dx, (dy * xhat).sum(axis=0), dy.sum(axis=0)


def check_autograd(x, weight, bias, dy, want):
    torch = arrays.torch

    class LayerNorm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight, bias, eps):
            y, mean, rstd = forward(x, weight, bias, eps)
            ctx.save_for_backward(x, weight, mean, rstd)
            return y

        @staticmethod
        def backward(ctx, dy):
            return (*backward(dy, *ctx.saved_tensors), None)

    leaves = [v.clone().requires_grad_(True) for v in (x, weight, bias)]
    LayerNorm.apply(*leaves, 1e-5).backward(dy)
    for name, leaf, gradient in zip(("x", "weight", "bias"), leaves, want):
        arrays.check(f"layer norm, autograd of {name}", leaf.grad, gradient, 1e-4)


def main():
    rows, n, eps = 151, 384, 1e-5
    x, dy = arrays.randn(rows, n), arrays.randn(rows, n)
    weight, bias = arrays.rand(n), arrays.rand(n)
    want = reference(x, weight, bias, dy, eps)
    y, mean, rstd = forward(x, weight, bias, eps)
    got = (y,) + backward(dy, x, weight, mean, rstd)
    for name, g, w in zip(("y", "dx", "dw", "db"), got, want):
        arrays.check(f"layer norm, {name}", g, w, 1e-4)
    if arrays.torch:
        check_autograd(x, weight, bias, dy, want[1:])


if __name__ == "__main__":
    main()
