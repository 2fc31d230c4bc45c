"""Parts of tiles (programs/parts.py) against NumPy, whose subscripts they are."""

import numpy as np

from arguments import empty
from harness import Suite, generator

suite = Suite()
random = generator()


def case(label, kernel, args, outputs, **tolerance):
    suite.case(label, "programs/parts.py:" + kernel, "1", args, outputs, **tolerance)


def whole(*shape):
    return random.integers(-99, 99, shape).astype(np.int32)


def extents(n, least=1, most=9):
    return [int(e) for e in random.integers(least, most + 1, n)]


def rows_columns():
    for _ in range(4):
        (m, n), i = extents(2), int(random.integers(0, 9))
        x = whole(m, n)
        v = x.copy()
        for k in range(m):
            v[k] = v[k] + v[(k + i) % m]
            v[k, k % n] = 5
            if k % 2 == 1:
                v[:, 0:1] = v[:, -1:]
        v[i % m] += 1
        v[:, i % n] *= 2
        v[..., 0] -= 3
        case(f"rows and columns {m}x{n} {i}", "rows_columns",
             {"x": x, "out": empty("i32", m, n), "i": i, "M": m, "N": n}, {"out": ("i32", v)})


def swaps():
    for _ in range(4):
        n = extents(1, most=40)[0]
        i, j = (int(k) for k in random.integers(0, n, 2))
        x = random.standard_normal((2, n)).astype(np.float32)
        a, b = x.copy()
        for q in range(3):
            p, s = (i + q) % n, (j + 2 * q) % n
            a[p], b[s] = b[p], a[s]
        case(f"swaps {n} {i} {j}", "swaps", {"x": x, "out": empty("fp32", 2, n), "i": i, "j": j, "N": n},
             {"out": ("fp32", np.stack([a, b]))})


def slices():
    for _ in range(6):
        n = extents(1, 4, 60)[0]
        w = int(random.integers(1, n // 2))
        i = int(random.integers(0, (n - 1) // 2 - w + 1)) if (n - 1) // 2 >= w else 0
        x = whole(n)
        v = x.copy()
        v[i:i + w] = x[i:i + w][::-1] + 100
        case(f"slices {n} {w} {i}", "slices", {"x": x, "out": empty("i32", n + w + 2), "i": i, "N": n, "W": w},
             {"out": ("i32", np.concatenate([v, x[i:i + w], v[1:][2 * i:2 * i + 2]]))})


def places():
    for _ in range(4):
        n, k, p = extents(3, most=5)
        x, index = whole(n, k, p), abs(whole(6))
        at = index.reshape(2, 3)
        want = [x[:, at % k, :], x[at[0] % n, 0], x[..., at % p]]
        case(f"places {n}x{k}x{p}", "places",
             {"x": x, "index": index, "out": empty("i32", sum(w.size for w in want)), "N": n, "K": k, "P": p},
             {"out": ("i32", np.concatenate([w.ravel() for w in want]))})


def bubbles():
    n = extents(1, 2, 14)[0]
    x = whole(n)
    case(f"bubbles {n}", "bubbles", {"x": x, "out": empty("i32", n), "N": n}, {"out": ("i32", np.sort(x))})


def half_checked():
    before = 200
    for checked in ((), (0,), (1,), (1, 0)):
        for _ in range(3):
            (m, n), block = extents(2, 3, 11), extents(2)
            i, j = int(random.integers(-4, m)), int(random.integers(-4, n))
            x = whole(2 * before + m * n)
            rows, columns = i + np.arange(block[0])[:, None], j + np.arange(block[1])
            inside = np.full(block, True)
            for axis, (at, extent) in enumerate(((rows, m), (columns, n))):
                inside &= (axis not in checked) | ((at >= 0) & (at < extent))
            want = np.where(inside, x[before + np.where(inside, rows * n + columns, 0)], 0)
            case(f"half checked {checked} {m}x{n} at {i},{j}", "half_checked",
                 {"x": x, "out": empty("i32", *block), "M": m, "N": n, "i": i, "j": j, "BM": block[0],
                  "BN": block[1], "CHECKED": f"({','.join(map(str, checked))}{',' if len(checked) == 1 else ''})",
                  "BEFORE": before}, {"out": ("i32", want)})


rows_columns()
swaps()
slices()
places()
bubbles()
half_checked()
suite.finish()
