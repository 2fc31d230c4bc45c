/*
 * value.c - compile-time values: making, asking, equality and order
 *
 * What values are equal and which goes first is Python's: 1 == 1.0 == True, ints of any size
 * compare exactly with floats, NaN is equal to nothing, sequences compare element by element.
 */
#include <math.h>
#include <string.h>

#include "python.h"

/* --- making and asking --- */

Const const_none(void)
{
    return (Const){.kind = CONST_NONE};
}

Const const_bool(bool b)
{
    return (Const){.kind = CONST_BOOL, .integer = b};
}

Const const_int(__int128 i)
{
    return (Const){.kind = CONST_INT, .integer = i};
}

Const const_float(double d)
{
    return (Const){.kind = CONST_FLOAT, .real = d};
}

Const const_string(const char *s, size_t n)
{
    return (Const){.kind = CONST_STRING, .text = s, .ntext = n};
}

Const const_dtype(DType t)
{
    return (Const){.kind = CONST_DTYPE, .dtype = t};
}

Const const_tuple(const Const *items, int n)
{
    return (Const){.kind = CONST_TUPLE, .items = items, .nitems = n};
}

int field_index(const Sym *fields, int n, const char *name)
{
    for (int i = 0; fields && i < n; i++) {
        if (strcmp(fields[i], name) == 0)
            return i;
    }
    return -1;
}

const Const *const_field(const Const *tuple, const char *name)
{
    int i = field_index(tuple->fields, tuple->nitems, name);

    return i < 0 ? NULL : &tuple->items[i];
}

Const const_new_list(Arena *a, const Const *items, int n)
{
    ConstList *list = NEW(a, ConstList);

    list->arena = a;
    for (int i = 0; i < n; i++)
        vec_push(a, list, items[i]);
    return (Const){.kind = CONST_LIST, .list = list};
}

Const const_new_dict(Arena *a)
{
    Const c = const_new_list(a, NULL, 0);

    c.kind = CONST_DICT;
    return c;
}

void const_dict_put(ConstList *dict, const Const *key, const Const *value)
{
    Const *there = (Const *)const_lookup(dict, key);

    if (there) {
        *there = *value;
        return;
    }
    vec_push(dict->arena, dict, *key);
    vec_push(dict->arena, dict, *value);
}

/* Lists may hold themselves, and tuples one part many times, at all levels: what walks through the
 * parts of a value stops here. */
enum { MOST_PARTS = 4 * CONST_MAX_TUPLE, MOST_LEVELS = 100 };

static bool freeze(Arena *a, const Const *c, int levels, long *left, Const *out)
{
    const Const *items;
    Const *frozen;
    int n;

    *out = *c;
    out->symbol = NULL; /* lives with the evaluation */
    if (!const_items(c, &items, &n))
        return c->kind <= CONST_DTYPE;
    *left -= n;
    if (*left < 0 || levels == 0)
        return false;
    frozen = NEW_N(a, Const, n + 1);
    *out = const_tuple(frozen, n);
    out->fields = c->kind == CONST_TUPLE ? c->fields : NULL;
    for (int i = 0; i < n; i++) {
        if (!freeze(a, &items[i], levels - 1, left, &frozen[i]))
            return false;
    }
    return true;
}

bool const_freeze(Arena *a, const Const *c, Const *out)
{
    long left = CONST_MAX_TUPLE;

    return freeze(a, c, MOST_LEVELS, &left, out);
}

bool const_is_integral(const Const *c)
{
    return c->kind == CONST_INT || c->kind == CONST_BOOL;
}

bool const_is_number(const Const *c)
{
    return const_is_integral(c) || c->kind == CONST_FLOAT;
}

double const_to_double(const Const *c)
{
    return c->kind == CONST_FLOAT ? c->real : (double)c->integer;
}

/* Python's bool(c). */
bool const_truth(const Const *c)
{
    switch (c->kind) {
    case CONST_NONE:
        return false;
    case CONST_BOOL:
    case CONST_INT:
        return c->integer != 0;
    case CONST_FLOAT:
        return c->real != 0;
    case CONST_STRING:
        return c->ntext != 0;
    case CONST_TUPLE:
        return c->nitems != 0;
    case CONST_LIST:
    case CONST_DICT:
        return c->list->len != 0;
    default:
        return true;
    }
}

