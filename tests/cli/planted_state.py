# planted_state.py - values that nobody uses, states that are not kept, and what a second run finds; see planted_state.txt
import triton
import triton.language as tl


@triton.jit
def grey_wrong(im, g, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    r = tl.load(im + 3 * i, mask=m, other=0).to(tl.float32)
    gr = tl.load(im + 3 * i + 1, mask=m, other=0).to(tl.float32)
    b = tl.load(im + 3 * i + 2, mask=m, other=0).to(tl.float32)
    o = 0.299 * r + 0.587 * gr + 0.114 * gr
    tl.store(g + i, (o + 0.5).to(tl.uint8), mask=m)


@triton.jit
def grey(im, g, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    r = tl.load(im + 3 * i, mask=m, other=0).to(tl.float32)
    gr = tl.load(im + 3 * i + 1, mask=m, other=0).to(tl.float32)
    b = tl.load(im + 3 * i + 2, mask=m, other=0).to(tl.float32)
    o = 0.299 * r + 0.587 * gr + 0.114 * b
    tl.store(g + i, (o + 0.5).to(tl.uint8), mask=m)


@triton.jit
def expert_wrong(logits, x, ew, y, E: tl.constexpr, D: tl.constexpr):
    t = tl.program_id(0)
    e = tl.arange(0, E)
    d = tl.arange(0, D)
    l = tl.load(logits + t * E + e)
    p = tl.exp(l - tl.max(l, 0))
    p = p / tl.sum(p, 0)
    a = tl.argmax(p, 0)
    g = tl.max(p, 0)
    w = tl.load(ew + a * D + d)
    o = w * tl.load(x + t * D + d)
    tl.store(y + t * D + d, o)


@triton.jit
def expert(logits, x, ew, y, E: tl.constexpr, D: tl.constexpr):
    t = tl.program_id(0)
    e = tl.arange(0, E)
    d = tl.arange(0, D)
    l = tl.load(logits + t * E + e)
    p = tl.exp(l - tl.max(l, 0))
    p = p / tl.sum(p, 0)
    a = tl.argmax(p, 0)
    g = tl.max(p, 0)
    w = tl.load(ew + a * D + d)
    o = g * w * tl.load(x + t * D + d)
    tl.store(y + t * D + d, o)


@triton.jit
def dropped_wrong(x, o, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    r = tl.rand(seed, i)
    keep = r > p
    v = tl.load(x + i, mask=m)
    tl.store(o + i, tl.where(m, v / (1 - p), 0.0), mask=m)


@triton.jit
def dropped(x, o, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    r = tl.rand(seed, i)
    keep = r > p
    v = tl.load(x + i, mask=m)
    tl.store(o + i, tl.where(keep, v / (1 - p), 0.0), mask=m)


@triton.jit
def smoothed_wrong(x, y, T, a):
    row = tl.program_id(0)
    s = 0.0
    for t in range(T):
        v = tl.load(x + row * T + t)
        o = a * s + (1 - a) * v
        tl.store(y + row * T + t, o)


@triton.jit
def smoothed(x, y, T, a):
    row = tl.program_id(0)
    s = 0.0
    for t in range(T):
        v = tl.load(x + row * T + t)
        s = a * s + (1 - a) * v
        tl.store(y + row * T + t, s)


@triton.jit
def halves_wrong(x, cs, sn, H, D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, D // 2)
    base = x + (t * H + h) * D
    a = tl.load(base + i)
    c = tl.load(cs + t * (D // 2) + i)
    s = tl.load(sn + t * (D // 2) + i)
    b = tl.load(base + D // 2 + i)
    tl.store(base + i, a * c - b * s)
    a2 = tl.load(base + i)
    tl.store(base + D // 2 + i, b * c + a2 * s)


@triton.jit
def halves(x, cs, sn, H, D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, D // 2)
    base = x + (t * H + h) * D
    a = tl.load(base + i)
    c = tl.load(cs + t * (D // 2) + i)
    s = tl.load(sn + t * (D // 2) + i)
    b = tl.load(base + D // 2 + i)
    tl.store(base + i, a * c - b * s)
    tl.store(base + D // 2 + i, b * c + a * s)


@triton.jit
def single_steps_wrong(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for s in range(0, N):
        c = s + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(x + row * N + c, mask=c < N, other=0.0), 0)
    tl.store(o + row, acc)


@triton.jit
def single_steps(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(x + row * N + c, mask=c < N, other=0.0), 0)
    tl.store(o + row, acc)


@triton.jit
def block_steps_wrong(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for s in range(0, tl.cdiv(N, BLOCK)):
        c = s + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(x + row * N + c, mask=c < N, other=0.0), 0)
    tl.store(o + row, acc)


@triton.jit
def block_steps(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for s in range(0, tl.cdiv(N, BLOCK)):
        c = s * BLOCK + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(x + row * N + c, mask=c < N, other=0.0), 0)
    tl.store(o + row, acc)


@triton.jit
def counted_wrong(x, mean, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    cnt = 0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        acc += tl.load(x + row * N + c, mask=c < N, other=0.0)
        cnt += BLOCK
    tl.store(mean + row, tl.sum(acc, 0) / cnt)


@triton.jit
def counted(x, mean, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    cnt = 0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        acc += tl.load(x + row * N + c, mask=c < N, other=0.0)
        cnt += tl.sum((c < N).to(tl.int32), 0)
    tl.store(mean + row, tl.sum(acc, 0) / cnt)


@triton.jit
def adam_kept_wrong(p, g, m, v, n, lr, b1, b2, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k_ = i < n
    gr = tl.load(g + i, mask=k_)
    mm = b1 * tl.load(m + i, mask=k_) + (1 - b1) * gr
    vv = b2 * tl.load(v + i, mask=k_) + (1 - b2) * gr * gr
    tl.store(m + i, mm, mask=k_)
    tl.store(p + i, tl.load(p + i, mask=k_) - lr * mm / (tl.sqrt(vv) + 1e-8), mask=k_)


@triton.jit
def adam_kept(p, g, m, v, n, lr, b1, b2, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k_ = i < n
    gr = tl.load(g + i, mask=k_)
    mm = b1 * tl.load(m + i, mask=k_) + (1 - b1) * gr
    vv = b2 * tl.load(v + i, mask=k_) + (1 - b2) * gr * gr
    tl.store(m + i, mm, mask=k_)
    tl.store(v + i, vv, mask=k_)
    tl.store(p + i, tl.load(p + i, mask=k_) - lr * mm / (tl.sqrt(vv) + 1e-8), mask=k_)


@triton.jit
def decoded_wrong(q, kc, vc, lens, o, S, D: tl.constexpr, BN: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    n = tl.load(lens + b)
    qq = tl.load(q + b * D + d)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), tl.float32)
    for s in range(0, n, BN):
        r = s + tl.arange(0, BN)
        ok = r < n
        kt = tl.load(kc + b * S * D + r[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        vt = tl.load(vc + b * S * D + r[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        sc = tl.sum(qq[None, :] * kt, 1)
        mn = tl.maximum(m, tl.max(sc, 0))
        p = tl.exp(sc - mn)
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 0)
        acc = acc * al + tl.sum(p[:, None] * vt, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def decoded(q, kc, vc, lens, o, S, D: tl.constexpr, BN: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    n = tl.load(lens + b)
    qq = tl.load(q + b * D + d)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), tl.float32)
    for s in range(0, n, BN):
        r = s + tl.arange(0, BN)
        ok = r < n
        kt = tl.load(kc + b * S * D + r[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        vt = tl.load(vc + b * S * D + r[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        sc = tl.sum(qq[None, :] * kt, 1)
        sc = tl.where(ok, sc, -float("inf"))
        mn = tl.maximum(m, tl.max(sc, 0))
        p = tl.exp(sc - mn)
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 0)
        acc = acc * al + tl.sum(p[:, None] * vt, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def group_scales_wrong(q, s, y, N, G, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(q + row * N + c).to(tl.float32)
    sc = tl.load(s + row * (N // G) + c % G, mask=c % G < N // G, other=0.0)
    tl.store(y + row * N + c, v * sc)


@triton.jit
def group_scales(q, s, y, N, G, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(q + row * N + c).to(tl.float32)
    sc = tl.load(s + row * (N // G) + c // G)
    tl.store(y + row * N + c, v * sc)


@triton.jit
def scattered_wrong(x, idx, out, D, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    r = tl.load(idx + i)
    v = tl.load(x + i * D + c, mask=c < D)
    p = out + r * D + c
    tl.store(p, tl.load(p, mask=c < D) + v, mask=c < D)


@triton.jit
def scattered(x, idx, out, D, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    r = tl.load(idx + i)
    v = tl.load(x + i * D + c, mask=c < D)
    tl.atomic_add(out + r * D + c, v, mask=c < D)


@triton.jit
def padded_wrong(x, lens, y, T, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    n = tl.load(lens + b)
    acc = tl.zeros((D,), tl.float32)
    for t in range(0, T):
        acc += tl.load(x + (b * T + t) * D + d)
    tl.store(y + b * D + d, acc / n)


@triton.jit
def padded(x, lens, y, T, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    n = tl.load(lens + b)
    acc = tl.zeros((D,), tl.float32)
    for t in range(0, n):
        acc += tl.load(x + (b * T + t) * D + d)
    tl.store(y + b * D + d, acc / n)


@triton.jit
def angles_wrong(x, cs, sn, y, H, D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, D // 2)
    base = (t * H + h) * D
    a = tl.load(x + base + i)
    b = tl.load(x + base + D // 2 + i)
    c = tl.load(cs + h * (D // 2) + i)
    s = tl.load(sn + h * (D // 2) + i)
    tl.store(y + base + i, a * c - b * s)
    tl.store(y + base + D // 2 + i, b * c + a * s)


@triton.jit
def angles(x, cs, sn, y, H, D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, D // 2)
    base = (t * H + h) * D
    a = tl.load(x + base + i)
    b = tl.load(x + base + D // 2 + i)
    c = tl.load(cs + t * (D // 2) + i)
    s = tl.load(sn + t * (D // 2) + i)
    tl.store(y + base + i, a * c - b * s)
    tl.store(y + base + D // 2 + i, b * c + a * s)


@triton.jit
def taps_wrong(x, w, y, H, W, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for dy in range(3):
        for dx in range(3):
            rr = r[:, None] + dy - 1
            cc = c[None, :] + dx - 1
            v = tl.load(x + rr * W + cc, mask=(rr >= 0) & (rr < H) & (cc >= 0) & (cc < W), other=0.0)
            acc += v * tl.load(w + dy * 2 + dx)
    tl.store(y + r[:, None] * W + c[None, :], acc)


@triton.jit
def taps(x, w, y, H, W, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for dy in range(3):
        for dx in range(3):
            rr = r[:, None] + dy - 1
            cc = c[None, :] + dx - 1
            v = tl.load(x + rr * W + cc, mask=(rr >= 0) & (rr < H) & (cc >= 0) & (cc < W), other=0.0)
            acc += v * tl.load(w + dy * 3 + dx)
    tl.store(y + r[:, None] * W + c[None, :], acc)


@triton.jit
def momentum_wrong(p, g, buf, n, lr, mu, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k_ = i < n
    b = mu * tl.load(buf + i, mask=k_) + tl.load(g + i, mask=k_)
    tl.store(buf + i, b, mask=k_)
    tl.store(p + i, -lr * b, mask=k_)


@triton.jit
def momentum(p, g, buf, n, lr, mu, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k_ = i < n
    b = mu * tl.load(buf + i, mask=k_) + tl.load(g + i, mask=k_)
    tl.store(buf + i, b, mask=k_)
    tl.store(p + i, tl.load(p + i, mask=k_) - lr * b, mask=k_)


@triton.jit
def begun_above_wrong(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        best = tl.maximum(best, tl.load(x + row * N + c, mask=c < N, other=-float("inf")))
    tl.store(o + row, tl.max(best, 0))


@triton.jit
def begun_above(x, o, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        best = tl.maximum(best, tl.load(x + row * N + c, mask=c < N, other=-float("inf")))
    tl.store(o + row, tl.max(best, 0))


@triton.jit
def sorted_row_wrong(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + c, mask=c < N, other=0.0)
    tl.store(y + row * N + c, tl.sort(v), mask=c < N)


@triton.jit
def sorted_row(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + c, mask=c < N, other=float("inf"))
    tl.store(y + row * N + c, tl.sort(v), mask=c < N)


@triton.jit
def smoothed_labels_wrong(x, loss, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    v = tl.load(x + r * N + c, mask=m, other=-float("inf"))
    mx = tl.max(v, 0)
    lse = mx + tl.log(tl.sum(tl.exp(v - mx), 0))
    sm = tl.sum(lse - v, 0) / N
    tl.store(loss + r, sm)


@triton.jit
def smoothed_labels(x, loss, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    v = tl.load(x + r * N + c, mask=m, other=-float("inf"))
    mx = tl.max(v, 0)
    lse = mx + tl.log(tl.sum(tl.exp(v - mx), 0))
    sm = tl.sum(tl.where(m, lse - v, 0.0), 0) / N
    tl.store(loss + r, sm)


@triton.jit
def nearest_wrong(x, c, a, D: tl.constexpr, K: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    j = tl.arange(0, K)
    v = tl.load(x + r[:, None] * D + d[None, :])
    w = tl.load(c + j[:, None] * D + d[None, :])
    n = tl.sum(w * w, 1)[None, :] - 2.0 * tl.dot(v, tl.trans(w))
    tl.store(a + r, tl.argmin(n, 0))


@triton.jit
def nearest(x, c, a, D: tl.constexpr, K: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    j = tl.arange(0, K)
    v = tl.load(x + r[:, None] * D + d[None, :])
    w = tl.load(c + j[:, None] * D + d[None, :])
    n = tl.sum(w * w, 1)[None, :] - 2.0 * tl.dot(v, tl.trans(w))
    tl.store(a + r, tl.argmin(n, 1))


@triton.jit
def warmed_up_wrong(p, g, n, lr, step, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    s = lr / step
    tl.store(p + i, tl.load(p + i, mask=m) - s * tl.load(g + i, mask=m), mask=m)


@triton.jit
def warmed_up(p, g, n, lr, step, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    s = lr / (1.0 + step)
    tl.store(p + i, tl.load(p + i, mask=m) - s * tl.load(g + i, mask=m), mask=m)


@triton.jit
def deviations_wrong(x, mean, rstd, N, R: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, BLOCK)
    m = c[None, :] < N
    v = tl.load(x + r[:, None] * N + c[None, :], mask=m, other=0.0)
    u = tl.sum(v, 1) / N
    d = tl.where(m, v - u[:, None], 0.0)
    s = tl.sum(d, 1) / N
    tl.store(mean + r, u)
    tl.store(rstd + r, 1.0 / tl.sqrt(s + 1e-5))


@triton.jit
def deviations(x, mean, rstd, N, R: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, BLOCK)
    m = c[None, :] < N
    v = tl.load(x + r[:, None] * N + c[None, :], mask=m, other=0.0)
    u = tl.sum(v, 1) / N
    d = tl.where(m, v - u[:, None], 0.0)
    s = tl.sum(d * d, 1) / N
    tl.store(mean + r, u)
    tl.store(rstd + r, 1.0 / tl.sqrt(s + 1e-5))


@triton.jit
def squared_norm_wrong(x, y, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * N + c, mask=c < N, other=0.0)
    n = tl.sqrt(tl.sum(v * v, 0))
    tl.store(y + r * N + c, v / (n * n), mask=c < N)


@triton.jit
def squared_norm(x, y, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * N + c, mask=c < N, other=0.0)
    n = tl.sqrt(tl.sum(v * v, 0))
    tl.store(y + r * N + c, v / n, mask=c < N)


@triton.jit
def other_base_wrong(s, p, T: tl.constexpr):
    b = tl.program_id(0)
    i = tl.arange(0, T)
    v = tl.load(s + b * T + i) * 1.4426950408889634
    e = tl.exp(v - tl.max(v, 0))
    tl.store(p + b * T + i, e / tl.sum(e, 0))


@triton.jit
def other_base(s, p, T: tl.constexpr):
    b = tl.program_id(0)
    i = tl.arange(0, T)
    v = tl.load(s + b * T + i) * 1.4426950408889634
    e = tl.exp2(v - tl.max(v, 0))
    tl.store(p + b * T + i, e / tl.sum(e, 0))


@triton.jit
def whole_quotient_wrong(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0)
    f = (v // 255).to(tl.float32)
    tl.store(y + i, (tl.sqrt(f) * 255.0 + 0.5).to(tl.uint8), mask=m)


@triton.jit
def whole_quotient(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0)
    f = v.to(tl.float32) / 255.0
    tl.store(y + i, (tl.sqrt(f) * 255.0 + 0.5).to(tl.uint8), mask=m)
