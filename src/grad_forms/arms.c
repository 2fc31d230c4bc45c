/*
 * arms.c - branches that choose what is loaded become masks
 *
 *     if t == 0:
 *         before = tl.load(state + c, mask=m)
 *     else:
 *         before = tl.load(x + (t - 1) * C + c, mask=m)
 *
 * becomes
 *
 *     last = tl.load(state + c, mask=m & (t == 0))
 *     prev = tl.load(x + (t - 1) * C + c, mask=m & (t > 0))
 *     before = tl.where(t == 0, last, prev)
 *
 * What masks say of elements is known where gradients are gathered, what branches say is not.  So
 * it is of arms that load, and compute little, where one of their arrays is loaded elsewhere, too,
 * as windows do that begin with something else; what no arm would load is not loaded now.
 */
#include "forms.h"

enum { MOST_OPS = 24 };

static const Value *array_of(const Value *pointer)
{
    while (pointer->def && pointer->def->noperands > 0 && pointer->def->operands[0]->type->pointer)
        pointer = pointer->def->operands[0];
    return pointer->def ? NULL : pointer;
}

typedef struct {
    const Op *branch;
    const Value *by;
    bool found;
} Division;

static void find_division(Op *op, void *division)
{
    Division *d = division;

    d->found |= (op->code == OP_div || op->code == OP_rem) && op->operands[1] == d->by &&
                block_encloses(op->block, d->branch->block);
}

/* Is it divided by that whichever arm is taken? */
static bool divides_anyhow(const Func *f, const Op *branch, const Value *by)
{
    Division d = {.branch = branch, .by = by};
    int64_t n;

    if (value_const_int(by, &n))
        return n > 0;
    ir_walk(f->body, find_division, &d);
    return d.found;
}

/* Nothing that may fail, or takes long, where the other arm was taken. */
static bool is_cheap(const Func *f, const Op *branch, const Op *op)
{
    const bool divides = op->code == OP_div || op->code == OP_rem;

    if (op->code == OP_load)
        return !op_is_volatile(op) && !op->results[0]->type->pointer;
    if (divides && dtype_is_int(op->results[0]->type->dtype) &&
        !divides_anyhow(f, branch, op->operands[1]))
        return false;
    return op_has(op, PURE) && !op->regions[0] && op->nresults == 1 && op->code != OP_dot;
}

static bool may_be_masks(const Func *f, const Op *branch)
{
    for (int r = 0; r < COUNT(branch->regions); r++) {
        int n = 0;
        if (!branch->regions[r])
            return false;
        for (const Op *op = branch->regions[r]->first; op != branch->regions[r]->last;
             op = op->next) {
            n += op->code != OP_const && op->code != OP_splat;
            if (!is_cheap(f, branch, op) || n > MOST_OPS)
                return false;
        }
    }
    for (int i = 0; i < branch->nresults; i++) {
        if (branch->results[i]->type->pointer || !dtype_is_float(branch->results[i]->type->dtype))
            return false;
    }
    return branch->nresults > 0;
}

typedef struct {
    const Op *branch;
    const Value *array;
    bool found;
} Elsewhere;

static void find_elsewhere(Op *op, void *elsewhere)
{
    Elsewhere *e = elsewhere;

    e->found |= op->code == OP_load && op->block->owner != e->branch &&
                array_of(op->operands[LOAD_PTR]) == e->array;
}

static bool shares_an_array(const Func *f, const Op *branch)
{
    for (int r = 0; r < COUNT(branch->regions); r++) {
        for (const Op *op = branch->regions[r]->first; op; op = op->next) {
            Elsewhere e = {.branch = branch};
            if (op->code != OP_load || !(e.array = array_of(op->operands[LOAD_PTR])))
                continue;
            ir_walk(f->body, find_elsewhere, &e);
            if (e.found)
                return true;
        }
    }
    return false;
}

/* --- conditions --- */

static bool is_not_negative(const Value *v)
{
    const Op *op = v->def;
    int64_t n;

    if (!op)
        return false;
    if (op->code == OP_rem || (op->code == OP_cast && dtype_size(v->type->dtype) >=
                                                          dtype_size(op->operands[0]->type->dtype)))
        return dtype_is_int(op->operands[0]->type->dtype) && is_not_negative(op->operands[0]);
    return op->code == OP_program_id || (value_const_int(v, &n) && n >= 0);
}

/* x > 0 for x != 0, where x is not negative: that is an end of a window. */
static Value *plainly(Builder *b, Value *condition)
{
    const Op *op = condition->def;
    int64_t n;

    if (op && op->code == OP_ne && value_const_int(op->operands[1], &n) && n == 0 &&
        is_not_negative(op->operands[0]))
        return build_binary(b, OP_gt, op->operands[0], op->operands[1]);
    return condition;
}

