/*
 * blocks.c - blocks of elements that rounds of all programs add to, as those of keys in attention:
 * each program owns some, and goes through the work of all
 *
 *     rows = program * M + lanes            for n0 in range(program * N, n, programs * N):
 *     for n0 in range(0, n, N):       ->        for p in range(programs):
 *         atomic d_k[n0 + lanes] += f               d_k += f, of program p
 *                                               store d_k[n0 + lanes]
 *
 * The sum has the same parts, in an order that does not change, where
 *
 *   1. address and mask go by the round, not by the program;
 *   2. rounds begin at multiples of their step, whatever the program is, so that blocks are the
 * same;
 *   3. what is handed on is made of the program's number, of the round's and of memory, and not of
 *      what the round before has left.
 *
 * Rounds that a program does not have are left out: by where p begins and ends, or by an `if`.
 * Those of all end where the last one's do, whose ends no other program's exceed. Several arrays,
 * and loops in two parts, have one nest.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "blocks.h"

bool blocks_knows(Blocks *b, const Value *v)
{
    static const char yes, no;
    const char *known = map_get(b->knows, MAP_KEY(v));
    const Op *op = v->def;

    if (!op)
        return false;
    if (known)
        return known == &yes;
    bool goes = op->code == OP_program_id && attr_axis(op) == b->axis;
    for (int i = 0; i < op->noperands && !goes; i++)
        goes = blocks_knows(b, op->operands[i]);
    map_put(b->knows, MAP_KEY(v), (void *)(goes ? &yes : &no));
    return goes;
}

/* Can it be computed for another program and round?  loop: NULL, for another program alone. */
static bool can_make(const Blocks *b, const Value *v, const Op *loop, Map *seen)
{
    const Op *op = v->def;

    if (!op)
        return !v->block->owner || (loop && v == loop->regions[0]->args[0]);
    if (map_get(seen, MAP_KEY(v)))
        return true;
    map_put(seen, MAP_KEY(v), (void *)v);
    if (op->block->owner && op->block->owner != loop)
        return false;
    if (op_only_reads(op) ? op->code != OP_load || op_is_volatile(op)
                          : !op_has(op, PURE) || (op->regions[0] && !op_has(op, COMBINES)))
        return false;
    if (op->code == OP_load) {
        const int array = grad_array_of(b->g, op->operands[LOAD_PTR]);
        if (array < 0 || array > b->g->of.gradient->index) /* not a tape */
            return false;
    }
    for (int i = 0; i < op->noperands; i++) {
        if (!can_make(b, op->operands[i], loop, seen))
            return false;
    }
    return true;
}

bool blocks_multiple(const Value *v, int64_t step)
{
    const Op *op = v->def;
    int64_t n;

    if (value_const_int(v, &n))
        return n % step == 0;
    switch (op ? op->code : OP_COUNT) {
    case OP_mul:
        return blocks_multiple(op->operands[0], step) || blocks_multiple(op->operands[1], step);
    case OP_add:
    case OP_sub:
    case OP_min:
    case OP_max:
        return blocks_multiple(op->operands[0], step) && blocks_multiple(op->operands[1], step);
    case OP_cast:
    case OP_hint:
        return blocks_multiple(op->operands[0], step);
    default:
        return false;
    }
}

static bool is_same(const Value *x, const Op *one, const Value *y, const Op *other, int depth)
{
    if (!x || !y || x == y)
        return x == y;
    if (!x->def || !y->def || depth == 0)
        return x == one->regions[0]->args[0] && y == other->regions[0]->args[0];
    const Op *a = x->def, *b = y->def;
    if (a->code != b->code || a->noperands != b->noperands || a->nattrs != b->nattrs ||
        a->nresults != 1 || b->nresults != 1 || x->type != y->type || a->regions[0])
        return false;
    for (int i = 0; i < a->nattrs; i++) {
        if (a->attrs[i] != b->attrs[i])
            return false;
    }
    for (int i = 0; i < a->noperands; i++) {
        if (!is_same(a->operands[i], one, b->operands[i], other, depth - 1))
            return false;
    }
    return true;
}

bool blocks_same(const Value *x, const Op *one, const Value *y, const Op *other)
{
    return is_same(x, one, y, other, MOST_DEPTH);
}

static bool suits(Blocks *b, const Tap *t)
{
    Map *seen = map_new(b->g->arena);
    int64_t step;

    if (!value_const_int(t->loop->operands[FOR_STEP], &step) || step < 2 ||
        (b->step != 0 && step != b->step) || !blocks_multiple(t->lo, step) || t->nends == MOST_ENDS)
        return false;
    bool good = can_make(b, t->data, t->loop, seen) && can_make(b, t->pointer, t->loop, seen) &&
                (!t->mask || can_make(b, t->mask, t->loop, seen)) &&
                can_make(b, t->loop->operands[FOR_LO], NULL, seen) &&
                can_make(b, t->loop->operands[FOR_HI], NULL, seen) &&
                !blocks_knows(b, t->pointer) && !(t->mask && blocks_knows(b, t->mask)) &&
                blocks_knows(b, t->data);
    b->step = good ? step : b->step;
    return good;
}

int blocks_loop(const Blocks *b, const Op *loop)
{
    for (int i = 0; i < b->nloops; i++) {
        if (b->loops[i] == loop)
            return i;
    }
    return -1;
}

typedef struct {
    Blocks *blocks;
    GradArray *array;
    bool failed;
} Search;

