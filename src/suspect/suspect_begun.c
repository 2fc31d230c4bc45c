/*
 * suspect_begun.c - what one program begins, and all of them add to
 *
 * if tl.program_id(0) == 0: tl.store(out, 0.0), and tl.atomic_add(out, ..) in all programs: these
 * run in any order, and what others have added before the store is lost.  Told where an `if` asks
 * for the program alone, and the two have one address, or one array in which what was loaded says
 * where is added.  Nothing is said where the kernel waits, as for a counter.
 */
#include "suspect.h"

enum { SAME_DEPTH = 12, MOST_STORES = 8 };

typedef struct {
    const Suspect *s;
    const Op *at[MOST_STORES]; /* stores of one program */
    int n;
} Begun;

/* Nothing that another program may have changed. */
static bool asks_for_no_memory(const Op *op, void *asks)
{
    *(bool *)asks |= op->code == OP_program_id;
    return !op_has(op, READS | EFFECT) && op->code != OP_call;
}

static bool is_of_one_program(const Suspect *s, const Op *op)
{
    for (const Op *owner = op->block->owner; owner; owner = owner->block->owner) {
        const Value *condition = owner->operands[0];
        bool asks = false;
        if (owner->code == OP_if &&
            ir_slice(s->func, s->arena, &condition, 1, asks_for_no_memory, &asks) && asks)
            return true;
    }
    return false;
}

static void note_store(Op *op, void *begun)
{
    Begun *b = begun;

    if (op->code == OP_store && b->n < MOST_STORES && is_of_one_program(b->s, op))
        b->at[b->n++] = op;
}

static bool loads_nothing(const Op *op, void *unused)
{
    (void)unused;
    return !op_has(op, READS);
}

/* out + tl.arange(..) and out + bins, where these were loaded */
static bool may_meet(const Suspect *s, const Value *stored, const Value *added)
{
    const Op *a = stored->def, *b = added->def;
    const Value *index = b && b->code == OP_addptr ? b->operands[1] : NULL;

    return index && a && a->code == OP_addptr &&
           ir_same(ir_unmoved(a->operands[0]), ir_unmoved(b->operands[0]), SAME_DEPTH) &&
           !ir_slice(s->func, s->arena, &index, 1, loads_nothing, NULL);
}

static void look_at(Op *op, void *begun)
{
    const Begun *b = begun;

    if (op->code != OP_atomic_rmw)
        return;
    const Value *p = ir_unmoved(op->operands[ir_access(op).pointer]);
    for (int i = 0; i < b->n; i++) {
        const Op *store = b->at[i];
        const Value *q = ir_unmoved(store->operands[STORE_PTR]);
        if (store->block == op->block || !(ir_same(q, p, SAME_DEPTH) || may_meet(b->s, q, p)))
            continue;
        tell_warn(b->s, store, "let whoever launches the kernel put there what it begins with",
                  "one program stores here, and others change the same element by an atomic: "
                  "they run in any order, and what they did before is lost");
        return;
    }
}

static bool changes_what_is_there(const Op *op)
{
    return op->code == OP_atomic_rmw;
}

static bool waits(const Op *op)
{
    return op->code == OP_while;
}

void suspect_begun(const Suspect *s)
{
    Begun b = {.s = s};

    if (!s->func->is_kernel || !tell_any(s, changes_what_is_there) || tell_any(s, waits))
        return;
    ir_walk(s->func->body, note_store, &b);
    ir_walk(s->func->body, look_at, &b);
}
