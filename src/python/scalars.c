/*
 * scalars.c - what NumPy's scalars do: numbers that keep a dtype of their own (NEP 50)
 *
 * Two scalars meet in the dtype that holds both; a number of Python's is taken into that of the
 * scalar, and is an error where it does not fit.  Ints wrap, division by zero gives 0 or an
 * infinity, and floats of 16 and 32 bits are rounded at every step.  Where NumPy raises, the
 * operators give its reason, as those of operators.c do.
 */
#include <math.h>

#include "python.h"

/* The number, which t holds, as a scalar. */
static Const const_scalar(DType t, Const number)
{
    number.is_scalar = true;
    number.dtype = t;
    return number;
}

Const const_plain(const Const *c)
{
    Const plain = *c;

    plain.is_scalar = false;
    return plain;
}

/* --- which dtype --- */

enum { SIGNED_COUNT = 4 };
static const DType signed_ints[SIGNED_COUNT] = {DT_I8, DT_I16, DT_I32, DT_I64};

/* The narrowest signed int, or where there is none the float, that also holds what u holds. */
static DType signed_beyond(DType u)
{
    for (int i = 0; i < SIGNED_COUNT; i++) {
        if (dtype_bits(signed_ints[i]) > dtype_bits(u))
            return signed_ints[i];
    }
    return DT_FP64;
}

static DType wider(DType a, DType b)
{
    return dtype_bits(a) >= dtype_bits(b) ? a : b;
}

/* The narrowest float that NumPy takes an int into. */
static DType float_for(DType t)
{
    if (t == DT_I1 || dtype_is_float(t))
        return t;
    return dtype_bits(t) == 8 ? DT_FP16 : dtype_bits(t) == 16 ? DT_FP32 : DT_FP64;
}

static DType promote(DType a, DType b)
{
    if (a == DT_I1 || b == DT_I1)
        return a == DT_I1 ? b : a;
    if (dtype_is_float(a) || dtype_is_float(b))
        return wider(float_for(a), float_for(b));
    if (dtype_is_signed(a) == dtype_is_signed(b))
        return wider(a, b);
    DType u = dtype_is_signed(a) ? b : a, i = u == a ? b : a;
    return dtype_bits(i) > dtype_bits(u) ? i : signed_beyond(u);
}

/* Of a scalar and a number of Python's, which only says of which kind it is. */
static DType promote_number(DType t, const Const *number)
{
    if (number->kind == CONST_BOOL)
        return t;
    if (number->kind == CONST_INT)
        return t == DT_I1 ? DT_I64 : t;
    return dtype_is_float(t) ? t : DT_FP64;
}

static DType common_dtype(const Const *x, const Const *y)
{
    if (x->is_scalar && y->is_scalar)
        return promote(x->dtype, y->dtype);
    return x->is_scalar ? promote_number(x->dtype, y) : promote_number(y->dtype, x);
}

/* --- values of a dtype --- */

static double rounded(DType t, double v)
{
    return scalar_to_double(t, scalar_from_double(t, v));
}

static Const float_scalar(DType t, double v)
{
    return const_scalar(t, const_float(rounded(t, v)));
}

/* As many low bits as there are. */
static Const int_scalar(DType t, unsigned __int128 v)
{
    int unused = 128 - dtype_bits(t);

    if (t == DT_I1)
        return const_scalar(t, const_bool(v != 0));
    v <<= unused;
    return const_scalar(
        t, const_int(dtype_is_signed(t) ? (__int128)v >> unused : (__int128)(v >> unused)));
}

static bool holds_int(DType t, __int128 v)
{
    Const as = int_scalar(t, (unsigned __int128)v);

    return as.integer == v;
}

/* An operand in the dtype of the operation; NULL, or why it has no value there. */
static const char *convert(DType t, const Const *x, Const *out)
{
    if (dtype_is_float(t)) {
        *out = float_scalar(t, const_to_double(x));
        return NULL;
    }
    if (!x->is_scalar && !holds_int(t, x->integer))
        return "the integer is out of bounds for the dtype of the scalar";
    *out = int_scalar(t, (unsigned __int128)x->integer);
    return NULL;
}

bool scalar_cast_to(DType t, const Const *number, Const *out)
{
    bool whole = const_is_integral(number);

    if (t == DT_I1) {
        *out = const_scalar(t, const_bool(const_truth(number)));
        return true;
    }
    if (dtype_is_float(t)) {
        *out = float_scalar(t, const_to_double(number));
        return true;
    }
    if (!whole && !(fabs(number->real) < 0x1p126))
        return false;
    __int128 v = whole ? number->integer : (__int128)number->real;
    *out = int_scalar(t, (unsigned __int128)v);
    return (whole && number->is_scalar) || holds_int(t, v);
}

/* --- operators --- */

static __int128 power_of(__int128 base, __int128 n)
{
    unsigned __int128 r = 1, square = (unsigned __int128)base; /* modulo 2^128, of which low bits
                                                                * are kept */
    for (; n > 0; n >>= 1) {
        r *= n & 1 ? square : 1;
        square *= square;
    }
    return (__int128)r;
}

/* The quotient rounded down, and what is left; of 0 both are 0. */
static __int128 divided(__int128 a, __int128 b, __int128 *rest)
{
    *rest = b ? a % b : 0;
    __int128 q = b ? a / b : 0;

    if (*rest != 0 && (*rest < 0) != (b < 0)) {
        *rest += b;
        q--;
    }
    return q;
}

