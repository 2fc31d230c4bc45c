/*
 * lags.c - atomics whose address goes by how far a round lies behind the program's own lanes, by
 * blocks, as those of a Toeplitz matrix: their loops count that
 *
 *     t = program * T + lanes                     for back in range(0, program * T + T, U):
 *     for u0 in range(0, program * T + T, U):         u0 = program * T + T - U - back
 *         atomic d_w[t - (u0 + lanes)] += f   ->      atomic d_w[back + U - T + ..] += f
 *
 * Programs then add to the same blocks in the same rounds, which blocks.c sums up.  So it is where
 *
 *   1. the program's number and the round's cancel out in the address;
 *   2. T is a multiple of U, so that both count the same blocks;
 *   3. what else ends the rounds, or is a mask by the program, leaves out what is 0 anyhow.
 *
 * The last are said by what all rounds have in common: u0 is not negative.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "blocks.h"

typedef struct {
    Grad *g;
    int axis;
    const Tap *tap;
    int64_t step, by, end; /* rounds end at by * program + end */
    Value *back;
    Builder at;
    Value *start, *start_of_first; /* of this program, and of the one of number 0 */
    Value *behind;                 /* by * program - start: known without the program */
    Map *own, *first;              /* MAP_KEY of a value: what it is for these */
} Lags;

static int64_t scale_of(const Poly *p, const Value *v)
{
    int64_t scale;

    return v && domain_scale(p, tap_atom(v), &scale) ? scale : INT64_MAX;
}

/* With end - step - back for the round: is that without the program's number? */
static bool is_free(const Lags *l, const Poly *p)
{
    const int64_t rounds = scale_of(p, l->tap->counter);
    const int64_t programs = scale_of(p, domain_program(l->g, l->axis));

    return rounds != INT64_MAX && programs != INT64_MAX && programs + rounds * l->by == 0;
}

/* A value of the round: for the program, or, where that makes no difference, for the first one. */
static Value *make(Lags *l, Value *v, bool of_first)
{
    Map *made = of_first ? l->first : l->own, *operands;
    Op *op = v->def;
    Value *known = map_get(made, MAP_KEY(v));
    const bool is_program = of_first && op && op->code == OP_program_id && attr_axis(op) == l->axis;

    if (known || v == l->tap->counter)
        return known ? known : of_first ? l->start_of_first : l->start;
    if (is_program)
        return build_int(&l->at, v->type, 0);
    if (!op || (op->block->owner != l->tap->loop &&
                !(of_first && domain_knows(v, l->axis, NULL, map_new(l->g->arena)))))
        return v;
    operands = map_new(l->g->arena);
    for (int i = 0; i < op->noperands; i++)
        map_put(operands, MAP_KEY(op->operands[i]), make(l, op->operands[i], of_first));
    Op *copy = op_clone(&l->at, op, operands);
    for (int i = 0; i < op->nresults; i++)
        map_put(made, MAP_KEY(op->results[i]), copy->results[i]);
    return map_get(made, MAP_KEY(v));
}

/* Is it computed in the round, from nothing that the one before has left, and without branches? */
static bool can_make(const Lags *l, const Value *v, Map *seen)
{
    const Op *op = v->def;

    if (!op || op->block->owner != l->tap->loop || map_get(seen, MAP_KEY(v)))
        return op || v == l->tap->counter || !v->block->owner;
    map_put(seen, MAP_KEY(v), (void *)v);
    if (op_only_reads(op) ? op->code != OP_load || op_is_volatile(op)
                          : !op_has(op, PURE) || (op->regions[0] && !op_has(op, COMBINES)))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!can_make(l, op->operands[i], seen))
            return false;
    }
    return true;
}

static bool is_spread(const Op *op)
{
    return op->code == OP_splat || op->code == OP_broadcast || op->code == OP_expand;
}

/* x < y with so many times the program's number in x, and the round in neither. */
static bool is_of_program(const Lags *l, const Op *op)
{
    Poly x, y;

    return op->code == OP_lt && tap_polynomial(op->operands[0], &x) &&
           tap_polynomial(op->operands[1], &y) && scale_of(&x, l->tap->counter) == 0 &&
           scale_of(&y, l->tap->counter) == 0 &&
           scale_of(&x, domain_program(l->g, l->axis)) == l->by &&
           scale_of(&y, domain_program(l->g, l->axis)) == 0;
}

/* The mask without the program's number, with `builds`; else v, if that can be; NULL. */
static Value *free_mask(Lags *l, Value *v, bool builds)
{
    Op *op = v->def;
    Poly x, y;

    if (!op)
        return NULL;
    if (op->code == OP_and || is_spread(op)) {
        Map *operands = map_new(l->g->arena);
        for (int i = 0; i < op->noperands; i++) {
            Value *part = free_mask(l, op->operands[i], builds);
            if (!part)
                return NULL;
            map_put(operands, MAP_KEY(op->operands[i]), part);
        }
        return builds ? op_clone(&l->at, op, operands)->results[0] : v;
    }
    if (op->noperands == 2 && tap_polynomial(op->operands[0], &x) &&
        tap_polynomial(op->operands[1], &y) && poly_add(&x, &y, -1) && is_free(l, &x))
        return builds ? make(l, v, true) : v;
    if (!is_of_program(l, op))
        return NULL;
    if (!builds)
        return v;
    Value *less = make(l, op->operands[0], true);
    Value *behind = build_cast(&l->at, l->behind, less->type->dtype, ROUND_NEAREST);
    behind = less->type->rank > 0 ? build_splat(&l->at, behind, less->type) : behind;
    Value *limit = make(l, op->operands[1], true);
    less = build_binary(&l->at, OP_add, less, behind);
    return build_binary(&l->at, OP_lt, less, limit);
}

