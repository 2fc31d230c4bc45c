/*
 * moved.c - what a tap hands on, computed for lanes of other numbers, and gathered
 *
 * A value is made once more with the numbers of lanes that it is made of less by the tap's shift.
 * That is another lane's value where no op between looks at more than one lane along a side that
 * is shifted, and where the number is all that is known of lane and program: program * BLOCK +
 * lane.
 */
#include <string.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

static Value *here(Mover *m, Value *v);

enum { KNOWS = 1, KNOWS_NOT };

/* Does it depend on which program it is, along these axes?  `told` keeps what is known of values.
 */
static bool knows_program(unsigned axes, const Value *v, Map *told)
{
    const uintptr_t known = (uintptr_t)map_get(told, MAP_KEY(v));
    const Op *op = v->def;
    bool knows = false;

    if (known)
        return known == KNOWS;
    if (!op)
        knows = v->block->owner && !window_is_counter(v);
    else if (op->code == OP_program_id)
        knows = axes >> attr_axis(op) & 1;
    else if (op->regions[0] && !op_has(op, COMBINES))
        knows = true;
    for (int i = 0; op && i < op->noperands && !knows; i++)
        knows = knows_program(axes, op->operands[i], told);
    map_put(told, MAP_KEY(v), (void *)(uintptr_t)(knows ? KNOWS : KNOWS_NOT));
    return knows;
}

static bool is_same_for_programs(const Mover *m, const Value *v)
{
    return m->axes == 0 || !knows_program(m->axes, v, m->know_axes);
}

/* A copy of the op with these operands. */
static Value *with_operands(Mover *m, const Op *op, Value *const *operands)
{
    Map *to = map_new(m->g->arena);

    for (int i = 0; i < op->noperands; i++)
        map_put(to, MAP_KEY(op->operands[i]), operands[i]);
    return op_clone(&m->g->b, op, to)->results[0];
}

static Value *copied(Mover *m, Value *v)
{
    const Op *op = v->def;
    Value *operands[MAX_RANK];

    if (!op || op->nresults != 1 || op->noperands > MAX_RANK ||
        (op->regions[0] && !op_has(op, COMBINES)))
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        operands[i] = here(m, op->operands[i]);
        if (!operands[i])
            return NULL;
    }
    return m->builds ? with_operands(m, op, operands) : v;
}

/* As it is, for any lane. */
static Value *here(Mover *m, Value *v)
{
    Value *known = map_get(m->inside, MAP_KEY(v));

    if (known || !v->block->owner)
        return known ? known : v;
    return copied(m, v);
}

/* Does it depend on which row the program is, if rows are shifted? */
static bool knows_row(const Mover *m, const Value *v)
{
    return m->rows != 0 && knows_program(m->rows, v, m->know_rows);
}

static bool moves(const Mover *m, const Value *v, const int8_t *sides)
{
    if (knows_row(m, v))
        return true;
    for (int d = 0; d < v->type->rank; d++) {
        if (sides[d] >= 0 && window_is_shifted(m->tap, sides[d]))
            return true;
    }
    return false;
}

static bool is_program(const Mover *m, const PolyAtom *a)
{
    const Op *op = a->value ? a->value->def : NULL;

    return op && op->code == OP_program_id && m->axes >> attr_axis(op) & 1;
}

/* The axis of the grid that the number goes on along, of a lane or of a program; -1: none. */
static int axis_behind(const Mover *m, const PolyAtom *a)
{
    if (is_program(m, a))
        return (int)attr_axis(a->value->def);
    int axis = a->value ? -1 : m->tap->sides[a->key].axis;
    return axis >= 0 && m->axes >> axis & 1 ? axis : -1;
}

static PolyTerm without(const PolyTerm *t, int factor)
{
    PolyTerm rest = *t;

    rest.scale = 1;
    rest.count--;
    memmove(&rest.of[factor], &rest.of[factor + 1],
            sizeof rest.of[0] * (size_t)(rest.count - factor));
    return rest;
}

/* Does the polynomial have, for this factor, a lane's number, the program's times the count of
 * lanes, and the other way round? */
static bool has_twin(const Mover *m, const Poly *p, const PolyTerm *t, int factor)
{
    const PolyAtom *a = &t->of[factor];
    const PolyTerm rest = without(t, factor);

    for (int i = 0; i < p->count; i++) {
        const PolyTerm *other = &p->terms[i];
        for (int k = 0; k < other->count && other->count == t->count; k++) {
            const PolyAtom *b = &other->of[k], *lane = a->value ? b : a;
            const PolyTerm left = without(other, k);
            PolyTerm quotient;

            if (axis_behind(m, b) != axis_behind(m, a) || !a->value == !b->value)
                continue;
            int64_t count = m->tap->sides[lane->key].count;
            if (poly_divide(&left, &rest, &quotient) && quotient.count == 0 &&
                (a->value ? t->scale == other->scale * count : other->scale == t->scale * count))
                return true;
        }
    }
    return false;
}

