/*
 * unroll.c - repeat the body of a `for` that asks for it
 *
 * Takes and gives verified IR.  The attribute says how: -1 wholly, which needs constant bounds;
 * n > 1 by that factor, which needs a constant step and leaves the rest of the iterations to a
 * second loop.  Requests beyond a budget of ops are left alone: `unroll` is a hint.
 * A loop over a window that does not ask is repeated wholly for targets that want windows: the pass
 * window takes it apart again.  So is a short loop that loads, for targets whose threads wait where
 * they use what they loaded: all its loads are asked for together then.
 * A loop that does nothing but load tiles and add them to those that it carries is repeated four
 * times for targets that keep these in memory, which then read and write them for every fourth
 * round; the order in which elements are combined stays (opt_unroll_sums(), a pass of its own).
 * Outer loops come first, so that inner bounds that depend on their counters become constant.
 *
 * The main loop of the second form runs from lo to a bound computed in front of it, in unsigned
 * 64-bit arithmetic so that no bound is too large: with `distance` from lo to hi,
 *
 *     trips = (distance - 1) / |step| + 1,   rest = trips mod n
 *     main bound = hi where rest is 0, else lo + (trips - rest) * step
 *
 * and the second loop goes on from there to hi.
 */
#include "window.h"
#include "../ir/analysis.h"

enum {
    WHOLLY = -1,
    SHORT_TRIPS = 64,    /* of a short loop, at most, */
    SHORT_WORK = 768,    /* and instructions of a thread for all of them, about */
    USUAL_THREADS = 128, /* where the launch does not say */
    SUMMED_ROUNDS = 4,   /* of a loop that adds tiles up, */
    SUMMED_LOADS = 2,    /* with so many loads of tiles in a round, */
    SUMMED_OPS = 48      /* and ops, at most */
};

typedef struct {
    int budget; /* ops that may still be added to the function */
    bool windows, short_loops;
    int64_t threads;
} Unroll;

/* Copy the loop's body once, for this counter; `carried` goes in and comes out. */
static void copy_body(Builder *b, const Op *loop, Value *counter, Value **carried)
{
    const Block *body = loop->regions[0];
    Map *values = map_new(b->module->arena);
    const Op *yield = opt_last(body);

    map_put(values, MAP_KEY(body->args[0]), counter);
    for (int i = 0; i < loop->nresults; i++)
        map_put(values, MAP_KEY(body->args[1 + i]), carried[i]);
    for (const Op *op = body->first; op != yield; op = op->next)
        op_clone(b, op, values);
    for (int i = 0; i < loop->nresults; i++) {
        Value *copy = map_get(values, MAP_KEY(yield->operands[i]));
        carried[i] = copy ? copy : yield->operands[i];
    }
}

/* Bounds and step are constants here; what wraps is only ever seen past the last iteration. */
static void unroll_wholly(Op *loop, uint64_t trips)
{
    Value *carried[loop->nresults + 1];
    Builder b = builder_before(loop);
    uint64_t counter = 0, step = 0;

    value_constant(loop->operands[FOR_LO], &counter);
    value_constant(loop->operands[FOR_STEP], &step);
    for (int i = 0; i < loop->nresults; i++)
        carried[i] = loop->operands[FOR_BOUNDS + i];
    for (uint64_t t = 0; t < trips; t++, counter += step)
        copy_body(&b, loop, build_const(&b, loop->operands[FOR_LO]->type, counter), carried);
    for (int i = 0; i < loop->nresults; i++)
        loop->results[i]->repl = carried[i];
    op_remove(loop);
}

/* Bounds count as signed whatever their dtype (semantics R126). */
static Value *as_i64(Builder *b, Value *v)
{
    DType t = v->type->dtype;

    if (dtype_is_unsigned(t))
        v = build_bitcast(b, v, (DType)(DT_I8 + (t - DT_U8)));
    return build_cast(b, v, DT_I64, ROUND_NEAREST);
}

static Value *u64_op(Builder *b, OpCode code, Value *x, uint64_t y)
{
    return build_binary(b, code, x, build_const(b, x->type, y));
}

