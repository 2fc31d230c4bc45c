/*
 * functions.c - Python's functions of any values: sequences, truth, text, attributes
 */
#include <string.h>

#include "functions.h"
#include "messages.h"

static bool push_item(Py *p, ConstList *list, Const c)
{
    vec_push(p->arena, list, c);
    return list->len <= CONST_MAX_TUPLE ? py_spend(p, 1, p->at) : py_fail(p, p->at, PY_E_LONG);
}

static Const pair(Py *p, Const x, Const y)
{
    Const *both = NEW_N(p->arena, Const, 2);

    both[0] = x;
    both[1] = y;
    return const_tuple(both, 2);
}

/* --- conversions --- */

bool py_bool(Py *p, const Const *args, int n, Const *out)
{
    bool truth = false;

    if (n > 0 && !py_truth(p, &args[0], p->at, &truth))
        return false;
    *out = const_bool(truth);
    return true;
}

bool py_str(Py *p, const Const *args, int n, Const *out)
{
    const char *s = n > 0 ? const_str(&args[0], p->arena) : "";

    *out = const_string(s, n > 0 && args[0].kind == CONST_STRING ? args[0].ntext : strlen(s));
    return true;
}

bool py_list(Py *p, const Const *args, int n, Const *out)
{
    const Const *items = NULL;
    int count = 0;

    if (n > 0 && !py_iterate(p, &args[0], p->at, &items, &count))
        return false;
    *out = const_new_list(p->arena, items, count);
    return py_spend(p, count, p->at);
}

bool py_tuple(Py *p, const Const *args, int n, Const *out)
{
    if (!py_list(p, args, n, out))
        return false;
    *out = const_tuple(out->list->at, out->list->len);
    return true;
}

/* args[0] is a dict to begin with, if anything; args[1] has the keywords. */
bool py_dict(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = const_new_dict(p->arena);
    if (args[0].kind != CONST_UNKNOWN && args[0].kind != CONST_DICT && args[0].kind != CONST_NONE)
        return false;
    for (int k = 0; k < 2; k++) {
        if (args[k].kind != CONST_NONE)
            py_put_entries(out->list, &args[k]);
    }
    return true;
}

bool py_len(Py *p, const Const *args, int n, Const *out)
{
    const Const *items;
    int count;

    (void)n;
    if (args[0].kind == CONST_OBJECT)
        return py_fail(p, p->at, PY_E_LENGTH);
    if (args[0].kind != CONST_DICT && args[0].kind != CONST_STRING &&
        !const_items(&args[0], &items, &count))
        return false;
    if (!py_iterate(p, &args[0], p->at, &items, &count))
        return false;
    *out = const_int(count);
    return true;
}

/* --- attributes and classes --- */

bool py_getattr(Py *p, const Const *args, int n, Const *out)
{
    if (args[1].kind != CONST_STRING)
        return false;
    if (n < 3 || py_has_attribute(p, &args[0], args[1].text, p->at))
        return py_attribute(p, &args[0], args[1].text, p->at, out);
    *out = args[2];
    return true;
}

bool py_hasattr(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = const_bool(args[1].kind == CONST_STRING &&
                      py_has_attribute(p, &args[0], args[1].text, p->at));
    return args[1].kind == CONST_STRING;
}

static bool is_of_builtin(const Const *c, const char *class)
{
    if (c->is_scalar) /* of NumPy's only one is also a number of Python's */
        return c->dtype == DT_FP64 && strcmp(class, "float") == 0;
    if (strcmp(class, "int") == 0)
        return const_is_integral(c);
    if (strcmp(class, "float") == 0)
        return c->kind == CONST_FLOAT;
    if (strcmp(class, "bool") == 0)
        return c->kind == CONST_BOOL;
    if (strcmp(class, "str") == 0)
        return c->kind == CONST_STRING;
    if (strcmp(class, "tuple") == 0)
        return c->kind == CONST_TUPLE;
    if (strcmp(class, "list") == 0)
        return c->kind == CONST_LIST;
    return strcmp(class, "dict") == 0 && c->kind == CONST_DICT;
}

/* isinstance(value, class); a tuple of classes is any of them. */
static bool is_instance(Py *p, const Const *value, const Const *class, Span at, bool *out)
{
    const Const *classes;
    int n;

    *out = false;
    if (const_items(class, &classes, &n)) {
        for (int i = 0; i < n && !*out; i++) {
            if (!is_instance(p, value, &classes[i], at, out))
                return false;
        }
        return true;
    }
    if (class->kind == CONST_OBJECT && class->class->is_instance)
        return class->class->is_instance(p, value, class, at, out);
    if (class->kind != CONST_FUNCTION || !class->function->builtin)
        return false;
    *out = is_of_builtin(value, class->function->builtin->name);
    return true;
}

