"""Lists of configurations that are changed behind their first assignment: in the order of the file."""
import os

import triton
import triton.language as tl

CONFIGS = [triton.Config({"M": 16})]
CONFIGS += [triton.Config({"M": 32})]
CONFIGS.append(triton.Config({"M": 64}))
CONFIGS.extend(triton.Config({"M": m}) for m in (128, 256))
if len(CONFIGS) == 5:
    CONFIGS = CONFIGS + [triton.Config({"M": 512})]
else:
    CONFIGS = CONFIGS + CONFIGS
if os.environ["TILEC_TEST_CI"]:  # no value, so that it counts as false
    CONFIGS.append(triton.Config({"M": 1}))


def keep(configs):
    CONFIGS = []
    CONFIGS.extend(configs)
    return CONFIGS[1:]


@triton.autotune(CONFIGS, key=["n"])
@triton.jit
def followed(x, n, M: tl.constexpr):
    pass


KEPT = [triton.Config({"M": 16}), triton.Config({"M": 32})]
KEPT = keep(KEPT)


@triton.autotune(KEPT, key=["n"])
@triton.jit
def through_function(x, n, M: tl.constexpr):
    pass


LOOP = [triton.Config({"M": 16})]
for m in (32, 64):
    if m > 32:
        LOOP.append(triton.Config({"M": m}))
LOOP += [triton.Config({"M": 8})]


@triton.autotune(LOOP, key=["n"])
@triton.jit
def in_loop(x, n, M: tl.constexpr):
    pass


NEVER += [triton.Config({"M": 16})]


@triton.autotune(NEVER, key=["n"])
@triton.jit
def without_list(x, n, M: tl.constexpr):
    pass
