/*
 * parts.c - programs that meet at an element: each adds to a row of its own, and a second kernel
 * adds the rows up in their order
 *
 * A row has the elements of the array, at the same places.  How many these are follows from the
 * mask of the load, or, where it has none, from what its address reaches; or it is a parameter that
 * the launch gives.  More must it never be: the second kernel would store behind the array's end.
 */
#include "../axis/poly.h"
#include "../opt/opt.h"
#include "grad.h"

/* So many times a scalar that is the same for all, as rows of values and gates have two n; or so
 * many. */
typedef struct {
    Value *scalar; /* NULL: a constant */
    int64_t times; /* 0: not known */
} Length;

static bool is_same_length(Length a, Length b)
{
    return a.scalar == b.scalar && a.times == b.times;
}

/* Does each element of a lie in b? */
static bool is_within(Length a, Length b)
{
    return a.times > 0 && a.scalar == b.scalar && a.times <= b.times;
}

/* One more than the most that the polynomial may be, over the indices of the tile. */
static Length length_of(const Poly *p, const Type *tile)
{
    Length out = {0};
    int64_t most = 1;

    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        Value *v = (Value *)t->of[0].value;

        if (t->count == 0)
            most += t->scale;
        else if (t->count > 1 || t->scale < 0 || out.scalar)
            return (Length){0};
        else if (!v)
            most += t->scale * (tile->dims[t->of[0].key] - 1);
        else if (v->block->owner || !terms_same_for_all(v))
            return (Length){0};
        else
            out = (Length){v, t->scale};
    }
    if (!out.scalar)
        return (Length){NULL, MAX(most, 0)};
    return most <= 0 ? out : (Length){0};
}

/* The place, of which `below`, so many times, is less than 0: n - 1 or less of place - (place - n).
 */
static Length length_by(const Poly *place, const Poly *below, const Type *tile)
{
    for (int i = 0; i < place->count; i++) {
        for (int k = 0; k < below->count; k++) {
            const int64_t by = below->terms[k].scale, times = place->terms[i].scale / by;
            Poly rest = *place;

            if (times <= 0 || !poly_add(&rest, below, -times) ||
                !poly_push(&rest, &(PolyTerm){-times, 0, {{0}}}))
                continue;
            Length found = length_of(&rest, tile);
            if (found.times > 0)
                return found;
        }
    }
    return (Length){0};
}

/* What the mask, and the tile itself, say the place behind `begin` to be less than. */
typedef struct {
    Length by_tile, by_mask[POLY_BOUNDS];
    int n;
} Lengths;

static Lengths lengths_of(const Value *begin, const Value *pointer, Value *mask)
{
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    Lengths out = {0};
    int8_t map[MAX_RANK];
    Poly place, base;

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (!poly_of(&scope, pointer, map, &place) || !poly_of(&scope, begin, map, &base) ||
        !poly_add(&place, &base, -1))
        return out;
    out.by_tile = length_of(&place, pointer->type);
    if (mask)
        poly_bounds(&scope, mask, map, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        Length found = length_by(&place, &bounds.below[i], pointer->type);
        if (found.times > 0)
            out.by_mask[out.n++] = found;
    }
    return out;
}

/* How long the load's mask says the array to be: nothing, where it says two things. */
static Length length_by_mask(const GradArray *a, const Op *load)
{
    Lengths all = lengths_of(a->array, load->operands[LOAD_PTR], op_operand(load, LOAD_MASK));
    Length found = all.n > 0 ? all.by_mask[0] : (Length){0};

    for (int i = 1; i < all.n; i++) {
        if (!is_same_length(all.by_mask[i], found))
            return (Length){0};
    }
    return found;
}

/* Without a mask, and in no loop or branch that may not run. */
static bool surely_reads_all(const Op *load)
{
    uint64_t trips;

    for (const Op *o = load->block->owner; o; o = o->block->owner) {
        if (o->code != OP_for || !opt_trip_count(o, &trips) || trips == 0)
            return false;
    }
    return !op_operand(load, LOAD_MASK);
}

/* Of what all loads read, what one says of the array. */
static Length length_of_array(const Grad *g, const GradArray *a, const GradOps *loads,
                              unsigned programs)
{
    Length longest = {0};
    bool agree = true;
    int64_t most = 0; /* that any may reach; -1: not known */

    for (int i = 0; i < loads->len; i++) {
        const Op *load = loads->at[i];
        const int64_t reach = grad_reach(g, load, programs);
        const bool all = surely_reads_all(load) && reach > 0;
        const Length here = all ? (Length){NULL, reach} : length_by_mask(a, load);

        most = reach == 0 || most < 0 ? -1 : MAX(most, reach);
        if (here.times == 0 || (i > 0 && here.scalar != longest.scalar))
            agree = false;
        if (here.times > longest.times && (agree || !here.scalar))
            longest = here;
    }
    bool is_all = !longest.scalar && most > 0 && longest.times >= most;
    return agree || is_all ? longest : (Length){0};
}

/* Of one load that reads a tile from the array's beginning on: the extent, with its name. */
static Value *extent_of(Grad *g, int64_t reach, const GradOps *loads)
{
    const Value *p = loads->at[0]->operands[LOAD_PTR];
    Value *width = build_int(&g->b, type_scalar(g->func->module, DT_I32), reach);

    if (loads->len == 1 && p->type->rank == 1 && p->type->dims[0] == reach)
        width->number = value_extent(p, 0);
    return width;
}

