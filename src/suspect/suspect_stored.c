/*
 * suspect_stored.c - what is stored to two arrays, of which one was to keep something else
 *
 * m = tl.load(pm), v = tl.load(pv), and behind new values of both tl.store(pm, v), tl.store(pv, v):
 * the new m is lost.  Told of one value that is stored to two places which were loaded, where it
 * follows from what was loaded at the one, and not from what was loaded at the other, of which
 * something else was made.
 */
#include "suspect.h"

enum { SAME_DEPTH = 12, MOST_ACCESSES = 32 };

typedef struct {
    const Suspect *s;
    const Op *loads[MOST_ACCESSES], *stores[MOST_ACCESSES];
    int nloads, nstores;
} Accesses;

static void note_access(Op *op, void *accesses)
{
    Accesses *a = accesses;

    if (op->code == OP_load && a->nloads < MOST_ACCESSES)
        a->loads[a->nloads++] = op;
    else if (op->code == OP_store && a->nstores < MOST_ACCESSES)
        a->stores[a->nstores++] = op;
}

static const Op *load_of(const Accesses *a, const Op *store)
{
    for (int i = 0; i < a->nloads; i++) {
        if (ir_same(a->loads[i]->operands[LOAD_PTR], store->operands[STORE_PTR], SAME_DEPTH))
            return a->loads[i];
    }
    return NULL;
}

static bool is_other(const Op *op, void *load)
{
    return op != load;
}

static bool follows_from(const Accesses *a, const Value *v, const Op *load)
{
    return !ir_slice(a->s->func, a->s->arena, &v, 1, is_other, (void *)load);
}

/* Is something computed of it? */
static bool is_computed_with(const Suspect *s, const Op *load)
{
    const UseLists *uses = tell_uses(s);
    const Value *v = load->results[0];

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code == OP_mul || op->code == OP_add || op->code == OP_sub || op->code == OP_fma)
            return true;
    }
    return false;
}

static void look_at_pair(const Accesses *a, const Op *lost, const Op *kept)
{
    const Value *v = lost->operands[STORE_DATA];

    if (lost == kept || v->type->rank == 0 || v->type->pointer || !v->def ||
        ir_uncast(v) != ir_uncast(kept->operands[STORE_DATA]) || lost->block != kept->block)
        return;
    const Op *was = load_of(a, lost), *of = load_of(a, kept);
    if (!was || !of || was == of || !follows_from(a, v, of) || follows_from(a, v, was) ||
        !is_computed_with(a->s, was))
        return;
    tell_warn(a->s, lost, "is this the value of another store?",
              "this is stored to another array, too, and is made of what was loaded there: what "
              "was made of this array's elements is lost");
}

static bool is_store(const Op *op)
{
    return op->code == OP_store;
}

void suspect_stored(const Suspect *s)
{
    Accesses a = {.s = s};

    if (!tell_any(s, is_store))
        return;
    ir_walk(s->func->body, note_access, &a);
    for (int i = 0; i < a.nstores; i++) {
        for (int k = 0; k < a.nstores; k++)
            look_at_pair(&a, a.stores[i], a.stores[k]);
    }
}
