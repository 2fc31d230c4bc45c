"""`tilec grad`: derived kernels against central differences of the forward in float64.

Random inputs, odd sizes with masks, arrays behind which nothing may be written; ties; NaN and overflow
in sigmoids.  Each derived kernel runs on every device; where programs meet, with its second kernel and with
atomics.
"""

import ast
import os
import re
import subprocess

import numpy as np

from harness import EPSILON, PATIENCE, THOROUGH, Suite, Tensor, decode, differences, encode, generator, rounded

suite = Suite(one_in=3)
random = generator()
STEPS = (1e-5, 1e-7, 1e-8)


def randn(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


def slope(f, value):
    """By central differences; a kink close to the value, where both sides differ, is left out by a smaller step."""
    for step in STEPS:
        below, here, above = f(value - step), f(value), f(value + step)
        left, right = (here - below) / step, (above - here) / step
        if abs(right - left) <= 1e-3 * (1 + abs(left) + abs(right)):
            break
    return (above - below) / (2 * step)


def differences_of(forward, args, name, d_out):
    """The gradient of sum(d_out * forward) with respect to an argument."""
    args = {k: np.array(v, np.float64) for k, v in args.items()}
    flat, gradient = args[name].reshape(-1), np.zeros(args[name].size)

    def total(i, value):
        before, flat[i] = flat[i], value
        found = (forward(**args) * d_out).sum()
        flat[i] = before
        return found

    for i, value in enumerate(flat.copy()):
        gradient[i] = slope(lambda v, i=i: total(i, v), value)
    return gradient.reshape(args[name].shape)


def derive(kernel, of, wrt, words):
    """The path of the file that `tilec grad` writes."""
    path = os.path.join(suite.folder.name, f"{next(suite.files)}_grad.py")
    done = subprocess.run([suite.tilec, "grad", suite.kernel(kernel), "--of", of, "--wrt", ",".join(wrt), "-o", path, *words],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        suite.failures.append(f"{kernel}: {done.stderr.strip()}")
        return None
    return path


def constants_of(kernel):
    """Names of the constexpr parameters."""
    path, _, name = suite.kernel(kernel).partition(":")
    with open(path, encoding="utf-8") as file:
        found = [f for f in ast.parse(file.read()).body if isinstance(f, ast.FunctionDef) and f.name == name]
    return [a.arg for a in found[0].args.args if a.annotation and "constexpr" in ast.unparse(a.annotation)]


def type_of(value):
    if isinstance(value, (str, np.ndarray)):
        return "*fp32"
    return "fp32" if isinstance(value, float) else "i32"


def load(path, dtype):
    raw = np.load(path)
    return decode(Tensor(dtype, raw.view(np.uint16)) if dtype == "bf16" else raw)


def run(variant, kernel, grid, args, saved):
    """The arrays of these names behind a run: paths of files; None where it failed."""
    paths = {name: os.path.join(suite.folder.name, f"{next(suite.files)}.npy") for name in saved}
    words = suite.command(variant, kernel, grid, args)
    for name, path in paths.items():
        words += ["--save", f"{name}={path}"]
    done = suite.run(variant, words)
    if done.returncode != 0:
        suite.failures.append(f"{variant}: {kernel}: exit {done.returncode}: {done.stderr.strip()}")
    return paths if done.returncode == 0 else None


def joined(text):
    """Lines of the docstring with those that go on further in."""
    return re.sub(r"(?<!\.)\n {8}", " ", text)


class Host:
    """What the docstring's numbers of programs call."""
    cdiv = staticmethod(lambda x, y: -(-x // y))


def values_of(grid, numbers):
    """What numbers of the docstring are made of.  A few programs walk over all others, in place of many: two."""
    values = {"cdiv": Host.cdiv, "tl": Host, "triton": Host, **numbers}
    extents = eval(f"({grid},)", values)  # pylint: disable=eval-used
    return {**values, "grid": (*extents, 1, 1)[:3], "min": lambda programs, _: min(programs, 2)}


def launch_of(path, grid, numbers):
    """As the docstring has it: the grid, and what arguments say how many programs the forward has."""
    values = values_of(grid, numbers)
    with open(path, encoding="utf-8") as file:
        said = joined(file.read()).split("Launch it with ", 1)[1].split("\n", 1)[0]
    extents = list(values["grid"])
    for count, axis in re.findall(r"(?:but|and) (.+?) programs along axis (\d)", said):
        extents[int(axis)] = eval(count, values)  # pylint: disable=eval-used
    programs = {name: eval(text, values) for name, text in re.findall(r"\b(programs\w*): (\S+)\. ", said)}  # pylint: disable=eval-used
    return ",".join(map(str, extents)), programs


def parts_of(path, grid, numbers):
    """As the docstring has them: array -> (name of the parts, rows, width, dtype, what they hold before)."""
    values = values_of(grid, numbers)
    with open(path, encoding="utf-8") as file:
        found = re.findall(r"^    d_(\w+)_parts: (.+) rows of (.+) elements?, float(\d+)(: zero it before)?; .* bytes\.",
                           joined(file.read()), re.MULTILINE)
    return {name: (f"d_{name}_parts", *(eval(text, values) for text in (rows, width)), f"fp{bits}",  # pylint: disable=eval-used
                   0 if zero else "nan")
            for name, rows, width, bits, zero in found}


def tapes_of(path, grid, numbers):
    """As the docstring has them: name -> a workspace, with nothing in it that may be read before it is written."""
    values = values_of(grid, numbers)
    with open(path, encoding="utf-8") as file:
        found = re.findall(r"^    (\w+): a workspace of (.+) \* \d bytes, (float|int)(\d+): \w+ before each round\.$",
                           joined(file.read()), re.MULTILINE)
    return {name: f"full({'fp' if kind == 'float' else 'i'}{bits},{max(eval(size, values), 1)},{'nan' if kind == 'float' else -9})"  # pylint: disable=eval-used
            for name, size, kind, bits in found}


def left_by_forward(kernel, grid, args, text, of, dtype):
    """Arrays that the derived kernel takes as the forward left them, of which the docstring tells: name -> file."""
    names = re.findall(r"^    (\w+): as \w+ left it", joined(text), re.MULTILINE)
    paths = run("interp", kernel, grid, args, names) if names else {}
    return {name: f"@{path}:bf16" if name == of and dtype == "bf16" else f"@{path}" for name, path in (paths or {}).items()}


def in_two_steps(label, path, grid, args, gradients, parts, dtype, rtol, atol):
    """The derived kernel, and the one that adds up its parts, on each device."""
    suite.others += 1
    base = os.path.basename(label.split(":")[1].split()[0])
    for name, (rows_name, rows, width, kind, before) in parts.items():
        del args[f"d_{name}"]
        args[rows_name] = f"full({kind},{rows * width},{before})"
    for variant in suite.variants if THOROUGH else suite.chosen(label):
        names = [parts[name][0] if name in parts else f"d_{name}" for name in gradients]
        saved = run(variant, f"{path}:{base}_grad", grid, args, names)
        for name, want in gradients.items() if saved else ():
            rows_name, rows, width, _, _ = parts.get(name, (f"d_{name}", 1, 1, None, 0))
            result = saved[rows_name]
            if name in parts:
                one = {"total": encode(np.full(want.size, np.nan), dtype), "parts": f"@{result}", "n_parts": rows, "size": width,
                       "ROWS": 4, "BLOCK": 16}
                total = run(variant, f"{path}:{base}_grad_sum", "cdiv(size,BLOCK)", one, ["total"])
                result = total and total["total"]
            got = load(result, dtype).reshape(want.shape) if result else np.full(want.shape, np.nan)
            problem = differences(got, want, rtol, atol)
            if problem:
                suite.failures.append(f"{variant}: {label}: d_{name}: {problem}")


def case(kernel, forward, arrays, grid, numbers, of="out", dtype="fp32", rtol=2e-4, atol=2e-4, want=None, sizes=None,
         atomics=False):
    """arrays: name -> values that it is differentiated by; numbers: the arguments behind `of`; sizes: what
    the derived kernel wants to know besides, of which it may not need all."""
    constants = constants_of(kernel)
    shown = [f"{name}:*{dtype}" for name in [*arrays, of]]
    shown += [f"{k}={v}" if k in constants else f"{k}:{type_of(v)}" for k, v in numbers.items()]
    path = derive(kernel, of, list(arrays), shown + ["--atomics"] * atomics)
    if not path:
        return
    with open(path, encoding="utf-8") as file:
        text = file.read()
    sizes = {**{f"{name}_size": decode(x).size for name, x in arrays.items()}, **(sizes or {})}
    sizes = {name: size for name, size in sizes.items() if f" {name}," in text}
    exact = {name: decode(x) for name, x in arrays.items()}
    shape = forward(**exact).shape
    label = f"{kernel} {dtype} {shape}{' atomics' * atomics}"
    if suite.is_left_out(label):
        return
    d_out = randn(dtype, *shape)
    gradients = want(decode(d_out)) if want else {
        name: differences_of(forward, exact, name, decode(d_out)) for name in arrays}
    args = {**arrays, of: f"zeros({dtype},{'x'.join(map(str, shape))})", **numbers}
    args = {**args, **left_by_forward(kernel, grid, args, text, of, dtype), f"d_{of}": d_out,
            **{f"d_{name}": encode(np.zeros(x.shape), dtype) for name, x in exact.items()},
            **tapes_of(path, grid, {**numbers, **sizes})}
    parts = parts_of(path, grid, {**numbers, **sizes})
    if not parts:
        args.update(sizes)
        suite.case(label, path, grid, args, {f"d_{name}": (dtype, g) for name, g in gradients.items()}, rtol=rtol, atol=atol)
        return
    few, programs = launch_of(path, grid, {**numbers, **sizes})
    in_two_steps(label, path, few, {**args, **sizes, **programs}, gradients, parts, dtype, rtol, atol)
    case(kernel, forward, arrays, grid, numbers, of, dtype, rtol, atol, want, sizes, atomics=True)


def sigmoid(x):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def functions(x):
    erf = np.vectorize(__import__("math").erf)
    s = x * 0.25
    total = np.exp(s) + np.sin(x) * np.cos(x) + np.log(x * x + 1) + np.sqrt(x * x + 2)
    total += 1 / np.sqrt(x * x + 1) + erf(x) + np.exp2(s) + np.log2(x * x + 3)
    total += np.tanh(x) + np.arctan(x) + np.log1p(x * x) + np.sinh(s)
    total += np.expm1(s) + np.arcsinh(x) + np.cosh(s) + 1 - erf(x)
    return total + (x * x + 1) ** s + np.arctan2(x, x * x + 1) + np.hypot(x, 2)


def elementwise(n):
    x, y = randn("fp32", n), randn("fp32", n)
    grid, numbers = "cdiv(n,BLOCK)", {"n": n, "BLOCK": 32}
    case("gradients.py:arithmetic", lambda x, y: (x * y - 3 * x) / (y * y + 1) + np.abs(x) + y,
         {"x": x, "y": y}, grid, numbers)
    case("gradients.py:functions", functions, {"x": x}, grid, numbers)
    for dtype in ("fp32", "fp16", "bf16", "fp64"):
        a, b = randn(dtype, n), randn(dtype, n)
        near = {"fp64": 1e-5, "fp32": 2e-4}.get(dtype, 4 * EPSILON[dtype])
        case("gradients.py:gated", lambda x, y: x * sigmoid(x) * np.where(y > 0, y, y * 0.25),
             {"x": a, "y": b}, grid, {"n": n, "SLOPE": 0.25, "BLOCK": 32}, dtype=dtype, rtol=near, atol=near)
    case("gradients.py:extremes", lambda x, y: 2 * np.maximum(x, y) + 3 * np.minimum(x, y), {"x": x, "y": y}, grid, numbers)
    case("gradients.py:pairs", lambda x: x[0::2] ** 2 + 3 * x[1::2] * x[0::2], {"x": randn("fp32", 2 * n)}, grid, numbers)
    case("gradients.py:repeated", lambda x: np.exp(np.repeat(x, 4)[:n]) * np.arange(n),
         {"x": randn("fp32", (n + 3) // 4)}, grid, numbers, atol=2e-3)


def ties():
    """Equal operands get half each, equal maxima of a row equal parts: as PyTorch's maximum and amax."""
    x = encode(np.array([1.0, 2.0, -3.0, 0.0, 5.0]), "fp32")
    case("gradients.py:extremes", lambda x, y: x, {"x": x, "y": x.copy()}, "1", {"n": 5, "BLOCK": 8},
         want=lambda d: {"x": 2.5 * d, "y": 2.5 * d})
    rows = encode(np.array([[1.0, 3.0, 3.0], [0.0, -1.0, 0.0], [7.0, 2.0, 1.0]]), "fp32")
    parts = np.array([[0, 0.5, 0.5], [0.5, 0, 0.5], [1, 0, 0]])
    case("gradients.py:largest", lambda x: x.max(axis=1), {"x": rows}, "3", {"n_cols": 3, "BLOCK": 4},
         want=lambda d: {"x": parts * d[:, None]})


def overflow():
    """exp(-x) is infinite below -89, and the gradient of x * sigmoid(x) is not NaN."""
    x = encode(np.array([-200.0, -90.0, 90.0, 0.0]), "fp32")
    slope = rounded(np.array([0.0, 0.0, 1.0, 0.5]), "fp32")
    ones = encode(np.ones(4), "fp32")
    case("gradients.py:gated", lambda x, y: x, {"x": x, "y": ones}, "1", {"n": 4, "SLOPE": 0.25, "BLOCK": 4},
         want=lambda d: {"x": slope * d, "y": decode(x) * sigmoid(decode(x)) * d}, rtol=1e-5, atol=1e-5)


def rows():
    case("gradients.py:running", lambda x: np.cumsum(x * x), {"x": randn("fp32", 77)}, "1", {"n": 77, "BLOCK": 128}, atol=2e-3)

    def outer(x, y):
        p = np.outer(x, y)
        return p / ((p * p).sum(axis=1, keepdims=True) + 1)
    case("gradients.py:outer", outer, {"x": randn("fp32", 13), "y": randn("fp32", 7)}, "cdiv(M,BLOCK_M)",
         {"M": 13, "N": 7, "BLOCK_M": 4, "BLOCK_N": 8}, atol=1e-3)
    case("gradients.py:product", lambda a, b: a @ b, {"a": randn("fp32", 21, 37), "b": randn("fp32", 37, 18)},
         "cdiv(M,BLOCK),cdiv(N,BLOCK)", {"M": 21, "N": 18, "K": 37, "BLOCK": 16}, of="c", atol=1e-3)
    case("gradients.py:scaled_sum", lambda x, scale: (np.exp(x * scale[:, None]) * x).sum(axis=1) * scale,
         {"x": randn("fp32", 3, 45), "scale": encode(random.random(3), "fp32")}, "3", {"n_cols": 45, "BLOCK": 16},
         rtol=1e-3, atol=2e-3)


def softmax():
    def forward(x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    for n in (1, 13):
        case("softmax.py:softmax_kernel", forward, {"x": randn("fp32", 4, n)}, "4",
             {"x_stride": n, "out_stride": n, "n_cols": n, "BLOCK": 16})


def norms():
    """Of one tile a row, and of a loop: whole rows of programs add to weight and bias."""
    def forward(x, weight, bias):
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 0.01) * weight + bias
    arrays = {"x": randn("fp32", 5, 45), "weight": randn("fp32", 45), "bias": randn("fp32", 45)}
    x = decode(arrays["x"]) if isinstance(arrays["x"], Tensor) else arrays["x"]
    left = {"mean": x.mean(axis=1), "rstd": 1 / np.sqrt(x.var(axis=1) + 0.01)}  # by the forward
    rest = {**{name: encode(values, "fp32") for name, values in left.items()}, "n_cols": 45, "x_row": 45, "y_row": 45, "eps": 0.01}
    case("norms.py:norm_kernel", forward, arrays, "5", {**rest, "BLOCK": 64}, of="y", atol=1e-3)
    case("norms.py:norm_loop_kernel", forward, arrays, "5", {**rest, "BLOCK": 16}, of="y", atol=1e-3)


def timex():
    """A convolution along time by products of Toeplitz tiles."""
    def forward(k, w):
        b, c, t = k.shape
        out = np.full(k.shape, 0.5)
        for i in range(t):
            for u in range(i + 1):
                out[:, :, i] += w[:, t - 1 - (i - u)] * k[:, :, u]
        return out
    case("timex.py:timex_kernel", forward, {"k": randn("fp32", 3, 2, 19), "w": randn("fp32", 2, 19)}, "cdiv(T,BLOCK_T),2,1",
         {"B": 3, "T": 19, "eps": 0.5, "k_batch": 38, "k_channel": 19, "w_channel": 19, "out_batch": 38, "out_channel": 19,
          "TOEPLITZ": True, "BLOCK_B": 4, "BLOCK_T": 16, "BLOCK_U": 16, "REVERSED": False}, atol=1e-3)


def matmul():
    def forward(a, b):
        c = a @ b
        return np.where(c >= 0, c, 0.01 * c)
    case("matmul.py:matmul_kernel", forward, {"a": randn("fp32", 19, 21), "b": randn("fp32", 21, 35)}, "6",
         {"M": 19, "N": 35, "K": 21, "stride_am": 21, "stride_ak": 1, "stride_bk": 35, "stride_bn": 1, "stride_cm": 35,
          "stride_cn": 1, "BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 16, "GROUP_M": 2, "ACTIVATION": '"leaky_relu"'},
         of="c", atol=2e-3)


def giou():
    """The rows of a box are its four sides."""
    def forward(pred, gt):
        (l, t, r, b), (l1, t1, r1, b1) = np.moveaxis(pred, -1, 0), np.moveaxis(gt, -1, 0)
        common = np.maximum(np.minimum(r, r1) - np.maximum(l, l1), 0) * np.maximum(np.minimum(b, b1) - np.maximum(t, t1), 0)
        union = (r - l) * (b - t) + (r1 - l1) * (b1 - t1) - common
        hull = (np.maximum(r, r1) - np.minimum(l, l1)) * (np.maximum(b, b1) - np.minimum(t, t1))
        return common / (union + 0.01) - (hull - union) / (hull + 0.01)
    corners = [random.random((2, 11, 2)) for _ in range(2)]
    boxes = [encode(np.concatenate([c, c + 0.2 + random.random((2, 11, 2))], axis=-1), "fp32") for c in corners]
    case("giou.py:giou_kernel", forward, {"pred": boxes[0], "gt": boxes[1]}, "2,cdiv(n_boxes,BLOCK)",
         {"n_boxes": 11, "eps": 0.01, "BLOCK": 8}, rtol=1e-3, atol=2e-3)


def attention(n):
    def forward(q, k, v):
        scores = q @ k.T * 0.25
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True) @ v
    case("gradients.py:attend", forward, {name: randn("fp32", n, 16) for name in "qkv"}, "1",
         {"n": n, "scale": 0.25, "D": 16, "BLOCK": 16}, atol=1e-3)


def nested():
    def forward(x, y):
        padded = np.pad(x, ((0, 0), (0, -x.shape[1] % 16))).reshape(x.shape[0], -1, 16)
        return ((padded * y).sum(axis=1) ** 2).sum(axis=0)
    case("gradients.py:swapped", lambda x: 2 * 3 * x[0] + 1 * 2 * x[1], {"x": randn("fp32", 2, 16)}, "1", {"n": 3, "BLOCK": 16})
    case("gradients.py:lessened", lambda x, y: -(x * x * y[:, None]).sum(axis=0) * (x * (y[:, None] + x)).sum(axis=0),
         {"x": randn("fp32", 3, 16), "y": randn("fp32", 3)}, "1", {"n": 3, "BLOCK": 16}, rtol=1e-3, atol=2e-3)
    case("gradients.py:nested", forward, {"x": randn("fp32", 3, 37), "y": randn("fp32", 16)}, "1",
         {"rows": 3, "n_cols": 37, "BLOCK": 16}, atol=5e-3)


def meeting():
    """Lanes, rounds and programs that meet at an element of w."""
    def columns(x, w):
        return np.exp(x * w) * w
    for dtype in ("fp32", "bf16", "fp64"):
        near = {"fp64": 1e-5, "fp32": 1e-3}.get(dtype, 8 * EPSILON[dtype])
        case("gradients.py:columns", columns, {"x": encode(random.random((11, 13)), dtype), "w": encode(random.random(13), dtype)},
             "cdiv(M,BLOCK_M)", {"M": 11, "N": 13, "BLOCK_M": 4, "BLOCK_N": 16}, dtype=dtype, rtol=near, atol=near)
    for rows in (0, 1, 5):
        case("gradients.py:rounds", lambda x, w, b: (x * w + np.sin(w * b)).sum(axis=0) * 2,
             {"x": randn("fp32", rows, 13), "w": randn("fp32", 13), "b": randn("fp32", 1)}, "1",
             {"rows": rows, "n_cols": 13, "BLOCK": 16}, atol=1e-3)

    def channels(x, w):
        return np.stack([np.tanh(x[:, c] * w[c, 0] + w[c, 1]).sum(axis=-1) for c in range(w.shape[0])], axis=1)
    case("gradients.py:channels", channels, {"x": randn("fp32", 3, 2, 21), "w": randn("fp32", 2, 2)}, "2,3",
         {"n": 21, "BLOCK": 8}, atol=1e-3)
    case("gradients.py:grid", lambda x, w: (x * w[0]) ** 3, {"x": randn("fp32", 5, 6), "w": randn("fp32", 1)}, "6,5", {"n": 6})


def branches():
    """By their conditions: what the arm that was not taken reads gets nothing."""
    def forward(n, limit):
        def of(x, y):
            size, out = 4, np.zeros_like(x)
            for pid in range(-(-n // size)):
                a, scale = x[pid * size:(pid + 1) * size], y[pid]
                a = a * a * scale if n > limit else a
                a = np.sin(a) + a if pid % 2 else np.exp(a * y[pid + 1]) * scale
                out[pid * size:(pid + 1) * size] = a * scale if scale > 0 else 3 * a
            return out
        return of
    for n, limit in ((13, 5), (13, 50), (1, 0)):
        case("gradients.py:branches", forward(n, limit), {"x": encode(random.random(n), "fp32"), "y": randn("fp32", 5)}, "6",
             {"n": n, "limit": limit, "BLOCK": 4}, atol=1e-3, rtol=1e-3)

    case("gradients.py:spread", lambda x, y: np.stack(5 * [np.exp(x) * y]),
         {"x": randn("fp32", 8), "y": randn("fp32", 8)}, "1", {"n": 5, "BLOCK": 8}, rtol=1e-3, atol=1e-3)

    def parity(x, y):
        n = len(x)
        total = (x * y[0]).sum(axis=0) if n > 2 else 0.0
        return np.stack([(x[i] ** 2 * y[0] if i % 2 else x[i]) * 2 ** (n - 1).bit_length() + total for i in range(n)])
    for n in (1, 2, 5):
        case("gradients.py:parity", parity, {"x": randn("fp32", n, 8), "y": randn("fp32", 1)}, "1", {"n": n, "BLOCK": 8}, atol=2e-3,
             rtol=1e-3)


def backwards():
    """Loops whose rounds go backwards."""
    def recurrence(x, a, start):
        h, out = start, []
        for t, decay in enumerate(a):
            h = h * decay + x[t]
            out.append(h * h)
        return np.array(out).reshape(x.shape)
    for n in (0, 1, 6):
        case("gradients.py:recurrence", recurrence, {"x": randn("fp32", n, 7), "a": encode(random.random(n), "fp32"), "start": randn("fp32", 7)},
             "2", {"last": "zeros(fp32,7)", "n": n, "width": 7, "BLOCK": 4}, rtol=1e-3, atol=2e-3)

    def logsumexp(x):
        return np.log(np.exp(x).sum(axis=1))
    for n in (1, 4, 23):
        case("gradients.py:online", logsumexp, {"x": randn("fp32", 3, n)}, "3", {"n": n, "BLOCK": 4}, atol=1e-3)

    def rotated(n):
        def of(x, y):
            out = []
            for pid, first in enumerate(x):
                second, weight, product, total = y, 1, np.ones(4), np.zeros(4)
                third = first * second
                for i in range(1, n + pid, 2):
                    for k in range(i):
                        product = product * (first * 0.5 + k)
                    third = third * second + i if i % 3 == 0 else third
                    total = total + weight * np.sin(first) * second
                    first, second, third = second, third, first
                    weight = 3 - weight
                    product = product / (1 + np.abs(product))
                out.append(product + total + first * second + third)
            return np.array(out)
        return of
    for n in (1, 2, 7):
        case("gradients.py:rotated", rotated(n), {"x": randn("fp32", 3, 4), "y": randn("fp32", 4)}, "3", {"n": n, "BLOCK": 4},
             sizes={"rounds": 5, "rounds_2": 9}, rtol=2e-3, atol=5e-3)

    def attention(causal):
        def of(q, k, v):
            scores = q @ k.T * 0.25
            if causal:
                scores = np.where(np.tri(*scores.shape, dtype=bool), scores, -np.inf)
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True) @ v
        return of
    for queries, keys, causal in ((13, 29, False), (1, 1, True), (37, 37, True)):
        case("gradients.py:flash", attention(causal), {"q": randn("fp32", queries, 16), "k": randn("fp32", keys, 16), "v": randn("fp32", keys, 16)},
             "cdiv(n_queries,BLOCK_M)", {"n_queries": queries, "n_keys": keys, "scale": 0.25, "D": 16, "BLOCK_M": 16, "BLOCK_N": 16,
                                         "CAUSAL": causal}, sizes={"rounds": 3}, rtol=1e-3, atol=2e-3)


def more_backwards():
    def states(x, gate):
        h, c, out = np.zeros(8), 1.0, np.zeros_like(x)
        for t in range(len(x) - 1, -1, -1):
            if gate[t] > 0:
                h = h * gate[t] + x[t] * c
                c = c * 0.5 + h.sum() * 0.1
            out[t] = h * c
        return out
    for n in (1, 6):
        case("gradients.py:states", states, {"x": randn("fp32", n, 8), "gate": randn("fp32", n)}, "1", {"n": n, "BLOCK": 8}, rtol=1e-3, atol=2e-3)

    def deep(n):
        def of(x, y):
            out = []
            for pid, h in enumerate(x):
                for i in range(n):
                    g = h
                    for k in range(i + 2):
                        g = g * y[0] + y[1] / (k + 1.0)
                    h = h * 0.5 + np.sin(g) if i % 2 == pid % 2 else h * y[2]
                out.append(h)
            return np.array(out)
        return of
    for n in (0, 1, 5):
        y = encode(random.uniform(-1, 1, 3), "fp32")  # larger ones grow from round to round, and sin(g) has no slope to see
        case("gradients.py:deep", deep(n), {"x": randn("fp32", 3, 4), "y": y}, "3", {"n": n, "BLOCK": 4},
             sizes={"rounds": 7}, rtol=2e-3, atol=3e-3)

    def softmax(x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    for dtype, n in (("fp32", 21), ("fp32", 3), ("bf16", 21), ("fp64", 9)):
        near = {"fp64": 1e-5, "fp32": 1e-3}.get(dtype, 4 * EPSILON[dtype])
        case("gradients.py:softmax_long", softmax, {"x": randn(dtype, 3, n)}, "3", {"n": n, "BLOCK": 8}, dtype=dtype, rtol=near, atol=near)


def library_attention():
    """kernels/attention.py, grouped heads, causal or not: aligned to the end."""
    def forward(causal):
        def of(q, k, v):
            k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
            scores = np.einsum("bhid,bhjd->bhij", q, k) * 0.25
            if causal:
                scores = np.where(np.tri(*scores.shape[2:], k.shape[2] - q.shape[2], dtype=bool), scores, -np.inf)
            e = np.exp(scores - scores.max(axis=3, keepdims=True))
            return np.einsum("bhij,bhjd->bhid", e / e.sum(axis=3, keepdims=True), v)
        return of
    for queries, keys, causal in ((19, 37, False), (18, 35, True)):
        arrays = {"q": randn("fp32", 1, 2, queries, 16), "k": randn("fp32", 1, 1, keys, 16), "v": randn("fp32", 1, 1, keys, 16)}
        strides = {f"{name}_{kind}": step for name, rows, heads in (("q", queries, 2), ("k", keys, 1), ("v", keys, 1), ("out", queries, 2))
                   for kind, step in (("batch", heads * rows * 16), ("head", rows * 16), ("row", 16))}
        case("attention.py:attention_kernel", forward(causal), arrays, "cdiv(q_length,BLOCK_M),2,1",
             {"lse": f"zeros(fp32,{2 * queries})", "scale": 0.25, "group": 2, "q_length": queries, "k_length": keys, **strides,
              "CAUSAL": causal, "D": 16, "BLOCK_D": 16, "BLOCK_M": 16, "BLOCK_N": 16}, sizes={"rounds": 3, "rounds_2": 3},
             rtol=1e-3, atol=3e-3)


def shaped():
    def forward(x):
        b = x.reshape(2, 3, 4).transpose(2, 0, 1)
        total = (b * b.min(axis=0)).reshape(24)
        for k in range(3):
            total = total + (x[8 * k] * total + 1) * x[k]
        return total * sigmoid(total)
    case("gradients.py:shaped", forward, {"x": randn("fp32", 24)}, "1", {"BLOCK": 24}, rtol=1e-3, atol=2e-3)


for size in (1, 75):
    elementwise(size)
ties()
overflow()
rows()
softmax()
norms()
timex()
matmul()
giou()
attention(1)
attention(13)
nested()
meeting()
branches()
backwards()
more_backwards()
library_attention()
shaped()
suite.finish()
