/*
 * items.c - what holds elements: displays, subscripts and slices, comprehensions, unpacking
 */
#include <string.h>

#include "messages.h"
#include "python.h"

/* --- iterating --- */

/* The letters of a text, the keys of a dict. */
static const Const *letters(Py *p, const Const *c, int *n)
{
    Const *all = NEW_N(p->arena, Const, c->ntext + 1);

    *n = 0;
    for (size_t i = 0; i < c->ntext;) {
        size_t length = 1; /* a letter goes on with what begins with the bits 10 */

        while (i + length < c->ntext && ((unsigned char)c->text[i + length] & 0xc0) == 0x80)
            length++;
        all[(*n)++] = const_string(arena_strndup(p->arena, c->text + i, length), length);
        i += length;
    }
    return all;
}

static const Const *keys(Py *p, const ConstList *dict, int *n)
{
    Const *all = NEW_N(p->arena, Const, dict->len / 2 + 1);

    *n = dict->len / 2;
    for (int i = 0; i < *n; i++)
        all[i] = dict->at[2 * i];
    return all;
}

bool py_iterate(Py *p, const Const *c, Span at, const Const **items, int *n)
{
    if (c->kind == CONST_STRING && py_spend(p, (long)c->ntext, at))
        *items = letters(p, c, n);
    else if (c->kind == CONST_DICT && py_spend(p, c->list->len, at))
        *items = keys(p, c->list, n);
    else if (!const_items(c, items, n))
        return py_fail(p, at, PY_E_ITERABLE, const_brief(c, p->arena));
    return true;
}

/* --- displays --- */

static bool push_element(Py *p, ConstList *list, const Const *c, Span at)
{
    vec_push(p->arena, list, *c);
    if (list->len > CONST_MAX_TUPLE)
        return py_fail(p, at, PY_E_LONG);
    return py_spend(p, 1, at);
}

static bool push_starred(Py *p, ConstList *list, const Node *n)
{
    const Const *items;
    Const c;
    int count;

    if (!py_eval(p, n->left, &c))
        return false;
    if (c.kind == CONST_UNKNOWN) /* it stands for all of its elements */
        return push_element(p, list, &c, n->span);
    if (!py_iterate(p, &c, n->span, &items, &count))
        return false;
    for (int i = 0; i < count; i++) {
        if (!push_element(p, list, &items[i], n->span))
            return false;
    }
    return true;
}

bool py_display(Py *p, const Node *n, Const *out)
{
    ConstList list = {0};
    Const c;

    for (int i = 0; i < n->nitems; i++) {
        const Node *item = n->items[i];

        if (item->kind == N_STARRED
                ? !push_starred(p, &list, item)
                : !py_eval(p, item, &c) || !push_element(p, &list, &c, item->span))
            return false;
    }
    *out = n->kind == N_LIST ? const_new_list(p->arena, list.at, list.len)
                             : const_tuple(list.at, list.len);
    return true;
}

void py_put_entries(ConstList *to, const Const *dict)
{
    if (dict->kind != CONST_DICT)
        const_dict_put(to, dict, dict);
    for (int i = 0; dict->kind == CONST_DICT && i < dict->list->len; i += 2)
        const_dict_put(to, &dict->list->at[i], &dict->list->at[i + 1]);
}

bool py_spread_dict(Py *p, ConstList *to, const Node *n)
{
    Const c;

    if (!py_eval(p, n->left, &c))
        return false;
    if (c.kind != CONST_UNKNOWN && c.kind != CONST_DICT)
        return py_fail(p, n->span, PY_E_ITERABLE, const_brief(&c, p->arena));
    py_put_entries(to, &c);
    return py_spend(p, 1, n->span);
}

bool py_dict_display(Py *p, const Node *n, Const *out)
{
    Const key, value;

    *out = const_new_dict(p->arena);
    for (int i = 0; i + 1 < n->nitems; i += 2) {
        const Node *k = n->items[i], *v = n->items[i + 1];

        if (v ? !py_eval(p, k, &key) || !py_eval(p, v, &value) : !py_spread_dict(p, out->list, k))
            return false;
        if (v)
            const_dict_put(out->list, &key, &value);
    }
    return true;
}

