"""Forms of the language as programs use them: programs/products.py, indexing.py, control.py."""

import math

import numpy as np

from arguments import apart, empty, strides, zeros
from harness import EPSILON, NUMPY_TYPES, Suite, Tensor, decode, encode, generator

suite = Suite(one_in=2)
random = generator()


def case(label, kernel, grid, args, outputs, **tolerance):
    suite.case(label, "programs/" + kernel, str(grid), args, outputs, **tolerance)


def floats(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


# --- products.py ----------------------------------------------------------------------------


def split_k():
    shapes = [("fp32", "fp32", 33, 17, 100, 4), ("fp16", "fp32", 40, 24, 64, 2),
              ("bf16", "bf16", 16, 50, 33, 1), ("fp16", "fp16", 20, 20, 128, 1),
              ("fp64", "fp64", 9, 11, 40, 3), ("fp8e5", "fp32", 16, 16, 50, 2)]
    for dtype, out, m, n, k, split in shapes:
        a, b = floats(dtype, m, k), floats(dtype, n, k)
        want = decode(a) @ decode(b).T
        block = (16, 24, 16)
        case(f"split-k {dtype} {m}x{n}x{k} {split}", "products.py:split_k_kernel",
             "cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N),SPLIT_K",
             {"A": apart(suite, a) if k % 2 == 0 else a, "B": b, "C": zeros(out, m, n), "M": m,
              "N": n, "K": k,
              **strides("A", "stride_am", "stride_ak"), **strides("B", "stride_bn", "stride_bk"),
              **strides("C", "stride_cm", "stride_cn"),
              "acc_dtype": "fp64" if dtype == "fp64" else "fp32", "input_precision": "'ieee'",
              "BLOCK_M": block[0], "BLOCK_N": block[1], "BLOCK_K": block[2], "GROUP_M": 2,
              "SPLIT_K": split, "EVEN_K": k % (block[2] * split) == 0,
              "AB_DTYPE": "fp16" if dtype == "fp8e5" else "None"},
             {"C": (out, want)}, rtol=2 * EPSILON[out], atol=1e-5 if out != "fp64" else 1e-13)


def batched():
    for dtype, b, m, n, k, swapped, wide, alpha in (
            ("fp32", 3, 33, 20, 50, False, False, 0.5), ("fp16", 2, 16, 40, 17, True, False, 1.0),
            ("bf16", 1, 7, 5, 3, True, True, -2.0), ("fp16", 2, 9, 9, 9, False, True, 1.0)):
        x, y = floats(dtype, b, m, k), floats(dtype, b, n, k) if swapped else floats(dtype, b, k, n)
        bias = floats(dtype, n)
        right = decode(y).transpose(0, 2, 1) if swapped else decode(y)
        want = alpha * (decode(x) @ right) + decode(bias)
        out = "fp32" if wide else dtype
        y_strides = ("stride_bb", "stride_bn", "stride_bk") if swapped else \
            ("stride_bb", "stride_bk", "stride_bn")
        case(f"batched {dtype} {m}x{n}x{k}", "products.py:batched_kernel",
             "cdiv(N,BLOCK_N),cdiv(M,BLOCK_M),a_ptr.shape(0)",
             {"a_ptr": x, "b_ptr": y, "c_ptr": empty(out, b, m, n), "bias_ptr": bias,
              "M": m, "N": n, "K": k, **strides("a_ptr", "stride_ab", "stride_am", "stride_ak"),
              **strides("b_ptr", *y_strides),
              **strides("c_ptr", "stride_cb", "stride_cm", "stride_cn"),
              "alpha": alpha, "BLOCK_M": 16, "BLOCK_N": 12, "BLOCK_K": 20, "OUT_FP32": wide},
             {"c_ptr": (out, want)}, rtol=2 * EPSILON[out], atol=2e-5)


def grouped():
    for dtype, sizes, n, k in (("fp32", [5, 0, 40, 17], 33, 20), ("fp16", [1, 31], 40, 50)):
        x, w = floats(dtype, sum(sizes), k), floats(dtype, len(sizes), n, k)
        ends = np.cumsum(sizes)
        want = np.concatenate([decode(x)[e - s:e] @ decode(w)[g].T
                               for g, (s, e) in enumerate(zip(sizes, ends))])
        for programs in (1, 3):
            case(f"grouped {dtype} {sizes} by {programs}", "products.py:grouped_persistent_kernel",
                 programs, {"x_ptr": x, "w_ptr": w, "y_ptr": empty(dtype, sum(sizes), n),
                            "sizes_ptr": np.array(sizes, np.int32), "N": n, "K": k, "G": len(sizes),
                            "BLOCK_M": 16, "BLOCK_N": 12, "BLOCK_K": 16, "GROUP_SIZE_M": 2},
                 {"y_ptr": (dtype, want)}, rtol=2 * EPSILON[dtype], atol=1e-5)


def int8_product():
    for m, n, k, scaled in ((33, 20, 70, False), (5, 50, 9, True), (16, 16, 128, False)):
        a = random.integers(-128, 128, (m, k)).astype(np.int8)
        b = random.integers(-128, 128, (k, n)).astype(np.int8)
        sa, sb = floats("fp32", m), floats("fp32", n)
        want = a.astype(np.int32) @ b.astype(np.int32)
        if scaled:
            want = want * decode(sa)[:, None] * decode(sb)
        out = "fp32" if scaled else "i32"
        case(f"int8 {m}x{n}x{k}", "products.py:int8_kernel", "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)",
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty(out, m, n),
              "a_scale_ptr": sa if scaled else "None", "b_scale_ptr": sb if scaled else "None",
              "M": m, "N": n, "K": k, "BLOCK_M": 16, "BLOCK_N": 24, "BLOCK_K": 32,
              "SCALED": scaled},
             {"c_ptr": (out, want)}, rtol=1e-6)


