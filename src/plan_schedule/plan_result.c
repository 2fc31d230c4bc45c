/*
 * plan_result.c - which results of products go from registers to memory
 *
 * What a product comes to is kept in a buffer, from which a nest stores it.  Of a short product
 * that takes as long as much of the rest.  Where nothing is done with the result but that what is
 * made of it, element by element, is stored in rows - cast, with a bias, or where it is above zero
 * - the last product of its loop does all that, and the nest is left out: if all masks of the nest
 * hold all over the tile, and its rows are apart, which is known when the program runs, in front of
 * the loop.
 *
 * So the store comes earlier than it is written, and operands may still be read where memory has
 * them.  Nothing between may access memory, and nothing that the loop reads may be what is stored.
 */
#include "plan_schedule_internal.h"

#include <string.h>

/* A product, with its loop or alone, and the step of either. */
typedef VEC(const Op *) Ops;
typedef struct {
    const Plan *plan;
    const Step *product;
    const Op *whole; /* the loop, or the product */
    const Value *result;
    Ops *early; /* scalars of the address and the masks that are computed behind it as written */
} Result;

enum { MOST_EARLY = 40, MOST_BEHIND = 40 /* ops, of a result */ };

/* Ops that an element takes: a block has code for each of its vectors.  To read a buffer and to
 * write it is as much as a few. */
enum { MOST_WORK = 16 };

/* Has it been computed in front of all?  Not what the loop itself comes to, whose op is. */
static bool is_before(const Result *r, const Value *v)
{
    const Block *around = r->whole->block;
    const ValueFacts *facts = r->plan->facts;

    while (around && around != v->block)
        around = around->owner ? around->owner->block : NULL;
    return around && v->def != r->whole &&
           (!v->def || facts[v->id].order < facts[r->product->op->results[0]->id].order);
}

/* It has, or can be. */
static bool is_there(const void *ctx, const Value *v)
{
    const Result *r = ctx;
    const Op *op = v->def;

    if (is_before(r, v))
        return true;
    if (!op || v->type->rank > 0 || op->nresults != 1 || op->regions[0] ||
        op_has(op, READS | WRITES | EFFECT) || r->early->len == MOST_EARLY)
        return false;
    for (int i = 0; i < r->early->len; i++) {
        if (r->early->at[i] == op)
            return true;
    }
    for (int i = 0; i < op->noperands; i++) {
        if (!is_there(r, op->operands[i]))
            return false;
    }
    vec_push(r->plan->arena, r->early, op);
    return true;
}

/* --- memory --- */

typedef struct {
    const Plan *plan;
    uint64_t stored;
    bool meets;
} Accesses;

static void look_at_access(Op *op, void *ctx)
{
    Accesses *a = ctx;

    if (op_has(op, WRITES | EFFECT) || op->code == OP_call)
        a->meets = true;
    else if (op_has(op, READS))
        a->meets |=
            !op_only_reads(op) || (ir_bases_of(a->plan->bases, plan_pointer(op)) & a->stored) != 0;
}

/* May anything that goes on until the last product be of what is stored? */
static bool is_apart(const Result *r, const Nest *n)
{
    Accesses a = {.plan = r->plan};
    const Op *store = n->roots.at[0].op;

    if (!r->plan->bases || n->roots.at[0].kind != ROOT_STORE)
        return false;
    a.stored = ir_bases_of(r->plan->bases, store->operands[STORE_PTR]);
    if (r->whole->regions[0])
        ir_walk(r->whole->regions[0], look_at_access, &a);
    for (int i = DOT_A; i <= DOT_B; i++) {
        Op *made = r->product->op->operands[i]->def;
        if (made)
            look_at_access(made, &a);
    }
    return !a.meets;
}

/* --- the store --- */

/* All that is done with it, element by element, ends in what is stored there. */
static bool goes_only_to(const Result *r, const Value *v, const Op *store, int most)
{
    const Use *uses = uses_of(&r->plan->uses, v);

    for (int i = 0; i < uses_count(&r->plan->uses, v); i++) {
        const Op *op = uses[i].op;
        if (op == store && uses[i].operand == STORE_DATA)
            continue;
        if (most == 0 || !op_is_elementwise(op) || op->nresults != 1 ||
            plan_buffer(r->plan, op->results[0]) != NO_BUFFER ||
            !goes_only_to(r, op->results[0], store, most - 1))
            return false;
    }
    return true;
}

/* Vectors that follow one another, or one number. */
static bool loads_plainly(const Result *r, const Entry *e, const Op *store)
{
    const Op *op = e->value->def;
    bool same = op->operands[LOAD_PTR] == store->operands[STORE_PTR];

    if (op_is_volatile(op) || (e->vector && e->access && e->access->form != FORM_CONTIGUOUS))
        return false;
    /* elements are read before they are stored, but others may be stored by then */
    return same || (ir_bases_of(r->plan->bases, plan_pointer(op)) &
                    ir_bases_of(r->plan->bases, store->operands[STORE_PTR])) == 0;
}