/* --- subscripts --- */

static bool slice_bound(Py *p, const Const *c, Span at, __int128 fallback, __int128 *out)
{
    *out = c->kind == CONST_NONE ? fallback : c->integer;
    return c->kind == CONST_NONE || const_is_integral(c) ||
           py_fail(p, at, PY_E_INDEX, const_brief(c, p->arena));
}

static __int128 clamp(__int128 i, int n, __int128 low, __int128 high)
{
    i = i < 0 ? i + n : i;
    return i < low ? low : i > high ? high : i;
}

/* The elements of a sequence of n that a slice takes: from, from + step, ... */
static bool slice_range(Py *p, const Const *slice, int n, Span at, __int128 *from, __int128 *step,
                        int *count)
{
    __int128 to, distance;

    if (!slice_bound(p, &slice->items[2], at, 1, step))
        return false;
    if (*step == 0)
        return py_fail(p, at, PY_E_STEP);
    bool down = *step < 0;
    if (!slice_bound(p, &slice->items[0], at, down ? n - 1 : 0, from) ||
        !slice_bound(p, &slice->items[1], at, down ? -(__int128)n - 1 : n, &to))
        return false;
    *from = clamp(*from, n, down ? -1 : 0, down ? n - 1 : n);
    to = clamp(to, n, down ? -1 : 0, down ? n - 1 : n);
    distance = down ? *from - to : to - *from;
    *step = *step > n ? n + 1 : *step < -n ? -n - 1 : *step; /* no sequence is as long */
    *count = distance > 0 ? (int)((distance - 1) / (down ? -*step : *step)) + 1 : 0;
    return true;
}

static bool index_items(Py *p, const Const *self, const Const *index, Span at, Const *out)
{
    const Const *items;
    __int128 from, step;
    int n, count = 0;

    if (self->kind == CONST_STRING)
        items = letters(p, self, &n);
    else
        const_items(self, &items, &n);
    if (index->kind != CONST_SLICE) {
        from = index->integer + (index->integer < 0 ? n : 0);
        if (!const_is_integral(index))
            return py_fail(p, at, PY_E_INDEX, const_brief(index, p->arena));
        if (from < 0 || from >= n)
            return py_fail(p, at, PY_E_RANGE, n);
        *out = items[(int)from];
        return true;
    }
    if (!slice_range(p, index, n, at, &from, &step, &count))
        return false;
    Const *taken = NEW_N(p->arena, Const, count + 1);
    for (int i = 0; i < count; i++)
        taken[i] = items[(int)(from + i * step)];
    *out = self->kind == CONST_LIST ? const_new_list(p->arena, taken, count)
                                    : const_tuple(taken, count);
    return py_spend(p, count, at);
}

/* A slice of a text is a text again. */
static Const join_items(Py *p, const Const *letter, int n)
{
    Text t = text_new(p->arena);

    text_put(&t, "");
    for (int i = 0; i < n; i++)
        text_putn(&t, letter[i].text, letter[i].ntext);
    return const_string(t.s, t.len);
}

static bool refuse_index(Py *p, Span at, const Const *self)
{
    py_report(p, at, PY_E_INDEXABLE, const_brief(self, p->arena));
    if (self->kind == CONST_FUNCTION || (self->kind == CONST_OBJECT && self->class->call))
        py_hint(p, PY_H_CALLED);
    return false;
}

/* `self[index]`; several indices are a tuple, slices CONST_SLICE. */
static bool item_at(Py *p, const Const *self, const Const *index, Span at, Const *out)
{
    const Const *found;
    bool is_text = self->kind == CONST_STRING;

    if (self->kind == CONST_OBJECT && self->class->subscript)
        return self->class->subscript(p, self, index, at, out);
    if (is_text && !py_spend(p, (long)self->ntext, at))
        return false;
    if (is_text || self->kind == CONST_TUPLE || self->kind == CONST_LIST) {
        bool known = index_items(p, self, index, at, out);

        if (known && is_text && out->kind == CONST_TUPLE)
            *out = join_items(p, out->items, out->nitems);
        return known;
    }
    if (self->kind != CONST_DICT)
        return refuse_index(p, at, self);
    found = const_lookup(self->list, index);
    if (!found)
        return py_fail(p, at, PY_E_KEY, const_brief(index, p->arena));
    *out = *found;
    return found->kind != CONST_UNKNOWN || py_fail_unknown(p, found, at);
}

