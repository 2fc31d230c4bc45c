/*
 * anchor.c - values that may be measured from anything are measured from what the forward stored
 *
 *     lse = top + log(sum(exp(x - top)))          tl.store(lse + row, ..)
 *
 * What is differentiated stays the same whatever `top` is (reference.c), so it may be lse: then the
 * sum of exp(x - lse) is 1, and nobody has to go along the row to know the largest x and the sum.
 * A maximum that grows in a loop is lse in all its rounds, sums that fade with it do not fade, and
 * begin with 0 where it begins with -inf:
 *
 *     sums = sums * exp(top - new) + exp(x - new)      becomes      sums = sums + exp(x - lse)
 *
 * One kernel of both has the forward as it is in front of this (fused.c), which is worth it where
 * the row is gone through by loops.
 *
 * Where nothing of the kind is stored the loops go first as they are, and what the maximum is in
 * the end is what all rounds are measured from: no tape of maxima is kept, and rounds need not go
 * backwards.
 *
 * All this is done to the forward, before anything is derived.  That the sum is 1, and lse what was
 * loaded, is put in when all is derived, as gradients go through both.
 */
#include <math.h>

#include "../grad_forms/moves.h"
#include "grad.h"

enum { MOST_LOOPS = 4 };

/* A maximum that a loop carries. */
typedef struct {
    const Op *loop;
    int at;       /* which carried value */
    bool is_last; /* in front of it there is -inf, not another loop */
} Grown;
typedef struct {
    Value *update, *sum, *fade; /* sum * fade; sum; fade */
} Faded;
typedef struct {
    Grad *g;
    const Block *block; /* in which the loops stand, and the store if there is one */
    Op *store;
    Value *log_of; /* the sum */
    double scale;  /* what is stored is this times the maximum plus the log */
    Value *top;    /* of a row that is one tile; NULL: loops have it */
    Grown loops[MOST_LOOPS];
    int nloops;
    VEC(Faded) faded;
} Anchor;

/* Is it the other one, maybe where that is a number? */
static bool leads_to(Value *v, const Value *to)
{
    double x;

    v = moves_made_of(v);
    if (v == to || !v->def || v->def->code != OP_select)
        return v == to;
    Value *const *arms = v->def->operands + 1;
    return (moves_number(arms[0], &x) && leads_to(arms[1], to)) ||
           (moves_number(arms[1], &x) && leads_to(arms[0], to));
}

/* exp(top - next), exp2((top - next) * factor) */
static bool is_fade(Value *v, const Value *top, const Value *next)
{
    const Op *op = moves_made_of(v)->def;

    if (!op || (op->code != OP_exp && op->code != OP_exp2))
        return false;
    op = moves_made_of(op->operands[0])->def;
    for (int i = 0; i < 2 && op && op->code == OP_mul; i++) {
        const Op *less = moves_made_of(op->operands[i])->def;
        if (less && less->code == OP_sub) {
            op = less;
            break;
        }
    }
    return op && op->code == OP_sub && leads_to(op->operands[0], top) &&
           leads_to(op->operands[1], next);
}

static bool is_reference(const Grad *g, const Value *v)
{
    return v->def && v->id < g->nfacts && g->facts[v->id] & REFERENCE;
}

/* What of the other values that the loop carries fades. */
static bool find_faded(Anchor *a, const Op *loop, int at)
{
    const Block *body = loop->regions[0];
    const Value *top = body->args[at + 1], *next = body->last->operands[at];

    for (int i = 0; i < loop->nresults; i++) {
        Value *sum = body->args[i + 1];
        if (i == at || !grad_moves_with(a->g, sum, top))
            continue;
        const Use *use = uses_count(&a->g->uses, sum) == 1 ? uses_of(&a->g->uses, sum) : NULL;
        if (!use || use->op->code != OP_mul || use->op->block != body ||
            !is_fade(use->op->operands[1 - use->operand], top, next))
            return false;
        vec_push(a->g->arena, &a->faded,
                 ((Faded){use->op->results[0], sum, use->op->operands[1 - use->operand]}));
    }
    return true;
}

