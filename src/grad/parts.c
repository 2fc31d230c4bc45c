/*
 * parts.c - programs that meet at an element: each adds to a row of its own, and a second kernel
 * adds the rows up in their order
 *
 * A row has the elements of the array, at the same places.  How many these are follows from the
 * mask of the load, from what its address may reach, or is a parameter that the launch gives.
 */
#include "../opt/opt.h"
#include "../opt/poly.h"
#include "grad.h"

enum { NOT_ONE = -1 };

static bool is_one_scalar(const Poly *p, Value **out)
{
    const PolyTerm *t = &p->terms[0];

    if (p->count != 1 || t->count != 1 || t->scale != 1 || !t->of[0].value ||
        t->of[0].value->block->owner || !grad_same_for_all(t->of[0].value))
        return false;
    *out = (Value *)t->of[0].value;
    return true;
}

/* The scalar that the mask says the place behind `begin` to be less than; NULL: it says none. */
static Value *bound_in(const Value *begin, const Value *pointer, const Value *mask)
{
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    Value *found = NULL;
    int8_t map[MAX_RANK];
    Poly place, base, bound;

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (!poly_of(&scope, pointer, map, &place) || !poly_of(&scope, begin, map, &base) ||
        !poly_add(&place, &base, -1))
        return NULL;
    poly_bounds(&scope, mask, map, &bounds);
    for (int i = 0; i < bounds.count && !found; i++) {
        bound = place;
        if (poly_add(&bound, &bounds.below[i], -1))
            is_one_scalar(&bound, &found);
    }
    return found;
}

static Value *bound_of(const GradArray *a, const Op *load)
{
    const Value *mask = op_operand(load, LOAD_MASK);

    return mask ? bound_in(a->array, load->operands[LOAD_PTR], mask) : NULL;
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
    Value *bound = bound_of(a, loads->at[0]);
    int64_t reach = 0;

    for (int i = 0; i < loads->len; i++) {
        int64_t far = grad_reach(g, loads->at[i], programs);
        if (bound_of(a, loads->at[i]) != bound)
            bound = NULL;
        reach = far == 0 || reach == NOT_ONE ? NOT_ONE : MAX(reach, far);
    }
    if (bound)
        return bound;
    if (reach > 0 && reach < INT32_MAX)
        return extent_of(g, reach, loads);
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
    int64_t reach;

    if (value_const_int(a->width, &reach))
        return true;
    return mask && bound_in(a->row, pointer, mask) == grad_in_front(g, a->width);
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
