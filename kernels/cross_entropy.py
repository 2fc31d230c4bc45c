"""Cross entropy of rows of logits and class numbers, and its gradient, with as many classes as a
language model has words.

    lse = log(sum over j of exp(x[j]))
    loss = lse - (1 - s) * x[target] - s * mean(x) + z * lse**2

and, for a factor g (what stands behind the loss; for a mean also 1 / the number of rows that count),

    d_x[j] = g * ((1 + 2 z lse) * exp(x[j] - lse) - s / n_cols - (1 - s) * [j == target])

s is the label smoothing (Szegedy et al., 2016), z the weight of the z-loss that keeps lse near 0
(Chowdhery et al., PaLM, 2022).  The sum of exponentials goes along with the largest logit so far
(Milakov and Gimelshein, 2018), so that the loss takes one pass over the logits.

logits: [rows, n_cols], fp32, fp16 or bf16, a row's elements next to each other; targets: integers, one
a row; losses and lse: fp32, one a row.  All is computed in fp32.  A row whose target is ignore_index
has loss 0 and gradient 0, is not read and does not count; another target outside of the classes is a
failed assertion.  A mean over no rows is NaN, as PyTorch has it.

Memory bounds it: loss and gradient by themselves read the logits once each.  Fused, the second walk
over a row finds it in the cache, and the gradient may take the place of the logits, so that nothing
of their size is allocated.  Losses are added by one program, in one order.
"""

import torch

import triton
import triton.language as tl


def configs():
    """Columns at a time to try."""
    return [
        triton.Config({"BLOCK": block}, num_warps=warps)
        for block, warps in ((1024, 4), (2048, 4), (4096, 8), (8192, 16))
    ]


@triton.jit
def load_logits(x, columns, n_cols, other):
    return tl.load(x + columns, mask=columns < n_cols, other=other).to(tl.float32)


@triton.jit
def log_sum_exp(x, n_cols, SUMS: tl.constexpr, BLOCK: tl.constexpr):
    """lse of a row, and, where SUMS, the sum of its logits, else 0."""
    top = -float("inf")
    sums = tl.zeros([BLOCK], tl.float32)
    plain = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = load_logits(x, columns, n_cols, -float("inf"))
        highest = tl.maximum(top, tl.max(values, axis=0))
        base = tl.where(highest == -float("inf"), 0.0, highest)  # -inf - -inf is NaN
        sums = sums * tl.exp(top - base) + tl.exp(values - base)
        top = highest
        if SUMS:
            plain += tl.where(columns < n_cols, values, 0.0)
    return top + tl.log(tl.sum(sums, axis=0)), tl.sum(plain, axis=0)


@triton.jit
def store_gradient(gradient, x, lse, target, factor, n_cols, smoothing, z, BLOCK: tl.constexpr):
    """The gradient of a row times factor; may be stored where x is."""
    growth = (1 + 2 * z * lse) * factor
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        p = tl.exp(load_logits(x, columns, n_cols, -float("inf")) - lse)
        wanted = tl.where(columns == target, 1 - smoothing, 0.0) + smoothing / n_cols
        tl.store(gradient + columns, growth * p - factor * wanted, mask=columns < n_cols)


@triton.jit
def store_zeros(gradient, n_cols, BLOCK: tl.constexpr):
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        tl.store(gradient + columns, tl.zeros([BLOCK], tl.float32), mask=columns < n_cols)


# tilec: call loss --grid logits.shape(0) --device cpu,sim
#     n_cols=777 logits=randn(fp32, (9, n_cols)) * 5 targets=randint(i64, 9, 0, 777)
#     losses=empty(fp32, 9) lse=empty(fp32, 9) gradient=None factor=None
#     logits_row=logits.stride(0) gradient_row=0 ignore_index=-100 smoothing=0.0 z=0.0
#     SMOOTHED=False BLOCK=256
# tilec: call smoothed --call loss smoothing=0.1 z=1e-4 SMOOTHED=True
# tilec: call fused --call smoothed gradient=empty(fp32, (9, n_cols)) gradient_row=gradient.stride(0)
#     factor=full(fp32, 1, 0.125)
# tilec: call in-place --call fused gradient=logits --device cpu
# tilec: call ignored --call fused targets=full(i64, 9, -100) --compare losses=0
#     --compare gradient=0
# tilec: call alike --call loss logits=zeros(fp32, (9, n_cols)) n_cols=8 targets=randint(i64, 9, 0, 8)
#     --compare losses=2.0794415
@triton.jit
def cross_entropy_kernel(logits, targets, losses, lse, gradient, factor, n_cols, logits_row,
                         gradient_row, ignore_index, smoothing, z, SMOOTHED: tl.constexpr,
                         BLOCK: tl.constexpr):
    """Loss and lse of one row a program; its gradient, too, where gradient is not None.

    gradient: [rows, n_cols], or logits itself; factor: pointer to one fp32, what the gradient is
    multiplied by.  SMOOTHED: smoothing may be other than 0.  Strides in elements.
    """
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets + row)
    if gradient is not None:
        gradient += row * gradient_row
    if target == ignore_index:
        tl.store(losses + row, 0.0)
        tl.store(lse + row, 0.0)
        if gradient is not None:
            store_zeros(gradient, n_cols, BLOCK)
        return
    tl.device_assert((target >= 0) & (target < n_cols), "no such class")
    x = logits + row * logits_row
    chosen = tl.load(x + target, mask=(target >= 0) & (target < n_cols), other=0.0).to(tl.float32)
    total, plain = log_sum_exp(x, n_cols, SMOOTHED, BLOCK)
    loss = total - chosen
    if SMOOTHED:
        loss += smoothing * (chosen - plain / n_cols)
    tl.store(losses + row, loss + z * total * total)
    tl.store(lse + row, total)
    if gradient is not None:
        tl.debug_barrier()  # in place, all lanes have the chosen logit before one stores there
        store_gradient(gradient, x, total, target, tl.load(factor), n_cols, smoothing, z, BLOCK)


