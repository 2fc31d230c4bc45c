/*
 * builtin_map.c - a scalar function for each element: tl.map_elementwise (semantics R257)
 *
 * The function has control flow of its own, as combine functions do.  So it is one: each element is
 * reduced with itself, along a new dimension of two, by a function that looks at the first of them
 * alone.  A reduction combines tiles of the same types as it gives, so that the results have
 * operands too, which nobody reads.
 */
#include "tl.h"

/* One call: tiles of one shape, in which each element of a group of `pack` has its own tile. */
typedef struct {
    Lower *l;
    const Args *a;
    const Type *whole; /* of what is given, and of the results but for their dtype */
    int pack;
    Values in;   /* argument by argument, `pack` tiles each */
    Values out;  /* what the function gives: result by result, `pack` scalars each */
    Block *body; /* of the combine function */
    bool is_one; /* the function gives no tuple */
} Mapping;

/* --- arguments --- */

/* Element `i` of each group of `pack`. */
static Value *column(const Mapping *m, Value *v, int i)
{
    Builder *b = &m->l->b;
    int32_t groups = (int32_t)(type_numel(v->type) / m->pack);
    const int64_t starts[] = {0, i};

    v = build_reshape(b, v, 2, (const int32_t[]){groups, m->pack});
    v = build_slice(b, v, starts, (const int32_t[]){groups, 1});
    return build_reshape(b, v, 1, &groups);
}

static bool take_arguments(Mapping *m)
{
    Lower *l = m->l;
    const Tuple *t = arg(m->a, ARG_args).tuple;
    Value **v = NEW_N(l->arena, Value *, t->n + 1);

    for (int i = 0; i < t->n; i++) {
        v[i] = val_to_run(l, t->items[i], m->a->span);
        if (!v[i])
            return false;
    }
    if (t->n == 0) {
        error_at(l, m->a->span, E_MAP_NOTHING);
        return false;
    }
    if (!ops_broadcast_all(l, v, t->n, m->a->span))
        return false;
    m->whole = v[0]->type;
    if (type_numel(m->whole) % m->pack != 0) {
        error_at(l, arg_span(m->a, ARG_pack), E_MAP_PACK, val_type_text(l, m->whole), m->pack);
        return false;
    }
    for (int i = 0; i < t->n * m->pack; i++)
        vec_push(l->arena, &m->in, m->pack == 1 ? v[i] : column(m, v[i / m->pack], i % m->pack));
    return true;
}

/* --- the function --- */

static bool take_results(Mapping *m, Val r)
{
    Lower *l = m->l;
    int n = r.kind == VAL_TUPLE ? r.tuple->n : 1;

    m->is_one = r.kind != VAL_TUPLE || n == m->pack;
    if (n == 0 || n % m->pack != 0) {
        error_at(l, arg_span(m->a, ARG_scalar_fn), E_MAP_RESULTS, m->pack, val_text(l, r));
        return false;
    }
    for (int i = 0; i < n; i++) {
        Value *v = val_to_run(l, r.kind == VAL_TUPLE ? r.tuple->items[i] : r,
                              arg_span(m->a, ARG_scalar_fn));

        if (!v)
            return false;
        vec_push(l->arena, &m->out, v);
    }
    if (m->in.len + n <= MAX_COMBINED)
        return true;
    error_at(l, m->a->span, E_MAP_MANY, MAX_COMBINED);
    return false;
}

/* Call it in a block of its own, since only then it is known what it gives. */
static bool call_scalar_function(Mapping *m)
{
    Lower *l = m->l;
    Builder old = l->b;
    bool finds_overflow = l->finds_overflow, good;
    ArgList list = {NEW_N(l->arena, Arg, m->in.len + 1), m->in.len, m->a->span};

    l->finds_overflow = false;
    m->body = block_new(l->b.func, NULL);
    l->b.block = m->body;
    l->b.before = NULL;
    for (int i = 0; i < m->in.len; i++)
        list.at[i].v = val_run(block_add_arg(m->body, type_element(l->module, m->in.at[i]->type)));
    Val r = call_value(l, arg(m->a, ARG_scalar_fn), &list, arg_span(m->a, ARG_scalar_fn));
    good = r.kind != VAL_UNKNOWN && take_results(m, r);
    for (const Op *op = m->body->first; good && op; op = op->next)
        good = !op->callee || combine_works_on_elements(l, op->callee);
    l->finds_overflow = finds_overflow;
    l->b = old;
    return good;
}

