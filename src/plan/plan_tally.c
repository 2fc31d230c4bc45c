/*
 * plan_tally.c - atomic additions: which rows are added by vectors, and of which a thread adds up
 * its own first
 *
 * What is added to neighbours, and whose sums nobody asks for, has a nest of vectors: where a
 * launch is alone (cpu_atomic.c), each is added at once.
 *
 * What programs add to the same few places, as bins, takes a locked instruction each, and waits for
 * other threads.  Where nothing in the kernel can see it, a thread adds to a table in its scratch
 * memory, and to memory when another place wants the slot, or when it is through with its piece of
 * the grid (cpu_tally.c).  Integers alone: what they come to does not depend on the order.
 *
 * That is so if the kernel has no other access to memory of the same parameter, does not want to
 * know what was there, and the launch promised that parameters are apart.
 */
#include "plan_internal.h"

enum { MOST_TALLIES = 4 /* tables of a kernel */ };

static bool is_word(DType t)
{
    return dtype_is_int(t) && dtype_bits(t) >= 32;
}

static bool adds_only(const Plan *p, const Op *op)
{
    if (op->code != OP_atomic_rmw || attr_rmw_kind(op) != RMW_ADD)
        return false;
    const Type *t = op->results[0]->type;

    return t->rank > 0 && is_word(t->dtype) && !t->pointer &&
           uses_count(&p->uses, op->results[0]) == 0;
}

bool plan_adds_vectors(const Plan *p, const Root *r)
{
    const Op *op = r->op;

    if (r->kind != ROOT_ATOMIC || op->code != OP_atomic_rmw || attr_rmw_kind(op) != RMW_ADD ||
        attr_scope(op) == SCOPE_SYS || uses_count(&p->uses, op->results[0]) > 0)
        return false;
    DType t = op->results[0]->type->dtype;
    return dtype_is_float(t) || is_word(t);
}

bool plan_adds_rows(Plan *p, const Nest *n)
{
    const Op *op = n->roots.at[0].op;

    if (!plan_adds_vectors(p, &n->roots.at[0]))
        return false;
    AccessSpace *space =
        access_space(p->arena, p->axis, n->order[n->rank - 1], 1, plan_has_buffer, p);
    Access a = access_of(space, plan_pointer(op), plan_identity);
    return a.ok && a.stride == 1 && !a.scale && !a.chunked;
}

typedef struct {
    const Plan *plan;
    uint64_t bases;
    bool seen;
} Looking;

static void look(Op *op, void *ctx)
{
    Looking *l = ctx;
    const OpAccess a = ir_access(op);

    if (op->code == OP_call || op->code == OP_inline_asm_volatile)
        l->seen = true;
    else if (a.effect != 0 && !adds_only(l->plan, op))
        l->seen |= (ir_bases_of(l->plan->bases, op->operands[a.pointer]) & l->bases) != 0;
}

int plan_tally(Planner *pl, const Op *op)
{
    Plan *p = pl->plan;
    Looking l = {.plan = p};

    if (!p->bases || p->options->debug || p->tallies.len == MOST_TALLIES || !adds_only(p, op))
        return NO_BUFFER;
    l.bases = ir_bases_of(p->bases, plan_pointer(op));
    ir_walk(p->func->body, look, &l);
    if (l.seen)
        return NO_BUFFER;
    Tally t = {.buffer = plan_add_buffer(pl, DT_I64, TALLY_SLOTS * TALLY_WORDS),
               .dtype = op->results[0]->type->dtype,
               .elements = type_numel(op->results[0]->type)};
    vec_push(p->arena, &p->tallies, t);
    return t.buffer;
}
