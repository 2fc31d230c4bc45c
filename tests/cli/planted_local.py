# planted_local.py - what counts within a tile only, is done twice, or is rounded the wrong way; see planted_local.txt
import triton
import triton.language as tl


@triton.jit
def swap_b_square_wrong(a, b, c, K, sam, sak, sbk, sbn, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    pa = a + m[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbn + n[None, :] * sbk
    acc = tl.zeros((B, B), tl.float32)
    for j in range(0, K, B):
        acc += tl.dot(tl.load(pa), tl.load(pb))
        pa += B * sak
        pb += B * sbn
    tl.store(c + m[:, None] * K + n[None, :], acc)


@triton.jit
def swap_b_square(a, b, c, K, sam, sak, sbk, sbn, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    pa = a + m[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((B, B), tl.float32)
    for j in range(0, K, B):
        acc += tl.dot(tl.load(pa), tl.load(pb))
        pa += B * sak
        pb += B * sbk
    tl.store(c + m[:, None] * K + n[None, :], acc)


@triton.jit
def swap_out_square_wrong(x, out, sr, sc, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = (r < n)[:, None] & (c < n)[None, :]
    v = tl.load(x + r[:, None] * sr + c[None, :] * sc, mask=m)
    tl.store(out + r[:, None] * sc + c[None, :] * sr, tl.exp(v), mask=m)


@triton.jit
def swap_out_square(x, out, sr, sc, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = (r < n)[:, None] & (c < n)[None, :]
    v = tl.load(x + r[:, None] * sr + c[None, :] * sc, mask=m)
    tl.store(out + r[:, None] * sr + c[None, :] * sc, tl.exp(v), mask=m)


@triton.jit
def causal_local_wrong(q, k, v, out, n, B: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0) * B
    m = start + tl.arange(0, B)
    cols = tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros((B, D), tl.float32)
    top = tl.full((B,), -1e30, tl.float32)
    total = tl.zeros((B,), tl.float32)
    for j in range(0, start + B, B):
        kt = tl.load(k + (j + cols)[:, None] * D + d[None, :])
        s = tl.dot(qt, tl.trans(kt))
        s = tl.where(m[:, None] >= cols[None, :], s, -1e30)
        new = tl.maximum(top, tl.max(s, 1))
        alpha = tl.exp(top - new)
        p = tl.exp(s - new[:, None])
        total = total * alpha + tl.sum(p, 1)
        vt = tl.load(v + (j + cols)[:, None] * D + d[None, :])
        acc = acc * alpha[:, None] + tl.dot(p, vt)
        top = new
    tl.store(out + m[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def causal_local(q, k, v, out, n, B: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0) * B
    m = start + tl.arange(0, B)
    cols = tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros((B, D), tl.float32)
    top = tl.full((B,), -1e30, tl.float32)
    total = tl.zeros((B,), tl.float32)
    for j in range(0, start + B, B):
        kt = tl.load(k + (j + cols)[:, None] * D + d[None, :])
        s = tl.dot(qt, tl.trans(kt))
        s = tl.where(m[:, None] >= (j + cols)[None, :], s, -1e30)
        new = tl.maximum(top, tl.max(s, 1))
        alpha = tl.exp(top - new)
        p = tl.exp(s - new[:, None])
        total = total * alpha + tl.sum(p, 1)
        vt = tl.load(v + (j + cols)[:, None] * D + d[None, :])
        acc = acc * alpha[:, None] + tl.dot(p, vt)
        top = new
    tl.store(out + m[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def causal_ptr_wrong(q, k, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    cols = tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    pk = k + cols[None, :] * D + d[:, None]
    best = tl.full((B,), -float("inf"), tl.float32)
    for j in range(0, tl.cdiv(n, B)):
        s = tl.dot(qt, tl.load(pk))
        s = tl.where(cols[None, :] <= m[:, None], s, -float("inf"))
        best = tl.maximum(best, tl.max(s, 1))
        pk += B * D
    tl.store(out + m, best)


@triton.jit
def causal_ptr(q, k, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    cols = tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    pk = k + cols[None, :] * D + d[:, None]
    best = tl.full((B,), -float("inf"), tl.float32)
    for j in range(0, tl.cdiv(n, B)):
        s = tl.dot(qt, tl.load(pk))
        s = tl.where(j * B + cols[None, :] <= m[:, None], s, -float("inf"))
        best = tl.maximum(best, tl.max(s, 1))
        pk += B * D
    tl.store(out + m, best)


@triton.jit
def alibi_local_wrong(q, k, out, n, slope, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    cols = tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    best = tl.full((B,), -float("inf"), tl.float32)
    for j in range(0, n, B):
        kt = tl.load(k + (j + cols)[None, :] * D + d[:, None])
        s = tl.dot(qt, kt) - slope * tl.abs(m[:, None] - cols[None, :])
        best = tl.maximum(best, tl.max(s, 1))
    tl.store(out + m, best)


@triton.jit
def alibi_local(q, k, out, n, slope, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    cols = tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    best = tl.full((B,), -float("inf"), tl.float32)
    for j in range(0, n, B):
        kt = tl.load(k + (j + cols)[None, :] * D + d[:, None])
        s = tl.dot(qt, kt) - slope * tl.abs(m[:, None] - (j + cols)[None, :])
        best = tl.maximum(best, tl.max(s, 1))
    tl.store(out + m, best)


@triton.jit
def window_local_wrong(q, k, out, n, W, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    total = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        cols = j + tl.arange(0, B)
        kt = tl.load(k + cols[None, :] * D + d[:, None])
        near = tl.abs(m[:, None] - tl.arange(0, B)[None, :]) < W
        total += tl.sum(tl.where(near, tl.dot(qt, kt), 0.0), 1)
    tl.store(out + m, total)


@triton.jit
def window_local(q, k, out, n, W, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    total = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        cols = j + tl.arange(0, B)
        kt = tl.load(k + cols[None, :] * D + d[:, None])
        near = tl.abs(m[:, None] - cols[None, :]) < W
        total += tl.sum(tl.where(near, tl.dot(qt, kt), 0.0), 1)
    tl.store(out + m, total)


@triton.jit
def label_local_wrong(x, y, g, n, B: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(y + row)
    i = tl.arange(0, B)
    for j in range(0, n, B):
        at = j + i
        p = tl.load(x + row * n + at, mask=at < n, other=0.0)
        p = tl.where(i == label, p - 1.0, p)
        tl.store(g + row * n + at, p, mask=at < n)


@triton.jit
def label_local(x, y, g, n, B: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(y + row)
    i = tl.arange(0, B)
    for j in range(0, n, B):
        at = j + i
        p = tl.load(x + row * n + at, mask=at < n, other=0.0)
        p = tl.where(at == label, p - 1.0, p)
        tl.store(g + row * n + at, p, mask=at < n)


@triton.jit
def argmax_round_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    best = -float("inf")
    where = 0
    for j in range(0, n, B):
        v = tl.load(x + row * n + j + i, mask=j + i < n, other=-float("inf"))
        m = tl.max(v, 0)
        a = tl.argmax(v, 0)
        where = tl.where(m > best, a, where)
        best = tl.maximum(m, best)
    tl.store(out + row, where)


@triton.jit
def argmax_round(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    best = -float("inf")
    where = 0
    for j in range(0, n, B):
        v = tl.load(x + row * n + j + i, mask=j + i < n, other=-float("inf"))
        m = tl.max(v, 0)
        a = tl.argmax(v, 0)
        where = tl.where(m > best, a + j, where)
        best = tl.maximum(m, best)
    tl.store(out + row, where)


@triton.jit
def argmin_program_wrong(x, low, at, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=float("inf"))
    tl.store(low + pid, tl.min(v, 0))
    tl.store(at + pid, tl.argmin(v, 0))


@triton.jit
def argmin_program(x, low, at, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=float("inf"))
    tl.store(low + pid, tl.min(v, 0))
    tl.store(at + pid, tl.argmin(v, 0) + pid * B)


@triton.jit
def exp2_mixed_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    top = -float("inf")
    total = 0.0
    for j in range(0, n, B):
        v = tl.load(x + row * n + j + i, mask=j + i < n, other=-float("inf"))
        new = tl.maximum(top, tl.max(v, 0))
        total = total * tl.exp2(top - new) + tl.sum(tl.exp(v - new), 0)
        top = new
    tl.store(out + row, top + tl.log(total))


@triton.jit
def exp2_mixed(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    top = -float("inf")
    total = 0.0
    for j in range(0, n, B):
        v = tl.load(x + row * n + j + i, mask=j + i < n, other=-float("inf"))
        new = tl.maximum(top, tl.max(v, 0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new), 0)
        top = new
    tl.store(out + row, top + tl.log(total))


@triton.jit
def exp2_attention_wrong(q, k, v, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    cols = tl.arange(0, B)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros((B, D), tl.float32)
    top = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        kt = tl.load(k + (j + cols)[None, :] * D + d[:, None])
        s = tl.dot(qt, kt) * 1.44269504
        new = tl.maximum(top, tl.max(s, 1))
        alpha = tl.exp2(top - new)
        p = tl.exp(s - new[:, None])
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(v + (j + cols)[:, None] * D + d[None, :]))
        top = new
    tl.store(out + m[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def exp2_attention(q, k, v, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    cols = tl.arange(0, B)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros((B, D), tl.float32)
    top = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        kt = tl.load(k + (j + cols)[None, :] * D + d[:, None])
        s = tl.dot(qt, kt) * 1.44269504
        new = tl.maximum(top, tl.max(s, 1))
        alpha = tl.exp2(top - new)
        p = tl.exp2(s - new[:, None])
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(v + (j + cols)[:, None] * D + d[None, :]))
        top = new
    tl.store(out + m[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def no_norm_wrong(q, k, v, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    cols = tl.arange(0, B)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros((B, D), tl.float32)
    top = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        s = tl.dot(qt, tl.load(k + (j + cols)[None, :] * D + d[:, None]))
        new = tl.maximum(top, tl.max(s, 1))
        alpha = tl.exp(top - new)
        p = tl.exp(s - new[:, None])
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(v + (j + cols)[:, None] * D + d[None, :]))
        top = new
    tl.store(out + m[:, None] * D + d[None, :], acc)


@triton.jit
def no_norm(q, k, v, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    cols = tl.arange(0, B)
    qt = tl.load(q + m[:, None] * D + d[None, :])
    acc = tl.zeros((B, D), tl.float32)
    top = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        s = tl.dot(qt, tl.load(k + (j + cols)[None, :] * D + d[:, None]))
        new = tl.maximum(top, tl.max(s, 1))
        alpha = tl.exp(top - new)
        p = tl.exp(s - new[:, None])
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(v + (j + cols)[:, None] * D + d[None, :]))
        top = new
    tl.store(out + m[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def masked_zero_scores_wrong(q, k, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, 2 * B)
    d = tl.arange(0, D)
    s = tl.dot(tl.load(q + m[:, None] * D + d[None, :]), tl.load(k + c[None, :] * D + d[:, None]))
    s = tl.where(m[:, None] >= c[None, :], s, 0.0)
    p = tl.exp(s - tl.max(s, 1)[:, None])
    p = p / tl.sum(p, 1)[:, None]
    tl.store(out + m[:, None] * n + c[None, :], p)


@triton.jit
def masked_zero_scores(q, k, out, n, B: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, 2 * B)
    d = tl.arange(0, D)
    s = tl.dot(tl.load(q + m[:, None] * D + d[None, :]), tl.load(k + c[None, :] * D + d[:, None]))
    s = tl.where(m[:, None] >= c[None, :], s, -float("inf"))
    p = tl.exp(s - tl.max(s, 1)[:, None])
    p = p / tl.sum(p, 1)[:, None]
    tl.store(out + m[:, None] * n + c[None, :], p)


@triton.jit
def csr_end_wrong(ptr, val, col, x, y):
    row = tl.program_id(0)
    start = tl.load(ptr + row)
    end = tl.load(ptr + row)
    acc = 0.0
    for j in range(start, end):
        acc += tl.load(val + j) * tl.load(x + tl.load(col + j))
    tl.store(y + row, acc)


@triton.jit
def csr_end(ptr, val, col, x, y):
    row = tl.program_id(0)
    start = tl.load(ptr + row)
    end = tl.load(ptr + row + 1)
    acc = 0.0
    for j in range(start, end):
        acc += tl.load(val + j) * tl.load(x + tl.load(col + j))
    tl.store(y + row, acc)


@triton.jit
def seq_length_wrong(cu, x, out, B: tl.constexpr):
    b = tl.program_id(0)
    start = tl.load(cu + b)
    length = tl.load(cu + b + 1) - tl.load(cu + b + 1)
    i = tl.arange(0, B)
    v = tl.load(x + start + i, mask=i < length, other=0.0)
    tl.store(out + b, tl.sum(v, 0))


@triton.jit
def seq_length(cu, x, out, B: tl.constexpr):
    b = tl.program_id(0)
    start = tl.load(cu + b)
    length = tl.load(cu + b + 1) - start
    i = tl.arange(0, B)
    v = tl.load(x + start + i, mask=i < length, other=0.0)
    tl.store(out + b, tl.sum(v, 0))


@triton.jit
def topk_same_wrong(x, out, n, k, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    for j in range(k):
        m = tl.max(v, 0)
        at = tl.argmax(v, 0)
        tl.store(out + row * k + j, m)
        w = tl.where(i == at, -float("inf"), v)


@triton.jit
def topk_same(x, out, n, k, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    for j in range(k):
        m = tl.max(v, 0)
        at = tl.argmax(v, 0)
        tl.store(out + row * k + j, m)
        v = tl.where(i == at, -float("inf"), v)


@triton.jit
def adam_store_wrong(p, g, m, v, lr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = i < n
    grad = tl.load(g + i, mask=k)
    m1 = 0.9 * tl.load(m + i, mask=k) + 0.1 * grad
    v1 = 0.999 * tl.load(v + i, mask=k) + 0.001 * grad * grad
    tl.store(p + i, tl.load(p + i, mask=k) - lr * m1 / (tl.sqrt(v1) + 1e-8), mask=k)
    tl.store(m + i, m1, mask=k)
    tl.store(m + i, v1, mask=k)


@triton.jit
def adam_store(p, g, m, v, lr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = i < n
    grad = tl.load(g + i, mask=k)
    m1 = 0.9 * tl.load(m + i, mask=k) + 0.1 * grad
    v1 = 0.999 * tl.load(v + i, mask=k) + 0.001 * grad * grad
    tl.store(p + i, tl.load(p + i, mask=k) - lr * m1 / (tl.sqrt(v1) + 1e-8), mask=k)
    tl.store(m + i, m1, mask=k)
    tl.store(v + i, v1, mask=k)


@triton.jit
def momentum_lost_wrong(p, g, m, lr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = i < n
    m1 = 0.9 * tl.load(m + i, mask=k) + tl.load(g + i, mask=k)
    tl.store(p + i, tl.load(p + i, mask=k) - lr * m1, mask=k)


@triton.jit
def momentum_lost(p, g, m, lr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = i < n
    m1 = 0.9 * tl.load(m + i, mask=k) + tl.load(g + i, mask=k)
    tl.store(p + i, tl.load(p + i, mask=k) - lr * m1, mask=k)
    tl.store(m + i, m1, mask=k)


@triton.jit
def bilinear_trunc_wrong(x, at, out, n, w, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    p = tl.load(at + i, mask=i < n, other=0.0)
    lo = p.to(tl.int32)
    f = p - lo
    a = tl.load(x + lo, mask=(lo >= 0) & (lo < w), other=0.0)
    b = tl.load(x + lo + 1, mask=(lo + 1 >= 0) & (lo + 1 < w), other=0.0)
    tl.store(out + i, a * (1 - f) + b * f, mask=i < n)


@triton.jit
def bilinear_trunc(x, at, out, n, w, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    p = tl.load(at + i, mask=i < n, other=0.0)
    lo = tl.floor(p).to(tl.int32)
    f = p - lo
    a = tl.load(x + lo, mask=(lo >= 0) & (lo < w), other=0.0)
    b = tl.load(x + lo + 1, mask=(lo + 1 >= 0) & (lo + 1 < w), other=0.0)
    tl.store(out + i, a * (1 - f) + b * f, mask=i < n)


@triton.jit
def round_half_wrong(x, q, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0) / s
    r = (v + 0.5).to(tl.int32)
    r = tl.minimum(tl.maximum(r, -128), 127)
    tl.store(q + i, r.to(tl.int8), mask=i < n)


@triton.jit
def round_half(x, q, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0) / s
    r = tl.floor(v + 0.5).to(tl.int32)
    r = tl.minimum(tl.maximum(r, -128), 127)
    tl.store(q + i, r.to(tl.int8), mask=i < n)


@triton.jit
def step_small_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for j in range(0, n, B  // 2):
        at = j + tl.arange(0, B)
        acc += tl.load(x + row * n + at, mask=at < n, other=0.0)
    tl.store(out + row, tl.sum(acc, 0))


@triton.jit
def step_small(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for j in range(0, n, B):
        at = j + tl.arange(0, B)
        acc += tl.load(x + row * n + at, mask=at < n, other=0.0)
    tl.store(out + row, tl.sum(acc, 0))


@triton.jit
def step_large_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for j in range(0, n, B  * 2):
        at = j + tl.arange(0, B)
        acc += tl.sum(tl.load(x + row * n + at, mask=at < n, other=0.0), 0)
    tl.store(out + row, acc)


@triton.jit
def step_large(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    acc = 0.0
    for j in range(0, n, B):
        at = j + tl.arange(0, B)
        acc += tl.sum(tl.load(x + row * n + at, mask=at < n, other=0.0), 0)
    tl.store(out + row, acc)


@triton.jit
def first_twice_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    acc = tl.load(x + row * n + i)
    for j in range(0, n, B):
        acc += tl.load(x + row * n + j + i)
    tl.store(out + row, tl.sum(acc, 0))


@triton.jit
def first_twice(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    acc = tl.load(x + row * n + i)
    for j in range(B, n, B):
        acc += tl.load(x + row * n + j + i)
    tl.store(out + row, tl.sum(acc, 0))


@triton.jit
def splitk_all_wrong(a, b, c, K, N, S: tl.constexpr, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.program_id(2) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for j in range(0, tl.cdiv(K, B)):
        kk = k + j * B
        x = tl.load(a + m[:, None] * K + kk[None, :], mask=kk[None, :] < K, other=0.0)
        y = tl.load(b + kk[:, None] * N + n[None, :], mask=kk[:, None] < K, other=0.0)
        acc += tl.dot(x, y)
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def splitk_all(a, b, c, K, N, S: tl.constexpr, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.program_id(2) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for j in range(0, tl.cdiv(K, B * S)):
        kk = k + j * B * S
        x = tl.load(a + m[:, None] * K + kk[None, :], mask=kk[None, :] < K, other=0.0)
        y = tl.load(b + kk[:, None] * N + n[None, :], mask=kk[:, None] < K, other=0.0)
        acc += tl.dot(x, y)
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def dequant_group_wrong(a, q, s, c, K, N, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for j in range(0, K, B):
        x = tl.load(a + m[:, None] * K + (j + k)[None, :])
        w = tl.load(q + (j + k)[:, None] * N + n[None, :]).to(tl.float32)
        scale = tl.load(s + (k // 16)[:, None] * N + n[None, :])
        acc += tl.dot(x, w * scale)
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def dequant_group(a, q, s, c, K, N, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for j in range(0, K, B):
        x = tl.load(a + m[:, None] * K + (j + k)[None, :])
        w = tl.load(q + (j + k)[:, None] * N + n[None, :]).to(tl.float32)
        scale = tl.load(s + ((j + k) // 16)[:, None] * N + n[None, :])
        acc += tl.dot(x, w * scale)
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def rope_table_wrong(x, cos, out, H, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    at = i[:, None] * (H * D) + h * D + d[None, :]
    c = tl.load(cos + tl.arange(0, B)[:, None] * D + d[None, :])
    tl.store(out + at, tl.load(x + at) * c)


@triton.jit
def rope_table(x, cos, out, H, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    at = i[:, None] * (H * D) + h * D + d[None, :]
    c = tl.load(cos + i[:, None] * D + d[None, :])
    tl.store(out + at, tl.load(x + at) * c)


@triton.jit
def fp8_over_wrong(x, out, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v.to(tl.float8e4nv), mask=i < n)


@triton.jit
def fp8_over(x, out, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n) * s
    tl.store(out + i, v.to(tl.float8e4nv), mask=i < n)


@triton.jit
def lock_forgotten_cas_wrong(lock, out, x):
    v = tl.load(x + tl.program_id(0))
    while tl.atomic_cas(lock, 1, 0) == 1:
        pass
    tl.store(out, tl.load(out) + v)
    tl.atomic_xchg(lock, 0)


@triton.jit
def lock_forgotten_cas(lock, out, x):
    v = tl.load(x + tl.program_id(0))
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + v)
    tl.atomic_xchg(lock, 0)


@triton.jit
def ticket_last_wrong(x, part, count, out, n, P: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    tl.store(part + pid, tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))
    ticket = tl.atomic_add(count, 1)
    if ticket == P:
        tl.store(out, tl.sum(tl.load(part + tl.arange(0, P)), 0))


@triton.jit
def ticket_last(x, part, count, out, n, P: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    tl.store(part + pid, tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))
    ticket = tl.atomic_add(count, 1)
    if ticket == P - 1:
        tl.store(out, tl.sum(tl.load(part + tl.arange(0, P)), 0))


@triton.jit
def prev_stale_wrong(x, out, n):
    prev = tl.load(x)
    tl.store(out, 0.0)
    for k in range(1, n):
        cur = tl.load(x + k)
        tl.store(out + k, cur - prev)


@triton.jit
def prev_stale(x, out, n):
    prev = tl.load(x)
    tl.store(out, 0.0)
    for k in range(1, n):
        cur = tl.load(x + k)
        tl.store(out + k, cur - prev)
        prev = cur


@triton.jit
def cumsum_last_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for j in range(0, n, B):
        at = row * n + j + tl.arange(0, B)
        v = tl.load(x + at)
        tl.store(out + at, tl.cumsum(v, 0) + carry)
        carry = tl.sum(v, 0)


@triton.jit
def cumsum_last(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for j in range(0, n, B):
        at = row * n + j + tl.arange(0, B)
        v = tl.load(x + at)
        tl.store(out + at, tl.cumsum(v, 0) + carry)
        carry += tl.sum(v, 0)


@triton.jit
def dot_masked_one_wrong(a, b, c, K, B: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, B)
    k = tl.arange(0, BK)
    x = tl.load(a + m[:, None] * K + k[None, :], mask=k[None, :] < K)
    y = tl.load(b + k[:, None] * B + m[None, :], mask=k[:, None] < K)
    tl.store(c + m[:, None] * B + m[None, :], tl.dot(x, y))


@triton.jit
def dot_masked_one(a, b, c, K, B: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, B)
    k = tl.arange(0, BK)
    x = tl.load(a + m[:, None] * K + k[None, :], mask=k[None, :] < K, other=0.0)
    y = tl.load(b + k[:, None] * B + m[None, :], mask=k[:, None] < K, other=0.0)
    tl.store(c + m[:, None] * B + m[None, :], tl.dot(x, y))


@triton.jit
def max_abs_sign_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_max(out, tl.max(v, 0))


@triton.jit
def max_abs_sign(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_max(out, tl.max(tl.abs(v), 0))


@triton.jit
def huber_where_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    a = tl.abs(v)
    y = tl.where(a <= 1.0, 0.5 * v * v, v - 0.5)
    tl.store(out + i, y, mask=i < n)


@triton.jit
def huber_where(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    a = tl.abs(v)
    y = tl.where(a <= 1.0, 0.5 * v * v, a - 0.5)
    tl.store(out + i, y, mask=i < n)


@triton.jit
def ema_row_wrong(x, out, h, w, a, B: tl.constexpr):
    c = tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for r in range(h):
        v = tl.load(x + r * w + c, mask=c < w, other=0.0)
        t = a * s + (1 - a) * v
        tl.store(out + r * w + c, t, mask=c < w)


@triton.jit
def ema_row(x, out, h, w, a, B: tl.constexpr):
    c = tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for r in range(h):
        v = tl.load(x + r * w + c, mask=c < w, other=0.0)
        s = a * s + (1 - a) * v
        tl.store(out + r * w + c, s, mask=c < w)


@triton.jit
def sum_axis_sq_wrong(x, db, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + c[None, :])
    tl.store(db + c, tl.sum(v, 1))


@triton.jit
def sum_axis_sq(x, db, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + c[None, :])
    tl.store(db + c, tl.sum(v, 0))


@triton.jit
def dropout_seed_wrong(x, out, p, seed, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i.to(tl.float32).to(tl.int32) // B) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@triton.jit
def dropout_seed(x, out, p, seed, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@triton.jit
def mean_axis_n_wrong(x, out, h, w, B: tl.constexpr, W: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(h):
        acc += tl.load(x + r * w + c, mask=c < w, other=0.0)
    tl.store(out + c, acc / w, mask=c < w)


@triton.jit
def mean_axis_n(x, out, h, w, B: tl.constexpr, W: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(h):
        acc += tl.load(x + r * w + c, mask=c < w, other=0.0)
    tl.store(out + c, acc / h, mask=c < w)


@triton.jit
def acc_reset_inner_wrong(x, out, n, C, B: tl.constexpr):
    z = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for c in range(C):
        acc = tl.zeros((B,), tl.float32)
        for j in range(0, n, B):
            acc += tl.load(x + z * C * n + c * n + j + tl.arange(0, B))
    tl.store(out + z, tl.sum(acc, 0))


@triton.jit
def acc_reset_inner(x, out, n, C, B: tl.constexpr):
    z = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for c in range(C):
        for j in range(0, n, B):
            acc += tl.load(x + z * C * n + c * n + j + tl.arange(0, B))
    tl.store(out + z, tl.sum(acc, 0))


@triton.jit
def scale_twice_loop_wrong(a, s, out, n, B: tl.constexpr):
    r = tl.arange(0, 16)
    acc = tl.zeros((16,), tl.float32)
    for j in range(0, n, B):
        c = j + tl.arange(0, B)
        acc += tl.sum(tl.load(a + r[:, None] * n + c[None, :]), 1)
        acc = acc * tl.load(s)
    tl.store(out + r, acc)


@triton.jit
def scale_twice_loop(a, s, out, n, B: tl.constexpr):
    r = tl.arange(0, 16)
    acc = tl.zeros((16,), tl.float32)
    for j in range(0, n, B):
        c = j + tl.arange(0, B)
        acc += tl.sum(tl.load(a + r[:, None] * n + c[None, :]), 1)
    tl.store(out + r, acc * tl.load(s))


@triton.jit
def softmax_dim0_wrong(x, out, H: tl.constexpr, W: tl.constexpr):
    at = tl.arange(0, H)[:, None] * W + tl.arange(0, W)[None, :]
    v = tl.load(x + at)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + at, e / tl.sum(e, 0)[None, :])


@triton.jit
def softmax_dim0(x, out, H: tl.constexpr, W: tl.constexpr):
    at = tl.arange(0, H)[:, None] * W + tl.arange(0, W)[None, :]
    v = tl.load(x + at)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + at, e / tl.sum(e, 1)[:, None])


@triton.jit
def quant_div0_wrong(x, q, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * B + i)
    s = tl.max(tl.abs(v), 0) / 127.0
    tl.store(q + r * B + i, tl.floor(v / s + 0.5).to(tl.int8))


@triton.jit
def quant_div0(x, q, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * B + i)
    s = tl.max(tl.abs(v), 0) / 127.0 + 1e-8
    tl.store(q + r * B + i, tl.floor(v / s + 0.5).to(tl.int8))


@triton.jit
def swiglu_same_wrong(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    a = tl.load(x + r * 2 * n + i, mask=i < n, other=0.0)
    b = tl.load(x + r * 2 * n + i, mask=i < n, other=0.0)
    tl.store(out + r * n + i, a * tl.sigmoid(a) * b, mask=i < n)


@triton.jit
def swiglu_same(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    a = tl.load(x + r * 2 * n + i, mask=i < n, other=0.0)
    b = tl.load(x + r * 2 * n + n + i, mask=i < n, other=0.0)
    tl.store(out + r * n + i, a * tl.sigmoid(a) * b, mask=i < n)


@triton.jit
def topk_mask_wrong(x, v, at, k, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    s = tl.load(x + r * B + i)
    for j in range(k):
        a = tl.argmax(s, 0)
        tl.store(v + r * k + j, tl.max(s, 0))
        tl.store(at + r * k + j, a)
        s = tl.where(i == j, -float("inf"), s)


@triton.jit
def topk_mask(x, v, at, k, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    s = tl.load(x + r * B + i)
    for j in range(k):
        a = tl.argmax(s, 0)
        tl.store(v + r * k + j, tl.max(s, 0))
        tl.store(at + r * k + j, a)
        s = tl.where(i == a, -float("inf"), s)


@triton.jit
def expert_base_wrong(x, w, e, out, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    k = tl.load(e + t)
    tl.store(out + t, tl.sum(tl.load(x + t * D + d) * tl.load(w + k + d), 0))


@triton.jit
def expert_base(x, w, e, out, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    k = tl.load(e + t)
    tl.store(out + t, tl.sum(tl.load(x + t * D + d) * tl.load(w + k * D + d), 0))


@triton.jit
def prefix_incl_wrong(x, v, out, B: tl.constexpr):
    i = tl.arange(0, B)
    keep = tl.load(x + i)
    at = tl.cumsum(keep, 0)
    tl.store(out + at, tl.load(v + i), mask=keep != 0)


@triton.jit
def prefix_incl(x, v, out, B: tl.constexpr):
    i = tl.arange(0, B)
    keep = tl.load(x + i)
    at = tl.cumsum(keep, 0) - 1
    tl.store(out + at, tl.load(v + i), mask=keep != 0)


@triton.jit
def div_order_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v // 255 * 100, mask=i < n)


@triton.jit
def div_order(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * 100 // 255, mask=i < n)