static Value *main_bound(Builder *b, const Op *loop, int64_t step, int64_t factor)
{
    Value *lo = as_i64(b, loop->operands[FOR_LO]), *hi = as_i64(b, loop->operands[FOR_HI]);
    Value *from = step > 0 ? lo : hi, *to = step > 0 ? hi : lo;
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;

    Value *runs = build_binary(b, OP_lt, from, to);
    Value *distance = build_bitcast(b, build_binary(b, OP_sub, to, from), DT_U64);
    Value *trips = u64_op(b, OP_add, u64_op(b, OP_div, u64_op(b, OP_sub, distance, 1), stride), 1);
    Value *rest = u64_op(b, OP_rem, trips, (uint64_t)factor);
    Value *full = build_binary(b, OP_sub, trips, rest);
    Value *way = build_bitcast(b, u64_op(b, OP_mul, full, (uint64_t)step), DT_I64);
    Value *end = build_binary(b, OP_add, lo, way);
    Value *bound = build_select(b, u64_op(b, OP_eq, rest, 0), hi, end);

    bound = build_select(b, runs, bound, lo);
    return build_cast(b, bound, loop->operands[FOR_LO]->type->dtype, ROUND_NEAREST);
}

/* The loop over whole groups of `factor` iterations, in front of the old one. */
static Op *make_main_loop(Op *loop, Value *bound, int64_t step, int64_t factor)
{
    int n = loop->nresults;
    Value *operands[FOR_BOUNDS + n], *carried[n + 1];
    const Type *types[n + 1];
    Builder b = builder_before(loop);

    operands[FOR_LO] = loop->operands[FOR_LO];
    operands[FOR_HI] = bound;
    operands[FOR_STEP] = build_int(&b, loop->operands[FOR_STEP]->type, step * factor);
    for (int i = 0; i < n; i++) {
        operands[FOR_BOUNDS + i] = loop->operands[FOR_BOUNDS + i];
        types[i] = loop->results[i]->type;
    }
    Op *wide = build_op(&b, OP_for, FOR_BOUNDS + n, operands, loop->nattrs, loop->attrs, n, types);
    attr_set(wide, ATTR_unroll, 0);
    Value *counter = block_add_arg(wide->regions[0], loop->operands[FOR_LO]->type);
    counter->name = loop->regions[0]->args[0]->name;
    for (int i = 0; i < n; i++)
        carried[i] = block_add_arg(wide->regions[0], types[i]);
    b = builder_into(&b, wide->regions[0]);
    for (int64_t k = 0; k < factor; k++) {
        copy_body(&b, loop, counter, carried);
        if (k + 1 < factor)
            counter = build_binary(&b, OP_add, counter, loop->operands[FOR_STEP]);
    }
    build_yield(&b, OP_yield, n, carried);
    return wide;
}

static void unroll_by(Op *loop, int64_t step, int64_t factor)
{
    Builder b = builder_before(loop);
    Value *bound = main_bound(&b, loop, step, factor);
    const Op *wide = make_main_loop(loop, bound, step, factor);

    loop->operands[FOR_LO] = bound;
    for (int i = 0; i < loop->nresults; i++)
        loop->operands[FOR_BOUNDS + i] = wide->results[i];
    attr_set(loop, ATTR_unroll, 0);
}

/* Does step * factor stay in the counter's dtype, with a step that goes somewhere? */
static bool factor_fits(const Op *loop, int64_t factor, int64_t *step)
{
    DType t = loop->operands[FOR_STEP]->type->dtype;
    int unused = 64 - dtype_bits(t);
    int64_t wide;

    return t != DT_I1 && value_const_signed(loop->operands[FOR_STEP], step) && *step != 0 &&
           !__builtin_mul_overflow(*step, factor, &wide) &&
           wide == (int64_t)((uint64_t)wide << unused) >> unused;
}

/* Is there room for this many more bodies? */
static bool spend(Unroll *u, const Op *loop, uint64_t bodies)
{
    int size = opt_count_ops(loop->regions[0]);

    if (bodies > (uint64_t)(u->budget / size))
        return false;
    u->budget -= size * (int)bodies;
    return true;
}

/* --- short loops --- */

static int64_t work_of_block(const Unroll *u, const Block *b);

/* Instructions of a thread, about; SHORT_WORK or more for what no short loop has. */
static int64_t work_of(const Unroll *u, const Op *op)
{
    uint64_t trips;

    if (op->code == OP_const || op_has(op, MOVES))
        return 0;
    if (op->code == OP_dot || op->code == OP_while)
        return SHORT_WORK;
    if (op->code == OP_for) {
        if (!opt_trip_count(op, &trips) || trips > SHORT_TRIPS)
            return SHORT_WORK;
        return (int64_t)trips * work_of_block(u, op->regions[0]);
    }
    if (op->code == OP_if)
        return work_of_block(u, op->regions[0]) + work_of_block(u, op->regions[1]);
    const Type *t = op->nresults > 0    ? op->results[0]->type
                    : op->noperands > 0 ? op->operands[0]->type
                                        : NULL;
    if (op->noperands > 0 && ir_reduces(op))
        t = op->operands[0]->type;
    return t ? MAX(1, type_numel(t) / u->threads) : 1;
}

