#!/usr/bin/env python3
"""Times the kernels of kernels/, and products of tests/num/gpu/, on an NVIDIA GPU,
compiled by tilec and by its peers, in one process.

    python3 bench/gpu.py [--library build/libtilec.so] [--json FILE] [--only WORD...] [--rounds N]

Needs PyTorch with CUDA and Triton.  Every row runs the same work on the same tensors by several
providers: tilec (the kernel's file through the C library), triton (the same file, imported), torch
(the operation that PyTorch has for it), compile (torch.compile of that), and what else there is
(Fourier transforms, CUDA C).  A round runs each
provider once, one after the other, on the same input and output, each behind a pass over a buffer larger than the L2 cache, so
that clocks and cache are alike for all; the next round begins with another provider.  The time is
the median over the rounds of what two events on the stream measure; rows of a few microseconds take
more rounds.  Results are compared with the row's reference before anything is timed.

Behind them stand what a launch costs the host, and, of processes of their own, how long the first
launch takes from the start on, part by part: with an empty cache and with a full one.

Times are in microseconds, with the distance between the quartiles behind tilec's and Triton's.
The last columns say how many bytes or operations a second tilec reached, and how fast it was as a
share of the best peer (above 1: faster).  Beside products stands what mma.sync alone takes for as
many operations, without loads, in the same rounds: what bounds them on a chip that is short of power.
"""

import argparse
import ctypes
import datetime
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import triton

import gpu_driver
import gpu_giou
import gpu_images
import gpu_plain
import gpu_timex
import gpu_transformer

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(HERE), "kernels")
TESTED = os.path.join(os.path.dirname(HERE), "tests", "num", "gpu")
FLUSH_BYTES = 256 << 20  # of the largest L2 cache several times
SHORT, SHORT_ROUNDS = 20, 4  # rows of fewer microseconds take so many times as many rounds
TUNING_ROUNDS = 15  # of each configuration of a kernel
LIMITS = ("mma.sync",)  # providers that only show what a unit can do
PROVIDERS = ("tilec", "triton", "torch", "compile") + LIMITS
WITH_SPREAD = PROVIDERS[:2] + LIMITS

# --- the library, through ctypes; include/tilec.h says what each field means ----------------------

LAYOUT = 1  # of the structs below
ROOM = 256  # behind each that may grow: zero is the default of every field
ARG_TENSOR, ARG_INT, ARG_FLOAT, ARG_NONE, ARG_STRING = 0, 1, 3, 5, 6
MEMORY_DEVICE = 1
DTYPES = {torch.int8: 1, torch.int32: 3, torch.int64: 4, torch.uint8: 5, torch.float8_e4m3fn: 9,
          torch.float16: 14, torch.bfloat16: 15, torch.float32: 16, torch.float64: 17}


def source(name):
    """The file of that name in kernels/, among the kernels of the tests, or here."""
    paths = (os.path.join(folder, name + ".py") for folder in (KERNELS, TESTED, HERE))
    return next(path for path in paths if os.path.exists(path))


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("ndim", ctypes.c_int),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("memory", ctypes.c_int),
                ("device_id", ctypes.c_int), ("read_only", ctypes.c_int), ("blank", ctypes.c_size_t),
                ("reserved", ctypes.c_void_p)]


class Arg(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("tensor", Tensor),
                ("integer", ctypes.c_int64), ("uinteger", ctypes.c_uint64),
                ("real", ctypes.c_double), ("text", ctypes.c_char_p), ("dtype", ctypes.c_int),
                ("pointer", ctypes.c_int), ("items", ctypes.c_void_p), ("nitems", ctypes.c_int)]


class Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("threads", ctypes.c_int), ("num_warps", ctypes.c_int),
                ("num_stages", ctypes.c_int), ("on_message", ctypes.c_void_p),
                ("user", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("check", ctypes.c_int),
                ("on_record", ctypes.c_void_p), ("arch", ctypes.c_char_p),
                ("seconds", ctypes.POINTER(ctypes.c_double)),
                ("later", ctypes.c_byte * ROOM)]


