/*
 * nv_offset.c - where the elements of an access lie, from each other
 *
 * Addresses are computed for single elements, with 0 in place of what the launch alone knows: what
 * is added to all elements alike moves all, and what quotients and remainders are taken of is taken
 * to begin at a multiple of the divisor.  So distances are right in what is usual, which is enough
 * for costs.
 */
#include "nv_plan.h"

enum { MOST_STEPS = 24 };

typedef struct {
    int64_t value;
    bool known; /* no scalar is in it that the launch alone knows */
    bool constant;
} Number;

static bool number_of(const Value *v, const int32_t *index, int steps, Number *out);

static bool combine(OpCode code, Number a, Number b, Number *out)
{
    bool divides = b.known && b.value > 0;

    *out = (Number){.known = a.known && b.known};
    switch (code) {
    case OP_add:
    case OP_addptr:
        out->value = a.value + b.value;
        return true;
    case OP_sub:
        out->value = a.value - b.value;
        return true;
    case OP_mul: /* by what is not known elements lie anywhere */
        out->value = a.value * b.value;
        return out->known || a.constant || b.constant;
    case OP_div:
        out->value = divides ? a.value / b.value : 0;
        return divides;
    case OP_rem:
        out->value = divides ? a.value % b.value : 0;
        return divides;
    default:
        return false;
    }
}

static bool of_pair(const Op *op, const int32_t *index, int steps, Number *out)
{
    Number a, b;

    return op->noperands == 2 && number_of(op->operands[0], index, steps, &a) &&
           number_of(op->operands[1], index, steps, &b) && combine(op->code, a, b, out);
}

/* Of the operand that a tile repeats or has one dimension more of. */
static bool of_moved(const Op *op, const int32_t *index, int steps, Number *out)
{
    const Type *t = op->operands[0]->type;
    int32_t there[MAX_RANK] = {0};

    for (int d = 0; d < t->rank; d++) {
        int from = op->code == OP_expand && d >= attr_axis(op) ? d + 1 : d;
        there[d] = t->dims[d] == 1 ? 0 : index[from];
    }
    return number_of(op->operands[0], there, steps, out);
}

static bool number_of(const Value *v, const int32_t *index, int steps, Number *out)
{
    const Op *op = v->def;

    *out = (Number){0};
    out->known = out->constant = value_const_int(v, &out->value);
    if (out->known)
        return true;
    out->value = 0;
    if (!type_is_tile(v->type))
        return true;
    if (!op || steps == 0)
        return false;
    switch (op->code) {
    case OP_arange:
        *out = (Number){.value = attr_start(op) + index[0], .known = true};
        return true;
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
        return of_moved(op, index, steps - 1, out);
    case OP_cast:
    case OP_hint:
        return number_of(op->operands[0], index, steps - 1, out);
    default:
        return of_pair(op, index, steps - 1, out);
    }
}

bool nv_offset_of(const Value *pointer, const Layout *l, uint32_t at, int64_t *elements)
{
    int32_t index[MAX_RANK];
    Number n;

    for (int d = 0; d < l->rank; d++)
        index[d] = layout_index(l, at, d);
    bool found = number_of(pointer, index, MOST_STEPS, &n);
    *elements = n.value;
    return found;
}
