import os
import torch
import triton
import triton.language as tl
from triton.runtime import driver


def on_nvidia():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def on_amd():
    target = driver.active.get_current_target()
    return target.backend == "hip"


def capability():
    return torch.cuda.get_device_capability()[0]


def processors():
    if on_nvidia():
        return torch.cuda.get_device_properties("cuda").multi_processor_count
    return 148


def for_nvidia():
    return [triton.Config({"M": 128, "N": 64}, num_stages=3, num_warps=8), triton.Config({"M": 32, "N": 64}, 2, 5)]


def for_amd():
    return [triton.Config({"M": 16, "N": 16, "waves_per_eu": 2})]


def get_configs():
    if on_amd():
        return for_amd()
    else:
        return for_nvidia()


# which target
@triton.autotune(configs=get_configs(), key=["n"])
@triton.jit
def by_target(x, n, M: tl.constexpr, N: tl.constexpr):
    pass


def set_shape(args):
    args["x"].block_shape = [args["M"]]


if on_amd():
    STAGES = [1]
else:
    STAGES = [2, 4]

grown = [
    triton.Config({"M": m, "N": n}, num_stages=s, num_warps=w, pre_hook=set_shape)
    for m in [64, 128]
    for n in [32, 64]
    for s in STAGES
    for w in [4, 8]
]
if os.cpu_count() > 1000000:
    grown = [triton.Config(dict(M=64, N=64), num_stages=2, num_warps=4, pre_hook=set_shape)]


def keep(config):
    m, n = config.kwargs["M"], config.kwargs["N"]
    return not (m * n < 8192 and config.num_warps == 8) and config.num_stages > 2


def keep_by_chip(config):
    if on_nvidia() and capability() == 9:
        return config.num_warps != 8
    return True


# a filter; what it does not tell stays
@triton.autotune(list(filter(keep, grown)), key=["n"], prune_configs_by={"early_config_prune": lambda c, a: c})
@triton.jit
def filtered(x, n, M: tl.constexpr, N: tl.constexpr):
    pass


@triton.autotune([c for c in filter(lambda c: c.num_ctas == 1 and c.pre_hook is not None, grown)
                  if keep(c) and keep_by_chip(c) and isinstance(c, triton.Config)], key=["n"])
@triton.jit
def listed(x, n, M: tl.constexpr, N: tl.constexpr):
    pass


def with_hook(hook=None, sizes=(64, 128)):
    return list(map(lambda m: triton.Config({"M": m}, num_warps=m // 16, maxnreg=None, pre_hook=hook), sizes))


@triton.autotune(configs=with_hook(), key=["n"])
@triton.jit(launch_metadata=set_shape)
def without_hook(x, n, M: tl.constexpr):
    pass


@triton.autotune(configs=with_hook(lambda args: args["x"].zero_()) + with_hook(torch.zero, [c.kwargs.get("M", 0) for c in for_nvidia()]),
                 key=["n"])
@triton.jit
def hooked(x, n, M: tl.constexpr):
    pass


# what cannot be told, and why
@triton.autotune([triton.Config({"M": 64, "SMS": 84}), triton.Config({"M": 32, "SMS": processors()})], key=["n"])
@triton.jit
def counted(x, n, M: tl.constexpr, SMS: tl.constexpr):
    pass


def by_chip():
    if capability() >= 9:
        return for_nvidia()
    return [triton.Config({"M": 64})]


@triton.autotune(by_chip(), key=["n"])
@triton.jit
def chosen(x, n, M: tl.constexpr):
    pass


@triton.autotune(configs=[c for c in loader.read("k") if c.num_warps > 2], key=["n"])
@triton.jit
def loaded(x, n, M: tl.constexpr):
    pass


@triton.autotune(configs=[{"M": 64}, triton.Config({"M": 32}, num_warps=for_amd()[0].num_wraps)], key=["n"])
@triton.jit
def mistaken(x, n, M: tl.constexpr):
    pass


@triton.autotune(configs=triton.Config({"M": 64}), key=["n"])
@triton.jit
def alone(x, n, M: tl.constexpr):
    pass
