"""Rows of gpu.py for what a transformer is made of: attention, norms, cross entropy, rotary embedding,
of kernels/, forward and backward.

Each function gives a Row; `tools` is the module gpu.py, whose parts they are made of.  A kernel with
configurations takes the fastest, for tilec as for Triton, each by its own measurement.
"""

import torch
import torch.nn.functional as F

HALF = torch.float16


def rows(tools, lib):
    """Names and makers."""
    makers = []
    for d in (64, 128, 256):
        for causal in (False, True):
            word = " causal" if causal else ""
            makers.append((f"attention {d}{word}",
                           lambda d=d, c=causal: attention(tools, lib, 4, 32, 4096, d, c)))
            makers.append((f"attention backward {d}{word}",
                           lambda d=d, c=causal: attention_backward(tools, lib, 4, 32, 4096, d, c)))
    makers.append(("rms norm", lambda: rms_norm(tools, lib, 4096, 8192)))
    for centred in (True, False):
        makers.append((f"{'layer' if centred else 'rms'} norm backward",
                       lambda c=centred: norm_backward(tools, lib, 4096, 8192, c)))
    for columns in (32000, 128256):
        makers.append((f"cross entropy {columns}",
                       lambda n=columns: cross_entropy(tools, lib, 4096, n)))
        makers.append((f"cross entropy with gradient {columns}",
                       lambda n=columns: cross_entropy_gradient(tools, lib, 4096, n)))
    for interleaved in (False, True):
        makers.append((f"rope{' interleaved' if interleaved else ''}",
                       lambda i=interleaved: rope(tools, lib, 4, 4096, 32, 8, 128, i)))
    return makers


def attention_data(batch, heads, length, d, causal):
    """q, k, v; out and lse; what is behind out; PyTorch's attention."""
    q, k, v, behind = (torch.randn(batch, heads, length, d, device="cuda", dtype=HALF)
                       for _ in range(4))
    lse = torch.empty(batch, heads, length, device="cuda")
    attend = lambda *x: F.scaled_dot_product_attention(*x, is_causal=causal)
    return q, k, v, torch.empty_like(q), lse, behind, attend


def attention_numbers(module, q, k, v, out, causal):
    return module.launch_arguments(q, k, v, out, causal, q.shape[3]**-0.5)


def attention_configs(module, m, n, sums, d):
    """Those that are tuned over for heads of width d."""
    return module.fitting(m, sums)["early_config_prune"](module.configs(m, n), {}, BLOCK_D=d)


