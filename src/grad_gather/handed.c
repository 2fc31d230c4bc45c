/*
 * handed.c - what windows hand to the elements that lanes own, summed up and stored
 *
 * Each tap's gradient is made for the lanes that hand to the own elements (moved.c), in the tap's
 * loops, and added up; what steps.c says of elements that are stepped over is a loop around it all.
 */
#include <string.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

/* What is added to a lane's number. */
static Value *scalar_of(Mover *m, const Poly *shift)
{
    return window_scalar(m, shift, -1);
}

/* *divides: where lanes are that hand on; NULL: everywhere.  False: nowhere. */
static bool set_shifts(Mover *m, Value *const *phases, Value **divides)
{
    *divides = NULL;
    for (int d = 0; d < m->tap->nsides; d++) {
        m->phases[d] = phases[d];
        if (m->tap->sides[d].step.count == 0)
            m->shifts[d] = scalar_of(m, &m->tap->shifts[d]);
        else if (!window_find_steps(m, d, divides))
            return false;
    }
    return true;
}

static void find_lanes(Mover *m)
{
    for (int d = 0; d < m->tap->nsides; d++) {
        if (window_is_shifted(m->tap, d))
            window_find_lanes(m, d);
    }
}

/* What lanes hand on so far, and whether there was anything. */
typedef struct {
    Value *sum, *any;
    Value *where; /* the store's mask, where own elements say it; NULL: `any` is it */
} Gathered;

static Handed handed(Mover *m, DType type)
{
    const Tap *t = m->tap;
    Value *mask = op_operand(t->op, STORE_MASK), *data = t->op->operands[STORE_DATA];

    find_lanes(m);
    Value *d = window_for_lanes(m, data, window_sides, false);
    mask = mask ? window_for_lanes(m, mask, window_sides, false) : NULL;
    memset(m->spread, 0, sizeof m->spread);
    mask = window_where_present(m, mask, data->type, window_sides, true);
    Handed h = {.data = build_cast(&m->g->b, d, type, ROUND_NEAREST), .mask = mask, .mover = m};
    memcpy(h.present, m->spread, sizeof h.present);
    return h;
}

static void gather(Mover *m, Gathered *to)
{
    Builder *b = &m->g->b;
    Handed h = handed(m, to->sum->type->dtype);
    h.where = to->where;
    Value *mask = h.mask, *d = h.data;
    uint64_t bits;
    bool none = value_constant(to->any, &bits) && bits == 0;

    if (!window_choose(m->g, &h, &d, &mask))
        d = build_select(b, mask, d, grad_number(m->g, to->sum, 0));
    mask = mask ? mask : build_const(b, to->any->type, 1);
    to->sum = grad_is_number(to->sum, 0) ? d : build_binary(b, OP_add, to->sum, d);
    to->any = none ? mask : build_binary(b, OP_or, to->any, mask);
}

static void name_gathered(Grad *g, Value *const *values)
{
    values[0]->name = intern(g->func->module->interner, "gathered");
    values[1]->name = intern(g->func->module->interner, "is_read");
}

/* .. in the rounds, or of the taps, that any lanes hand on from. */
static void gather_where(Mover *m, Value *const *phases, Gathered *to)
{
    Grad *g = m->g;
    const Type *types[2] = {to->sum->type, to->any->type};
    Value *condition, *before[2] = {to->sum, to->any};

    if (!set_shifts(m, phases, &condition))
        return;
    if (!condition) {
        gather(m, to);
        return;
    }
    const Builder outside = g->b;
    Op *made = build_op(&g->b, OP_if, 1, &condition, 0, NULL, 2, types);
    Builder other = builder_into(&g->b, made->regions[1]);
    build_yield(&other, OP_yield, 2, before);
    g->b = builder_into(&g->b, made->regions[0]);
    gather(m, to);
    build_yield(&g->b, OP_yield, 2, (Value *[]){to->sum, to->any});
    g->b = outside;
    name_gathered(g, made->results);
    *to = (Gathered){made->results[0], made->results[1], to->where};
}

static void gather_in_loops(Mover *m, Value *const *phases, const Op *const *loops, int n,
                            Gathered *to)
{
    Grad *g = m->g;

    if (n == 0) {
        gather_where(m, phases, to);
        return;
    }
    const Builder outside = g->b;
    const Type *types[2] = {to->sum->type, to->any->type};
    Value *operands[FOR_BOUNDS + 2];
    for (int i = 0; i < FOR_BOUNDS; i++)
        operands[i] = window_here(m, loops[0]->operands[i]);
    operands[FOR_BOUNDS] = to->sum;
    operands[FOR_BOUNDS + 1] = to->any;
    grad_stand_for(g, loops[0]);
    Op *made = build_op(&g->b, OP_for, FOR_BOUNDS + 2, operands, loops[0]->nattrs, loops[0]->attrs,
                        2, types);
    Block *body = made->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, operands[FOR_LO]->type);
    for (int i = body->nargs - 1; i < 2; i++)
        block_add_arg(body, types[i]);
    name_gathered(g, body->args + 1);
    body->args[0]->name = loops[0]->regions[0]->args[0]->name;
    map_put(m->inside, MAP_KEY(loops[0]->regions[0]->args[0]), body->args[0]);
    g->b = builder_into(&g->b, body);
    Gathered in = {body->args[1], body->args[2], to->where};
    grad_stand_for(g, m->tap->op);
    gather_in_loops(m, phases, loops + 1, n - 1, &in);
    build_yield(&g->b, OP_yield, 2, (Value *[]){in.sum, in.any});
    g->b = outside;
    *to = (Gathered){made->results[0], made->results[1], to->where};
}