def conv1d():
    for dtype, batch, dim, length, width, state, silu in (
            ("fp32", 2, 10, 50, 4, False, True), ("fp16", 1, 3, 7, 3, True, False),
            ("bf16", 3, 16, 33, 2, True, True), ("fp32", 1, 5, 2, 4, True, False)):
        x, w, b = floats(dtype, batch, length, dim), floats(dtype, dim, width), floats(dtype, dim)
        before = floats(dtype, batch, dim, width - 1)
        left = decode(before) if state else np.zeros((batch, dim, width - 1))
        wide = np.concatenate([left, decode(x).transpose(0, 2, 1)], 2)
        want = sum(wide[:, :, i:i + length] * decode(w)[:, i, None] for i in range(width))
        want = want + decode(b)[:, None]
        want = want / (1 + np.exp(-want)) if silu else want
        case(f"conv1d {dtype} {dim}x{length}", "products.py:conv1d_kernel",
             "batch,cdiv(seqlen,BLOCK_L),cdiv(dim,BLOCK_D)",
             {"x_ptr": x, "w_ptr": w, "b_ptr": b, "state_ptr": before if state else "None",
              "o_ptr": empty(dtype, batch, dim, length), "batch": batch, "dim": dim,
              "seqlen": length,
              **strides("x_ptr", "stride_xb", "stride_xl", "stride_xd"), "KERNEL_WIDTH": width,
              "SILU": silu, "BLOCK_L": 24, "BLOCK_D": 8},
             {"o_ptr": (dtype, want)}, rtol=2 * EPSILON[dtype], atol=2e-6)


def batch_dot():
    for dtype in ("fp32", "fp16"):
        a, b = floats(dtype, 3, 5, 7), floats(dtype, 3, 7, 6)
        case(f"dot of rank 3 {dtype}", "products.py:batch_dot_kernel", 1,
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty("fp32", 3, 5, 6), "B": 3, "M": 5, "N": 6,
              "K": 7},
             {"c_ptr": ("fp32", decode(a) @ decode(b))}, rtol=1e-6, atol=1e-6)


# --- indexing.py ----------------------------------------------------------------------------


