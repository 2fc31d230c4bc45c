/*
 * meet.c - lanes and rounds of one program that meet at an element: they are summed in the program,
 * and added once
 *
 * ../grad_facts/meeting.c says of each load which do; grad_add_to_array() follows that.
 */
#include "../opt/opt.h"
#include "grad.h"

/* --- values without some of their axes --- */

static const Type *type_without(Module *m, const Type *t, unsigned axes)
{
    Type less = *t;

    less.rank = 0;
    for (int d = 0; d < t->rank; d++) {
        if (!(axes >> d & 1))
            less.dims[less.rank++] = t->dims[d];
    }
    for (int d = less.rank; d < MAX_RANK; d++)
        less.dims[d] = 0;
    return type_of(m, less);
}

/* Where the builder is; pointers in the array of gradients. */
static Value *drop(Grad *g, Value *v, unsigned axes, const GradArray *to);

static Value *drop_permuted(Grad *g, const Op *op, unsigned axes, const GradArray *to)
{
    unsigned before = grad_axes_before_permute(op, axes);
    int n, left[MAX_RANK], count = 0;
    const int64_t *dims = attr_dims(op, &n);

    for (int i = 0; i < n; i++) {
        if (!(axes >> i & 1))
            left[count++] = (int)dims[i] - __builtin_popcount(before & ((1u << dims[i]) - 1));
    }
    Value *v = drop(g, op->operands[0], before, to);
    return count > 1 ? build_permute(&g->b, v, left) : v;
}

static Value *drop_elementwise(Grad *g, const Op *op, unsigned axes, const GradArray *to)
{
    const Type *type = type_without(g->func->module, op->results[0]->type, axes);
    Value *operands[MAX_ELEMENTWISE_OPERANDS];

    for (int i = 0; i < op->noperands; i++)
        operands[i] = drop(g, op->operands[i], axes, to);
    if (op->code == OP_addptr)
        return build_addptr(&g->b, operands[0], operands[1]);
    return build_op(&g->b, op->code, op->noperands, operands, op->nattrs, op->attrs, 1, &type)
        ->results[0];
}

static Value *moved(Grad *g, Value *v, const GradArray *to)
{
    return v->type->pointer ? grad_rebase(g, v, to) : grad_value(g, v);
}

static Value *drop(Grad *g, Value *v, unsigned axes, const GradArray *to)
{
    Module *m = g->func->module;
    const Op *op = v->def;
    const Type *type = type_without(m, v->type, axes);
    int at, kept;

    if (axes == 0)
        return moved(g, v, to);
    switch (op ? op->code : OP_COUNT) {
    case OP_splat:
        v = moved(g, op->operands[0], to);
        return type->rank == 0 ? v : build_splat(&g->b, v, type_with_shape(m, v->type, type));
    case OP_const:
        return build_const(&g->b, type, (uint64_t)op->attrs[0]);
    case OP_hint:
        return drop(g, op->operands[0], axes, to);
    case OP_broadcast:
        v = drop(g, op->operands[0], axes, to);
        return build_broadcast(&g->b, v, type_with_shape(m, type_element(m, v->type), type));
    case OP_expand:
        at = (int)attr_axis(op);
        kept = at - __builtin_popcount(axes & ((1u << at) - 1));
        v = drop(g, op->operands[0], grad_axes_before_expand(op, axes & ~(1u << at)), to);
        return axes >> at & 1 ? v : build_expand(&g->b, v, kept);
    case OP_permute:
        return drop_permuted(g, op, axes, to);
    default:
        if (op && (op->code == OP_addptr || op_is_elementwise(op)))
            return drop_elementwise(g, op, axes, to);
        return build_reshape(&g->b, moved(g, v, to), type->rank, type->dims);
    }
}

Value *grad_drop(Grad *g, Value *v, unsigned axes)
{
    return drop(g, v, axes, NULL);
}

/* --- adding --- */

Value *grad_widened(Grad *g, Value *d)
{
    const Op *cast = opt_made_by(d, OP_cast);

    if (!dtype_is_small_float(d->type->dtype))
        return d;
    return cast && cast->operands[0]->type->dtype == DT_FP32
               ? cast->operands[0]
               : build_cast(&g->b, d, DT_FP32, ROUND_NEAREST);
}

static Value *along(Grad *g, OpCode how, Value *v, unsigned axes)
{
    for (int d = v->type->rank - 1; d >= 0; d--) {
        if (axes >> d & 1)
            v = build_reduce_along(&g->b, how, v, d);
    }
    return v;
}