static __int128 shifted(BinaryOp op, DType t, __int128 a, __int128 n)
{
    bool within = n >= 0 && n < dtype_bits(t);

    if (op == BIN_SHL)
        return within ? (__int128)((unsigned __int128)a << n) : 0;
    return within ? a >> n : a < 0 ? -1 : 0;
}

static const char *int_operator(BinaryOp op, DType t, __int128 a, __int128 b, Const *out)
{
    __int128 r = 0, rest = 0;

    switch (op) {
    case BIN_ADD:
        r = a + b;
        break;
    case BIN_SUB:
        if (t == DT_I1)
            return "NumPy has no `-` of bools";
        r = a - b;
        break;
    case BIN_MUL:
        r = (__int128)((unsigned __int128)a * (unsigned __int128)b);
        break;
    case BIN_FLOORDIV:
        r = divided(a, b, &rest);
        break;
    case BIN_MOD:
        (void)divided(a, b, &r);
        break;
    case BIN_POW:
        if (b < 0)
            return "integers to negative integer powers are not allowed";
        r = power_of(a, b);
        break;
    case BIN_AND:
        r = a & b;
        break;
    case BIN_OR:
        r = a | b;
        break;
    case BIN_XOR:
        r = a ^ b;
        break;
    case BIN_SHL:
    case BIN_SHR:
        r = shifted(op, t, a, b);
        break;
    default:
        return "unsupported operand types";
    }
    *out = int_scalar(t, (unsigned __int128)r);
    return NULL;
}

/* The quotient rounded down and what is left, each step rounded to t. */
static double float_divided(DType t, double a, double b, double *rest)
{
    *rest = fmod(a, b);
    if (b == 0)
        return rounded(t, a / b);
    double q = rounded(t, rounded(t, a - *rest) / b);

    if (*rest == 0)
        *rest = copysign(0, b);
    else if ((b < 0) != (*rest < 0)) {
        *rest = rounded(t, *rest + b);
        q = rounded(t, q - 1);
    }
    if (q == 0)
        return copysign(0, a / b);
    double whole = floor(q);
    return rounded(t, q - whole > 0.5 ? whole + 1 : whole);
}

/* In t, or as fp16 is computed, in fp32. */
static const char *float_operator(BinaryOp op, DType t, double a, double b, Const *out)
{
    DType within = t == DT_FP16 ? DT_FP32 : t;
    double r = 0;

    switch (op) {
    case BIN_FLOORDIV:
        r = float_divided(within, a, b, &(double){0});
        break;
    case BIN_MOD:
        (void)float_divided(within, a, b, &r);
        break;
    case BIN_POW:
        r = within == DT_FP32 ? powf((float)a, (float)b) : pow(a, b);
        break;
    default:
        if (!float_basic(op, a, b, &r))
            return "floats have no such operator";
    }
    *out = float_scalar(t, rounded(within, r));
    return NULL;
}

/* In which dtype an operator computes: bools only know some, and `/` is one of floats. */
static DType computed_in(BinaryOp op, DType t)
{
    bool of_bools = op == BIN_ADD || op == BIN_SUB || op == BIN_MUL || op == BIN_AND ||
                    op == BIN_OR || op == BIN_XOR;

    if (op == BIN_DIV)
        return dtype_is_float(t) ? t : DT_FP64;
    return t == DT_I1 && !of_bools ? DT_I8 : t;
}

const char *scalar_binary(BinaryOp op, const Const *x, const Const *y, Const *out)
{
    DType computed = computed_in(op, common_dtype(x, y));
    Const a, b;
    const char *wrong = convert(computed, x, &a);

    wrong = wrong ? wrong : convert(computed, y, &b);
    if (wrong)
        return wrong;
    if (dtype_is_float(computed))
        return float_operator(op, computed, const_to_double(&a), const_to_double(&b), out);
    return int_operator(op, computed, a.integer, b.integer, out);
}

const char *scalar_unary(UnaryOp op, const Const *x, Const *out)
{
    DType t = x->dtype;

    if (t == DT_I1 && op != UN_INVERT)
        return "NumPy has no sign of bools";
    if (dtype_is_float(t) && op == UN_INVERT)
        return "floats have no `~`";
    if (dtype_is_float(t))
        *out = float_scalar(t, op == UN_MINUS ? -x->real : x->real);
    else if (t == DT_I1)
        *out = const_scalar(t, const_bool(!x->integer));
    else
        *out = int_scalar(t, (unsigned __int128)(op == UN_MINUS    ? -x->integer
                                                 : op == UN_INVERT ? ~x->integer
                                                                   : x->integer));
    return NULL;
}

Const const_holds(const Const *x, const Const *y, bool holds)
{
    Const plain = const_bool(holds);

    return x->is_scalar || y->is_scalar ? const_scalar(DT_I1, plain) : plain;
}

void scalar_comparable(const Const *x, const Const *y, Const *a, Const *b)
{
    *a = const_plain(x);
    *b = const_plain(y);
    if (const_is_integral(x) && const_is_integral(y))
        return; /* exactly, whatever holds them */
    DType t = common_dtype(x, y);
    *a = const_float(rounded(t, const_to_double(x)));
    *b = const_float(rounded(t, const_to_double(y)));
}
