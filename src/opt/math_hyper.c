/*
 * math_hyper.c - sinh, cosh, tanh and their inverses
 *
 * With a = |x|, E = e^a - 1 and the growth of math_exp.c, e^a = 2^k h (1 + q):
 *
 *   tanh a = E/(E + 2) with E = e^(2a) - 1, which never exceeds 1
 *   sinh a = (E + E/(E + 1))/2, computed from E/4 = h q + (h - 1/4), k = 2
 *   cosh a = 2 H + 1/(8 H), H = e^a/4 = h + h q
 *
 * k = 2 because sinh and cosh are finite a little beyond the point where e^a overflows.
 *
 *   asinh a = log1p(a + a^2/(1 + sqrt(a^2 + 1)))
 *   acosh x = log1p(t + sqrt(t^2 + 2t)), t = x - 1
 *   atanh a = log1p(2a + 2a a/(1 - a))/2
 *
 * whose arguments lose nothing near the zero of the function.  Where a^2 would overflow, asinh
 * and acosh are log1p(a) + log 2.  Odd functions work on a and take the sign of x.
 */
#include "math.h"

/* beyond it tanh is 1; sinh and cosh overflow; and squares may be left out, see far() */
typedef struct {
    double flat, steep, huge;
} Bounds;
static const Bounds bounds[PRECISIONS] = {
    [SINGLE] = {.flat = 10, .steep = 89.7, .huge = 0x1p60},
    [DOUBLE] = {.flat = 20, .steep = 710.7, .huge = 0x1p500},
};

static Value *bounded(Math *m, Value *x, double high)
{
    return m_minnan(m, m_abs(m, x), K(high));
}

Value *math_tanh(Math *m, Value *x)
{
    Value *a = bounded(m, x, bounds[m->precise].flat);
    Growth g = m_growth(m, m_add(m, a, a), 0);
    Value *e = m_fma(m, g.h, g.q, m_sub(m, g.h, K(1)));

    return m_copysign(m, m_div(m, e, m_add(m, e, K(2))), x);
}

Value *math_sinh(Math *m, Value *x)
{
    Growth g = m_growth(m, bounded(m, x, bounds[m->precise].steep), 2);
    Value *quarter = m_fma(m, g.h, g.q, m_sub(m, g.h, K(0.25)));
    Value *sum = m_add(m, quarter, m_div(m, quarter, m_fma(m, quarter, K(4), K(1))));

    return m_keep_tiny(m, x, m_copysign(m, m_add(m, sum, sum), x));
}

Value *math_cosh(Math *m, Value *x)
{
    Growth g = m_growth(m, bounded(m, x, bounds[m->precise].steep), 2);
    Value *quarter = m_fma(m, g.h, g.q, g.h);

    return m_fma(m, quarter, K(2), m_div(m, K(0.125), quarter));
}

/* log1p(y), or log1p(a) + log 2 where a is huge */
static Value *log1p_or_far(Math *m, Value *a, Value *y)
{
    Value *far = m_gt(m, a, K(bounds[m->precise].huge));
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

    return m_copysign(m, y, x);
}
