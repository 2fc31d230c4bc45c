"""Dropout with a seed in the place of a mask: what one launch drops another drops again.

    python -m tilec dropout.py
"""

import numpy as np
import triton
import triton.language as tl

import arrays


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    """out = x / (1 - p) with probability 1 - p, else 0; the seed and the place decide."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    keep = tl.rand(seed, at) > p
    values = tl.load(x + at, mask=inside)
    tl.store(out + at, tl.where(keep, values / (1 - p), 0.0), mask=inside)


def dropout(x, p, seed):
    out = arrays.empty_like(x)
    n = x.shape[0]
    dropout_kernel[(triton.cdiv(n, 1024),)](x, out, n, p, seed, BLOCK=1024)
    return out


def main():
    x, p = arrays.rand(100000), 0.3
    once, again, other = (arrays.to_numpy(dropout(x, p, seed)) for seed in (123, 123, 512))
    assert (once == again).all() and (once != other).any()
    kept = once != 0
    assert abs(kept.mean() - (1 - p)) < 0.01, kept.mean()
    arrays.check("dropout", dropout(x, p, 123),
                 np.where(kept, arrays.to_numpy(x) / (1 - p), 0), 1e-6)


if __name__ == "__main__":
    main()
