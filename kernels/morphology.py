"""Morphology of grey images: erode, dilate, open, close, gradient, top-hat and black-hat of a batch
by flat structuring elements (Serra, 1982), with the conventions of OpenCV.

    eroded[y, x]  = min over the (i, j) of the element of  image[y + i - anchor_y, x + j - anchor_x]
    dilated[y, x] = max over the same
    open = dilate(erode), close = erode(dilate), gradient = dilated - eroded,
    top-hat = image - open, black-hat = close - image     (differences of integers not below 0)

Images are [images, H, W] of u8, u16 or fp32, of any size, columns next to each other.  The element
is not turned around for `dilate`, and the anchor is its middle, size // 2, unless one is given.
What lies outside of the image: nothing ("none", OpenCV's default), one value ("constant"), the
nearest pixel ("replicate"), the image mirrored with its edge ("reflect", cba|abc) or around it
("reflect101", dcb|abcd).  Of open and close the second step sees this border around what the first
one made.  u8 and u16 equal OpenCV's bit by bit; where no pixel of an element is in the image, fp32
has infinity for OpenCV's largest number.

A rectangle is two lines, one along each axis, and the extreme of a line of s pixels is that of two
overlapping halves: doubling, ceil(log2 s) operations a pixel and axis, where s would be plain.  Any
other element is runs of pixels in rows: lines of a power of two are made once, and a run is two of
these that overlap, so that h rows of one run each take 2 h + log2 w operations and not h * w.  A
program loads a tile with what is around it once and stores its result, threshold included: what is
between stays with the program; `chains_kernel` gives open, close and gradient of it.  `mask_kernel`
takes the runs from a table at run time, also of another element for each image: two loads for each
run, and a step for each power of two.
"""

import math

import torch

import triton
import triton.language as tl


@triton.jit
def mirrored(at, n, BORDER: tl.constexpr):
    """The place in 0 .. n - 1 that stands for any place `at`."""
    if BORDER == "reflect":
        at = (at % (2 * n) + 2 * n) % (2 * n)
        at = tl.minimum(at, 2 * n - 1 - at)
    if BORDER == "reflect101":
        period = tl.maximum(2 * n - 2, 1)
        at = (at % period + period) % period
        at = tl.minimum(at, period - at)
    return tl.minimum(tl.maximum(at, 0), n - 1)


@triton.jit
def load_pixels(image, rows, columns, H, W, stride, value, BORDER: tl.constexpr):
    """A tile of pixels at any rows and columns of an image; `value` is outside, where the border is
    no part of the image."""
    if BORDER == "none" or BORDER == "constant":
        inside = ((rows >= 0) & (rows < H))[:, None] & ((columns >= 0) & (columns < W))[None, :]
        return tl.load(image + rows[:, None] * stride + columns[None, :], mask=inside, other=value)
    rows = mirrored(rows, H, BORDER)
    columns = mirrored(columns, W, BORDER)
    return tl.load(image + rows[:, None] * stride + columns[None, :])


@triton.jit
def extreme(a, b, LARGEST: tl.constexpr):
    return tl.maximum(a, b) if LARGEST else tl.minimum(a, b)


@triton.jit
def over_rows(t, SIZE: tl.constexpr, LARGEST: tl.constexpr):
    """The extreme of SIZE rows from each on; SIZE - 1 rows less than t has."""
    if SIZE == 1:
        return t
    step: tl.constexpr = SIZE // 2
    half = over_rows(t, SIZE - step, LARGEST)
    return extreme(half[:-step, :], half[step:, :], LARGEST)


@triton.jit
def over_columns(t, SIZE: tl.constexpr, LARGEST: tl.constexpr):
    """The extreme of SIZE columns from each on."""
    if SIZE == 1:
        return t
    step: tl.constexpr = SIZE // 2
    half = over_columns(t, SIZE - step, LARGEST)
    return extreme(half[:, :-step], half[:, step:], LARGEST)


