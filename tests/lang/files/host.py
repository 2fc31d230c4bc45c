"""A softmax as people publish it: the kernel is a small part of the file."""
from __future__ import annotations

import argparse, functools
import os
import torch
import triton
import triton.language as tl
from typing import (
    Optional,
    Sequence as Seq,
)

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"; import math
DEVICE = triton.runtime.driver.active.get_active_torch_device()
MAX_FUSED_SIZE: int = 65536
LOG2E: tl.constexpr = 1.44269504
NEG_INF = tl.constexpr(float("-inf"))
TABLE = {
    "fp16": torch.float16,  # ) a bracket in a comment
    "text": """ a triple-quoted string with @triton.jit
def not_a_kernel(x):
""",
}
lowest = lambda t: -torch.inf if t.is_floating_point else torch.iinfo(t).min
WIDTH, HEIGHT = 64, 32
first = second = "same"


def settings(n: int, /, *args, depth: Optional[int] = None, **kwargs) -> tuple[int, int]:
    global DEVICE
    block = triton.next_power_of_2(n)
    warps = 4 if block < 2048 else 8 if block < 4096 else 16
    if (again := block * 2) > MAX_FUSED_SIZE: raise RuntimeError(f"{n=} needs {again!r:>{depth}}")
    return block, warps


@triton.jit
def softmax_kernel(
    y_ptr, x_ptr,
    x_stride, y_stride,  # in elements
    n_cols: tl.int32,
    BLOCK: tl.constexpr,
    EXP2: "tl.constexpr" = True,
):
    """Each program normalises one row.

    Nothing here is code: x = (
    """
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    if EXP2:
        num = tl.exp2(x * LOG2E)
    else:
        num = tl.exp(x)
    y = num / \
        tl.sum(num, axis=0)
    tl.store(
        y_ptr + row * y_stride + cols,
        y,
        mask=mask,
    )


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, *, dim=-1):
        y = torch.empty_like(x)
        block, warps = settings(x.shape[1])
        softmax_kernel[(x.shape[0],)](y, x, x.stride(0), y.stride(0), x.shape[1],
                                      BLOCK=block, num_warps=warps)
        return y

    @functools.lru_cache(maxsize=None)
    @staticmethod
    def describe(kind):
        match kind:
            case {"name": str(name), **rest} if name:
                return name
            case [a, b, *others] | (a, b):
                return a @ b
            case _:
                return None


async def serve(queue):
    async with queue as q:
        async for item in q:
            yield await item
    print(*[i async for i in queue], sep="")


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["N"],
        x_vals=[128 * i for i in range(2, 100)],
        line_arg="provider",
        line_vals=["ours", "torch"],
        line_names=["ours", "torch"],
        styles=[("blue", "-"), ("green", "--")],
        ylabel="GB/s",
        plot_name="softmax",
        args={"M": 4096},
    )
)
def benchmark(M, N, provider):
    x = torch.randn(M, N, device=DEVICE)
    quantiles = [0.5, 0.2, 0.8]
    ms = triton.testing.do_bench(lambda: Softmax.apply(x), quantiles=quantiles)
    gbps = lambda t: 2 * x.nelement() * x.element_size() / t / 1e6
    return *map(gbps, ms), 3j, 0xFF_FF, b"bytes", r"\d"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    try:
        benchmark.run(show_plots=True, print_data=True)
    except* (RuntimeError, ValueError) as group:
        del parser
    finally:
        with (open("a") as a, open("b") as b):
            pass
