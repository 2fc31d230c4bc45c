import itertools
import triton
import triton.language as tl
from triton import Config as Cfg

WARPS = [4, 8]
COMMON = {"GROUP": 8}
by_hand = [
    triton.Config({"BLOCK_M": 128, "BLOCK_N": 256}, num_stages=3, num_warps=8),
    triton.Config({"BLOCK_M": 64, "BLOCK_N": 2 * 32, **COMMON}, num_stages=4, num_warps=4, pre_hook=None),
    triton.Config(dict(BLOCK_M=2**5, BLOCK_N=-(-100 // 32) * 32), num_ctas=1),
]
heuristic_values = {
    "EVEN_N": lambda args: args["N"] % args["BLOCK_N"] == 0,
    "WIDE": is_wide,
}


def keep(config):
    return config.num_warps > 1


@triton.autotune(configs=by_hand, key=["M", "N"])
@triton.heuristics({"EVEN_M": lambda args: args["M"] % args["BLOCK_M"] == 0})
@triton.heuristics(heuristic_values)
@triton.jit(do_not_specialize=["M", 2], noinline=True)
def matmul(a_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr,
           EVEN_M: tl.constexpr, EVEN_N: tl.constexpr, WIDE: tl.constexpr):
    pass


@triton.autotune(
    [Cfg({"B": b, "D": tl.float16}, num_warps=w) for b in (32, 64) for w in WARPS if b // w > 4],
    ["N"],
    reset_to_zero=["x_ptr"],
)
@triton.jit
def comprehended(x_ptr, N, B: tl.constexpr, D: tl.constexpr):
    pass


@libentry()
@fla_cache_autotune(
    configs=[Cfg({"A": a, "B": b}) for a, b in itertools.product([16, 32], ["x"])] + by_hand[:1],
    key=["N"] + ["M"],
)
@triton.jit
def wrapped(x_ptr, N, M, A: tl.constexpr, B: tl.constexpr):
    pass


@libtuner(configs=runtime.get_tuned_config("mm"), key=KEYS)
@triton.heuristics(runtime.get_heuristics("mm"))
@triton.jit
def unknown(x_ptr):
    pass


@triton.autotune(configs=[*by_hand[1:], Cfg({"A": pick()}, num_warps=len(WARPS))], key=[])
@triton.jit
def partly(x_ptr, A: tl.constexpr):
    pass


@triton.autotune(configs=list(filter(keep, by_hand)), key=["x"])
@triton.jit
def filtered(x): pass


SIZES = [16, 32]


@triton.autotune(
    configs=[
        Cfg({"B": b, "K": k}, num_warps=w)
        for (b, w) in zip(SIZES, [4, 8, 16])
        for k in [x + i for i, x in enumerate([y for y in range(len(SIZES)) if y > 0])]
    ] + [Cfg({"B": max(SIZES), "K": triton.cdiv(100, min(SIZES[-1], 30))}) for _ in range(1)],
    key=[],
)
@triton.jit
def zipped(x, B: tl.constexpr, K: tl.constexpr):
    pass


def make(b, w=4):
    """One."""
    return Cfg({"B": b, "W": w}, num_warps=w)


def get(n=16):
    return [make(n), make(2 * n, 8)] + more(n)


more = lambda n: [make(s) for s in SIZES if s > n]


def endless():
    return endless()


def one(n):
    return one(n)


@triton.autotune(get(8), key=[])
@triton.jit
def returned(x, B: tl.constexpr, W: tl.constexpr):
    pass


@triton.autotune([one(3)] + endless() + get(1, 2, 3), key=[])
@triton.jit
def without_end(x, B: tl.constexpr):
    pass


@triton.autotune(
    [Cfg({"B": b}, num_warps=w, num_stages=s)
     for b in [16, 32] for w in settings.WARPS for s in settings.STAGES if b > 16],
    key=["N"],
)
@triton.jit
def partly_known(x_ptr, N, B: tl.constexpr):
    pass


@triton.autotune([Cfg({"B": b}) for b in settings.BLOCKS if b > 16], key=["N"])
@triton.jit
def all_unknown(x_ptr, N, B: tl.constexpr):
    pass
