/*
 * methods.c - methods of texts, sequences, dicts and dtypes
 */
#include <string.h>

#include "functions.h"
#include "messages.h"

/* --- texts --- */

static bool same_bytes(const Const *text, size_t from, const Const *part)
{
    return memcmp(text->text + from, part->text, part->ntext) == 0;
}

static bool has_at(const Const *args, bool end, Const *out)
{
    const Const *text = &args[0], *part = &args[1];

    if (part->kind != CONST_STRING)
        return false;
    *out = const_bool(part->ntext <= text->ntext &&
                      same_bytes(text, end ? text->ntext - part->ntext : 0, part));
    return true;
}

bool py_startswith(Py *p, const Const *args, int n, Const *out)
{
    (void)p, (void)n;
    return has_at(args, false, out);
}

bool py_endswith(Py *p, const Const *args, int n, Const *out)
{
    (void)p, (void)n;
    return has_at(args, true, out);
}

/* With the letters from `from` to `from` + 25 moved by `by`. */
static Const move_letters(Py *p, const Const *text, char from, int by)
{
    char *s = arena_strndup(p->arena, text->text, text->ntext);

    for (size_t i = 0; i < text->ntext; i++) {
        if (s[i] >= from && s[i] < from + 26)
            s[i] = (char)(s[i] + by);
    }
    return const_string(s, text->ntext);
}

bool py_upper(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = move_letters(p, &args[0], 'a', 'A' - 'a');
    return true;
}

bool py_lower(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = move_letters(p, &args[0], 'A', 'a' - 'A');
    return true;
}

bool py_strip(Py *p, const Const *args, int n, Const *out)
{
    static const char blanks[] = " \t\n\r\f\v";
    const char *from = args[0].text, *to = from + args[0].ntext;

    (void)p;
    (void)n;
    while (from < to && strchr(blanks, *from) && *from)
        from++;
    while (to > from && strchr(blanks, to[-1]) && to[-1])
        to--;
    *out = const_string(from, (size_t)(to - from));
    return true;
}

/* --- sequences --- */

static int next_equal(const Const *items, int n, int from, const Const *value)
{
    bool equal = false;

    while (from < n && !(const_compare(CMP_EQ, &items[from], value, &equal), equal))
        from++;
    return from;
}

bool py_count(Py *p, const Const *args, int n, Const *out)
{
    const Const *items;
    int length, count = 0;

    (void)p;
    (void)n;
    const_items(&args[0], &items, &length);
    for (int i = next_equal(items, length, 0, &args[1]); i < length; count++)
        i = next_equal(items, length, i + 1, &args[1]);
    *out = const_int(count);
    return true;
}

bool py_find_index(Py *p, const Const *args, int n, Const *out)
{
    const Const *items;
    int length, at;

    (void)p;
    (void)n;
    const_items(&args[0], &items, &length);
    at = next_equal(items, length, 0, &args[1]);
    *out = const_int(at);
    return at < length;
}

bool py_append(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    if (!py_may_change(p, &args[0], p->at))
        return false;
    vec_push(p->arena, args[0].list, args[1]);
    *out = const_none();
    return args[0].list->len <= CONST_MAX_TUPLE || py_fail(p, p->at, PY_E_LONG);
}

bool py_extend(Py *p, const Const *args, int n, Const *out)
{
    const Const *items;
    int count;

    (void)n;
    *out = const_none();
    if (!py_iterate(p, &args[1], p->at, &items, &count) || !py_spend(p, count, p->at))
        return false;
    if (!py_may_change(p, &args[0], p->at))
        return false;
    if (args[0].list->len + count > CONST_MAX_TUPLE)
        return py_fail(p, p->at, PY_E_LONG);
    for (int i = 0; i < count; i++) {
        const Const *from = args[1].kind == CONST_LIST ? args[1].list->at : items;

        vec_push(p->arena, args[0].list, from[i]);
    }
    return true;
}

/* --- dicts --- */

bool py_get(Py *p, const Const *args, int n, Const *out)
{
    const Const *found = const_lookup(args[0].list, &args[1]);

    *out = found ? *found : n > 2 ? args[2] : const_none();
    return out->kind != CONST_UNKNOWN || py_fail_unknown(p, out, p->at);
}

/* Every second element from `from` on, or pairs of both. */
static Const parts_of(Py *p, const ConstList *dict, int from, bool pairs)
{
    Const *all = NEW_N(p->arena, Const, dict->len / 2 + 1);

    for (int i = 0; i < dict->len / 2; i++)
        all[i] = pairs ? const_tuple(dict->at + 2 * i, 2) : dict->at[2 * i + from];
    return const_tuple(all, dict->len / 2);
}

bool py_dict_keys(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = parts_of(p, args[0].list, 0, false);
    return true;
}

bool py_dict_values(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = parts_of(p, args[0].list, 1, false);
    return true;
}

bool py_dict_items(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    *out = parts_of(p, args[0].list, 0, true);
    return true;
}

/* --- dtypes --- */

/* args[0]: the dtype and the name of the predicate. */
bool py_dtype_is(Py *p, const Const *args, int n, Const *out)
{
    bool is;

    (void)p;
    (void)n;
    if (!py_dtype_predicate(args[0].items[0].dtype, args[0].items[1].text, &is))
        return false;
    *out = const_bool(is);
    return true;
}