def embedding():
    for dtype, index, dim, padding in (("fp32", "i64", 40, "None"), ("bf16", "i32", 7, 5),
                                       ("i8", "u8", 12, "None"), ("u64", "i16", 9, 0)):
        n, rows = 50, 20
        table = floats(dtype, rows, dim) if dtype[0] in "fb" else \
            random.integers(0, 127, (rows, dim)).astype(NUMPY_TYPES[dtype])
        at = random.integers(0, rows, n).astype(NUMPY_TYPES[index])
        want = decode(table)[at.astype(np.int64)]
        if padding != "None":
            want = np.where((at == padding)[:, None], 0, want)
        case(f"embedding {dtype} {index} {dim}", "indexing.py:embedding_forward",
             "cdiv(n_elements,16),cdiv(embedding_dim,24)",
             {"embeddings_ptr": table, "indices_ptr": at, "output_ptr": empty(dtype, n, dim),
              "n_elements": n, "embedding_dim": dim, "padding_idx": padding, "BLOCK_SIZE_M": 16,
              "BLOCK_SIZE_N": 24}, {"output_ptr": (dtype, want)})
    for dtype in ("fp32", "fp64", "fp16", "i32", "u64"):
        at = random.integers(0, 5, 50)
        grad = random.integers(0, 10, (50, 30)).astype(NUMPY_TYPES[dtype])
        want = np.zeros((5, 30), NUMPY_TYPES[dtype])
        np.add.at(want, at, grad)
        case(f"embedding backward {dtype}", "indexing.py:embedding_backward",
             "cdiv(n_elements,16),cdiv(embedding_dim,24)",
             {"grad_output_ptr": grad, "grad_weight_ptr": zeros(dtype, 5, 30), "indices_ptr": at,
              "n_elements": 50, "embedding_dim": 30, "BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 24},
             {"grad_weight_ptr": (dtype, decode(want))})


def elements():
    for dtype, m, n, c in [("fp32", 7, 13, 4), ("fp64", 16, 32, 8), ("fp16", 1, 5, 3),
                           ("bf16", 33, 3, 2), ("i8", 5, 48, 17), ("u16", 3, 9, 1),
                           ("i64", 10, 6, 6), ("i1", 4, 11, 5), ("fp8e5", 3, 7, 2)]:
        row, start = int(random.integers(m)), int(random.integers(n - c + 1))
        columns = random.integers(n, size=c)
        x = random.integers(2 if dtype == "i1" else 8, size=(m, n))
        want = x.astype(np.int64)[:, ::-1].copy()
        want[row] = want[0]
        want[row, start:start + c] = want[-1, start:start + c]
        want[:, start] += want[:, -1]
        if dtype == "i1":
            want %= 2
        want = decode(encode(want, dtype)).astype(np.int64)
        want[-1, -1] = want[row, start]
        few = want[:, columns]
        few[0, start % c] = want[row, 0]
        case(f"elements {dtype} {m}x{n}", "indexing.py:elements_kernel", 1,
             {"x_ptr": encode(x, dtype), "at_ptr": np.array([row, start, *columns], np.int32),
              "out_ptr": zeros(dtype, m, n), "few_ptr": zeros(dtype, m, c), "M": m, "N": n,
              "C": c}, {"out_ptr": (dtype, want), "few_ptr": (dtype, few)})


def scans():
    for dtype, rows, columns in (("fp32", 3, 100), ("fp16", 4, 33), ("i8", 2, 70)):
        x = encode(random.integers(-4, 5, (2 * rows, columns)), dtype)
        flag = random.random((2 * rows, columns)) < 0.2
        v, piece = decode(x).astype(np.float64), 32
        segment, backward = np.zeros(v.shape), np.zeros(v.shape)
        product = np.zeros(v.shape)
        for c in range(columns):
            new = flag[:, c] | (c % piece == 0)
            segment[:, c] = np.where(new, 0, segment[:, c - 1]) + v[:, c]
        for start in range(0, columns, piece):
            part = v[:, start:start + piece]
            backward[:, start:start + piece] = part[:, ::-1].cumsum(1)[:, ::-1]
            product[:, start:start + piece] = (1 + part / 8).cumprod(1)
        case(f"scans {dtype} {rows}x{columns}", "indexing.py:scans_kernel", 2,
             {"x_ptr": x, "flag_ptr": flag, "total_ptr": empty("fp32", *v.shape),
              "segment_ptr": empty("fp32", *v.shape), "backward_ptr": empty("fp32", *v.shape),
              "product_ptr": empty("fp32", *v.shape), "stride": columns, "n_cols": columns,
              "BLOCK_R": rows, "BLOCK": piece},
             {"total_ptr": ("fp32", v.cumsum(1)), "segment_ptr": ("fp32", segment),
              "backward_ptr": ("fp32", backward), "product_ptr": ("fp32", product)}, rtol=4e-6)
    for dtype, reverse in (("fp32", False), ("fp64", True)):
        a, b = floats(dtype, 45, 3), floats(dtype, 45, 3)
        want, h = np.zeros((45, 3)), 0
        for t in (range(44, -1, -1) if reverse else range(45)):
            h = decode(a)[t] * h + decode(b)[t]
            want[t] = h
        case(f"recurrence {dtype} {reverse}", "indexing.py:linear_recurrence", 3,
             {"a_ptr": a, "b_ptr": b, "h_ptr": empty(dtype, 45, 3), "n": 45, "D": 3, "BLOCK": 50,
              "REVERSE": reverse}, {"h_ptr": (dtype, want)}, rtol=2e3 * EPSILON[dtype],
             atol=50 * EPSILON[dtype])


def histogram():
    for n, bins, programs in ((1000, 10, 3), (7, 3, 5), (2000, 50, 1)):
        x = random.uniform(-1, 11, n).astype(np.float32)
        at = np.floor(x / np.float32(10 / bins)).astype(int)
        inside = (at >= 0) & (at < bins)
        case(f"histogram {n} {bins}", "indexing.py:histogram_kernel", programs,
             {"x_ptr": x, "bins_ptr": zeros("i32", bins), "weights_ptr": zeros("fp64", bins),
              "lowest_ptr": "full(i32,1,99)", "highest_ptr": "full(i32,1,-1)", "n": n, "lo": 0.0,
              "width": 10 / bins, "N_BINS": bins, "BLOCK": 224},
             {"bins_ptr": ("i32", np.bincount(at[inside], minlength=bins)),
              "weights_ptr": ("fp64", np.bincount(at[inside], x[inside].astype(float), bins)),
              "lowest_ptr": ("i32", at[inside].min()[None]),
              "highest_ptr": ("i32", at[inside].max()[None])}, rtol=1e-12)


def transposes():
    hows = ["trans", "method", "permute", "T", "twice", "reshape"]
    for how, dtype in zip(hows, ("fp32", "bf16", "i8", "u16", "i64", "fp8e4nv")):
        m, n = 45, 37
        x = random.integers(0, 100, (m, n))
        x = encode(x, dtype) if dtype != "bf16" else floats(dtype, m, n)
        case(f"transpose {how}", "indexing.py:transpose_kernel", "cdiv(M,20),cdiv(N,16)",
             {"x_ptr": apart(suite, x, 2), "y_ptr": empty(dtype, n, m), "M": m, "N": n,
              "stride_xm": "x_ptr.stride(0)", "stride_ym": m, "BLOCK_M": 20, "BLOCK_N": 16,
              "HOW": repr(how)}, {"y_ptr": (dtype, decode(x).T)})


def rank3():
    for dtype, shape in (("i32", (3, 5, 7)), ("fp32", (2, 4, 8)), ("i64", (1, 3, 2)),
                         ("u16", (3, 5, 7))):
        x = random.integers(0, 100, shape).astype(NUMPY_TYPES[dtype])
        y = x.transpose(2, 0, 1)
        a, b, c = shape
        flat = np.concatenate([y.reshape(-1).cumsum().astype(x.dtype), x.reshape(-1)])
        wide = np.float64 if dtype == "fp32" else x.dtype
        case(f"rank 3 {dtype} {shape}", "indexing.py:rank3_kernel", 1,
             {"x_ptr": x, "y_ptr": empty(dtype, c, a, b), "sum0_ptr": empty(dtype, b, c),
              "max1_ptr": empty(dtype, a, c), "min2_ptr": empty(dtype, a, b),
              "all_ptr": empty("i64", 2), "flat_ptr": empty(dtype, 2 * a * b * c),
              "A": a, "B": b, "C": c},
             {"y_ptr": (dtype, y.astype(wide)), "sum0_ptr": (dtype, x.sum(0).astype(wide)),
              "max1_ptr": (dtype, x.max(1).astype(wide)),
              "min2_ptr": (dtype, x.min(2).astype(wide)),
              "all_ptr": ("i64", np.array([x.sum(), x.max()]).astype(np.int64)),
              "flat_ptr": (dtype, flat.astype(wide))})


def windows():
    for dtype, pad in (("fp32", "nan"), ("fp16", "zero"), ("fp32", "")):
        m, n, step = 3, 33, 8
        x = floats(dtype, m, n)
        best = np.full((5, step), -np.inf)
        count = np.zeros((5, step))
        for start in range(n - step + 2, n - step + 2 - step * len(range(n, -step, -step)), -step):
            for r in range(5):
                for c in range(step):
                    inside = 0 <= r - 1 < m and 0 <= start + c < n
                    value = decode(x)[r - 1, start + c] if inside else 0.0
                    if inside or pad != "nan":
                        best[r, c] = max(best[r, c], value)
                        count[r, c] += 1
        case(f"windows {dtype} {pad}", "indexing.py:window_kernel", 1,
             {"x_ptr": x, "y_ptr": empty(dtype, 10, step), "M": m, "N": n, "pad": repr(pad),
              "STEP": step}, {"y_ptr": (dtype, np.concatenate([best, count]))})


def row_sums():
    for dtype in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i1"):
        n = 781
        x = random.integers(0, 2, (3, n)).astype(bool) if dtype == "i1" else random.integers(
            *(np.iinfo(NUMPY_TYPES[dtype]).min, np.iinfo(NUMPY_TYPES[dtype]).max), (3, n),
            NUMPY_TYPES[dtype], endpoint=True)
        bits = x.astype(np.int64) if dtype != "u64" else x.view(np.int64)
        wide = {"i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32", "i1": "u32"}.get(dtype, dtype)
        total = bits.sum(1).astype(NUMPY_TYPES[wide])
        xors = np.bitwise_xor.reduce((bits.astype(np.int32) * np.int32(7)), 1)
        case(f"row sums {dtype}", "indexing.py:row_sum_kernel", 3,
             {"x_ptr": x, "y_ptr": empty(wide, 3), "z_ptr": empty("i32", 6), "N": n},
             {"y_ptr": (wide, total), "z_ptr": ("i32", np.concatenate([(x != 0).sum(1), xors]))})


def state_space():
    steps, n, p = 7, 5, 6
    h, x, dt = floats("fp32", p, n), floats("fp32", steps, p), floats("fp32", steps, p) * 10
    a, b, c = -np.abs(floats("fp32", p, n)), floats("fp32", steps, n), floats("fp32", steps, n)
    state, y = decode(h), np.zeros((steps, p))
    for t in range(steps):
        d = decode(dt)[t]
        d = np.where(d <= 20, np.log1p(np.exp(d)), d)
        state = state * np.exp(d[:, None] * a) + d[:, None] * b[t] * x[t][:, None]
        y[t] = (state * c[t]).sum(1)
    case("state space", "indexing.py:state_space", 1,
         {"state_ptr": h, "x_ptr": x, "dt_ptr": dt, "a_ptr": a, "b_ptr": b, "c_ptr": c,
          "y_ptr": empty("fp32", steps, p), "T": steps, "N": n, "P": p},
         {"y_ptr": ("fp32", y), "state_ptr": ("fp32", state)}, rtol=1e-5, atol=1e-5)


def router():
    x = floats("fp32", 4, 50)
    ids = np.argsort(-x, 1)[:, :6]
    weights = np.exp(np.take_along_axis(decode(x), ids, 1))
    case("router", "indexing.py:router_kernel", 4,
         {"x_ptr": x, "weights_ptr": empty("fp32", 4, 6), "ids_ptr": empty("i64", 4, 6), "n": 50,
          "K": 6, "BLOCK": 64},
         {"weights_ptr": ("fp32", weights / weights.sum(1, keepdims=True)),
          "ids_ptr": ("i64", ids)},
         rtol=1e-6)


# --- control.py -----------------------------------------------------------------------------


def bisection():
    for dtype in ("i32", "i64", "fp32"):
        for strict in (False, True):
            starts = np.sort(random.integers(0, 50, 20)).astype(NUMPY_TYPES[dtype])
            x = random.integers(-5, 60, 12).astype(NUMPY_TYPES[dtype])
            want = np.searchsorted(starts, x, "left" if strict else "right") - 1
            case(f"bisection {dtype} {strict}", "control.py:bisect_kernel", "4,3",
                 {"starts_ptr": starts, "x_ptr": x, "out_ptr": empty("i32", 12), "n": 20,
                  "STRICT": strict}, {"out_ptr": ("i32", want)})


def codes():
    table = np.sort(random.standard_normal(256)).astype(np.float32)
    for n, block in ((1000, 1024), (4096, 1024), (77, 32)):
        x = (random.standard_normal(n) * 1.5).astype(np.float32)
        want = np.clip(np.searchsorted(table, x, "left") - 1, 0, 254)
        case(f"codes {n}", "control.py:codes_kernel", "cdiv(n,BLOCK)",
             {"x_ptr": x, "table_ptr": table, "codes_ptr": empty("u8", n), "n": n, "BLOCK": block},
             {"codes_ptr": ("u8", want.astype(np.uint8))})


def collatz_steps(v):
    steps = 0
    while v > 1:
        v, steps = (v // 2 if v % 2 == 0 else 3 * v + 1), steps + 1
    return steps


def collatz():
    for dtype, block in (("i32", 10), ("i64", 16), ("i32", 50)):
        x = np.arange(1, 46).astype(NUMPY_TYPES[dtype])
        want = np.array([collatz_steps(v) for v in x.tolist()])
        case(f"collatz {dtype} {block}", "control.py:collatz_kernel", "cdiv(n,BLOCK)",
             {"x_ptr": x, "steps_ptr": empty("i32", 45), "tile_ptr": empty("i32", 45), "n": 45,
              "BLOCK": block}, {"steps_ptr": ("i32", want), "tile_ptr": ("i32", want)})


def combines():
    for m, n, reverse in ((7, 33, False), (16, 9, True), (1, 64, True)):
        x = (random.integers(1, 40, (m, n)) * 6).astype(np.int32)
        flipped = x[:, ::-1] if reverse else x
        want = np.zeros((m, n), np.int64)
        for j in range(n):
            want[:, j] = (want[:, j - 1] * 3 if j > 0 else 0) + flipped[:, j]
            want[:, j] = (want[:, j] + 2**31) % 2**32 - 2**31
        case(f"combine with loops {m}x{n} {reverse}", "control.py:combine_kernel", 1,
             {"x_ptr": x, "rows_ptr": empty("i32", m), "columns_ptr": empty("i32", n),
              "digits_ptr": empty("i32", m, n), "rows": m, "columns": n, "M": 16, "N": 64,
              "REVERSE": reverse},
             {"rows_ptr": ("i32", np.gcd.reduce(x, 1)), "columns_ptr": ("i32", np.gcd.reduce(x, 0)),
              "digits_ptr": ("i32", want[:, ::-1] if reverse else want)})


def recursion():
    for dtype, power in (("fp32", 5), ("fp32", 0), ("fp32", 11)):
        x = np.abs(floats(dtype, 16)) + 2 # so that a second step of Newton is needed
        v = decode(x)
        one_step = 0.5 * (1 + v[0])
        want = np.concatenate([v**power, [v.sum(), math.sqrt(v[0]), one_step, 11.0]])
        case(f"recursion {power}", "control.py:recursion_kernel", 1,
             {"x_ptr": x, "out_ptr": empty("fp32", 20), "N": power, "BLOCK": 16},
             {"out_ptr": ("fp32", want)}, rtol=2e-6)


def conditions():
    for dtype, source, mode, use, n in (
            ("fp32", "fp32", "a", "None", 90), ("fp64", "fp16", "a", 3, 90),
            ("i64", "i32", "b", 2, 90), ("i16", "i8", "b", "None", 33), ("u8", "u16", "c", 5, 64),
            ("fp32", "i32", "late", 2, 90), ("fp32", "i64", "late", 2, 33),
            ("i8", "i16", "late", "None", 90), ("u32", "i1", "x", 2, 50)):
        x = encode(random.integers(0, 2 if source == "i1" else 9, n), source)
        kind = NUMPY_TYPES[dtype]
        v = decode(x).astype(kind)
        acc = v + kind(1) + v * kind(3) + kind(11)
        if dtype in ("fp32", "fp64"):
            acc = acc * kind(0.5)
        elif dtype == "i64":
            acc = acc * (1 << 33)
        elif dtype in ("i8", "i16"):
            acc = acc << kind(1)
        else:
            acc = ~acc
        block = np.arange(n) // 32
        scale = kind(2 if use == "None" else use)
        scaled = lambda t: t if source == "i1" else t * scale
        want = scaled(acc)
        if mode == "late":
            want = np.where(block == 1, 0 * acc, want)
            want = np.where(block > 1, kind(-7) if dtype[0] != "u" else kind(7), want)
        case(f"conditions {dtype} {source} {mode}", "control.py:conditions_kernel", "cdiv(n,32)",
             {"x_ptr": x, "out_ptr": f"full({dtype},{n},{7 if dtype[0] == 'u' else -7})", "n": n,
              "mode": repr(mode), "use": use, "DTYPE": dtype}, {"out_ptr": (dtype, decode(want))})


def wheres():
    n, block = 170, 32
    x, y = floats("fp32", n), floats("fp32", n)
    x[::17] = np.nan
    xv, yv = decode(x), decode(y)
    offs = np.arange(n)
    pid = offs // block
    odd = pid % 2 == 1
    for flag in (False, True):
        r = np.where(xv < -1, -1, np.where(xv > 1, 1, np.where(np.isnan(xv), 0, xv)))
        r = np.where(odd, -r, r)
        first = flag & ~odd
        second = ~first & (flag | (pid == 3))
        r = np.where(first, r + yv, np.where(second & (pid >= 3), r - yv,
                                             np.where(second & (pid == 1), 2 * r, r)))
        with np.errstate(invalid="ignore"):
            r = np.where(np.abs(xv - yv) < 0.5, 7, r)
            both = ((xv > 0) & (yv > 0)) | (~(xv < 1) ^ (offs % 3 == 0))
        r = r + both
        r = np.where(pid == 2, -r, r)
        case(f"wheres {flag}", "control.py:where_kernel", "cdiv(n,BLOCK)",
             {"x_ptr": x, "y_ptr": y, "out_ptr": empty("fp32", n), "n": n, "lo": -1.0, "hi": 1.0,
              "flag": flag, "BLOCK": block}, {"out_ptr": ("fp32", r)}, rtol=1e-6, atol=1e-6)


def backwards():
    for dtype, t, bt, stop in (("fp32", 23, 5, 3), ("fp16", 8, 4, 20), ("fp32", 1, 4, -9)):
        x = floats(dtype, t, 3)
        want, h = np.zeros((t, 3)), 0
        for i in reversed(range(t)):
            h = decode(x)[i] + h * 0.5
            want[i] = h
        seen = 0
        for i in [*range(20, stop, -3), *range(stop, 20, 4)]:
            seen = (seen * 31 + i + 2**31) % 2**32 - 2**31
        last = np.float32(seen + 16)
        case(f"backwards {dtype} {t}", "control.py:backwards_kernel", 1,
             {"x_ptr": x, "out_ptr": empty("fp32", 3 * t + 1), "T": t, "stop": stop, "BT": bt,
              "D": 3},
             {"out_ptr": ("fp32", np.append(want, last))}, rtol=1e-6, atol=1e-6)


def grids():
    nx, ny, nz, block = 3, 2, 4, 5
    z, y, x = np.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
    want = (x + 10 * y + 100 * z + 1000 * nz).reshape(-1).repeat(block)
    for big in (1, 1 << 40):
        case(f"grid of three dims {big}", "control.py:grid3_kernel", "3,2,4",
             {"out_ptr": empty("i32", want.size), "big": big, "X": 3, "Y": 2, "Z": 4,
              "BLOCK": block},
             {"out_ptr": ("i32", want)})


def helpers():
    for n in (1, 100, 224):
        x = floats("fp32", n)
        v = decode(x)
        a, b, c = 2 * v, 2 * (v + 1), 3 * v
        s, d, p = a + b, a - b, a * b
        total = s + p - d + c + p
        extra = [a.sum(), 23, -(-n // 7) + n // 5 * 100 + 30000, 128]
        case(f"helpers {n}", "control.py:helpers_kernel", 1,
             {"x_ptr": x, "out_ptr": empty("fp32", n + 4), "n": n},
             {"out_ptr": ("fp32", np.concatenate([total, extra]))}, rtol=1e-5, atol=1e-5)


def hints():
    for n in (1, 100, 256):
        x = floats("fp32", n)
        case(f"hints {n}", "control.py:hints_kernel", "cdiv(n,BLOCK)",
             {"x_ptr": x, "out_ptr": empty("fp32", n), "n": n, "stride": 1, "n_one": 4, "FACTOR": 2,
              "BLOCK": 64}, {"out_ptr": ("fp32", decode(x + np.float32(6.5)))}, rtol=1e-6)


def bits():
    for dtype, width, cut in (("fp32", np.uint32, 19), ("fp16", np.uint16, 6),
                              ("bf16", np.uint16, 5), ("fp64", np.uint64, 48)):
        x = floats(dtype, 100)
        raw = x.bits if isinstance(x, Tensor) else x.view(width)
        kept = raw & ~width((1 << cut) - 1)
        want = decode(Tensor(dtype, kept)) if dtype == "bf16" else decode(kept.view(x.dtype))
        case(f"bits {dtype}", "control.py:bits_kernel", "cdiv(n,BLOCK)",
             {"x_ptr": x, "out_ptr": empty(dtype, 100), "count_ptr": zeros("i32", 1), "n": 100,
              "BLOCK": 48}, {"out_ptr": (dtype, want),
                             "count_ptr": ("i32", np.array([(decode(x) < 0).sum()]))})


def repeated():
    n, rounds, count = 61, 3, 60
    x = random.integers(0, 100, 96).astype(np.int32)
    out = np.full(rounds * 64 + 1, -1, np.int32)
    lanes = np.arange(64)
    s, c = np.where(lanes < n, x[:64], 0), 0
    for r in range(rounds):
        for k in range(count):
            c = c - (k & 3) if c > k * 10 else c + r + k
            at = lanes + (c & 31)
            t = np.where(at < n, x[at], 2)
            s = (s * 3 + t * (t.max() + k) + s.sum() // (k + 1)) & 1023
        out[r * 64:r * 64 + n] = s[:n]
    out[-1] = c
    case("repeated", "control.py:repeated", 1,
         {"out": np.full_like(out, -1), "x": x, "n": n, "rounds": rounds, "N": count},
         {"out": ("i32", out)})


def rank4():
    x, m = floats("fp32", 512), random.integers(0, 2, (5, 8, 8, 6)).astype(np.int32)
    out, inside = np.zeros((8, 8, 8, 8)), np.zeros((8, 8, 8, 8), bool)
    inside[:5, :, :, :6] = m != 0
    out[inside] = np.broadcast_to(decode(x)[:8, None], out.shape)[inside]
    case("rank4 masked", "indexing.py:rank4_masked", 1,
         {"out_ptr": zeros("fp32", 8, 8, 8, 8), "x_ptr": x, "m_ptr": m, "A": 5, "D": 6},
         {"out_ptr": ("fp32", out)})


def picked():
    for dtype, m, n, block, kind in (("fp32", 20, 781, 1024, np.int64), ("fp16", 9, 64, 64, np.int32),
                                     ("fp64", 7, 100, 128, np.int64), ("fp32", 5, 3, 2, np.int32)):
        x = random.standard_normal((m, n)).astype(NUMPY_TYPES[dtype])
        x[random.random((m, n)) < 0.3] = np.nan
        x[0, 1], x[1, 2], x[2, 0] = -0.0, np.inf, -np.inf
        labels = random.integers(0, n, m).astype(kind)
        labels[:5] = 1, 2, 0, -1, n
        if kind == np.int64:
            labels[-1] += 1 << 32
        row = np.arange(m)

        def at(i):
            inside = (i >= 0) & (i < min(n, block))
            return np.where(inside, x[row, np.where(inside, i, 0)], np.where((i >= n) & (i < block), np.nan, 0))

        with np.errstate(invalid="ignore"):
            other = at(labels - 2)
            want = np.stack([at(labels) + 0, np.where(other > 0, other * 2, 0)], 1).astype(x.dtype)
        case(f"picked {dtype} {m}x{n}", "indexing.py:picked_row", m,
             {"out": empty(dtype, m, 2), "x": x, "labels": labels, "first": 2, "n": n, "stride": n,
              "BLOCK": block}, {"out": (dtype, want)})
    for m, n, block in ((6, 300, 64), (4, 64, 64)):
        x = random.standard_normal((m, n)).astype(np.float32)
        labels = random.integers(0, n, m).astype(np.int32)
        labels[0] = n
        want = np.where(labels < n, x[np.arange(m), labels % n], 0)
        case(f"picked in rounds {m}x{n}", "indexing.py:picked_in_rounds", m,
             {"out": empty("fp32", m), "x": x.copy(), "labels": labels, "n": n, "stride": n, "BLOCK": block},
             {"out": ("fp32", want), "x": ("fp32", x + 1)})
        weights = np.exp(np.pad(x, ((0, 0), (0, 512 - n))).astype(np.float64))
        want = np.where(labels < 512, weights[np.arange(m), labels], 0) / weights.sum(1)
        case(f"picked rows {m}x{n}", "indexing.py:weights_of_rows", f"cdiv({m},4)",
             {"out": empty("fp32", m), "x": x, "labels": labels, "m": m, "n": n, "R": 4, "C": 512},
             {"out": ("fp32", want)}, rtol=1e-5)


def joined():
    for dtype, n, m, block in (("fp32", 300, 300, 128), ("fp16", 70, 555, 256), ("i32", 513, 5, 64),
                               ("u8", 4, 100, 256), ("fp64", 1000, 3, 100), ("fp32", 3, 1, 16)):
        x, y, z = (random.integers(0, 99, k).astype(NUMPY_TYPES[dtype]) for k in (n, m, 3))
        want = np.concatenate([z, x[:n - 3], y])
        case(f"joined {dtype} {n}+{m}", "indexing.py:joined", f"cdiv({n + m},{block})",
             {"out": empty(dtype, n + m), "x": x, "y": y, "z": z, "n": n, "m": m, "BLOCK": block},
             {"out": (dtype, want)})


for part in (split_k, batched, grouped, int8_product, conv1d, batch_dot, embedding,
             elements, scans, histogram, transposes, rank3, windows, row_sums, state_space, router, bisection, codes,
             collatz, combines, recursion, conditions, wheres, backwards, grids, helpers, hints,
             bits, repeated, rank4, picked, joined):
    part()
suite.finish()
