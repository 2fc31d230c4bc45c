"""Means and variances, borders, counted lanes, and rounds that are written out; planted_moments.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def layernorm(X, Y, W, B, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    xc = tl.where(mask, x - mean, 0.0)
    var = tl.sum(xc * xc, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    w = tl.load(W + cols, mask=mask)
    b = tl.load(B + cols, mask=mask)
    y = (x - mean) * rstd * w + b
    tl.store(Y + cols, y, mask=mask)


@triton.jit
def layernorm_var_nodiv(X, Y, W, B, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    xc = tl.where(mask, x - mean, 0.0)
    var = tl.sum(xc, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    w = tl.load(W + cols, mask=mask)
    b = tl.load(B + cols, mask=mask)
    y = (x - mean) * rstd * w + b
    tl.store(Y + cols, y, mask=mask)


@triton.jit
def adam(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, wd, bc1, bc2, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    m = tl.load(m_ptr + offs, mask=mask)
    v = tl.load(v_ptr + offs, mask=mask)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    upd = (m / bc1) / (tl.sqrt(v / bc2) + eps)
    p = p - lr * (upd + wd * p)
    tl.store(p_ptr + offs, p, mask=mask)
    tl.store(m_ptr + offs, m, mask=mask)
    tl.store(v_ptr + offs, v, mask=mask)


@triton.jit
def adam_m_stores_v(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, wd, bc1, bc2, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    m = tl.load(m_ptr + offs, mask=mask)
    v = tl.load(v_ptr + offs, mask=mask)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    upd = (m / bc1) / (tl.sqrt(v / bc2) + eps)
    p = p - lr * (upd + wd * p)
    tl.store(p_ptr + offs, p, mask=mask)
    tl.store(m_ptr + offs, v, mask=mask)
    tl.store(v_ptr + offs, v, mask=mask)


@triton.jit
def maxpool(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for dh in tl.static_range(2):
        for dw in tl.static_range(2):
            h = oh * 2 + dh
            w = ow * 2 + dw
            v = tl.load(x + h * W + w, mask=(h < H) & (w < W), other=float("-inf"))
            best = tl.maximum(best, v)
    tl.store(y + oh * OW + ow, best, mask=ow < OW)


@triton.jit
def maxpool_best0(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    best = tl.zeros([BLOCK], tl.float32)
    for dh in tl.static_range(2):
        for dw in tl.static_range(2):
            h = oh * 2 + dh
            w = ow * 2 + dw
            v = tl.load(x + h * W + w, mask=(h < H) & (w < W), other=float("-inf"))
            best = tl.maximum(best, v)
    tl.store(y + oh * OW + ow, best, mask=ow < OW)


@triton.jit
def maxpool_other0(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for dh in tl.static_range(2):
        for dw in tl.static_range(2):
            h = oh * 2 + dh
            w = ow * 2 + dw
            v = tl.load(x + h * W + w, mask=(h < H) & (w < W), other=0.0)
            best = tl.maximum(best, v)
    tl.store(y + oh * OW + ow, best, mask=ow < OW)


@triton.jit
def maxpool_last_only(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for dh in tl.static_range(2):
        for dw in tl.static_range(2):
            h = oh * 2 + dh
            w = ow * 2 + dw
            v = tl.load(x + h * W + w, mask=(h < H) & (w < W), other=float("-inf"))
            best = v
    tl.store(y + oh * OW + ow, best, mask=ow < OW)


@triton.jit
def maxpool_nodw(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for dh in tl.static_range(2):
        for dw in tl.static_range(2):
            h = oh * 2 + dh
            w = ow * 2
            v = tl.load(x + h * W + w, mask=(h < H) & (w < W), other=float("-inf"))
            best = tl.maximum(best, v)
    tl.store(y + oh * OW + ow, best, mask=ow < OW)


@triton.jit
def groupnorm(x, y, w, b, C, HW, CG, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    n = tl.program_id(1)
    size = CG * HW
    base = n * C * HW + g * size
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        v = tl.load(x + base + i, mask=i < size, other=0.0)
        s += v
        q += v * v
    mean = tl.sum(s) / size
    var = tl.sum(q) / size - mean * mean
    rstd = tl.rsqrt(var + eps)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        m = i < size
        v = tl.load(x + base + i, mask=m, other=0.0)
        c = g * CG + i // HW
        ww = tl.load(w + c, mask=m, other=0.0)
        bb = tl.load(b + c, mask=m, other=0.0)
        tl.store(y + base + i, (v - mean) * rstd * ww + bb, mask=m)


@triton.jit
def groupnorm_var_plus(x, y, w, b, C, HW, CG, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    n = tl.program_id(1)
    size = CG * HW
    base = n * C * HW + g * size
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        v = tl.load(x + base + i, mask=i < size, other=0.0)
        s += v
        q += v * v
    mean = tl.sum(s) / size
    var = tl.sum(q) / size + mean * mean
    rstd = tl.rsqrt(var + eps)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        m = i < size
        v = tl.load(x + base + i, mask=m, other=0.0)
        c = g * CG + i // HW
        ww = tl.load(w + c, mask=m, other=0.0)
        bb = tl.load(b + c, mask=m, other=0.0)
        tl.store(y + base + i, (v - mean) * rstd * ww + bb, mask=m)


@triton.jit
def groupnorm_var_nosq(x, y, w, b, C, HW, CG, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    n = tl.program_id(1)
    size = CG * HW
    base = n * C * HW + g * size
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        v = tl.load(x + base + i, mask=i < size, other=0.0)
        s += v
        q += v * v
    mean = tl.sum(s) / size
    var = tl.sum(q) / size - mean
    rstd = tl.rsqrt(var + eps)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        m = i < size
        v = tl.load(x + base + i, mask=m, other=0.0)
        c = g * CG + i // HW
        ww = tl.load(w + c, mask=m, other=0.0)
        bb = tl.load(b + c, mask=m, other=0.0)
        tl.store(y + base + i, (v - mean) * rstd * ww + bb, mask=m)


@triton.jit
def groupnorm_div_hw(x, y, w, b, C, HW, CG, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    n = tl.program_id(1)
    size = CG * HW
    base = n * C * HW + g * size
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        v = tl.load(x + base + i, mask=i < size, other=0.0)
        s += v
        q += v * v
    mean = tl.sum(s) / HW
    var = tl.sum(q) / size - mean * mean
    rstd = tl.rsqrt(var + eps)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        m = i < size
        v = tl.load(x + base + i, mask=m, other=0.0)
        c = g * CG + i // HW
        ww = tl.load(w + c, mask=m, other=0.0)
        bb = tl.load(b + c, mask=m, other=0.0)
        tl.store(y + base + i, (v - mean) * rstd * ww + bb, mask=m)


@triton.jit
def groupnorm_rsqrt_of_std(x, y, w, b, C, HW, CG, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    n = tl.program_id(1)
    size = CG * HW
    base = n * C * HW + g * size
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        v = tl.load(x + base + i, mask=i < size, other=0.0)
        s += v
        q += v * v
    mean = tl.sum(s) / size
    var = tl.sum(q) / size - mean * mean
    rstd = tl.rsqrt(tl.sqrt(var + eps))
    for o in range(0, size, BLOCK):
        i = o + tl.arange(0, BLOCK)
        m = i < size
        v = tl.load(x + base + i, mask=m, other=0.0)
        c = g * CG + i // HW
        ww = tl.load(w + c, mask=m, other=0.0)
        bb = tl.load(b + c, mask=m, other=0.0)
        tl.store(y + base + i, (v - mean) * rstd * ww + bb, mask=m)


@triton.jit
def xent_bwd(logits, lse, labels, dlogits, V, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    y = tl.load(labels + row)
    l = tl.load(lse + row)
    for s in range(0, V, BLOCK):
        c = s + tl.arange(0, BLOCK)
        x = tl.load(logits + row * V + c, mask=c < V, other=-float("inf"))
        p = tl.exp(x - l)
        g = tl.where(c == y, p - 1.0, p) * scale
        tl.store(dlogits + row * V + c, g, mask=c < V)


@triton.jit
def xent_bwd_lse_scalar(logits, lse, labels, dlogits, V, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    y = tl.load(labels + row)
    l = tl.load(lse)
    for s in range(0, V, BLOCK):
        c = s + tl.arange(0, BLOCK)
        x = tl.load(logits + row * V + c, mask=c < V, other=-float("inf"))
        p = tl.exp(x - l)
        g = tl.where(c == y, p - 1.0, p) * scale
        tl.store(dlogits + row * V + c, g, mask=c < V)


@triton.jit
def gray(img, out, H, W, BLOCK: tl.constexpr):
    h = tl.program_id(0)
    w = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = w < W
    p = img + (h * W + w) * 3
    r = tl.load(p, mask=m, other=0).to(tl.float32)
    g = tl.load(p + 1, mask=m, other=0).to(tl.float32)
    b = tl.load(p + 2, mask=m, other=0).to(tl.float32)
    v = 0.299 * r + 0.587 * g + 0.114 * b
    tl.store(out + h * W + w, (v + 0.5).to(tl.uint8), mask=m)


@triton.jit
def gray_bright(img, out, H, W, BLOCK: tl.constexpr):
    h = tl.program_id(0)
    w = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = w < W
    p = img + (h * W + w) * 3
    r = tl.load(p, mask=m, other=0).to(tl.float32)
    g = tl.load(p + 1, mask=m, other=0).to(tl.float32)
    b = tl.load(p + 2, mask=m, other=0).to(tl.float32)
    v = 299 * r + 0.587 * g + 0.114 * b
    tl.store(out + h * W + w, (v + 0.5).to(tl.uint8), mask=m)


@triton.jit
def sobel(x, y, H, W, BH: tl.constexpr, BW: tl.constexpr):
    h = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    w = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    inside = (h >= 1) & (h < H - 1) & (w >= 1) & (w < W - 1)
    p = x + h * W + w
    gx = tl.load(p + 1, mask=inside, other=0).to(tl.int32) - tl.load(p - 1, mask=inside, other=0).to(tl.int32)
    gy = tl.load(p + W, mask=inside, other=0).to(tl.int32) - tl.load(p - W, mask=inside, other=0).to(tl.int32)
    mag = tl.sqrt((gx * gx + gy * gy).to(tl.float32))
    tl.store(y + h * W + w, tl.minimum(mag, 255.0).to(tl.uint8), mask=(h < H) & (w < W))


@triton.jit
def sobel_inside_le(x, y, H, W, BH: tl.constexpr, BW: tl.constexpr):
    h = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    w = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    inside = (h >= 1) & (h < H - 1) & (w >= 1) & (w < W)
    p = x + h * W + w
    gx = tl.load(p + 1, mask=inside, other=0).to(tl.int32) - tl.load(p - 1, mask=inside, other=0).to(tl.int32)
    gy = tl.load(p + W, mask=inside, other=0).to(tl.int32) - tl.load(p - W, mask=inside, other=0).to(tl.int32)
    mag = tl.sqrt((gx * gx + gy * gy).to(tl.float32))
    tl.store(y + h * W + w, tl.minimum(mag, 255.0).to(tl.uint8), mask=(h < H) & (w < W))


@triton.jit
def moe_gate(logits, idx, wgt, E, BLOCK: tl.constexpr, TOPK: tl.constexpr):
    t = tl.program_id(0)
    e = tl.arange(0, BLOCK)
    x = tl.load(logits + t * E + e, mask=e < E, other=float("-inf"))
    x = tl.exp(x - tl.max(x))
    x = x / tl.sum(x)
    for k in tl.static_range(TOPK):
        v = tl.max(x)
        i = tl.argmax(x, 0)
        tl.store(idx + t * TOPK + k, i)
        tl.store(wgt + t * TOPK + k, v)
        x = tl.where(e == i, -1.0, x)


@triton.jit
def moe_gate_noremove(logits, idx, wgt, E, BLOCK: tl.constexpr, TOPK: tl.constexpr):
    t = tl.program_id(0)
    e = tl.arange(0, BLOCK)
    x = tl.load(logits + t * E + e, mask=e < E, other=float("-inf"))
    x = tl.exp(x - tl.max(x))
    x = x / tl.sum(x)
    for k in tl.static_range(TOPK):
        v = tl.max(x)
        i = tl.argmax(x, 0)
        tl.store(idx + t * TOPK + k, i)
        tl.store(wgt + t * TOPK + k, v)


@triton.jit
def dequant(q, s, z, y, K, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    word = tl.load(q + n * (K // 8) + k // 8)
    nib = (word >> ((k % 8) * 4)) & 0xF
    g = k // GROUP
    sc = tl.load(s + n * (K // GROUP) + g)
    zp = tl.load(z + n * (K // GROUP) + g)
    tl.store(y + n * K + k, (nib.to(tl.float32) - zp) * sc)


@triton.jit
def dequant_nomask_nib(q, s, z, y, K, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    word = tl.load(q + n * (K // 8) + k // 8)
    nib = (word >> ((k % 8) * 4))
    g = k // GROUP
    sc = tl.load(s + n * (K // GROUP) + g)
    zp = tl.load(z + n * (K // GROUP) + g)
    tl.store(y + n * K + k, (nib.to(tl.float32) - zp) * sc)


@triton.jit
def paged(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + b * NB + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def paged_floor(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, n // PAGE):
        page = tl.load(table + b * NB + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def paged_ok_local(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + b * NB + j)
        ok = t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def paged_r_after(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + b * NB + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(mn - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def paged_scale_twice(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + b * NB + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1) * scale
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def paged_table_nob(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def hist(x, h, n, lo, hi, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    b = ((v - lo) / (hi - lo) * BINS).to(tl.int32)
    b = tl.minimum(tl.maximum(b, 0), BINS - 1)
    tl.atomic_add(h + b, 1, mask=m)


@triton.jit
def hist_nomask_atomic(x, h, n, lo, hi, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    b = ((v - lo) / (hi - lo) * BINS).to(tl.int32)
    b = tl.minimum(tl.maximum(b, 0), BINS - 1)
    tl.atomic_add(h + b, 1)