bool const_items(const Const *c, const Const **items, int *n)
{
    *items = NULL;
    *n = 0;
    if (c->kind == CONST_LIST) {
        *items = c->list->at;
        *n = c->list->len;
    } else if (c->kind == CONST_TUPLE) {
        *items = c->items;
        *n = c->nitems;
    }
    return c->kind == CONST_LIST || c->kind == CONST_TUPLE;
}

const char *const_kind_name(const Const *c)
{
    static const char *const names[] = {
        "None",   "a bool", "an integer", "a float",    "a text",    "a dtype", "a tuple",
        "a list", "a dict", "a slice",    "a function", "an object", "unknown",
    };

    return c->kind == CONST_OBJECT ? c->class->name : names[c->kind];
}

/* --- equality and order --- */

static int sign_of(bool less, bool greater)
{
    return less ? -1 : greater;
}

/* Exactly, though a double holds no more than 53 bits of i.  d is no NaN. */
static int order_int_double(__int128 i, double d)
{
    __int128 whole;
    double rest;

    if (fabs(d) >= 0x1p127)
        return d > 0 ? -1 : 1;
    whole = (__int128)d;
    rest = d - (double)whole;
    return i != whole ? sign_of(i < whole, whole < i) : sign_of(0 < rest, rest < 0);
}

/* *nan: one is NaN, and then no order holds. */
static int order_numbers(const Const *x, const Const *y, bool *nan)
{
    *nan = (x->kind == CONST_FLOAT && isnan(x->real)) || (y->kind == CONST_FLOAT && isnan(y->real));
    if (*nan)
        return 0;
    if (x->kind == CONST_FLOAT && y->kind == CONST_FLOAT)
        return sign_of(x->real < y->real, y->real < x->real);
    if (x->kind == CONST_FLOAT)
        return -order_int_double(y->integer, x->real);
    if (y->kind == CONST_FLOAT)
        return order_int_double(x->integer, y->real);
    return sign_of(x->integer < y->integer, y->integer < x->integer);
}

/* How two values are compared: is True 1, and how much may still be looked at? */
typedef struct {
    bool bools_are_ints;
    long left;
    int levels;
} Comparison;

static bool equal(const Const *a, const Const *b, Comparison *how);

static bool equal_items(const Const *a, const Const *b, Comparison *how)
{
    const Const *x, *y;
    int n, m;

    const_items(a, &x, &n);
    const_items(b, &y, &m);
    for (int i = 0; i < n && n == m; i++) {
        if (!equal(&x[i], &y[i], how))
            return false;
    }
    return n == m;
}

static bool equal_dicts(const ConstList *a, const ConstList *b, Comparison *how)
{
    bool same = a->len == b->len;

    for (int i = 0; same && i < a->len; i += 2) {
        const Const *other = const_lookup(b, &a->at[i]);

        same = other && equal(&a->at[i + 1], other, how);
    }
    return same;
}

static bool equal_parts(const Const *a, const Const *b, Comparison *how)
{
    bool same;

    how->levels--;
    same = a->kind == CONST_DICT ? equal_dicts(a->list, b->list, how) : equal_items(a, b, how);
    how->levels++;
    return same;
}

/* What is too large or too deep to compare is not equal. */
static bool equal(const Const *a, const Const *b, Comparison *how)
{
    bool nan;

    if (--how->left < 0 || how->levels == 0)
        return false;
    if (!how->bools_are_ints && (a->kind == CONST_BOOL) != (b->kind == CONST_BOOL))
        return false;
    if (const_is_number(a) && const_is_number(b))
        return order_numbers(a, b, &nan) == 0 && !nan;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CONST_STRING:
        return a->ntext == b->ntext && memcmp(a->text, b->text, a->ntext) == 0;
    case CONST_DTYPE:
        return a->dtype == b->dtype;
    case CONST_TUPLE:
    case CONST_LIST:
    case CONST_DICT:
        return equal_parts(a, b, how);
    case CONST_FUNCTION:
        return py_function_equal(a->function, b->function);
    case CONST_OBJECT:
        return a->class == b->class &&
               (a->object == b->object || (a->class->equal && a->class->equal(a, b)));
    default:
        return a->kind == CONST_NONE;
    }
}

static bool are_equal(const Const *a, const Const *b, bool bools_are_ints)
{
    Comparison how = {bools_are_ints, MOST_PARTS, MOST_LEVELS};

    return equal(a, b, &how);
}

