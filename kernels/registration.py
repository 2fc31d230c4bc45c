"""Registration of grey images: find a template in each, and bring it back to where it should be.

The response of an image x to a template t of h x w pixels, at each position (y, x0) where the
template lies inside of the image:

    sum of products   c[y, x0] = sum over i < h, j < w of  x[y + i, x0 + j] * t[i, j]
    normalised        z[y, x0] = sum of (x - mean of x below t) * (t - mean of t)
                                 / sqrt(sum of (x - mean)**2 * sum of (t - mean)**2)

(zero-mean normalised cross-correlation; Lewis, "Fast normalized cross-correlation", 1995); z is 0
where all pixels below the template are alike, and where all of its own are.  c is
scipy.signal.correlate2d(x, t, "valid").

Images are [images, H, W], templates [templates, h, w] or [images, templates, h, w], of u8, u16,
fp32 or fp64, columns next to each other; other strides in elements.  Three launches register a
batch, and no response is written:

    find_kernel   of a piece of positions the largest response and its place
    best_kernel   the first of the largest of all pieces, as (dy, dx) from where it should be
    shift_kernel  each image moved by its own offset, by pixels or between them, and cropped

Between equal responses the first in row-major order counts, and a NaN before all numbers, as for
numpy.argmax: the result does not depend on pieces or threads.

h * w multiply-adds for each position decide how long it takes: one after the other, or as products
of matrices (BLOCKS), of which BLOCK_X - 1 in w + BLOCK_X - 1 are by 0, but which a GPU has units for.

Numbers of 8 and 16 bits are exact, so that equal windows are equal: products of 8 bits are added
256 at a time in fp32, which is exact up to 2**24, or as integers, and these sums in fp64; those of
16 bits in fp64.  Sums for the mean and the variance below the template are of columns first, then
of neighbours by doubling: h + log w operations, not h * w.
"""

import torch

import triton
import triton.language as tl

# floats are alike whose spread is below this share of their squares: 2**-21 of what they are
ALIKE: tl.constexpr = tl.constexpr(2.0**-42)
STEP: tl.constexpr = tl.constexpr(16)  # products that are made at once
LAST: tl.constexpr = tl.constexpr(2147483647)  # behind all places


@triton.jit
def window_sums(t, SIZE: tl.constexpr):
    """The sum of SIZE columns from each on; SIZE - 1 columns less than t has."""
    if SIZE == 1:
        return t
    half: tl.constexpr = SIZE // 2
    sums = window_sums(t, half)
    both = sums[:, :-half] + sums[:, half:]
    return both[:, :-1] + t[:, 2 * half:] if SIZE % 2 else both


@triton.jit
def sum_type(dtype: tl.constexpr, N: tl.constexpr):
    """In which sums of N squares are exact for integers."""
    small: tl.constexpr = dtype.is_int() and N << (2 * dtype.primitive_bitwidth) < 1 << 31
    return tl.int32 if small else tl.float64


@triton.jit
def moments(pixels, y, columns, bottom, right, row_stride, HEIGHT: tl.constexpr,
            WIDTH: tl.constexpr):
    """The sums of HEIGHT pixels below each other and of their squares, from rows y on, in a type
    for those of WIDTH columns.  Rows from `bottom`, columns from `right` on do not count."""
    wide: tl.constexpr = sum_type(pixels.dtype.element_ty, HEIGHT * WIDTH)
    inside = (y < bottom)[:, None] & (columns < right)[None, :]
    sums = tl.zeros([y.shape[0], columns.shape[0]], wide)
    squares = tl.zeros([y.shape[0], columns.shape[0]], wide)
    at = pixels + y[:, None] * row_stride + columns[None, :]
    for i in range(HEIGHT):
        value = tl.load(at + i * row_stride, mask=inside, other=0).to(wide)
        sums += value
        squares += value * value
    return sums, squares


@triton.jit
def middle(dtype: tl.constexpr):
    """What integers are counted from, so that products of their sums stay small."""
    return 1 << (dtype.primitive_bitwidth - 1) if dtype.is_int_unsigned() else 0