/* Is it true for some of the lanes that meet? */
static Value *any(Grad *g, Value *mask, unsigned axes)
{
    const Op *both = opt_made_by(mask, OP_and);

    if (grad_can_drop(mask, axes))
        return drop(g, mask, axes, NULL);
    for (int i = 0; both && i < 2; i++) {
        if (!grad_can_drop(both->operands[i], axes))
            continue;
        Value *dropped = any(g, both->operands[i], axes);
        return build_binary(&g->b, OP_and, any(g, both->operands[1 - i], axes), dropped);
    }
    if (opt_made_by(mask, OP_broadcast) && !grad_can_drop(mask->def->operands[0], axes)) {
        Value *some = any(g, mask->def->operands[0], axes);
        return build_broadcast(&g->b, some, type_without(g->func->module, mask->type, axes));
    }
    Value *count = build_cast(&g->b, grad_value(g, mask), DT_I32, ROUND_NEAREST);
    Value *most = along(g, OP_max, count, axes);
    return build_binary(&g->b, OP_gt, most, build_int(&g->b, most->type, 0));
}

/* And did the rounds run at all?  Else nothing was read there. */
static Value *where_run(Grad *g, const GradMeeting *m, Value *mask, const Type *shape)
{
    if (!m->rounds)
        return mask;
    for (const Op *loop = m->load->block->owner;; loop = loop->block->owner) {
        if (!grad_runs_once(loop)) {
            Value *runs = build_binary(&g->b, OP_lt, grad_value(g, loop->operands[FOR_LO]),
                                       grad_value(g, loop->operands[FOR_HI]));
            if (shape->rank > 0)
                runs = build_splat(&g->b, runs, type_with_dtype(g->func->module, shape, DT_I1));
            mask = mask ? build_binary(&g->b, OP_and, mask, runs) : runs;
        }
        if (loop == m->rounds)
            return mask;
    }
}

static void put(Grad *g, GradArray *to, Value *pointer, Value *d, Value *mask)
{
    const int64_t add[3] = {RMW_ADD, SEM_RELAXED, 0};
    int n = mask ? 3 : 2;

    d = build_cast(&g->b, d, pointer->type->dtype, ROUND_NEAREST);
    if (to->fill == GRAD_ADDED)
        build_op(&g->b, OP_atomic_rmw, n, (Value *[]){pointer, d, mask}, 3, add, 1, &d->type);
    else
        build_op(&g->b, OP_store, n, (Value *[]){pointer, d, mask}, 0, NULL, 0, NULL);
}

static void add_to_array(Grad *g, const GradMeeting *m, Value *d)
{
    const Op *load = m->load;
    const Builder before = g->b;
    GradArray *to = grad_wrt_of(g, load->operands[LOAD_PTR]);
    Value *mask = op_operand(load, LOAD_MASK);

    grad_stand_for(g, load);
    if (m->lanes && mask && !grad_can_drop(mask, m->lanes))
        d = build_select(&g->b, grad_value(g, mask), d, grad_number(g, d, 0));
    if (m->lanes) {
        d = along(g, OP_add, grad_widened(g, d), m->lanes);
        mask = mask ? any(g, mask, m->lanes) : NULL;
    } else if (mask) {
        mask = grad_value(g, mask);
    }
    Value *pointer = drop(g, load->operands[LOAD_PTR], m->lanes, to);
    value_shaped_like(g->func->module, pointer, d);
    put(g, to, pointer, d, where_run(g, m, mask, pointer->type));
    g->b = before;
}

void grad_add_to_array(Grad *g, const Op *load, Value *d)
{
    GradMeeting *m = map_get(g->meetings, MAP_KEY(load));

    if (m->rounds)
        m->sum = grad_binary(g, OP_add, m->sum, grad_widened(g, d));
    else
        add_to_array(g, m, d);
}

/* --- loops --- */

static void collect(Grad *g, const Block *b, const Op *loop, GradMeetings *out)
{
    for (const Op *op = b->first; op; op = op->next) {
        GradMeeting *m = map_get(g->meetings, MAP_KEY(op));

        if (m && m->rounds && (m->rounds == loop || opt_inside(loop->block, m->rounds)))
            vec_push(g->arena, out, m);
        for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++)
            collect(g, op->regions[r], loop, out);
    }
}

GradMeetings grad_meetings_in(Grad *g, const Op *loop)
{
    GradMeetings all = {0};

    collect(g, loop->regions[0], loop, &all);
    return all;
}

Value *grad_meeting_begins(Grad *g, const GradMeeting *m)
{
    const Type *type = m->load->results[0]->type;

    if (m->sum)
        return m->sum;
    if (dtype_is_small_float(type->dtype))
        type = type_with_dtype(g->func->module, type, DT_FP32);
    Value *zero = build_float(&g->b, type, 0);
    value_shaped_like(g->func->module, zero, m->load->results[0]);
    return zero;
}

void grad_meeting_ends(Grad *g, GradMeeting *m, const Op *loop)
{
    if (m->rounds == loop)
        add_to_array(g, m, m->sum);
}