bool const_equal(const Const *a, const Const *b)
{
    return are_equal(a, b, false);
}

/* `is`, where equal constants are one. */
static bool is_same(const Const *a, const Const *b)
{
    if (a->kind == CONST_LIST || a->kind == CONST_DICT)
        return a->kind == b->kind && a->list == b->list;
    return a->kind == b->kind && are_equal(a, b, false);
}

const Const *const_lookup(const ConstList *dict, const Const *key)
{
    for (int i = 0; i + 1 < dict->len; i += 2) {
        if (are_equal(&dict->at[i], key, true))
            return &dict->at[i + 1];
    }
    return NULL;
}

static bool const_order(const Const *x, const Const *y, int levels, int *order, bool *nan);

/* The first elements that differ decide, then the lengths. */
static bool order_items(const Const *x, const Const *y, int levels, int *order, bool *nan)
{
    const Const *a, *b;
    int n, m;

    const_items(x, &a, &n);
    const_items(y, &b, &m);
    for (int i = 0; i < n && i < m; i++) {
        if (!are_equal(&a[i], &b[i], true))
            return const_order(&a[i], &b[i], levels - 1, order, nan);
    }
    *order = sign_of(n < m, m < n);
    return true;
}

/* Python's <=> for numbers, strings, tuples and lists.  False when Python has no order for the two;
 * *nan is set when one is NaN, and then no order holds. */
static bool const_order(const Const *x, const Const *y, int levels, int *order, bool *nan)
{
    *nan = false;
    if (const_is_number(x) && const_is_number(y)) {
        *order = order_numbers(x, y, nan);
        return true;
    }
    if (x->kind == CONST_STRING && y->kind == CONST_STRING) {
        int c = memcmp(x->text, y->text, MIN(x->ntext, y->ntext));
        *order = c ? c : sign_of(x->ntext < y->ntext, y->ntext < x->ntext);
        return true;
    }
    return x->kind == y->kind && (x->kind == CONST_TUPLE || x->kind == CONST_LIST) && levels > 0 &&
           order_items(x, y, levels, order, nan);
}

static bool text_contains(const Const *text, const Const *part)
{
    for (size_t i = 0; i + part->ntext <= text->ntext; i++) {
        if (memcmp(text->text + i, part->text, part->ntext) == 0)
            return true;
    }
    return false;
}

static const char *contains(const Const *y, const Const *x, bool *out)
{
    const Const *items;
    int n;

    *out = false;
    if (y->kind == CONST_DICT)
        *out = const_lookup(y->list, x) != NULL;
    else if (y->kind == CONST_STRING && x->kind == CONST_STRING)
        *out = text_contains(y, x);
    else if (!const_items(y, &items, &n))
        return "nothing can be `in` the right side";
    else
        for (int i = 0; i < n && !*out; i++)
            *out = are_equal(x, &items[i], true);
    return NULL;
}

static bool holds(CompareOp op, int order)
{
    switch (op) {
    case CMP_LT:
        return order < 0;
    case CMP_LE:
        return order <= 0;
    case CMP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static const char *compare_plain(CompareOp op, const Const *x, const Const *y, bool *out)
{
    const char *wrong = NULL;
    int order;
    bool nan;

    switch (op) {
    case CMP_EQ:
    case CMP_NE:
        *out = are_equal(x, y, true) == (op == CMP_EQ); /* True == 1 */
        return NULL;
    case CMP_IS:
    case CMP_IS_NOT:
        *out = is_same(x, y) == (op == CMP_IS);
        return NULL;
    case CMP_IN:
    case CMP_NOT_IN:
        wrong = contains(y, x, out);
        *out = *out == (op == CMP_IN);
        return wrong;
    default:
        if (!const_order(x, y, MOST_LEVELS, &order, &nan))
            return "these two have no order";
        *out = !nan && holds(op, order);
        return NULL;
    }
}

const char *const_compare(CompareOp op, const Const *x, const Const *y, bool *out)
{
    Const a, b;

    if ((x->is_scalar || y->is_scalar) && const_is_number(x) && const_is_number(y) &&
        op <= CMP_GE) {
        scalar_comparable(x, y, &a, &b);
        return compare_plain(op, &a, &b, out);
    }
    return compare_plain(op, x, y, out);
}
