# %% [markdown]
# # How fast is a fused kernel?
#
# This file is a program and a notebook: editors that know `# %%` run it cell by cell.
#
#     python -m tilec examples/python/plot.py [FOLDER]      table, rows.csv and rows.png into FOLDER
#
# It normalises the rows of a matrix, y = (x - mean) / deviation, once with a kernel that reads each
# row once, once with operations of NumPy or PyTorch, and draws both over the length of the rows.

# %%
import sys
import tempfile

import tilec

tilec.install()  # in a notebook, for the imports of triton below

import numpy as np
import triton
import triton.language as tl

import arrays

# %% [markdown]
# The kernel: one row a program. A tile may have any length, 781 columns are no worse than 1,024.


# %%
@triton.jit
def normalise_kernel(x, y, n: tl.constexpr):
    place = tl.program_id(0) * n + tl.arange(0, n)
    values = tl.load(x + place)
    centred = values - tl.sum(values, axis=0) / n
    deviation = tl.sqrt(tl.sum(centred * centred, axis=0) / n)
    tl.store(y + place, centred / deviation)


def by_kernel(x):
    y = arrays.empty_like(x)
    normalise_kernel[(x.shape[0],)](x, y, x.shape[1])
    return y


def by_operations(x):
    if arrays.torch:
        centred = x - x.mean(1, keepdim=True)
        return centred / (centred * centred).mean(1, keepdim=True).sqrt()
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True))


# %% [markdown]
# First of all, are they the same?

# %%
x = arrays.randn(100, 781)
arrays.check("normalised rows", by_kernel(x), arrays.to_numpy(by_operations(x)), 1e-5)

# %% [markdown]
# What the compiler made of it: the first lines of the kernel as tile operations.

# %%
kernel = normalise_kernel.warmup(x, x, 781, grid=(1,))
print("\n".join(kernel.asm["ttir"].splitlines()[:6]))

# %% [markdown]
# The measurement: `perf_report` calls the function for each point, prints a table and draws a plot.


# %%
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["columns"], x_vals=[64, 128, 256, 512, 781, 1024, 2048, 4096], x_log=True,
    line_arg="who", line_vals=["kernel", "operations"],
    line_names=["tilec", arrays.LIBRARY], styles=[("tab:blue", "-"), ("tab:gray", "--")],
    ylabel="GB/s", plot_name="rows", args={"elements": 1 << 20}))
def measure(columns, who, elements):
    x = arrays.randn(elements // columns, columns)
    call = by_kernel if who == "kernel" else by_operations
    slow, middle, fast = triton.testing.do_bench(lambda: call(x), warmup=5, rep=30,
                                                 quantiles=[0.8, 0.5, 0.2])
    bandwidth = lambda ms: 2 * 4 * x.shape[0] * columns / ms * 1e-6
    return bandwidth(middle), bandwidth(slow), bandwidth(fast)


# %%
folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
measure.run(print_data=True, save_path=folder)
print("files are in", folder)