/* --- the reduction --- */

/* Each element twice, along a new first dimension. */
static Value *doubled(Mapping *m, Value *v)
{
    Type t = *v->type;

    for (int d = t.rank++; d > 0; d--)
        t.dims[d] = t.dims[d - 1];
    t.dims[0] = 2;
    v = build_expand(&m->l->b, v, 0);
    return build_broadcast(&m->l->b, v, type_of(m->l->module, t));
}

/* What the function is given and gives, once for the first element and once for the second. */
static void close_body(Mapping *m, Op *op)
{
    Lower *l = m->l;
    Values yields = {0};
    Builder old = l->b;

    for (int i = m->in.len; i < 2 * op->noperands; i++)
        block_add_arg(m->body, type_element(l->module, op->operands[i % op->noperands]->type));
    for (int i = 0; i < m->in.len; i++)
        vec_push(l->arena, &yields, m->body->args[i]);
    for (int i = 0; i < m->out.len; i++)
        vec_push(l->arena, &yields, m->out.at[i]);
    l->b.block = m->body;
    l->b.before = NULL;
    build_yield(&l->b, OP_yield, yields.len, yields.at);
    l->b = old;
    m->body->owner = op;
    op->regions[0] = m->body;
}

static const Op *build_map(Mapping *m)
{
    Lower *l = m->l;
    int n = m->in.len + m->out.len;
    Value *v[MAX_COMBINED];

    for (int i = 0; i < n; i++) {
        Type t = *m->in.at[0]->type;

        if (i < m->in.len) {
            v[i] = m->in.at[i];
        } else {
            t.dtype = m->out.at[i - m->in.len]->type->dtype;
            v[i] = build_const(&l->b, type_of(l->module, t), 0);
        }
        v[i] = doubled(m, v[i]);
    }
    Op *op = build_reduce(&l->b, n, v, 0);
    close_body(m, op); /* which is another region */
    return op;
}

/* `n` tiles by turns: the first elements of all, then the second ones... */
static Value *by_turns(Mapping *m, Value *const *v, int n, int step)
{
    Value *even, *odd;

    if (n == 1)
        return v[0];
    even = by_turns(m, v, n / 2, 2 * step);
    odd = by_turns(m, v + step, n / 2, 2 * step);
    return even && odd ? interleave_along(m->l, even, odd, 0, m->a->span) : NULL;
}

static Val mapped_results(Mapping *m, const Op *op)
{
    Lower *l = m->l;
    int n = m->out.len / m->pack;
    Val *items = NEW_N(l->arena, Val, n + 1);

    for (int i = 0; i < n; i++) {
        Value *v = by_turns(m, op->results + m->in.len + i * m->pack, m->pack, 1);

        if (v && m->pack > 1)
            v = build_reshape(&l->b, v, m->whole->rank, m->whole->dims);
        items[i] = val_run(v);
    }
    return m->is_one ? items[0] : val_tuple(l, n, items);
}

Val map_elementwise(Lower *l, const Args *a)
{
    Mapping m = {.l = l, .a = a};
    int64_t pack;

    if (!arg_int(l, a, ARG_pack, &pack))
        return val_unknown();
    if (pack < 1 || pack > MAX_COMBINED || (pack & (pack - 1)) != 0)
        return fail_val(l, arg_span(a, ARG_pack), E_MAP_PACK_SIZE, MAX_COMBINED);
    m.pack = (int)pack;
    if (!take_arguments(&m) || !call_scalar_function(&m))
        return val_unknown();
    return mapped_results(&m, build_map(&m));
}