/* Does the number of a lane or program stand in it other than as program * count + lane? */
static bool is_torn(const Mover *m, const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const PolyAtom *a = &p->terms[i].of[k];

            if (is_program(m, a) && m->rows >> attr_axis(a->value->def) & 1)
                continue;
            if (axis_behind(m, a) >= 0 ? !has_twin(m, p, &p->terms[i], k)
                                       : a->value && !is_same_for_programs(m, a->value))
                return true;
        }
    }
    return false;
}

/* Is the integer made of program * count + lane alone, where sides are shifted? */
static bool is_whole(const Mover *m, const Value *v, const int8_t *sides)
{
    PolyScope scope = {0};
    Poly p;

    return (v->type->pointer || dtype_is_int(v->type->dtype)) && v->type->dtype != DT_I1 &&
           poly_of(&scope, v, sides, &p) && !is_torn(m, &p);
}

static Value *moved(Mover *m, Value *v, const int8_t *sides, bool whole);

static Value *shifted_lanes(Mover *m, Value *v, int side)
{
    if (m->tap->sides[side].division)
        return NULL; /* they are known as numbers, or not at all */
    if (!m->builds)
        return v;
    Value *shift = build_splat(&m->g->b, m->shifts[side], v->type);
    return build_binary(&m->g->b, OP_add, here(m, v), shift);
}

static Value *shifted_row(Mover *m, Value *program)
{
    for (int d = m->tap->op->operands[0]->type->rank; d < m->tap->nsides && m->builds; d++) {
        if (m->tap->sides[d].axis == attr_axis(program->def) && !m->tap->sides[d].division)
            return build_binary(&m->g->b, OP_add, program, m->shifts[d]);
    }
    return program;
}

static Value *moved_load(Mover *m, const Op *op, const int8_t *sides)
{
    Value *pointer = op->operands[LOAD_PTR], *mask = op_operand(op, LOAD_MASK);
    Value *other = op_operand(op, LOAD_OTHER);

    pointer = moved(m, pointer, sides, false);
    mask = pointer && mask ? moved(m, mask, sides, false) : NULL;
    other = pointer && other ? moved(m, other, sides, false) : NULL;
    if (!pointer || (op_operand(op, LOAD_MASK) && !mask) || (op_operand(op, LOAD_OTHER) && !other))
        return NULL;
    if (!m->builds)
        return op->results[0];
    mask =
        window_where_present(m, mask, pointer->type, sides, knows_row(m, op->operands[LOAD_PTR]));
    return build_load(&m->g->b, pointer, mask,
                      mask && !other ? grad_number(m->g, op->results[0], 0) : other)
        ->results[0];
}

static Value *moved_op(Mover *m, const Op *op, const int8_t *sides, bool whole)
{
    bool is_known = op_is_elementwise(op) || op->code == OP_splat || op->code == OP_broadcast ||
                    op->code == OP_expand || op->code == OP_permute ||
                    (op->code == OP_reduce && op->noperands == 1);
    Value *operands[MAX_ELEMENTWISE_OPERANDS];
    int8_t of[MAX_RANK];

    Value *known = window_known_of_division(m, op);
    if (known)
        return known;
    if (op->code == OP_program_id)
        return m->rows >> attr_axis(op) & 1 ? shifted_row(m, op->results[0]) : NULL;
    if (op->code == OP_arange)
        return whole ? shifted_lanes(m, op->results[0], sides[0]) : NULL;
    if (op_only_reads(op))
        return moved_load(m, op, sides);
    if (!is_known)
        return NULL;
    for (int i = 0; i < op->noperands; i++) {
        gather_operand_sides(op, op->operands[i], sides, of);
        operands[i] = moved(m, op->operands[i], of, whole);
        if (!operands[i])
            return NULL;
    }
    return m->builds ? with_operands(m, op, operands) : op->results[0];
}

static Value *moved(Mover *m, Value *v, const int8_t *sides, bool whole)
{
    uint64_t key = (uint64_t)v->id * 2 + whole;

    for (int d = 0; d < v->type->rank; d++)
        key = key * (MAX_RANK + 1) + (uint64_t)(sides[d] + 1);
    key = key * (MAX_RANK + 1) + (uint64_t)v->type->rank; /* or keys of values of two ranks meet */
    Value *known = map_get(m->moved, key);
    if (known)
        return known;
    if (v->def && v->def->code == OP_const)
        known = m->builds ? op_clone(&m->g->b, v->def, map_new(m->g->arena))->results[0] : v;
    else if (!moves(m, v, sides))
        known = whole || is_same_for_programs(m, v) ? here(m, v) : NULL;
    else if (v->def && (known = window_number_of_division(m, v, sides)) != NULL)
        ;
    else if (v->def && v->type->rank <= MOST_SIDES)
        known = moved_op(m, v->def, sides, whole || m->axes == 0 || is_whole(m, v, sides));
    if (known)
        map_put(m->moved, key, known);
    return known;
}

