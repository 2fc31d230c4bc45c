/*
 * cse.c - compute equal things once
 *
 * Takes and gives verified IR.  Value numbering in scopes: a block sees what was computed before
 * it in its own and all enclosing blocks, so the first of two equal ops always dominates the
 * second.  Two ops are equal when code, attributes, result types and operands are, operands of
 * commutative ops in any order, and regions op by op.
 *
 * Loads take part while memory cannot have changed between them: each is tagged with the number
 * of the memory state it reads, and whatever may write starts a new state.  A loop that writes
 * somewhere starts one at its head too, because the previous iteration came in between; so does
 * the region of a reduction or scan, which runs once a pair.  A reduction whose region reads or
 * writes memory is never merged.
 */
#include "opt.h"
#include "../ir/analysis.h"

typedef struct {
    Op *op;
    uint64_t hash;
    int memory; /* state that a load read; 0 for the rest */
    int next;   /* older entry of the same bucket, or -1 */
} Entry;

typedef struct {
    Arena *arena;
    VEC(Entry) entries; /* a stack: leaving a block drops what it pushed */
    int *buckets;       /* newest entry, or -1 */
    uint64_t nbuckets;  /* a power of two */
    int memory, states; /* the current memory state, and how many there have been */
} Cse;

static bool is_candidate(const Op *op)
{
    if (op->nresults == 0)
        return false;
    return op_only_reads(op) ? !op_is_volatile(op) : op_has(op, PURE) && !op_has_effects(op);
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15;
    return h ^ h >> 29;
}

static uint64_t hash_op(const Op *op, int memory)
{
    uint64_t h = mix((uint64_t)op->code + 1, (uint64_t)memory);
    uint64_t sum = 0;

    for (int i = 0; i < op->nattrs; i++)
        h = mix(h, (uint64_t)op->attrs[i]);
    for (int i = 0; i < op->nresults; i++)
        h = mix(h, MAP_KEY(op->results[i]->type));
    for (int i = 0; i < op->noperands; i++) {
        uint64_t id = (uint64_t)op->operands[i]->id + 1;
        if (opt_commutes(op))
            sum += mix(7, id);
        else
            h = mix(h, id);
    }
    return mix(h, sum);
}

/* `pairs` maps values of b's regions to their twins in a's; NULL outside of regions. */
static bool same_value(const Value *a, const Value *b, const Map *pairs)
{
    const Value *twin = pairs ? map_get(pairs, MAP_KEY(b)) : NULL;

    return a == (twin ? twin : b);
}

static bool same_operands(const Op *a, const Op *b, const Map *pairs)
{
    int n = a->noperands;

    if (opt_commutes(a) && same_value(a->operands[0], b->operands[1], pairs) &&
        same_value(a->operands[1], b->operands[0], pairs))
        return true;
    for (int i = 0; i < n; i++) {
        if (!same_value(a->operands[i], b->operands[i], pairs))
            return false;
    }
    return true;
}

static bool same_block(Arena *arena, const Block *a, const Block *b, Map *pairs)
{
    const Op *x = a->first, *y = b->first;

    if (a->nargs != b->nargs)
        return false;
    for (int i = 0; i < a->nargs; i++) {
        if (a->args[i]->type != b->args[i]->type)
            return false;
        map_put(pairs, MAP_KEY(b->args[i]), a->args[i]);
    }
    for (; x && y; x = x->next, y = y->next) {
        if (!opt_same_op(arena, x, y, pairs))
            return false;
        for (int i = 0; i < x->nresults; i++)
            map_put(pairs, MAP_KEY(y->results[i]), x->results[i]);
    }
    return !x && !y;
}

bool opt_same_op(Arena *arena, const Op *a, const Op *b, Map *pairs)
{
    if (a->code != b->code || a->noperands != b->noperands || a->nattrs != b->nattrs ||
        a->nresults != b->nresults)
        return false;
    for (int i = 0; i < a->nattrs; i++) {
        if (a->attrs[i] != b->attrs[i])
            return false;
    }
    for (int i = 0; i < a->nresults; i++) {
        if (a->results[i]->type != b->results[i]->type)
            return false;
    }
    if (!same_operands(a, b, pairs))
        return false;
    for (int r = 0; r < COUNT(a->regions); r++) {
        if (!a->regions[r] != !b->regions[r])
            return false;
        if (!a->regions[r])
            continue;
        if (!same_block(arena, a->regions[r], b->regions[r], pairs ? pairs : map_new(arena)))
            return false;
    }
    return true;
}

static const Entry *find_equal(const Cse *c, const Op *op, uint64_t hash, int memory)
{
    for (int i = c->buckets[hash & (c->nbuckets - 1)]; i >= 0; i = c->entries.at[i].next) {
        const Entry *e = &c->entries.at[i];
        if (e->hash == hash && e->memory == memory && opt_same_op(c->arena, e->op, op, NULL))
            return e;
    }
    return NULL;
}

static void push_entry(Cse *c, Op *op, uint64_t hash, int memory)
{
    int *bucket = &c->buckets[hash & (c->nbuckets - 1)];
    Entry e = {op, hash, memory, *bucket};

    *bucket = c->entries.len;
    vec_push(c->arena, &c->entries, e);
}

static void pop_to(Cse *c, int length)
{
    while (c->entries.len > length) {
        const Entry *e = &c->entries.at[--c->entries.len];
        c->buckets[e->hash & (c->nbuckets - 1)] = e->next;
    }
}

/* Drop op for an earlier equal one, or remember it. */
static void merge(Cse *c, Op *op)
{
    int memory = op_has(op, READS) ? c->memory : 0;
    uint64_t hash = hash_op(op, memory);
    const Entry *e = find_equal(c, op, hash, memory);

    if (!e) {
        push_entry(c, op, hash, memory);
        return;
    }
    for (int i = 0; i < op->nresults; i++) {
        value_symbols_meet(op->block->func->module, e->op->results[i], op->results[i]);
        op->results[i]->repl = e->op->results[i];
    }
    op_remove(op);
}

static void number_block(Cse *c, Block *b);

/* The arms of an `if` start from the state in front of it, and so does each region of a loop
 * or reduction that writes nothing. */
static void number_regions(Cse *c, Op *op)
{
    bool writes = op_contains(op, WRITES);
    int before = c->memory;

    for (int r = 0; r < COUNT(op->regions); r++) {
        if (!op->regions[r])
            continue;
        c->memory = writes && op->code != OP_if ? ++c->states : before;
        number_block(c, op->regions[r]);
    }
    c->memory = writes ? ++c->states : before;
}

static void number_block(Cse *c, Block *b)
{
    int mark = c->entries.len;

    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        ir_resolve_operands(op);
        if (op->regions[0])
            number_regions(c, op);
        else if (op_contains(op, WRITES))
            c->memory = ++c->states;
        if (is_candidate(op))
            merge(c, op);
    }
    pop_to(c, mark);
}

void opt_cse(Func *f)
{
    Cse c = {.arena = f->module->arena, .nbuckets = 64, .memory = 1, .states = 1};

    while (c.nbuckets < (uint64_t)f->nvalues)
        c.nbuckets *= 2;
    c.buckets = NEW_N(c.arena, int, c.nbuckets);
    for (uint64_t i = 0; i < c.nbuckets; i++)
        c.buckets[i] = -1;
    number_block(&c, f->body);
}