def attention(tools, lib, batch, heads, length, d, causal):
    q, k, v, out, lse, _, attend = attention_data(batch, heads, length, d, causal)
    module = tools.peer("attention")
    numbers, constants = attention_numbers(module, q, k, v, out, causal)
    grid = lambda meta: (-(-length // meta["BLOCK_M"]), heads, batch)
    providers = tools.tuned(lib, "attention", "attention_kernel", grid, (q, k, v, out, lse, *numbers),
                            attention_configs(module, "BLOCK_M", "BLOCK_N", 1, d), **constants)
    return tools.Row(f"attention {batch}x{heads}x{length}x{d} fp16{' causal' if causal else ''}",
                     {**providers, "torch": lambda: attend(q, k, v)},
                     {"tilec": out, "triton": out}, attend(q.float(), k.float(), v.float()), 5e-3,
                     flops=4 * batch * heads * length**2 * d / (2 if causal else 1))


def attention_backward(tools, lib, batch, heads, length, d, causal):
    q, k, v, _, _, behind, attend = attention_data(batch, heads, length, d, causal)
    module = tools.peer("attention")
    out, lse = module.attention_forward(q, k, v, causal, d**-0.5)
    delta = torch.empty_like(lse)
    gradients = torch.empty(3, *q.shape, device="cuda", dtype=HALF)
    numbers, constants = attention_numbers(module, q, k, v, out, causal)
    of_queries = tools.tuned(lib, "attention", "attention_query_kernel",
                             lambda meta: (-(-length // meta["BLOCK_M"]), heads, batch),
                             (q, k, v, out, behind, lse, delta, gradients[0], *numbers),
                             attention_configs(module, "BLOCK_M", "BLOCK_N", 1, d), **constants)
    of_keys = tools.tuned(lib, "attention", "attention_key_kernel",
                          lambda meta: (-(-length // meta["BLOCK_N"]), heads, batch),
                          (q, k, v, behind, lse, delta, gradients[1], gradients[2], *numbers),
                          attention_configs(module, "BLOCK_N", "BLOCK_M", 2, d), **constants)
    x = [t.detach().requires_grad_(True) for t in (q, k, v)]
    graph = attend(*x)
    exact = [t.detach().float().requires_grad_(True) for t in (q, k, v)]
    reference = torch.stack(torch.autograd.grad(attend(*exact), exact, behind.float()))
    return tools.Row(
        f"attention backward {batch}x{heads}x{length}x{d} fp16{' causal' if causal else ''}",
        {**{name: tools.one_after_the_other(of_queries[name], of_keys[name]) for name in of_queries},
         "torch": lambda: torch.stack(torch.autograd.grad(graph, x, behind, retain_graph=True))},
        {"tilec": gradients, "triton": gradients}, reference, 5e-3,
        flops=10 * batch * heads * length**2 * d / (2 if causal else 1))


def norm_data(n_rows, n_cols):
    x, behind = (torch.randn(n_rows, n_cols, device="cuda", dtype=HALF) for _ in range(2))
    return x, behind, torch.randn(n_cols, device="cuda", dtype=HALF)


def rms_norm(tools, lib, n_rows, n_cols):
    x, _, w = norm_data(n_rows, n_cols)
    y, rstd = torch.empty_like(x), torch.empty(n_rows, device="cuda")
    block, warps = tools.peer("norms").tile_of(n_cols)
    normal = lambda t, s: F.rms_norm(t, (n_cols,), s, 1e-6)
    compiled = torch.compile(normal, dynamic=False)
    providers = tools.both(lib, "norms", "norm_kernel", (n_rows,),
                           (x, y, w, None, None, rstd, n_cols, n_cols, n_cols, 1e-6),
                           num_warps=warps, BLOCK=block)
    return tools.Row(f"rms norm {n_rows}x{n_cols} fp16",
                     {**providers, "torch": lambda: normal(x, w), "compile": lambda: compiled(x, w)},
                     {"tilec": y, "triton": y}, normal(x.double(), w.double()), 2e-3,
                     bytes=4 * x.numel())


def norm_backward(tools, lib, n_rows, n_cols, centred):
    """All gradients, by the better number of warps; that of x is compared."""
    x, behind, w = norm_data(n_rows, n_cols)
    bias = w.clone() if centred else None
    module = tools.peer("norms")
    _, mean, rstd = module.norm_forward(x, w, bias, 1e-5, centred)
    block, warps = module.tile_of(n_cols, module.LARGEST_SUMS)
    each = -(-n_rows // module.MOST_PROGRAMS)
    programs = -(-n_rows // each)
    d_x = torch.empty_like(x)
    sums = [torch.empty(programs, n_cols, device="cuda") for _ in range(2 if centred else 1)]
    configs = [tools.triton.Config({"BLOCK": block}, num_warps=n) for n in (warps, 2 * warps)]
    first = tools.tuned(lib, "norms", "norm_backward_kernel", lambda _: (programs,),
                        (behind, x, w, mean, rstd, d_x, sums[0], sums[1] if centred else None, n_rows,
                         n_cols, n_cols, n_cols, n_cols), configs, ROWS=each)
    others = [tools.both(lib, "norms", "sum_rows_kernel", (-(-n_cols // 64),),
                         (s, torch.empty_like(w), programs, n_cols), num_warps=4, ROWS=16, BLOCK=64)
              for s in sums]
    normal = lambda t, s, b: F.layer_norm(t, (n_cols,), s, b, 1e-5) if centred \
        else F.rms_norm(t, (n_cols,), s, 1e-5)
    given = [t.detach().requires_grad_(True) for t in (x, w, bias) if t is not None]
    graph = normal(*given, *() if centred else (None,))
    exact = x.double().requires_grad_(True)
    reference, = torch.autograd.grad(normal(exact, w.double(), bias.double() if centred else None),
                                     exact, behind.double())
    return tools.Row(
        f"{'layer' if centred else 'rms'} norm backward {n_rows}x{n_cols} fp16",
        {**{name: tools.one_after_the_other(run, *(o[name] for o in others)) for name, run in first.items()},
         "torch": lambda: torch.autograd.grad(graph, given, behind, retain_graph=True)[0]},
        {"tilec": d_x, "triton": d_x}, reference, 2e-3, bytes=6 * x.numel())


def entropy_data(n_rows, n_cols):
    x = torch.randn(n_rows, n_cols, device="cuda", dtype=HALF)
    targets = torch.randint(0, n_cols, (n_rows,), device="cuda")
    return x, targets, torch.empty(n_rows, device="cuda"), torch.empty(n_rows, device="cuda")


def entropy_providers(tools, lib, x, targets, losses, lse, gradient, factor):
    """Without assertions, as Triton's: a launch that may fail one waits for its end."""
    n_rows, n_cols = x.shape
    return tools.tuned(lib, "cross_entropy", "cross_entropy_kernel", lambda _: (n_rows,),
                       (x, targets, losses, lse, gradient, factor, n_cols, n_cols, n_cols, -100, 0.0,
                        0.0), tools.peer("cross_entropy").configs(), SMOOTHED=False, debug=False)


def cross_entropy(tools, lib, n_rows, n_cols):
    x, targets, losses, lse = entropy_data(n_rows, n_cols)
    loss = lambda t: F.cross_entropy(t, targets, reduction="none")
    compiled = torch.compile(lambda t: loss(t.float()), dynamic=False)
    return tools.Row(f"cross entropy {n_rows}x{n_cols} fp16",
                     {**entropy_providers(tools, lib, x, targets, losses, lse, None, None),
                      "torch": lambda: loss(x), "compile": lambda: compiled(x)},
                     {"tilec": losses, "triton": losses}, loss(x.float()), 2e-3,
                     bytes=2 * x.numel())


def cross_entropy_gradient(tools, lib, n_rows, n_cols):
    """The sum's: losses and gradient in one launch, and in PyTorch forward and backward."""
    x, targets, losses, lse = entropy_data(n_rows, n_cols)
    gradient, factor = torch.empty_like(x), torch.ones(1, device="cuda")
    given = x.detach().requires_grad_(True)

    def by_torch():
        return torch.autograd.grad(F.cross_entropy(given, targets, reduction="sum"), given)[0]

    exact = x.float().requires_grad_(True)
    reference, = torch.autograd.grad(F.cross_entropy(exact, targets, reduction="sum"), exact)
    return tools.Row(f"cross entropy with gradient {n_rows}x{n_cols} fp16",
                     {**entropy_providers(tools, lib, x, targets, losses, lse, gradient, factor),
                      "torch": by_torch},
                     {"tilec": gradient, "triton": gradient}, reference.detach(), 2e-3,
                     bytes=4 * x.numel())


def rope(tools, lib, batch, length, heads, kv_heads, d, interleaved):
    """Of q and k by tables; that of q is compared."""
    q = torch.randn(batch, length, heads, d, device="cuda", dtype=HALF)
    k = torch.randn(batch, length, kv_heads, d, device="cuda", dtype=HALF)
    q_out, k_out = torch.empty_like(q), torch.empty_like(k)
    module = tools.peer("rope")
    cos, sin = module.make_tables(length, d, device="cuda")
    strides = [n for x in (q, k, q_out, k_out) for n in x.stride()[:3]]
    providers = tools.tuned(
        lib, "rope", "rope_kernel", lambda meta: (-(-length // meta["BLOCK_T"]), batch),
        (q, k, q_out, k_out, cos, sin, None, 0, 0.0, length, heads, kv_heads, 0, *strides),
        module.configs(), D=d, D_ROT=d, INTERLEAVED=interleaved, INVERSE=False, IN_PLACE=False,
        BLOCK=d // 2, BLOCK_REST=1)
    turned = lambda: [module.reference(x, cos.to(HALF), sin.to(HALF), interleaved) for x in (q, k)]
    compiled = torch.compile(turned, dynamic=False)
    return tools.Row(f"rope {batch}x{length}x{heads}+{kv_heads}x{d} fp16"
                     f"{' interleaved' if interleaved else ''}",
                     {**providers, "torch": lambda: turned()[0], "compile": lambda: compiled()[0]},
                     {"tilec": q_out, "triton": q_out},
                     module.reference(q.float(), cos, sin, interleaved), 2e-3,
                     bytes=4 * (q.numel() + k.numel()))
