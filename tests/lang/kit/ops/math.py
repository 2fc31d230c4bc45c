import os

import triton
import triton.language as tl

if os.environ.get("TILEC_TEST_FAST") == "1":
    exp = tl.math.exp
else:
    exp = tl.exp


@triton.jit
def halve(x):
    return x * 0.5
