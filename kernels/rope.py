"""Rotary position embedding (Su et al., RoFormer, 2021) of queries and keys, and its gradient.

    out[i]        = x[i] * cos(a_i) - x[partner of i] * sin(a_i)     for the pairs (i, partner of i)
    out[partner]  = x[partner of i] * cos(a_i) + x[i] * sin(a_i)     i = 0 .. D_ROT / 2 - 1
    a_i           = position * base ** (-2 i / D_ROT)

Which elements are a pair is a matter of style: (i, i + D_ROT / 2), half-split, of GPT-NeoX and
Llama's weights in Transformers, or (2 i, 2 i + 1), interleaved, of the paper, GPT-J and Llama's own.
The first D_ROT of a head's D elements turn, the others stay as they are.

q: [batch, length, heads, D], k: [batch, length, kv_heads, D], any float dtype, the D elements next
to each other, other strides free; D_ROT even.  Computed in fp32.  A position is that of its row,
from `offset` on, or what the array `positions` says.  Cosines and sines come from tables, [places,
D_ROT / 2], whatever made them, or are computed: angles are fp32 then, as tables of PyTorch usually
are, so off by 1e-7 of a position.

A rotation's gradient is the rotation by the angle turned round: the same kernel with INVERSE.

Memory bounds it.  One launch does q and k; a program does BLOCK_T positions of a sample and all
heads, so that the angles are loaded or computed once for all of them.  In place (q for q_out) what
does not turn is not touched.
"""

import math

import torch

import triton
import triton.language as tl


def configs():
    """Positions a program to try."""
    return [
        triton.Config({"BLOCK_T": t}, num_warps=w) for t, w in ((1, 1), (4, 2), (16, 4), (32, 4))
    ]


