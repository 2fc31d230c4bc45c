/*
 * ways.c - what both ways of transposed.c build: numbers of a program's own lanes, and a loop that
 * carries a sum
 */
#include "../opt/opt.h"
#include "gather.h"
#include "transposed.h"

static Value *program_number(Way *w, OpCode code)
{
    const Type *i32 = type_scalar(w->g->func->module, DT_I32);
    const int64_t axis = w->anew.axis;

    return build_op(&w->g->b, code, 0, NULL, 1, &axis, 1, &i32)->results[0];
}

/* So many times a number: of lanes, as they are called. */
Value *way_times_lanes(Way *w, Value *number)
{
    Value *count = build_int(&w->g->b, number->type, w->count);

    value_name_number(count, value_extent(w->own, 0));
    return build_binary(&w->g->b, OP_mul, number, count);
}

Value *way_own_begin(Way *w)
{
    return way_times_lanes(w, program_number(w, OP_program_id));
}

Value *way_all_lanes(Way *w)
{
    return way_times_lanes(w, program_number(w, OP_num_programs));
}

/* program * count + lane */
bool way_own_lanes(Way *w, Poly *out)
{
    *out = (Poly){0};
    return domain_add_program(w->g, w->anew.axis, w->count, out) &&
           poly_push(out, &(PolyTerm){1, 1, {{NULL, w->anew.side}}});
}

bool way_all_limits(Way *w, Limits *out)
{
    const Tap *t = w->tap;

    *out = w->nonzero;
    for (int i = 0; i < t->nends; i++) {
        if (!tap_add_end_limit(t, t->ends[i], out))
            return false;
    }
    return true;
}

bool way_knows_program(const Way *w, const Value *v)
{
    return domain_knows(v, w->anew.axis, NULL, map_new(w->g->arena));
}

/* The scalar is less than this argument alone; NULL: it is nothing of the kind. */
Value *way_argument_of(const Poly *p)
{
    const PolyTerm *t = &p->terms[0];

    return p->count == 1 && t->count == 1 && t->scale == 1 && terms_same_for_all(t->of[0].value)
               ? (Value *)t->of[0].value
               : NULL;
}

Value *way_least(Builder *b, Value *x, Value *y)
{
    if (!x || !y)
        return x ? x : y;
    return build_binary(b, OP_min, x, build_cast(b, y, x->type->dtype, ROUND_NEAREST));
}

bool way_begin(Grad *g, GradArray *array, const Tap *t, const Value *tile, int side, int axis,
               Way *w)
{
    const Type *type = tile->type;

    if (type->rank == 0 || type->rank >= MOST_SIDES_ANEW || !domain_program(g, axis))
        return false;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] == 1)
            return false;
    }
    *w = (Way){.g = g, .array = array, .tap = t, .count = type->dims[side]};
    w->anew = (Anew){.domain = domain_of(g, type, t->counter),
                     .axis = axis,
                     .side = side,
                     .made = map_new(g->arena)};
    return true;
}

void way_make_own_lanes(Way *w, const Value *tile)
{
    Builder *b = &w->g->b;
    Value *lanes = build_arange(b, 0, (int32_t)w->count);
    const Symbol *called = value_extent(tile, w->anew.side);

    value_name_extents(w->g->func->module, lanes, &called);
    w->own = lanes;
    w->own = build_binary(b, OP_add, build_splat(b, way_own_begin(w), lanes->type), lanes);
}

Value *way_as_counter(Way *w, Value *v)
{
    return build_cast(&w->g->b, v, w->tap->counter->type->dtype, ROUND_NEAREST);
}

void way_start_again(Way *w)
{
    w->anew.made = map_new(w->g->arena);
    w->anew.facts.n = 0;
    w->anew.are_known = false;
}

Value *way_zeros_like(Grad *g, const Value *like)
{
    const Type *type = like->type;

    if (dtype_is_small_float(type->dtype))
        type = type_with_dtype(g->func->module, type, DT_FP32);
    Value *zero = build_float(&g->b, type, 0);
    value_shaped_like(g->func->module, zero, like);
    return zero;
}

/* A loop from begin to end that carries the sum so far; the builder goes into it. */
Op *way_make_loop(Way *w, Value *sum, Builder *outside)
{
    Grad *g = w->g;
    const Type *type = sum->type;
    Value *one = build_int(&g->b, w->end->type, 1);
    Value *operands[FOR_BOUNDS + 1] = {w->begin, w->end, one, sum};
    grad_stand_for(g, w->tap->loop);
    Op *loop = build_op(&g->b, OP_for, FOR_BOUNDS + 1, operands, w->tap->loop->nattrs,
                        w->tap->loop->attrs, 1, &type);
    Block *body = loop->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, w->end->type);
    if (body->nargs == 1)
        block_add_arg(body, type);
    body->args[1]->name = loop->results[0]->name = intern(g->func->module->interner, "gathered");
    value_shaped_like(g->func->module, body->args[1], sum);
    value_shaped_like(g->func->module, loop->results[0], sum);
    *outside = g->b;
    g->b = builder_into(&g->b, body);
    return loop;
}

/* The sum goes on by d, under the condition; NULL: there is none.  Without d there is no loop. */
bool way_end_loop(Way *w, Op *loop, Value *d, Value *mask, const Builder *outside)
{
    Grad *g = w->g;
    Value *sum = loop->regions[0]->args[1];

    grad_stand_for(g, w->tap->op);
    if (d) {
        d = build_cast(&g->b, d, sum->type->dtype, ROUND_NEAREST);
        if (mask)
            d = build_select(&g->b, mask, d, grad_number(g, d, 0));
        d = build_binary(&g->b, OP_add, sum, d);
        build_yield(&g->b, OP_yield, 1, &d);
    }
    g->b = *outside;
    if (!d)
        op_remove(loop);
    return d != NULL;
}

void way_add_guard(Way *w, LoadGuard guard)
{
    if (w->anew.nguards < MOST_GUARDS)
        w->anew.guards[w->anew.nguards++] = guard;
    else
        w->is_full = true;
}

bool way_is_round_below(Way *w, const Value *end, Poly *limit)
{
    Limits l = {0};
    const bool good = tap_add_end_limit(w->tap, end, &l);

    *limit = l.at[0];
    return good;
}

Value *way_both(Builder *b, Value *x, Value *y)
{
    return x ? build_binary(b, OP_and, x, y) : y;
}

Op *way_put(Way *w, Value *pointer, Value *sum, Value *mask)
{
    Grad *g = w->g;
    Value *d = build_cast(&g->b, sum, pointer->type->dtype, ROUND_NEAREST);

    grad_stand_for(g, w->tap->op);
    return build_op(&g->b, OP_store, mask ? 3 : 2, (Value *[]){pointer, d, mask}, 0, NULL, 0, NULL);
}
