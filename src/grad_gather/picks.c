/*
 * picks.c - an element of a row that is read by itself, as the logit of the right class: what is
 * handed to it is added where the row's gradient is stored
 *
 *     chosen = tl.load(x + target, mask=(target >= 0) & (target < n))
 *     .. tl.load(x + columns, mask=columns < n)
 *
 *     tl.store(d_x + columns, d_row + tl.where(columns == target, d_chosen, 0.0), mask=columns < n)
 *
 * The row must be gone through once, each element in 0 .. n by one lane, where the mask says that
 * the place is one of these; and what is handed must be known before.  Without a mask, as labels
 * are mostly read, the place is taken to be one of them, as strides are taken to be no less than
 * rows are long: the docstring says so, and the kernel asserts it.
 */
#include <string.h>

#include "../opt/opt.h"
#include "gather.h"
#include "windows.h"

typedef struct {
    Grad *g;
    GradArray *array;
    Op *row;                  /* the atomic of the row's tile */
    GradOps picks;            /* those of one element each */
    Value *columns;           /* of the tile: the place in the row */
    Poly place, address, end; /* of the lanes in the row, in the array; how long the row is */
    Value *length;            /* the same as a value; NULL: none is found */
    bool good;
} Picks;

static bool polynomial(const Value *v, Poly *out)
{
    PolyScope scope = {0};

    return poly_of(&scope, v, window_sides, out);
}

static void find(Op *op, void *picks)
{
    Picks *p = picks;

    if (op->code != OP_atomic_rmw ||
        grad_array_of(p->g, op->operands[STORE_PTR]) != p->array->gradient->index)
        return;
    if (op->operands[STORE_PTR]->type->rank == 0) {
        vec_push(p->g->arena, &p->picks, op);
        return;
    }
    p->good &= !p->row && op->operands[STORE_PTR]->type->rank == 1;
    p->row = op;
}

/* Where a lane is that hands to the element `place` of the row, the address is base + place. */
static Value *place_of(const Picks *p, const Value *mask)
{
    const Op *op = mask ? mask->def : NULL;
    Value *found = NULL;

    if (op && op->code == OP_and) {
        found = place_of(p, op->operands[0]);
        return found ? found : place_of(p, op->operands[1]);
    }
    for (int i = 0; op && op_has(op, COMPARES) && i < 2 && !found; i++) {
        Poly poly, rest = p->address;
        bool is_place = polynomial(op->operands[i], &poly) && poly_has_index(&poly, 0) &&
                        poly_add(&rest, &poly, -1) && !poly_has_index(&rest, -1);
        found = is_place ? op->operands[i] : NULL;
    }
    return found;
}

/* What lanes of the row are compared with as its end, as a scalar; NULL: nothing. */
static Value *length_of(const Picks *p, const Value *mask)
{
    const Op *op = mask ? mask->def : NULL;
    Value *found = NULL;

    for (int i = 0; op && op->code == OP_and && i < 2 && !found; i++)
        found = length_of(p, op->operands[i]);
    if (!op || op->code != OP_lt || op->operands[0] != p->columns)
        return found;
    found = (Value *)opt_plain(op->operands[1]);
    Poly end;
    return found->type->rank == 0 && polynomial(found, &end) && poly_equal(&end, &p->end) ? found
                                                                                          : NULL;
}

/* Which bound of the mask says place < end; false: none. */
static bool find_end(Picks *p, Value *mask)
{
    PolyScope scope = {0};
    PolyBounds bounds;

    poly_bounds(&scope, mask, window_sides, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        p->end = p->place;
        if (poly_add(&p->end, &bounds.below[i], -1) && !poly_has_index(&p->end, -1))
            return true;
    }
    return false;
}

/* Do the lanes, in all rounds of a loop from 0 on, go through the row up to its end? */
static bool covers_row(Picks *p)
{
    const int64_t lanes = p->columns->type->dims[0];
    const Op *loop = p->row->block->owner;
    Poly rest = p->place, hi;
    int64_t lo, step;

    if (!poly_push(&rest, &(PolyTerm){-1, 1, {{NULL, 0}}}))
        return false;
    if (rest.count == 0)
        return terms_is_same_poly(&p->end) &&
               grad_need(p->g, p->array, &p->end, &(PolyTerm){lanes, 0, {{0}}});
    const PolyTerm *t = &rest.terms[0];
    return loop && loop->code == OP_for && rest.count == 1 && t->scale == 1 && t->count == 1 &&
           t->of[0].value == loop->regions[0]->args[0] &&
           value_const_int(loop->operands[FOR_LO], &lo) && lo == 0 &&
           value_const_int(loop->operands[FOR_STEP], &step) && step == lanes &&
           polynomial(loop->operands[FOR_HI], &hi) && poly_equal(&hi, &p->end);
}