bool py_isinstance(Py *p, const Const *args, int n, Const *out)
{
    bool is;

    (void)n;
    if (!is_instance(p, &args[0], &args[1], p->at, &is))
        return false;
    *out = const_bool(is);
    return true;
}

/* --- sequences --- */

bool py_range(Py *p, const Const *args, int n, Const *out)
{
    __int128 bounds[3] = {0, 0, 1};
    ConstList list = {0};

    for (int i = 0; i < n; i++) {
        if (!const_is_integral(&args[i]))
            return false;
        bounds[n == 1 ? 1 : i] = args[i].integer;
    }
    if (bounds[2] == 0)
        return py_fail(p, p->at, PY_E_STEP);
    for (__int128 i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
        if (!push_item(p, &list, const_int(i)))
            return false;
        if (__builtin_add_overflow(i, bounds[2], &i))
            break;
    }
    *out = const_tuple(list.at, list.len);
    return true;
}

bool py_enumerate(Py *p, const Const *args, int n, Const *out)
{
    __int128 first = n > 1 ? args[1].integer : 0;
    const Const *items;
    ConstList list = {0};
    int count;

    if ((n > 1 && !const_is_integral(&args[1])) || !py_iterate(p, &args[0], p->at, &items, &count))
        return false;
    for (int i = 0; i < count; i++) {
        if (!push_item(p, &list, pair(p, const_int(first + i), items[i])))
            return false;
    }
    *out = const_tuple(list.at, list.len);
    return true;
}

typedef struct {
    const Const *items;
    int n;
} Column;

static Column *columns_of(Py *p, const Const *args, int n)
{
    Column *columns = NEW_N(p->arena, Column, n + 1);

    for (int i = 0; i < n; i++) {
        if (!py_iterate(p, &args[i], p->at, &columns[i].items, &columns[i].n))
            return NULL;
    }
    return columns;
}

/* As many as the shortest argument has elements. */
bool py_zip(Py *p, const Const *args, int n, Const *out)
{
    Column *columns = columns_of(p, args, n);
    int length = columns && n > 0 ? columns[0].n : 0;
    ConstList list = {0};

    for (int k = 1; columns && k < n; k++)
        length = MIN(length, columns[k].n);
    for (int i = 0; i < length; i++) {
        Const *row = NEW_N(p->arena, Const, n);

        for (int k = 0; k < n; k++)
            row[k] = columns[k].items[i];
        if (!push_item(p, &list, const_tuple(row, n)) || !py_spend(p, n, p->at))
            return false;
    }
    *out = const_tuple(list.at, list.len);
    return columns != NULL;
}

/* All tuples with one element of each argument, the last changing fastest. */
bool py_product(Py *p, const Const *args, int n, Const *out)
{
    Column *columns = columns_of(p, args, n);
    ConstList list = {0};
    long total = 1;

    for (int k = 0; columns && k < n; k++) {
        total *= columns[k].n;
        if (total > CONST_MAX_TUPLE)
            return py_fail(p, p->at, PY_E_LONG);
    }
    if (!columns || !py_spend(p, total * n, p->at))
        return false;
    for (long i = 0; i < total; i++) {
        Const *row = NEW_N(p->arena, Const, n + 1);
        long rest = i;

        for (int k = n - 1; k >= 0; rest /= columns[k--].n)
            row[k] = columns[k].items[rest % columns[k].n];
        vec_push(p->arena, &list, const_tuple(row, n));
    }
    *out = const_tuple(list.at, list.len);
    return true;
}

bool py_reversed(Py *p, const Const *args, int n, Const *out)
{
    const Const *items;
    ConstList list = {0};
    int count;

    (void)n;
    if (!py_iterate(p, &args[0], p->at, &items, &count))
        return false;
    for (int i = count - 1; i >= 0; i--) {
        if (!push_item(p, &list, items[i]))
            return false;
    }
    *out = const_tuple(list.at, list.len);
    return true;
}

/* Insertion keeps equal elements in their order; lists that stand in decorators are short, and the
 * budget counts the comparisons. */
bool py_sorted(Py *p, const Const *args, int n, Const *out)
{
    ConstList *list;
    bool less;

    if (!py_list(p, args, n, out))
        return false;
    list = out->list;
    for (int i = 1; i < list->len; i++) {
        Const c = list->at[i];
        int k = i;

        for (; k > 0; k--) {
            if (!py_spend(p, 1, p->at) || const_compare(CMP_LT, &c, &list->at[k - 1], &less))
                return false;
            if (!less)
                break;
            list->at[k] = list->at[k - 1];
        }
        list->at[k] = c;
    }
    return true;
}

/* --- by a function --- */

static bool call_on(Py *p, const Const *function, const Const *items, int n, Span at, Const *out)
{
    PyArgs args = {0};

    for (int i = 0; i < n; i++)
        vec_push(p->arena, &args, ((PyArg){.value = items[i]}));
    return py_call(p, function, &args, at, out) && py_spend(p, 1, at);
}