@triton.constexpr_function
def runs_of_text(element):
    """(row, first column, pixels) of the runs of an element, "010/111/010"."""
    runs, row, column, pixels = [], 0, 0, 0
    for pixel in element + "/":
        if pixel != "1" and pixels > 0:
            runs.append((row, column - pixels, pixels))
        pixels = pixels + 1 if pixel == "1" else 0
        row, column = (row + 1, 0) if pixel == "/" else (row, column + 1)
    return tuple(runs)


@triton.jit
def over_run(t, ROW: tl.constexpr, COLUMN: tl.constexpr, PIXELS: tl.constexpr, ROWS: tl.constexpr,
             COLUMNS: tl.constexpr, LARGEST: tl.constexpr):
    """The extreme of PIXELS columns from (ROW, COLUMN) on: that of two lines which overlap, each a
    power of two long, which all runs of about this length share."""
    power: tl.constexpr = 1 << (PIXELS.bit_length() - 1)
    line = over_columns(t, power, LARGEST)[ROW:ROW + ROWS, :]
    last: tl.constexpr = COLUMN + PIXELS - power
    return extreme(line[:, COLUMN:COLUMN + COLUMNS], line[:, last:last + COLUMNS], LARGEST)


@triton.jit
def over_element(t, KH: tl.constexpr, KW: tl.constexpr, ELEMENT: tl.constexpr,
                 LARGEST: tl.constexpr):
    """The extreme over an element from each pixel on; KH - 1 rows, KW - 1 columns less than t."""
    if ELEMENT is None:
        return over_columns(over_rows(t, KH, LARGEST), KW, LARGEST)
    runs: tl.constexpr = runs_of_text(ELEMENT)
    rows: tl.constexpr = t.shape[0] - KH + 1
    columns: tl.constexpr = t.shape[1] - KW + 1
    out = over_run(t, runs[0][0], runs[0][1], runs[0][2], rows, columns, LARGEST)
    for n in tl.static_range(1, len(runs)):
        more = over_run(t, runs[n][0], runs[n][1], runs[n][2], rows, columns, LARGEST)
        out = extreme(out, more, LARGEST)
    return out


@triton.jit
def neutral(dtype: tl.constexpr, LARGEST: tl.constexpr):
    """What changes no maximum, or no minimum: a number of u8, u16 or a float."""
    if dtype.is_floating():
        return float("-inf") if LARGEST else float("inf")
    return 0 if LARGEST else (1 << dtype.primitive_bitwidth) - 1


@triton.jit
def difference(a, b):
    """a - b, of integers not below 0."""
    return a - b if a.dtype.is_floating() else tl.where(a > b, a - b, 0)


@triton.jit
def store_pixels(out, rows, columns, values, H, W, stride, threshold):
    """The values, or 255 where they are above the threshold and 0 elsewhere."""
    if threshold is not None:
        values = tl.where(values > threshold, 255, 0)
    inside = (rows < H)[:, None] & (columns < W)[None, :]
    tl.store(out + rows[:, None] * stride + columns[None, :], values.to(out.dtype.element_ty),
             mask=inside)


@triton.jit
def one_step(x, rows, columns, H, W, stride, value, KH: tl.constexpr, KW: tl.constexpr,
             ELEMENT: tl.constexpr, BORDER: tl.constexpr, LARGEST: tl.constexpr):
    """Erode or dilate the image; rows, columns: of the element's first pixel, with KH - 1 and
    KW - 1 more behind the tile that comes out."""
    around = neutral(x.dtype.element_ty, LARGEST) if BORDER == "none" else value
    t = load_pixels(x, rows, columns, H, W, stride, around, BORDER)
    return over_element(t, KH, KW, ELEMENT, LARGEST)


