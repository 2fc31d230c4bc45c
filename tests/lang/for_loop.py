# lower: kernel p:*fp32 out:*fp32 n:i32
# run: kernel p:fp32[12]=iota out:fp32[4] n:i32=3
# run: bounds out:i32[8] n:i32=3
# run: down out:i32[8]
# run: shadows out:i32[4] n:i32=3
# run: in_dead_branch out:i32[2] n:i32=3 FLAG=False
# lower: in_dead_branch out:*i32 n:i32 FLAG=False
# run: swap out:i32[2] n:i32=3
# lower: hints out:*i32 n:i32
# run: hints out:i32[1] n:i32=4
# run: rebinds out:i32[4] n:i32=3
"""R125, R126, R127: run-time loops."""
import triton
import triton.language as tl


@triton.jit
def kernel(p, out, n):
    acc = tl.zeros((4,), dtype=tl.float32)
    offs = tl.arange(0, 4)
    for i in range(n):
        acc += tl.load(p + i * 4 + offs)
    tl.store(out + offs, acc)


@triton.jit
def bounds(out, n):
    for i in range(1, n):
        tl.store(out + i, i)
    for i in range(4, 8, 2):
        tl.store(out + i, i)
    for i in range(5, 3):
        tl.store(out, 1)


@triton.jit
def down(out):
    x = 0
    for i in range(7, -1, -3):
        tl.store(out + i, x)
        x += 1


@triton.jit
def shadows(out, n):
    count = 0
    for i in range(n):
        i = i * 2
        count = count + i
        for j in tl.range(0, i, num_stages=2):
            count += 100
    tl.store(out, count)


@triton.jit
def in_dead_branch(out, n, FLAG: tl.constexpr):
    x = n
    y = n
    for i in range(n):
        if FLAG:
            x = x + 1
        y = y + x
    tl.store(out, x)
    tl.store(out + 1, y)


@triton.jit
def swap(out, n):
    a, b = 1, 2
    for i in range(n):
        a, b = b, a
    tl.store(out, a)
    tl.store(out + 1, b)


@triton.jit
def hints(out, n):
    s = 0
    for i in tl.range(0, n, 1, num_stages=3, loop_unroll_factor=2, flatten=True, disallow_acc_multi_buffer=True, warp_specialize=False):
        s += i
    tl.store(out, s)


# a loop variable may take a name that held something else
@triton.jit
def rebinds(out, n):
    i = tl.arange(0, 4)
    tl.store(out + i, i)
    for k in range(n):
        for i in range(k):
            tl.store(out + i, 10 * i + k)
