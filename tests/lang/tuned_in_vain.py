# lower: config_of_no_parameter x:*fp32 B=16
# lower: key_of_no_parameter x:*fp32 B=16
# lower: heuristic_of_no_parameter x:*fp32 B=16
# lower: tuned_above x:*fp32 B=16
# lower: options_of_targets x:*fp32 B=16
"""What decorators say of parameters that are not there, and where it has no effect: warnings."""
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 16, "n": 3}), triton.Config({"BLOCK": 32})], key=[])
@triton.jit
def config_of_no_parameter(x, B: tl.constexpr):
    tl.store(x, B)


@triton.autotune(configs=[triton.Config({"B": 16})], key=["rows"])
@triton.jit
def key_of_no_parameter(x, B: tl.constexpr):
    tl.store(x, B)


@triton.heuristics({"b": lambda args: 16})
@triton.jit
def heuristic_of_no_parameter(x, B: tl.constexpr):
    tl.store(x, B)


@triton.jit
@triton.autotune(configs=[triton.Config({"B": 16})], key=["x"])
def tuned_above(x, B: tl.constexpr):
    tl.store(x, B)


@triton.autotune(configs=[triton.Config({"B": 16, "waves_per_eu": 2}, num_warps=4)], key=["x"])
@triton.jit
def options_of_targets(x, B: tl.constexpr):
    tl.store(x, B)