# tilec: call gradient --grid logits.shape(0) --device cpu,sim
#     n_cols=777 logits=randn(fp32, (9, n_cols)) * 5 targets=randint(i64, 9, 0, 777)
#     lse=rand(fp32, 9) + 16 behind=randn(fp32, 9) factor=full(fp32, 1, 0.125)
#     gradient=empty(fp32, (9, n_cols)) logits_row=logits.stride(0)
#     gradient_row=gradient.stride(0) behind_row=1 ignore_index=-100 smoothing=0.1 z=1e-4 BLOCK=256
# tilec: call scalar --call gradient behind=rand(fp32, 1) behind_row=0
# tilec: call in-place --call gradient gradient=logits --device cpu
@triton.jit
def cross_entropy_backward_kernel(logits, targets, lse, behind, factor, gradient, n_cols, logits_row,
                                  gradient_row, behind_row, ignore_index, smoothing, z,
                                  BLOCK: tl.constexpr):
    """gradient, which may be logits itself, of one row a program, from the lse that was stored.

    behind: fp32, the gradient of each loss, behind_row elements apart: 0 where one counts for all;
    factor: as above.
    """
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets + row)
    gradient += row * gradient_row
    if target == ignore_index:
        store_zeros(gradient, n_cols, BLOCK)
        return
    g = tl.load(behind + row * behind_row) * tl.load(factor)
    store_gradient(gradient, logits + row * logits_row, tl.load(lse + row), target, g, n_cols,
                   smoothing, z, BLOCK)