static void find_tap(Op *op, void *search)
{
    Search *s = search;
    Blocks *b = s->blocks;

    if (s->failed || op->code != OP_atomic_rmw ||
        grad_array_of(b->g, op->operands[0]) != s->array->gradient->index)
        return;
    BlockTap *t = &b->taps[b->ntaps];
    *t = (BlockTap){.array = s->array};
    s->failed = b->ntaps == MOST_TAPS - 1 || !tap_in_loop(op, &t->tap) || !suits(b, &t->tap);
    for (int i = 0; i < b->ntaps && !s->failed; i++) {
        const Tap *other = &b->taps[i].tap;
        if (b->taps[i].array == s->array)
            s->failed = other->loop == t->tap.loop || other->data->type != t->tap.data->type ||
                        !blocks_same(other->pointer, other->loop, t->tap.pointer, t->tap.loop);
    }
    if (s->failed)
        return;
    b->ntaps++;
    b->by_program |= blocks_knows(b, t->tap.lo) || blocks_knows(b, t->tap.loop->operands[FOR_HI]);
    if (blocks_loop(b, t->tap.loop) >= 0)
        return;
    s->failed = b->nloops == MOST_LOOPS;
    if (!s->failed)
        b->loops[b->nloops++] = t->tap.loop;
}

/* --- which are worth it --- */

/* Rows of the program's own that end where the rounds do. */
static bool is_row_below(const Blocks *b, const Op *load, const Tap *t)
{
    const Value *mask = op_operand(load, LOAD_MASK);
    PolyScope scope = {0};
    PolyBounds bounds = {0};

    if (mask)
        poly_bounds(&scope, mask, tap_sides, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        for (int e = 0; e < t->nends; e++) {
            Poly rows = bounds.below[i], end;
            bool good = tap_polynomial(t->ends[e], &end) && poly_add(&rows, &end, 1), own = false;
            for (int k = 0; k < rows.count && good; k++) {
                const Value *v = rows.terms[k].of[0].value;
                good = rows.terms[k].count == 1 && rows.terms[k].scale > 0;
                own |= good && v && v == domain_program(b->g, b->axis);
                good &= !v || v == domain_program(b->g, b->axis);
            }
            if (good && own)
                return true;
        }
    }
    return false;
}

/* How many products it takes; *rows: is something of it loaded where such rows are? */
static int products_of(const Blocks *b, const Value *v, const Tap *t, Map *seen, bool *rows)
{
    const Op *op = v->def;

    if (!op || map_get(seen, MAP_KEY(v)))
        return 0;
    map_put(seen, MAP_KEY(v), (void *)v);
    *rows |= op->code == OP_load && is_row_below(b, op, t);
    int products = op->code == OP_dot;
    for (int i = 0; i < op->noperands; i++)
        products += products_of(b, op->operands[i], t, seen, rows);
    return products;
}

/* Are there about as many blocks as programs?  Else few programs would do all.  So it is where
 * rounds end by the program's number, or where its rows do, and where each round makes a tile of
 * rows by blocks for another product, as attention does. */
static bool is_worth(Blocks *b)
{
    for (int i = 0; i < b->ntaps; i++) {
        const Tap *t = &b->taps[i].tap;
        bool rows = false;
        if (b->by_program || products_of(b, t->data, t, map_new(b->g->arena), &rows) > 1 || rows)
            return true;
    }
    return false;
}

/* --- arrays --- */

static void settle(Blocks *b, int which)
{
    Grad *g = b->g;
    GradArray *a = b->arrays[which];
    const int needs = g->needs.len;

    a->is_transposed = true;
    if (grad_alone(g, a, &b->made[which], g->asked)) {
        a->fill = GRAD_STORED;
        a->is_gathered = true;
        return;
    }
    g->needs.len = needs;
    for (int i = 0; i < b->made[which].len; i++)
        gather_add_atomically(g, b->made[which].at[i]);
}

static bool may_be_exchanged(const Grad *g, const GradArray *a)
{
    return a->fill == GRAD_ADDED && !a->in_order && !a->in_last_pass && !a->is_transposed &&
           !grad_by_atomics(g, a);
}

static void exchange_along(Grad *g, int axis)
{
    Blocks *b = NEW(g->arena, Blocks);

    *b = (Blocks){.g = g, .axis = axis, .knows = map_new(g->arena)};
    for (int i = 0; i < g->nwrt && b->narrays < MOST_ARRAYS; i++) {
        const int taps = b->ntaps, loops = b->nloops;
        const int64_t step = b->step;
        Search s = {b, &g->wrt[i], !may_be_exchanged(g, &g->wrt[i])};
        if (!s.failed)
            ir_walk(g->func->body, find_tap, &s);
        if (s.failed || b->ntaps == taps) {
            b->ntaps = taps;
            b->nloops = loops;
            b->step = step;
            continue;
        }
        b->arrays[b->narrays++] = &g->wrt[i];
    }
    if (b->narrays == 0 || !is_worth(b) || !blocks_nest(b))
        return;
    for (int i = 0; i < b->ntaps; i++)
        op_remove(b->taps[i].tap.op);
    for (int i = 0; i < b->narrays; i++)
        settle(b, i);
}

void gather_blocks(Grad *g)
{
    for (int axis = 0; axis < AXES; axis++) {
        bool counts_lags = false;
        if (!(g->asked >> axis & 1) || !domain_program(g, axis))
            continue;
        exchange_along(g, axis);
        for (int i = 0; i < g->nwrt; i++)
            counts_lags |=
                may_be_exchanged(g, &g->wrt[i]) && blocks_count_lags(g, &g->wrt[i], axis);
        if (counts_lags)
            exchange_along(g, axis);
    }
}