/* Is what is handed on 0 where masks by the program are not true, and where else rounds end? */
static bool is_zero_beyond(const Lags *l, const Value *end)
{
    const Tap *t = l->tap;
    Domain d = domain_of(l->g, t->pointer->type, t->counter);
    Limits nonzero = {0}, mask = {0}, ends = {0};

    limits_of_nonzero(&d, &nonzero, t->data, tap_sides);
    if (t->mask)
        limits_of_mask(&mask, t->mask, tap_sides);
    for (int i = 0; i < t->nends; i++) {
        if (t->ends[i] != end && !tap_add_end_limit(t, t->ends[i], &ends))
            return false;
    }
    for (int i = 0; i < mask.n; i++) {
        if (!is_free(l, &mask.at[i]) && !domain_implies(&d, &nonzero, &mask.at[i]))
            return false;
    }
    for (int i = 0; i < ends.n; i++) {
        if (!domain_implies(&d, &nonzero, &ends.at[i]))
            return false;
    }
    return !mask.others && !ends.others;
}

/* What ends the rounds by the program's number; NULL. */
static Value *find_end(Lags *l)
{
    const Value *program = domain_program(l->g, l->axis);
    Poly p;

    for (int i = 0; i < l->tap->nends; i++) {
        Value *end = l->tap->ends[i];
        if (!tap_polynomial(end, &p))
            continue;
        l->by = scale_of(&p, program);
        if (l->by == INT64_MAX || l->by <= 0 || l->by % l->step != 0 ||
            !domain_add_program(l->g, l->axis, -l->by, &p) || !poly_is_constant(&p, &l->end) ||
            l->end % l->step != 0 || l->end < 0)
            continue;
        return end;
    }
    return NULL;
}

static bool can_turn(Lags *l, Value **end)
{
    const Tap *t = l->tap;
    Map *seen = map_new(l->g->arena);
    int64_t lo;
    Poly place;

    return value_const_int(t->lo, &lo) && lo == 0 &&
           value_const_int(t->loop->operands[FOR_STEP], &l->step) && l->step > 1 &&
           (*end = find_end(l)) && t->mask && tap_polynomial(t->pointer, &place) &&
           scale_of(&place, t->counter) != 0 && is_free(l, &place) && can_make(l, t->data, seen) &&
           can_make(l, t->pointer, seen) && can_make(l, t->mask, seen) &&
           free_mask(l, t->mask, false) && is_zero_beyond(l, *end);
}

/* The atomic in a loop of its own, behind the tap's, whose rounds count from the last one on. */
static void turn(Lags *l, Value *end)
{
    const Tap *t = l->tap;
    Grad *g = l->g;
    Op *before = t->loop->next;
    const Type *type = t->counter->type;
    Value *operands[FOR_BOUNDS];

    l->at = builder_before(before);
    l->at.span = t->loop->span;
    l->at.site = t->loop->site;
    l->at.mark = t->loop->mark;
    operands[FOR_LO] = t->lo;
    operands[FOR_HI] = build_cast(&l->at, end, type->dtype, ROUND_NEAREST);
    operands[FOR_STEP] = t->loop->operands[FOR_STEP];
    Op *loop =
        build_op(&l->at, OP_for, FOR_BOUNDS, operands, t->loop->nattrs, t->loop->attrs, 0, NULL);
    if (loop->regions[0]->nargs == 0)
        block_add_arg(loop->regions[0], type);
    l->back = loop->regions[0]->args[0];
    l->back->name = intern(g->func->module->interner, "back");
    l->at = builder_into(&l->at, loop->regions[0]);
    Value *last = build_int(&l->at, type, l->step);
    Value *first = build_int(&l->at, type, l->end - l->step);
    Value *from = build_binary(&l->at, OP_sub, operands[FOR_HI], last);
    l->start = build_binary(&l->at, OP_sub, from, l->back);
    l->start->name = t->counter->name;
    l->start_of_first = build_binary(&l->at, OP_sub, first, l->back);
    l->behind = build_binary(&l->at, OP_sub, l->back, first);
    Value *handed[3];
    handed[STORE_PTR] = make(l, t->pointer, true);
    handed[STORE_DATA] = make(l, t->op->operands[STORE_DATA], false);
    handed[STORE_MASK] = free_mask(l, t->mask, true);
    l->at.span = t->op->span;
    l->at.site = t->op->site;
    l->at.mark = t->op->mark;
    build_op(&l->at, OP_atomic_rmw, 3, handed, t->op->nattrs, t->op->attrs, 1,
             &t->op->results[0]->type);
    build_yield(&l->at, OP_yield, 0, NULL);
    op_remove(t->op);
}

typedef struct {
    Grad *g;
    const GradArray *array;
    GradOps adds;
} Search;

static void find_add(Op *op, void *search)
{
    Search *s = search;

    if (op->code == OP_atomic_rmw &&
        grad_array_of(s->g, op->operands[0]) == s->array->gradient->index)
        vec_push(s->g->arena, &s->adds, op);
}

bool blocks_count_lags(Grad *g, const GradArray *a, int axis)
{
    Search s = {.g = g, .array = a};
    Tap tap;
    Value *end;

    ir_walk(g->func->body, find_add, &s);
    if (s.adds.len != 1 || !tap_in_loop(s.adds.at[0], &tap))
        return false;
    Lags l = {
        .g = g, .axis = axis, .tap = &tap, .own = map_new(g->arena), .first = map_new(g->arena)};
    if (!can_turn(&l, &end))
        return false;
    turn(&l, end);
    return true;
}
