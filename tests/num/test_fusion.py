"""Launches with enable_fp_fusion: sums of products with one rounding, in the same bits on every device."""

import numpy as np

from arguments import empty
from harness import Suite, decode, encode, generator, rounded

suite = Suite()
random = generator()


def numbers(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


def once(a, b, c, dtype):
    """The product is exact in float64, and the sum as good as that; of 16 bits it is fp32's, rounded."""
    return rounded(rounded(a * b + c, "fp32"), dtype)


def twice(a, b, c, dtype):
    return rounded(rounded(a * b, dtype) + c, dtype)


def sums():
    for dtype in ("fp32", "fp16", "bf16"):
        given = [numbers(dtype, 3001) for _ in range(3)]
        a, b, c = map(decode, given)
        for fuses, total in ((True, once), (False, twice)):
            args = dict(zip("xyz", given), out=empty(dtype, 3 * 3001), n=3001, BLOCK=512,
                        enable_fp_fusion=fuses)
            want = np.concatenate([total(a, b, c, dtype), total(a, c, -b, dtype), total(-b, c, a, dtype)])
            suite.case(f"sums {dtype} {fuses}", "programs/fusion.py:sums", "cdiv(n,BLOCK)", args,
                       {"out": (dtype, want)})
        assert (once(a, b, c, dtype) != twice(a, b, c, dtype)).any()


def row_products():
    x, y = numbers("fp32", 9, 300), numbers("fp32", 9, 300)
    for fuses, total in ((True, once), (False, twice)):
        want = np.zeros(300)
        for a, b in zip(decode(x), decode(y)):
            want = total(a, b, want, "fp32")
        suite.case(f"row_products {fuses}", "programs/fusion.py:row_products", "cdiv(n,BLOCK)",
                   {"x": x, "y": y, "out": empty("fp32", 300), "n": 300, "rows": 9, "BLOCK": 128,
                    "enable_fp_fusion": fuses}, {"out": ("fp32", want)})


def differences():
    """A product less itself is 0, although another sum of it is fused."""
    x, y = numbers("fp32", 1000), numbers("fp32", 1000)
    a, b = decode(x), decode(y)
    suite.case("differences", "programs/fusion.py:differences", "cdiv(n,BLOCK)",
               {"x": x, "y": y, "out": empty("fp32", 2000), "n": 1000, "BLOCK": 256,
                "enable_fp_fusion": True},
               {"out": ("fp32", np.concatenate([np.zeros(1000), twice(a, b, a, "fp32")]))})


sums()
row_products()
differences()
suite.finish()
