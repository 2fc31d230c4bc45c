/*
 * suspect_exchange.c - lanes of a program that exchange values through memory and do not wait
 *
 * tl.store(t + i, v) and then tl.load(t + i + 1): lane i loads what lane i + 1 has stored.  On a
 * GPU lanes are in warps, of which each runs on its own, so the other one may not have been there
 * yet; as little may it change, x[i] = x[i + 1], what a lane has not loaded yet.  Between the two
 * stands tl.debug_barrier().  Our own code for GPUs has one there, Triton's has none.
 *
 * Told of accesses of one block whose indices are the same sum but for a constant, one that is
 * rotated ((i + 1) % n), flipped (i ^ 1) or runs backwards (n - 1 - i), of tiles that fill more
 * than a warp.  What masks leave out is taken to be an end: other masks say nothing.  The rest is
 * found by --check on the interpreter (src/race/).
 */
#include <string.h>

#include "suspect.h"

enum { MOST_TERMS = 8, DEEPEST = 40, SAME_DEPTH = 12, WARP = 32, MOST_KEPT = 16 };

/* --- an index as a sum --- */

typedef struct {
    const Value *at[MOST_TERMS];
    int sign[MOST_TERMS];
    int n;
    int64_t constant;
    bool fails;
} Sum;

static void add_value(Sum *s, const Value *v, int sign, int depth)
{
    const Op *op = v->def;
    int64_t c;

    if (value_const_int(v, &c)) {
        s->constant += sign * c;
        return;
    }
    s->fails |= depth == 0;
    if (s->fails)
        return;
    switch (op ? op->code : OP_COUNT) {
    case OP_add:
    case OP_sub:
        add_value(s, op->operands[0], sign, depth - 1);
        add_value(s, op->operands[1], op->code == OP_add ? sign : -sign, depth - 1);
        return;
    case OP_neg:
        add_value(s, op->operands[0], -sign, depth - 1);
        return;
    case OP_splat:
    case OP_hint:
    case OP_cast: /* to wider integers */
        add_value(s, op->operands[0], sign, depth - 1);
        return;
    default:
        if (s->n == MOST_TERMS) {
            s->fails = true;
            return;
        }
        s->at[s->n] = v;
        s->sign[s->n++] = sign;
    }
}

/* The index of a pointer from the array that it comes from; NULL: from elsewhere. */
static const Value *add_pointer(Sum *s, const Value *p)
{
    while (p->def && (p->def->code == OP_addptr || p->def->code == OP_splat)) {
        if (p->def->code == OP_addptr)
            add_value(s, p->def->operands[1], 1, DEEPEST);
        p = p->def->operands[0];
    }
    return p->def ? NULL : p;
}

/* Take out of both what they have in common; gives the tile of numbers that follow each other among
 * it, or NULL. */
static const Value *cancel(const AxisFacts *facts, Sum *x, Sum *y)
{
    const Value *run = NULL;

    for (int i = x->n - 1; i >= 0; i--) {
        for (int k = 0; k < y->n; k++) {
            if (x->sign[i] != y->sign[k] || !ir_same(x->at[i], y->at[k], SAME_DEPTH))
                continue;
            const Axis *a = axis_of(facts, x->at[i]);
            if (x->at[i]->type->rank == 1 && a && a->contiguity[0] == x->at[i]->type->dims[0])
                run = x->at[i];
            x->at[i] = x->at[--x->n];
            y->at[k] = y->at[--y->n];
            x->sign[i] = x->sign[x->n];
            y->sign[k] = y->sign[y->n];
            break;
        }
    }
    return run;
}

/* --- do lanes meet others? --- */

/* From the first to the last, of an arange and a constant. */
static bool are_reversed(const Sum *x, const Sum *y)
{
    const Op *range = x->n == 1 ? x->at[0]->def : NULL;

    if (!range || range->code != OP_arange || y->n != 1 || x->sign[0] + y->sign[0] != 0 ||
        !ir_same(x->at[0], y->at[0], SAME_DEPTH))
        return false;
    int64_t first = attr_start(range), last = first + x->at[0]->type->dims[0] - 1;
    int64_t from = x->sign[0] * (x->sign[0] > 0 ? first : last) + x->constant;
    int64_t other = y->sign[0] * (y->sign[0] > 0 ? first : last) + y->constant;
    return from < other + last - first && other < from + last - first;
}

static bool is_shift(const Value *run, int64_t by)
{
    return run && by != 0 && by > -run->type->dims[0] && by < run->type->dims[0];
}

/* y is (a + c) % m or i ^ c, where x is a, or i. */
static bool is_turned(const AxisFacts *facts, const Sum *x, const Sum *y)
{
    const Op *op = y->n == 1 && y->constant == 0 ? y->at[0]->def : NULL;
    Sum in = {0}, rest = *x;
    int64_t c;

    if (!op || y->sign[0] < 0)
        return false;
    if (op->code == OP_xor)
        return x->n == 1 && x->constant == 0 && x->sign[0] > 0 &&
               value_const_int(op->operands[1], &c) && c > 0 && c < x->at[0]->type->dims[0] &&
               ir_same(x->at[0], op->operands[0], SAME_DEPTH);
    if (op->code != OP_rem)
        return false;
    add_value(&in, op->operands[0], 1, DEEPEST);
    const Value *run = cancel(facts, &rest, &in);
    return !in.fails && rest.n == 0 && in.n == 0 && is_shift(run, in.constant - rest.constant);
}