@triton.jit
def angles(cos, sin, places, inside, log_base, D_ROT: tl.constexpr, BLOCK: tl.constexpr):
    """Cosine and sine for each place and pair, [places, BLOCK], from the tables where there are."""
    pairs = tl.arange(0, BLOCK)
    if cos is not None:
        at = places.to(tl.int64)[:, None] * (D_ROT // 2) + pairs[None, :]
        there = inside[:, None] & (pairs < D_ROT // 2)[None, :]
        return (tl.load(cos + at, mask=there, other=1.0).to(tl.float32),
                tl.load(sin + at, mask=there, other=0.0).to(tl.float32))
    else:
        speeds = tl.exp2(pairs.to(tl.float32) * (log_base * (-2.0 / D_ROT)))
        turned = places.to(tl.float32)[:, None] * speeds[None, :]
        return tl.cos(turned), tl.sin(turned)


@triton.jit
def turn_heads(x, out, rows, inside, c, s, heads, x_row, x_head, out_row, out_head,
               D: tl.constexpr, D_ROT: tl.constexpr, INTERLEAVED: tl.constexpr,
               IN_PLACE: tl.constexpr, BLOCK: tl.constexpr, BLOCK_REST: tl.constexpr):
    """out = x with its pairs turned, one head after the other; x, out: [rows, heads, D]."""
    pairs = tl.arange(0, BLOCK)
    one = 2 * pairs if INTERLEAVED else pairs
    other = 2 * pairs + 1 if INTERLEAVED else pairs + D_ROT // 2
    there = inside[:, None] & (pairs < D_ROT // 2)[None, :]
    rest = D_ROT + tl.arange(0, BLOCK_REST)
    beside = inside[:, None] & (rest < D)[None, :]
    for head in range(heads):
        source = x + rows[:, None] * x_row + head * x_head
        target = out + rows[:, None] * out_row + head * out_head
        a = tl.load(source + one[None, :], mask=there, other=0.0).to(tl.float32)
        b = tl.load(source + other[None, :], mask=there, other=0.0).to(tl.float32)
        tl.store(target + one[None, :], a * c - b * s, mask=there)
        tl.store(target + other[None, :], b * c + a * s, mask=there)
        if D_ROT < D and not IN_PLACE:
            kept = tl.load(source + rest[None, :], mask=beside)
            tl.store(target + rest[None, :], kept, mask=beside)


# tilec: call tables --grid cdiv(length,BLOCK_T),q.shape(0) --device cpu,sim
#     length=21 D=32 D_ROT=D q=randn(fp32, (2, length, 3, D)) k=randn(fp32, (2, length, 1, D))
#     q_out=empty(fp32, (2, length, 3, D)) k_out=empty(fp32, (2, length, 1, D))
#     cos=randn(fp32, (40, D_ROT//2)) sin=randn(fp32, (40, D_ROT//2)) positions=None offset=7
#     log_base=0.0 positions_batch=0 heads=q.shape(2) kv_heads=k.shape(2)
#     q_batch=q.stride(0) q_row=q.stride(1) q_head=q.stride(2)
#     k_batch=k.stride(0) k_row=k.stride(1) k_head=k.stride(2)
#     q_out_batch=q_out.stride(0) q_out_row=q_out.stride(1) q_out_head=q_out.stride(2)
#     k_out_batch=k_out.stride(0) k_out_row=k_out.stride(1) k_out_head=k_out.stride(2)
#     INTERLEAVED=False INVERSE=False IN_PLACE=False BLOCK_T=8 BLOCK=16 BLOCK_REST=1
# tilec: call interleaved --call tables INTERLEAVED=True INVERSE=True
# tilec: call computed --call tables cos=None sin=None log_base=13.28771238
# tilec: call placed --call tables positions=randint(i32, (2, length), 0, 40)
#     positions_batch=length --device cpu
# tilec: call partial --call interleaved D=30 D_ROT=18 BLOCK=16 BLOCK_REST=16
# tilec: call in-place --call partial q_out=q k_out=k IN_PLACE=True --device cpu
# tilec: call still --call tables cos=ones(fp32, (40, D_ROT//2)) sin=zeros(fp32, (40, D_ROT//2))
#     --compare q_out=q --compare k_out=k
@triton.jit
def rope_kernel(q, k, q_out, k_out, cos, sin, positions, offset, log_base, length, heads, kv_heads,
                positions_batch, q_batch, q_row, q_head, k_batch, k_row, k_head, q_out_batch,
                q_out_row, q_out_head, k_out_batch, k_out_row, k_out_head, D: tl.constexpr,
                D_ROT: tl.constexpr, INTERLEAVED: tl.constexpr, INVERSE: tl.constexpr,
                IN_PLACE: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK: tl.constexpr,
                BLOCK_REST: tl.constexpr):
    """q_out and k_out of BLOCK_T positions of a sample; k and k_out may be None, kv_heads 0.

    cos, sin: tables, or both None, and log_base = log2(base).  positions: integers, samples
    positions_batch elements apart (0: one row for all), or None for offset + row.  INVERSE: the
    gradient.  IN_PLACE: q_out is q and k_out is k.  BLOCK >= D_ROT / 2, BLOCK_REST >= D - D_ROT,
    and at least 1.  Grid: (cdiv(length, BLOCK_T), batch).
    """
    batch = tl.program_id(1).to(tl.int64)
    rows = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    inside = rows < length
    places = rows + offset
    if positions is not None:
        places = tl.load(positions + batch * positions_batch + rows, mask=inside, other=0)
    c, s = angles(cos, sin, places, inside, log_base, D_ROT, BLOCK)
    if INVERSE:
        s = -s
    rows = rows.to(tl.int64)
    turn_heads(q + batch * q_batch, q_out + batch * q_out_batch, rows, inside, c, s, heads, q_row,
               q_head, q_out_row, q_out_head, D, D_ROT, INTERLEAVED, IN_PLACE, BLOCK, BLOCK_REST)
    if k is not None:
        turn_heads(k + batch * k_batch, k_out + batch * k_out_batch, rows, inside, c, s, kv_heads,
                   k_row, k_head, k_out_row, k_out_head, D, D_ROT, INTERLEAVED, IN_PLACE, BLOCK,
                   BLOCK_REST)


tuned_rope_kernel = triton.autotune(configs=configs(), key=["D", "heads", "kv_heads"])(rope_kernel)


def rows_together(x):
    """x, or a copy of it, in which the elements of a head lie next to each other."""
    return x if x is None or x.stride(-1) == 1 else x.contiguous()


def turn(q, k, q_out, k_out, how, inverse=False):
    """q_out and k_out by one launch; k and k_out may be None.

    how: (cos, sin, positions, offset, base, rotated, interleaved), as `rope` takes them.
    """
    cos, sin, positions, offset, base, rotated, interleaved = how
    batch, length, heads, D = q.shape
    first = q if k is None else k  # whose strides stand in for those of what is not there
    second = q_out if k is None else k_out
    strides = [n for x in (q, first, q_out, second) for n in x.stride()[:3]]
    apart = positions.stride(0) if positions is not None and positions.dim() == 2 else 0
    grid = lambda meta: (triton.cdiv(length, meta["BLOCK_T"]), batch)
    arguments = (q, k, q_out, k_out, cos, sin, positions, offset, math.log2(base), length, heads,
                 0 if k is None else k.shape[2], apart, *strides)
    constants = {"D": D, "D_ROT": rotated, "INTERLEAVED": interleaved, "INVERSE": inverse,
                 "IN_PLACE": q_out is q, "BLOCK": triton.next_power_of_2(rotated // 2),
                 "BLOCK_REST": triton.next_power_of_2(max(D - rotated, 1))}
    if q.numel() > 0 and q_out is q:  # tuning would turn it several times
        rope_kernel[grid](*arguments, **constants, BLOCK_T=4, num_warps=2)
    elif q.numel() > 0:
        tuned_rope_kernel[grid](*arguments, **constants)
    return q_out, k_out


class Rope(torch.autograd.Function):

    @staticmethod
    def forward(ctx, q, k, *how):
        ctx.how = how
        q, k = rows_together(q), rows_together(k)
        return turn(q, k, torch.empty_like(q), None if k is None else torch.empty_like(k), how)

    @staticmethod
    def backward(ctx, d_q, d_k):
        d_q, d_k = rows_together(d_q), rows_together(d_k)
        out = turn(d_q, d_k, torch.empty_like(d_q), None if d_k is None else torch.empty_like(d_k),
                   ctx.how, inverse=True)
        return *out, *(None,) * len(ctx.how)


def choices(q, tables, positions, offset, base, rotated, interleaved):
    cos, sin = tables if tables is not None else (None, None)
    rotated = q.shape[3] if rotated is None else rotated
    assert 2 <= rotated <= q.shape[3] and rotated % 2 == 0
    assert cos is None or (cos.is_contiguous() and sin.shape == cos.shape and sin.is_contiguous() and
                           cos.shape[1] == rotated // 2)
    assert positions is None or positions.stride(-1) == 1
    return cos, sin, positions, offset, base, rotated, interleaved


def rope(q: torch.Tensor, k: torch.Tensor = None, tables=None, positions: torch.Tensor = None,
         offset: int = 0, base: float = 10000.0, rotated: int = None, interleaved: bool = False):
    """q [batch, length, heads, D] and k, which may be None, with their pairs turned.

    tables: (cos, sin), each [places, rotated / 2], else angles are computed with `base`.
    positions: [length] or [batch, length], integers, else rows count from `offset` on.  rotated: how
    many of the D elements turn, all where None.
    """
    return Rope.apply(q, k, *choices(q, tables, positions, offset, base, rotated, interleaved))


@torch.no_grad()
def rope_(q, k=None, tables=None, positions=None, offset=0, base=10000.0, rotated=None,
          interleaved=False):
    """The same in place, without gradients."""
    return turn(q, k, q, k, choices(q, tables, positions, offset, base, rotated, interleaved))


def make_tables(places: int, rotated: int, base: float = 10000.0, device=None):
    """cos and sin for the places 0 .. places - 1."""
    speeds = base ** (torch.arange(0, rotated, 2, device=device, dtype=torch.float64) / -rotated)
    turned = torch.arange(places, device=device, dtype=torch.float64)[:, None] * speeds
    return turned.cos().float(), turned.sin().float()


def reference(x, cos, sin, interleaved=False):
    """x turned by tensor operations; cos, sin: [length, rotated / 2]."""
    half = cos.shape[1]
    c, s = cos[:, None], sin[:, None]
    if interleaved:
        a, b = x[..., 0:2 * half:2], x[..., 1:2 * half:2]
        turned = torch.stack([a * c - b * s, b * c + a * s], -1).flatten(-2)
    else:
        a, b = x[..., :half], x[..., half:2 * half]
        turned = torch.cat([a * c - b * s, b * c + a * s], -1)
    return torch.cat([turned, x[..., 2 * half:]], -1)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(4, 4096, 32, 128, device="cuda", dtype=torch.float16)
    y = torch.randn(4, 4096, 8, 128, device="cuda", dtype=torch.float16)
    both = make_tables(4096, 128, device="cuda")
    for way in (False, True):
        got = rope(x, y, both, interleaved=way)
        for mine, whole in zip(got, (x, y)):
            other = reference(whole.float(), *both, way)
            print((mine - other).abs().max().item())
    ms = triton.testing.do_bench(lambda: rope(x, y, both))
    print(f"{2 * (x.numel() + y.numel()) * 2 / ms * 1e-6:.0f} GB/s")
