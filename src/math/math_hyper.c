/*
 * math_hyper.c - sinh, cosh, tanh and their inverses
 *
 * With a = |x|, and e^a as the growth of math_exp.c gives it, with room for one more factor of 4
 * because sinh and cosh are finite a little beyond the point where e^a overflows:
 *
 *   tanh a = 1 - 2/(e^(2a) + 1)          where it is above 1/2; never exceeds 1
 *   sinh a = 2 H - 1/(8 H), H = e^a/4    for a > 1
 *   cosh a = 2 H + 1/(8 H)
 *
 * Below, where those would cancel, tanh and sinh are odd polynomials, a + a s P(s), s = a^2.
 *
 *   asinh a = log1p(a + a^2/(1 + sqrt(a^2 + 1)))
 *   acosh x = log1p(t + sqrt(t^2 + 2t)), t = x - 1
 *   atanh a = log1p(2a + 2a a/(1 - a))/2
 *
 * whose arguments lose nothing near the zero of the function.  Where a^2 would overflow, asinh
 * and acosh are log1p(a) + log 2.  Odd functions work on a and take the sign of x.
 */
#include "math.h"
#include "single.h"

typedef struct {
    double flat;  /* tanh is 1 from here on */
    double steep; /* sinh and cosh overflow before this, and e^a/4 after */
    double huge;  /* squares may be left out, and do not overflow before */
    Poly tanh;    /* (tanh a/a - 1)/a^2 up to log(3)/2, error 2^-29.7 and 2^-60.6 */
    Poly sinh;    /* (sinh a/a - 1)/a^2 up to 1, error 2^-31.6 and 2^-63.0 */
} Constants;

/* clang-format off */
static const Constants constants[PRECISIONS] = {
    [SINGLE] = {.flat = 10, .steep = 89.7, .huge = 0x1p60,
        .tanh = POLY(TANH_LOW),
        .sinh = POLY(0x1.555556p-3, 0x1.1110ep-7, 0x1.a022bcp-13, 0x1.756c2p-19)},
    [DOUBLE] = {.flat = 20, .steep = 710.7, .huge = 0x1p500,
        .tanh = POLY(-0x1.555555555554fp-2, 0x1.111111111079p-3, -0x1.ba1ba1b97cb14p-5,
                     0x1.664f48593f61cp-6, -0x1.226e2f0e068c4p-7, 0x1.d6d29a8bac3c7p-9,
                     -0x1.7d8fc5e60f508p-10, 0x1.34833a5baa2cfp-11, -0x1.e96b0a1d5d9f9p-13,
                     0x1.5d6674e2ac3f5p-14, -0x1.46edebeec55dap-16),
        .sinh = POLY(0x1.5555555555555p-3, 0x1.111111111119bp-7, 0x1.a01a01a00736p-13,
                     0x1.71de3a68cf8dap-19, 0x1.ae64412399598p-26, 0x1.61314c8fb8946p-33,
                     0x1.a665e40eaa562p-41, 0x1.d287f3767154bp-48)},
};
/* clang-format on */

/* a + a s P(s) */
static Value *odd(Math *m, Value *a, const Poly *p)
{
    Value *s = m_mul(m, a, a);

    return m_fma(m, m_mul(m, a, s), m_poly(m, s, p), a);
}

Value *math_tanh(Math *m, Value *x)
{
    const Constants *c = &constants[m->precise];
    Value *a = m_minnan(m, m_abs(m, x), K(c->flat));
    Growth g = m_growth(m, m_add(m, a, a), 0);
    Value *plus_one = m_fma(m, g.h, g.q, m_add(m, g.h, K(1)));
    Value *high = m_sub(m, K(1), m_div(m, K(2), plus_one));
    Value *low = odd(m, a, &c->tanh);
    Value *y = m_select(m, m_lt(m, a, K(TANH_EDGE)), low, high);

    return m_copysign(m, y, x);
}

/* e^a/4 for a = |x| */
static Value *quarter_growth(Math *m, Value *a)
{
    Growth g = m_growth(m, m_minnan(m, a, K(constants[m->precise].steep)), 2);

    return m_fma(m, g.h, g.q, g.h);
}

Value *math_sinh(Math *m, Value *x)
{
    Value *a = m_abs(m, x);
    Value *quarter = quarter_growth(m, a);
    Value *high = m_fma(m, quarter, K(2), m_div(m, K(-0.125), quarter));
    Value *low = odd(m, a, &constants[m->precise].sinh);

    return m_copysign(m, m_select(m, m_lt(m, a, K(1)), low, high), x);
}

Value *math_cosh(Math *m, Value *x)
{
    Value *quarter = quarter_growth(m, m_abs(m, x));

    return m_fma(m, quarter, K(2), m_div(m, K(0.125), quarter));
}

/* log1p(y), or log1p(a) + log 2 where a is huge */
static Value *log1p_or_far(Math *m, Value *a, Value *y)
{
    Value *far = m_gt(m, a, K(constants[m->precise].huge));
    Value *log = math_log1p(m, m_select(m, far, a, y));

    return m_add(m, log, m_select(m, far, K(0x1.62e42fefa39efp-1), K(0)));
}

Value *math_asinh(Math *m, Value *x)
{
    Value *a = m_abs(m, x);
    Value *square = m_mul(m, a, a);
    Value *root = m_sqrt(m, m_add(m, square, K(1)));
    Value *y = m_add(m, a, m_div(m, square, m_add(m, root, K(1))));

    return m_copysign(m, log1p_or_far(m, a, y), x);
}

Value *math_acosh(Math *m, Value *x)
{
    Value *t = m_sub(m, x, K(1));
    Value *root = m_sqrt(m, m_fma(m, t, t, m_add(m, t, t)));
    Value *y = log1p_or_far(m, t, m_add(m, t, root));

    return m_select(m, m_ge(m, t, K(0)), y, K(__builtin_nan("")));
}

Value *math_atanh(Math *m, Value *x)
{
    Value *a = m_abs(m, x);
    Value *twice = m_add(m, a, a);
    Value *ratio = m_div(m, a, m_sub(m, K(1), a));
    Value *y = m_mul(m, math_log1p(m, m_fma(m, twice, ratio, twice)), K(0.5));

    y = m_select(m, m_le(m, a, K(1)), y, K(__builtin_nan("")));
    return m_copysign(m, y, x);
}
