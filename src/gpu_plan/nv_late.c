/*
 * nv_late.c - operands of products in shared memory as they were loaded
 *
 * What nobody else uses and costs little can come behind shared memory: it then holds shorter
 * elements, and what a loop loads is brought by copies.  That is casts, which make nothing shorter,
 * and arithmetic on what is loaded in fewer bytes, as weights that are scaled.  Each fragment goes
 * through it when it is multiplied; what it needs beside is in registers, as the fragment is.  What
 * is done in front of the loop that a product is in stays there.
 */
#include "nv_dot.h"

enum { MOST_LATE = 6 };

static bool may_be_late(const Op *op)
{
    switch (op->code) {
    case OP_cast:
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_fma:
    case OP_neg:
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_shl:
    case OP_shr:
        return true;
    default:
        return false;
    }
}

/* Is that the same along some dimension, so that a fragment has few of it? */
static bool is_spread_out(const Value *v)
{
    const Op *def = v->def;

    return def &&
           (def->code == OP_broadcast || def->code == OP_splat || def->code == OP_const ||
            (op_is_elementwise(def) && def->noperands == 1 && is_spread_out(def->operands[0])));
}

/* The one operand that is not; -1: there are several, or none that has a home. */
static int main_operand(const NvPlan *p, const Op *op)
{
    int found = -1;

    for (int i = 0; i < op->noperands; i++) {
        if (is_spread_out(op->operands[i]))
            continue;
        if (found >= 0 || !nv_home(p, op->operands[i]))
            return -1;
        found = i;
    }
    return found;
}

/* Is what the operand is made of worth to be there instead, with so many other than casts between?
 */
static bool is_good_source(const Value *v, const Value *operand, int others)
{
    int size = type_size(v->type), most = type_size(operand->type);

    if (v->type->pointer || v->type->dtype == DT_I1 || size > most)
        return false;
    return others == 0 || (size < most && v->def && op_only_reads(v->def));
}

const Value *nv_late_source(NvPlan *p, const Op *dot, MmaPart part, NvOperand *out)
{
    const Value *v = dot->operands[part], *best = v;
    NvLate found[MOST_LATE];
    int n = 0, taken = 0, others = 0;

    while (n < MOST_LATE && v->def && v->def->block == dot->block && may_be_late(v->def) &&
           uses_count(&p->uses, v) == 1) {
        int i = main_operand(p, v->def);
        if (i < 0)
            break;
        others += v->def->code != OP_cast;
        found[n++] = (NvLate){.op = v->def, .main = i};
        v = v->def->operands[i];
        if (is_good_source(v, dot->operands[part], others)) {
            best = v;
            taken = n;
        }
    }
    if (!out || taken == 0)
        return best;
    NvLate *late = NEW_N(p->arena, NvLate, taken);
    for (int i = 0; i < taken; i++)
        late[i] = found[taken - 1 - i];
    out->late = late;
    out->nlate = taken;
    return best;
}

void nv_late_want(NvPlan *p, NvStep *s, NvOperand *o, const Layout *l)
{
    int more = 0;

    for (int i = 0; i < o->nlate; i++)
        more += o->late[i].op->noperands;
    const NvTile **in = NEW_N(p->arena, const NvTile *, s->nin + more + 1);
    for (int i = 0; i < s->nin; i++)
        in[i] = s->in[i];
    for (int i = 0; i < o->nlate; i++) {
        NvLate *late = &o->late[i];
        for (int k = 0; k < late->op->noperands; k++) {
            const Value *v = late->op->operands[k];
            if (k == late->main)
                continue;
            late->in[k] = nv_tile(p, v, nv_is_tile(v) ? l : NULL);
            in[s->nin++] = late->in[k];
        }
    }
    s->in = in;
}
