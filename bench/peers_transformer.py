#!/usr/bin/env python3
"""Attention, norms, cross entropy and rotary embedding of kernels/ beside PyTorch, on the CPU.

    taskset -c 1 python -m tilec bench/peers_transformer.py [--json FILE] [WORD...]

As peers.py, whose rows these are more of; gradients are those of autograd, forward pass not included.
"""

import torch
import torch.nn.functional as F

from peers import row, run

import attention
import cross_entropy
import norms
import rope


def forward_and_backward(name, ours, peer, given, near):
    """A row of the results and one of the gradients of functions of the tensors `given`.  Ours are
    compared with the peer's in float64: in bf16 it is off by 6 % in the gradients of norms."""
    given = [x.requires_grad_(True) for x in given]
    mine, other = ours(*given), peer(*given)
    behind = torch.randn_like(other)
    gradients = lambda out: torch.autograd.grad(out, given, behind.to(out.dtype), retain_graph=True)
    exact = [x.detach().double().requires_grad_(True) for x in given]
    reference = peer(*exact)
    wanted = torch.autograd.grad(reference, exact, behind.to(reference.dtype))
    for a, b in zip((mine, *gradients(mine)), (reference, *wanted)):
        assert (a - b).abs().max() <= near * b.abs().max(), name
    with torch.no_grad():
        row(name, lambda: ours(*given), lambda: peer(*given))
    row(name + ", gradients", lambda: gradients(mine), lambda: gradients(other))


def attention_rows(dtype, name, near):
    for causal in (False, True):
        given = [torch.randn(1, 8, 1024, 64).to(dtype) for _ in range(3)]
        forward_and_backward(f"attention 8x1024x64 {name}{' causal' if causal else ''}",
                             lambda q, k, v, c=causal: attention.attention(q, k, v, c),
                             lambda q, k, v, c=causal: F.scaled_dot_product_attention(
                                 q, k, v, is_causal=c), given, near)


def norm_rows(dtype, name, near):
    x, w, b = torch.randn(4096, 8192), torch.randn(8192), torch.randn(8192)
    forward_and_backward(f"layer norm 4096x8192 {name}", norms.layer_norm,
                         lambda x, w, b: F.layer_norm(x, (8192,), w, b),
                         [t.to(dtype) for t in (x, w, b)], near)
    forward_and_backward(f"rms norm 4096x8192 {name}", norms.rms_norm,
                         lambda x, w: F.rms_norm(x, (8192,), w, 1e-6),
                         [t.to(dtype) for t in (x, w)], near)


def entropy_rows(dtype, name, near):
    targets = torch.randint(0, 32000, (512,))
    forward_and_backward(f"cross entropy 512x32000 {name}",
                         lambda x: cross_entropy.cross_entropy(x, targets),
                         lambda x: F.cross_entropy(x, targets), [torch.randn(512, 32000).to(dtype)],
                         near)


def rope_rows(dtype, name, near):
    """PyTorch's are operations: it has no function."""
    q, k = torch.randn(4, 1024, 16, 128).to(dtype), torch.randn(4, 1024, 4, 128).to(dtype)
    tables = rope.make_tables(1024, 128)
    for interleaved in (False, True):
        ours = lambda i=interleaved: rope.rope(q, k, tables, interleaved=i)
        peer = lambda i=interleaved: [rope.reference(x, *tables, i) for x in (q, k)]
        for a, b in zip(ours(), peer()):
            assert (a - b).abs().max() <= near * b.abs().max(), name
        row(f"rope 4x1024x(16+4)x128 {name}{' interleaved' if interleaved else ''}", ours, peer)


if __name__ == "__main__":
    run([lambda rows=rows, of_dtype=of_dtype: rows(*of_dtype)
         for of_dtype in ((torch.float32, "fp32", 2e-5), (torch.bfloat16, "bf16", 3e-2))
         for rows in (attention_rows, norm_rows, entropy_rows, rope_rows)])
