"""Operators of PyTorch made of functions that launch kernels: tilec.torch.op.

    @tilec.torch.op
    def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
        out = torch.empty_like(x)
        scale_kernel[(tilec.cdiv(x.numel(), 1024),)](x, out, x.numel(), factor, BLOCK=1024)
        return out

`scale` is a torch.library.CustomOpDef: torch.compile keeps it as one node of the graph, fake tensors
get their shapes by running the function with launches left out, vmap runs it once an element, and
autograd uses `backward`.  docs/pytorch.md has a loss function.
"""

import inspect
import re
import threading

import torch

from .jit import JITFunction
from .tuning import Autotuner, Heuristics

_LAUNCHED = (JITFunction, Autotuner, Heuristics)

# --- launches that are watched -------------------------------------------------------------------------


class _Watched:
    """In this thread, until the end of the `with`, kernel[grid](...) is handler(kernel, grid, args,
    kwargs, run), of which run() launches.  Other threads launch as before.
    """

    lock = threading.Lock()
    here = threading.local()
    users = 0

    def __init__(self, handler):
        self.handler = handler

    def __enter__(self):
        with self.lock:
            if _Watched.users == 0:
                for kind in _LAUNCHED:
                    kind.__getitem__ = self._look_first(kind.__getitem__)
            _Watched.users += 1
        self.here.handlers = [*getattr(self.here, "handlers", ()), self.handler]

    def __exit__(self, *_):
        self.here.handlers.pop()
        with self.lock:
            _Watched.users -= 1
            if _Watched.users == 0:
                for kind in _LAUNCHED:
                    del kind.__getitem__

    def _look_first(self, item):
        def __getitem__(kernel, grid):
            if not getattr(self.here, "handlers", None):
                return item(kernel, grid)
            return lambda *args, **kwargs: self._handle(item, kernel, grid, args, kwargs)

        return __getitem__

    def _handle(self, item, kernel, grid, args, kwargs):
        handlers, self.here.handlers = self.here.handlers, []  # what it launches itself is not watched
        try:
            return handlers[-1](kernel, grid, args, kwargs, lambda: item(kernel, grid)(*args, **kwargs))
        finally:
            self.here.handlers = handlers


def _silence(*_):
    """What a function allocates says what an operator gives, and fake tensors have no elements to
    compute with.
    """


# --- what kind of operator -----------------------------------------------------------------------


def _annotated(fn):
    """The function's signature; parameters without annotation are tensors, or what their default
    is.
    """
    signature = inspect.signature(fn)
    known = (bool, int, float, str)
    parameters = []
    for p in signature.parameters.values():
        kind = type(p.default) if type(p.default) in known else torch.Tensor
        given = p.annotation
        parameters.append(p.replace(annotation=kind if given is p.empty else given))
    result = signature.return_annotation
    return signature.replace(
        parameters=parameters,
        return_annotation=torch.Tensor if result is inspect.Signature.empty else result)


def _contiguous(fn, signature, mutates):
    """Call `fn` with contiguous tensors; those that it changes get their values back."""
    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        changed = []
        for name, value in given.arguments.items():
            if isinstance(value, torch.Tensor) and not value.is_contiguous():
                given.arguments[name] = value.contiguous()
                if name in mutates:
                    changed.append((value, given.arguments[name]))
        result = fn(*given.args, **given.kwargs)
        for original, copy in changed:
            original.copy_(copy)
        return result

    return call


def _as_function_of(call, fn, signature):
    """`call` under the name, text and signature of `fn`, which PyTorch reads."""
    def function(*args, **kwargs):
        return call(*args, **kwargs)

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(function, name, getattr(fn, name))
    function.__signature__ = signature
    function.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return function


# --- transformations -----------------------------------------------------------------------------


def _save_all(signature):
    """The default setup of autograd: tensors that went in, then those that came out, are saved; the
    other arguments are in ctx.given.
    """
    def setup(ctx, inputs, output):
        outputs = output if isinstance(output, tuple) else (output,)
        ctx.save_for_backward(*(v for v in inputs + outputs if isinstance(v, torch.Tensor)))
        ctx.given = {name: value for name, value in zip(signature.parameters, inputs)
                     if not isinstance(value, torch.Tensor)}

    return setup