@triton.jit
def first_step(x, row, column, H, W, stride, value, KH: tl.constexpr, KW: tl.constexpr,
               ELEMENT: tl.constexpr, ANCHOR_Y: tl.constexpr, ANCHOR_X: tl.constexpr,
               BORDER: tl.constexpr, LARGEST: tl.constexpr, BLOCK_H: tl.constexpr,
               BLOCK_W: tl.constexpr):
    """One step of the tile at (row, column) and of what the next step needs around it."""
    rows = row - 2 * ANCHOR_Y + tl.arange(0, BLOCK_H + 2 * KH - 2)
    columns = column - 2 * ANCHOR_X + tl.arange(0, BLOCK_W + 2 * KW - 2)
    return one_step(x, rows, columns, H, W, stride, value, KH, KW, ELEMENT, BORDER, LARGEST)


@triton.jit
def second_step(t, row, column, H, W, value, KH: tl.constexpr, KW: tl.constexpr,
                ELEMENT: tl.constexpr, ANCHOR_Y: tl.constexpr, ANCHOR_X: tl.constexpr,
                BORDER: tl.constexpr, LARGEST: tl.constexpr):
    """The other step of what first_step gave, which sees the border around it."""
    rows = row - ANCHOR_Y + tl.arange(0, t.shape[0])
    columns = column - ANCHOR_X + tl.arange(0, t.shape[1])
    inside = ((rows >= 0) & (rows < H))[:, None] & ((columns >= 0) & (columns < W))[None, :]
    around = neutral(t.dtype, LARGEST) if BORDER == "none" else value
    around = tl.full([1, 1], around, t.dtype)
    return over_element(tl.where(inside, t, around), KH, KW, ELEMENT, LARGEST)


@triton.jit
def two_steps(x, row, column, H, W, stride, value, KH: tl.constexpr, KW: tl.constexpr,
              ELEMENT: tl.constexpr, ANCHOR_Y: tl.constexpr, ANCHOR_X: tl.constexpr,
              BORDER: tl.constexpr, LARGEST_FIRST: tl.constexpr, BLOCK_H: tl.constexpr,
              BLOCK_W: tl.constexpr):
    """Open or close the tile at (row, column)."""
    t = first_step(x, row, column, H, W, stride, value, KH, KW, ELEMENT, ANCHOR_Y, ANCHOR_X, BORDER,
                   LARGEST_FIRST, BLOCK_H, BLOCK_W)
    return second_step(t, row, column, H, W, value, KH, KW, ELEMENT, ANCHOR_Y, ANCHOR_X, BORDER,
                       not LARGEST_FIRST)