class Stats(ctypes.Structure):
    _fields_ = [("compile_seconds", ctypes.c_double), ("from_cache", ctypes.c_int),
                ("flops", ctypes.c_double), ("bytes", ctypes.c_double), ("warps", ctypes.c_int),
                ("registers", ctypes.c_int), ("shared_bytes", ctypes.c_int),
                ("local_bytes", ctypes.c_int), ("later", ctypes.c_byte * ROOM)]


def argument(value):
    """A value of Python or a tensor as the library takes it, with what must outlive it."""
    a = Arg()
    if isinstance(value, torch.Tensor):
        shape = (ctypes.c_int64 * value.dim())(*value.shape)
        strides = (ctypes.c_int64 * value.dim())(*value.stride())
        a.kind = ARG_TENSOR
        a.tensor = Tensor(value.data_ptr(), DTYPES[value.dtype], value.dim(), shape, strides,
                          MEMORY_DEVICE, value.device.index or 0)
        return a, (shape, strides)
    if value is None:
        a.kind = ARG_NONE
    elif isinstance(value, str):
        a.kind, a.text = ARG_STRING, value.encode()
    elif isinstance(value, float):
        a.kind, a.real = ARG_FLOAT, value
    else:
        a.kind, a.integer = ARG_INT, value
    return a, None


class Library:
    """libtilec.so with a context that keeps nothing on disk."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.context = ctypes.c_void_p()
        self.files = {}
        self.call("tilec_open_layout", LAYOUT, b"", ctypes.byref(self.context))

    def call(self, name, *arguments):
        error = ctypes.c_char_p()
        if getattr(self.lib, name)(*arguments, ctypes.byref(error)):
            raise RuntimeError(f"{name}: {(error.value or b'no memory').decode()}")

    def file(self, name):
        if name not in self.files:
            handle = ctypes.c_void_p()
            self.call("tilec_load_file", self.context,
                      source(name).encode(), ctypes.byref(handle))
            self.files[name] = handle
        return self.files[name]

    def kernel(self, file, kernel, grid, arguments, num_warps=0, num_stages=0, **named):
        """A function that launches the kernel on PyTorch's stream, and its Stats."""
        made = [argument(v) for v in arguments] + [argument(v) for v in named.values()]
        array = (Arg * len(made))(*(a for a, _ in made))
        for a, name in zip(array[len(arguments):], named):
            a.name = name.encode()
        options = Options(device=b"cuda", num_warps=num_warps, num_stages=num_stages,
                          stream=torch.cuda.current_stream().cuda_stream)
        shape = (ctypes.c_int32 * 3)(*grid, *(1,) * (3 - len(grid)))
        handle, name, launch = self.file(file), kernel.encode(), self.lib.tilec_launch
        error = ctypes.c_char_p()
        keep = [made, arguments]  # tensors, too, are named by address alone

        def run():
            if launch(handle, name, shape, array, len(array), ctypes.byref(options),
                      ctypes.byref(error)):
                raise RuntimeError(f"{kernel}: {(error.value or b'no memory').decode()}")
            return keep

        stats = Stats()
        self.call("tilec_launch_stats", handle, name, shape, array, len(array),
                  ctypes.byref(options), ctypes.byref(stats))
        run.stats = stats
        return run


def peer(name):
    """Such a file as a module of Python: its kernels are Triton's."""
    spec = importlib.util.spec_from_file_location("kernels_" + name, source(name))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # torch.compile imports it by name
    spec.loader.exec_module(module)
    return module


def plain(kernel):
    """Triton's kernel without what tunes it."""
    while isinstance(kernel, triton.runtime.Autotuner):
        kernel = kernel.fn
    return kernel


def both(lib, file, kernel, grid, arguments, **named):
    """The providers that compile the kernel: tilec and Triton, with the same arguments."""
    other = plain(getattr(peer(file), kernel))
    return {"tilec": lib.kernel(file, kernel, grid, arguments, **named),
            "triton": lambda: other[grid](*arguments, **named)}


