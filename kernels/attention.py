"""Attention and its gradients, without the matrix of scores in memory (Dao et al., FlashAttention,
2022; Dao, FlashAttention-2, 2023; the softmax as it goes along by Milakov and Gimelshein, 2018).

    s = scale * q k^T,    p = softmax of the rows of s,    out = p v

and, for a gradient d_out that stands behind out,

    d_v = p^T d_out,      d_s = p * (d_out v^T - delta),   delta[i] = sum over d of d_out * out,
    d_q = scale * d_s k,  d_k = scale * d_s^T q

scale is positive.  q, out: [batch, heads, q_length, D], k, v: [batch, kv_heads, k_length, D], fp32,
fp16 or bf16, the D elements of a row next to each other, other strides free.  heads is a multiple of
kv_heads: query head h attends to key head h // (heads // kv_heads).  lse: [batch, heads, q_length],
fp32, the logarithm of the sum of exp(s) of each row, which is all that the gradients need of the
softmax.

Causal means aligned to the end, as FlashAttention (2.1 and later) and PyTorch's causal_lower_right
have it: query i sees the keys up to i + k_length - q_length, so that the last query sees all.  (The
flag is_causal of PyTorch's scaled_dot_product_attention is aligned to the start; for q_length =
k_length they are the same.)  A row that sees no key is 0, with lse -inf and without gradients.

Arithmetic bounds it: 4 * D operations for a score, 10 * D of the gradients.  A program keeps its
queries (of d_k and d_v: its keys) in registers and walks over the others, so what is in memory is
read once a program, and the scores never are.  Blocks that all its rows see need no mask, and those
that none sees are not visited.  Sums are fp32; weights and d_s are rounded to the inputs' dtype in
front of a product.  Each element of the gradients is summed by one program in one order: no atomics.

Products do not know masks: 0 * NaN is NaN.  So a NaN or infinity in v spoils the rows that share a
block with it, even those that do not see its key.
"""

import torch

import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)  # exp(x) = exp2(x * LOG2E), and a GPU has exp2


def configs(m, n):
    """Block shapes to try; m and n: the names of the one that stays and the one that moves."""
    blocks = [(128, 128, 8, 3), (128, 64, 8, 3), (128, 32, 4, 3), (64, 64, 8, 2), (64, 64, 4, 3), (64, 32, 8, 2),
              (64, 32, 4, 2), (32, 32, 4, 2)]
    return [
        triton.Config({m: stays, n: moves}, num_warps=warps, num_stages=stages)
        for stays, moves, warps, stages in blocks
    ]


def fitting(m, sums):
    """For prune_configs_by: the configurations whose sums, `sums` tiles of [block m, BLOCK_D], take at
    most half of a GPU thread's registers, or the last, smallest one.  Others spill thousands of bytes
    where D is large."""
    def prune(configs, named_args, BLOCK_D, **others):
        fit = [c for c in configs if sums * c.kwargs[m] * BLOCK_D <= 128 * 32 * c.num_warps]
        return fit or configs[-1:]

    return {"early_config_prune": prune}


@triton.jit
def load_rows(x, first, length, stride, BLOCK: tl.constexpr, D: tl.constexpr,
              BLOCK_D: tl.constexpr, WHOLE: tl.constexpr):
    """BLOCK rows of x from `first` on; 0 behind the end, where not WHOLE says that all are there."""
    rows = tl.arange(0, BLOCK)
    columns = tl.arange(0, BLOCK_D)
    inside = (columns < D)[None, :]
    if not WHOLE:
        inside = inside & (first + rows < length)[:, None]
    return tl.load(x + tl.cast(first, tl.int64) * stride + rows[:, None] * stride +
                   columns[None, :], mask=inside, other=0.0)


@triton.jit
def store_rows(x, first, length, stride, values, D: tl.constexpr):
    """Those of the tile's rows and columns that are there."""
    rows = tl.arange(0, values.shape[0])
    columns = tl.arange(0, values.shape[1])
    tl.store(x + tl.cast(first, tl.int64) * stride + rows[:, None] * stride + columns[None, :],
             values, mask=(first + rows < length)[:, None] & (columns < D)[None, :])


@triton.jit
def keys_seen(rows, q_length, k_length, CAUSAL: tl.constexpr):
    """How many keys the queries see, from the first on."""
    if CAUSAL:
        return tl.maximum(tl.minimum(rows + (1 + k_length - q_length), k_length), 0)
    else:
        return rows * 0 + k_length


