"""Layer norm over the rows of a matrix (Ba, Kiros and Hinton, 2016), in two shapes.

    y[i, j] = (x[i, j] - mean_i) / sqrt(variance_i + eps) * weight[j] + bias[j]

with the mean and the (biased) variance of row i.  `layer_norm_kernel` holds a row as one tile;
`layer_norm_loop_kernel` walks over it in pieces, for rows of any length.  Both work in fp32.
"""

import torch

import triton
import triton.language as tl


# tilec: call tile --grid x.shape(0)
#     x=randn(fp32, 64x781) y=empty(fp32, 64x781) n_cols=x.shape(1) weight=rand(fp32, n_cols)
#     bias=rand(fp32, n_cols) mean=empty(fp32, 64) rstd=empty(fp32, 64) stride=x.stride(0)
#     eps=1e-5 BLOCK=next_power_of_2(n_cols)
@triton.jit
def layer_norm_kernel(x, y, weight, bias, mean, rstd, stride, n_cols, eps, BLOCK: tl.constexpr):
    """One program a row; n_cols <= BLOCK.

    x, y: pointers to element [0, 0] of matrices whose rows are `stride` elements apart; weight,
    bias: n_cols elements; mean, rstd: fp32, one element a row, kept for the backward pass.
    """
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    values = tl.load(x + row * stride + columns, mask=inside, other=0.0).to(tl.float32)
    average = tl.sum(values, axis=0) / n_cols
    centred = tl.where(inside, values - average, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n_cols
    scale = 1 / tl.sqrt(variance + eps)
    w = tl.load(weight + columns, mask=inside).to(tl.float32)
    b = tl.load(bias + columns, mask=inside).to(tl.float32)
    tl.store(y + row * stride + columns, centred * scale * w + b, mask=inside)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)


# tilec: call loop --call tile --device cpu,sim BLOCK=256
@triton.jit
def layer_norm_loop_kernel(x, y, weight, bias, mean, rstd, stride, n_cols, eps,
                           BLOCK: tl.constexpr):
    """The same for rows of any length, BLOCK columns at a time, in three walks over the row."""
    row = tl.program_id(0)
    x += row * stride
    y += row * stride

    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        sums += tl.load(x + columns, mask=columns < n_cols, other=0.0).to(tl.float32)
    average = tl.sum(sums, axis=0) / n_cols

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + columns, mask=columns < n_cols, other=0.0).to(tl.float32)
        centred = tl.where(columns < n_cols, values - average, 0.0)
        squares += centred * centred
    variance = tl.sum(squares, axis=0) / n_cols
    scale = 1 / tl.sqrt(variance + eps)

    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        inside = columns < n_cols
        values = tl.load(x + columns, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + columns, mask=inside).to(tl.float32)
        b = tl.load(bias + columns, mask=inside).to(tl.float32)
        tl.store(y + columns, (values - average) * scale * w + b, mask=inside)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)


LARGEST_TILE = 65536 // 4  # columns in one tile; longer rows take the loop


def layer_norm(x, weight, bias, eps=1e-5):
    """y and, for the backward pass, the mean and the reciprocal deviation of each row."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    arguments = (x, y, weight, bias, mean, rstd, x.stride(0), n_cols, eps)
    if n_cols <= LARGEST_TILE:
        layer_norm_kernel[(n_rows,)](*arguments, BLOCK=triton.next_power_of_2(n_cols))
    else:
        layer_norm_loop_kernel[(n_rows,)](*arguments, BLOCK=4096)
    return y, mean, rstd


if __name__ == "__main__":
    torch.manual_seed(0)
    for n in (781, 8192, 40000):
        m = torch.randn(256, n, device="cuda", dtype=torch.float16)
        g, h = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
        want = torch.nn.functional.layer_norm(m.float(), (n,), g, h, 1e-5).half()
        assert torch.allclose(layer_norm(m, g, h)[0], want, atol=1e-2)
        ms = triton.testing.do_bench(lambda: layer_norm(m, g, h))
        print(f"{n}: {2 * m.numel() * m.element_size() / ms * 1e-6:.0f} GB/s")
