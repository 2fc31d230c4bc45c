/*
 * pick.c - the sum of a tile in which one element counts is that element
 *
 * Takes and gives verified IR, for targets that run a tile as loops.  Kernels pick an element of
 * what they have loaded by its number:
 *
 *     sum(where(arange(0, B) == label, x, 0))   ->   where(0 <= label < B, x at label, 0)
 *
 * which asks each of them.  What x is made of is computed again at that one place, its loads under
 * that condition, as long as nothing is written between these and the sum.  It is the same to the
 * last bit, -0 + 0 being 0.  Tiles of one dimension only: others are rows by now (rows.c).
 */
#include "opt_target.h"
#include "../ir/analysis.h"

enum { MOST_OPS = 64 /* behind the element */ };

typedef struct {
    Builder b;
    const Op *sum;
    Map *values;           /* tiles, at that place */
    const Op *numbers;     /* the arange that is compared */
    Value *place, *inside; /* which of these numbers; is there one? */
} Pick;

/* --- can it be picked? ---------------------------------------------------------------------- */

static bool widens(const Op *op)
{
    DType from = op->operands[0]->type->dtype, to = op->results[0]->type->dtype;

    return from == DT_I32 && to == DT_I64;
}

/* The arange that a tile of numbers is, but for a scalar added and a wider type; NULL: none. */
static const Op *numbers_behind(const Value *v)
{
    for (const Op *op = v->def; op; op = v->def) {
        if (op->code == OP_arange)
            return op;
        if (op->code == OP_cast && widens(op))
            v = op->operands[0];
        else if (op->code == OP_add && opt_is_uniform(op->operands[1]))
            v = op->operands[0];
        else if (op->code == OP_add && opt_is_uniform(op->operands[0]))
            v = op->operands[1];
        else
            return NULL;
    }
    return NULL;
}

/* The comparison of such numbers with a scalar, of which all of the condition can be true at one
 * place alone. */
static Op *comparison_in(const Value *condition)
{
    Op *op = condition->def;

    if (op && op->code == OP_and) {
        Op *first = comparison_in(op->operands[0]);
        return first ? first : comparison_in(op->operands[1]);
    }
    bool found = op && op->code == OP_eq &&
                 ((numbers_behind(op->operands[0]) && opt_is_uniform(op->operands[1])) ||
                  (numbers_behind(op->operands[1]) && opt_is_uniform(op->operands[0])));
    return found ? op : NULL;
}

static bool nothing_written(const Op *from, const Op *to)
{
    for (const Op *op = from->next; op != to; op = op->next) {
        if (op_has(op, WRITES | EFFECT) || (op->regions[0] && !ir_reduces(op)))
            return false;
    }
    return true;
}

static bool is_known(const Pick *x, const Value *v, int *ops)
{
    const Op *op = v->def;

    if (v->type->rank == 0 || opt_is_uniform(v))
        return true;
    if (!op || op->regions[0] || op->nresults != 1 || --*ops < 0)
        return false;
    if (op->code == OP_load
            ? op_is_volatile(op) || op->block != x->sum->block || !nothing_written(op, x->sum)
            : op->code != OP_arange && op->code != OP_addptr &&
                  !(op_is_elementwise(op) && op_has(op, PURE)))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!is_known(x, op->operands[i], ops))
            return false;
    }
    return true;
}

/* --- the element ---------------------------------------------------------------------------- */

static void also_inside(Pick *x, Value *condition)
{
    x->inside = x->inside ? build_binary(&x->b, OP_and, x->inside, condition) : condition;
}

/* Where is a tile of numbers that scalar? */
static void find_place(Pick *x, const Value *v, Value *scalar)
{
    Builder *b = &x->b;

    for (const Op *op = v->def; op->code != OP_arange; op = v->def) {
        if (op->code == OP_cast) {
            v = op->operands[0];
            Value *narrow = build_cast(b, scalar, v->type->dtype, ROUND_NEAREST);
            Value *wide = build_cast(b, narrow, scalar->type->dtype, ROUND_NEAREST);
            also_inside(x, build_binary(b, OP_eq, wide, scalar));
            scalar = narrow;
        } else {
            int uniform = opt_is_uniform(op->operands[1]);
            scalar = build_binary(b, OP_sub, scalar, opt_uniform_scalar(b, op->operands[uniform]));
            v = op->operands[1 - uniform];
        }
    }
    x->numbers = v->def;
    x->place = scalar;
    int64_t start = attr_start(v->def), end = start + v->type->dims[0] - 1;
    also_inside(x, build_binary(b, OP_ge, scalar, build_int(b, scalar->type, start)));
    also_inside(x, build_binary(b, OP_le, scalar, build_int(b, scalar->type, end)));
}

static Value *at_place(Pick *x, Value *v)
{
    Builder *b = &x->b;
    Op *op = v->def;

    if (v->type->rank == 0)
        return v;
    Value *out = map_get(x->values, MAP_KEY(v));
    if (out)
        return out;
    if (opt_is_uniform(v)) {
        out = opt_uniform_scalar(b, v);
    } else if (op->code == OP_arange) {
        int64_t by = attr_start(op) - attr_start(x->numbers);
        out = by == 0 ? x->place
                      : build_binary(b, OP_add, x->place, build_int(b, x->place->type, by));
    } else if (op->code == OP_load) {
        Value *mask = op_operand(op, LOAD_MASK), *other = op_operand(op, LOAD_OTHER);
        mask = mask ? build_binary(b, OP_and, at_place(x, mask), x->inside) : x->inside;
        other = other ? at_place(x, other) : NULL;
        out = build_load_like(b, op, at_place(x, op->operands[LOAD_PTR]), mask, other);
    } else {
        for (int i = 0; i < op->noperands; i++)
            map_put(x->values, MAP_KEY(op->operands[i]), at_place(x, op->operands[i]));
        const Type *element = type_element(b->module, v->type);
        op_clone_as(b, op, &element, x->values);
        out = map_get(x->values, MAP_KEY(v));
    }
    map_put(x->values, MAP_KEY(v), out);
    return out;
}

static void visit(Op *op, void *ctx)
{
    int most = MOST_OPS;

    (void)ctx;
    if (!ir_reduces(op) || op->noperands != 1 || op->operands[0]->type->rank != 1 ||
        ir_combine_kind(op).neutral != OP_add)
        return;
    Op *select = opt_made_by(op->operands[0], OP_select);
    Op *compare = select ? comparison_in(select->operands[0]) : NULL;
    const Value *none = select ? select->operands[2] : NULL;
    Pick x = {.sum = op};
    if (!compare || none->type->dims[0] < 2 || !opt_made_by(none, OP_const) ||
        attr_bits(none->def) != 0 || !is_known(&x, op->operands[0], &most))
        return;
    x.b = builder_before(op);
    x.values = map_new(x.b.module->arena);
    int numbers = opt_is_uniform(compare->operands[0]);
    find_place(&x, compare->operands[numbers],
               opt_uniform_scalar(&x.b, compare->operands[1 - numbers]));
    Value *element = at_place(&x, op->operands[0]);
    Value *nothing = build_const(&x.b, element->type, 0);
    element = build_select(&x.b, x.inside, element, nothing);
    if (dtype_is_float(element->type->dtype))
        element = build_binary(&x.b, OP_add, element, nothing);
    op->results[0]->repl = element;
}

void opt_pick(Func *f)
{
    opt_resolve_all(f->body);
    ir_walk(f->body, visit, NULL);
    opt_resolve_all(f->body);
}