/* What the loop's body makes of the values that are put in place of others, in front of it; NULL:
 * it needs more.  b NULL: is it so? */
static Value *made_in_front(Builder *b, Value *v, const Op *loop, Map *instead)
{
    Op *op = v->def;

    if (!opt_inside(v->block, loop) || map_get(instead, MAP_KEY(v)))
        return opt_inside(v->block, loop) ? map_get(instead, MAP_KEY(v)) : v;
    if (!op || !op_has(op, PURE) || op->regions[0])
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        if (!made_in_front(b, op->operands[i], loop, instead))
            return NULL;
    }
    return b ? op_clone(b, op, instead)->results[0] : v;
}

/* How much of what a sum begins with is left: its fade from where the maximum begins to `top`. */
static Value *left_of_begin(const Anchor *a, Builder *b, const Faded *f, int at, Value *top)
{
    const Op *loop = f->sum->block->owner;
    const Block *body = loop->regions[0];
    Map *instead = map_new(a->g->arena);

    map_put(instead, MAP_KEY(body->args[at + 1]), loop->operands[FOR_BOUNDS + at]);
    map_put(instead, MAP_KEY(body->last->operands[at]), top);
    return made_in_front(b, f->fade, loop, instead);
}

/* Does each sum begin with 0, or is known in front of the loop what is left of it, as of a sink of
 * attention? */
static bool begin_with_known(const Anchor *a, const Op *loop, int at)
{
    for (int i = 0; i < a->faded.len; i++) {
        const Faded *f = &a->faded.at[i];
        if (f->sum->block->owner == loop &&
            !grad_is_number(loop->operands[FOR_BOUNDS + f->sum->index - 1], 0) &&
            !left_of_begin(a, NULL, f, at, loop->regions[0]->last->operands[at]))
            return false;
    }
    return true;
}

/* From the last loop that carries the maximum to the first. */
static bool find_loops(Anchor *a, const Value *v)
{
    const Op *loop = v->def;
    double x;

    if (!loop || loop->code != OP_for || a->nloops == MOST_LOOPS || loop->block != a->block)
        return false;
    int at = v->index;
    const Value *next = loop->regions[0]->last->operands[at];
    Value *init = loop->operands[FOR_BOUNDS + at];
    if (!is_reference(a->g, next) || next->def->block != loop->regions[0] ||
        !find_faded(a, loop, at))
        return false;
    const bool is_number = moves_number(init, &x);
    const bool is_none = is_number && isinf(x) && x < 0;
    const bool is_known =
        is_number || (init->block == a->block && !(init->def && init->def->code == OP_for));
    bool is_last = is_none || (is_known && begin_with_known(a, loop, at));
    a->loops[a->nloops++] = (Grown){loop, at, is_last};
    return is_last || find_loops(a, init);
}

/* scale * (top + log(sum)), or that divided by a number */
static bool find_parts(Anchor *a, Value *v)
{
    const Op *op = v->def;
    double x;

    a->scale = 1;
    if (op && (op->code == OP_mul || op->code == OP_div) && moves_number(op->operands[1], &x) &&
        x != 0) {
        a->scale = op->code == OP_mul ? x : 1 / x;
        op = op->operands[0]->def;
    }
    if (!op || op->code != OP_add || !grad_stays(a->g, op->results[0]))
        return false;
    for (int i = 0; i < 2; i++) {
        const Op *log = op->operands[i]->def;
        Value *top = op->operands[1 - i];
        if (!log || (log->code != OP_log && log->code != OP_log2) || grad_stays(a->g, top))
            continue;
        a->log_of = log->operands[0];
        if (is_reference(a->g, top) && top->def->block == a->block)
            a->top = top;
        return a->top || find_loops(a, top);
    }
    return false;
}

static Op *place_of(const Anchor *a)
{
    return a->top ? a->top->def : (Op *)a->loops[a->nloops - 1].loop;
}

