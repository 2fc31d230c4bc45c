"""A stack of images over the workers of Dask's distributed scheduler: each dilates its blocks.

map_blocks() calls a function on NumPy arrays, blocks of the stack, in whatever process has time, here or on
other machines; a kernel's launch is such a function.  Workers import this file by its name, as they would a
package, and so find the kernel's source; each compiles it once, or finds it in the cache that they share.

    python dask_images.py [ADDRESS]         (needs dask and distributed; ADDRESS: of a scheduler, else two processes)
"""

import sys

import dask.array
import distributed
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def dilate_kernel(x, out, height, width, R: tl.constexpr, BLOCK: tl.constexpr):
    """Each pixel becomes the largest of the (2R + 1) x (2R + 1) around it.  Grid: (rows, images)."""
    y = tl.program_id(0)
    x += tl.program_id(1).to(tl.int64) * height * width
    out += tl.program_id(1).to(tl.int64) * height * width
    at = tl.arange(0, BLOCK)
    most = tl.zeros([BLOCK], x.dtype.element_ty)
    for i in range(-R, R + 1):
        for j in range(-R, R + 1):
            inside = (y + i >= 0) & (y + i < height) & (at + j >= 0) & (at + j < width)
            most = tl.maximum(most, tl.load(x + (y + i) * width + at + j, mask=inside, other=0))
    tl.store(out + y * width + at, most, mask=at < width)


def dilate(images, radius=2):
    """Of [n, height, width] u8."""
    images = np.ascontiguousarray(images)
    out = np.empty_like(images)
    n, height, width = images.shape
    if n and height and width:  # Dask also asks for the type of nothing
        dilate_kernel[(height, n)](images, out, height, width, R=radius, BLOCK=width)
    return out


def reference(images, radius=2):
    padded = np.pad(images, [(0, 0), (radius, radius), (radius, radius)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * radius + 1, 2 * radius + 1), (1, 2))
    return windows.max((3, 4))


def main():
    import dask_images  # by its name, as workers know it

    images = np.random.default_rng(0).integers(0, 255, (40, 100, 120), np.uint8)
    where = {"address": sys.argv[1]} if len(sys.argv) > 1 else {"n_workers": 2, "threads_per_worker": 1,
                                                                  "dashboard_address": None}
    with distributed.Client(**where) as client:
        stack = dask.array.from_array(images, chunks=(8, -1, -1))
        out = stack.map_blocks(dask_images.dilate, dtype=images.dtype).compute()
        workers = len(client.scheduler_info()["workers"])
    np.testing.assert_array_equal(out, reference(images))
    print(f"{len(images)} images in {stack.numblocks[0]} blocks on {workers} workers: equal to the reference (NumPy)")


if __name__ == "__main__":
    main()
