import triton
import triton.language as tl


@triton.jit
def blur(out, image, height, width, BLOCK: tl.constexpr):
    """The mean of each pixel and its neighbours to the left and right, of one row a program."""
    row = tl.program_id(0) * width
    for start in range(0, width, BLOCK):
        x = start + tl.arange(0, BLOCK)
        left = tl.load(image + row + tl.maximum(x - 1, 0), mask=x < width, other=0)
        here = tl.load(image + row + x, mask=x < width, other=0)
        right = tl.load(image + row + tl.minimum(x + 1, width - 1), mask=x < width, other=0)
        total = left.to(tl.int32) + here.to(tl.int32) + right.to(tl.int32)
        tl.store(out + row + x, (total // 3).to(tl.uint8), mask=x < width)
