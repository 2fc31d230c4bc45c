"""Time mixing of RWKV ("timex"): a causal convolution over time as long as the sequence, each
channel with weights of its own (Peng Bo, RWKV-CUDA, 2022), and its gradients.

    out[b, c, t] = eps + sum over u <= t of  w[c, T - 1 - (t - u)] * k[b, c, u]

and, for a gradient g that stands behind out,

    d_k[b, c, u] = sum over t >= u of         w[c, T - 1 - (t - u)] * g[b, c, t]
    d_w[c, T - 1 - d] = sum over b, t >= d of g[b, c, t] * k[b, c, t - d]

k, out, g: [B, C, T], w: [C, T], all fp32, times next to each other; other strides in elements.
d_k is out of the reversed sequence, so that one kernel does both.

For one channel the weights are a triangular Toeplitz matrix [T, T] that k[:, c, :] is multiplied by:
B * T**2 / 2 multiply-adds for B * T numbers, so arithmetic decides, not memory.  Two ways:
`TOEPLITZ=False` adds weight times value, one time of k after the other, with tl.fma; every load of
weights serves BLOCK_B samples.  `TOEPLITZ=True` makes blocks of the matrix from w, which has all
that is in them, and multiplies them by tl.dot; with BLOCKS above 1 such a block serves the samples
at that many blocks of times, which are rows of one product, and PRECISION says how exact it is
(`bf16x3`: relative to all of out 4e-6).  Which is faster depends on B, T and the machine:
@triton.autotune measures it for each B and T, and `tilec run --tune` does so on the command line.

d_w is summed over samples by the program of its channel, in registers and in the order of the
numbers: without a buffer [B, C, T], and the same whatever the threads do.
"""

import torch

import triton
import triton.language as tl


def configs():
    """Ways and block sizes to try."""
    blocks = [(False, 4, 128, 1, 3), (False, 8, 64, 1, 3), (True, 16, 64, 64, 3), (True, 32, 64, 64, 3),
              (True, 32, 64, 32, 1)]
    together = {"TOEPLITZ": True, "BLOCK_B": 32, "BLOCK_T": 64, "BLOCK_U": 64, "BLOCKS": 4,
                "PRECISION": "bf16x3"}
    return [
        triton.Config({"TOEPLITZ": way, "BLOCK_B": b, "BLOCK_T": t, "BLOCK_U": u, "BLOCKS": 1,
                       "PRECISION": "ieee"}, num_warps=4, num_stages=stages)
        for way, b, t, u, stages in blocks
    ] + [triton.Config(together, num_warps=4, num_stages=3)]


def weight_configs():
    """The same for timex_weight_kernel."""
    blocks = [(False, 1, 64, "ieee"), (False, 1, 256, "ieee"), (True, 16, 32, "ieee"), (True, 16, 64, "ieee"),
              (True, 16, 64, "bf16x3"), (True, 32, 64, "bf16x3")]
    return [
        triton.Config({"TOEPLITZ": way, "BLOCK_B": b, "BLOCK_T": t, "PRECISION": precision}, num_warps=4)
        for way, b, t, precision in blocks
    ]


@triton.jit
def place(time, T, REVERSED: tl.constexpr):
    """Where in a row a time stands."""
    return T - 1 - time if REVERSED else time


@triton.jit
def add_products(total, values, weights, start, stop, T, k_batch, batches, inside, times,
                 REVERSED: tl.constexpr, CAUSAL: tl.constexpr):
    """total [BLOCK_B, BLOCK_T] and what the times start <= u < stop add to it; where CAUSAL, some
    of them lie behind some of `times`, and add nothing there."""
    for u in range(start, stop):
        x = tl.load(values + batches * k_batch + place(u, T, REVERSED), mask=inside, other=0.0)
        lag = times - u
        near = times < T
        if CAUSAL:
            near = near & (lag >= 0)
        w = tl.load(weights + (T - 1) - lag, mask=near, other=0.0)
        more = tl.fma(x[:, None], w[None, :], total)
        total = tl.where(near[None, :], more, total) if CAUSAL else more
    return total


