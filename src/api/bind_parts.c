/*
 * bind_parts.c - arguments that hold several values: tuples and tensor descriptors (semantics R24)
 *
 * Each value becomes what it would become as a parameter without an annotation; the kernel gets its
 * run-time parts as parameters of their own, in order.  Everything made is in the arena of the
 * call.
 */
#include "bind.h"

/* What a part is called in messages; it has no annotation, so that nothing but R24 holds for it. */
static FrontParam part_param(Binder *b, const FrontParam *whole, const char *field, int i)
{
    FrontParam p = {.span = whole->span};

    p.name = field ? arena_printf(b->arena, "%s.%s", whole->name, field)
                   : arena_printf(b->arena, "%s[%d]", whole->name, i);
    return p;
}

/* Where there is none, that is said once, and not of each item. */
static bool has_room(const Binder *b)
{
    return b->nparts <= MAX_PARAMS;
}

/* Room in the Binding for `n` more parts; false, and said, when there is none. */
static bool take_room(Binder *b, const FrontParam *p, int n)
{
    b->nparts += MIN(n, MAX_PARAMS);
    if (has_room(b))
        return true;
    bind_refuse(b, TILEC_REFUSED, p->span,
                "with `%s` a launch has more than %d arguments; each value in a tuple is one",
                p->name, MAX_PARAMS);
    bind_hint(b,
              "a list or tuple is as many arguments as it has values: give an array, which is one");
    return false;
}

static FrontArg *new_parts(Binder *b, BindTo to, FrontForm form, int n)
{
    FrontArg *parts = NEW_N(b->arena, FrontArg, n + 1);

    to.arg->form = form;
    to.arg->parts = parts;
    to.arg->nparts = n;
    bind_key_parts(b->out, to.arg);
    return parts;
}

bool bind_tuple_value(Binder *b, BindTo to, const Const *c)
{
    if (!take_room(b, to.param, c->nitems))
        return false;
    FrontArg *parts = new_parts(b, to, FRONT_TUPLE, c->nitems);

    for (int i = 0; i < c->nitems && has_room(b); i++) {
        FrontParam p = part_param(b, to.param, c->fields ? c->fields[i] : NULL, i);

        parts[i].name = c->fields ? c->fields[i] : NULL;
        bind_key_name(b->out, parts[i].name);
        bind_value(b, (BindTo){&p, &parts[i]}, &c->items[i]);
    }
    return b->status == TILEC_OK;
}

/* Tuples in tuples: what a caller has put together may be a circle. */
static bool check_tuple(Binder *b, const FrontParam *p, const tilec_arg *a)
{
    if (a->nitems >= 0 && (a->nitems == 0 || a->items) && b->level < BIND_MOST_LEVELS)
        return take_room(b, p, a->nitems);
    return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                       "the tuple given for `%s` is wrong, or holds tuples more than %d deep",
                       p->name, BIND_MOST_LEVELS);
}

bool bind_tuple(Binder *b, BindTo to, const tilec_arg *a)
{
    if (!check_tuple(b, to.param, a))
        return false;
    FrontArg *parts = new_parts(b, to, FRONT_TUPLE, a->nitems);

    b->level++;
    for (int i = 0; i < a->nitems && has_room(b); i++) {
        FrontParam p = part_param(b, to.param, a->items[i].name, i);

        parts[i].name = a->items[i].name;
        bind_key_name(b->out, parts[i].name);
        bind_argument(b, (BindTo){&p, &parts[i]}, &a->items[i]);
    }
    b->level--;
    return b->status == TILEC_OK;
}

/* --- descriptors --- */

/* The extents of the tiles; false when they are none. */
static bool read_block(const tilec_arg *a, int32_t *block)
{
    int64_t elements = 1;

    if (a->nitems != a->tensor.ndim || a->nitems < 1 || a->nitems > MAX_RANK || !a->items)
        return false;
    for (int i = 0; i < a->nitems; i++) {
        const tilec_arg *n = &a->items[i];

        if (n->kind != TILEC_ARG_INT || n->integer < 1 || n->integer > MAX_TILE)
            return false;
        block[i] = (int32_t)n->integer;
        elements *= n->integer;
        if (elements > MAX_TILE)
            return false;
    }
    return true;
}

/* R240: what the kernel relies on. */
static const char *descriptor_problem(const tilec_arg *a)
{
    const tilec_tensor *t = &a->tensor;
    int last = t->ndim - 1;
    bool dense = !t->strides || t->strides[last] == 1;

    if (!dense)
        return "the last of its strides is not 1";
    if (a->integer != 0 && !dtype_is_float((DType)t->dtype))
        return "only floats can be padded with nan";
    return NULL;
}

static bool bind_extent(Binder *b, const FrontParam *p, FrontArg *part, int64_t n)
{
    const Const c = const_int(n);

    return bind_value(b, (BindTo){p, part}, &c);
}

bool bind_descriptor(Binder *b, BindTo to, const tilec_arg *a)
{
    const FrontParam *p = to.param;
    const tilec_tensor *t = &a->tensor;
    const char *problem;

    if (p->is_constexpr || p->typed)
        return bind_refuse(b, TILEC_REFUSED, p->span, "`%s` cannot be a tensor descriptor",
                           p->name);
    if (!read_block(a, to.arg->block))
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                           "the extents of the tiles of the descriptor given for `%s` are wrong",
                           p->name);
    if (!take_room(b, p, 1 + 2 * t->ndim))
        return false;
    to.arg->pads_nan = a->integer != 0;
    FrontArg *parts = new_parts(b, to, FRONT_DESCRIPTOR, 1 + 2 * t->ndim);
    if (!bind_tensor(b, (BindTo){p, &parts[0]}, t))
        return false;
    if ((problem = descriptor_problem(a)))
        return bind_refuse(b, TILEC_REFUSED, p->span, "the descriptor given for `%s` is wrong: %s",
                           p->name, problem);
    for (int i = 0; i < t->ndim; i++)
        bind_extent(b, p, &parts[1 + i], t->shape[i]);
    for (int i = 0; i < t->ndim; i++)
        bind_extent(b, p, &parts[1 + t->ndim + i], tensor_stride(t, i));
    return b->status == TILEC_OK;
}
