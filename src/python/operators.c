/*
 * operators.c - Python's operators on constants: THE table is the switches below
 *
 * They follow Python, not the tiles of the language: `//` floors, `%` has the divisor's sign, `/`
 * divides truly (semantics R13).  Ints have 128 bits; what does not fit is an error and never
 * wraps. Operators return NULL, or the text of what Python would raise.
 */
#include <math.h>
#include <string.h>

#include "python.h"

static const char *const too_large = "the integer needs more than 128 bits";
static const __int128 int_min = (__int128)((unsigned __int128)1 << 127);

static __int128 floor_div(__int128 a, __int128 b)
{
    __int128 q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static const char *shift_left(__int128 a, __int128 n, __int128 *out)
{
    if (n < 0)
        return "negative shift count";
    *out = 0;
    if (a == 0)
        return NULL;
    if (n > 126 || (a << n) >> n != a)
        return too_large;
    *out = a << n;
    return NULL;
}

static const char *shift_right(__int128 a, __int128 n, __int128 *out)
{
    if (n < 0)
        return "negative shift count";
    *out = a >> (n > 127 ? 127 : n);
    return NULL;
}

static const char *float_pow(double a, double b, double *out)
{
    bool finite = isfinite(a) && isfinite(b);

    if (a == 0 && b < 0 && finite)
        return "0 cannot be raised to a negative power";
    if (a < 0 && finite && b != floor(b))
        return "the result is a complex number";
    *out = pow(a, b);
    return finite && isinf(*out) ? "the result is too large" : NULL;
}

static const char *int_pow(__int128 base, __int128 n, Const *out)
{
    __int128 r = 1;

    if (n < 0) {
        double power = 0;
        const char *wrong = float_pow((double)base, (double)n, &power);

        *out = const_float(power);
        return wrong;
    }
    if (base >= -1 && base <= 1)
        n = base == 0 ? n != 0 : base == 1 ? 0 : n % 2;
    for (__int128 i = 0; i < n; i++) {
        if (__builtin_mul_overflow(r, base, &r))
            return too_large;
    }
    *out = const_int(r);
    return NULL;
}

static const char *int_binary(BinaryOp op, __int128 a, __int128 b, Const *out)
{
    __int128 r = 0;
    const char *wrong = NULL;
    bool overflow = false;

    if ((op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD) && b == 0)
        return "division by zero";
    switch (op) {
    case BIN_ADD:
        overflow = __builtin_add_overflow(a, b, &r);
        break;
    case BIN_SUB:
        overflow = __builtin_sub_overflow(a, b, &r);
        break;
    case BIN_MUL:
        overflow = __builtin_mul_overflow(a, b, &r);
        break;
    case BIN_DIV:
        *out = const_float((double)a / (double)b);
        return NULL;
    case BIN_FLOORDIV:
        overflow = b == -1 && a == int_min;
        r = overflow ? 0 : floor_div(a, b);
        break;
    case BIN_MOD:
        r = b == -1 ? 0 : a - floor_div(a, b) * b;
        break;
    case BIN_POW:
        return int_pow(a, b, out);
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
        wrong = shift_left(a, b, &r);
        break;
    case BIN_SHR:
        wrong = shift_right(a, b, &r);
        break;
    case BIN_MATMUL:
        return "`@` is not supported on numbers";
    }
    *out = const_int(r);
    return overflow ? too_large : wrong;
}

bool float_basic(BinaryOp op, double a, double b, double *out)
{
    switch (op) {
    case BIN_ADD:
        *out = a + b;
        return true;
    case BIN_SUB:
        *out = a - b;
        return true;
    case BIN_MUL:
        *out = a * b;
        return true;
    case BIN_DIV:
        *out = a / b;
        return true;
    default:
        return false;
    }
}

static const char *float_binary(BinaryOp op, double a, double b, Const *out)
{
    const char *wrong = NULL;
    double r = 0;

    if ((op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD) && b == 0)
        return "division by zero";
    switch (op) {
    case BIN_FLOORDIV:
        r = python_divmod(a, b, &(double){0});
        break;
    case BIN_MOD:
        python_divmod(a, b, &r);
        break;
    case BIN_POW:
        wrong = float_pow(a, b, &r);
        break;
    default:
        if (!float_basic(op, a, b, &r))
            return "floats have no such operator";
    }
    *out = const_float(r);
    return wrong;
}

static const char *string_concat(Arena *arena, const Const *x, const Const *y, Const *out)
{
    size_t n = x->ntext + y->ntext;

    if (n > CONST_MAX_STRING)
        return "the string is too long";
    char *s = arena_alloc(arena, n + 1);
    memcpy(s, x->text, x->ntext);
    memcpy(s + x->ntext, y->text, y->ntext);
    *out = const_string(s, n);
    return NULL;
}

static const char *string_repeat(Arena *arena, const Const *x, __int128 times, Const *out)
{
    if (times <= 0 || x->ntext == 0) {
        *out = const_string("", 0);
        return NULL;
    }
    if (times > CONST_MAX_STRING / (__int128)x->ntext)
        return "the string is too long";
    size_t n = x->ntext * (size_t)times;
    char *s = arena_alloc(arena, n + 1);
    for (size_t i = 0; i < n; i += x->ntext)
        memcpy(s + i, x->text, x->ntext);
    s[n] = '\0';
    *out = const_string(s, n);
    return NULL;
}

/* --- sequences --- */

/* One of the kind that x has. */
static Const sequence_like(Arena *arena, const Const *x, const Const *items, int n)
{
    return x->kind == CONST_LIST ? const_new_list(arena, items, n) : const_tuple(items, n);
}

static const char *concat(Arena *arena, const Const *x, const Const *y, Const *out)
{
    const Const *a, *b;
    Const *all;
    int n, m;

    const_items(x, &a, &n);
    const_items(y, &b, &m);
    if (n + m > CONST_MAX_TUPLE)
        return "the tuple would be too long";
    all = NEW_N(arena, Const, n + m + 1);
    if (n > 0)
        memcpy(all, a, sizeof(Const) * (size_t)n);
    if (m > 0)
        memcpy(all + n, b, sizeof(Const) * (size_t)m);
    *out = sequence_like(arena, x, all, n + m);
    return NULL;
}

static const char *repeat(Arena *arena, const Const *x, __int128 times, Const *out)
{
    const Const *items;
    Const *all;
    int n;

    const_items(x, &items, &n);
    if (times > 0 && n > 0 && times > CONST_MAX_TUPLE / n)
        return "the tuple would be too long";
    times = times < 0 || n == 0 ? 0 : times;
    all = NEW_N(arena, Const, n * (int)times + 1);
    for (int i = 0; i < n * (int)times; i++)
        all[i] = items[i % n];
    *out = sequence_like(arena, x, all, n * (int)times);
    return NULL;
}

/* --- all --- */

static bool is_sequence(const Const *c)
{
    return c->kind == CONST_TUPLE || c->kind == CONST_LIST;
}

static const char *multiply_consts(Arena *arena, const Const *x, __int128 times, Const *out)
{
    return x->kind == CONST_STRING ? string_repeat(arena, x, times, out)
                                   : repeat(arena, x, times, out);
}

/* --- symbols --- */

bool const_symbol_value(const Const *c, SymbolValue *out)
{
    if (!const_is_number(c) || c->is_scalar)
        return false;
    if (c->kind == CONST_FLOAT) {
        *out = (SymbolValue){.kind = SYMBOL_IS_FLOAT, .real = c->real};
        return true;
    }
    *out = (SymbolValue){.kind = c->kind == CONST_BOOL ? SYMBOL_IS_BOOL : SYMBOL_IS_INT};
    out->integer = (int64_t)c->integer;
    return out->integer == c->integer;
}

/* A number that has no symbol of its own is itself one. */
static const Symbol *symbol_of(Arena *arena, const Const *c)
{
    SymbolValue v;

    if (!const_symbol_value(c, &v))
        return NULL;
    bool known = c->symbol && symbol_value_equal(c->symbol->value, v);
    return known ? c->symbol : symbol_of_number(arena, v);
}

void const_name(Arena *arena, SymbolCode op, const Const *x, const Const *y, Const *out)
{
    SymbolValue v;

    if ((!x->symbol && (!y || !y->symbol)) || !const_symbol_value(out, &v))
        return;
    const Symbol *s = symbol_apply(arena, op, symbol_of(arena, x), y ? symbol_of(arena, y) : NULL);
    if (s && symbol_value_equal(s->value, v))
        out->symbol = s;
}

static const char *binary(Arena *arena, BinaryOp op, const Const *x, const Const *y, Const *out)
{
    bool logical = op == BIN_AND || op == BIN_OR || op == BIN_XOR;

    if ((x->is_scalar || y->is_scalar) && const_is_number(x) && const_is_number(y))
        return scalar_binary(op, x, y, out);
    if (const_is_integral(x) && const_is_integral(y)) {
        const char *wrong = int_binary(op, x->integer, y->integer, out);
        if (logical && x->kind == CONST_BOOL && y->kind == CONST_BOOL)
            out->kind = CONST_BOOL;
        return wrong;
    }
    if (const_is_number(x) && const_is_number(y))
        return float_binary(op, const_to_double(x), const_to_double(y), out);
    if (op == BIN_ADD && x->kind == CONST_STRING && y->kind == CONST_STRING)
        return string_concat(arena, x, y, out);
    if (op == BIN_ADD && is_sequence(x) && x->kind == y->kind)
        return concat(arena, x, y, out);
    if (op == BIN_MUL && (x->kind == CONST_STRING || is_sequence(x)) && const_is_integral(y))
        return multiply_consts(arena, x, y->integer, out);
    if (op == BIN_MUL && (y->kind == CONST_STRING || is_sequence(y)) && const_is_integral(x))
        return multiply_consts(arena, y, x->integer, out);
    return "unsupported operand types";
}

const char *const_binary(Arena *arena, BinaryOp op, const Const *x, const Const *y, Const *out)
{
    static const SymbolCode codes[] = {
        [BIN_ADD] = SYMBOL_add, [BIN_SUB] = SYMBOL_sub,           [BIN_MUL] = SYMBOL_mul,
        [BIN_DIV] = SYMBOL_div, [BIN_FLOORDIV] = SYMBOL_floordiv, [BIN_MOD] = SYMBOL_rem,
        [BIN_POW] = SYMBOL_pow, [BIN_AND] = SYMBOL_and,           [BIN_OR] = SYMBOL_or,
        [BIN_XOR] = SYMBOL_xor, [BIN_SHL] = SYMBOL_shl,           [BIN_SHR] = SYMBOL_shr,
    };
    const char *wrong = binary(arena, op, x, y, out);

    if (!wrong && (x->symbol || y->symbol) && op < COUNT(codes))
        const_name(arena, codes[op], x, y, out);
    return wrong;
}

static const char *unary(UnaryOp op, const Const *x, Const *out)
{
    if (op == UN_NOT) {
        *out = const_bool(!const_truth(x));
        return NULL;
    }
    if (!const_is_number(x))
        return "bad operand type";
    if (x->is_scalar)
        return scalar_unary(op, x, out);
    if (op == UN_MINUS && x->kind == CONST_INT && x->integer == int_min)
        return too_large;
    if (op == UN_INVERT && x->kind == CONST_FLOAT)
        return "floats have no `~`";
    if (x->kind == CONST_FLOAT)
        *out = const_float(op == UN_MINUS ? -x->real : x->real);
    else
        *out = const_int(op == UN_MINUS ? -x->integer : op == UN_INVERT ? ~x->integer : x->integer);
    return NULL;
}

const char *const_unary(Arena *arena, UnaryOp op, const Const *x, Const *out)
{
    const char *wrong = unary(op, x, out);

    if (wrong || !x->symbol)
        return wrong;
    if (op == UN_MINUS || op == UN_INVERT)
        const_name(arena, op == UN_MINUS ? SYMBOL_neg : SYMBOL_invert, x, NULL, out);
    else if (op == UN_PLUS)
        out->symbol = x->symbol;
    return NULL;
}
