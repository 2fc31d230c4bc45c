/*
 * zeros.c - where an `if` says that a program hands nothing on, it stores zeros
 *
 *     if target != ignored:                       if target != ignored:
 *         for start in range(0, n, BLOCK):            for start in range(0, n, BLOCK):
 *             tl.store(d_x + columns, d_row)              tl.store(d_x + columns, d_row)
 *                                         ->      else:
 *                                                     for start in range(0, n, BLOCK):
 *                                                         tl.store(d_x + columns, 0.0)
 *
 * so that each element is stored, and nobody has to zero the array before.  So it is of an array
 * that one store fills.
 */
#include "../opt/opt.h"
#include "gather.h"

typedef struct {
    const Grad *g;
    const GradArray *array;
    Op *store; /* the only one; NULL: there are more, or others that write it */
    int n;
} Stores;

static bool writes_it(const Grad *g, const GradArray *a, const Op *op)
{
    const OpAccess access = ir_access(op);

    return access.pointer >= 0 && (access.effect & WRITES) &&
           grad_array_of(g, op->operands[access.pointer]) == a->gradient->index;
}

static void find(Op *op, void *stores)
{
    Stores *s = stores;

    if (!writes_it(s->g, s->array, op))
        return;
    s->n++;
    s->store = op->code == OP_store ? op : NULL;
}

/* The `if` that it stands in, in a loop or not, and that stands in nothing else. */
static Op *branch_around(const Op *store)
{
    Op *owner = store->block->owner;

    if (owner && owner->code == OP_for)
        owner = owner->block->owner;
    return owner && owner->code == OP_if && !owner->block->owner ? owner : NULL;
}

typedef struct {
    const Grad *g;
    const GradArray *array;
    GradOps dropped;
} Clearing;

static void clear(Op *op, void *clearing)
{
    Clearing *c = clearing;

    if (writes_it(c->g, c->array, op)) {
        Builder b = builder_before(op);
        op->operands[STORE_DATA] = build_float(&b, op->operands[STORE_DATA]->type, 0);
    } else if (!op->regions[0] && op_contains(op, WRITES | EFFECT) && !op_has(op, ENDS)) {
        vec_push(c->g->arena, &c->dropped, op);
    }
}

/* Of one that is alone as no other element of what is differentiated is stored to its place,
 * another program that stores none may go there. */
static bool goes_where_stored(const Grad *g, const GradArray *a)
{
    for (int i = 0; i < a->loads.len; i++) {
        for (int k = 0; k < g->as_stored.len; k++) {
            if (g->as_stored.at[k] == a->loads.at[i])
                return true;
        }
    }
    return false;
}

void gather_zeros(Grad *g, GradArray *a)
{
    Stores s = {.g = g, .array = a};
    Clearing c = {.g = g, .array = a};

    if (a->fill != GRAD_STORED || g->wish->fused || goes_where_stored(g, a))
        return;
    ir_walk(g->func->body, find, &s);
    Op *branch = s.n == 1 && s.store ? branch_around(s.store) : NULL;
    if (!branch || !branch->regions[0] || !branch->regions[1])
        return;
    const bool in_first = block_encloses(branch->regions[0], s.store->block);
    const Block *from = branch->regions[in_first ? 0 : 1];
    Block *to = branch->regions[in_first ? 1 : 0];
    Builder b = builder_before(to->last);
    Map *values = map_new(g->arena);
    for (const Op *op = from->first; op != from->last; op = op->next) {
        Op *copy = op_clone(&b, op, values);
        clear(copy, &c);
        for (int r = 0; r < COUNT(copy->regions) && copy->regions[r]; r++)
            ir_walk(copy->regions[r], clear, &c);
    }
    for (int i = 0; i < c.dropped.len; i++)
        op_remove(c.dropped.at[i]);
    a->has_zeros = true;
}