/* Lanes that were not stored are measured from infinity: what grows from there is 0. */
static Value *loaded(const Anchor *a, Builder *b)
{
    Value *pointer = grad_stand(b, a->store->operands[STORE_PTR], place_of(a));
    Value *mask = op_operand(a->store, STORE_MASK), *other = NULL;
    const Value *v = a->store->operands[STORE_DATA];

    if (mask) {
        mask = grad_stand(b, mask, place_of(a));
        other = build_float(b, v->type, INFINITY);
    }
    Value *made = build_load(b, pointer, mask, other)->results[0];
    made->name = v->name;
    value_shaped_like(a->g->func->module, made, v);
    return made;
}

static void replace(Value *v, Value *by)
{
    if (v != by)
        v->repl = by;
}

static Value *guarded(const Value *sum)
{
    const Op *op = opt_made_by(sum, OP_select);
    double x;

    return !op ? NULL : moves_number(op->operands[1], &x) ? op->operands[2] : op->operands[1];
}

static void begin_measured(const Anchor *a, Builder *b, const Faded *f, int at, Value *top)
{
    Op *loop = f->sum->block->owner;
    Value **begin = &loop->operands[FOR_BOUNDS + f->sum->index - 1];
    double x;

    if (grad_is_number(*begin, 0) ||
        (moves_number(loop->operands[FOR_BOUNDS + at], &x) && isinf(x)))
        *begin = build_float(b, f->sum->type, 0);
    else
        *begin = build_binary(b, OP_mul, *begin, left_of_begin(a, b, f, at, top));
}

static void measure_from(Anchor *a, Value *top)
{
    if (a->top)
        replace(a->top, top);
    for (int i = 0; i < a->nloops; i++) {
        const Op *loop = a->loops[i].loop;
        const int at = a->loops[i].at;
        replace(loop->regions[0]->last->operands[at], top);
        replace(loop->regions[0]->args[at + 1], top);
        replace(loop->results[at], top);
    }
    for (int i = 0; i < a->faded.len; i++) {
        const Faded *f = &a->faded.at[i];
        Op *loop = f->sum->block->owner;
        Builder begin = builder_before(loop);
        for (int k = 0; k < a->nloops; k++) {
            if (a->loops[k].loop == loop && a->loops[k].is_last)
                begin_measured(a, &begin, f, a->loops[k].at, top);
        }
        replace(f->update, f->sum);
    }
}

static void measure(Anchor *a)
{
    Grad *g = a->g;
    Builder b = builder_before(place_of(a));

    b.span = a->store->span;
    b.site = a->store->site;
    Value *from = loaded(a, &b), *top = from;
    if (a->scale != 1) {
        Value *by = build_float(&b, from->type, 1 / a->scale);
        top = build_binary(&b, OP_mul, from, by);
    }
    measure_from(a, top);
    vec_push(g->arena, &g->anchors,
             ((GradAnchor){a->store, a->store->operands[STORE_DATA], from, a->log_of,
                           guarded(a->log_of)}));
    opt_resolve_all(g->func->body);
}

/* --- lanes that were not stored --- */

/* Which lanes of what is differentiated these are. */
typedef struct {
    const Grad *g;
    const Value *mask;
    int axis; /* that was inserted into the mask; -1: none */
    bool fits;
} Lanes;

static void bounds_of(const Value *mask, PolyBounds *out)
{
    PolyScope scope = {0};
    int8_t map[MAX_RANK];

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    poly_bounds(&scope, mask, map, out);
}

/* Are all numbers that the mask compares compared here, too, of lanes that were spread along the
 * axis, or, if that is -1, were not: rows < n in rows[:, None].to(tl.int64) < n.to(tl.int64)? */
static bool compares_too(const Lanes *l, const Value *of, int axis)
{
    PolyBounds bounds = {0}, said = {0};

    if (l->mask->type->rank != 1 || of->type->rank != 1 + (axis >= 0))
        return false;
    bounds_of(l->mask, &bounds);
    bounds_of(of, &said);
    for (int i = 0; i < bounds.count; i++) {
        Poly there;
        bool found = false;
        if (!poly_turn(&bounds.below[i], 0, axis == 0 ? 1 : 0, &there))
            return false;
        for (int k = 0; k < said.count && !found; k++)
            found = poly_equal(&said.below[k], &there);
        if (!found)
            return false;
    }
    return bounds.count > 0 && !bounds.others;
}

