"""Parts of tiles as values and as targets, at places that the launch or a loop knows, and block
pointers of which not every dimension is checked."""
import triton
import triton.language as tl


@triton.jit
def rows_columns(x, out, i, M: tl.constexpr, N: tl.constexpr):
    p = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + p)
    for k in range(M):
        v[k, :] = v[k, :] + v[(k + i) % M, :]
        v[k, k % N] = 5
        if k % 2 == 1:
            v[:, 0:1] = v[:, -1:]
    v[i % M] += 1
    v[:, i % N] *= 2
    v[..., 0] -= 3
    tl.store(out + p, v)


@triton.jit
def swapped(t, i, j):
    a, b = t
    a[i], b[j] = b[i], a[j]
    return (a, b)


@triton.jit
def swaps(x, out, i, j, N: tl.constexpr):
    n = tl.arange(0, N)
    t = (tl.load(x + n), tl.load(x + N + n))
    for q in range(3):
        t = swapped(t, (i + q) % N, (j + q * 2) % N)
    tl.store(out + n, t[0])
    tl.store(out + N + n, t[1])


@triton.jit
def slices(x, out, i, N: tl.constexpr, W: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    a = v[i:i + W]
    v[i:i + W] = tl.flip(a, 0) + 100
    tl.store(out + tl.arange(0, N), v)
    tl.store(out + N + tl.arange(0, W), a)
    tl.store(out + N + W + tl.arange(0, 2), v[1:][i * 2:(i + 1) * 2])


@triton.jit
def places(x, index, out, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr):
    r = tl.arange(0, P)
    v = tl.load(x + tl.arange(0, N)[:, None, None] * (K * P) + tl.arange(0, K)[None, :, None] * P + r[None, None, :])
    at = tl.load(index + tl.arange(0, 6)).reshape(2, 3)
    tl.store(out + tl.arange(0, N * 6 * P), v[:, at % K, :].ravel())
    tl.store(out + N * 6 * P + tl.arange(0, 3 * P), v[at[0] % N, 0].ravel())
    tl.store(out + (N * 6 + 3) * P + tl.arange(0, N * K * 6), v[..., at % P].ravel())


@triton.jit
def bubbles(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    for a in range(N):
        for b in range(N - 1):
            if v[b] > v[b + 1]:
                v[b], v[b + 1] = v[b + 1], v[b]
    tl.store(out + i, v)


@triton.jit
def half_checked(x, out, M, N, i, j, BM: tl.constexpr, BN: tl.constexpr, CHECKED: tl.constexpr, BEFORE: tl.constexpr):
    b = tl.make_block_ptr(x + BEFORE, shape=(M, N), strides=(N, 1), offsets=(i, j), block_shape=(BM, BN), order=(1, 0))
    v = tl.load(b, boundary_check=CHECKED, padding_option="zero")
    tl.store(out + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], v)
