"""Long rows by loops: softmax, log of sums, running sums and scans."""

import triton
import triton.language as tl


@triton.jit
def long_softmax(x, out, row, BLOCK: tl.constexpr):
    """The maximum first, then the sum, then the row."""
    start = tl.program_id(0) * row
    most = tl.full([BLOCK], -float("inf"), tl.float32)
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        most = tl.maximum(most, tl.load(x + start + columns, mask=columns < row, other=-float("inf")))
    top = tl.max(most, axis=0)
    total = 0.0
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        total += tl.sum(tl.exp(tl.load(x + start + columns, mask=columns < row, other=-float("inf")) - top), axis=0)
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        a = tl.load(x + start + columns, mask=columns < row, other=0.0)
        tl.store(out + start + columns, tl.exp(a - top) / total, mask=columns < row)


@triton.jit
def bounded_softmax(x, out, row, BLOCK: tl.constexpr):
    """Of numbers that need no maximum."""
    start = tl.program_id(0) * row
    total = 0.0
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        total += tl.sum(tl.where(columns < row, tl.exp(tl.load(x + start + columns, mask=columns < row, other=0.0)), 0.0), axis=0)
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        a = tl.load(x + start + columns, mask=columns < row, other=0.0)
        tl.store(out + start + columns, tl.exp(a) / total, mask=columns < row)


@triton.jit
def online(x, out, row, BLOCK: tl.constexpr):
    """log(sum(exp)) with a maximum that grows."""
    most, total = -float("inf"), 0.0
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        a = tl.load(x + tl.program_id(0) * row + columns, mask=columns < row, other=-float("inf"))
        higher = tl.maximum(most, tl.max(a, axis=0))
        total = total * tl.exp(most - higher) + tl.sum(tl.exp(a - higher), axis=0)
        most = higher
    tl.store(out + tl.program_id(0), most + tl.log(total))


@triton.jit
def from_the_end(x, out, row, BLOCK: tl.constexpr):
    """Sums of what comes behind."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0)
    tl.store(out + tl.program_id(0) * row + at, tl.cumsum(a * a, axis=0, reverse=True), mask=at < row)


@triton.jit
def attention_of_sums(x, w, out, row, BLOCK: tl.constexpr):
    """A running mean with weights."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * row + at
    weight = tl.exp(tl.load(w + at, mask=at < row, other=-float("inf")))
    sums = tl.cumsum(weight * tl.load(x + here, mask=at < row, other=0.0), axis=0)
    tl.store(out + here, sums / tl.cumsum(weight, axis=0), mask=at < row)


@triton.jit
def products(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < row, other=1.0)
    tl.store(out + at, tl.cumprod(a, axis=0), mask=at < row)


@triton.jit
def step(decay, value, next_decay, next_value):
    return decay * next_decay, next_decay * value + next_value


@triton.jit
def decayed(x, a, out, row, BLOCK: tl.constexpr):
    """h = a h + x as a scan."""
    at = tl.arange(0, BLOCK)
    rates = tl.load(a + at, mask=at < row, other=1.0)
    _, h = tl.associative_scan((rates, tl.load(x + at, mask=at < row, other=0.0)), 0, step)
    tl.store(out + at, h, mask=at < row)


@triton.jit
def log_sum(x, out, row, BLOCK: tl.constexpr):
    """Of columns, in a tile of two rows."""
    i, j = tl.arange(0, 2)[:, None], tl.arange(0, BLOCK)[None, :]
    a = tl.load(x + i * row + j, mask=j < row, other=0.0)
    top = tl.max(a, axis=0)
    tl.store(out + tl.arange(0, BLOCK), top + tl.log(tl.sum(tl.exp(a - top[None, :]), axis=0)), mask=tl.arange(0, BLOCK) < row)


@triton.jit
def largest_of_row(x, w, out, row, BLOCK: tl.constexpr):
    """With where it stands, by which a weight is chosen."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=-float("inf"))
    most, place = tl.max(a, axis=0, return_indices=True)
    tl.store(out + tl.program_id(0), most * most * tl.load(w + place))


@triton.jit
def least_of_columns(x, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, BLOCK)[None, :]
    a = tl.load(x + i * BLOCK + j)
    least, place = tl.min(a * a, axis=0, return_indices=True)
    tl.store(out + tl.arange(0, BLOCK), tl.exp(least) + place)


@triton.jit
def sums_that_wait(x, w, out, n, rows, BLOCK: tl.constexpr):
    """What is added only where a mask says so, once before and once behind another sum."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.float32)
    for r in range(rows):
        a = tl.load(x + r * n + i, mask=i < n, other=0.0)
        b = tl.load(w + r)
        total = tl.where(a * b > 0.2, total + a * a * b - tl.sin(a), total)
        count = tl.where(a < b, count, count + tl.exp(a)) * 1.0
        total += b
    tl.store(out + i, total * total + count, mask=i < n)


