"""Kernels that each have what a hint of `tilec report` is about, and with other values do not."""
import triton
import triton.language as tl


# uncoalesced: lanes take elements S apart
# tilec: call uncoalesced --grid 64 x=zeros(fp32,131072) out=empty(fp32,16384) S=8
# tilec: call coalesced --call uncoalesced S=1
@triton.jit
def apart_by(x, out, S: tl.constexpr):
    at = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(out + at, tl.load(x + at * S))


# programs: fewer than multiprocessors
# tilec: call few --grid 20 x=zeros(fp32,(264,1024)) out=empty(fp32,(264,1024))
# tilec: call enough --call few --grid 264
@triton.jit
def rows(x, out):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(out + at, tl.load(x + at))


# waits: each load needs what the one before it gives
# tilec: call chained --grid 132 x=arange(i32,1024) out=empty(i32,132*128) STEPS=16 CHAIN=True
# tilec: call unchained --call chained CHAIN=False
@triton.jit
def follow(x, out, STEPS: tl.constexpr, CHAIN: tl.constexpr):
    at = tl.arange(0, 128)
    if CHAIN:
        for i in tl.static_range(STEPS):
            at = tl.load(x + at)
    else:
        for i in range(2000):
            at = (at * 5 + i) ^ (at >> 3)
    tl.store(out + tl.program_id(0) * 128 + tl.arange(0, 128), at)


# tail: a wave, and a little of the next one
# tilec: call tail --grid 2200 x=zeros(fp32,2200*128) out=empty(fp32,2200*128) --num-warps 4
# tilec: call even --call tail --grid 2112
@triton.jit
def copy(x, out):
    at = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(out + at, tl.load(x + at))


# again: all programs read all of x, or an eighth of what they write
# tilec: call again --grid 264 x=zeros(fp32,16384) out=empty(fp32,264*1024) TIMES=15
# tilec: call once --call again TIMES=0
@triton.jit
def all_of(x, out, TIMES: tl.constexpr):
    lanes = tl.arange(0, 1024)
    v = tl.load(x + lanes)
    for i in range(TIMES):
        v += tl.load(x + i * 1024 + 1024 + lanes)
    tl.store(out + tl.program_id(0) * 1024 + lanes, v)


# apart: multiplied, and then added
# tilec: call apart --grid 264 x=zeros(fp32,264*1024) out=empty(fp32,264*1024) FUSED=False
# tilec: call fused --call apart FUSED=True
@triton.jit
def polynomial(x, out, FUSED: tl.constexpr):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    v = tl.load(x + at)
    for i in range(50):
        v = tl.fma(v, 0.5, 1.0) if FUSED else v * 0.5 + 1.0
    tl.store(out + at, v)


# unit: exponentials and nothing else
# tilec: call special --grid 264 x=zeros(fp32,264*1024) out=empty(fp32,264*1024) EXP=True
# tilec: call plain --call special EXP=False
@triton.jit
def exponentials(x, out, EXP: tl.constexpr):
    at = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    v = tl.load(x + at)
    for i in range(50):
        v = tl.exp2(v) if EXP else v * v + v
    tl.store(out + at, v)


# tensor: few rows, which multiply-add instructions multiply
# tilec: call thin --grid 132 a=zeros(fp32,(132,64,64)) out=empty(fp32,(132,64,64)) ROWS=4
# tilec: call square --call thin ROWS=64
@triton.jit
def products(a, out, ROWS: tl.constexpr):
    first = tl.program_id(0) * 4096 + tl.arange(0, 64)
    rows = tl.arange(0, ROWS)[:, None] * 64 + first
    product = tl.dot(tl.load(a + rows), tl.load(a + tl.arange(0, 64)[:, None] * 64 + first))
    tl.store(out + rows, product)


# conflicts: each lane takes an element of the same bank
# tilec: call banks --grid 132 x=zeros(fp32,132*1024) out=empty(fp32,132*1024) STRIDE=32 --num-warps 32
# tilec: call in-order --call banks STRIDE=1
@triton.jit
def gathered(x, out, STRIDE: tl.constexpr):
    lanes = tl.arange(0, 1024)
    v = tl.load(x + tl.program_id(0) * 1024 + lanes)
    for i in tl.static_range(20):
        v = tl.gather(v, (lanes + i) * STRIDE % 1024, 0) + 1.0
    tl.store(out + tl.program_id(0) * 1024 + lanes, v)


# occupancy: as many programs as a multiprocessor has places for are half of the warps
# tilec: call one-warp --grid 8448 x=zeros(fp32,(8448,128)) out=empty(fp32,8448) --num-warps 1
# tilec: call four --call one-warp --num-warps 4
@triton.jit
def row_sums(x, out):
    v = tl.load(x + tl.program_id(0) * 128 + tl.arange(0, 128))
    tl.store(out + tl.program_id(0), tl.sum(v))


# shared: sums of sums, one after the other
# tilec: call in-a-row --grid 264 x=zeros(fp32,(264,128)) out=empty(fp32,264) STEPS=40 --num-warps 1
# tilec: call one-sum --call in-a-row STEPS=0
@triton.jit
def sums_of_sums(x, out, STEPS: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * 128 + tl.arange(0, 128))
    s = tl.sum(v)
    for i in range(STEPS):
        s = tl.sum(v + s)
    tl.store(out + tl.program_id(0), s)


# divergent: some lanes divide what is too small for the quick way
# tilec: call small-quotients --grid 264 x=randn(fp32,(264,781))*100 out=empty(fp32,(264,781)) BLOCK=1024
# tilec: call same --call small-quotients x=zeros(fp32,(264,781))
@triton.jit
def softmax(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * 781 + at, mask=at < 781, other=-float("inf"))
    weights = tl.exp(v - tl.max(v))
    tl.store(out + tl.program_id(0) * 781 + at, weights / tl.sum(weights), mask=at < 781)
