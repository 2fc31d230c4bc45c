"""Factors that rounds load again, and norms without a root; planted_factors.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def l2norm(x, y, N, eps, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    s = 0.0
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=0.0).to(tl.float32)
        s += tl.sum(v * v)
    inv = 1.0 / tl.maximum(tl.sqrt(s), eps)
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=0.0).to(tl.float32)
        tl.store(y + r * N + c, v * inv, mask=c < N)


@triton.jit
def l2norm_nosqrt(x, y, N, eps, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    s = 0.0
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=0.0).to(tl.float32)
        s += tl.sum(v * v)
    inv = 1.0 / tl.maximum(s, eps)
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=0.0).to(tl.float32)
        tl.store(y + r * N + c, v * inv, mask=c < N)


@triton.jit
def l2norm_mul(x, y, N, eps, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    s = 0.0
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=0.0).to(tl.float32)
        s += tl.sum(v * v)
    inv = 1.0 / tl.maximum(tl.sqrt(s), eps)
    for j in range(0, N, BLOCK):
        c = j + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=0.0).to(tl.float32)
        tl.store(y + r * N + c, v / inv, mask=c < N)


@triton.jit
def conv2d(x, w, b, y, H, W, CI, CO, KS: tl.constexpr, BW: tl.constexpr):
    co = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BW)
    acc = tl.zeros([BW], tl.float32)
    for ci in range(CI):
        for kh in tl.static_range(KS):
            for kw in tl.static_range(KS):
                ih = oh + kh - KS // 2
                iw = ow + kw - KS // 2
                ok = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
                xv = tl.load(x + (ci * H + ih) * W + iw, mask=ok, other=0.0)
                wv = tl.load(w + ((co * CI + ci) * KS + kh) * KS + kw)
                acc += xv * wv
    acc += tl.load(b + co)
    tl.store(y + (co * H + oh) * W + ow, acc, mask=ow < W)


@triton.jit
def conv2d_kh_twice(x, w, b, y, H, W, CI, CO, KS: tl.constexpr, BW: tl.constexpr):
    co = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BW)
    acc = tl.zeros([BW], tl.float32)
    for ci in range(CI):
        for kh in tl.static_range(KS):
            for kw in tl.static_range(KS):
                ih = oh + kh - KS // 2
                iw = ow + kh - KS // 2
                ok = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
                xv = tl.load(x + (ci * H + ih) * W + iw, mask=ok, other=0.0)
                wv = tl.load(w + ((co * CI + ci) * KS + kh) * KS + kw)
                acc += xv * wv
    acc += tl.load(b + co)
    tl.store(y + (co * H + oh) * W + ow, acc, mask=ow < W)


@triton.jit
def conv2d_bias_loop(x, w, b, y, H, W, CI, CO, KS: tl.constexpr, BW: tl.constexpr):
    co = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BW)
    acc = tl.zeros([BW], tl.float32)
    for ci in range(CI):
        for kh in tl.static_range(KS):
            for kw in tl.static_range(KS):
                ih = oh + kh - KS // 2
                iw = ow + kw - KS // 2
                ok = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
                xv = tl.load(x + (ci * H + ih) * W + iw, mask=ok, other=0.0)
                wv = tl.load(w + ((co * CI + ci) * KS + kh) * KS + kw)
                acc += xv * wv + tl.load(b + co)
    tl.store(y + (co * H + oh) * W + ow, acc, mask=ow < W)


@triton.jit
def conv2d_x_noci(x, w, b, y, H, W, CI, CO, KS: tl.constexpr, BW: tl.constexpr):
    co = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BW)
    acc = tl.zeros([BW], tl.float32)
    for ci in range(CI):
        for kh in tl.static_range(KS):
            for kw in tl.static_range(KS):
                ih = oh + kh - KS // 2
                iw = ow + kw - KS // 2
                ok = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
                xv = tl.load(x + ih * W + iw, mask=ok, other=0.0)
                wv = tl.load(w + ((co * CI + ci) * KS + kh) * KS + kw)
                acc += xv * wv
    acc += tl.load(b + co)
    tl.store(y + (co * H + oh) * W + ow, acc, mask=ow < W)