@triton.jit
def not_only_a_sum(x, out, n, rows, BLOCK: tl.constexpr):
    """The condition reads the sum, or what is kept is another one."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    other = tl.zeros((BLOCK,), tl.float32)
    for r in range(rows):
        a = tl.load(x + r * n + i, mask=i < n, other=0.0)
        total = tl.where(total < 1.5, total + a * a, total)
        other = tl.where(a > 0, other + a, total)
    tl.store(out + i, total * 3 + other, mask=i < n)


@triton.jit
def softmax_by_temperature(x, temperature, out, row, BLOCK: tl.constexpr):
    """The pass for the largest hands nothing on."""
    program = tl.program_id(0)
    t = tl.load(temperature)
    top = -float("inf")
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=-float("inf")) / t
        top = tl.maximum(top, tl.max(values, axis=0))
    total = 0.0
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=-float("inf")) / t
        total += tl.sum(tl.exp(values - top), axis=0)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=-float("inf")) / t
        tl.store(out + program * row + columns, tl.exp(values - top) / total, mask=columns < row)


@triton.jit
def online_log_softmax(x, out, row, BLOCK: tl.constexpr):
    """Rounds of the first pass go backwards, those of the second do not."""
    program = tl.program_id(0)
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=-1e30)
        highest = tl.maximum(top, values)
        total = total * tl.exp(top - highest) + tl.exp(values - highest)
        top = highest
    most = tl.max(top, axis=0)
    lse = tl.log(tl.sum(total * tl.exp(top - most), axis=0)) + most
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=0.0)
        tl.store(out + program * row + columns, values - lse, mask=columns < row)


@triton.jit
def by_mean_of_some(x, out, row, some, BLOCK: tl.constexpr):
    """The first pass is shorter."""
    program = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, some, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + program * row + columns, mask=columns < some, other=0.0)
    mean = tl.sum(total, axis=0) / some
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=0.0)
        tl.store(out + program * row + columns, values * mean, mask=columns < row)


@triton.jit
def by_mean_of_even(x, out, row, BLOCK: tl.constexpr):
    """The first pass leaves out some."""
    program = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + program * row + columns, mask=(columns < row) & (columns % 2 == 0), other=0.0)
    mean = tl.sum(total, axis=0)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=0.0)
        tl.store(out + program * row + columns, values * mean, mask=columns < row)


@triton.jit
def by_running_sum(x, out, row, BLOCK: tl.constexpr):
    """What the first pass hands on is made of what its rounds carry."""
    program = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=0.0)
        squares += values * (values + start)
        total += values
    scale = tl.sum(squares, axis=0)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + program * row + columns, mask=columns < row, other=0.0)
        tl.store(out + program * row + columns, values * scale + total, mask=columns < row)


@triton.jit
def by_pointers(x, out, n, BLOCK: tl.constexpr):
    """Softmax in passes that each move a pointer on, and a number of columns."""
    lanes = tl.arange(0, BLOCK)
    first = x + tl.program_id(0) * n + lanes
    p, top = first, tl.full([BLOCK], -float("inf"), tl.float32)
    for i in range(0, n, BLOCK):
        top = tl.maximum(top, tl.load(p, mask=lanes + i < n, other=-float("inf")))
        p += BLOCK
    most = tl.max(top, axis=0)
    p, total, columns = first, tl.zeros([BLOCK], tl.float32), lanes
    for _ in range(tl.cdiv(n, BLOCK)):
        total += tl.exp(tl.load(p, mask=columns < n, other=-float("inf")) - most)
        p += BLOCK
        columns += BLOCK
    all_of_it = tl.sum(total, axis=0)
    p, q = first, out + tl.program_id(0) * n + lanes
    for i in range(0, n, BLOCK):
        tl.store(q, tl.exp(tl.load(p, mask=lanes + i < n, other=0.0) - most) / all_of_it, mask=lanes + i < n)
        p += BLOCK
        q += BLOCK


@triton.jit
def pairs_by_pointers(x, out, n, BLOCK: tl.constexpr):
    """Two elements a lane, from the second pair on; where the pointer ends is read, too."""
    lanes = tl.arange(0, BLOCK)
    p = x + tl.program_id(0) * (2 * n + 2) + 2 * lanes
    end = x + tl.program_id(0) * (2 * n + 2)
    total = tl.zeros([BLOCK], tl.float32)
    for i in range(1, n, BLOCK):
        mask = lanes + i < n + 1
        total += tl.load(p, mask=mask, other=0.0) * tl.load(p + 1, mask=mask, other=0.0)
        p += 2 * BLOCK
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0) * tl.load(end + 2 * n))


@triton.jit
def entropy_of_some(logits, labels, loss, n, smoothing, ignore, BLOCK: tl.constexpr):
    """Cross entropy of long rows as it is mostly written: nothing else is stored, and some rows are left out."""
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    logits += row * n
    if label == ignore:
        tl.store(loss + row, 0.0)
    else:
        top, total, all_of_it = -float("inf"), 0.0, 0.0
        for i in range(0, n, BLOCK):
            at = i + tl.arange(0, BLOCK)
            x = tl.load(logits + at, mask=at < n, other=-float("inf"))
            new = tl.maximum(top, tl.max(x))
            total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new))
            all_of_it += tl.sum(tl.where(at < n, x, 0.0))
            top = new
        lse = top + tl.log(total)
        tl.store(loss + row, (1 - smoothing) * (lse - tl.load(logits + label)) + smoothing * (lse - all_of_it / n))


@triton.jit
def neighbours(score, feature, begins, source, out, D, BLOCK: tl.constexpr, BLOCK_D: tl.constexpr):
    """Softmax over as many edges as data says, of features that are gathered."""
    node = tl.program_id(0)
    first, last = tl.load(begins + node), tl.load(begins + node + 1)
    d = tl.arange(0, BLOCK_D)
    top, total, sums = -float("inf"), 0.0, tl.zeros([BLOCK_D], tl.float32)
    for start in range(first, last, BLOCK):
        edge = start + tl.arange(0, BLOCK)
        z = tl.load(score + edge, mask=edge < last, other=-float("inf"))
        new = tl.maximum(top, tl.max(z, axis=0))
        weight, fade = tl.exp(z - new), tl.exp(top - new)
        u = tl.load(source + edge, mask=edge < last, other=0)
        f = tl.load(feature + u[:, None] * D + d[None, :], mask=(edge < last)[:, None] & (d < D)[None, :], other=0.0)
        sums = sums * fade + tl.sum(weight[:, None] * f, axis=0)
        total = total * fade + tl.sum(weight, axis=0)
        top = new
    tl.store(out + node * D + d, sums / total, mask=d < D)


@triton.jit
def logs_so_far(x, out, n, BLOCK: tl.constexpr):
    """Stored in each round: measured from where the row ends, small ones of its beginning would be 0."""
    row = tl.program_id(0)
    top, total = -float("inf"), 0.0
    for i in range(0, n, BLOCK):
        at = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
        new = tl.maximum(top, tl.max(v, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new), axis=0)
        top = new
        tl.store(out + row * n + i, top + tl.log(total))


@triton.jit
def two_of_them(x, y, out, n, BLOCK: tl.constexpr):
    """Logs of two sums: the second one goes on keeping what its rounds begin with."""
    row = tl.program_id(0)
    a, b = -float("inf"), -float("inf")
    sum_a, sum_b = 0.0, 0.0
    for i in range(0, n, BLOCK):
        at = i + tl.arange(0, BLOCK)
        u = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
        new = tl.maximum(a, tl.max(u, axis=0))
        sum_a = sum_a * tl.exp(a - new) + tl.sum(tl.exp(u - new), axis=0)
        a = new
    for i in range(0, n, BLOCK):
        at = i + tl.arange(0, BLOCK)
        v = tl.load(y + row * n + at, mask=at < n, other=-float("inf"))
        new = tl.maximum(b, tl.max(v, axis=0))
        sum_b = sum_b * tl.exp(b - new) + tl.sum(tl.exp(v - new), axis=0)
        b = new
    tl.store(out + row, (a + tl.log(sum_a)) * (b + tl.log(sum_b)))