def _one_at_a_time(operator):
    """vmap: the operator on each element of the batch, results stacked."""
    def stack(results):
        return torch.stack(results) if isinstance(results[0], torch.Tensor) else \
            tuple(torch.stack(r) for r in zip(*results))

    def element(value, dim, i):
        return value if dim is None or not isinstance(value, torch.Tensor) else value.select(dim, i)

    def without(value, dim):
        """An element of a batch that has none."""
        if dim is None or not isinstance(value, torch.Tensor):
            return value
        return value.new_zeros(value.shape[:dim] + value.shape[dim + 1:])

    def vmap(info, in_dims, *args):
        if info.batch_size == 0:
            one = operator(*map(without, args, in_dims))
            made = stack([one])
            made = made[:0] if isinstance(made, torch.Tensor) else tuple(m[:0] for m in made)
        else:
            made = stack([operator(*(element(v, d, i) for v, d in zip(args, in_dims)))
                          for i in range(info.batch_size)])
        return made, 0 if isinstance(made, torch.Tensor) else (0,) * len(made)

    return vmap


def _no_backward(called):
    """PyTorch's own text names a function of PyTorch, which users of op() have not called."""
    def backward(ctx, *gradients):
        raise NotImplementedError(
            f"the operator `{called}` has no backward: tilec.torch.op(backward=...) takes a function of the "
            'gradients, or "derive"; torch.no_grad() or .detach() says that no gradient is meant')

    return backward


def _refuse_options(fn, name, fake, backward, setup, mutates):
    if fn is not None and not callable(fn):
        raise TypeError(f"tilec.torch.op makes an operator of a function, not of {fn!r}; its name is an option: "
                        '@tilec.torch.op(name="library::name")')
    if name is not None and not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", str(name), re.ASCII):
        raise ValueError(f'the name of an operator is "library::name", as "mine::scale", not {name!r}')
    if backward is not None and backward != "derive" and not callable(backward):
        raise TypeError(f'backward is a function of the gradients, or "derive", not {backward!r}')
    for option, given in (("fake", fake), ("setup", setup)):
        if given is not None and not callable(given):
            raise TypeError(f"{option} is a function, not {given!r}")
    if backward == "derive" and (mutates or setup):
        raise TypeError('backward="derive" keeps what it needs itself, and is for functions that change none of '
                        "their arguments")


def op(fn=None, *, name=None, mutates=(), strided=False, fake=None, backward=None, setup=None,
       device_types=None):
    """Make an operator of PyTorch of a function that launches kernels.

    The function takes tensors, numbers and texts, and gives a tensor or a tuple of tensors that it
    allocated; it is called with real tensors, below autograd.

    name        "library::name" of the operator; "tilec::" and the function's by default
    mutates     names of the tensors whose elements it changes; such an operator has no vmap
    strided     the kernels use strides: otherwise tensors are made contiguous first
    fake        f(same arguments) gives tensors of the right shapes; by default the function itself
                does, with all launches left out
    backward    f(ctx, *gradients) gives the gradient of each argument, or None; "derive": by the
                kernels that the function launches, where it does nothing else with its tensors
    setup       f(ctx, inputs, output) keeps what `backward` needs; by default ctx.saved_tensors
                has the tensors of the inputs, then of the output, ctx.given the rest by name
    """
    _refuse_options(fn, name, fake, backward, setup, mutates)

    def decorate(function):
        signature = _annotated(function)
        changed = (mutates,) if isinstance(mutates, str) else tuple(mutates)
        call = function if strided else _contiguous(function, signature, changed)
        plain = function.__qualname__.replace("<locals>.", "").replace(".", "_")
        called = name or f"tilec::{plain}"
        operator = torch.library.custom_op(
            called, _as_function_of(call, function, signature),
            mutates_args=changed, device_types=device_types)

        def shapes(*args, **kwargs):
            with _Watched(_silence):
                return call(*args, **kwargs)

        operator.register_fake(fake or shapes)
        if backward == "derive":
            from .torch_derive import make_backward

            derived, keeps = make_backward(called, call, signature, _as_function_of, _Watched)
            operator.register_autograd(derived, setup_context=keeps)
        elif backward:
            operator.register_autograd(backward, setup_context=setup or _save_all(signature))
        elif not changed:
            operator.register_autograd(_no_backward(called))
        if not changed:
            operator.register_vmap(_one_at_a_time(operator))
        return operator

    return decorate if fn is None else decorate(fn)