static int64_t work_of_block(const Unroll *u, const Block *b)
{
    int64_t work = 0;

    for (const Op *op = b->first; op && work < SHORT_WORK; op = op->next)
        work += work_of(u, op);
    return work;
}

static void find_load(Op *op, void *found)
{
    *(bool *)found |= op->code == OP_load;
}

static bool is_short(const Unroll *u, Op *loop)
{
    bool loads = false;

    ir_walk(loop->regions[0], find_load, &loads);
    return loads && attr_num_stages(loop) == 0 && work_of(u, loop) < SHORT_WORK;
}

/* --- loops that add tiles up --- */

/* May several of its rounds become one? */
static bool is_plain(const Op *op)
{
    if (op->code == OP_load)
        return !op_is_volatile(op);
    bool made = op->code == OP_const || op->code == OP_arange || op->code == OP_yield;
    return made || op_has(op, MOVES) ||
           (op_is_elementwise(op) && op_has(op, PURE) && !op_has(op, APPROX));
}

static bool reads(const Op *op, const Value *v)
{
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i] == v)
            return true;
    }
    return false;
}

/* Does one op put together what place `i` carries and what is new, and nothing else read it?  Of a
 * longer chain each round would have to wait for the one before. */
static bool sums_up(const Op *loop, int i)
{
    const Block *body = loop->regions[0];
    const Value *old = body->args[1 + i], *now = body->last->operands[i];

    if (!now->def || !op_has(now->def, COMMUTES) || !reads(now->def, old))
        return false;
    for (const Op *op = body->first; op; op = op->next) {
        if (op != now->def && reads(op, old))
            return false;
    }
    return true;
}

/* Does its body do nothing but load tiles, and add what is made of them to those that it carries?
 */
static bool adds_up(const Op *loop)
{
    int tiles = 0, loads = 0, ops = 0;
    uint64_t trips;

    if (attr_unroll(loop) != 0 || (opt_trip_count(loop, &trips) && trips < 2 * SUMMED_ROUNDS))
        return false;
    for (const Op *op = loop->regions[0]->first; op; op = op->next, ops++) {
        if (!is_plain(op))
            return false;
        loads += op->code == OP_load && op->results[0]->type->rank > 0;
    }
    for (int i = 0; i < loop->nresults; i++) {
        bool tile = loop->results[i]->type->rank > 0;
        if (tile && !sums_up(loop, i))
            return false;
        tiles += tile;
    }
    return tiles > 0 && loads > 0 && loads <= SUMMED_LOADS && ops <= SUMMED_OPS;
}

static void unroll_sums(Op *op, void *ctx)
{
    int64_t step;

    (void)ctx;
    if (op->code == OP_for && adds_up(op) && factor_fits(op, SUMMED_ROUNDS, &step))
        unroll_by(op, step, SUMMED_ROUNDS);
}

void opt_unroll_sums(Func *f)
{
    ir_walk(f->body, unroll_sums, NULL);
}

/* --- loops that ask --- */

/* False: the loop stays as it is. */
static bool unroll_loop(Unroll *u, Op *loop)
{
    int64_t factor = attr_unroll(loop), step;
    uint64_t trips;

    if (factor == 0 && u->windows && window_loop(loop, loop->block->func->module->arena))
        factor = WHOLLY;
    if (factor == 0 && u->short_loops && is_short(u, loop))
        factor = WHOLLY;
    if (factor == WHOLLY) {
        if (!opt_trip_count(loop, &trips) || !spend(u, loop, trips))
            return false;
        unroll_wholly(loop, trips);
        return true;
    }
    if (factor <= 1 || !factor_fits(loop, factor, &step) || !spend(u, loop, (uint64_t)factor))
        return false;
    unroll_by(loop, step, factor);
    return true;
}

static void unroll_block(Unroll *u, Block *b)
{
    for (Op *op = b->first, *next; op; op = next) {
        Op *before = op->prev;
        next = op->next;
        ir_resolve_operands(op);
        if (op->code == OP_for && unroll_loop(u, op)) {
            next = before ? before->next : b->first; /* the copies have loops too */
            continue;
        }
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                unroll_block(u, op->regions[r]);
        }
    }
}

void opt_unroll(Func *f, bool windows, bool short_loops)
{
    Unroll u = {.budget = 16384,
                .windows = windows,
                .short_loops = short_loops,
                .threads = f->num_warps > 0 ? f->num_warps * 32 : USUAL_THREADS};

    unroll_block(&u, f->body);
}