/* Can it be computed where the product is, for any vector of it? */
static bool may_be_early(const Result *r, const Entry *e, const Op *store, int buffer)
{
    switch (e->kind) {
    case MAKE_KNOWN:
    case MAKE_ZERO:
    case MAKE_CONST:
    case MAKE_INDEX:
    case MAKE_OP:
    case MAKE_CUT: /* of which none is found where all bounds hold */
    case MAKE_AHEAD:
        return true;
    case MAKE_SCALAR:
        return is_there(r, e->value);
    case MAKE_READ:
        return e->buffer == buffer ? e->role == AS_VALUE && e->vector && e->number == 0 &&
                                         memcmp(e->map, plan_identity, 2) == 0
                                   : is_before(r, e->value);
    case MAKE_LOAD:
        return loads_plainly(r, e, store);
    case MAKE_ROOT: /* under no mask but bounds */
        return e->in[IN_MASK] == NO_ENTRY && e->in[IN_DATA] != NO_ENTRY;
    default:
        return false;
    }
}

/* Where vectors are longer than rows, the main part of the nest is empty. */
static bool computes_early(const Result *r, const Nest *n, int buffer)
{
    static const Part parts[] = {PART_ROWS, PART_MAIN};
    const Schedule *s = n->schedule;
    bool stores = false;

    for (int k = 0; k < COUNT(parts); k++) {
        for (int i = 0; i < s->part[parts[k]].len; i++) {
            const Entry *e = &s->entries.at[s->part[parts[k]].at[i]];
            if (!may_be_early(r, e, n->roots.at[0].op, buffer))
                return false;
            stores |= parts[k] == PART_MAIN && e->kind == MAKE_ROOT;
        }
    }
    return stores && (n->bounds.len == 0 || n->full.len > 0);
}

static bool is_plain_store(const Result *r, const Nest *n)
{
    const Root *root = &n->roots.at[0];
    const Op *op = root->op;

    if (n->roots.len != 1 || root->kind != ROOT_STORE || n->rank != 2 || n->order[1] != 1 ||
        n->serial || n->pieces.len > 0 || n->schedule->strips || n->work > MOST_WORK)
        return false;
    return root->access->form == FORM_CONTIGUOUS && !root->access->streaming &&
           !op_is_volatile(op) && goes_only_to(r, r->result, op, MOST_BEHIND) &&
           computes_early(r, n, plan_buffer(r->plan, r->result));
}

static bool is_known_before(const Result *r, const Nest *n)
{
    for (int i = 0; i < n->full.len; i++) {
        if (!plan_holds_by_ends(n->full.at[i], is_there, r))
            return false;
    }
    return plan_is_linear(r->plan, n->roots.at[0].op->operands[STORE_PTR], is_there, r);
}

/* The nest behind a step, with nothing in between that accesses memory. */
static Nest *nest_behind(const BlockPlan *b, int number)
{
    for (int i = number + 1; i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST)
            return s->nest;
        if (s->kind != STEP_SCALAR || op_has(s->op, READS | WRITES | EFFECT))
            return NULL;
    }
    return NULL;
}

/* --- products --- */

static void look_at_result(const Result *r, const BlockPlan *b, int number)
{
    const Plan *p = r->plan;
    const Op *op = r->product->op;
    Nest *n = nest_behind(b, number);

    if (!n || n->result != 0 || r->product->dot.unit == DOT_AMX || r->product->dot.lanes == 1 ||
        r->result->type->rank != 2 || !is_apart(r, n) || !is_plain_store(r, n) ||
        !is_known_before(r, n))
        return;
    int buffer = plan_buffer(p, op->results[0]);
    p->buffers.at[buffer].stored = n;
    p->buffers.at[buffer].last = r->whole;
    n->result = 1 + buffer;
    for (int i = 0; i < r->early->len; i++)
        vec_push(p->arena, &n->early, r->early->at[i]);
}

/* Of a loop that adds to a sum, which the last round stores. */
static void look_at_loop(const Plan *p, const BlockPlan *b, int number)
{
    const Step *loop = &b->steps.at[number];

    for (int i = 0; i < loop->body[0]->steps.len; i++) {
        const Step *s = &loop->body[0]->steps.at[i];
        if (s->kind != STEP_DOT || !plan_only_adds(p, s->op))
            continue;
        int sum = s->op->operands[DOT_ACC]->index - 1;
        Ops early = {0};
        Result r = {p, s, loop->op, loop->op->results[sum], &early};
        if (plan_buffer(p, r.result) == plan_buffer(p, s->op->results[0]))
            look_at_result(&r, b, number);
    }
}

static void look_at_block(const Plan *p, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_FOR)
            look_at_loop(p, b, i);
        if (s->kind == STEP_DOT)
            look_at_result(&(Result){p, s, s->op, s->op->results[0], &(Ops){0}}, b, i);
        look_at_block(p, s->body[0]);
        look_at_block(p, s->body[1]);
    }
}

void plan_results(const Plan *p)
{
    if (!p->options->debug)
        look_at_block(p, p->body);
}