@triton.jit
def covariance(sums, other_sums, products, N: tl.constexpr, dtype: tl.constexpr,
               other: tl.constexpr):
    """N * sum of (a - mean of a) * (b - mean of b) of N pairs, in fp64; of integers exactly."""
    if not (dtype.is_int() and other.is_int()):
        return N * products - sums * other_sums
    a: tl.constexpr = middle(dtype)
    b: tl.constexpr = middle(other)
    from_a = sums.to(tl.int64) - a * N
    from_b = other_sums.to(tl.int64) - b * N
    both = products.to(tl.int64) - b * from_a - a * from_b - a * b * N
    return (N * both - from_a * from_b).to(tl.float64)


@triton.jit
def spread(sums, squares, N: tl.constexpr, dtype: tl.constexpr):
    """N * sum of (a - mean of a)**2; 0 where all are alike, for floats within their rounding."""
    distances = covariance(sums, sums, squares, N, dtype, dtype)
    if dtype.is_int():
        return distances
    return tl.where(distances <= ALIKE * N * squares, 0.0, distances)


@triton.jit
def work_type(dtype: tl.constexpr, other: tl.constexpr):
    """In which products are added: of integers exactly, else as fp32 unless there is fp64."""
    wide: tl.constexpr = max(dtype.primitive_bitwidth, other.primitive_bitwidth)
    exact: tl.constexpr = dtype.is_int() and other.is_int()
    return tl.float64 if wide > (8 if exact else 32) else tl.float32


@triton.jit
def add_products(part, x, y, columns, bottom, right, row_stride, template, base, mean,
                 N: tl.constexpr):
    """part + the products with N weights next to each other; the rest as for `products`."""
    wide = columns[0] + tl.arange(0, columns.shape[0] + N - 1)
    inside = (y < bottom)[:, None] & (wide < right + N - 1)[None, :]
    at = x + y[:, None] * row_stride + wide[None, :]
    pixels = tl.load(at, mask=inside, other=0).to(part.dtype)
    if base is not None:
        pixels -= base
    for j in tl.static_range(N):
        weight = tl.load(template + j).to(part.dtype)
        if mean is not None:
            weight -= mean
        part = tl.fma(pixels[:, j:j + columns.shape[0]], weight, part)
    return part


@triton.jit
def products(x, template, base, mean, y, columns, bottom, right, row_stride, template_row,
             TH: tl.constexpr, TW: tl.constexpr):
    """The sum of (x - base) * (t - mean) at each position, in fp64, of up to 256 products at a time.

    base, mean: numbers of the type in which products are made, or None.  bottom, right: as for
    `moments`.  STEP products of a row of the template are made at once, so that pixels are
    converted, and sums fetched, once for all of them.
    """
    work: tl.constexpr = work_type(x.dtype.element_ty, template.dtype.element_ty)
    total = tl.zeros([y.shape[0], columns.shape[0]], tl.float64)
    for i in range(TH):
        for first in tl.static_range(0, TW, 256):
            part = tl.zeros([y.shape[0], columns.shape[0]], work)
            behind: tl.constexpr = min(first + 256, TW)
            rest: tl.constexpr = behind - (behind - first) % STEP
            for k in range(first, rest, STEP):
                part = add_products(part, x + k, y, columns, bottom, right, row_stride, template + k,
                                    base, mean, STEP)
            if rest < behind:
                part = add_products(part, x + rest, y, columns, bottom, right, row_stride,
                                    template + rest, base, mean, behind - rest)
            total += part.to(tl.float64)
        x += row_stride
        template += template_row
    return total


@triton.jit
def small_pixels(pixels):
    """Integers of 8 bits from the middle of their range, as the products of matrices take them."""
    return (pixels ^ middle(pixels.dtype)).to(tl.int8, bitcast=True)


