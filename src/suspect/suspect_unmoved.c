/*
 * suspect_unmoved.c - rounds that all load the same, and go on from one another
 *
 * for t in range(T): s = a * s + tl.load(x), tl.store(y + t, s) makes each element of y from the
 * same x: its pointer stays where it is.  Told of a loop that stores to other elements in each
 * round, where no load moves, and what is stored follows both from a load in the loop and from what
 * the rounds before have left.  So is acc *= tl.load(x), in a loop without stores.
 */
#include "suspect.h"

enum { DEEPEST = 24 };

typedef struct {
    const Op *loop;
    const PointerBases *bases;
    uint64_t loaded, stored;
    const Op *load; /* the first one */
    bool others;
    bool moved_load, moved_store, fixed_store;
} Accesses;

static void note_access(Op *op, void *accesses)
{
    Accesses *a = accesses;

    if (op->code == OP_load) {
        const Value *p = op->operands[LOAD_PTR];
        a->moved_load |= tell_is_moved(p, a->loop, DEEPEST) || op_is_volatile(op);
        a->loaded |= ir_bases_of(a->bases, p);
        a->load = a->load ? a->load : op;
    } else if (op->code == OP_store) {
        const Value *p = op->operands[STORE_PTR];
        bool moved = tell_is_moved(p, a->loop, DEEPEST);
        a->moved_store |= moved;
        a->fixed_store |= !moved;
        a->stored |= ir_bases_of(a->bases, p);
    } else if (op_has(op, READS | WRITES | EFFECT) || op->code == OP_call || op->code == OP_for ||
               op->code == OP_while) {
        a->others = true;
    }
}

typedef struct {
    const Op *loop;
    bool carried, loaded;
} Sources;

static void find_sources(Sources *s, const Value *v, int depth)
{
    const Op *op = v->def;

    if (!tell_is_inside(v, s->loop) || depth == 0)
        return;
    if (!op) {
        s->carried |= v->index > 0 && !v->type->pointer && dtype_is_float(v->type->dtype);
        return;
    }
    s->loaded |= op->code == OP_load;
    for (int i = 0; i < op->noperands && op->code != OP_load; i++)
        find_sources(s, op->operands[i], depth - 1);
}

/* s = a * s + x, a float that begins in front of the loop, of which x is loaded */
static bool goes_on_from_loads(const Op *loop)
{
    const Op *end = opt_last(loop->regions[0]);

    for (int i = 0; i < loop->nresults; i++) {
        Sources from = {.loop = loop};
        const Value *v = end->operands[i];
        if (v->type->pointer || !dtype_is_float(v->type->dtype))
            continue;
        find_sources(&from, v, DEEPEST);
        if (from.carried && from.loaded)
            return true;
    }
    return false;
}

/* acc * tl.load(x), of a load that no round moves */
static bool multiplies_same(const Op *loop)
{
    const Op *end = opt_last(loop->regions[0]);

    for (int i = 0; i < loop->nresults; i++) {
        const Op *op = end->operands[i]->def;
        for (int k = 0; op && op->code == OP_mul && k < 2; k++) {
            const Op *load = ir_bare(op->operands[1 - k])->def;
            if (op->operands[k] == loop->regions[0]->args[1 + i] && load && load->code == OP_load &&
                tell_is_inside(load->results[0], loop))
                return true;
        }
    }
    return false;
}

static void look_at(Op *loop, void *suspect)
{
    const Suspect *s = suspect;
    int64_t rounds;

    if (loop->code != OP_for || loop->nresults == 0 ||
        value_const_signed(loop->operands[FOR_HI], &rounds))
        return;
    Accesses a = {.loop = loop, .bases = ir_pointer_bases(s->func, s->arena)};
    ir_walk(loop->regions[0], note_access, &a);
    if (!a.load || a.others || a.moved_load || (a.loaded & a.stored))
        return;
    if (a.moved_store && !a.fixed_store ? !goes_on_from_loads(loop)
                                        : a.stored != 0 || !multiplies_same(loop))
        return;
    tell_warn(s, a.load,
              "move the pointer at the end of the round, p += stride, or add the loop's counter "
              "to the offsets",
              "each round loads this from the same addresses, and goes on from what the one "
              "before it has made of it");
}

static bool is_for(const Op *op)
{
    return op->code == OP_for;
}

void suspect_unmoved(const Suspect *s)
{
    if (tell_any(s, is_for))
        ir_walk(s->func->body, look_at, (void *)s);
}