/* May some lane of one touch an element that another lane of the other one touches, surely? */
static bool are_crossed(const AxisFacts *facts, const Op *first, const Op *second)
{
    const Value *p = first->operands[0], *q = second->operands[0];
    Sum x = {0}, y = {0};

    if (!type_same_shape(p->type, q->type) || p->type->rank != 1 || p->type->dims[0] <= WARP ||
        p->type->dtype != q->type->dtype)
        return false;
    const Value *base = add_pointer(&x, p);
    if (!base || base != add_pointer(&y, q) || x.fails || y.fails)
        return false;
    const Value *run = cancel(facts, &x, &y);
    if (x.n == 0 && y.n == 0)
        return is_shift(run, y.constant - x.constant);
    return !run && (are_reversed(&x, &y) || is_turned(facts, &x, &y) || is_turned(facts, &y, &x));
}

/* --- what comes behind what --- */

static bool leaves_out_ends(const Value *mask, int depth)
{
    const Op *op = ir_unmoved(mask)->def;
    int64_t c;

    if (!op || depth == 0)
        return false;
    switch (op->code) {
    case OP_and:
        return leaves_out_ends(op->operands[0], depth - 1) &&
               leaves_out_ends(op->operands[1], depth - 1);
    case OP_lt: /* i < n, or all but the last lane */
    case OP_le:
        return !value_const_int(op->operands[1], &c) ||
               c + (op->code == OP_le) >= mask->type->dims[0] - 1;
    case OP_gt:
    case OP_ge:
        return value_const_int(op->operands[1], &c) && (c == 0 || c == 1);
    default:
        return false;
    }
}

static bool is_tile_access(const Op *op)
{
    OpAccess m = ir_access(op);
    const Value *mask = op_operand(op, m.mask);

    if (m.effect != READS && m.effect != WRITES)
        return false;
    const Type *t = op->operands[m.pointer]->type;
    return t->pointer && t->rank == 1 && (!mask || leaves_out_ends(mask, 4));
}

/* The last ones. */
typedef struct {
    const Op *at[MOST_KEPT];
    int n;
} Accesses;
typedef struct {
    const Suspect *s;
    const AxisFacts *facts;
    Accesses stores, loads;
} Exchange;

static void keep(Accesses *all, const Op *op)
{
    if (all->n == MOST_KEPT)
        memmove(all->at, all->at + 1, sizeof all->at[0] * --all->n);
    all->at[all->n++] = op;
}

static void tell(const Exchange *x, const Op *first, const Op *second)
{
    bool loads = op_only_reads(second);

    tell_warn(x->s, second, "tl.debug_barrier() between the two: all lanes wait there",
              loads ? "this loads what another lane of the program has stored, and did not wait "
                      "for it"
                    : "this changes what another lane of the program loads, and did not wait for "
                      "it");
    if (diag_kept(x->s->diags))
        ir_diag(x->s->diags, DIAG_NOTE, first, "the other lane is here");
}

/* One word of each access is enough. */
static void look_back(const Exchange *x, const Op *op)
{
    const Accesses *before = op_only_reads(op) ? &x->stores : &x->loads;

    for (int i = 0; i < before->n; i++) {
        if (are_crossed(x->facts, before->at[i], op)) {
            tell(x, before->at[i], op);
            return;
        }
    }
}

static void note_wait(Op *op, void *waits)
{
    *(bool *)waits |=
        op->code == OP_barrier || op->code == OP_call || ir_access(op).effect == (READS | WRITES);
}

static bool waits(const Op *op)
{
    bool any = false;

    note_wait((Op *)op, &any);
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            ir_walk(op->regions[r], note_wait, &any);
    }
    return any;
}

/* What it gives is made of all lanes: it had to wait for what they load. */
static bool crosses_lanes(const Op *op)
{
    return op->regions[0] || op_crosses_lanes(op);
}

static void look_through(const Suspect *s, const AxisFacts *facts, const Block *b)
{
    Exchange x = {.s = s, .facts = facts};

    for (const Op *op = b->first; op; op = op->next) {
        if (waits(op))
            x.stores.n = x.loads.n = 0;
        if (crosses_lanes(op))
            x.loads.n = 0;
        if (is_tile_access(op)) {
            look_back(&x, op);
            keep(op_only_reads(op) ? &x.loads : &x.stores, op);
        }
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                look_through(s, facts, op->regions[r]);
        }
    }
}

static bool stores_row(const Op *op)
{
    return op->code == OP_store && op->operands[STORE_PTR]->type->rank == 1;
}

void suspect_exchange(const Suspect *s)
{
    if (tell_any(s, stores_row))
        look_through(s, tell_axis(s), s->func->body);
}
