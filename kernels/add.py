"""Sum of two vectors, element by element: the smallest kernel with a tail.

The grid has cdiv(n, BLOCK) programs; program i adds elements i * BLOCK to i * BLOCK + BLOCK - 1,
and the mask keeps the last one from touching what lies behind the vectors.
"""

import torch

import triton
import triton.language as tl


# tilec: call add --grid cdiv(n, BLOCK) --compare out=x+y --device cpu,sim
#     n=98432 x=rand(fp32, n) y=rand(fp32, n) out=empty(fp32, n) BLOCK=1024
# tilec: call mixed --call add n=1000 x=randn(fp16, n) y=randint(i32, n, -9, 9)
# tilec: call in-place --grid cdiv(n, BLOCK) --compare x=x+y
#     n=1000 x=rand(fp32, n) y=x[::-1].to(fp32) out=x BLOCK=256
@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    """out[k] = x[k] + y[k] for 0 <= k < n.

    x, y, out: pointers to n elements of any dtype; the sum has the promoted type of x and y and is
    converted to out's.
    """
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    total = tl.load(x + offsets, mask=inside) + tl.load(y + offsets, mask=inside)
    tl.store(out + offsets, total, mask=inside)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The sum of two tensors of one shape, both contiguous."""
    assert x.shape == y.shape and x.is_contiguous() and y.is_contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    add_kernel[grid](x, y, out, n, BLOCK=1024)
    return out


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[2**i for i in range(12, 28, 2)],
        x_log=True,
        line_arg="provider",
        line_vals=["kernel", "torch"],
        line_names=["this kernel", "torch"],
        ylabel="GB/s",
        plot_name="add",
        args={},
    ))
def benchmark(size, provider):
    x = torch.rand(size, device="cuda")
    y = torch.rand(size, device="cuda")
    run = (lambda: add(x, y)) if provider == "kernel" else (lambda: x + y)
    ms = triton.testing.do_bench(run)
    return 3 * x.numel() * x.element_size() / ms * 1e-6


if __name__ == "__main__":
    torch.manual_seed(0)
    a, b = torch.rand(98432, device="cuda"), torch.rand(98432, device="cuda")
    print("largest difference:", (add(a, b) - (a + b)).abs().max().item())
    benchmark.run(print_data=True)