@triton.jit
def add_blocks(total, values, weights, first, T, k_batch, batches, inside, times,
               BLOCK_U: tl.constexpr, REVERSED: tl.constexpr):
    """total and what all times add to it, by blocks of the Toeplitz matrix, BLOCK_U times each."""
    for start in range(0, tl.minimum(first + times.shape[0], T), BLOCK_U):
        u = start + tl.arange(0, BLOCK_U)
        x = tl.load(values + batches[:, None] * k_batch + place(u, T, REVERSED)[None, :],
                    mask=inside[:, None] & (u < T)[None, :], other=0.0)
        lag = times[None, :] - u[:, None]
        w = tl.load(weights + (T - 1) - lag, mask=(lag >= 0) & (times < T)[None, :], other=0.0)
        total = tl.dot(x, w, total, input_precision="ieee")
    return total


@triton.jit
def sum_blocks(total, values, weights, blocks, T, k_batch, batches, inside, many,
               BLOCK_T: tl.constexpr, BLOCK_U: tl.constexpr, PRECISION: tl.constexpr,
               REVERSED: tl.constexpr):
    """total [rows, BLOCK_T], of sample `batches` in block of times `blocks` for each row, and what
    all times add to it, from the last one of its block back, BLOCK_U times each, `many` blocks at
    most: so rows of all blocks take the same block of the Toeplitz matrix."""
    columns = tl.arange(0, BLOCK_U)
    us = BLOCK_U - 1 - columns if REVERSED else columns  # so that addresses go up
    lag = tl.arange(0, BLOCK_T)[None, :] - us[:, None] - BLOCK_T
    for back in range(BLOCK_U, many * BLOCK_T + BLOCK_U, BLOCK_U):
        start = (blocks + 1) * BLOCK_T - back
        at = (T - BLOCK_U - start if REVERSED else start)[:, None] + columns[None, :]
        x = tl.load(values + batches[:, None] * k_batch + at,
                    mask=inside[:, None] & (at >= 0) & (at < T), other=0.0)
        now = lag + back
        w = tl.load(weights + (T - 1) - now, mask=(now >= 0) & (now < T), other=0.0)
        total = tl.dot(x, w, total, input_precision=PRECISION)
    return total


# tilec: call tuned --grid cdiv(T,BLOCK_T*BLOCKS),w.shape(0),cdiv(B,BLOCK_B) --device cpu,sim
#     B=3 T=75 k=randn(fp32, (B, 4, T)) w=randn(fp32, (4, T)) out=empty(fp32, (B, 4, T))
#     eps=0.5 k_batch=k.stride(0) k_channel=k.stride(1) w_channel=w.stride(0)
#     out_batch=out.stride(0) out_channel=out.stride(1) REVERSED=False
# tilec: call sums --call tuned TOEPLITZ=False BLOCK_B=4 BLOCK_T=32 BLOCK_U=1
# tilec: call blocks --call sums TOEPLITZ=True BLOCK_U=16
# tilec: call together --call blocks BLOCK_U=32 BLOCKS=2
# tilec: call reversed --call blocks REVERSED=True eps=0.0
# tilec: call one --call sums B=1 T=1 --compare out=k*w+0.5
@triton.autotune(configs=configs(), key=["B", "T"])
@triton.jit
def timex_kernel(k, w, out, B, T, eps, k_batch, k_channel, w_channel, out_batch, out_channel,
                 TOEPLITZ: tl.constexpr, BLOCK_B: tl.constexpr, BLOCK_T: tl.constexpr,
                 BLOCK_U: tl.constexpr, REVERSED: tl.constexpr = False,
                 BLOCKS: tl.constexpr = 1, PRECISION: tl.constexpr = "ieee"):
    """out as above; with REVERSED, eps 0 and g for k it is d_k.

    Grid: (cdiv(T, BLOCK_T * BLOCKS), C, cdiv(B, BLOCK_B)).  BLOCK_U, which divides BLOCK_T where BLOCKS
    is above 1, counts for TOEPLITZ alone, where a NaN or infinity in k also spoils the times before it
    that are in its block.
    """
    channel = tl.program_id(1).to(tl.int64)
    if BLOCKS > 1:
        rows = tl.arange(0, BLOCKS * BLOCK_B)
        first = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCKS  # the longest programs begin
        block = first + rows // BLOCK_B
        batches = tl.program_id(2) * BLOCK_B + rows % BLOCK_B
        inside = batches < B
        batches = batches.to(tl.int64)
        total = tl.full([BLOCKS * BLOCK_B, BLOCK_T], eps, tl.float32)
        total = sum_blocks(total, k + channel * k_channel, w + channel * w_channel, block, T,
                           k_batch, batches, inside,
                           tl.minimum(first + BLOCKS, tl.cdiv(T, BLOCK_T)), BLOCK_T, BLOCK_U,
                           PRECISION, REVERSED)
        times = block[:, None] * BLOCK_T + tl.arange(0, BLOCK_T)[None, :]
        tl.store(out + channel * out_channel + batches[:, None] * out_batch
                 + place(times, T, REVERSED), total, mask=inside[:, None] & (times < T))
    else:
        first = tl.program_id(0) * BLOCK_T
        batches = tl.program_id(2) * BLOCK_B + tl.arange(0, BLOCK_B)
        times = first + tl.arange(0, BLOCK_T)
        inside = batches < B
        total = tl.full([BLOCK_B, BLOCK_T], eps, tl.float32)
        batches = batches.to(tl.int64)
        k += channel * k_channel
        w += channel * w_channel
        if TOEPLITZ:
            total = add_blocks(total, k, w, first, T, k_batch, batches, inside, times, BLOCK_U,
                               REVERSED)
        else:
            total = add_products(total, k, w, 0, first, T, k_batch, batches, inside, times, REVERSED,
                                 False)
            total = add_products(total, k, w, first, tl.minimum(first + BLOCK_T, T), T, k_batch,
                                 batches, inside, times, REVERSED, True)
        target = out + channel * out_channel + batches[:, None] * out_batch
        tl.store(target + place(times, T, REVERSED)[None, :], total,
                 mask=inside[:, None] & (times < T)[None, :])