/* Lanes become those that hand to the own elements in the first round. */
static void set_first_round(Mover *m)
{
    const Tap *t = m->tap;
    const Op *loops[MOST_LOOPS];
    int n = window_loops(t->op, loops, MOST_LOOPS);

    m->places = true;
    for (int i = 0; i < n; i++) {
        Value *counter = loops[i]->regions[0]->args[0];
        map_put(m->inside, MAP_KEY(counter), build_int(&m->g->b, counter->type, 0));
    }
    for (int d = 0; d < t->nsides; d++) {
        if (window_is_shifted(t, d) && t->sides[d].step.count == 0)
            m->shifts[d] = scalar_of(m, &t->shifts[d]);
    }
}

/* Where a lane's own element is: the address without what is shifted. */
static Value *own_place(Grad *g, const Taps *taps, Value *const *phases)
{
    const Tap *t = taps->at[0];

    for (int i = 0; i < taps->len; i++) {
        bool is_shifted = taps->at[i]->op->block->owner != NULL;
        for (int d = 0; d < taps->at[i]->nsides; d++)
            is_shifted |= window_is_shifted(taps->at[i], d);
        if (!is_shifted)
            return taps->at[i]->op->operands[0];
    }
    Mover m = window_mover(g, t, true);

    set_first_round(&m);
    for (int d = 0; d < t->nsides; d++) {
        m.phases[d] = phases[d];
        if (t->sides[d].division || t->sides[d].step.count > 0)
            window_find_lanes(&m, d);
    }
    return window_for_lanes(&m, t->op->operands[0], window_sides, true);
}

/* Taps that stand in no loop, and of which is known which lanes hand on, at once; false: one does.
 * *n: how many there are. */
static bool gather_plain(Grad *g, const Taps *taps, Value *const *phases, Gathered *to, int *n)
{
    Handed *all = NEW_N(g->arena, Handed, taps->len);
    Mover *movers = NEW_N(g->arena, Mover, taps->len);
    Value *divides = NULL;

    *n = 0;
    for (int i = 0; i < taps->len; i++) {
        if (taps->at[i]->op->block->owner)
            return false;
    }
    for (int i = taps->len - 1; i >= 0 && !divides; i--) { /* in the order of the forward */
        movers[*n] = window_mover(g, taps->at[i], true);
        grad_stand_for(g, taps->at[i]->op);
        *n += set_shifts(&movers[*n], phases, &divides);
    }
    if (divides)
        return false;
    for (int i = 0; i < *n; i++) {
        grad_stand_for(g, movers[i].tap->op);
        all[i] = handed(&movers[i], to->sum->type->dtype);
        all[i].where = to->where;
    }
    return *n == 0 || window_sum(g, all, *n, &to->sum, &to->any);
}

/* Where own elements are, if masks say so of those that lanes step over, or that rounds shift;
 * NULL. */
static Value *own_elements(Grad *g, const Taps *taps, Value *const *phases)
{
    Mover *movers = NEW_N(g->arena, Mover, taps->len);
    bool any = false, in_loops = false;

    for (int i = 0; i < taps->len; i++) {
        Mover *m = &movers[i];
        *m = window_mover(g, taps->at[i], true);
        m->places = m->alone = true;
        for (int d = 0; d < m->tap->nsides; d++) {
            m->phases[d] = phases[d];
            if (m->tap->sides[d].step.count == 0)
                continue;
            any = true;
            window_find_lanes(m, d);
        }
        in_loops |= m->tap->op->block->owner != NULL;
    }
    if (any || !in_loops)
        return any ? window_own_elements(g, movers, taps->len, false) : NULL;
    for (int i = 0; i < taps->len; i++) {
        movers[i] = window_mover(g, taps->at[i], true);
        set_first_round(&movers[i]);
    }
    return window_own_elements(g, movers, taps->len, true);
}

void window_gather_phase(Grad *g, const Taps *taps, Value *const *phases)
{
    const Type *type = taps->at[0]->op->operands[STORE_DATA]->type;
    const Op *loops[MOST_LOOPS];
    Gathered all = {0};
    int handing;

    grad_stand_for(g, taps->at[0]->op);
    const Type *wide =
        dtype_is_small_float(type->dtype) ? type_with_dtype(g->func->module, type, DT_FP32) : type;
    all.sum = build_float(&g->b, wide, 0);
    all.any = build_const(&g->b, type_with_dtype(g->func->module, type, DT_I1), 0);
    value_shaped_like(g->func->module, all.any, taps->at[0]->op->operands[STORE_DATA]);
    all.where = own_elements(g, taps, phases);
    const bool plain = gather_plain(g, taps, phases, &all, &handing);
    if (plain && handing == 0) /* nobody reads these elements */
        return;
    for (int i = taps->len - 1; i >= 0 && !plain; i--) { /* in the order of the forward */
        int n = window_loops(taps->at[i]->op, loops, MOST_LOOPS);
        Mover m = window_mover(g, taps->at[i], true);
        grad_stand_for(g, taps->at[i]->op);
        gather_in_loops(&m, phases, loops, n, &all);
    }
    grad_stand_for(g, taps->at[0]->op);
    Value *d = build_cast(&g->b, all.sum, type->dtype, ROUND_NEAREST);
    Value *mask = all.where ? all.where : all.any;
    Value *operands[3] = {own_place(g, taps, phases), d, mask};
    build_op(&g->b, OP_store, mask ? 3 : 2, operands, 0, NULL, 0, NULL);
}

void window_gather(Grad *g, GradArray *a, const Taps *taps)
{
    grad_stand_for(g, taps->at[0]->op);
    window_gather_phases(g, taps);
    for (int i = 0; i < taps->len; i++)
        op_remove(taps->at[i]->op);
    a->fill = GRAD_STORED;
    a->is_gathered = true;
}
