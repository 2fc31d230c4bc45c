"""Code for a GPU that neither tilec nor Triton made, launched by NVIDIA's driver: what gpu.py shows beside
them.

`launcher` makes a function that launches a kernel of PTX or of a cubin, `compiled` a cubin from CUDA C by
nvcc, `products_alone` a kernel that only multiplies.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile

import torch


def call(name, *arguments):
    """A function of the driver, which gives 0."""
    error = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if error:
        raise RuntimeError(f"{name} gave {error}")


def number(value):
    """An argument of a kernel; of a tensor its address."""
    if isinstance(value, torch.Tensor):
        return ctypes.c_uint64(value.data_ptr())
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_uint32(value)


def launcher(image, name, grid, threads, arguments):
    """A function that launches the kernel `name` of an image, PTX or a cubin, on PyTorch's stream."""
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), image)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    values = [number(v) for v in arguments]
    parameters = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
    shape = (*grid, *(1,) * (3 - len(grid)), threads, 1, 1)
    launch, keep = ctypes.CDLL("libcuda.so.1").cuLaunchKernel, (arguments, values, module)

    def run():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        error = launch(kernel, *shape, 0, stream, parameters, None)
        if error:
            raise RuntimeError(f"{name}: cuLaunchKernel gave {error}")
        return keep

    return run


def compiled(path, **macros):
    """CUDA C as a cubin for this GPU, or None where there is no nvcc."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        return None
    major, minor = torch.cuda.get_device_capability()
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "out.cubin")
        subprocess.run([nvcc, "-O3", "-cubin", f"-arch=sm_{major}{minor}",
                        *(f"-D{name}={value}" for name, value in macros.items()), path, "-o", cubin],
                       check=True)
        with open(cubin, "rb") as file:
            return file.read()


# --- what the units alone can do -----------------------------------------------------------------

WARP_M, WARP_N = 4, 8  # of a warp: products of 16x8x16 that go into accumulators of their own
DEPTHS = 2  # sets of operands, taken in turn


def products_ptx():
    """A kernel that does nothing but mma.sync on registers: what no kernel that multiplies by it can
    pass on this chip, at the power and clock of the minute.  data: fp16, 64 KiB, random, as
    the power depends on it; 256 threads; rounds of WARP_M * WARP_N * DEPTHS products a warp."""
    a = [[[f"%a{d}_{m}_{i}" for i in range(4)] for m in range(WARP_M)] for d in range(DEPTHS)]
    b = [[[f"%b{d}_{n}_{i}" for i in range(2)] for n in range(WARP_N)] for d in range(DEPTHS)]
    c = [[[f"%c{m}_{n}_{i}" for i in range(4)] for n in range(WARP_N)] for m in range(WARP_M)]
    words = [r for tiles in a + b for tile in tiles for r in tile]
    sums = [r for row in c for tile in row for r in tile]
    loads = [f"ld.global.b32 {r}, [%data + {1024 * i}];" for i, r in enumerate(words)]
    products = [
        f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{', '.join(c[m][n])}}}, "
        f"{{{', '.join(a[d][m])}}}, {{{', '.join(b[d][n])}}}, {{{', '.join(c[m][n])}}};"
        for d in range(DEPTHS) for m in range(WARP_M) for n in range(WARP_N)]
    return "\n".join([
        ".version 7.8", ".target sm_80", ".address_size 64",
        ".visible .entry products(.param .u64 data, .param .u64 out, .param .u32 rounds)",
        ".reqntid 256 {", f".reg .b32 {', '.join(words)};", f".reg .f32 {', '.join(sums)};",
        ".reg .b64 %data, %out, %at; .reg .b32 %thread, %block, %left; .reg .pred %more;",
        "ld.param.u64 %data, [data]; ld.param.u64 %out, [out]; ld.param.u32 %left, [rounds];",
        "mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x;",
        "mad.wide.u32 %data, %thread, 4, %data;", *loads, *[f"mov.f32 {r}, 0f00000000;" for r in sums],
        "again:", *products, "sub.u32 %left, %left, 1;", "setp.ne.u32 %more, %left, 0;",
        "@%more bra again;", *[f"add.f32 {sums[0]}, {sums[0]}, {r};" for r in sums[1:]],
        "mad.lo.u32 %block, %block, 256, %thread;", "mad.wide.u32 %at, %block, 4, %out;",
        f"st.global.f32 [%at], {sums[0]};", "ret;", "}"])


def products_alone(flops):
    """A function that launches mma.sync for so many fp16 operations, and nothing else."""
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    data = torch.randn(1 << 15, device="cuda", dtype=torch.float16)
    out = torch.empty(blocks * 256, device="cuda")
    one = 2 * 16 * 8 * 16 * WARP_M * WARP_N * DEPTHS * 8 * blocks  # of a round of 8 warps a block
    return launcher(products_ptx().encode(), "products", (blocks,), 256,
                    (data, out, round(flops / one)))
