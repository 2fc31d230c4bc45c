# lower: one x:*fp32 out:*fp32
# lower: several x:*fp32 out:*i32
# lower: effects p:*u64
# lower: registers p:*i64
# lower: wrong x:*fp32 out:*fp32
"""R302: inline assembly is carried as it stands."""
import triton
import triton.language as tl
from triton.language.extra import cuda

TEXT: tl.constexpr = "ex2.approx.ftz.f32 $0, $1;"


@triton.jit
def one(x, out):
    i = tl.arange(0, 8)
    v = tl.inline_asm_elementwise(TEXT, "=f,f", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=1)
    _unused = tl.inline_asm_elementwise(TEXT, "=f,f", [v], tl.float32, True, 1)
    tl.store(out + i, v)


@triton.jit
def several(x, out):
    i = tl.arange(0, 8)
    lo, hi = tl.inline_asm_elementwise(
        """
        { mov.b32 $0, $2;
          shr.b32 $1, $3, 8; }
        """,
        "=r,=r,r,r", args=(tl.load(x + i)[:, None], 7), dtype=(tl.int32, tl.uint32), is_pure=True, pack=4)
    tl.store(out + i, tl.sum(lo, 1) + tl.sum(hi.to(tl.int32), 1))


@triton.jit
def effects(p):
    tl.inline_asm_elementwise("bar.sync 0;", "=r", [], tl.int32, False, 1)
    tl.inline_asm_elementwise("st.global.u64 [$1], 1;", "=r,l", [p], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def registers(p):
    start = cuda.globaltimer()
    tl.store(p, cuda.globaltimer() - start)
    tl.store(p + 1, cuda.smid() + tl.extra.cuda.smid())


@triton.jit
def wrong(x, out):
    v = tl.load(x)
    a = tl.inline_asm_elementwise("", "", v, tl.float32, True, 1)
    b = tl.inline_asm_elementwise("", "", [v], tl.float32, True, 0)
    c = tl.inline_asm_elementwise("", "", [v], 3, True, 1)
    d = tl.inline_asm_elementwise(v, "", [v], tl.float32, True, 1)
    e = tl.inline_asm_elementwise("", "", [tl.arange(0, 3), tl.arange(0, 4)], tl.float32, True, 1)
    f = tl.inline_asm_elementwise("", "", [v], (), True, 1)
