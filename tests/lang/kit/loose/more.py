import triton


@triton.jit
def plus_one(x):
    return x + 1