static Value *other_way(Builder *b, Value *condition)
{
    static const OpCode codes[][2] = {{OP_eq, OP_ne}, {OP_ne, OP_eq}, {OP_lt, OP_ge},
                                      {OP_ge, OP_lt}, {OP_gt, OP_le}, {OP_le, OP_gt}};
    const Op *op = condition->def;

    for (int i = 0; op && i < COUNT(codes); i++) {
        if (op->code == codes[i][0] && dtype_is_int(op->operands[0]->type->dtype))
            return plainly(b, build_binary(b, codes[i][1], op->operands[0], op->operands[1]));
    }
    return build_unary(b, OP_not, condition);
}

/* --- masks --- */

static Value *here(const Map *values, Value *v)
{
    Value *known = map_get(values, MAP_KEY(v));

    return known ? known : v;
}

static Value *spread(Builder *b, Value *condition, const Type *shape)
{
    return shape->rank > 0 ? build_splat(b, condition, shape) : condition;
}

static Value *masked_load(Builder *b, const Op *load, Value *condition, const Map *values)
{
    Value *pointer = here(values, load->operands[LOAD_PTR]);
    Value *mask = op_operand(load, LOAD_MASK), *other = op_operand(load, LOAD_OTHER);
    Value *taken = spread(b, condition, pointer->type);

    mask = mask ? build_binary(b, OP_and, here(values, mask), taken) : taken;
    other = other ? here(values, other) : build_const(b, load->results[0]->type, 0);
    Value *v = build_load_like(b, load, pointer, mask, other);
    v->name = load->results[0]->name;
    return v;
}

/* The ops of an arm, in front of the branch. */
static void take_arm(Builder *b, const Block *arm, Value *condition, Map *values)
{
    for (const Op *op = arm->first; op != arm->last; op = op->next) {
        if (op->code == OP_load)
            map_put(values, MAP_KEY(op->results[0]), masked_load(b, op, condition, values));
        else
            op_clone(b, op, values);
    }
}

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return v && value_constant(v, &bits) && bits == 0;
}

/* Is it 0 where its arm is not taken? */
static bool is_zero_elsewhere(const Value *v, const Value *of_arm)
{
    return v != of_arm && v->def && v->def->code == OP_load &&
           is_zero(op_operand(v->def, LOAD_OTHER));
}

static void to_masks(Op *branch)
{
    Builder b = builder_before(branch);
    Value *condition = branch->operands[0];
    Map *values = map_new(b.module->arena);

    b.span = branch->span;
    b.site = branch->site;
    b.mark = branch->mark;
    condition = plainly(&b, condition);
    take_arm(&b, branch->regions[0], condition, values);
    take_arm(&b, branch->regions[1], other_way(&b, condition), values);
    for (int i = 0; i < branch->nresults; i++) {
        Value *x = branch->regions[0]->last->operands[i], *from_x = x;
        Value *y = branch->regions[1]->last->operands[i], *from_y = y;
        Value *v;
        x = here(values, x);
        y = here(values, y);
        if (is_zero(y) && is_zero_elsewhere(x, from_x))
            v = x;
        else if (is_zero(x) && is_zero_elsewhere(y, from_y))
            v = y;
        else
            v = build_select(&b, spread(&b, condition, x->type), x, y);
        v->name = branch->results[i]->name;
        branch->results[i]->repl = v;
    }
}

typedef struct {
    Func *func;
    VEC(Op *) found;
} Branches;

static void find_branch(Op *op, void *branches)
{
    Branches *s = branches;

    if (op->code == OP_if && may_be_masks(s->func, op) && shares_an_array(s->func, op))
        vec_push(s->func->module->arena, &s->found, op);
}

static void say_plainly(Op *op, void *any)
{
    Builder b = builder_before(op);
    Value *v = op->code == OP_ne ? plainly(&b, op->results[0]) : NULL;

    if (!v || v == op->results[0])
        return;
    v->name = op->results[0]->name;
    op->results[0]->repl = v;
    *(bool *)any = true;
}

/* The innermost ones. */
static bool mask_arms(Func *f)
{
    Branches s = {.func = f};

    ir_walk(f->body, find_branch, &s);
    for (int i = 0; i < s.found.len; i++)
        to_masks(s.found.at[i]);
    opt_resolve_all(f->body);
    for (int i = 0; i < s.found.len; i++)
        op_remove(s.found.at[i]);
    return s.found.len > 0;
}

bool forms_mask_arms(Func *f)
{
    bool any = false;

    ir_walk(f->body, say_plainly, &any);
    opt_resolve_all(f->body);
    while (mask_arms(f)) /* an `elif` is a branch in an arm */
        any = true;
    return any;
}
