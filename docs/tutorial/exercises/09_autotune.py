"""Exercise 9: the calls below name no BLOCK and no WIDE.  Let BLOCK be tried, and WIDE follow from the length of a row.

As it stands the kernel lacks both.  `tilec test exercises/09_autotune.py` says when it is right.
"""

import triton
import triton.language as tl


# tilec: call rows --grid cdiv(rows,BLOCK) --device interp --check --compare out=x.sum(1)
#     x=randn(fp32,20x50) out=empty(fp32,20) rows=x.shape(0) n=x.shape(1)
# tilec: call one --call rows x=randn(fp32,20x1)
@triton.jit
def sums(x, out, rows, n, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """The sum of each row; BLOCK rows a program, in tiles of WIDE >= n columns."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, WIDE)
    inside = (i < rows)[:, None] & (k < n)[None, :]
    v = tl.load(x + i[:, None] * n + k[None, :], mask=inside, other=0.0)
    tl.store(out + i, tl.sum(v, axis=1), mask=i < rows)
