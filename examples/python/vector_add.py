"""The first program: out = x + y, and how its speed grows with the length.

    python -m tilec vector_add.py [--bench]
"""

import sys

import triton
import triton.language as tl

import arrays


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    """One program adds BLOCK elements; the last one masks what is behind the end."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    total = tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)
    tl.store(out + at, total, mask=inside)


def add(x, y):
    out = arrays.empty_like(x)
    n = x.shape[0]
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=1024)
    return out


@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[2**i for i in range(12, 23, 2)], x_log=True, line_arg="who",
    line_vals=["tilec", "library"], line_names=["tilec", arrays.LIBRARY], ylabel="GB/s",
    plot_name="vector-add", args={}))
def bench(n, who):
    x, y = arrays.rand(n), arrays.rand(n)
    call = (lambda: add(x, y)) if who == "tilec" else (lambda: x + y)
    times = triton.testing.do_bench(call, warmup=5, rep=20, quantiles=[0.5, 0.8, 0.2])
    return [3 * 4 * n / ms * 1e-6 for ms in times]


def main():
    x, y = arrays.rand(98432), arrays.rand(98432)
    arrays.check("vector add", add(x, y), arrays.to_numpy(x) + arrays.to_numpy(y), 0)
    if "--bench" in sys.argv:
        bench.run(print_data=True)


if __name__ == "__main__":
    main()