/* --- building --- */

Value *window_scalar(Mover *m, const Poly *p, int64_t times)
{
    Builder *b = &m->g->b;
    const Type *i32 = type_scalar(m->g->func->module, DT_I32);
    Value *sum = NULL;

    for (int i = p->count - 1; i >= 0; i--) {
        const PolyTerm *t = &p->terms[i];
        Value *v = t->count > 0 ? here(m, (Value *)t->of[0].value) : NULL;

        v = v ? build_cast(b, v, DT_I32, ROUND_NEAREST) : NULL;
        Value *scale = build_int(b, i32, times * t->scale);
        v = !v ? scale : times * t->scale == 1 ? v : build_binary(b, OP_mul, v, scale);
        sum = sum ? build_binary(b, OP_add, sum, v) : v;
    }
    return sum;
}

/* What is added to a lane's number. */
static Value *scalar_of(Mover *m, const Poly *shift)
{
    return window_scalar(m, shift, -1);
}

static Mover mover_of(Grad *g, const Tap *t, bool builds)
{
    return (Mover){.g = g,
                   .tap = t,
                   .builds = builds,
                   .axes = window_axes(t),
                   .rows = window_rows(t),
                   .inside = map_new(g->arena),
                   .moved = map_new(g->arena),
                   .know_axes = map_new(g->arena),
                   .know_rows = map_new(g->arena)};
}

static void set_shifts(Mover *m)
{
    for (int d = 0; d < m->tap->nsides; d++) {
        if (!window_is_shifted(m->tap, d))
            continue;
        m->shifts[d] = scalar_of(m, &m->tap->shifts[d]);
        window_find_lanes(m, d);
    }
}

/* The loops around the tap, outermost first; -1: something else stands around it. */
static int loops_around(const Op *op, const Op **out, int room)
{
    int n = 0;

    for (const Op *o = op->block->owner; o; o = o->block->owner) {
        if (o->code != OP_for || n == room)
            return -1;
        memmove(out + 1, out, sizeof *out * (size_t)n++);
        out[0] = o;
    }
    return n;
}

enum { MOST_LOOPS = 4 };

/* Can what the tap hands on be made for other lanes? */
bool window_can_move(Grad *g, const Tap *t)
{
    const Op *loops[MOST_LOOPS];
    int n = loops_around(t->op, loops, MOST_LOOPS);
    Mover m = mover_of(g, t, false);

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < FOR_BOUNDS; k++) {
            if (!here(&m, loops[i]->operands[k]) ||
                !is_same_for_programs(&m, loops[i]->operands[k]))
                return false;
        }
        Value *counter = loops[i]->regions[0]->args[0];
        map_put(m.inside, MAP_KEY(counter), counter);
    }
    for (int i = 0; i < t->op->noperands && n >= 0; i++) {
        if (!moved(&m, t->op->operands[i], window_sides, false))
            return false;
    }
    return n >= 0;
}

/* What lanes hand on so far, and whether there was anything. */
typedef struct {
    Value *sum, *any;
} Gathered;

static Handed handed(Mover *m, DType type)
{
    const Tap *t = m->tap;
    Value *mask = op_operand(t->op, STORE_MASK), *data = t->op->operands[STORE_DATA];

    set_shifts(m);
    Value *d = moved(m, data, window_sides, false);
    mask = mask ? moved(m, mask, window_sides, false) : NULL;
    memset(m->spread, 0, sizeof m->spread);
    mask = window_where_present(m, mask, data->type, window_sides, true);
    Handed h = {.data = build_cast(&m->g->b, d, type, ROUND_NEAREST), .mask = mask, .mover = m};
    memcpy(h.present, m->spread, sizeof h.present);
    return h;
}

static void gather(Mover *m, Gathered *to)
{
    Builder *b = &m->g->b;
    const Handed h = handed(m, to->sum->type->dtype);
    Value *mask = h.mask, *d = h.data;
    uint64_t bits;
    bool none = value_constant(to->any, &bits) && bits == 0;

    if (!window_choose(m->g, &h, &d, &mask))
        d = build_select(b, mask, d, grad_number(m->g, to->sum, 0));
    mask = mask ? mask : build_const(b, to->any->type, 1);
    to->sum = grad_is_number(to->sum, 0) ? d : build_binary(b, OP_add, to->sum, d);
    to->any = none ? mask : build_binary(b, OP_or, to->any, mask);
}

