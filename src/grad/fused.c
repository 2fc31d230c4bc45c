/*
 * fused.c - forward and backward in one kernel, which is launched in place of the forward
 *
 *     loss = ..                          of the forward, with what it stores
 *     tl.store(out + at, loss, mask)
 *     ..                                 d_out is read, and d_x stored
 *
 * The backward computes the forward again in any case: here what that stores stays, too.  So it is
 * where each program stores the gradients of what it reads, alone: else programs would hand on
 * what only a second launch, or one of more programs, adds up.
 *
 * Where the backward is measured from what the forward stores (anchor.c), it has nothing of the
 * forward: then a copy of that stands in front, and a barrier, behind which it is read.
 */
#include "../opt/opt.h"
#include "grad.h"

/* Is it done as it stands, once, by the derived kernel, too? */
static bool is_kept(const Op *op)
{
    return op->code == OP_store || op->code == OP_barrier || grad_puts_in_memory(op);
}

static void check_effect(Op *op, void *grad)
{
    const OpAccess access = ir_access(op);

    if ((access.effect & WRITES) && !is_kept(op))
        grad_refuse(grad, op,
                    "of what the forward does to memory one kernel of both has stores and "
                    "tl.atomic_add alone: derive without --fused");
}

static bool fits(const Grad *g, const GradArray *a)
{
    return grad_by_atomics(g, a) || a->fill == GRAD_STORED || a->in_order;
}

bool grad_check_fused(Grad *g)
{
    if (!g->wish->fused)
        return true;
    for (int i = 0; i < g->nwrt && !g->failed; i++) {
        const GradArray *a = &g->wrt[i];
        if (fits(g, a))
            continue;
        grad_refuse(g, a->loads.at[0],
                    "programs hand gradients to the same elements of `%s`, which takes more than "
                    "one kernel: derive without --fused, or with --atomics",
                    g->func->params[a->array->index].name);
    }
    return !g->failed;
}

void grad_drop_effects(Grad *g, const GradOps *effects)
{
    for (int i = 0; i < effects->len && g->wish->fused && !g->failed; i++)
        check_effect(effects->at[i], g);
    for (int i = 0; i < effects->len && !g->failed; i++) {
        if (!g->wish->fused || g->forward || !is_kept(effects->at[i]))
            op_remove(effects->at[i]);
    }
}

/* --- the forward in front --- */

/* Arrays, by number of their parameters. */
typedef struct {
    const PointerBases *bases;
    uint64_t read, written;
} Touched;

static void note_access(Op *op, void *touched)
{
    Touched *t = touched;
    const OpAccess access = ir_access(op);

    if (op->code == OP_barrier || op->regions[0])
        return;
    const uint64_t bases =
        access.pointer < 0 ? EVERY_PARAM : ir_bases_of(t->bases, op->operands[access.pointer]);
    t->read |= access.effect & READS ? bases : 0;
    t->written |= access.effect & WRITES ? bases : 0;
}

/* What it says, prints and assertions, is left out, as elsewhere. */
static void drop_other(Op *op, void *unused)
{
    (void)unused;
    if (grad_is_effect(op) && !is_kept(op) && !op_has(op, ENDS))
        op_remove(op);
}

bool grad_keep_forward(Grad *g)
{
    Touched t = {.bases = ir_pointer_bases(g->func, g->arena)};
    Map *copies = map_new(g->arena);

    ir_walk(g->func->body, note_access, &t);
    if (t.read & t.written)
        return false; /* the backward would read what it left */
    g->forward = block_new(g->func, NULL);
    Builder b = builder_at_end(g->func, g->forward);
    for (const Op *op = g->func->body->first; op && !op_has(op, ENDS); op = op->next) {
        b.span = op->span;
        b.site = op->site;
        b.mark = op->mark;
        op_clone(&b, op, copies);
    }
    ir_walk(g->forward, drop_other, NULL);
    return true;
}

void grad_put_forward(Grad *g)
{
    Op *begin = g->func->body->first;

    if (!g->forward || g->failed)
        return;
    while (g->forward->first)
        op_insert_before(g->forward->first, begin);
    Builder b = builder_before(begin);
    b.span = g->anchors.at[0].store->span; /* which it waits for */
    b.site = g->anchors.at[0].store->site;
    build_op(&b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
}

/* Of arrays that the kernel does not write the backward has what the forward has loaded. */
bool grad_share_loads(Grad *g)
{
    Touched t = {.bases = ir_pointer_bases(g->func, g->arena)};
    GradOps loads = {0};
    bool found = false;

    if (!g->forward)
        return false;
    ir_walk(g->func->body, note_access, &t);
    for (Op *op = g->func->body->first; op; op = op->next) {
        if (!op_only_reads(op) || op_is_volatile(op) ||
            (ir_bases_of(t.bases, op->operands[LOAD_PTR]) & t.written))
            continue;
        for (int i = 0; i < loads.len && !op->results[0]->repl; i++) {
            if (opt_same_op(g->arena, loads.at[i], op, NULL))
                op->results[0]->repl = loads.at[i]->results[0];
        }
        found |= op->results[0]->repl != NULL;
        vec_push(g->arena, &loads, op);
    }
    opt_resolve_all(g->func->body);
    return found;
}

/* --- sums last --- */

static bool is_reduced(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || ir_reduces(op))
        return op && depth > 0;
    for (int i = 0; i < op->noperands && op_is_elementwise(op); i++) {
        if (is_reduced(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* Of an array that nothing here reads, in no branch. */
static bool may_be_last(const Grad *g, const Touched *t, const Op *op)
{
    enum { NEAR = 4 };

    return op->code == OP_store && is_reduced(op->operands[STORE_DATA], NEAR) &&
           grad_array_of(g, op->operands[STORE_PTR]) >= 0 &&
           !(ir_bases_of(t->bases, op->operands[STORE_PTR]) & t->read);
}

static bool is_needed_by(const UseLists *uses, const Op *op, const Map *moved)
{
    for (int i = 0; i < op->nresults; i++) {
        for (int k = 0; k < uses_count(uses, op->results[i]); k++) {
            if (!map_get(moved, MAP_KEY(uses_of(uses, op->results[i])[k].op)))
                return false;
        }
    }
    return true;
}

/* The sum of a program waits for all of its warps: gradients, which do not, stand in front. */
void grad_store_sums_last(Grad *g)
{
    Touched t = {.bases = ir_pointer_bases(g->func, g->arena)};
    const UseLists uses = ir_uses(g->func, g->arena);
    Op *last = g->func->body->last, *begin = last;
    Map *moved = map_new(g->arena);

    if (!g->wish->fused || g->forward)
        return;
    ir_walk(g->func->body, note_access, &t);
    for (Op *op = last->prev, *prev; op; op = prev) {
        const bool is_pure = op_has(op, PURE) && op->nresults > 0;
        prev = op->prev;
        if (op->code == OP_barrier)
            return;
        if (!may_be_last(g, &t, op) &&
            (begin == last || !is_pure || !is_needed_by(&uses, op, moved)))
            continue;
        map_put(moved, MAP_KEY(op), op);
        op_insert_before(op, begin);
        begin = op;
    }
}