static Value *width_of(Grad *g, const GradArray *a, const GradOps *loads, unsigned programs)
{
    const Length n = length_of_array(g, a, loads, programs);

    if (n.scalar && n.times == 1)
        return n.scalar;
    if (n.scalar)
        return build_binary(&g->b, OP_mul, n.scalar, build_int(&g->b, n.scalar->type, n.times));
    if (n.times > 0 && n.times < INT32_MAX)
        return extent_of(g, n.times, loads);
    return grad_new_parameter(
        g, arena_printf(g->arena, "%s_size", g->func->params[a->array->index].name),
        type_scalar(g->func->module, DT_I32));
}

bool grad_can_have_parts(const Grad *g, const GradOps *loads, unsigned programs)
{
    for (int i = 0; i < loads->len; i++) {
        if (grad_reach(g, loads->at[i], programs) < 0)
            return false;
    }
    return true;
}

/* Do programs that walk over others count for these axes? */
static bool is_counted_walking(const Grad *g, unsigned axes)
{
    return g->walk.axes && (g->walk.axes & ~axes) == 0;
}

Value *grad_program_number(const Grad *g, Builder *b, unsigned axes)
{
    const Type *i32 = type_scalar(g->func->module, DT_I32);
    const bool walks = is_counted_walking(g, axes);
    Value *number = NULL;

    if (walks) /* of the axes that are walked along only the first has programs */
        axes &= ~g->walk.axes | 1u << __builtin_ctz(g->walk.axes);
    for (int64_t axis = AXES - 1; axis >= 0; axis--) {
        if (!(axes >> axis & 1))
            continue;
        bool is_own = walks && g->walk.axes >> axis & 1;
        Value *here = is_own ? g->walk.program
                             : build_op(b, OP_program_id, 0, NULL, 1, &axis, 1, &i32)->results[0];
        Value *count = is_own
                           ? g->walk.programs
                           : build_op(b, OP_num_programs, 0, NULL, 1, &axis, 1, &i32)->results[0];
        here = build_cast(b, here, DT_I64, ROUND_NEAREST);
        count = build_cast(b, count, DT_I64, ROUND_NEAREST);
        number =
            number ? build_binary(b, OP_add, build_binary(b, OP_mul, number, count), here) : here;
    }
    return number;
}

bool grad_is_in_row(Grad *g, const GradArray *a, Value *pointer, Value *mask)
{
    const Lengths lengths = lengths_of(a->row, pointer, mask);
    const int8_t map[MAX_RANK] = {0};
    PolyScope scope = {0};
    Poly width;

    if (!poly_of(&scope, grad_in_front(g, a->width), map, &width) ||
        !poly_push(&width, &(PolyTerm){-1, 0, {{0}}}))
        return false;
    const Length row = length_of(&width, a->width->type);
    bool found = is_within(lengths.by_tile, row);
    for (int i = 0; i < lengths.n && !found; i++)
        found = is_within(lengths.by_mask[i], row);
    return found;
}

bool grad_fills_row(Grad *g, const GradArray *a, Value *pointer, Value *mask)
{
    const int8_t map[MAX_RANK] = {0};
    const PolyTerm lane = {1, 1, {{NULL, 0}}};
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    Poly place, base, width, rest = {0};

    if (pointer->type->rank != 1 || !poly_of(&scope, pointer, map, &place) ||
        !poly_of(&scope, a->row, map, &base) || !poly_add(&place, &base, -1) ||
        !poly_push(&rest, &lane) || !poly_equal(&place, &rest) ||
        !poly_of(&scope, grad_in_front(g, a->width), map, &width))
        return false;
    const PolyTerm lanes = {.scale = pointer->type->dims[0]};
    if (mask) {
        poly_bounds(&scope, mask, map, &bounds);
        if (bounds.others || bounds.count != 1 || !poly_add(&place, &bounds.below[0], -1) ||
            !poly_equal(&place, &width))
            return false;
    }
    return terms_is_same_poly(&width) && grad_need(g, a, &width, &lanes);
}

void grad_make_parts(Grad *g, GradArray *a)
{
    Module *m = g->func->module;
    Param *param = &g->func->params[a->gradient->index];
    DType t = dtype_is_small_float(a->array->type->dtype) ? DT_FP32 : a->array->type->dtype;
    const Builder before = g->b;

    a->total = param->name;
    param->name =
        intern(m->interner, grad_free_name(g, arena_printf(g->arena, "%s_parts", param->name)));
    a->gradient->type = type_pointer(m, t, false);
    a->width = width_of(g, a, &a->loads, g->asked & ~a->meeting);
    Value *width = a->width;
    if (grad_is_walked(g, a)) {
        width = grad_in_front(g, width);
        g->b = builder_before(g->walk.front);
    }
    grad_stand_for(g, a->loads.at[0]);
    Value *wide = build_cast(&g->b, width, DT_I64, ROUND_NEAREST);
    Value *at = build_binary(&g->b, OP_mul, grad_program_number(g, &g->b, a->meeting), wide);
    a->row = build_addptr(&g->b, a->gradient, at);
    a->row->name = intern(m->interner, arena_printf(g->arena, "%s_row", a->total));
    g->b = before;
}