@triton.jit
def attend(total, sums, top, q_tile, k, v, seen, start, stop, k_length, k_row, v_row, factor,
           BLOCK: tl.constexpr, D: tl.constexpr, BLOCK_D: tl.constexpr, WHOLE: tl.constexpr):
    """The softmax of the keys so far and of those from start to stop.

    total [rows, BLOCK_D]: sum of exp2(s - top) * v; sums: of exp2(s - top); top: the largest s, -inf
    at first; s in units of log2, of which there are factor in one of q k^T.  WHOLE: all rows see all these keys.
    """
    for first in range(start, stop, BLOCK):
        k_tile = load_rows(k, first, k_length, k_row, BLOCK, D, BLOCK_D, WHOLE)
        s = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee")
        if not WHOLE:
            keys = first + tl.arange(0, BLOCK)
            s = tl.where(keys[None, :] < seen[:, None], s, -float("inf"))
        highest = tl.maximum(top, tl.max(s, axis=1) * factor)  # as factor is positive
        # exp2(-inf - 0) is 0 where exp2(-inf - -inf) were NaN
        base = tl.where(highest == -float("inf"), 0.0, highest)
        weights = tl.exp2(s * factor - base[:, None])
        fade = tl.exp2(top - base)
        sums = sums * fade + tl.sum(weights, axis=1)
        v_tile = load_rows(v, first, k_length, v_row, BLOCK, D, BLOCK_D, WHOLE)
        total = tl.dot(weights.to(v_tile.dtype), v_tile, total * fade[:, None],
                       input_precision="ieee")
        top = highest
    return total, sums, top


# tilec: call tuned --grid cdiv(q_length,BLOCK_M),q.shape(1),q.shape(0) --device cpu,sim
#     q_length=64 k_length=64 D=32 BLOCK_D=D CAUSAL=False
#     q=randn(fp32, (2, 2, q_length, D)) k=randn(fp32, (2, 2, k_length, D))
#     v=randn(fp32, (2, 2, k_length, D)) out=empty(fp32, (2, 2, q_length, D))
#     lse=empty(fp32, (2, 2, q_length)) scale=0.18 group=q.shape(1)//k.shape(1)
#     q_batch=q.stride(0) q_head=q.stride(1) q_row=q.stride(2)
#     k_batch=k.stride(0) k_head=k.stride(1) k_row=k.stride(2)
#     v_batch=v.stride(0) v_head=v.stride(1) v_row=v.stride(2)
#     out_batch=out.stride(0) out_head=out.stride(1) out_row=out.stride(2)
# tilec: call full --call tuned BLOCK_M=32 BLOCK_N=32
# tilec: call causal --call full CAUSAL=True
# tilec: call grouped --call full q=randn(fp32, (1, 6, q_length, D)) k=randn(fp32, (1, 2, k_length, D))
#     v=randn(fp32, (1, 2, k_length, D)) out=empty(fp32, (1, 6, q_length, D))
#     lse=empty(fp32, (1, 6, q_length)) BLOCK_N=16
# tilec: call odd --call causal q_length=37 k_length=75 D=24
# tilec: call half --call causal q_length=50 k_length=50 D=80
#     q=randn(fp16, (1, 2, q_length, D)) k=randn(fp16, (1, 2, k_length, D))
#     v=randn(fp16, (1, 2, k_length, D)) out=empty(fp16, (1, 2, q_length, D))
#     lse=empty(fp32, (1, 2, q_length)) BLOCK_D=128 --compare out=interp, 1e-2, 2e-3
# tilec: call blind --call odd q_length=75 k_length=10    # the first 65 queries see nothing
# tilec: call one --call odd q_length=1 k_length=1 --compare out=v
@triton.autotune(configs=configs("BLOCK_M", "BLOCK_N"), key=["D", "CAUSAL"],
                 prune_configs_by=fitting("BLOCK_M", 1))
