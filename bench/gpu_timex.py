"""Rows of gpu.py for timex, forward and both gradients, in fp32.

Its peers: PyTorch's depthwise conv1d, convolution by Fourier transforms (cuFFT), and the CUDA algorithm that
RWKV published, timex.cu, where there is nvcc.  `tools` is the module gpu.py.
"""

import os

import torch

import gpu_driver

EPS = 0.5
NEAR = 1e-5  # relative to float64, of tilec and of all peers
FORWARD, BACKWARD = 8, 2  # samples of a block, in timex.cu


def rows(tools, lib):
    """Names and makers."""
    makers = []
    for length in (192, 768, 3072):
        makers.append((f"timex {length}", lambda n=length: forward(tools, lib, 32, 768, n)))
    makers.append(("timex gradients", lambda: gradients(tools, lib, 32, 768, 768)))
    return makers


def data(batch, channels, length):
    k = torch.randn(batch, channels, length, device="cuda")
    return k, torch.randn(channels, length, device="cuda")


def spectra(*xs):
    """Fourier transforms of rows, long enough that nothing comes around."""
    return [torch.fft.rfft(x, 2 * x.shape[-1]) for x in xs]


def fourier(k, w):
    """out by transforms."""
    by_k, by_w = spectra(k, w.flip(-1))
    return torch.fft.irfft(by_k * by_w, 2 * k.shape[-1])[..., :k.shape[-1]] + EPS


def fourier_gradients(g, k, w):
    """d_k and d_w by transforms."""
    n = k.shape[-1]
    by_g, by_k, by_w = spectra(g, k, w.flip(-1))
    d_k = torch.fft.irfft(by_g * by_w.conj(), 2 * n)[..., :n]
    return d_k, torch.fft.irfft((by_g * by_k.conj()).sum(0), 2 * n)[..., :n].flip(-1)


def published(length):
    """timex.cu for rows of this length, or None."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timex.cu")
    rows_of_shared_memory = 9 * length * 4
    return gpu_driver.compiled(path, LENGTH=length) if rows_of_shared_memory < 48 << 10 else None


def convolution(tools, lib, k, w, out, eps, turned):
    """Providers of out, or, turned, of d_k."""
    B, C, T = k.shape
    grid = lambda meta: (-(-T // (meta["BLOCK_T"] * meta["BLOCKS"])), C, -(-B // meta["BLOCK_B"]))
    return tools.tuned(lib, "timex", "timex_kernel", grid,
                       (k, w, out, B, T, eps, C * T, T, T, C * T, T),
                       tools.peer("timex").configs(), REVERSED=turned)


def forward(tools, lib, batch, channels, length):
    k, w = data(batch, channels, length)
    out = torch.empty_like(k)
    providers = convolution(tools, lib, k, w, out, EPS, False)
    of = tools.peer("timex").reference
    image = published(length)
    if image:
        providers["RWKV"] = gpu_driver.launcher(
            image, "timex_forward", (channels, -(-batch // FORWARD)), -(-length // 4),
            (w, k, out, EPS, batch, channels))
    return tools.Row(f"timex {batch}x{channels}x{length} fp32",
                     {**providers, "torch": lambda: of(k, w, EPS), "Fourier": lambda: fourier(k, w)},
                     {name: out for name in providers}, fourier(k.double(), w.double()), NEAR,
                     flops=batch * channels * length * (length + 1))


def gradients(tools, lib, batch, channels, length):
    k, w = data(batch, channels, length)
    g, d_k, d_w = torch.randn_like(k), torch.empty_like(k), torch.empty_like(w)
    by_k = convolution(tools, lib, g, w, d_k, 0.0, True)
    row, between = length, channels * length
    by_w = tools.tuned(lib, "timex", "timex_weight_kernel", lambda meta: (channels,),
                       (g, k, d_w, batch, length, between, row, between, row, row),
                       tools.peer("timex").weight_configs())
    providers = {name: tools.one_after_the_other(by_k[name], by_w[name]) for name in by_k}
    image = published(length)
    if image:
        each = torch.empty_like(k)
        launch = gpu_driver.launcher(
            image, "timex_backward", (channels, -(-batch // BACKWARD)), -(-length // 4),
            (w, k, g, each, d_k, batch, channels))
        providers["RWKV"] = tools.one_after_the_other(launch, lambda: torch.sum(each, 0, out=d_w))
    given = [t.detach().requires_grad_(True) for t in (k, w)]
    graph = tools.peer("timex").reference(*given)
    return tools.Row(f"timex gradients {batch}x{channels}x{length} fp32",
                     {**providers,
                      "torch": lambda: torch.autograd.grad(graph, given, g, retain_graph=True),
                      "Fourier": lambda: fourier_gradients(g, k, w)},
                     {name: (d_k, d_w) for name in providers},
                     fourier_gradients(g.double(), k.double(), w.double()), NEAR,
                     flops=2 * batch * channels * length * (length + 1))