def fastest(lib, file, kernel, grid, arguments, configs, **named):
    """tilec's provider with the configuration that is fastest; grid: a function of its values."""
    ours = {}
    for config in configs:
        try:
            ours[str(config)] = lib.kernel(file, kernel, grid(config.kwargs), arguments,
                                           num_warps=config.num_warps, num_stages=config.num_stages,
                                           **config.kwargs, **named)
        except RuntimeError as e:
            print(f"  {kernel}: {str(e).splitlines()[0]}", file=sys.stderr)
    times = measure(Row("", ours, {}, None, 0), TUNING_ROUNDS)[0]
    best = min(times, key=times.get)
    print(f"  {kernel}: tilec takes {best}", file=sys.stderr)
    return ours[best]


def tuned(lib, file, kernel, grid, arguments, configs, **named):
    """The providers that compile the kernel, each with its own fastest configuration."""
    other = triton.autotune(configs=configs, key=[])(plain(getattr(peer(file), kernel)))
    return {"tilec": fastest(lib, file, kernel, grid, arguments, configs, **named),
            "triton": lambda: other[grid](*arguments, **named)}


def one_after_the_other(*runs):
    """A provider of work that takes several launches."""
    def run():
        for each in runs:
            each()

    return run


# --- rows ----------------------------------------------------------------------------------------


def flat(x):
    """The numbers of a tensor, or of several one behind the other, in float64."""
    return torch.cat([t.reshape(-1).double() for t in (x if isinstance(x, tuple) else (x,))])


class Row:
    """One line of the table.  providers: name -> function; outputs: name -> tensor it writes, or
    None where it returns one, or a tuple; reference: alike; bytes or flops: what the work must move
    or do."""

    def __init__(self, name, providers, outputs, reference, tolerance, bytes=0, flops=0):
        self.name, self.providers, self.outputs = name, providers, outputs
        self.reference, self.tolerance = reference, tolerance
        self.bytes, self.flops = bytes, flops

    def check(self):
        """Compare with the reference; a peer that cannot do this work, or not as exactly, is left out."""
        for name, run in list(self.providers.items()):
            output = self.outputs.get(name)
            if name in LIMITS:
                continue
            for tensor in () if output is None else output if isinstance(output, tuple) else (output,):
                tensor.fill_(float("nan") if tensor.is_floating_point() else 99)
            try:
                result = run()
            except Exception as e:
                if name == "tilec":
                    raise
                print(f"{self.name}: without {name}: {str(e).strip().splitlines()[0]}", file=sys.stderr)
                del self.providers[name]
                continue
            result = flat(result if output is None else output)
            torch.cuda.synchronize()
            reference = flat(self.reference)
            error = ((result - reference).norm() / reference.norm()).item()
            if not error <= self.tolerance and name == "tilec":
                raise RuntimeError(f"{self.name}: {name} is off by {error:.2e}")
            if not error <= self.tolerance:
                print(f"{self.name}: without {name}: off by {error:.2e}", file=sys.stderr)
                del self.providers[name]


def rows(lib, only):
    """Names and makers of the rows whose name has one of the words `only`, in the order of these; all
    where there is none."""
    torch.manual_seed(0)
    makers = [("copy", copy_row), ("add", lambda: add_row(lib))]
    for height, width in ((10000, 10000), (1823, 781), (65536, 1000), (65536, 1024),
                          (65536, 1823), (65536, 2048)):
        makers.append((f"square {height}x{width}",
                       lambda h=height, w=width: square_row(lib, h, w)))
    for height, width in ((1823, 781), (4096, 1024), (4096, 12672)):
        makers.append((f"softmax {height}x{width}",
                       lambda h=height, w=width: softmax_row(lib, h, w)))
    for dtype, warps in ((torch.float32, 16), (torch.float16, 16), (torch.float16, 32)):
        makers.append((f"softmax {warps} warps",
                       lambda d=dtype, w=warps: softmax_row(lib, 4096, 16384, d, w)))
    makers.append(("layer norm", lambda: layer_norm_row(lib)))
    makers += gpu_giou.rows(sys.modules[__name__], lib)
    for size, activation in ((1024, ""), (4096, ""), (8192, ""), (4096, "leaky_relu")):
        makers.append((f"matmul {size} {activation}",
                       lambda n=size, a=activation: matmul_row(lib, n, a)))
    for dtype in (torch.float8_e4m3fn, torch.int8):
        makers.append((f"matmul bytes {dtype}", lambda d=dtype: bytes_matmul_row(lib, 4096, d)))
    for operands in PRODUCTS:
        for layout in ("nn", "nt"):
            makers.append((f"product {operands} {layout}",
                           lambda o=operands, l=layout: product_row(lib, 4096, o, l)))
    for precision in FP32_ERRORS:
        for layout in ("nn", "nt"):
            makers.append((f"product fp32 {precision} {layout}",
                           lambda p=precision, l=layout: fp32_product_row(lib, 4096, p, l)))
    for more in (gpu_images, gpu_timex, gpu_transformer, gpu_plain):
        makers += more.rows(sys.modules[__name__], lib)
    for word in only or [""]:
        yield from [row for row in makers if word in row[0]]
        makers = [row for row in makers if word not in row[0]]