static bool eval_index(Py *p, const Node *n, Const *out);

static bool eval_slice(Py *p, const Node *n, Const *out)
{
    const Node *parts[] = {n->left, n->right, n->extra};
    Const *items = NEW_N(p->arena, Const, 3);

    for (int i = 0; i < 3; i++) {
        if (parts[i] && !py_eval(p, parts[i], &items[i]))
            return false;
    }
    *out = (Const){.kind = CONST_SLICE, .items = items, .nitems = 3};
    return true;
}

/* Several are a tuple, whose elements may be slices. */
static bool eval_indices(Py *p, const Node *n, Const *out)
{
    Const *items = NEW_N(p->arena, Const, n->nitems + 1);

    for (int i = 0; i < n->nitems; i++) {
        if (!eval_index(p, n->items[i], &items[i]))
            return false;
    }
    *out = const_tuple(items, n->nitems);
    return true;
}

static bool eval_index(Py *p, const Node *n, Const *out)
{
    if (n->kind == N_SLICE)
        return eval_slice(p, n, out);
    return n->kind == N_TUPLE ? eval_indices(p, n, out) : py_eval(p, n, out);
}

bool py_subscript(Py *p, const Node *n, Const *out)
{
    Const self, index;

    if (!py_eval(p, n->left, &self) || !eval_index(p, n->right, &index))
        return false;
    if (self.kind == CONST_UNKNOWN || index.kind == CONST_UNKNOWN)
        return py_fail_unknown(p, self.kind == CONST_UNKNOWN ? &self : &index, n->span);
    return item_at(p, &self, &index, n->span, out);
}

/* --- assignment --- */

bool py_may_change(Py *p, const Const *c, Span at)
{
    return c->list->arena == p->arena || py_fail(p, at, PY_E_FROZEN, const_brief(c, p->arena));
}

static int find_star(const Node *target)
{
    for (int i = 0; i < target->nitems; i++) {
        if (target->items[i]->kind == N_STARRED)
            return i;
    }
    return -1;
}

static bool unpack(Py *p, const Node *target, const Const *value)
{
    int star = find_star(target), names = target->nitems, n, rest;
    const Const *items;

    if (!py_iterate(p, value, target->span, &items, &n))
        return false;
    if (star < 0 ? n != names : n < names - 1)
        return py_fail(p, target->span, PY_E_UNPACK, n, names);
    rest = n - names + 1; /* what the starred name takes */
    for (int i = 0; i < names; i++) {
        Const some = i == star ? const_new_list(p->arena, items + i, rest) : const_none();
        const Node *to = i == star ? target->items[i]->left : target->items[i];

        if (!py_assign(p, to, i == star ? &some : &items[star >= 0 && i > star ? i + rest - 1 : i]))
            return false;
    }
    return true;
}

static bool assign_item(Py *p, const Node *target, const Const *value)
{
    Const self, index;

    if (!py_eval(p, target->left, &self) || !py_eval(p, target->right, &index))
        return false;
    if (self.kind != CONST_LIST && self.kind != CONST_DICT)
        return py_fail(p, target->span, PY_E_TARGET);
    if (!py_may_change(p, &self, target->span))
        return false;
    if (self.kind == CONST_DICT) {
        const_dict_put(self.list, &index, value);
        return py_spend(p, 1, target->span);
    }
    if (!const_is_integral(&index))
        return py_fail(p, target->span, PY_E_INDEX, const_brief(&index, p->arena));
    __int128 i = index.integer + (index.integer < 0 ? self.list->len : 0);
    if (i < 0 || i >= self.list->len)
        return py_fail(p, target->span, PY_E_RANGE, self.list->len);
    self.list->at[(int)i] = *value;
    return true;
}

bool py_assign(Py *p, const Node *target, const Const *value)
{
    switch (target->kind) {
    case N_NAME:
        py_bind_variable(p, target->name, value);
        return true;
    case N_TUPLE:
    case N_LIST:
        return unpack(p, target, value);
    case N_SUBSCRIPT:
        return assign_item(p, target, value);
    default:
        return py_fail(p, target->span, PY_E_TARGET);
    }
}

