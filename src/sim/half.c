/*
 * half.c - arithmetic on f16 and bf16, and on pairs of them
 *
 * A pair is two numbers that lie side by side in a register, so the lanes of a register are 32
 * numbers or 64.  Each operation is done in double, where it is exact or its last bit is odd, and
 * rounded once.
 */
#include <math.h>

#include "lanes.h"
#include "small.h"

/* What an operation works on: the format, and whether the numbers come in pairs. */
typedef struct {
    PtxType type;
    bool ftz, sat, relu, nan, xorsign; /* the instruction's modifiers */
} Half;

static Half half_of(const Inst *in)
{
    PtxType t = (PtxType)in->type[0];

    return (Half){.type = t == PTX_F16X2    ? PTX_F16
                          : t == PTX_BF16X2 ? PTX_BF16
                                            : t,
                  .ftz = has(in, MOD_FTZ),
                  .sat = has(in, MOD_SAT),
                  .relu = has(in, MOD_RELU),
                  .nan = has(in, MOD_NAN_),
                  .xorsign = has(in, MOD_XORSIGN)};
}

/* .ftz makes zeros of f16's denormals; bf16 has no such modifier but on ex2. */
static uint16_t flush16(const Half *h, uint16_t x)
{
    uint16_t exponent = h->type == PTX_F16 ? 0x7c00 : 0x7f80;

    return h->ftz && !(x & exponent) ? x & 0x8000 : x;
}

static double read_half(const Half *h, uint16_t x)
{
    return small_to_double(h->type, flush16(h, x));
}

static uint16_t write_half(const Half *h, double x)
{
    if (h->sat)
        x = x > 0 ? MIN(x, 1.0) : 0;
    if (h->relu && x < 0)
        x = 0;
    return flush16(h, (uint16_t)small_from_double(h->type, x, ROUND_NEAREST, false));
}

typedef uint16_t Operation(const Half *h, uint16_t x, uint16_t y, uint16_t z);

/* Do it for `per` numbers in each lane, with as many operands as there are. */
static void each_half(Warp *w, const Inst *in, uint32_t mask, uint32_t per, Operation *do_it)
{
    Half h = half_of(in);
    uint16_t *d = OPERAND(w, in, 0, uint16_t);
    const uint16_t *x = OPERAND(w, in, 1, uint16_t);
    const uint16_t *y = in->nops > 2 ? OPERAND(w, in, 2, uint16_t) : x;
    const uint16_t *z = in->nops > 3 ? OPERAND(w, in, 3, uint16_t) : x;

    FOR_LANES(lane, mask)
    {
        for (uint32_t i = lane * per; i < (lane + 1) * per; i++)
            d[i] = do_it(&h, x[i], y[i], z[i]);
    }
}

#define HALF_OPERATION(name, expr)                                                                 \
    static uint16_t do_##name(const Half *h, uint16_t x, uint16_t y, uint16_t z)                   \
    {                                                                                              \
        (void)y;                                                                                   \
        (void)z;                                                                                   \
        return expr;                                                                               \
    }                                                                                              \
    void half_##name(Warp *w, const Inst *in, uint32_t mask)                                       \
    {                                                                                              \
        each_half(w, in, mask, 1, do_##name);                                                      \
    }                                                                                              \
    void half_##name##x2(Warp *w, const Inst *in, uint32_t mask)                                   \
    {                                                                                              \
        each_half(w, in, mask, 2, do_##name);                                                      \
    }
HALF_OPERATION(add_f, write_half(h, odd_add(read_half(h, x), read_half(h, y))))
HALF_OPERATION(sub_f, write_half(h, odd_add(read_half(h, x), -read_half(h, y))))
HALF_OPERATION(mul_f, write_half(h, read_half(h, x) * read_half(h, y)))
HALF_OPERATION(fma_f, write_half(h, odd_fma(read_half(h, x), read_half(h, y), read_half(h, z))))
HALF_OPERATION(ex2_f, write_half(h, exp2(read_half(h, x))))
HALF_OPERATION(tanh_f, write_half(h, tanh(read_half(h, x))))
HALF_OPERATION(neg_f, write_half(h, -read_half(h, x)))
HALF_OPERATION(abs_f, write_half(h, fabs(read_half(h, x))))

/* The bits of the lesser or greater one, as min and max of f32 choose. */
static uint16_t choose_half(const Half *h, uint16_t x, uint16_t y, bool greater)
{
    uint16_t sign = (x ^ y) & 0x8000;

    x = flush16(h, x);
    y = flush16(h, y);
    if (h->xorsign) {
        x &= 0x7fff;
        y &= 0x7fff;
    }
    double a = small_to_double(h->type, x), b = small_to_double(h->type, y);
    if (isnan(a) || isnan(b)) {
        if (h->nan || (isnan(a) && isnan(b)))
            return NAN_16;
        return (uint16_t)((isnan(a) ? y : x) | (h->xorsign ? sign : 0));
    }
    bool first = a == b ? (x >> 15 != 0) != greater : (a < b) != greater;
    return (uint16_t)((first ? x : y) | (h->xorsign ? sign : 0));
}
HALF_OPERATION(min_f, choose_half(h, x, y, false))
HALF_OPERATION(max_f, choose_half(h, x, y, true))