def copy_row():
    x = torch.rand(10**8, device="cuda")
    out = torch.empty_like(x)
    return Row("copy 1e8 fp32", {"torch": lambda: out.copy_(x)}, {}, x, 0, bytes=8 * 10**8)


def add_row(lib):
    n = 10**8
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    out = torch.empty_like(x)
    grid = (triton.cdiv(n, 1024),)
    kernel = peer("add").add_kernel
    return Row("add 1e8 fp32", {
        "tilec": lib.kernel("add", "add_kernel", grid, (x, y, out, n), BLOCK=1024),
        "triton": lambda: kernel[grid](x, y, out, n, BLOCK=1024),
        "torch": lambda: torch.add(x, y, out=out),
    }, {"tilec": out, "triton": out, "torch": out}, x + y, 1e-7, bytes=12 * n)


def square_row(lib, n_rows, n_cols):
    x = torch.randn(n_rows, n_cols, device="cuda")
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    warps = 16 if block >= 4096 else 8 if block >= 2048 else 4
    kernel = peer("square").square_kernel
    return Row(f"square {n_rows}x{n_cols} fp32", {
        "tilec": lib.kernel("square", "square_kernel", (n_rows,), (out, x, n_cols, n_cols, n_cols),
                            num_warps=warps, BLOCK=block),
        "triton": lambda: kernel[(n_rows,)](out, x, n_cols, n_cols, n_cols, BLOCK=block,
                                            num_warps=warps),
        "torch": lambda: torch.square(x, out=out),
    }, {"tilec": out, "triton": out, "torch": out}, x * x, 1e-7, bytes=8 * x.numel())


def softmax_row(lib, n_rows, n_cols, dtype=torch.float32, warps=0):
    x = torch.randn(n_rows, n_cols, device="cuda").to(dtype)
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    asked = f" by {warps} warps" if warps else ""
    warps = warps or (8 if block >= 2048 else 4)
    kernel = peer("softmax").softmax_kernel
    compiled = torch.compile(lambda t: torch.softmax(t, 1), dynamic=False)
    half = dtype == torch.float16
    return Row(f"softmax {n_rows}x{n_cols} {'fp16' if half else 'fp32'}{asked}", {
        "tilec": lib.kernel("softmax", "softmax_kernel", (n_rows,), (out, x, n_cols, n_cols, n_cols),
                            num_warps=warps, BLOCK=block),
        "triton": lambda: kernel[(n_rows,)](out, x, n_cols, n_cols, n_cols, BLOCK=block,
                                            num_warps=warps),
        "torch": lambda: torch.softmax(x, 1),
        "compile": lambda: compiled(x),
    }, {"tilec": out, "triton": out}, torch.softmax(x.double(), 1), 1e-3 if half else 1e-6,
        bytes=2 * x.numel() * x.element_size())


