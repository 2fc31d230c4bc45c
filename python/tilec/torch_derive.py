"""@tilec.torch.op(backward="derive"): the backward of a function from the kernels that it launches.

The backward operator calls the function once more and keeps a list of its launches; from the last to
the first, each hands the gradient of what it stored to what it loaded, by tilec.grad().  So the
function may only allocate, take views and launch: what else it does with a tensor that a gradient
goes through is refused, and so is storing twice to one tensor, or to one that was loaded before.
"""

import typing

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .derived import Gradients, split

_LOADS, _STORES = 1, 2  # as tilec_use in tilec.h
# what only takes the shape of a tensor
_ALLOCATES = ("empty_like", "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros", "new_ones",
              "new_full", "new_empty_strided")


def _memory(tensor):
    """What says that two tensors are parts of one."""
    return tensor.untyped_storage().data_ptr()


def _tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors_in(value)


class _Launch:
    """kernel[grid](arguments), with what it does to tensors of floats.  One that it adds to by atomics
    is both loaded and stored."""

    def __init__(self, kernel, grid, args, kwargs):
        self.kernel, self.grid = kernel, grid
        self.named, _, self.options = split(kernel, args, kwargs)
        uses = kernel._uses((), {**self.named, **self.options})
        floats = {name: value for name, value in self.named.items()
                  if isinstance(value, torch.Tensor) and value.is_floating_point()}
        self.loaded = {n: t for n, t in floats.items() if uses.get(n, 0) & _LOADS}
        self.stored = {n: t for n, t in floats.items() if uses.get(n, 0) & _STORES}


class Tape(TorchDispatchMode):
    """While it is open launches run, and are kept; `active` has the memory that gradients go through."""

    def __init__(self, name, inputs):
        super().__init__()
        self.name = name
        self.launches = []
        self.active = {_memory(t) for t in inputs}
        self.inputs = set(self.active)
        self.loaded, self.stored = set(), set()

    def refuse(self, what):
        raise NotImplementedError(f"backward=\"derive\" of `{self.name}`: {what}; write a backward of its own")

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.__name__.split(".")[0]
        given = list(_tensors_in([*args, *(kwargs or {}).values()]))
        if not func.is_view and name not in _ALLOCATES and any(_memory(t) in self.active for t in given):
            self.refuse(f"the function computes with `{name}` of PyTorch, through which it does not go")
        return func(*args, **(kwargs or {}))

    def launch(self, kernel, grid, args, kwargs, run):
        """What watches launches: `run` makes it."""
        made = _Launch(kernel, grid, args, kwargs)
        for name, tensor in made.stored.items():
            memory = _memory(tensor)
            if memory in self.inputs or memory in self.stored or memory in self.loaded:
                self.refuse(f"`{kernel.__name__}` stores to `{name}`, which an earlier launch has stored to or "
                            "loaded, or which is an argument")
        self.loaded.update(map(_memory, made.loaded.values()))
        self.stored.update(map(_memory, made.stored.values()))
        if any(_memory(t) in self.active for t in made.loaded.values()):
            self.active.update(map(_memory, made.stored.values()))
            self.launches.append(made)
        return run()


class _Flow:
    """Gradients of memory: of each as a whole, so that views of it add to one."""

    def __init__(self):
        self.of_memory = {}

    def has(self, tensor):
        return _memory(tensor) in self.of_memory

    def of(self, tensor):
        """The gradient of that part."""
        memory = _memory(tensor)
        if memory not in self.of_memory:
            n = tensor.untyped_storage().nbytes() // tensor.element_size()
            self.of_memory[memory] = torch.zeros(n, dtype=tensor.dtype, device=tensor.device)
        return self.of_memory[memory].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    def through(self, launch, active):
        """From what the launch stored to what it loaded."""
        wrt = [n for n, t in launch.loaded.items() if _memory(t) in active and n not in launch.stored]
        for of in launch.stored:
            if not self.has(launch.stored[of]):
                continue
            gradients = Gradients(launch.kernel, of, wrt)
            parts = {n: torch.empty_strided(t.size(), t.stride(), dtype=t.dtype, device=t.device)
                     for n, t in launch.loaded.items() if n in wrt}
            names = gradients.derive(**launch.named, **launch.options).gradients
            given = {g.name: parts[g.array] for g in names[1:]}
            given[names[0].name] = self.of(launch.stored[of])
            gradients.run(grid=launch.grid, **launch.named, **launch.options, **given)
            for name, part in parts.items():
                self.of(launch.loaded[name]).add_(part)