/* What runs whenever the row is gone through: the atomic, or the loop around it. */
static Op *walk_of(const Picks *p)
{
    Op *loop = p->row->block->owner;

    return loop && opt_is_loop(loop) ? loop : p->row;
}

/* The element that is picked, as a place in the row; NULL: it is none. */
static Value *place_picked(const Picks *p, const Op *pick)
{
    Poly at, apart = p->address;

    if (!polynomial(pick->operands[STORE_PTR], &at) || !poly_add(&apart, &at, -1) ||
        !poly_add(&apart, &p->place, -1) || apart.count != 1)
        return NULL;
    const PolyTerm *t = &apart.terms[0];
    return t->count == 1 && t->scale == -1 ? (Value *)t->of[0].value : NULL;
}

/* Does the mask say that the place is in the row?  *others: and more than that. */
static bool is_in_row(const Picks *p, const Op *pick, const Value *place, bool *others)
{
    const PolyAtom atom = {place, MAX_RANK + place->id};
    Poly below = {0}, above = {0};
    PolyScope scope = {0};
    PolyBounds bounds;
    unsigned said = 0;
    Value *mask = op_operand(pick, ir_access(pick).mask);

    if (!mask || !poly_push(&below, &(PolyTerm){1, 1, {atom}}) ||
        !poly_push(&above, &(PolyTerm){-1, 1, {atom}}) || !poly_add(&below, &p->end, -1) ||
        !poly_push(&above, &(PolyTerm){-1, 0, {{0}}}))
        return false;
    poly_bounds(&scope, mask, window_sides, &bounds);
    *others = bounds.others;
    for (int i = 0; i < bounds.count; i++) {
        unsigned which = poly_equal(&bounds.below[i], &below)   ? 1
                         : poly_equal(&bounds.below[i], &above) ? 2
                                                                : 0;
        *others |= which == 0;
        said |= which;
    }
    return said == 3;
}

/* Is it read without a mask, so that it can only be taken to lie in the row? */
static bool is_taken_to_be(const Picks *p, const Op *pick)
{
    return !op_operand(pick, ir_access(pick).mask) && p->length &&
           grad_can_stand(p->length, walk_of(p));
}

static bool suits(const Picks *p, const Op *pick)
{
    const Op *walk = walk_of(p);
    Value *place = place_picked(p, pick), *mask = op_operand(pick, ir_access(pick).mask);
    bool others;

    return place && pick->block == walk->block &&
           (is_taken_to_be(p, pick) || is_in_row(p, pick, place, &others)) &&
           grad_can_stand(place, walk) && (!mask || grad_can_stand(mask, walk)) &&
           grad_can_stand(pick->operands[STORE_DATA], walk);
}

/* 0 <= place < length, or the launch ends. */
static void assert_in_row(const Picks *p, const Op *pick)
{
    Grad *g = p->g;
    Op *walk = walk_of(p);
    Builder b = builder_before(walk);
    Value *place = grad_stand(&b, place_picked(p, pick), walk);
    Value *length = grad_stand(&b, p->length, walk);
    const DType wide = place->type->dtype == length->type->dtype ? place->type->dtype : DT_I64;
    Value *begins = build_binary(&b, OP_ge, place, build_int(&b, place->type, 0));
    Value *at = build_cast(&b, place, wide, ROUND_NEAREST);
    Value *ends = build_binary(&b, OP_lt, at, build_cast(&b, length, wide, ROUND_NEAREST));
    Value *both = build_binary(&b, OP_and, begins, ends);
    const char *text = arena_printf(g->arena, "d_%s is wrong: derive with --atomics",
                                    g->func->params[p->array->array->index].name);
    Op *op = build_op(&b, OP_assert, 1, &both, 0, NULL, 0, NULL);

    op->span = pick->span;
    op->site = pick->site;
    attr_set(op, ATTR_message, attr_of_text(g->func->module, text, strlen(text)));
    vec_push(g->arena, &g->granted, ((GradGranted){p->array, op}));
}

