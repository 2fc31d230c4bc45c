"""dilate.py - for each pixel of a grey image the brightest of those around it; docs/images.md runs it"""
import triton
import triton.language as tl


@triton.jit
def dilate(o, x, height, width, R: tl.constexpr = 2, ROWS: tl.constexpr = 8,
           COLUMNS: tl.constexpr = 256):
    image = tl.program_id(2) * height * width  # of a batch; a single one is number 0
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    best = tl.zeros((ROWS, COLUMNS), x.dtype.element_ty)
    for dy in tl.static_range(-R, R + 1):
        for dx in tl.static_range(-R, R + 1):
            row, column = rows + dy, columns + dx
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            best = tl.maximum(best, tl.load(x + image + row * width + column, mask=inside, other=0))
    tl.store(o + image + rows * width + columns, best, mask=(rows < height) & (columns < width))
