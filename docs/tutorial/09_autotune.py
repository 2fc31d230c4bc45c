"""Lesson 9: block sizes that are measured, and some that follow (09_autotune.md)."""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(h,BH),cdiv(w,BW) --compare out=x+y
#     h=200 w=300 x=randn(fp32,(h,w)) y=randn(fp32,(h,w)) out=empty(fp32,(h,w))
# tilec: call large --call small h=2048 w=2048
@triton.autotune(configs=[triton.Config({"BH": 1, "BW": 1024}), triton.Config({"BH": 16, "BW": 64}),
                          triton.Config({"BH": 256, "BW": 4})], key=["h", "w"])
@triton.jit
def add(x, y, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    i = tl.program_id(0) * BH + tl.arange(0, BH)
    j = tl.program_id(1) * BW + tl.arange(0, BW)
    inside = (i < h)[:, None] & (j < w)[None, :]
    at = i[:, None] * w + j[None, :]
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


# tilec: call rows --grid x.shape(0) --compare out=x.max(1)
#     x=randn(fp32,64x781) out=empty(fp32,64) n=x.shape(1)
@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def max_of_rows(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    tl.store(out + row, tl.max(tl.load(x + row * n + k, mask=k < n, other=-float("inf")), axis=0))