# tilec: call dilate --grid cdiv(W,BLOCK_W),cdiv(H,BLOCK_H),x.shape(0) --device cpu,sim
#     x=rand(u8, 2x45x67) out=empty(u8, 2x45x67) H=x.shape(1) W=x.shape(2)
#     image_stride=x.stride(0) row_stride=x.stride(1) out_image=out.stride(0)
#     out_row=out.stride(1) value=0 threshold=None OP="dilate" KH=5 KW=3 ANCHOR_Y=2 ANCHOR_X=1
#     BORDER="none" BLOCK_H=16 BLOCK_W=32
# tilec: call open --call dilate OP="open"
# tilec: call black-hat --call dilate --num-warps 8 OP="blackhat" x=rand(u16, 2x45x67) out=empty(u8, 2x45x67)
#     threshold=20000
# tilec: call gradient --call dilate OP="gradient" BORDER="reflect101" KH=4 ANCHOR_Y=0
#     x=rand(fp32, 2x45x67) out=empty(fp32, 2x45x67)
# tilec: call cross --call open ELEMENT="010/010/111/010/010"
# tilec: call pixel --call dilate OP="erode" KH=1 KW=1 ANCHOR_Y=0 ANCHOR_X=0 --compare out=x
@triton.jit
def rectangle_kernel(x, out, H, W, image_stride, row_stride, out_image, out_row, value, threshold,
                     OP: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr, ANCHOR_Y: tl.constexpr,
                     ANCHOR_X: tl.constexpr, BORDER: tl.constexpr, BLOCK_H: tl.constexpr,
                     BLOCK_W: tl.constexpr, ELEMENT: tl.constexpr = None):
    """out = OP of x by a rectangle of KH x KW pixels, or by an element of this size: ELEMENT has
    its rows, "010/111/010", and is compiled in.

    x, out: [images, H, W], strides in elements; OP: erode, dilate, open, close, gradient, tophat,
    blackhat; BORDER: see above, of the chains open, close and hats "none" or "constant" (others
    take a launch for each step); value: the constant; threshold: None, or out is 255 where the
    result is above it, else 0.  Grid: (cdiv(W, BLOCK_W), cdiv(H, BLOCK_H), images).
    """
    row = tl.program_id(1) * BLOCK_H
    column = tl.program_id(0) * BLOCK_W
    x += tl.program_id(2).to(tl.int64) * image_stride
    out += tl.program_id(2).to(tl.int64) * out_image
    rows = row + tl.arange(0, BLOCK_H)
    columns = column + tl.arange(0, BLOCK_W)
    if OP == "erode" or OP == "dilate" or OP == "gradient":
        near_rows = row - ANCHOR_Y + tl.arange(0, BLOCK_H + KH - 1)
        near_columns = column - ANCHOR_X + tl.arange(0, BLOCK_W + KW - 1)
        t = one_step(x, near_rows, near_columns, H, W, row_stride, value, KH, KW,
                     ELEMENT, BORDER, OP != "erode")
        if OP == "gradient":
            t = difference(t, one_step(x, near_rows, near_columns, H, W, row_stride, value, KH, KW,
                                       ELEMENT, BORDER, False))
    else:
        tl.static_assert(BORDER == "none" or BORDER == "constant",
                         "one launch for each step of a chain with this border")
        t = two_steps(x, row, column, H, W, row_stride, value, KH, KW, ELEMENT, ANCHOR_Y,
                      ANCHOR_X, BORDER, OP == "close" or OP == "blackhat", BLOCK_H, BLOCK_W)
        if OP == "tophat" or OP == "blackhat":
            pixels = load_pixels(x, rows, columns, H, W, row_stride, 0, "none")
            t = difference(pixels, t) if OP == "tophat" else difference(t, pixels)
    store_pixels(out, rows, columns, t, H, W, out_row, threshold)