/* Is it so of the array that the row alone meets each element once? */
static bool is_row_alone(Grad *g, const GradArray *a)
{
    int rows = 0;

    for (int i = 0; i < a->loads.len; i++)
        rows += a->loads.at[i]->operands[LOAD_PTR]->type->rank > 0;
    return (rows == 1 || a->in_last_pass) && gather_is_alone_in_pass(g, a);
}

/* The picked element's place in the type of the columns; none, -1, where it is not picked. */
static Value *place_for(const Picks *p, Builder *b, const Op *pick)
{
    const Op *walk = walk_of(p);
    const DType dtype = p->columns->type->dtype;
    Value *place = grad_stand(b, place_picked(p, pick), walk);
    bool others = false;

    Value *mask = op_operand(pick, ir_access(pick).mask);
    if (mask)
        is_in_row(p, pick, place_picked(p, pick), &others);
    if (!others && place->type->dtype == dtype)
        return place;
    if (!mask)
        return build_cast(b, place, dtype, ROUND_NEAREST);
    mask = grad_stand(b, mask, walk);
    Value *none = build_int(b, place->type, -1);
    Value *picked = build_cast(b, build_select(b, mask, place, none), dtype, ROUND_NEAREST);
    picked->name = intern(b->module->interner, "picked");
    return picked;
}

/* What a lane has of the pick, 0 but for one. */
static Value *part_of(Picks *p, const Op *pick)
{
    Op *walk = walk_of(p);
    Builder front = builder_before(walk), *b = &p->g->b;
    Value *place = build_splat(b, place_for(p, &front, pick), p->columns->type);
    Value *here = build_binary(b, OP_eq, p->columns, place);
    Value *data = grad_stand(&front, pick->operands[STORE_DATA], walk);
    Value *tile = build_splat(b, data, p->row->operands[STORE_DATA]->type);

    return build_select(b, here, tile, grad_number(p->g, tile, 0));
}

static void store_row(Picks *p)
{
    Grad *g = p->g;
    Value *data = p->row->operands[STORE_DATA], *mask = op_operand(p->row, ir_access(p->row).mask);
    const Builder end = g->b;

    for (int i = 0; i < p->picks.len; i++) {
        if (is_taken_to_be(p, p->picks.at[i]))
            assert_in_row(p, p->picks.at[i]);
    }
    g->b = builder_before(p->row);
    if (!data->name && data->def && data->def->code != OP_const)
        data->name = intern(g->func->module->interner, "d_row");
    for (int i = 0; i < p->picks.len; i++)
        data = build_binary(&g->b, OP_add, data, part_of(p, p->picks.at[i]));
    Value *operands[3] = {p->row->operands[STORE_PTR], data, mask};
    build_op(&g->b, OP_store, 3, operands, 0, NULL, 0, NULL);
    g->b = end;
    op_remove(p->row);
    for (int i = 0; i < p->picks.len; i++)
        op_remove(p->picks.at[i]);
    p->array->fill = GRAD_STORED;
    p->array->is_picked = true;
}

void gather_picks(Grad *g, GradArray *a)
{
    Picks p = {.g = g, .array = a, .good = true};
    const int needs = g->needs.len;

    if (a->fill != GRAD_ADDED || grad_by_atomics(g, a))
        return;
    ir_walk(g->func->body, find, &p);
    Value *mask = p.row ? op_operand(p.row, ir_access(p.row).mask) : NULL;
    p.good =
        p.good && mask && p.picks.len > 0 && polynomial(p.row->operands[STORE_PTR], &p.address);
    p.columns = p.good ? place_of(&p, mask) : NULL;
    p.good = p.columns && polynomial(p.columns, &p.place) && find_end(&p, mask) &&
             is_row_alone(g, a) && covers_row(&p);
    p.length = p.good ? length_of(&p, mask) : NULL;
    for (int i = 0; i < p.picks.len && p.good; i++)
        p.good = suits(&p, p.picks.at[i]);
    if (p.good)
        store_row(&p);
    else
        g->needs.len = needs;
}
