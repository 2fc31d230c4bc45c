/*
 * reach.c - tiles that programs touch by their numbers, i = pid * BLOCK + tl.arange(0, BLOCK)
 *
 * Found in the kernel's own statements, outside of loops and arms, where the index is just that,
 * and the mask, if there is one, compares it with a number of the launch.  So are rows, x + pid *
 * stride + tl.arange(0, BLOCK), whose mask compares the tl.arange.
 */
#include "programs.h"
#include "../ir/analysis.h"
#include "../opt/opt.h"

enum { SAME_DEPTH = 12, MOST_MASKS = 4 };

static const Op *scalar_op(const Value *v)
{
    while (v->def && (v->def->code == OP_splat || v->def->code == OP_cast))
        v = v->def->operands[0];
    return v->def;
}

static bool is_range(const Value *v)
{
    return v->def && v->def->code == OP_arange && attr_start(v->def) == 0;
}

/* pid * step, the step a constant */
static bool read_start(const Value *v, Reach *r)
{
    const Op *op = scalar_op(v);
    int64_t step;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *id = scalar_op(op->operands[i]);
        if (!id || id->code != OP_program_id || !value_const_int(op->operands[1 - i], &step) ||
            step < 1 || step > INT32_MAX)
            continue;
        r->axis = attr_axis(id);
        r->step = (int32_t)step;
        return true;
    }
    return false;
}

/* pid * step + tl.arange(0, lanes), or without the first one */
static bool read_index(const Value *v, Reach *r)
{
    const Op *op = v->def;

    if (is_range(v)) {
        r->lanes = v->type->dims[0];
        return true;
    }
    if (!op || op->code != OP_add || v->type->rank != 1)
        return false;
    for (int i = 0; i < 2; i++) {
        if (is_range(op->operands[i]) && read_start(op->operands[1 - i], r)) {
            r->lanes = v->type->dims[0];
            return true;
        }
    }
    return false;
}

/* Is it the index, as it is or widened to compare it with an i64? */
static bool is_index(const Value *v, const Value *index)
{
    const Op *op = v->def;

    if (op && op->code == OP_cast && dtype_size(v->type->dtype) >= dtype_size(index->type->dtype))
        v = op->operands[0];
    return ir_same(v, index, SAME_DEPTH);
}

/* The parameter that the mask compares the index with, alone or, as where accesses are checked,
 * also; -1: it is another mask. */
static int limit_of(const Func *f, const Value *mask, const Value *index, int depth, bool *includes)
{
    const Op *op = mask->def;

    if (op && op->code == OP_and && depth > 0) {
        int limit = limit_of(f, op->operands[0], index, depth - 1, includes);
        return limit >= 0 ? limit : limit_of(f, op->operands[1], index, depth - 1, includes);
    }
    if (!op || (op->code != OP_lt && op->code != OP_le) || !opt_is_int(op->operands[1]) ||
        !is_index(op->operands[0], index))
        return -1;
    *includes = op->code == OP_le;
    return strides_slot_of(f, op->operands[1]);
}

/* pid * number, a number of the launch */
static bool read_row(const Func *f, const Value *v, Reach *r)
{
    const Op *op = ir_bare(v)->def;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *id = ir_bare(op->operands[i])->def;
        if (!id || id->code != OP_program_id || !opt_is_int(op->operands[1 - i]))
            continue;
        r->axis = attr_axis(id);
        r->rows = strides_slot_of(f, op->operands[1 - i]);
        return r->rows >= 0;
    }
    return false;
}

/* array + pid * number + tl.arange(0, lanes), in either order of additions; gives the tl.arange. */
static const Value *read_rows(const Func *f, const Value *pointer, Reach *r)
{
    const Value *range = NULL, *base = pointer;
    bool has_row = false;

    for (int depth = 0; depth < MOST_MASKS && base->def && base->def->code == OP_addptr; depth++) {
        const Value *by = base->def->operands[1];
        const Op *sum = by->def;
        int parts = sum && sum->code == OP_add ? 2 : 1;
        for (int i = 0; i < parts; i++) {
            const Value *part = parts > 1 ? sum->operands[i] : by;
            bool is_row = !has_row && read_row(f, part, r);
            if (!is_row && (range || !is_range(part)))
                return NULL;
            has_row |= is_row;
            range = is_row ? range : part;
        }
        base = ir_bare(base->def->operands[0]);
    }
    r->array = strides_slot_of(f, base);
    r->lanes = range ? range->type->dims[0] : 0;
    return has_row && range && r->array >= 0 ? range : NULL;
}

static void look_at_rows(Reaches *all, const Func *f, const Op *op)
{
    const Value *mask = op_operand(op, ir_access(op).mask);
    Reach r = {.limit = -1, .rows = -1, .stores = op->code == OP_store, .is_all = true};
    const Value *range = read_rows(f, op->operands[ir_access(op).pointer], &r);

    if (!range)
        return;
    if (mask)
        r.limit = mask->def && (mask->def->code == OP_lt || mask->def->code == OP_le)
                      ? limit_of(f, mask, range, 0, &r.includes)
                      : -1;
    if (r.limit >= 0)
        r.type = f->body->args[r.limit]->type->dtype;
    if (!mask || r.limit >= 0)
        all->at[all->n++] = r;
}

static void look_at(Reaches *all, const Func *f, const Op *op)
{
    bool stores = op->code == OP_store;
    const Op *p = op->operands[ir_access(op).pointer]->def;
    const Value *mask = op_operand(op, ir_access(op).mask);
    Reach r = {.limit = -1, .rows = -1, .stores = stores};

    if (all->n == MOST_REACHES)
        return;
    look_at_rows(all, f, op);
    if (all->n == MOST_REACHES || !p || p->code != OP_addptr || !read_index(p->operands[1], &r))
        return;
    r.array = strides_slot_of(f, p->operands[0]);
    if (mask)
        r.limit = limit_of(f, mask, p->operands[1], MOST_MASKS, &r.includes);
    if (r.limit >= 0)
        r.type = f->body->args[r.limit]->type->dtype;
    r.is_all = !mask || (mask->def && (mask->def->code == OP_lt || mask->def->code == OP_le));
    if (r.array >= 0 && (!mask || r.limit >= 0))
        all->at[all->n++] = r;
}

Reaches reaches_of(const Func *f)
{
    Reaches all = {.n = 0};

    for (const Op *op = f->body->first; op; op = op->next) {
        if (op->code == OP_store || op_only_reads(op))
            look_at(&all, f, op);
    }
    return all;
}