@triton.jit
def block_products(x, template, base, mean, y, columns, bottom, right, row_stride, template_row,
                   TH: tl.constexpr, TW: tl.constexpr):
    """The same by products of matrices, of integers of 8 bits counted from `middle`: a row of
    pixels by a matrix whose column n has the row of the template from n on.  bottom, right: as for
    `moments`.  Other pixels of the block are multiplied by 0, so that a NaN spoils more."""
    pixel: tl.constexpr = x.dtype.element_ty
    small: tl.constexpr = (pixel.is_int() and template.dtype.element_ty.is_int()
                           and work_type(pixel, template.dtype.element_ty) == tl.float32)
    work: tl.constexpr = work_type(pixel, template.dtype.element_ty)
    wide = tl.arange(0, columns.shape[0] + TW - 1)
    lag = wide[:, None] - tl.arange(0, columns.shape[0])[None, :]
    near = (lag >= 0) & (lag < TW)
    wide += columns[0]
    inside = (y < bottom)[:, None] & (wide < right + TW - 1)[None, :]
    at = x + y[:, None] * row_stride + wide[None, :]
    group: tl.constexpr = max(256 // TW, 1)
    total = tl.zeros([y.shape[0], columns.shape[0]], tl.float64)
    for first in range(0, TH, group):
        part = tl.zeros([y.shape[0], columns.shape[0]], tl.int32 if small else work)
        for i in range(first, tl.minimum(first + group, TH)):
            pixels = tl.load(at + i * row_stride, mask=inside, other=0)
            weights = tl.load(template + i * template_row + lag, mask=near, other=0)
            if small:
                weights = tl.where(near, small_pixels(weights), 0)
                part = tl.dot(small_pixels(pixels), weights, part)
            else:
                pixels = pixels.to(work)
                weights = weights.to(work)
                if mean is not None:
                    pixels = tl.where(inside, pixels - base, 0)
                    weights = tl.where(near, weights - mean, 0)
                part = tl.dot(pixels, weights, part, input_precision="ieee")
        total += part.to(tl.float64)
    return total


@triton.jit
def responses(x, template, y, columns, bottom, right, row_stride, template_row, TH: tl.constexpr,
              TW: tl.constexpr, NORMALISED: tl.constexpr, BLOCKS: tl.constexpr):
    """c or z at each position.  For z of floats all pixels are counted from one among them, and the
    template from its mean, before they are multiplied: what is far from 0 loses nothing."""
    N: tl.constexpr = TH * TW
    pixel: tl.constexpr = x.dtype.element_ty
    weight: tl.constexpr = template.dtype.element_ty
    work: tl.constexpr = work_type(pixel, weight)
    exact: tl.constexpr = pixel.is_int() and weight.is_int()
    small: tl.constexpr = BLOCKS and exact and work == tl.float32
    if NORMALISED or small:
        t_sums, t_squares = moments(template, tl.zeros([1], tl.int32), tl.arange(0, TW), 1, TW,
                                    template_row, TH, TW)
        t_sum = tl.sum(t_sums)
        wide = columns[0] + tl.arange(0, columns.shape[0] + TW - 1)
        sums, squares = moments(x, y, wide, bottom, right + TW - 1, row_stride, TH, TW)
        sums = window_sums(sums, TW)
    base, mean = None, None
    if NORMALISED and not exact:
        base = tl.load(x + y[0] * row_stride + columns[0]).to(work)
        base = tl.where(base - base == 0, base, 0)
        mean = (t_sum / N).to(work)
    if BLOCKS:
        total = block_products(x, template, base, mean, y, columns, bottom, right, row_stride,
                               template_row, TH, TW)
    else:
        total = products(x, template, base, mean, y, columns, bottom, right, row_stride,
                         template_row, TH, TW)
    if small:
        total += middle(weight) * sums.to(tl.float64)
        total += middle(pixel) * (t_sum - middle(weight) * N).to(tl.float64)
    if not NORMALISED:
        return total
    scale = (spread(sums, window_sums(squares, TW), N, pixel)
             * spread(t_sum, tl.sum(t_squares), N, weight))
    if not exact:
        sums -= base.to(tl.float64) * N
        t_sum -= mean.to(tl.float64) * N
    together = covariance(sums, t_sum, total, N, pixel, weight)
    return tl.where(scale == 0, 0.0, together / tl.sqrt(scale))


@triton.jit
def first_best(values, places, inside):
    """The largest of the values inside, and the smallest of its places; a NaN is the largest."""
    nan = inside & (values != values)
    some_nan = tl.max(nan.to(tl.int32)) > 0
    best = tl.max(tl.where(inside, values, float("-inf")))
    found = tl.where(some_nan, nan, inside & (values == best))
    return (tl.where(some_nan, float("nan"), best),
            tl.min(tl.where(found, places, LAST)))


@triton.jit
def better(score, place, other, other_place):
    """The larger of two scores and its place, the smaller one where both are equal."""
    nan = score != score
    other_nan = other != other
    larger = (other > score) | (other_nan & (score == score))
    same = (other == score) | (other_nan & nan)
    first = tl.where(same, tl.minimum(place, other_place), place)
    return tl.where(larger, other, score), tl.where(larger, other_place, first)


# tilec: call normalised --grid cdiv(rows,BLOCK_Y)*cdiv(columns,BLOCK_X),2,3 --device cpu,sim
#     x=rand(u8, 3x40x61) templates=rand(u8, 2x5x8) scores=empty(fp64, 3x2x9)
#     places=empty(i32, 3x2x9) H=x.shape(1) W=x.shape(2) TH=templates.shape(1)
#     TW=templates.shape(2) top=0 left=0 rows=H-TH+1 columns=W-TW+1
#     image_stride=x.stride(0) row_stride=x.stride(1) template_image=0
#     template_stride=templates.stride(0) template_row=templates.stride(1)
#     NORMALISED=True BLOCK_Y=16 BLOCK_X=20
# tilec: call window --call normalised top=7 left=20 rows=20 columns=33 scores=empty(fp64, 3x2x4)
#     places=empty(i32, 3x2x4)
# tilec: call blocks --call normalised BLOCKS=True
# tilec: call products --call normalised x=randn(fp32, 3x40x61) templates=randn(fp32, 2x5x8)
#     NORMALISED=False
@triton.jit
def find_kernel(x, templates, scores, places, H, W, top, left, rows, columns, image_stride,
                row_stride, template_image, template_stride, template_row, TH: tl.constexpr,
                TW: tl.constexpr, NORMALISED: tl.constexpr, BLOCK_Y: tl.constexpr,
                BLOCK_X: tl.constexpr, BLOCKS: tl.constexpr = False):
    """The largest response in each piece of BLOCK_Y x BLOCK_X positions, and its place.

    x: [images, H, W]; templates: [templates, TH, TW], template_image 0, or one row of these for
    each image.  The positions are those of rows top .. top + rows - 1 and columns left .. left +
    columns - 1: all of them with 0, 0, H - TH + 1 and W - TW + 1, fewer where a shift has a limit.
    scores: fp32 or fp64, places: i32, [images, templates, pieces], a place being its row times
    `columns` plus its column, both counted from (top, left).  Grid: (pieces, templates, images)
    with cdiv(rows, BLOCK_Y) * cdiv(columns, BLOCK_X) pieces.  BLOCKS: by products of matrices.
    """
    assert top >= 0 and left >= 0 and top + rows + TH - 1 <= H and left + columns + TW - 1 <= W, \
        "positions at which the template is not inside of the image"
    piece = tl.program_id(0)
    across = tl.cdiv(columns, BLOCK_X)
    row = piece // across * BLOCK_Y + tl.arange(0, BLOCK_Y)
    column = piece % across * BLOCK_X + tl.arange(0, BLOCK_X)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    image = tl.program_id(2).to(tl.int64)
    x += image * image_stride + top * row_stride + left
    template = templates + image * template_image + tl.program_id(1) * template_stride
    response = responses(x, template, row, column, rows, columns, row_stride, template_row, TH, TW,
                         NORMALISED, BLOCKS)
    best, place = first_best(response, row[:, None] * columns + column[None, :], inside)
    out = (image * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + piece
    tl.store(scores + out, best)
    tl.store(places + out, place)


# tilec: call best --grid scores.shape(0) --device cpu,sim scores=randint(i32, 7x300, 0, 100) + 0.0
#     places=arange(i32, 7x300) % 300 best=empty(fp32, 7) offsets=empty(i32, 7x2)
#     pieces=scores.shape(1) columns=17 origin_y=1 origin_x=2 BLOCK=64
@triton.jit
def best_kernel(scores, places, best, offsets, pieces, columns, origin_y, origin_x,
                BLOCK: tl.constexpr):
    """The first of the largest of n rows of pieces, and where it is: unravel_index.

    scores, places: [n, pieces], as find_kernel and peak_kernel store them, with their `columns`;
    best: [n]; offsets: i32 [n, 2], the row and the column minus the origin.  Grid: (n).
    """
    row = tl.program_id(0).to(tl.int64)
    score = tl.full([], float("-inf"), scores.dtype.element_ty)
    place = tl.full([], LAST, tl.int32)
    for start in range(0, pieces, BLOCK):
        at = start + tl.arange(0, BLOCK)
        here, first = first_best(tl.load(scores + row * pieces + at, mask=at < pieces, other=0),
                                 tl.load(places + row * pieces + at, mask=at < pieces, other=0),
                                 at < pieces)
        score, place = better(score, place, here, first)
    tl.store(best + row, score.to(best.dtype.element_ty))
    tl.store(offsets + row * 2, place // columns - origin_y)
    tl.store(offsets + row * 2 + 1, place % columns - origin_x)


# tilec: call peak --grid cdiv(rows,BLOCK_Y),x.shape(0) --device cpu,sim x=randn(fp32, 5x30x41)
#     scores=empty(fp32, 5x4) places=empty(i32, 5x4) rows=x.shape(1) columns=x.shape(2)
#     image_stride=x.stride(0) row_stride=x.stride(1) BLOCK_Y=8 BLOCK_X=16
@triton.jit
def peak_kernel(x, scores, places, rows, columns, image_stride, row_stride, BLOCK_Y: tl.constexpr,
                BLOCK_X: tl.constexpr):
    """The largest value in each piece of given responses x [images, rows, columns], and its place:
    with best_kernel it is argmax and unravel_index.

    scores: of x's dtype, places: i32, [images, pieces].  Grid: (pieces, images) with cdiv(rows,
    BLOCK_Y) pieces, which are whole rows, BLOCK_X columns at a time.
    """
    image = tl.program_id(1).to(tl.int64)
    x += image * image_stride
    row = tl.program_id(0) * BLOCK_Y + tl.arange(0, BLOCK_Y)
    score = tl.full([], float("-inf"), x.dtype.element_ty)
    place = tl.full([], LAST, tl.int32)
    for start in range(0, columns, BLOCK_X):
        column = start + tl.arange(0, BLOCK_X)
        inside = (row < rows)[:, None] & (column < columns)[None, :]
        values = tl.load(x + row[:, None] * row_stride + column[None, :], mask=inside, other=0)
        here, first = first_best(values, row[:, None] * columns + column[None, :], inside)
        score, place = better(score, place, here, first)
    out = image * tl.num_programs(0) + tl.program_id(0)
    tl.store(scores + out, score)
    tl.store(places + out, place)


@triton.jit
def rounded(values, dtype: tl.constexpr):
    """Values as a dtype; to integers halves away from 0, as SciPy does."""
    if dtype.is_floating():
        return values.to(dtype)
    return (values + tl.where(values < 0, -0.5, 0.5)).to(dtype)


@triton.jit
def whole_and_part(shift):
    """The whole pixels of a shift, as i32, and what is left, not below 0."""
    if not shift.dtype.is_floating():
        return shift, tl.zeros([], tl.float32)
    whole = tl.floor(shift)
    return whole.to(tl.int32), shift - whole


@triton.jit
def between(x, y, column, down, right, inside, H, W, row_stride, work: tl.constexpr):
    """Pixels `down` and `right` of pixels at (y, column), from the four around each.  What is asked
    of behind the last row and column has no weight, or is not inside."""
    lower = inside & (y + 1 < H)[:, None]
    more = (column + 1 < W)[None, :]
    at = x + y[:, None] * row_stride + column[None, :]
    above = (1 - right) * tl.load(at, mask=inside, other=0).to(work)
    above += right * tl.load(at + 1, mask=inside & more, other=0).to(work)
    below = (1 - right) * tl.load(at + row_stride, mask=lower, other=0).to(work)
    below += right * tl.load(at + row_stride + 1, mask=lower & more, other=0).to(work)
    return (1 - down) * above + down * below


# tilec: call pixels --grid cdiv(OW,BLOCK_X),cdiv(OH,BLOCK_Y),x.shape(0) --device cpu,sim
#     x=rand(u8, 3x50x61) out=empty(u8, 3x40x45) shifts=randint(i32, 3x2, -9, 9)
#     H=x.shape(1) W=x.shape(2) OH=out.shape(1) OW=out.shape(2) top=5 left=8
#     image_stride=x.stride(0) row_stride=x.stride(1) out_image=out.stride(0)
#     out_row=out.stride(1) value=7 UNDO=True BILINEAR=False BLOCK_Y=16 BLOCK_X=32
# tilec: call bilinear --call pixels shifts=rand(fp32, 3x2) * 9 - 4 BILINEAR=True
# tilec: call still --call pixels shifts=zeros(i32, 3x2) --compare out=x[:, 5:45, 8:53]
@triton.jit
def shift_kernel(x, out, shifts, H, W, OH, OW, top, left, image_stride, row_stride, out_image,
                 out_row, value, UNDO: tl.constexpr, BILINEAR: tl.constexpr, BLOCK_Y: tl.constexpr,
                 BLOCK_X: tl.constexpr):
    """Each image moved by its own shift (dy, dx) and cropped, in one pass.

    out[b, y, x0] = x[b, y + top - dy, x0 + left - dx], and `value` where this is outside of the
    image.  shifts: i32, fp32 or fp64 [images, 2]; with UNDO the image goes back by them, so that
    what best_kernel found lies at its origin.  BILINEAR: between pixels, else to whole ones; as
    scipy.ndimage.shift with order 1 or 0 and mode "constant" has them.  x: [images, H, W], out:
    [images, OH, OW].  Grid: (cdiv(OW, BLOCK_X), cdiv(OH, BLOCK_Y), images).
    """
    image = tl.program_id(2).to(tl.int64)
    row = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)
    column = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    dy = tl.load(shifts + image * 2)
    dx = tl.load(shifts + image * 2 + 1)
    y, down = whole_and_part(dy if UNDO else -dy)
    first, right = whole_and_part(dx if UNDO else -dx)
    y += row + top
    first += column + left
    inside = ((y >= 0) & (y + (down > 0).to(tl.int32) < H))[:, None]
    inside = inside & ((first >= 0) & (first + (right > 0).to(tl.int32) < W))[None, :]
    x += image * image_stride
    if BILINEAR:
        work: tl.constexpr = work_type(x.dtype.element_ty, shifts.dtype.element_ty)
        pixels = between(x, y, first, down.to(work), right.to(work), inside, H, W, row_stride, work)
        pixels = rounded(tl.where(inside, pixels, value), out.dtype.element_ty)
    else:
        y += (down >= 0.5).to(tl.int32)
        first += (right >= 0.5).to(tl.int32)
        pixels = tl.load(x + y[:, None] * row_stride + first[None, :], mask=inside, other=value)
        pixels = pixels.to(out.dtype.element_ty)
    target = out + image * out_image + row[:, None] * out_row + column[None, :]
    tl.store(target, pixels, mask=(row < OH)[:, None] & (column < OW)[None, :])


def find(x: torch.Tensor, templates: torch.Tensor, normalised: bool = True, window=None,
         origin=(0, 0), blocks: bool = None):
    """The best response of images [images, H, W] to each template and its offset (dy, dx) from the
    origin: [images, templates] and [images, templates, 2].

    templates: [h, w], [templates, h, w], or [images, templates, h, w]; window: (top, left, rows,
    columns) of the positions that are searched; origin: the position where a template should be;
    blocks: by products of matrices, as it is on GPUs unless this says otherwise.
    """
    blocks = x.device.type != "cpu" if blocks is None else blocks
    high, wide = (32, 32) if blocks else (16, 64)
    templates = templates[None] if templates.dim() == 2 else templates
    B, H, W = x.shape
    T, h, w = templates.shape[-3:]
    top, left, rows, columns = window or (0, 0, H - h + 1, W - w + 1)
    grid = (triton.cdiv(rows, high) * triton.cdiv(columns, wide), T, B)
    scores = torch.empty((B, T, grid[0]), device=x.device, dtype=torch.float64)
    places = torch.empty((B, T, grid[0]), device=x.device, dtype=torch.int32)
    find_kernel[grid](x, templates, scores, places, H, W, top, left, rows, columns, x.stride(0),
                      x.stride(1), templates.stride(0) if templates.dim() == 4 else 0,
                      templates.stride(-3), templates.stride(-2), TH=h, TW=w,
                      NORMALISED=normalised, BLOCK_Y=high, BLOCK_X=wide, BLOCKS=blocks)
    return best_of(scores, places, columns, (origin[0] - top, origin[1] - left))


def best_of(scores, places, columns, origin):
    best = torch.empty(scores.shape[:-1], device=scores.device, dtype=scores.dtype)
    offsets = torch.empty((*best.shape, 2), device=scores.device, dtype=torch.int32)
    best_kernel[(best.numel(),)](scores, places, best, offsets, scores.shape[-1], columns, *origin,
                                 BLOCK=256)
    return best, offsets


def argmax(x: torch.Tensor):
    """The largest value of each of the responses [n, rows, columns], and its row and column."""
    n, rows, columns = x.shape
    pieces = triton.cdiv(rows, 16)
    scores = torch.empty((n, pieces), device=x.device, dtype=x.dtype)
    places = torch.empty((n, pieces), device=x.device, dtype=torch.int32)
    peak_kernel[(pieces, n)](x, scores, places, rows, columns, x.stride(0), x.stride(1), BLOCK_Y=16,
                             BLOCK_X=64)
    return best_of(scores, places, columns, (0, 0))


def shift(x: torch.Tensor, shifts: torch.Tensor, size=None, value=0, bilinear: bool = False,
          undo: bool = False) -> torch.Tensor:
    """Images [images, H, W] moved by their own shifts [images, 2], the middle of `size` of them."""
    B, H, W = x.shape
    out = torch.empty((B, *(size or (H, W))), device=x.device, dtype=x.dtype)
    shifts = shifts.contiguous()
    OH, OW = out.shape[1:]
    shift_kernel[(triton.cdiv(OW, 128), triton.cdiv(OH, 16), B)](
        x, out, shifts, H, W, OH, OW, (H - OH) // 2, (W - OW) // 2, x.stride(0), x.stride(1),
        out.stride(0), out.stride(1), value, UNDO=undo, BILINEAR=bilinear, BLOCK_Y=16, BLOCK_X=128)
    return out


def register(x: torch.Tensor, template: torch.Tensor, origin, size=None):
    """Each image moved so that what is most alike the template lies at the origin: images, offsets
    [images, 2] and scores [images]."""
    scores, offsets = find(x, template, origin=origin)
    return shift(x, offsets[:, 0], size, undo=True), offsets[:, 0], scores[:, 0]


if __name__ == "__main__":
    torch.manual_seed(0)
    scene = torch.randint(0, 256, (256, 256), device="cuda", dtype=torch.uint8)
    moved = torch.stack([torch.roll(scene, (k % 13 - 6, k % 7 - 3), (0, 1)) for k in range(64)])
    cropped, found, score = register(moved, scene[100:133, 100:133], (100, 100), (224, 224))
    assert (cropped == scene[16:240, 16:240]).all() and (score > 0.999).all()
    print(triton.testing.do_bench(lambda: find(moved, scene[100:133, 100:133])), "ms")