/* Is the mask a part of this one, each lane of it for a row? */
static bool is_part(Lanes *l, const Value *of, int axis)
{
    const Op *op = of->def;

    if (of == l->mask) {
        l->axis = axis;
        return true;
    }
    if (!op)
        return false;
    if (op->code == OP_and)
        return is_part(l, op->operands[0], axis) || is_part(l, op->operands[1], axis);
    if (op->code == OP_broadcast)
        return is_part(l, op->operands[0], axis);
    return op->code == OP_expand && axis < 0 && is_part(l, op->operands[0], (int)attr_axis(op));
}

static void check_mask(Op *op, void *lanes)
{
    Lanes *l = lanes;

    if (!grad_puts_in_memory(op) ||
        grad_array_of(l->g, op->operands[STORE_PTR]) != l->g->of.array->index)
        return;
    const Value *mask = op_operand(op, STORE_MASK);
    const int before = l->axis;
    bool found = mask && is_part(l, mask, -1);
    for (int axis = -1; axis < 2 && mask && !found; axis++) {
        found = compares_too(l, mask, axis);
        l->axis = found ? axis : l->axis;
    }
    l->fits &= found && (before == MAX_RANK || before == l->axis);
}

/* Lanes of what moves are spread as those of the mask. */
static void check_spread(Op *op, void *lanes)
{
    Lanes *l = lanes;

    if (!op_has(op, MOVES) || op->operands[0]->type->rank == 0 ||
        !dtype_is_float(op->operands[0]->type->dtype) || grad_stays(l->g, op->operands[0]))
        return;
    l->fits &= op->code == OP_broadcast || (op->code == OP_expand && attr_axis(op) == l->axis);
}

/* Is nothing stored of the lanes that the mask leaves out, so that they have no gradient? */
static bool are_left_out(const Grad *g, const Value *mask)
{
    Lanes l = {.g = g, .mask = mask, .axis = MAX_RANK, .fits = true};

    ir_walk(g->func->body, check_mask, &l);
    if (l.fits && l.axis != MAX_RANK)
        ir_walk(g->func->body, check_spread, &l);
    return l.fits && l.axis != MAX_RANK;
}

static bool suits(Anchor *a)
{
    const Value *v = a->store->operands[STORE_DATA], *mask = op_operand(a->store, STORE_MASK);
    const Value *top;

    if (!dtype_is_float(v->type->dtype) || !find_parts(a, (Value *)v) ||
        (mask && uses_count(&a->g->uses, v) > 1))
        return false;
    top = a->top ? a->top : a->loops[0].loop->results[a->loops[0].at];
    return top->type == v->type && grad_can_stand(a->store->operands[STORE_PTR], place_of(a)) &&
           (!mask || (grad_can_stand(mask, place_of(a)) && are_left_out(a->g, mask))) &&
           grad_is_stored_once(a->g, a->store);
}

static void collect(Op *op, void *ops)
{
    GradOps *all = ops;

    if (op->code == OP_store)
        vec_push(op->block->func->module->arena, all, op);
}

bool grad_measure_from_saved(Grad *g)
{
    GradOps stores = {0};

    if (g->wish->recompute || g->references.len == 0 || grad_jumps(g))
        return false;
    ir_walk(g->func->body, collect, &stores);
    for (int i = 0; i < stores.len; i++) {
        Anchor a = {.g = g, .block = stores.at[i]->block, .store = stores.at[i]};
        if (!suits(&a) || (g->wish->fused && (a.top || !grad_keep_forward(g))))
            continue;
        measure(&a);
        return true; /* one is enough: what else there is changed */
    }
    return false;
}

/* --- without anything stored --- */

/* What a loop reads that stands outside of it is known in front of the loops. */
typedef struct {
    const Anchor *a;
    const Op *loop;
    Map *values; /* results of loops before it */
    Builder *b;  /* where it is computed; NULL: only looked at */
    bool good;
} Outer;