/* None for the function keeps what is true. */
bool py_filter(Py *p, const Const *args, int n, Const *out)
{
    const Span at = p->at;
    const Const *items;
    ConstList list = {0};
    int count;

    (void)n;
    if (!py_iterate(p, &args[1], at, &items, &count))
        return false;
    for (int i = 0; i < count; i++) {
        Const c = items[i];
        bool hold = false;
        bool known = (args[0].kind == CONST_NONE || call_on(p, &args[0], &c, 1, at, &c)) &&
                     py_truth(p, &c, at, &hold);

        if (!py_keeps(p, known, &hold) || (hold && !push_item(p, &list, items[i])))
            return false;
    }
    *out = const_tuple(list.at, list.len);
    return true;
}

/* map(function, values...): as many as the shortest has elements */
bool py_map(Py *p, const Const *args, int n, Const *out)
{
    const Span at = p->at;
    ConstList list = {0};
    Const rows, c;

    if (!py_zip(p, args + 1, n - 1, &rows))
        return false;
    for (int i = 0; i < rows.nitems; i++) {
        if (!call_on(p, &args[0], rows.items[i].items, n - 1, at, &c) || !push_item(p, &list, c))
            return false;
    }
    *out = const_tuple(list.at, list.len);
    return true;
}

/* --- of all elements --- */

static bool reduces(const Const *values)
{
    return values->kind == CONST_OBJECT && values->class->reduce;
}

static bool reduce(Py *p, const Const *values, const char *name, Const *out)
{
    return values->class->reduce(p, values, name, p->at, out);
}

/* The first that no other one is before, in an order; one argument is the list of them. */
static bool pick(Py *p, const Const *args, int n, CompareOp before, Const *out)
{
    const Const *items = args;
    const char *wrong;
    int count = n;
    bool better;

    if (n == 1 && reduces(args))
        return reduce(p, args, before == CMP_LT ? "min" : "max", out);
    if (n == 1 && !py_iterate(p, &args[0], p->at, &items, &count))
        return false;
    if (count == 0 || !py_spend(p, count, p->at))
        return false;
    *out = items[0];
    for (int i = 1; i < count; i++) {
        wrong = const_compare(before, &items[i], out, &better);
        if (wrong)
            return py_fail(p, p->at, PY_E_BINARY, wrong, const_brief(&items[i], p->arena),
                           const_brief(out, p->arena));
        const Const last = *out;
        if (better)
            *out = items[i];
        const_name(p->arena, before == CMP_LT ? SYMBOL_min : SYMBOL_max, &last, &items[i], out);
    }
    return true;
}

bool py_min(Py *p, const Const *args, int n, Const *out)
{
    return pick(p, args, n, CMP_LT, out);
}

bool py_max(Py *p, const Const *args, int n, Const *out)
{
    return pick(p, args, n, CMP_GT, out);
}

static bool fold(Py *p, BinaryOp op, const Const *values, Const start, Const *out)
{
    const Const *items;
    Const sum = start;
    int n;

    if (reduces(values))
        return reduce(p, values, op == BIN_ADD ? "sum" : "prod", &sum) &&
               py_binary(p, op, &start, &sum, p->at, out);
    if (!py_iterate(p, values, p->at, &items, &n))
        return false;
    for (int i = 0; i < n; i++) {
        if (!py_binary(p, op, &sum, &items[i], p->at, &sum) || !py_spend(p, 1, p->at))
            return false;
    }
    *out = sum;
    return true;
}

bool py_sum(Py *p, const Const *args, int n, Const *out)
{
    return fold(p, BIN_ADD, &args[0], n > 1 ? args[1] : const_int(0), out);
}

bool py_prod(Py *p, const Const *args, int n, Const *out)
{
    return fold(p, BIN_MUL, &args[0], n > 1 ? args[1] : const_int(1), out);
}

/* Is there one whose truth is `wanted`? */
static bool find_truth(Py *p, const Const *values, bool wanted, bool *found)
{
    const Const *items;
    bool truth;
    Const all;
    int n;

    if (reduces(values)) {
        if (!reduce(p, values, wanted ? "any" : "all", &all))
            return false;
        *found = (all.integer != 0) == wanted;
        return true;
    }
    *found = false;
    if (!py_iterate(p, values, p->at, &items, &n))
        return false;
    for (int i = 0; i < n && !*found; i++) {
        if (!py_truth(p, &items[i], p->at, &truth))
            return false;
        *found = truth == wanted;
    }
    return true;
}

bool py_any(Py *p, const Const *args, int n, Const *out)
{
    bool found;

    (void)n;
    if (!find_truth(p, &args[0], true, &found))
        return false;
    *out = const_bool(found);
    return true;
}

bool py_all(Py *p, const Const *args, int n, Const *out)
{
    bool found;

    (void)n;
    if (!find_truth(p, &args[0], false, &found))
        return false;
    *out = const_bool(!found);
    return true;
}