# tilec: call chains --grid cdiv(W,BLOCK_W),cdiv(H,BLOCK_H),x.shape(0) --device cpu,sim --num-warps 8
#     x=rand(u8, 2x45x67) opened=empty(u8, 2x45x67) closed=empty(u8, 2x45x67)
#     gradient=empty(u8, 2x45x67) H=x.shape(1) W=x.shape(2) image_stride=x.stride(0)
#     row_stride=x.stride(1) out_image=opened.stride(0) out_row=opened.stride(1) value=0 KH=5 KW=3
#     ANCHOR_Y=2 ANCHOR_X=1 BORDER="none" BLOCK_H=16 BLOCK_W=32
@triton.jit
def chains_kernel(x, opened, closed, gradient, H, W, image_stride, row_stride, out_image, out_row,
                  value, KH: tl.constexpr, KW: tl.constexpr, ANCHOR_Y: tl.constexpr,
                  ANCHOR_X: tl.constexpr, BORDER: tl.constexpr, BLOCK_H: tl.constexpr,
                  BLOCK_W: tl.constexpr, ELEMENT: tl.constexpr = None):
    """Open, close and gradient at once, of one erosion and one dilation of each tile.

    opened, closed, gradient: like out of rectangle_kernel, with the same strides; BORDER: "none" or
    "constant"; the rest, and the grid, as there.
    """
    tl.static_assert(BORDER == "none" or BORDER == "constant",
                     "one launch for each step of a chain with this border")
    row = tl.program_id(1) * BLOCK_H
    column = tl.program_id(0) * BLOCK_W
    rows = row + tl.arange(0, BLOCK_H)
    columns = column + tl.arange(0, BLOCK_W)
    x += tl.program_id(2).to(tl.int64) * image_stride
    at = tl.program_id(2).to(tl.int64) * out_image
    small = first_step(x, row, column, H, W, row_stride, value, KH, KW, ELEMENT, ANCHOR_Y, ANCHOR_X,
                       BORDER, False, BLOCK_H, BLOCK_W)
    large = first_step(x, row, column, H, W, row_stride, value, KH, KW, ELEMENT, ANCHOR_Y, ANCHOR_X,
                       BORDER, True, BLOCK_H, BLOCK_W)
    bottom: tl.constexpr = ANCHOR_Y + BLOCK_H
    right: tl.constexpr = ANCHOR_X + BLOCK_W
    t = difference(large[ANCHOR_Y:bottom, ANCHOR_X:right], small[ANCHOR_Y:bottom, ANCHOR_X:right])
    store_pixels(gradient + at, rows, columns, t, H, W, out_row, None)
    t = second_step(small, row, column, H, W, value, KH, KW, ELEMENT, ANCHOR_Y, ANCHOR_X, BORDER, True)
    store_pixels(opened + at, rows, columns, t, H, W, out_row, None)
    t = second_step(large, row, column, H, W, value, KH, KW, ELEMENT, ANCHOR_Y, ANCHOR_X, BORDER, False)
    store_pixels(closed + at, rows, columns, t, H, W, out_row, None)


@triton.jit
def over_runs(x, rows, column, H, W, stride, around, runs, first, behind, WIDTH: tl.constexpr,
              BORDER: tl.constexpr, LARGEST: tl.constexpr):
    """The extreme of the pixels at which the lines of some runs begin, for WIDTH columns from
    `column` on: the first pixel of each run, and the first of the line that ends with it."""
    t = tl.full([rows.shape[0], WIDTH], neutral(x.dtype.element_ty, LARGEST), x.dtype.element_ty)
    columns = column + tl.arange(0, WIDTH)
    for i in range(first, behind):
        near = rows + tl.load(runs + 3 * i)
        t = extreme(t, load_pixels(x, near, columns + tl.load(runs + 3 * i + 1), H, W, stride,
                                   around, BORDER), LARGEST)
        t = extreme(t, load_pixels(x, near, columns + tl.load(runs + 3 * i + 2), H, W, stride,
                                   around, BORDER), LARGEST)
    return t


@triton.jit
def over_powers(x, rows, column, H, W, stride, around, runs, starts, POWER: tl.constexpr,
                POWERS: tl.constexpr, WIDTH: tl.constexpr, BORDER: tl.constexpr,
                LARGEST: tl.constexpr):
    """What lines of 2**POWER pixels must go over to give the extreme of all runs at least as long:
    WIDTH + 2**POWER - 1 columns.  Of lines twice as long one step makes such, whatever their runs,
    so that each power takes one step and not one for each run."""
    t = over_runs(x, rows, column, H, W, stride, around, runs, tl.load(starts + POWER),
                  tl.load(starts + POWER + 1), WIDTH + (1 << POWER) - 1, BORDER, LARGEST)
    if POWER + 1 == POWERS:
        return t
    half: tl.constexpr = 1 << POWER
    longer = over_powers(x, rows, column, H, W, stride, around, runs, starts, POWER + 1, POWERS,
                         WIDTH, BORDER, LARGEST)
    return extreme(t, extreme(longer[:, :-half], longer[:, half:], LARGEST), LARGEST)