static void look_out(Op *op, void *outer)
{
    Outer *o = outer;

    for (int i = 0; i < op->noperands; i++) {
        Value *v = op->operands[i];
        if (opt_inside(v->block, o->loop) || map_get(o->values, MAP_KEY(v)))
            continue;
        o->good &= grad_can_stand(v, place_of(o->a));
        if (o->b)
            map_put(o->values, MAP_KEY(v), grad_stand(o->b, v, place_of(o->a)));
    }
}

/* Goes over the loops from the first to the last. */
static bool look_at_loops(const Anchor *a, Map *values, Builder *b, GradOps *copies)
{
    Outer o = {.a = a, .values = values, .b = b, .good = true};

    for (int i = a->nloops - 1; i >= 0 && o.good; i--) {
        Op *loop = (Op *)a->loops[i].loop;
        o.loop = loop;
        look_out(loop, &o);
        ir_walk(loop->regions[0], look_out, &o);
        for (int k = 0; k < loop->nresults && !b; k++)
            map_put(values, MAP_KEY(loop->results[k]), loop->results[k]);
        if (b)
            vec_push(a->g->arena, copies, op_clone(b, loop, values));
    }
    return o.good;
}

static void find_effect(Op *op, void *found)
{
    *(bool *)found |= op_contains(op, WRITES | EFFECT);
}

/* The loops say what the maximum is, and do nothing else. */
static bool can_go_first(const Anchor *a)
{
    bool found = false;

    for (int i = 0; i < a->nloops; i++)
        ir_walk(a->loops[i].loop->regions[0], find_effect, &found);
    return !found && a->faded.len > 0 &&
           look_at_loops(a, map_new(a->g->arena), NULL, &(GradOps){0});
}

/* The loops go first, as they are; then once more, measured from what they say in the end.  That
 * their results are the same is put in when all is derived. */
static void go_first(Anchor *a)
{
    Grad *g = a->g;
    Builder b = builder_before(place_of(a));
    GradOps copies = {0};
    VEC(Value *) kept = {0};

    look_at_loops(a, map_new(g->arena), &b, &copies);
    const Grown *last = &a->loops[0];
    Value *top = copies.at[copies.len - 1]->results[last->at];
    for (int i = 0; i < last->loop->nresults; i++) {
        Value *from = last->loop->results[i], *to = copies.at[copies.len - 1]->results[i];
        if (i == last->at || uses_count(&g->uses, from) == 0)
            continue;
        vec_push(g->arena, &g->ends, ((GradEnd){from, to}));
        vec_push(g->arena, &kept, to);
    }
    if (kept.len > 0) /* until then; effects are dropped */
        build_op(&b, OP_record, kept.len, kept.at, 0, NULL, 0, NULL);
    for (int i = 0; i < copies.len; i++)
        vec_push(g->arena, &g->firsts, copies.at[i]);
    vec_push(g->arena, &g->held, top);
    measure_from(a, top);
    opt_resolve_all(g->func->body);
}

void grad_put_ends(Grad *g)
{
    for (int i = 0; i < g->ends.len; i++)
        replace(grad_value(g, g->ends.at[i].measured), grad_value(g, g->ends.at[i].first));
    opt_resolve_all(g->func->body);
}

static void collect_loops(Op *op, void *ops)
{
    GradOps *all = ops;

    if (op->code == OP_for)
        vec_push(op->block->func->module->arena, all, op);
}

bool grad_measure_from_end(Grad *g)
{
    GradOps loops = {0};

    if (g->wish->fused || g->references.len == 0 || g->anchors.len || grad_jumps(g))
        return false;
    ir_walk(g->func->body, collect_loops, &loops);
    for (int i = loops.len - 1; i >= 0; i--) {
        const Op *loop = loops.at[i];
        bool looks = !opt_in_loop(loop->block);
        for (int k = 0; k < g->firsts.len; k++)
            looks &= g->firsts.at[k] != loop;
        for (int k = 0; k < loop->nresults && looks; k++) {
            Anchor a = {.g = g, .block = loop->block};
            if (!find_loops(&a, loop->results[k]) || !can_go_first(&a))
                continue;
            go_first(&a);
            return true;
        }
    }
    return false;
}