@triton.jit
def sum_products(g, k, first, B, T, g_batch, k_batch, BLOCK: tl.constexpr):
    """d_w for the BLOCK lags from `first` on."""
    lags = first + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for b in range(B):
        row = k + b.to(tl.int64) * k_batch
        gradients = g + b.to(tl.int64) * g_batch
        for t in range(first, T):
            values = tl.load(row + t - lags, mask=lags <= t, other=0.0)
            total = tl.fma(tl.load(gradients + t), values, total)
    return total


@triton.jit
def block_products(g, k, block, B, T, g_batch, k_batch, BLOCK: tl.constexpr,
                   BLOCK_B: tl.constexpr, PRECISION: tl.constexpr):
    """[BLOCK, BLOCK]: sum over samples and over blocks j of g[j * BLOCK + r] * k[(j - block) *
    BLOCK + s] at [r, s]; its diagonal r - s = d belongs to the lag block * BLOCK + d."""
    steps = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for start in range(0, B, BLOCK_B):
        batches = (start + tl.arange(0, BLOCK_B)).to(tl.int64)
        inside = batches < B
        for late in range(block * BLOCK, T, BLOCK):
            early = late - block * BLOCK
            a = tl.load(g + (late + steps)[:, None] + batches[None, :] * g_batch,
                        mask=(late + steps < T)[:, None] & inside[None, :], other=0.0)
            x = tl.load(k + batches[:, None] * k_batch + (early + steps)[None, :],
                        mask=inside[:, None] & (early + steps < T)[None, :], other=0.0)
            total = tl.dot(a, x, total, input_precision=PRECISION)
    return total


@triton.jit
def diagonal_sums(products, BLOCK: tl.constexpr):
    """Sums over the diagonals r - s = d of a square tile: of d = 0 .. BLOCK - 1, and of d - BLOCK,
    of which the first is 0."""
    rows = tl.arange(0, BLOCK)[:, None]
    diagonals = tl.arange(0, BLOCK)[None, :]
    column = rows - diagonals
    below = tl.gather(products, tl.maximum(column, 0), axis=1)
    above = tl.gather(products, tl.minimum(column + BLOCK, BLOCK - 1), axis=1)
    return (tl.sum(tl.where(column >= 0, below, 0.0), axis=0),
            tl.sum(tl.where(column < 0, above, 0.0), axis=0))


