"""Softmax of the rows of a matrix in one kernel: each row is read once and written once.

As many programs as the device runs at a time walk over the rows; how many that are is asked of the
compiled kernel and of the device before the launch.

    python -m tilec fused_softmax.py
"""

import numpy as np
import triton
import triton.language as tl
from triton.runtime import driver

import arrays


@triton.jit
def softmax_kernel(out, x, x_stride, out_stride, n_rows, n_cols, BLOCK: tl.constexpr,
                   num_stages: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=num_stages):
        values = tl.load(x + row * x_stride + columns, mask=inside, other=-float("inf"))
        weights = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + columns, weights / tl.sum(weights, axis=0), mask=inside)


def programs_at_a_time(kernel, num_warps):
    """How many programs of a compiled kernel the device has room for."""
    device = driver.active.utils.get_device_properties(driver.active.get_current_device())
    warps = device["max_num_regs"] // (kernel.n_regs * device["warpSize"])
    by_registers = max(1, warps // num_warps)
    by_memory = max(1, device["max_shared_mem"] // max(1, kernel.metadata.shared))
    return device["multiprocessor_count"] * min(by_registers, by_memory)


def softmax(x):
    n_rows, n_cols = x.shape
    out = arrays.empty_like(x)
    arguments = (out, x, arrays.strides(x)[0], arrays.strides(out)[0], n_rows, n_cols)
    options = dict(BLOCK=triton.next_power_of_2(n_cols), num_stages=2, num_warps=8)
    kernel = softmax_kernel.warmup(*arguments, **options, grid=(1,))
    grid = (min(n_rows, programs_at_a_time(kernel, 8)),)
    softmax_kernel[grid](*arguments, **options)
    return out


def main():
    x = arrays.randn(1823, 781)
    values = np.exp(arrays.to_numpy(x).astype(np.float64))
    arrays.check("fused softmax", softmax(x), values / values.sum(axis=1, keepdims=True), 1e-6)


if __name__ == "__main__":
    main()
