/*
 * shared.c - stores of all programs to the same elements
 *
 * tl.store(out, tl.sum(x)) in a kernel of many programs: each leaves its own sum there, and the
 * last one stays.  tl.store(out, tl.load(out) + s): each adds to what it found, and what another
 * one stored meanwhile is lost.  Neither fails, and on one thread the latter is right.
 *
 * Told of an axis of the grid whose program number neither an address depends on, nor a mask, nor
 * what decides whether the store happens; where the value depends on it, or on what was loaded from
 * there.  Nothing is said of what may be the same in all programs, of flags for one, nor where
 * programs wait for each other or draw tickets.
 */
#include "programs.h"
#include "../ir/analysis.h"

enum { SAME_DEPTH = 12, MOST_STORES = 32, MOST_ROOTS = 64 };

/* What some values depend on. */
typedef struct {
    unsigned axes; /* program numbers */
    bool unknown;  /* other programs may decide, too, or nobody knows what does */
    const Value *address;
    bool loads_it; /* .. from there */
} Origin;

static bool is_asked_anew(const Op *op)
{
    return op->code == OP_call || op->code == OP_inline_asm || op->code == OP_inline_asm_volatile ||
           ir_access(op).effect == (READS | WRITES) || (op_only_reads(op) && op_is_volatile(op));
}

static bool look_at(const Op *op, void *origin)
{
    Origin *o = origin;

    if (op->code == OP_program_id)
        o->axes |= 1U << attr_axis(op);
    o->unknown |= is_asked_anew(op);
    o->loads_it |= o->address && op_only_reads(op) &&
                   ir_same(op->operands[ir_access(op).pointer], o->address, SAME_DEPTH);
    return true;
}

typedef struct {
    const Value *at[MOST_ROOTS];
    int n;
} Roots;

static void add_root(Roots *r, const Value *v)
{
    if (r->n < MOST_ROOTS)
        r->at[r->n++] = v;
}

/* Where it stores, and what decides whether it does. */
static Roots roots_of(const Op *store)
{
    const OpAccess access = ir_access(store);
    Roots r = {.n = 0};

    for (int i = 0; i < store->noperands; i++) {
        if (i != access.data)
            add_root(&r, store->operands[i]);
    }
    for (const Op *op = store->block->owner; op; op = op->block->owner) {
        if (op->code == OP_if)
            add_root(&r, op->operands[0]);
        else if (op->code == OP_while)
            add_root(&r, op->regions[0]->last->operands[0]);
        for (int i = 0; op->code == OP_for && i < FOR_BOUNDS; i++)
            add_root(&r, op->operands[i]);
    }
    return r;
}

typedef struct {
    const Func *func;
    unsigned axes; /* that the kernel asks for */
    Shared found;
    int stores;
} Search;

static void visit(Op *op, void *search)
{
    Search *s = search;
    const OpAccess access = ir_access(op);
    Arena *a = s->func->module->arena;
    Origin place = {0}, value = {0};

    if (access.effect != WRITES || s->found.axes || ++s->stores > MOST_STORES)
        return;
    const Roots roots = roots_of(op);
    ir_slice(s->func, a, roots.at, roots.n, look_at, &place);
    if (roots.n == MOST_ROOTS || place.unknown)
        return;
    const Value *data = op->operands[access.data];
    value.address = op->operands[access.pointer];
    ir_slice(s->func, a, &data, 1, look_at, &value);
    s->found.axes = (value.loads_it ? s->axes : value.axes) & ~place.axes;
    s->found.adds = value.loads_it;
    s->found.span = op->span;
}

Shared shared_of(const Func *f, unsigned axes)
{
    Search s = {.func = f, .axes = axes};

    ir_walk(f->body, visit, &s);
    return s.found;
}
