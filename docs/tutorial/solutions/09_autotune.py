"""A solution of exercise 9: what is measured, and what follows."""

import triton
import triton.language as tl


# tilec: call rows --grid cdiv(rows,BLOCK) --device interp --check --compare out=x.sum(1)
#     x=randn(fp32,20x50) out=empty(fp32,20) rows=x.shape(0) n=x.shape(1)
# tilec: call one --call rows x=randn(fp32,20x1)
@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (1, 4, 16)], key=["rows", "n"])
@triton.heuristics({"WIDE": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def sums(x, out, rows, n, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """The sum of each row; BLOCK rows a program, in tiles of WIDE >= n columns."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, WIDE)
    inside = (i < rows)[:, None] & (k < n)[None, :]
    v = tl.load(x + i[:, None] * n + k[None, :], mask=inside, other=0.0)
    tl.store(out + i, tl.sum(v, axis=1), mask=i < rows)