@triton.jit
def attention_kernel(q, k, v, out, lse, scale, group, q_length, k_length, q_batch, q_head, q_row,
                     k_batch, k_head, k_row, v_batch, v_head, v_row, out_batch, out_head, out_row,
                     CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_D: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """out and lse of BLOCK_M queries of one head.

    group: heads / kv_heads; strides in elements; BLOCK_D >= D.  Grid: (cdiv(q_length, BLOCK_M),
    heads, batch); where causal, the queries that see most begin.
    """
    tile = tl.num_programs(0) - 1 - tl.program_id(0) if CAUSAL else tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    batch = tl.program_id(2).to(tl.int64)
    q += batch * q_batch + head * q_head
    k += batch * k_batch + head // group * k_head
    v += batch * v_batch + head // group * v_head
    out += batch * out_batch + head * out_head
    lse += (batch * tl.num_programs(1) + head) * q_length

    first = tile * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    seen = keys_seen(rows, q_length, k_length, CAUSAL)
    by_all = keys_seen(first, q_length, k_length, CAUSAL) // BLOCK_N * BLOCK_N
    by_any = keys_seen(first + (BLOCK_M - 1), q_length, k_length, CAUSAL)
    q_tile = load_rows(q, first, q_length, q_row, BLOCK_M, D, BLOCK_D, False)
    total = tl.zeros([BLOCK_M, BLOCK_D], tl.float32)
    sums = tl.zeros([BLOCK_M], tl.float32)
    top = tl.full([BLOCK_M], -float("inf"), tl.float32)
    factor = scale * LOG2E
    total, sums, top = attend(total, sums, top, q_tile, k, v, seen, 0, by_all, k_length, k_row,
                              v_row, factor, BLOCK_N, D, BLOCK_D, True)
    total, sums, top = attend(total, sums, top, q_tile, k, v, seen, by_all, by_any, k_length, k_row,
                              v_row, factor, BLOCK_N, D, BLOCK_D, False)
    divisor = tl.where(sums == 0, 1.0, sums)
    store_rows(out, first, q_length, out_row, total / divisor[:, None], D)
    tl.store(lse + rows, (top + tl.log2(divisor)) / LOG2E, mask=rows < q_length)


@triton.jit
def load_lse(lse, rows, length):
    """In units of log2; inf, with which every weight is 0, for rows that see nothing or are not
    there."""
    values = tl.load(lse + rows, mask=rows < length, other=-float("inf"))
    return tl.where(values == -float("inf"), float("inf"), values * LOG2E)


@triton.jit
def add_query_gradients(d_q, q_tile, d_out_tile, base, delta, k, v, seen, start, stop, k_length,
                        k_row, v_row, factor, BLOCK: tl.constexpr, D: tl.constexpr,
                        BLOCK_D: tl.constexpr, WHOLE: tl.constexpr):
    """d_q / scale and what the keys from start to stop add to it; WHOLE: all rows see them."""
    for first in range(start, stop, BLOCK):
        k_tile = load_rows(k, first, k_length, k_row, BLOCK, D, BLOCK_D, WHOLE)
        v_tile = load_rows(v, first, k_length, v_row, BLOCK, D, BLOCK_D, WHOLE)
        s = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee") * factor
        d_p = tl.dot(d_out_tile, tl.trans(v_tile), input_precision="ieee")
        p = tl.exp2(s - base[:, None])
        if not WHOLE:
            keys = first + tl.arange(0, BLOCK)
            p = tl.where(keys[None, :] < seen[:, None], p, 0.0)
        d_s = p * (d_p - delta[:, None])
        d_q = tl.dot(d_s.to(k_tile.dtype), k_tile, d_q, input_precision="ieee")
    return d_q


# tilec: call tuned --grid cdiv(q_length,BLOCK_M),q.shape(1),q.shape(0) --device cpu,sim
#     q_length=64 k_length=64 D=32 BLOCK_D=D CAUSAL=False
#     q=randn(fp32, (2, 2, q_length, D)) k=randn(fp32, (2, 2, k_length, D))
#     v=randn(fp32, (2, 2, k_length, D)) out=randn(fp32, (2, 2, q_length, D))
#     d_out=randn(fp32, (2, 2, q_length, D)) lse=rand(fp32, (2, 2, q_length)) + 4
#     delta=empty(fp32, (2, 2, q_length)) d_q=empty(fp32, (2, 2, q_length, D))
#     scale=0.18 group=q.shape(1)//k.shape(1)
#     q_batch=q.stride(0) q_head=q.stride(1) q_row=q.stride(2)
#     k_batch=k.stride(0) k_head=k.stride(1) k_row=k.stride(2)
#     v_batch=v.stride(0) v_head=v.stride(1) v_row=v.stride(2)
#     out_batch=out.stride(0) out_head=out.stride(1) out_row=out.stride(2)
# tilec: call full --call tuned BLOCK_M=32 BLOCK_N=32
# tilec: call causal --call full CAUSAL=True
# tilec: call odd --call causal q_length=37 k_length=75 D=24 BLOCK_N=16
# tilec: call blind --call odd q_length=75 k_length=10
@triton.autotune(configs=configs("BLOCK_M", "BLOCK_N"), key=["D", "CAUSAL"],
                 prune_configs_by=fitting("BLOCK_M", 1))
@triton.jit
def attention_query_kernel(q, k, v, out, d_out, lse, delta, d_q, scale, group, q_length, k_length,
                           q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
                           out_batch, out_head, out_row, CAUSAL: tl.constexpr, D: tl.constexpr,
                           BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """d_q of BLOCK_M queries of one head, and delta, for attention_key_kernel.

    d_out and d_q have the strides of out; delta is like lse; the rest, and the grid, as of
    attention_kernel.
    """
    tile = tl.num_programs(0) - 1 - tl.program_id(0) if CAUSAL else tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    batch = tl.program_id(2).to(tl.int64)
    q += batch * q_batch + head * q_head
    k += batch * k_batch + head // group * k_head
    v += batch * v_batch + head // group * v_head
    at_out = batch * out_batch + head * out_head
    at_row = (batch * tl.num_programs(1) + head) * q_length

    first = tile * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    seen = keys_seen(rows, q_length, k_length, CAUSAL)
    by_all = keys_seen(first, q_length, k_length, CAUSAL) // BLOCK_N * BLOCK_N
    by_any = keys_seen(first + (BLOCK_M - 1), q_length, k_length, CAUSAL)
    q_tile = load_rows(q, first, q_length, q_row, BLOCK_M, D, BLOCK_D, False)
    d_out_tile = load_rows(d_out + at_out, first, q_length, out_row, BLOCK_M, D, BLOCK_D, False)
    out_tile = load_rows(out + at_out, first, q_length, out_row, BLOCK_M, D, BLOCK_D, False)
    own = tl.sum(d_out_tile.to(tl.float32) * out_tile.to(tl.float32), axis=1)
    tl.store(delta + at_row + rows, own, mask=rows < q_length)
    base = load_lse(lse + at_row, rows, q_length)
    factor = scale * LOG2E
    total = tl.zeros([BLOCK_M, BLOCK_D], tl.float32)
    total = add_query_gradients(total, q_tile, d_out_tile, base, own, k, v, seen, 0, by_all,
                                k_length, k_row, v_row, factor, BLOCK_N, D, BLOCK_D, True)
    total = add_query_gradients(total, q_tile, d_out_tile, base, own, k, v, seen, by_all, by_any,
                                k_length, k_row, v_row, factor, BLOCK_N, D, BLOCK_D, False)
    store_rows(d_q + at_out, first, q_length, out_row, total * scale, D)


@triton.jit
def add_key_gradients(d_k, d_v, k_tile, v_tile, keys, q, d_out, lse, delta, start, stop, q_length,
                      k_length, q_row, out_row, factor, BLOCK: tl.constexpr, D: tl.constexpr,
                      BLOCK_D: tl.constexpr, WHOLE: tl.constexpr):
    """d_k / scale and d_v, and what the queries from start to stop add to them, by tiles [keys,
    queries]; WHOLE: all of them see all of `keys`."""
    for first in range(start, stop, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        q_tile = load_rows(q, first, q_length, q_row, BLOCK, D, BLOCK_D, False)
        d_out_tile = load_rows(d_out, first, q_length, out_row, BLOCK, D, BLOCK_D, False)
        base = load_lse(lse, rows, q_length)
        own = tl.load(delta + rows, mask=rows < q_length, other=0.0)
        s = tl.dot(k_tile, tl.trans(q_tile), input_precision="ieee") * factor
        if BLOCK_D <= 64:  # where a GPU's registers hold it beside p, the unit has it to do meanwhile
            d_p = tl.dot(v_tile, tl.trans(d_out_tile), input_precision="ieee")
        p = tl.exp2(s - base[None, :])
        if not WHOLE:
            seen = keys_seen(rows, q_length, k_length, True)
            p = tl.where(keys[:, None] < seen[None, :], p, 0.0)
        d_v = tl.dot(p.to(d_out_tile.dtype), d_out_tile, d_v, input_precision="ieee")
        if BLOCK_D > 64:
            d_p = tl.dot(v_tile, tl.trans(d_out_tile), input_precision="ieee")
        d_s = p * (d_p - own[None, :])
        d_k = tl.dot(d_s.to(q_tile.dtype), q_tile, d_k, input_precision="ieee")
    return d_k, d_v


# tilec: call tuned --grid cdiv(k_length,BLOCK_N),k.shape(1),k.shape(0) --device cpu,sim
#     q_length=64 k_length=64 D=32 BLOCK_D=D CAUSAL=False
#     q=randn(fp32, (2, 4, q_length, D)) k=randn(fp32, (2, 2, k_length, D))
#     v=randn(fp32, (2, 2, k_length, D)) d_out=randn(fp32, (2, 4, q_length, D))
#     lse=rand(fp32, (2, 4, q_length)) + 4 delta=randn(fp32, (2, 4, q_length))
#     d_k=empty(fp32, (2, 2, k_length, D)) d_v=empty(fp32, (2, 2, k_length, D))
#     scale=0.18 group=q.shape(1)//k.shape(1)
#     q_batch=q.stride(0) q_head=q.stride(1) q_row=q.stride(2)
#     k_batch=k.stride(0) k_head=k.stride(1) k_row=k.stride(2)
#     v_batch=v.stride(0) v_head=v.stride(1) v_row=v.stride(2)
#     out_batch=d_out.stride(0) out_head=d_out.stride(1) out_row=d_out.stride(2)
# tilec: call full --call tuned BLOCK_M=32 BLOCK_N=32
# tilec: call causal --call full CAUSAL=True
# tilec: call odd --call causal q_length=37 k_length=75 D=24 BLOCK_M=16
# tilec: call blind --call odd q_length=75 k_length=10
@triton.autotune(configs=configs("BLOCK_N", "BLOCK_M"), key=["D", "CAUSAL"],
                 prune_configs_by=fitting("BLOCK_N", 2))
@triton.jit
def attention_key_kernel(q, k, v, d_out, lse, delta, d_k, d_v, scale, group, q_length, k_length,
                         q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
                         out_batch, out_head, out_row, CAUSAL: tl.constexpr, D: tl.constexpr,
                         BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """d_k and d_v of BLOCK_N keys of one kv head, summed over the query heads that share it.

    d_out has the strides of out; d_k, d_v: contiguous [batch, kv_heads, k_length, D].  Grid:
    (cdiv(k_length, BLOCK_N), kv_heads, batch).
    """
    kv_head = tl.program_id(1).to(tl.int64)
    batch = tl.program_id(2).to(tl.int64)
    k += batch * k_batch + kv_head * k_head
    v += batch * v_batch + kv_head * v_head
    at = (batch * tl.num_programs(1) + kv_head) * k_length * D
    first = tl.program_id(0) * BLOCK_N
    keys = first + tl.arange(0, BLOCK_N)
    start = 0  # the first block of queries of which one sees one of the keys
    by_all = 0  # and the first of which all see all
    if CAUSAL:
        start = tl.maximum(first - (k_length - q_length), 0) // BLOCK_M * BLOCK_M
        last = tl.maximum(first + (BLOCK_N - 1) - (k_length - q_length), 0)
        by_all = tl.minimum(tl.cdiv(last, BLOCK_M) * BLOCK_M, q_length)
    k_tile = load_rows(k, first, k_length, k_row, BLOCK_N, D, BLOCK_D, False)
    v_tile = load_rows(v, first, k_length, v_row, BLOCK_N, D, BLOCK_D, False)
    total_k = tl.zeros([BLOCK_N, BLOCK_D], tl.float32)
    total_v = tl.zeros([BLOCK_N, BLOCK_D], tl.float32)
    factor = scale * LOG2E
    for member in range(group):
        head = kv_head * group + member
        q_one = q + batch * q_batch + head * q_head
        d_out_one = d_out + batch * out_batch + head * out_head
        at_row = (batch * tl.num_programs(1) * group + head) * q_length
        if CAUSAL:
            total_k, total_v = add_key_gradients(
                total_k, total_v, k_tile, v_tile, keys, q_one, d_out_one, lse + at_row,
                delta + at_row, start, by_all, q_length, k_length, q_row, out_row, factor, BLOCK_M,
                D, BLOCK_D, False)
        total_k, total_v = add_key_gradients(
            total_k, total_v, k_tile, v_tile, keys, q_one, d_out_one, lse + at_row, delta + at_row,
            by_all, q_length, q_length, k_length, q_row, out_row, factor, BLOCK_M, D, BLOCK_D, True)
    store_rows(d_k + at, first, k_length, D, total_k * scale, D)
    store_rows(d_v + at, first, k_length, D, total_v, D)


def launch_arguments(q, k, v, out, causal, scale):
    """What all three kernels take behind their arrays."""
    D = q.shape[3]
    strides = [s for x in (q, k, v, out) for s in x.stride()[:3]]
    numbers = (scale, q.shape[1] // k.shape[1], q.shape[2], k.shape[2], *strides)
    return numbers, {"CAUSAL": causal, "D": D, "BLOCK_D": max(16, triton.next_power_of_2(D))}


def attention_forward(q, k, v, causal, scale):
    """out and lse."""
    batch, heads, q_length, _ = q.shape
    out = torch.empty_like(q)
    lse = torch.empty(batch, heads, q_length, device=q.device, dtype=torch.float32)
    if lse.numel() > 0:
        numbers, constants = launch_arguments(q, k, v, out, causal, scale)
        grid = lambda meta: (triton.cdiv(q_length, meta["BLOCK_M"]), heads, batch)
        attention_kernel[grid](q, k, v, out, lse, *numbers, **constants)
    return out, lse


def attention_backward(q, k, v, out, d_out, lse, causal, scale):
    """d_q, d_k and d_v."""
    batch, heads, q_length, _ = q.shape
    kv_heads, k_length = k.shape[1:3]
    if d_out.stride() != out.stride():
        d_out = torch.empty_like(out).copy_(d_out)
    d_q, delta = torch.empty_like(out), torch.empty_like(lse)
    d_k, d_v = (x.new_empty(x.shape) for x in (k, v))
    numbers, constants = launch_arguments(q, k, v, out, causal, scale)
    if d_q.numel() > 0:
        grid = lambda meta: (triton.cdiv(q_length, meta["BLOCK_M"]), heads, batch)
        attention_query_kernel[grid](q, k, v, out, d_out, lse, delta, d_q, *numbers,
                                           **constants)
    if d_k.numel() > 0:
        grid = lambda meta: (triton.cdiv(k_length, meta["BLOCK_N"]), kv_heads, batch)
        attention_key_kernel[grid](q, k, v, d_out, lse, delta, d_k, d_v, *numbers,
                                         **constants)
    return d_q, d_k, d_v


class Attention(torch.autograd.Function):

    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        q, k, v = (x if x.stride(-1) == 1 else x.contiguous() for x in (q, k, v))
        out, lse = attention_forward(q, k, v, causal, scale)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.how = causal, scale
        return out

    @staticmethod
    def backward(ctx, d_out):
        q, k, v, out, lse = ctx.saved_tensors
        return *attention_backward(q, k, v, out, d_out, lse, *ctx.how), None, None


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False,
              scale: float = None) -> torch.Tensor:
    """out of q [batch, heads, q_length, D] and k, v [batch, kv_heads, k_length, D]; scale: 1 /
    sqrt(D) where None."""
    assert q.shape[1] % k.shape[1] == 0 and k.shape == v.shape and q.shape[3] == k.shape[3]
    assert q.dtype == k.dtype == v.dtype
    return Attention.apply(q, k, v, causal, q.shape[3]**-0.5 if scale is None else scale)


def reference(q, k, v, causal=False, scale=None):
    """The same by tensor operations; rows that see no key are NaN."""
    group, shift = q.shape[1] // k.shape[1], k.shape[2] - q.shape[2]
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    s = q @ k.transpose(-1, -2) * (q.shape[3]**-0.5 if scale is None else scale)
    if causal:
        hidden = torch.ones(s.shape[-2:], dtype=torch.bool, device=q.device).triu(1 + shift)
        s = s.masked_fill(hidden, -float("inf"))
    return torch.softmax(s, -1) @ v


if __name__ == "__main__":
    torch.manual_seed(0)
    for dtype, tolerance in ((torch.float32, 1e-4), (torch.float16, 1e-2)):
        x, y, z = (torch.randn(2, n, 333, 80, device="cuda").to(dtype).requires_grad_(True)
                   for n in (8, 2, 2))
        behind = torch.randn(2, 8, 333, 80, device="cuda").to(dtype)
        for way in (False, True):
            got = torch.autograd.grad(attention(x, y, z, way), (x, y, z), behind)
            want = torch.autograd.grad(reference(x.double(), y.double(), z.double(), way), (x, y, z),
                                       behind.double())
            for mine, other in zip(got, want):
                print(((mine.double() - other).abs().max() / other.abs().max()).item())
    x = torch.randn(4, 32, 4096, 128, device="cuda", dtype=torch.float16)
    for way in (False, True):
        ms = triton.testing.do_bench(lambda: attention(x, x, x, way))
        print(f"{4 * 4 * 32 * 4096**2 * 128 / (2 if way else 1) / ms * 1e-9:.1f} TFLOP/s")
