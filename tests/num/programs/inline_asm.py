"""Texts of PTX, each for all elements of one, two or three arrays: a row of the output for each text."""

import triton
import triton.language as tl


@triton.jit
def run_texts(a, b, c, out, n, COUNT: tl.constexpr, TEXTS: tl.constexpr, CONSTRAINTS: tl.constexpr,
              PACK: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + i, mask=i < n, other=0)
    if COUNT == 1:
        args = (x,)
    elif COUNT == 2:
        args = (x, tl.load(b + i, mask=i < n, other=0))
    else:
        args = (x, tl.load(b + i, mask=i < n, other=0), tl.load(c + i, mask=i < n, other=0))
    for k in tl.static_range(len(TEXTS)):
        y = tl.inline_asm_elementwise(TEXTS[k], CONSTRAINTS, args, out.dtype.element_ty, True, PACK)
        tl.store(out + k * n + i, y, mask=i < n)


@triton.jit
def unpack_fours(packed, low, high, scale, n, BLOCK: tl.constexpr):
    """Numbers of four bits, two a byte, as fp16: with the bits of 1024 beside them they count in ones."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bytes = tl.load(packed + i, mask=i < n, other=0)
    lows, highs = tl.inline_asm_elementwise("""
        {
            .reg .b32 bits, magic, fours<2>;
            .reg .f16x2 all<4>;
            mov.b32 magic, 0x64006400;    // 1024 twice
            prmt.b32 fours0, $4, 0, 0x4140;
            prmt.b32 fours1, $4, 0, 0x4342;
            lop3.b32 all0, fours0, 0x000f000f, magic, 0xea; /* (a & b) | c */
            lop3.b32 all1, fours1, 0x000f000f, magic, 0xea;
            shr.u32 bits, fours0, 4;
            lop3.b32 all2, bits, 0x000f000f, magic, 0xea;
            shr.u32 bits, fours1, 4;
            lop3.b32 all3, bits, 0x000f000f, magic, 0xea;
            sub.f16x2 $0, all0, magic;
            sub.f16x2 $1, all1, magic;
            sub.f16x2 $2, all2, magic;
            sub.f16x2 $3, all3, magic;
        }""", "=r,=r,=r,=r,r", [bytes], (tl.float16, tl.float16), True, 4)
    tl.store(low + i, lows * scale, mask=i < n)
    tl.store(high + i, highs * scale, mask=i < n)