static void gather_in_loops(Mover *m, const Op *const *loops, int n, Gathered *to)
{
    Grad *g = m->g;

    if (n == 0) {
        gather(m, to);
        return;
    }
    const Builder outside = g->b;
    const Type *types[2] = {to->sum->type, to->any->type};
    Value *operands[FOR_BOUNDS + 2];
    for (int i = 0; i < FOR_BOUNDS; i++)
        operands[i] = here(m, loops[0]->operands[i]);
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
    body->args[1]->name = intern(g->func->module->interner, "gathered");
    body->args[2]->name = intern(g->func->module->interner, "is_read");
    body->args[0]->name = loops[0]->regions[0]->args[0]->name;
    map_put(m->inside, MAP_KEY(loops[0]->regions[0]->args[0]), body->args[0]);
    g->b = builder_into(&g->b, body);
    Gathered in = {body->args[1], body->args[2]};
    grad_stand_for(g, m->tap->op);
    gather_in_loops(m, loops + 1, n - 1, &in);
    build_yield(&g->b, OP_yield, 2, (Value *[]){in.sum, in.any});
    g->b = outside;
    *to = (Gathered){made->results[0], made->results[1]};
}

/* Where a lane's own element is: the address without what is shifted. */
static Value *own_place(Grad *g, const Taps *taps)
{
    const Tap *t = taps->at[0];
    const Op *loops[MOST_LOOPS];

    for (int i = 0; i < taps->len; i++) {
        bool is_shifted = taps->at[i]->op->block->owner != NULL;
        for (int d = 0; d < taps->at[i]->nsides; d++)
            is_shifted |= window_is_shifted(taps->at[i], d);
        if (!is_shifted)
            return taps->at[i]->op->operands[0];
    }
    int n = loops_around(t->op, loops, MOST_LOOPS);
    Mover m = mover_of(g, t, true);

    for (int i = 0; i < n; i++) {
        Value *counter = loops[i]->regions[0]->args[0];
        map_put(m.inside, MAP_KEY(counter), build_int(&g->b, counter->type, 0));
    }
    for (int d = 0; d < t->nsides; d++) {
        if (window_is_shifted(t, d))
            m.shifts[d] = scalar_of(&m, &t->shifts[d]);
        if (t->sides[d].division)
            window_find_lanes(&m, d);
    }
    return moved(&m, t->op->operands[0], window_sides, true);
}

/* Taps that stand in no loop, at once; false: one does. */
static bool gather_plain(Grad *g, const Taps *taps, Gathered *to)
{
    Handed *all = NEW_N(g->arena, Handed, taps->len);

    for (int i = 0; i < taps->len; i++) {
        if (taps->at[i]->op->block->owner)
            return false;
    }
    for (int i = 0; i < taps->len; i++) { /* in the order of the forward */
        Mover *m = NEW(g->arena, Mover);
        *m = mover_of(g, taps->at[taps->len - 1 - i], true);
        grad_stand_for(g, m->tap->op);
        all[i] = handed(m, to->sum->type->dtype);
    }
    return window_sum(g, all, taps->len, &to->sum, &to->any);
}

void window_gather(Grad *g, GradArray *a, const Taps *taps)
{
    const Type *type = taps->at[0]->op->operands[STORE_DATA]->type;
    const Op *loops[MOST_LOOPS];
    Gathered all;

    grad_stand_for(g, taps->at[0]->op);
    const Type *wide =
        dtype_is_small_float(type->dtype) ? type_with_dtype(g->func->module, type, DT_FP32) : type;
    all.sum = build_float(&g->b, wide, 0);
    all.any = build_const(&g->b, type_with_dtype(g->func->module, type, DT_I1), 0);
    value_shaped_like(g->func->module, all.any, taps->at[0]->op->operands[STORE_DATA]);
    const bool plain = gather_plain(g, taps, &all);
    for (int i = taps->len - 1; i >= 0 && !plain; i--) { /* in the order of the forward */
        int n = loops_around(taps->at[i]->op, loops, MOST_LOOPS);
        Mover m = mover_of(g, taps->at[i], true);
        grad_stand_for(g, taps->at[i]->op);
        gather_in_loops(&m, loops, n, &all);
    }
    grad_stand_for(g, taps->at[0]->op);
    Value *d = build_cast(&g->b, all.sum, type->dtype, ROUND_NEAREST);
    Value *operands[3] = {own_place(g, taps), d, all.any};
    build_op(&g->b, OP_store, all.any ? 3 : 2, operands, 0, NULL, 0, NULL);
    for (int i = 0; i < taps->len; i++)
        op_remove(taps->at[i]->op);
    a->fill = GRAD_STORED;
    a->is_gathered = true;
}