# tilec: call steps --grid cdiv(W,BLOCK_W),cdiv(H,BLOCK_H),x.shape(0) --device cpu,sim
#     x=rand(u8, 2x45x67) out=empty(u8, 2x45x67) H=x.shape(1) W=x.shape(2)
#     runs=arange(i32, (4, 3)) // 3 starts=arange(i32, 3) * 2
#     runs_stride=0 starts_stride=0 POWERS=2
#     image_stride=x.stride(0) row_stride=x.stride(1) out_image=out.stride(0)
#     out_row=out.stride(1) value=0 threshold=None LARGEST=True BORDER="reflect"
#     BLOCK_H=16 BLOCK_W=32
@triton.jit
def mask_kernel(x, out, runs, starts, runs_stride, starts_stride, H, W, image_stride, row_stride,
                out_image, out_row, value, threshold, LARGEST: tl.constexpr, BORDER: tl.constexpr,
                POWERS: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """Dilate (LARGEST) or erode by any element, which tables say at run time: table_of makes them.

    runs: i32 [n, 3], those of 1 pixel first, then of 2 to 3, 4 to 7, and so on: of each run its row
    and the columns at which two lines begin that cover it, each as long as the power of two in it,
    all counted from the anchor.  starts: i32 [POWERS + 1], where the runs of 2**p and more begin,
    and where the last end.  runs_stride, starts_stride: elements from the tables of one image to
    those of the next, 0 where all have the same.  The rest as for rectangle_kernel.
    """
    row = tl.program_id(1) * BLOCK_H
    column = tl.program_id(0) * BLOCK_W
    rows = row + tl.arange(0, BLOCK_H)
    image = tl.program_id(2).to(tl.int64)
    x += image * image_stride
    around = neutral(x.dtype.element_ty, LARGEST) if BORDER == "none" else value
    t = over_powers(x, rows, column, H, W, row_stride, around, runs + image * runs_stride,
                    starts + image * starts_stride, 0, POWERS, BLOCK_W, BORDER, LARGEST)
    store_pixels(out + image * out_image, rows, column + tl.arange(0, BLOCK_W), t, H, W, out_row,
                 threshold)


def table_of(mask, anchor=None):
    """The runs and starts of a mask, rows of 0 and 1, for mask_kernel, and POWERS, at least 1."""
    y, x = anchor or (len(mask) // 2, len(mask[0]) // 2)
    found = []
    for i, row in enumerate(mask):
        for _, first, pixels in runs_of_text("".join("1" if pixel else "0" for pixel in row)):
            power = pixels.bit_length() - 1
            found.append((power, [i - y, first - x, first - x + pixels - (1 << power)]))
    found.sort()
    powers = found[-1][0] + 1 if found else 1
    starts = [sum(power < p for power, _ in found) for p in range(powers + 1)]
    return [run for _, run in found], starts, powers


def tables_of(masks, anchor=None):
    """The same of several masks, as arrays with a row for each."""
    tables = [table_of(mask, anchor) for mask in masks]
    most, powers = max(len(runs) for runs, _, _ in tables), max(p for _, _, p in tables)
    runs = [runs + [[0, 0, 0]] * (most - len(runs)) for runs, _, _ in tables]
    starts = [starts + starts[-1:] * (powers + 1 - len(starts)) for _, starts, _ in tables]
    return runs, starts, powers


def by_masks(x, masks, largest, anchor=None, border="none", value=0, threshold=None):
    """Images [images, H, W] dilated (largest) or eroded by one mask, or each by its own."""
    runs, starts, powers = tables_of(masks, anchor)
    runs, starts = (torch.tensor(t, dtype=torch.int32, device=x.device) for t in (runs, starts))
    each = len(masks) > 1
    out = torch.empty_like(x)
    H, W = x.shape[1:]
    high, wide, warps = tile_of(x, "mask")
    mask_kernel[(triton.cdiv(W, wide), triton.cdiv(H, high), x.shape[0])](
        x, out, runs, starts, runs.stride(0) if each else 0, starts.stride(0) if each else 0, H, W,
        x.stride(0), x.stride(1), out.stride(0), out.stride(1), value, threshold, LARGEST=largest,
        BORDER=border, POWERS=powers, BLOCK_H=high, BLOCK_W=wide, num_warps=warps)
    return out


def ellipse(height, width):
    """OpenCV's element of this name, for ELEMENT."""
    r, c = height // 2, width // 2
    rows = []
    for i in range(height):
        half = round(c * math.sqrt((r * r - (i - r)**2) / (r * r))) if r else 0
        first, behind = max(c - half, 0), min(c + half + 1, width)
        rows.append("0" * first + "1" * (behind - first) + "0" * (width - behind))
    return "/".join(rows)


def tile_of(x, op):
    """BLOCK_H, BLOCK_W and num_warps.  On GPUs a program holds its tile, and what is around it, in
    registers, of chains and gradients two or three of them."""
    if x.device.type == "cpu":
        return 64, 256, 4
    return 64 if op in ("erode", "dilate") else 32, 128, 8


def apply(x, op, size, anchor=None, border="none", value=0, threshold=None, element=None):
    """OP of images [images, H, W] by a rectangle (height, width), or an element of this size."""
    y, z = anchor or (size[0] // 2, size[1] // 2)
    chain = {"open": "erode dilate", "close": "dilate erode"}
    if op in chain and border not in ("none", "constant"):
        first, last = chain[op].split()
        x = apply(x, first, size, (y, z), border, value, None, element)
        return apply(x, last, size, (y, z), border, value, threshold, element)
    out = torch.empty_like(x)
    H, W = x.shape[1:]
    high, wide, warps = tile_of(x, op)
    rectangle_kernel[(triton.cdiv(W, wide), triton.cdiv(H, high), x.shape[0])](
        x, out, H, W, x.stride(0), x.stride(1), out.stride(0), out.stride(1), value, threshold,
        OP=op, KH=size[0], KW=size[1], ANCHOR_Y=y, ANCHOR_X=z, BORDER=border, BLOCK_H=high,
        BLOCK_W=wide, ELEMENT=element, num_warps=warps)
    return out


def chains(x, size, anchor=None, border="none", value=0, element=None):
    """Open, close and gradient of images by one element, in one launch."""
    y, z = anchor or (size[0] // 2, size[1] // 2)
    out = [torch.empty_like(x) for _ in range(3)]
    H, W = x.shape[1:]
    high, wide, warps = tile_of(x, "open")
    chains_kernel[(triton.cdiv(W, wide), triton.cdiv(H, high), x.shape[0])](
        x, *out, H, W, x.stride(0), x.stride(1), out[0].stride(0), out[0].stride(1), value, KH=size[0],
        KW=size[1], ANCHOR_Y=y, ANCHOR_X=z, BORDER=border, BLOCK_H=high, BLOCK_W=wide,
        ELEMENT=element, num_warps=warps)
    return out


def rectangle(x, op, size, anchor=None, iterations=1, border="none", value=0, threshold=None):
    """OP of images by a rectangle, which grows with iterations."""
    y, z = anchor or (size[0] // 2, size[1] // 2)
    size = (1 + (size[0] - 1) * iterations, 1 + (size[1] - 1) * iterations)
    return apply(x, op, size, (y * iterations, z * iterations), border, value, threshold)


if __name__ == "__main__":
    torch.manual_seed(0)
    images = torch.randint(0, 256, (64, 256, 256), device="cuda", dtype=torch.uint8)
    pooled = torch.nn.functional.max_pool2d(images[:, None].float(), 5, 1, 2)[:, 0]
    assert (rectangle(images, "dilate", (5, 5)).float() == pooled).all()
    for side in (3, 15, 63):
        ms = triton.testing.do_bench(lambda: rectangle(images, "dilate", (side, side)))
        print(f"{side}: {2 * images.numel() / ms * 1e-6:.0f} GB/s")
