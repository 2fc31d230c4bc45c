"""Matrix products: every way to reach the operands, every type, products of products."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def leaky(x):
    return tl.where(x > 0, x, 0.01 * x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def square_relu(x):
    y = tl.maximum(x, 0.0)
    return y * y


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, bias_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn,
           stride_cm, stride_cn, PRECISION: tl.constexpr, EPILOGUE: tl.constexpr,
           M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr = 3):
    """c = epilogue(a @ b + bias) for any strides; programs in groups of GROUP rows of blocks."""
    pid = tl.program_id(0)
    blocks_m = tl.cdiv(m, M)
    blocks_n = tl.cdiv(n, N)
    per_group = GROUP * blocks_n
    first = pid // per_group * GROUP
    high = tl.minimum(blocks_m - first, GROUP)
    pid_m = first + (pid % per_group) % high
    pid_n = (pid % per_group) // high
    rows = pid_m * M + tl.arange(0, M)
    columns = pid_n * N + tl.arange(0, N)
    deep = tl.arange(0, K)
    a_at = a_ptr + rows[:, None] * stride_am + deep[None, :] * stride_ak
    b_at = b_ptr + deep[:, None] * stride_bk + columns[None, :] * stride_bn
    acc = tl.zeros((M, N), tl.float64 if a_ptr.dtype.element_ty == tl.float64 else tl.float32)
    for left in range(k, 0, -K):
        a = tl.load(a_at, mask=(rows[:, None] < m) & (deep[None, :] < left), other=0.0)
        b = tl.load(b_at, mask=(deep[:, None] < left) & (columns[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
        a_at += K * stride_ak
        b_at += K * stride_bk
    if bias_ptr is not None:
        acc += tl.load(bias_ptr + columns, mask=columns < n, other=0.0)[None, :]
    if EPILOGUE is not None:
        acc = EPILOGUE(acc)
    tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn, acc,
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def tutorial(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_bk, stride_cm, M: tl.constexpr,
             N: tl.constexpr, K: tl.constexpr, CHANGE: tl.constexpr = False):
    """The product of Triton's tutorial: rows and columns modulo the sizes instead of masks, and
    pointers that advance.  CHANGE: b is squared between its load and the product."""
    rows = (tl.program_id(0) * M + tl.arange(0, M)) % m
    columns = (tl.program_id(1) * N + tl.arange(0, N)) % n
    deep = tl.arange(0, K)
    a_at = a_ptr + (rows[:, None] * stride_am + deep[None, :])
    b_at = b_ptr + (deep[:, None] * stride_bk + columns[None, :])
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(0, tl.cdiv(k, K)):
        a = tl.load(a_at)
        b = tl.load(b_at)
        if CHANGE:
            b = b * b
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_at += K
        b_at += K * stride_bk
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    tl.store(c_ptr + stride_cm * rows[:, None] + columns[None, :],
             acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def both_ways(a_ptr, c_ptr, d_ptr, n, k, N: tl.constexpr, K: tl.constexpr):
    """a @ a^T, rounded once, stored as it is and turned: pairs of it lie along rows and along columns."""
    at = tl.arange(0, N)
    deep = tl.arange(0, K)
    a_at = a_ptr + at[:, None] * k + deep[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, k, K):
        a = tl.load(a_at, mask=deep[None, :] < k - start, other=0.0)
        acc = tl.dot(a, a.T, acc)
        a_at += K
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + at[:, None] * n + at[None, :], c)
    tl.store(d_ptr + at[:, None] * n + at[None, :], c.T)


@triton.jit
def any_types(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn,
              M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr,
              CAST: tl.constexpr = None, TURN: tl.constexpr = False,
              IMPRECISE: tl.constexpr = None):
    """c = a @ b for any strides, summed as tl.dot does by itself; CAST names the operand that is
    cast to the other one's type, integers to fp8 by way of fp16, TURN lets b be loaded as its transpose."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    deep = tl.arange(0, K)
    a_at = a_ptr + rows[:, None] * stride_am + deep[None, :] * stride_ak
    b_at = b_ptr + deep[:, None] * stride_bk + columns[None, :] * stride_bn
    if TURN:
        b_at = tl.trans(b_at)
    acc = tl.zeros((M, N), c_ptr.dtype.element_ty)
    for left in tl.range(k, 0, -K, num_stages=STAGES):
        a = tl.load(a_at, mask=(rows[:, None] < m) & (deep[None, :] < left), other=0)
        b_mask = (deep[:, None] < left) & (columns[None, :] < n)
        b = tl.load(b_at, mask=tl.trans(b_mask) if TURN else b_mask, other=0)
        if CAST == "a":
            if a.dtype.is_int() and b.dtype.is_fp8():
                a = a.to(tl.float16)
            a = a.to(b.dtype)
        if CAST == "b":
            b = b.to(a.dtype)
        if TURN:
            b = tl.trans(b)
        acc = tl.dot(a, b, acc, input_precision="ieee", max_num_imprecise_acc=IMPRECISE, out_dtype=acc.dtype)
        a_at += K * stride_ak
        b_at += K * stride_bk
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], acc,
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_blocks(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr,
                  K: tl.constexpr):
    """c = a @ b^T by block pointers that are carried; b is [n, k]."""
    a_block = tl.make_block_ptr(a_ptr, (m, k), (k, 1), (tl.program_id(0) * M, 0), (M, K), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (k, n), (1, k), (0, tl.program_id(1) * N), (K, N), (0, 1))
    c_block = tl.make_block_ptr(c_ptr, (m, n), (n, 1),
                                (tl.program_id(0) * M, tl.program_id(1) * N), (M, N), (1, 0))
    acc = tl.zeros((M, N), tl.float32)
    for _ in tl.range(0, tl.cdiv(k, K), num_stages=3):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, K))
        b_block = tl.advance(b_block, (K, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def matmul_descriptors(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr,
                       K: tl.constexpr, HALVES: tl.constexpr):
    """c = a @ b^T by descriptors over all programs' shares; the result whole or in halves."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [m, k], [k, 1], [M, K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [n, k], [k, 1], [N, K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [m, n], [n, 1], [M, N // 2 if HALVES else N])
    blocks_n = tl.cdiv(n, N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, M) * blocks_n, tl.num_programs(0),
                         flatten=True):
        row = tile // blocks_n * M
        column = tile % blocks_n * N
        acc = tl.zeros((M, N), tl.float32)
        for i in range(tl.cdiv(k, K)):
            a = a_desc.load([row, i * K])
            b = b_desc.load([column, i * K])
            acc = tl.dot(a, b.T, acc)
        if HALVES:
            pair = tl.permute(tl.reshape(acc, (M, 2, N // 2)), (0, 2, 1))
            left, right = tl.split(pair)
            c_desc.store([row, column], left.to(c_ptr.dtype.element_ty))
            c_desc.store([row, column + N // 2], right.to(c_ptr.dtype.element_ty))
        else:
            c_desc.store([row, column], acc.to(c_ptr.dtype.element_ty))


@triton.jit
def split_k(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            SPLITS: tl.constexpr):
    """c += a @ b, each program of axis 1 every SPLITS-th piece of k, by atomic additions."""
    blocks_n = tl.cdiv(n, N)
    rows = tl.program_id(0) // blocks_n * M + tl.arange(0, M)
    columns = tl.program_id(0) % blocks_n * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(tl.program_id(1) * K, k, K * SPLITS):
        deep = start + tl.arange(0, K)
        a = tl.load(a_ptr + rows[:, None] * k + deep[None, :],
                    mask=(rows[:, None] < m) & (deep[None, :] < k), other=0.0)
        b = tl.load(b_ptr + deep[:, None] * n + columns[None, :],
                    mask=(deep[:, None] < k) & (columns[None, :] < n), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.atomic_add(c_ptr + rows[:, None] * n + columns[None, :], acc,
                  mask=(rows[:, None] < m) & (columns[None, :] < n), sem="relaxed")


@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, start_ptr, n, k, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr):
    """Rows start[g] to start[g + 1] of a times b[g]; programs of too high a row have nothing."""
    g = tl.program_id(1)
    low = tl.load(start_ptr + g)
    high = tl.load(start_ptr + g + 1)
    rows = low + tl.program_id(0) * M + tl.arange(0, M)
    if low + tl.program_id(0) * M >= high:
        return
    for column in range(0, n, N):
        columns = column + tl.arange(0, N)
        acc = tl.zeros((M, N), tl.float32)
        for start in range(0, k, K):
            deep = start + tl.arange(0, K)
            a = tl.load(a_ptr + rows[:, None] * k + deep, mask=(rows < high)[:, None]
                        & (deep < k)[None, :], other=0.0)
            b = tl.load(b_ptr + g * k * n + deep[:, None] * n + columns,
                        mask=(deep < k)[:, None] & (columns < n)[None, :], other=0.0)
            acc = tl.dot(a, b, acc, input_precision="ieee")
        tl.store(c_ptr + rows[:, None] * n + columns, acc,
                 mask=(rows < high)[:, None] & (columns < n)[None, :])


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, OUTER: tl.constexpr, B: tl.constexpr, M: tl.constexpr,
            N: tl.constexpr, K: tl.constexpr):
    """Products of tiles of rank 3, or of rank 4 where OUTER is more than 1."""
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    batch = tl.arange(0, OUTER * B)[:, None, None]
    a = tl.load(a_ptr + batch * (M * K) + (m * K + k[None, :])[None])
    b = tl.load(b_ptr + batch * (K * N) + (k[:, None] * N + n)[None])
    if OUTER > 1:
        a = tl.reshape(a, (OUTER, B, M, K))
        b = tl.reshape(b, (OUTER, B, K, N))
    c = tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + batch * (M * N) + (m * N + n)[None], tl.reshape(c, (OUTER * B, M, N)))


@triton.jit
def scaled(a_ptr, b_ptr, c_ptr, row_scale_ptr, column_scale_ptr, m, n, k, M: tl.constexpr,
           N: tl.constexpr, K: tl.constexpr):
    """int8 or fp8 operands; a scale for every K columns of a row of a and for each column of b."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    pieces = tl.cdiv(k, K)
    for i in range(pieces):
        deep = i * K + tl.arange(0, K)
        a_mask = (rows < m)[:, None] & (deep < k)[None, :]
        b_mask = (deep < k)[:, None] & (columns < n)[None, :]
        a = tl.load(a_ptr + rows[:, None] * k + deep, mask=a_mask)
        b = tl.load(b_ptr + deep[:, None] * n + columns, mask=b_mask)
        part = tl.dot(a, b)
        scale = tl.load(row_scale_ptr + rows * pieces + i, mask=rows < m, other=0.0)
        total += part.to(tl.float32) * scale[:, None]
    scale = tl.load(column_scale_ptr + columns, mask=columns < n, other=0.0)
    tl.store(c_ptr + rows[:, None] * n + columns, total * scale[None, :],
             mask=(rows < m)[:, None] & (columns < n)[None, :])


@triton.jit
def scaled_weights(x_ptr, w_ptr, scale_ptr, zero_ptr, y_ptr, m, n, k, GROUPS: tl.constexpr,
                   M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """y = x @ ((w - zero) * scale), w a byte each; zero by column, scale by column or, with GROUPS, by
    K rows of a column too."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    zero = tl.load(zero_ptr + columns, mask=columns < n, other=0.0)
    scale = tl.load(scale_ptr + columns, mask=columns < n, other=0.0)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        deep = start + tl.arange(0, K)
        x = tl.load(x_ptr + rows[:, None] * k + deep, mask=(rows < m)[:, None] & (deep < k),
                    other=0.0)
        w = tl.load(w_ptr + deep[:, None] * n + columns, mask=(deep < k)[:, None] & (columns < n),
                    other=0)
        if GROUPS:
            scale = tl.load(scale_ptr + start // K * n + columns, mask=columns < n, other=0.0)
        weight = (w.to(x.dtype) - zero[None, :]) * scale[None, :]
        acc = tl.dot(x, weight, acc, input_precision="ieee")
    tl.store(y_ptr + rows[:, None] * n + columns[None, :], acc,
             mask=(rows < m)[:, None] & (columns < n)[None, :])


@triton.jit
def four_bits(x_ptr, w_ptr, scale_ptr, zero_ptr, y_ptr, m, n, k, PACKED_ROWS: tl.constexpr,
              GROUP: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """y = x @ dequantised(w): two weights a byte, along k (PACKED_ROWS) or along n, low bits
    first; one scale and zero for GROUP rows of a column."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        deep = start + tl.arange(0, K)
        x = tl.load(x_ptr + rows[:, None] * k + deep, mask=(rows < m)[:, None] & (deep < k),
                    other=0.0)
        if PACKED_ROWS:
            half = start // 2 + tl.arange(0, K // 2)
            packed = tl.load(w_ptr + half[:, None] * n + columns,
                             mask=(half < k // 2)[:, None] & (columns < n)[None, :], other=0)
            pair = tl.join(packed & 15, packed >> 4)
            w = tl.reshape(tl.permute(pair, (0, 2, 1)), (K, N))
        else:
            half = tl.program_id(1) * (N // 2) + tl.arange(0, N // 2)
            packed = tl.load(w_ptr + deep[:, None] * (n // 2) + half,
                             mask=(deep < k)[:, None] & (half < n // 2)[None, :], other=0)
            w = tl.interleave(packed & 15, packed >> 4)
        at = (deep // GROUP)[:, None] * n + columns[None, :]
        inside = (deep < k)[:, None] & (columns < n)[None, :]
        zero = tl.load(zero_ptr + at, mask=inside, other=0)
        scale = tl.load(scale_ptr + at, mask=inside, other=0.0)
        weight = (w.to(tl.int8) - zero).to(x.dtype) * scale
        acc = tl.dot(x, weight.to(x.dtype), acc)
    tl.store(y_ptr + rows[:, None] * n + columns, acc,
             mask=(rows < m)[:, None] & (columns < n)[None, :])


@triton.jit
def words_of_nibbles(x_ptr, w_ptr, scale_ptr, zero_ptr, y_ptr, m, n, k, stride_x, stride_w, GROUP: tl.constexpr,
                     M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """y = x @ dequantised(w): eight weights a word along k, zeros eight a word along n, for GROUP rows."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    deep = tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    x_ptrs = x_ptr + rows[:, None] * stride_x + deep
    w_ptrs = w_ptr + (deep // 8)[:, None] * stride_w + columns
    for start in range(0, k, K):
        left = k - start
        x = tl.load(x_ptrs, mask=(rows < m)[:, None] & (deep < left), other=0.0)
        word = tl.load(w_ptrs, mask=(deep < left)[:, None] & (columns < n), other=0)
        group = start // GROUP
        scale = tl.load(scale_ptr + group * n + columns, mask=columns < n, other=0.0)
        zero = tl.load(zero_ptr + group * ((n + 7) // 8) + columns // 8, mask=columns < n, other=0)
        zero = (zero >> (columns % 8 * 4)) & 15
        w = (((word >> (deep % 8 * 4)[:, None]) & 15) - zero).to(x.dtype) * scale
        acc += tl.dot(x, w, input_precision="ieee")
        x_ptrs += K
        w_ptrs += (K // 8) * stride_w
    tl.store(y_ptr + rows[:, None] * n + columns, acc, mask=(rows < m)[:, None] & (columns < n))


@triton.jit
def chained(a_ptr, b_ptr, c_ptr, out_ptr, gram_ptr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr, P: tl.constexpr):
    """out = gate(a @ b) @ c and gram = (a @ b)^T (a @ b): results of a product as both operands."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    k, p = tl.arange(0, K), tl.arange(0, P)
    a = tl.load(a_ptr + m[:, None] * K + k)
    b = tl.load(b_ptr + k[:, None] * N + n)
    c = tl.load(c_ptr + n[:, None] * P + p)
    ab = tl.dot(a, b, input_precision="ieee")
    gate = (ab * tl.sigmoid(ab)).to(c.dtype)
    tl.store(out_ptr + m[:, None] * P + p, tl.dot(gate, c, input_precision="ieee"))
    small = ab.to(a.dtype)
    gram = tl.dot(tl.trans(small), small, input_precision="ieee")
    tl.store(gram_ptr + n[:, None] * N + n, gram)


@triton.jit
def both_gates(x_ptr, w_ptr, v_ptr, out_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr,
               K: tl.constexpr):
    """out = silu(x @ w) * (x @ v): two accumulators share an operand."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    gate = tl.zeros((M, N), tl.float32)
    up = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        deep = start + tl.arange(0, K)
        x = tl.load(x_ptr + rows[:, None] * k + deep, mask=(rows < m)[:, None] & (deep < k),
                    other=0.0)
        inside = (deep < k)[:, None] & (columns < n)[None, :]
        at = deep[:, None] * n + columns
        gate = tl.dot(x, tl.load(w_ptr + at, mask=inside, other=0.0), gate)
        up = tl.dot(x, tl.load(v_ptr + at, mask=inside, other=0.0), up)
    out = gate / (1 + tl.exp(-gate)) * up
    tl.store(out_ptr + rows[:, None] * n + columns, out.to(out_ptr.dtype.element_ty),
             mask=(rows < m)[:, None] & (columns < n)[None, :])


@triton.jit
def half_sums(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Sums in fp16: small whole numbers, so that they are exact."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k)
    b = tl.load(b_ptr + k[:, None] * N + n)
    c = tl.load(c_ptr + m[:, None] * N + n)
    c = tl.dot(a, b, c, out_dtype=tl.float16)
    tl.store(c_ptr + m[:, None] * N + n, c)


@triton.jit
def powers(x_ptr, out_ptr, exponent, N: tl.constexpr):
    """x to a power by squaring: products in a while loop and in one arm of an if."""
    n = tl.arange(0, N)
    at = n[:, None] * N + n[None, :]
    square = tl.load(x_ptr + at)
    out = tl.where(n[:, None] == n[None, :], 1.0, 0.0).to(square.dtype)
    left = exponent
    while left > 0:
        if left % 2 == 1:
            out = tl.dot(out, square, input_precision="ieee").to(square.dtype)
        square = tl.dot(square, square, input_precision="ieee").to(square.dtype)
        left //= 2
    tl.store(out_ptr + at, out)


@triton.jit
def matvec(a_ptr, x_ptr, y_ptr, z_ptr, m, k, M: tl.constexpr, K: tl.constexpr):
    """y = a @ x by sums along rows and z += a^T y by atomic additions of sums along columns."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    y = tl.zeros([M], tl.float32)
    for start in range(0, k, K):
        deep = start + tl.arange(0, K)
        a = tl.load(a_ptr + rows[:, None] * k + deep, mask=(rows < m)[:, None] & (deep < k),
                    other=0.0)
        x = tl.load(x_ptr + deep, mask=deep < k, other=0.0)
        y += tl.sum(a.to(tl.float32) * x.to(tl.float32)[None, :], axis=1)
    tl.store(y_ptr + rows, y, mask=rows < m)
    for start in range(0, k, K):
        deep = start + tl.arange(0, K)
        a = tl.load(a_ptr + rows[:, None] * k + deep, mask=(rows < m)[:, None] & (deep < k),
                    other=0.0)
        tl.atomic_add(z_ptr + deep, tl.sum(a.to(tl.float32) * y[:, None], axis=0), mask=deep < k)


@triton.jit
def gathered_rows(x_ptr, index_ptr, w_ptr, y_ptr, n, k, M: tl.constexpr, N: tl.constexpr,
                  K: tl.constexpr):
    """Rows of x that an index picks, times w; what follows adds tanh of the rows' numbers."""
    rows = tl.load(index_ptr + tl.program_id(0) * M + tl.arange(0, M))
    columns = tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32) + libdevice.tanh(rows.to(tl.float32))[:, None]
    for start in range(0, k, K):
        deep = start + tl.arange(0, K)
        x = tl.load(x_ptr + rows[:, None] * k + deep, mask=(rows >= 0)[:, None] & (deep < k),
                    other=0.0)
        w = tl.load(w_ptr + deep[:, None] * n + columns, mask=(deep < k)[:, None], other=0.0)
        acc += tl.dot(x, w)
    out = tl.program_id(0) * M + tl.arange(0, M)
    tl.store(y_ptr + out[:, None] * n + columns, acc, mask=(columns < n)[None, :])


@triton.jit
def scaled_fours(x_ptr, w_ptr, scale_ptr, y_ptr, n, k, M: tl.constexpr, N: tl.constexpr,
                 K: tl.constexpr, ALONG_K: tl.constexpr):
    """x times weights of e2m1, two a byte along K or N, with a power of two for 32 of them."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        x = tl.load(x_ptr + rows[:, None] * k + start + tl.arange(0, K)[None, :])
        if ALONG_K:
            deep = start // 2 + tl.arange(0, K // 2)
            w = tl.load(w_ptr + deep[:, None] + columns[None, :] * (k // 2))
        else:
            deep = start + tl.arange(0, K)
            packed = tl.program_id(1) * (N // 2) + tl.arange(0, N // 2)
            w = tl.load(w_ptr + deep[:, None] * (n // 2) + packed[None, :])
        group = start // 32 + tl.arange(0, K // 32)
        scale = tl.load(scale_ptr + columns[:, None] * (k // 32) + group[None, :])
        acc = tl.dot_scaled(x, None, "bf16", w, scale, "e2m1", acc, rhs_k_pack=ALONG_K)
    tl.store(y_ptr + rows[:, None] * n + columns[None, :], acc)