def _apart(tensors):
    """The same, in memory of their own where two have one."""
    seen, out = set(), []
    for t in tensors:
        t = t.contiguous()
        if _memory(t) in seen:
            t = t.clone()
        seen.add(_memory(t))
        out.append(t)
    return out


def gradients_of(name, function, watch, inputs, gradients, wanted):
    """The gradients of the inputs, a list of all arguments, that `wanted` has a 1 for: a list of them
    all, empty tensors for others.  `watch(handler)` is a context in which launches go through it.
    """
    tensors = [i for i, v in enumerate(inputs) if isinstance(v, torch.Tensor)]
    inputs = list(inputs)
    for i, t in zip(tensors, _apart([inputs[i] for i in tensors])):
        inputs[i] = t
    tape = Tape(name, [inputs[i] for i in tensors if wanted[i] == "1"])
    with watch(tape.launch), tape:
        results = function(*inputs)
    flow = _Flow()
    for result, gradient in zip(results if isinstance(results, tuple) else (results,), gradients):
        if _memory(result) in tape.active:
            flow.of(result).add_(gradient)
    for launch in reversed(tape.launches):
        flow.through(launch, tape.active)
    return shapes_of(inputs, wanted, flow.of)


def shapes_of(inputs, wanted, made=lambda t: t.new_empty(t.shape)):
    """A tensor for each that is among the inputs."""
    return [made(v) if wanted[i] == "1" else v.new_empty(0)
            for i, v in enumerate(inputs) if isinstance(v, torch.Tensor)]


def make_backward(operator_name, call, signature, as_function, watch):
    """(backward, setup) for register_autograd: they call an operator, which compiled graphs keep."""
    names = list(signature.parameters)

    def run(*args):
        *inputs, gradients, wanted = args
        return gradients_of(operator_name, call, watch, inputs, gradients, wanted)

    def fake(*args):
        *inputs, _, wanted = args
        return shapes_of(inputs, wanted)

    def parameter(name, annotation):
        kind = next(iter(signature.parameters.values())).kind
        return type(next(iter(signature.parameters.values())))(name, kind, annotation=annotation)

    mine = signature.replace(
        parameters=[*(p.replace(default=p.empty) for p in signature.parameters.values()),
                    parameter("gradients_", typing.Sequence[torch.Tensor]), parameter("wanted_", str)],
        return_annotation=typing.List[torch.Tensor])

    def derived_backward(*args):
        raise AssertionError

    operator = torch.library.custom_op(f"{operator_name}_backward", as_function(run, derived_backward, mine),
                                       mutates_args=())
    operator.register_fake(fake)

    def setup(ctx, inputs, output):
        for name, value in zip(names, inputs):
            if not isinstance(value, torch.Tensor) and any(t.requires_grad for t in _tensors_in([value])):
                raise NotImplementedError(f"backward=\"derive\" of `{operator_name}`: `{name}` is a list of "
                                          "tensors; write a backward of its own")
        ctx.save_for_backward(*(v for v in inputs if isinstance(v, torch.Tensor)))
        ctx.given = [None if isinstance(v, torch.Tensor) else (v,) for v in inputs]

    def backward(ctx, *gradients):
        saved = iter(ctx.saved_tensors)
        inputs = [next(saved) if v is None else v[0] for v in ctx.given]
        wanted = "".join(str(int(needs and isinstance(v, torch.Tensor) and v.is_floating_point()))
                         for v, needs in zip(inputs, ctx.needs_input_grad))
        made = iter(operator(*inputs, list(gradients), wanted))
        by_input = [next(made) if isinstance(v, torch.Tensor) else None for v in inputs]
        return tuple(g if w == "1" else None for g, w in zip(by_input, wanted))

    return backward, setup