/* --- comprehensions --- */

enum { MAX_GENERATORS = 16 };

typedef struct {
    const Node *generators[MAX_GENERATORS]; /* each an N_COMPREHENSION */
    int n;
    const Node *element;
    ConstList out;
    Const
        guessed; /* a generator without a value: one round with unknown variables stands for all */
} Loops;

/* The element of what has no value. */
static bool assign_unknown(Py *p, const Node *target, const Const *list)
{
    Const unknown = {.kind = CONST_UNKNOWN, .node = target, .trouble = list->trouble};

    if (target->kind == N_NAME)
        py_bind_variable(p, target->name, &unknown);
    for (int i = 0; target->kind == N_TUPLE && i < target->nitems; i++)
        assign_unknown(p, target->items[i], list);
    return target->kind == N_NAME || target->kind == N_TUPLE;
}

/* Do all conditions of a generator hold? */
static bool conditions_hold(Py *p, const Node *g, bool *hold)
{
    Const c;

    *hold = true;
    for (int i = 0; i < g->nitems && *hold; i++) {
        bool known = py_eval(p, g->items[i], &c) && py_truth(p, &c, g->items[i]->span, hold);

        if (!py_keeps(p, known, hold))
            return false;
    }
    return true;
}

static bool run_loops(Py *p, Loops *loops, int level)
{
    const Const *items = NULL;
    int n = 1;
    bool hold;
    Const c;

    if (level >= loops->n)
        return py_eval(p, loops->element, &c) &&
               push_element(p, &loops->out, &c, loops->element->span);
    const Node *g = loops->generators[level];
    if (!py_eval(p, g->extra, &c))
        return false;
    bool known = c.kind != CONST_UNKNOWN;
    if (!known)
        loops->guessed = c;
    if (known && !py_iterate(p, &c, g->extra->span, &items, &n))
        return false;
    for (int i = 0; i < n; i++) {
        if (!(known ? py_assign(p, g->right, &items[i]) : assign_unknown(p, g->right, &c)) ||
            !py_spend(p, 1, g->span) || !conditions_hold(p, g, &hold))
            return false;
        if (hold && !run_loops(p, loops, level + 1))
            return false;
    }
    return true;
}

enum { MOST_LEVELS = 4 };

/* Is anything known of it?  Of dicts, only values count. */
static bool says_something(const Const *c, int levels)
{
    const Const *items;
    int n, step = c->kind == CONST_DICT ? 2 : 1;

    if (c->kind == CONST_UNKNOWN || levels == 0)
        return false;
    if (c->kind == CONST_DICT) {
        items = c->list->at;
        n = c->list->len;
    } else if (!const_items(c, &items, &n)) {
        return true;
    }
    for (int i = step - 1; i < n; i += step) {
        if (says_something(&items[i], levels - 1))
            return true;
    }
    return false;
}

static bool any_says_something(const ConstList *list)
{
    for (int i = 0; i < list->len; i++) {
        if (says_something(&list->at[i], MOST_LEVELS))
            return true;
    }
    return false;
}

bool py_comprehension(Py *p, const Node *n, Const *out)
{
    Loops loops = {.element = n->left};
    PyFrame *outer = p->frame, *block = NEW(p->arena, PyFrame);
    bool good;

    loops.n = n->kind == N_COMPREHENSION ? 1 : n->nitems;
    if (loops.n >= MAX_GENERATORS)
        return py_fail(p, n->span, PY_E_EXPRESSION);
    for (int i = 0; i < loops.n; i++)
        loops.generators[i] = n->kind == N_COMPREHENSION ? n : n->items[i];
    *block = *outer;
    memset(&block->variables, 0, sizeof block->variables);
    block->outer = outer;
    block->is_block = true;
    p->frame = block;
    good = run_loops(p, &loops, 0);
    p->frame = outer;
    if (loops.guessed.kind == CONST_UNKNOWN && good && !any_says_something(&loops.out))
        return py_fail_unknown(p, &loops.guessed, n->span);
    *out = const_new_list(p->arena, loops.out.at, loops.out.len);
    return good;
}