# tilec: call tuned --grid d_w.shape(0) --device cpu,sim
#     B=3 T=75 k=randn(fp32, (B, 4, T)) g=randn(fp32, (B, 4, T)) d_w=empty(fp32, (4, T))
#     g_batch=g.stride(0) g_channel=g.stride(1) k_batch=k.stride(0) k_channel=k.stride(1)
#     w_channel=d_w.stride(0)
# tilec: call sums --call tuned TOEPLITZ=False BLOCK_B=1 BLOCK_T=32
# tilec: call blocks --call sums TOEPLITZ=True BLOCK_B=4 BLOCK_T=16
# tilec: call one --call sums B=2 T=1 --compare d_w=(g*k).sum(0)
@triton.autotune(configs=weight_configs(), key=["B", "T"])
@triton.jit
def timex_weight_kernel(g, k, d_w, B, T, g_batch, g_channel, k_batch, k_channel, w_channel,
                        TOEPLITZ: tl.constexpr, BLOCK_B: tl.constexpr, BLOCK_T: tl.constexpr,
                        PRECISION: tl.constexpr = "ieee"):
    """d_w as above; program c does channel c, BLOCK_T lags at a time.

    By blocks, those of the times of g that lie `block` blocks behind those of k are multiplied, and
    the diagonals of what comes out summed: half of them are lags of this block, half of the one
    before, and wait for it.
    """
    channel = tl.program_id(0).to(tl.int64)
    g += channel * g_channel
    k += channel * k_channel
    d_w += channel * w_channel + T - 1
    lags = tl.arange(0, BLOCK_T)
    later = tl.zeros([BLOCK_T], tl.float32)
    blocks = tl.cdiv(T, BLOCK_T)
    for i in range(blocks):
        block = blocks - 1 - i
        if TOEPLITZ:
            products = block_products(g, k, block, B, T, g_batch, k_batch, BLOCK_T, BLOCK_B,
                                      PRECISION)
            total, before = diagonal_sums(products, BLOCK_T)
            total += later
            later = before
        else:
            total = sum_products(g, k, block * BLOCK_T, B, T, g_batch, k_batch, BLOCK_T)
        at = block * BLOCK_T + lags
        tl.store(d_w - at, total, mask=at < T)


def run(k, w, out, eps, backwards=False):
    B, C, T = k.shape
    grid = lambda meta: (triton.cdiv(T, meta["BLOCK_T"] * meta["BLOCKS"]), C,
                         triton.cdiv(B, meta["BLOCK_B"]))
    timex_kernel[grid](k, w, out, B, T, eps, k.stride(0), k.stride(1), w.stride(0), out.stride(0),
                       out.stride(1), REVERSED=backwards)
    return out


def timex(k: torch.Tensor, w: torch.Tensor, eps: float = 0.0) -> torch.Tensor:
    """out of k [B, C, T] and w [C, T]."""
    return run(k, w, torch.empty_like(k), eps)


def timex_gradients(g: torch.Tensor, k: torch.Tensor, w: torch.Tensor):
    """d_k and d_w for the gradient g of out."""
    B, C, T = k.shape
    d_w = torch.empty_like(w)
    timex_weight_kernel[(C,)](g, k, d_w, B, T, g.stride(0), g.stride(1), k.stride(0), k.stride(1),
                              d_w.stride(0))
    return run(g, w, torch.empty_like(k), 0.0, backwards=True), d_w


def reference(k: torch.Tensor, w: torch.Tensor, eps: float = 0.0) -> torch.Tensor:
    """The same as a depthwise convolution."""
    T = k.shape[2]
    padded = torch.nn.functional.pad(k, (T - 1, 0))
    return torch.nn.functional.conv1d(padded, w[:, None], groups=w.shape[0]) + eps


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(8, 64, 768, device="cuda", requires_grad=True)
    h = torch.randn(64, 768, device="cuda", requires_grad=True)
    want = reference(x, h)
    got = timex(x.detach(), h.detach())
    behind = torch.randn_like(got)
    want.backward(behind)
    by_x, by_h = timex_gradients(behind, x.detach(), h.detach())
    for mine, other in ((got, want), (by_x, x.grad), (by_h, h.grad)):
        print(((mine - other).abs().max() / other.abs().max()).item())
    print(triton.testing.do_bench(lambda: timex(x.detach(), h.detach())), "ms")