# tilec: call mean --grid 1 --device cpu,sim
#     n=777 losses=rand(fp32, n) targets=randint(i64, n, 0, 5) out=empty(fp32, 2) ignore_index=3
#     MEAN=True BLOCK=256
# tilec: call sum --call mean MEAN=False
# tilec: call count --call mean n=5 losses=None targets=full(i64, n, 0)
#     --compare out=0.2*arange(i32, 2)
@triton.jit
def reduce_losses_kernel(losses, targets, out, n, ignore_index, MEAN: tl.constexpr,
                         BLOCK: tl.constexpr):
    """out = [factor * sum(losses), factor], factor = 1 / the number of rows that count where MEAN, else
    1; losses may be None.  One program."""
    total = tl.zeros([BLOCK], tl.float32)
    count = tl.zeros([BLOCK], tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        if losses is not None:
            total += tl.load(losses + at, mask=at < n, other=0.0)
        if MEAN:
            there = tl.load(targets + at, mask=at < n, other=0) != ignore_index
            count += (there & (at < n)).to(tl.int32)
    factor = 1.0
    if MEAN:
        factor = 1.0 / tl.sum(count, axis=0).to(tl.float32)
    tl.store(out, tl.sum(total, axis=0) * factor)
    tl.store(out + 1, factor)



tuned_cross_entropy_kernel = triton.autotune(configs=configs(), key=["n_cols"])(
    cross_entropy_kernel)
tuned_cross_entropy_backward_kernel = triton.autotune(configs=configs(), key=["n_cols"])(
    cross_entropy_backward_kernel)


def launch(kernel, tuned_kernel, in_place, logits, *arguments, **constants):
    """One program a row.  Tuning runs a kernel several times, so what works in place is not tuned."""
    n_rows, n_cols = logits.shape
    if n_rows > 0 and in_place:
        kernel[(n_rows,)](logits, *arguments, **constants, num_warps=8,
                          BLOCK=min(triton.next_power_of_2(n_cols), 4096))
    elif n_rows > 0:
        tuned_kernel[(n_rows,)](logits, *arguments, **constants)


def as_rows(x):
    """x as a matrix whose rows are contiguous."""
    x = x.reshape(-1, x.shape[-1])
    return x if x.stride(1) == 1 else x.contiguous()


def reduced(losses, targets, ignore_index, reduction):
    """[the mean or sum, what the gradient of each row is multiplied by]; losses may be None."""
    out = torch.empty(2, device=targets.device, dtype=torch.float32)
    reduce_losses_kernel[(1,)](losses, targets, out, targets.numel(), ignore_index,
                               MEAN=reduction == "mean", BLOCK=1024)
    return out


def forward(logits, targets, ignore_index, smoothing, z, gradient=None, factor=None):
    """Losses and lse of the rows of a matrix; with `gradient` that, too."""
    losses, lse = (torch.empty(logits.shape[0], device=logits.device, dtype=torch.float32)
                   for _ in range(2))
    launch(cross_entropy_kernel, tuned_cross_entropy_kernel, gradient is logits, logits, targets,
           losses, lse, gradient, factor, logits.shape[1], logits.stride(0),
           0 if gradient is None else gradient.stride(0), ignore_index, smoothing, z,
           SMOOTHED=smoothing != 0)
    return losses, lse


class CrossEntropy(torch.autograd.Function):

    @staticmethod
    def forward(ctx, logits, targets, ignore_index, smoothing, z, reduction, in_place):
        rows, flat = as_rows(logits), targets.reshape(-1)
        losses, lse = forward(rows, flat, ignore_index, smoothing, z)
        ctx.how = ignore_index, smoothing, z, in_place, logits.shape
        ctx.apart = 1 if reduction == "none" else 0
        out = None if reduction == "none" else reduced(losses, flat, ignore_index, reduction)
        factor = torch.ones(1, device=lse.device) if out is None else out[1:]
        ctx.save_for_backward(rows, flat, lse, factor)
        return losses.view(targets.shape) if out is None else out[0]

    @staticmethod
    def backward(ctx, behind):
        logits, targets, lse, factor = ctx.saved_tensors
        ignore_index, smoothing, z, in_place, shape = ctx.how
        gradient = logits if in_place else torch.empty_like(logits)
        behind = behind.reshape(-1).float().contiguous()
        launch(cross_entropy_backward_kernel, tuned_cross_entropy_backward_kernel, in_place, logits,
               targets, lse, behind, factor, gradient, logits.shape[1], logits.stride(0),
               gradient.stride(0), ctx.apart, ignore_index, smoothing, z)
        return gradient.view(shape), *(None,) * 6


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor, ignore_index: int = -100,
                  smoothing: float = 0.0, z: float = 0.0, reduction: str = "mean",
                  in_place: bool = False) -> torch.Tensor:
    """The loss, fp32, of logits [..., n_cols] and targets [...]: one number, or with reduction "none"
    one for each target.  in_place: the gradient takes the place of logits, which nothing else may
    read afterwards."""
    assert reduction in ("mean", "sum", "none") and logits.shape[:-1] == targets.shape
    return CrossEntropy.apply(logits, targets, ignore_index, smoothing, z, reduction, in_place)


@torch.no_grad()
def cross_entropy_with_gradient(logits, targets, ignore_index=-100, smoothing=0.0, z=0.0,
                                reduction="mean", in_place=False):
    """Loss ("mean" or "sum") and gradient from one visit to the logits, in three launches.

    The number of rows that count is known first, so that the gradient needs no further pass.
    """
    rows, flat = as_rows(logits), targets.reshape(-1)
    factor = reduced(None, flat, ignore_index, reduction)[1:]
    gradient = rows if in_place else torch.empty_like(rows)
    losses, _ = forward(rows, flat, ignore_index, smoothing, z, gradient, factor)
    return reduced(losses, flat, ignore_index, reduction)[0], gradient.view(logits.shape)


def reference(logits, targets, ignore_index=-100, smoothing=0.0, z=0.0, reduction="mean"):
    """The same by tensor operations, for logits [rows, n_cols]."""
    loss = torch.nn.functional.cross_entropy(logits, targets, ignore_index=ignore_index,
                                             label_smoothing=smoothing, reduction="none")
    lse = torch.logsumexp(logits, 1)
    loss = loss + torch.where(targets == ignore_index, 0.0, z * lse * lse)
    if reduction == "none":
        return loss
    return loss.sum() / (1 if reduction == "sum" else (targets != ignore_index).sum())


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(4096, 32000, device="cuda", requires_grad=True)
    chosen = torch.randint(0, 32000, (4096,), device="cuda")
    chosen[::7] = -100
    got, want = (f(x, chosen, smoothing=0.1, z=1e-4) for f in (cross_entropy, reference))
    by, other = (torch.autograd.grad(loss, x)[0] for loss in (got, want))
    print(got.item(), want.item(), ((by - other).abs().max() / other.abs().max()).item())
    x = x.detach().half()
    for name, way in (("loss", cross_entropy), ("loss and gradient", cross_entropy_with_gradient)):
        ms = triton.testing.do_bench(lambda: way(x, chosen))
        print(f"{name}: {ms:.3f} ms")
