"""Square of a matrix, one program a row, for rows that may lie apart in memory.

A row is one tile: BLOCK is at least the number of columns.  tilec takes any BLOCK; other compilers
want the next power of two.
"""

import torch

import triton
import triton.language as tl


# tilec: call square --grid x.shape(0) --compare out=x*x --device cpu,sim
#     x=randn(fp32, 128x781) out=empty(fp32, 128x781) x_stride=x.stride(0)
#     out_stride=out.stride(0) n_cols=x.shape(1) BLOCK=n_cols
# tilec: call apart --call square    # rows that lie apart in memory
#     x=randn(fp16, 64x1000)[:, 100:700] out=empty(fp16, 64x1000)[:, :600] BLOCK=1024
@triton.jit
def square_kernel(out, x, out_stride, x_stride, n_cols, BLOCK: tl.constexpr):
    """out[i, j] = x[i, j] ** 2.

    x, out: pointers to element [0, 0]; x_stride, out_stride: elements from one row to the next;
    n_cols: columns, at most BLOCK.  Program i does row i.
    """
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    values = tl.load(x + row * x_stride + columns, mask=inside, other=-float("inf"))
    tl.store(out + row * out_stride + columns, values * values, mask=inside)


def square(x: torch.Tensor) -> torch.Tensor:
    """The element-wise square of a matrix whose rows are contiguous."""
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    num_warps = 16 if block >= 4096 else 8 if block >= 2048 else 4
    square_kernel[(n_rows,)](out, x, out.stride(0), x.stride(0), n_cols, BLOCK=block,
                             num_warps=num_warps)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    m = torch.randn(1823, 781, device="cuda")
    assert torch.allclose(square(m), m * m)
    print("square:", triton.testing.do_bench(lambda: square(m)), "ms; torch:",
          triton.testing.do_bench(lambda: torch.square(m)), "ms")