def layer_norm_row(lib):
    n_rows, n_cols = 4096, 8192
    x = torch.randn(n_rows, n_cols, device="cuda", dtype=torch.float16)
    w, bias = (torch.randn(n_cols, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    mean, rstd = (torch.empty(n_rows, device="cuda") for _ in range(2))
    kernel = peer("norms").norm_kernel
    normal = lambda t: torch.nn.functional.layer_norm(t, (n_cols,), w, bias, 1e-5)
    compiled = torch.compile(normal, dynamic=False)
    reference = torch.nn.functional.layer_norm(x.double(), (n_cols,), w.double(), bias.double(),
                                               1e-5)
    return Row("layer norm 4096x8192 fp16", {
        "tilec": lib.kernel("norms", "norm_kernel", (n_rows,),
                            (x, out, w, bias, mean, rstd, n_cols, n_cols, n_cols, 1e-5), num_warps=8,
                            BLOCK=8192),
        "triton": lambda: kernel[(n_rows,)](x, out, w, bias, mean, rstd, n_cols, n_cols, n_cols, 1e-5,
                                            BLOCK=8192, num_warps=8),
        "torch": lambda: normal(x),
        "compile": lambda: compiled(x),
    }, {"tilec": out, "triton": out}, reference, 2e-3, bytes=4 * x.numel())


def matmul_row(lib, size, activation):
    x, y = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    module = peer("matmul")
    arguments = (size,) * 3 + (size, 1) * 3
    grid = lambda meta: (triton.cdiv(size, meta["BLOCK_M"]) * triton.cdiv(size, meta["BLOCK_N"]),)
    compiled = tuned(lib, "matmul", "matmul_kernel", grid, (x, y, out, *arguments), module.configs(),
                     ACTIVATION=activation)

    def torch_matmul():
        torch.mm(x, y, out=out)
        return torch.nn.functional.leaky_relu_(out) if activation else out

    reference = x.double() @ y.double()
    if activation:
        reference = torch.nn.functional.leaky_relu(reference)
    return Row(f"matmul {size} fp16{' + leaky_relu' if activation else ''}", {
        **compiled,
        "torch": torch_matmul,
        "mma.sync": gpu_driver.products_alone(2 * size**3),
    }, {"tilec": out, "triton": out}, reference, 2e-3, flops=2 * size**3)


def bytes_matmul_row(lib, size, dtype):
    """a @ b^T of fp8 to fp16, or of int8 to int32."""
    whole = dtype == torch.int8
    x, y = (torch.randint(-9, 10, (size, size), device="cuda", dtype=dtype) if whole else
            torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
    out = torch.empty(size, size, device="cuda", dtype=torch.int32 if whole else torch.float16)
    module, one = peer("matmul"), torch.ones((), device="cuda")
    grid = lambda meta: (triton.cdiv(size, meta["BLOCK_M"]) * triton.cdiv(size, meta["BLOCK_N"]),)
    compiled = tuned(lib, "matmul", "matmul_kernel", grid,
                     (x, y, out, *(size,) * 3, size, 1, 1, size, size, 1), module.configs(1))
    run = (lambda: torch._int_mm(x, y.T)) if whole else \
        (lambda: torch._scaled_mm(x, y.T, one, one, out_dtype=torch.float16))
    return Row(f"matmul {size} {'int8' if whole else 'fp8e4nv'} nt", {**compiled, "torch": run},
               {"tilec": out, "triton": out}, x.double() @ y.double().T, 4e-3, flops=2 * size**3)


# Operands of products: their types, of the sum, which of them is cast to the other's type.
PRODUCTS = {
    "fp16": (torch.float16, torch.float16, torch.float32, None),
    "int8": (torch.int8, torch.int8, torch.int32, None),
    "fp8e4nv": (torch.float8_e4m3fn, torch.float8_e4m3fn, torch.float32, None),
    "fp16 and int8": (torch.float16, torch.int8, torch.float32, "b"),
    "fp16 and fp8e4nv": (torch.float16, torch.float8_e4m3fn, torch.float32, "b"),
}


def product_row(lib, size, operands, layout):
    """Blocks of 128 x 128 x 64 by 4 warps, three stages; b with rows of n (nn) or of k (nt)."""
    a_type, b_type, sum_type, cast = PRODUCTS[operands]

    def matrix(dtype):
        if dtype == torch.int8:
            return torch.randint(-9, 10, (size, size), device="cuda", dtype=dtype)
        return torch.randn(size, size, device="cuda").to(dtype)

    x, y = matrix(a_type), matrix(b_type)
    out = torch.empty(size, size, device="cuda", dtype=sum_type)
    strides = (size, 1, 1, size) if layout == "nt" else (size, 1, size, 1)
    named = dict(M=128, N=128, K=64, STAGES=3, CAST=cast or "", TURN=False)
    grid = (triton.cdiv(size, 128),) * 2
    kernel = peer("products").any_types
    reference = x.double() @ (y.double().T if layout == "nt" else y.double())
    return Row(f"product {size} {operands} {layout}", {
        "tilec": lib.kernel("products", "any_types", grid, (x, y, out, size, size, size) + strides,
                            num_warps=4, **named),
        "triton": lambda: kernel[grid](x, y, out, size, size, size, *strides, num_warps=4, **named),
    }, {"tilec": out, "triton": out}, reference, 2e-3, flops=2 * size**3)


FP32_ERRORS = {"ieee": 2e-6, "bf16x3": 1e-5, "tf32": 2e-3}  # against fp64, as `Row` compares


def fp32_product_row(lib, size, precision, layout):
    """Blocks of 128 x 128 x 32 by 4 warps, three stages.  torch: cuBLAS in fp32, or tf32 where that is
    asked for."""
    x, y = (torch.randn(size, size, device="cuda") for _ in range(2))
    out = torch.empty_like(x)
    y = y.T if layout == "nt" else y
    named = dict(PRECISION=precision, EPILOGUE=None, M=128, N=128, K=32)
    arguments = (x, y, out, None, size, size, size, *x.stride(), *y.stride(), *out.stride())
    run = both(lib, "products", "matmul", (triton.cdiv(size, 128)**2,), arguments, num_warps=4,
               num_stages=3, **named)

    def torch_mm():
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        return torch.mm(x, y, out=out)

    return Row(f"product {size} fp32 {precision} {layout}", {**run, "torch": torch_mm},
               dict.fromkeys(run, out), x.double() @ y.double(), FP32_ERRORS[precision],
               flops=2 * size**3)


# --- measuring -----------------------------------------------------------------------------------


def timed_rounds(row, rounds, flush):
    """What each provider took in each round, in microseconds."""
    pairs = {name: [] for name in row.providers}
    order = list(row.providers.items())
    for i in range(rounds):
        first = i % len(order)
        for name, run in order[first:] + order[:first]:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flush.zero_()
            begin.record()
            run()
            end.record()
            pairs[name].append((begin, end))
    torch.cuda.synchronize()
    return {name: [a.elapsed_time(b) * 1e3 for a, b in p] for name, p in pairs.items()}


def measure(row, rounds):
    """For each provider the median time in microseconds, and the distance between the quartiles."""
    flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
    for run in row.providers.values():
        run()
    times = timed_rounds(row, rounds, flush)
    if min(map(statistics.median, times.values())) < SHORT:
        times = timed_rounds(row, rounds * SHORT_ROUNDS, flush)
    medians, spreads = {}, {}
    for name, all_times in times.items():
        low, medians[name], high = statistics.quantiles(all_times, n=4)
        spreads[name] = high - low
    return medians, spreads


def show_host_cost(lib, launches=2000):
    """What the host spends on one launch of a kernel with four arguments, by each provider."""
    x = torch.rand(1024, device="cuda")
    out = torch.empty_like(x)
    kernel = peer("add").add_kernel
    providers = {
        "tilec": lib.kernel("add", "add_kernel", (1,), (x, x, out, 1024), BLOCK=1024),
        "triton": lambda: kernel[(1,)](x, x, out, 1024, BLOCK=1024),
        "torch": lambda: torch.add(x, x, out=out),
    }
    for name, run in providers.items():
        run()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(launches):
            run()
        spent = time.perf_counter() - start
        torch.cuda.synchronize()
        print(f"host cost of a launch, {name}: {spent / launches * 1e6:.2f} us"
              f"{' (ctypes included)' if name == 'tilec' else ''}")


# --- whole processes ------------------------------------------------------------------------------


def first_launch(bench, name, cache):
    """Where the milliseconds of a process went that launches one kernel: by part."""
    out = subprocess.run([bench, "--first", name, KERNELS, repr(time.monotonic())], check=True,
                         capture_output=True, text=True, env={**os.environ, "TILEC_CACHE_DIR": cache})
    return {part: float(time) for part, time in map(str.split, out.stdout.splitlines())}


FIRST_PARTS = ("process", "driver", "context", "parse", "prepare", "generator", "emit", "assemble",
               "launch", "again", "total")


def show_first_launches(bench, rounds=7):
    """From the start of a process to its first result, the kernel compiled and found in the cache."""
    print("\n| first result, ms | " + " | ".join(FIRST_PARTS) + " | beside the driver's start |")
    print("|---|" + "---|" * (len(FIRST_PARTS) + 1))
    found = []
    for name in ("add", "giou"):
        runs = {"cold": [], "cached": []}
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                for kind in runs:
                    runs[kind].append(first_launch(bench, name, cache))
        for kind, objects in runs.items():
            parts = {p: statistics.median(o[p] for o in objects) for p in FIRST_PARTS}
            parts["beside"] = statistics.median(o["total"] - o["driver"] - o["context"]
                                                for o in objects)
            print(f"| {name}, {kind} | " + " | ".join(f"{v:.2f}" for v in parts.values()) + " |")
            found.append({"kernel": name, "kind": kind, **parts})
    return found




def show(row, times, spreads):
    peers = [t for name, t in times.items() if name != "tilec" and name not in LIMITS]
    ours = times.get("tilec", math.nan)
    rate = (f"{row.flops / ours * 1e-6:.0f} TFLOP/s" if row.flops else
            f"{row.bytes / ours * 1e-6:.2f} TB/s") if ours == ours else ""
    cells = [(f"{times[p]:.1f}" + (f" ({spreads[p]:.1f})" if p in WITH_SPREAD else ""))
             if p in times else "" for p in PROVIDERS]
    cells.append(", ".join(f"{p} {t:.1f}" for p, t in times.items() if p not in PROVIDERS))
    share = f"{min(peers) / ours:.2f}" if peers and ours == ours else ""
    print("| " + " | ".join([row.name] + cells + [rate, share]) + " |", flush=True)


def write(path, figures):
    """After each row, so that a run that is stopped leaves what it has measured."""
    if path:
        with open(path + ".new", "w", encoding="utf-8") as out:
            json.dump(figures, out, indent=1)
        os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", default=os.path.join("build", "libtilec.so"))
    parser.add_argument("--json", help="write the figures there as well")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD",
                        help="rows whose name has one of these words, in their order, and nothing behind them")
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()

    lib = Library(os.path.abspath(options.library))
    torch.backends.cudnn.allow_tf32 = False  # fp32 means fp32, in convolutions as in products
    about = {
        "command": " ".join(["python3", *sys.argv]),
        "device": torch.cuda.get_device_name(),
        "date": datetime.date.today().isoformat(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda": torch.version.cuda,
        "rounds": options.rounds,
    }
    print(", ".join(f"{k} {v}" for k, v in about.items() if k != "command"))
    print("| work | " + " | ".join(PROVIDERS) + " | others | rate | to the best peer |")
    print("|---|" + "---|" * (len(PROVIDERS) + 3))
    results, failed = [], 0
    for name, make in rows(lib, options.only):
        try:
            row = make()
            row.check()
            times, spreads = measure(row, options.rounds)
        except RuntimeError as e:
            failed += 1
            print(f"{name}: {e}", file=sys.stderr)
            continue
        show(row, times, spreads)
        results.append({"name": row.name, "bytes": row.bytes, "flops": row.flops,
                        "microseconds": times, "quartiles": spreads})
        write(options.json, {**about, "rows": results})
        del row
        torch.cuda.empty_cache()
    first = []
    bench = os.path.join(os.path.dirname(os.path.abspath(options.library)), "bench", "tilec-bench")
    if not options.only:
        show_host_cost(lib)
    if not options.only and os.path.exists(bench):
        sys.stdout.flush()
        subprocess.run([bench, "--launches"], check=True)
        first = show_first_launches(bench)
    write(options.json, {**about, "rows": results, "first": first})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
