/*
 * count.c - how many operations does a launch do, on floats and on integers?
 *
 * The multiplications and additions of a dot count as those of floats, whatever they are made on.
 * Of integers, and of scalars, only what makes stored values counts (data.c): arithmetic and logic,
 * but no comparisons, selections and conversions, as with floats.
 *
 * Takes a kernel and a launch; gives InterpCounts.  Runs the scalar part of some programs: scalars
 * that follow from arguments and program ids are computed, tiles and what comes from memory are
 * unknown, and no memory of the user's is touched.  Loops are run as often as their known bounds
 * say.  Where control depends on something unknown, `known` becomes false.  Whoever asks for the
 * work of each op has bytes of the lanes that its mask leaves on, where that is known (lanes.c).
 */
#include <string.h>

#include "machine.h"

enum {
    MOST_STEPS = 1000000, /* ops that one program may run, and all before another one begins */
    LONG_LOOP = 64,       /* loops longer than this are multiplied out if their body allows */
    COUNT_DEEPEST_CALL = 50,
    MOST_MASKED = 1 << 26 /* elements to compute for masks; later ones are as those before */
};

typedef struct {
    bool known;
    uint64_t bits;
} Scalar;

/* The scalars of one activation of a function. */
typedef struct Activation Activation;
struct Activation {
    Scalar *scalar;           /* by value id */
    const Op *call;           /* that it is of, and .. */
    const Activation *caller; /* .. NULL: the kernel's */
    Activation *next_idle;
};

typedef InterpWork Work;

/* What of a masked op's lanes was on, as often as that was known. */
typedef struct {
    double on, lanes;
} MaskUse;

typedef struct {
    Arena *arena;
    const InterpLaunch *launch;
    int32_t program[3];
    Map *idle; /* Func* to Activation* */
    Map *data; /* of count_data() */
    Work work;
    Map *ops;   /* Op* to Work*, or NULL: nobody asks for them */
    Map *masks; /* Op* to MaskUse* */
    MaskLanes lanes;
    double rounds; /* for how many rounds of loops this one stands */
    bool known;
    int64_t steps, last_step; /* run, and that may be run */
    int64_t programs;         /* that were counted */
    int depth;
} Counter;

static const Op *count_block(Counter *c, Activation *a, const Block *b);

/* --- operations of one op --- */

/* What the op does to one element. */
static int element_flops(const Op *op)
{
    if (op->noperands == 0 || op->operands[0]->type->pointer ||
        !dtype_is_float(op->operands[0]->type->dtype))
        return 0;
    if (op->code == OP_fma)
        return 2;
    return op_has(op, FLOP | APPROX) ? 1 : 0;
}

static int element_int_ops(const Op *op)
{
    if (op->noperands == 0 || op->operands[0]->type->pointer || !op_has(op, FOLDS) ||
        op_has(op, COMPARES))
        return 0;
    DType t = op->operands[0]->type->dtype;
    bool converts = op->code == OP_cast || op->code == OP_bitcast || op->code == OP_select;
    return dtype_is_int(t) && t != DT_I1 && !converts ? 1 : 0;
}

static Work element_work(const Op *op)
{
    return (Work){.flops = element_flops(op), .int_ops = element_int_ops(op)};
}

static void add_element_work(Op *op, void *ctx)
{
    Work *sum = ctx, one = element_work(op);

    sum->flops += one.flops;
    sum->int_ops += one.int_ops;
}

static Work times(Work w, double n)
{
    return (Work){w.flops * n, w.int_ops * n, w.bytes * n};
}

/* What all lanes of the op ask memory for. */
static double op_bytes(const Op *op)
{
    const Type *t = op->code == OP_store         ? op->operands[STORE_DATA]->type
                    : op->code == OP_load        ? op->results[0]->type
                    : op->code == OP_load_block  ? op->results[0]->type
                    : op->code == OP_store_block ? op->operands[BLOCK_DATA]->type
                    : op->code == OP_atomic_rmw  ? op->operands[RMW_DATA]->type
                    : op->code == OP_atomic_cas  ? op->operands[CAS_NEW]->type
                                                 : NULL;
    bool twice = op->code == OP_atomic_rmw || op->code == OP_atomic_cas;

    return t ? (double)type_numel(t) * type_size(t) * (twice ? 2 : 1) : 0;
}

/* NULL: it has none. */
static const Value *op_mask(const Op *op)
{
    int i = op->code == OP_load         ? (int)LOAD_MASK
            : op->code == OP_store      ? (int)STORE_MASK
            : op->code == OP_atomic_rmw ? (int)RMW_MASK
                                        : op->noperands;

    return i < op->noperands ? op->operands[i] : NULL;
}

/* One application of a combine region; its calls do not count. */
static Work region_work(const Op *op)
{
    Work work = {0};

    ir_walk(op->regions[0], add_element_work, &work);
    return work;
}

static Work op_work(const Op *op)
{
    static const Work nothing = {0};

    if (op->noperands == 0)
        return nothing;
    const Type *t = op->operands[0]->type;
    double n = (double)type_numel(t);
    switch (op->code) {
    case OP_reduce:
    case OP_scan:
        return times(region_work(op), n - n / t->dims[attr_axis(op)]);
    case OP_dot:
        return (Work){.flops =
                          2 * n * op->operands[1]->type->dims[op->operands[1]->type->rank - 1]};
    default:
        return times(element_work(op), n);
    }
}

static void add_work(Work *sum, Work work)
{
    sum->flops += work.flops;
    sum->int_ops += work.int_ops;
    sum->bytes += work.bytes;
}

static void count_mask(Counter *c, const Activation *a, const Op *op)
{
    const Value *mask = op_mask(op);
    int64_t on = mask ? lanes_on(&c->lanes, a, mask) : -1;
    MaskUse *use = map_get(c->masks, MAP_KEY(op));

    if (on < 0)
        return;
    if (!use)
        map_put(c->masks, MAP_KEY(op), use = NEW(c->arena, MaskUse));
    use->on += c->rounds * (double)on;
    use->lanes += c->rounds * (double)type_numel(mask->type);
}

/* Integers count where the result becomes data. */
static void count_work(Counter *c, const Activation *a, const Op *op)
{
    Work work = op_work(op);
    bool is_data = op->nresults > 0 && map_get(c->data, MAP_KEY(op->results[0]));

    work.bytes = op_bytes(op);
    if (!is_data)
        work.int_ops = 0;
    if (!is_data && op->noperands > 0 && op->operands[0]->type->rank == 0)
        work.flops = 0;
    work = times(work, c->rounds);
    add_work(&c->work, work);
    if (!c->ops || (work.flops == 0 && work.int_ops == 0 && work.bytes == 0))
        return;
    Work *sum = map_get(c->ops, MAP_KEY(op));
    if (!sum)
        map_put(c->ops, MAP_KEY(op), sum = NEW(c->arena, Work));
    add_work(sum, work);
    if (work.bytes > 0)
        count_mask(c, a, op);
}

/* --- scalars --- */

static Activation *activation_take(Counter *c, const Func *f)
{
    Activation *a = map_get(c->idle, MAP_KEY(f));

    if (a) {
        map_put(c->idle, MAP_KEY(f), a->next_idle);
        return a;
    }
    a = NEW(c->arena, Activation);
    a->scalar = NEW_N(c->arena, Scalar, f->nvalues + 1);
    return a;
}

static void activation_give_back(Counter *c, const Func *f, Activation *a)
{
    a->next_idle = map_get(c->idle, MAP_KEY(f));
    map_put(c->idle, MAP_KEY(f), a);
}

static Scalar scalar_of(const Activation *a, const Value *v)
{
    return a->scalar[v->id];
}

static void forget(Activation *a, int n, Value *const *values)
{
    for (int i = 0; i < n; i++)
        a->scalar[values[i]->id] = (Scalar){0};
}

/* All at once: what is handed over may be among what is written. */
static void hand_over_counts(const Activation *from, Activation *to, int n, Value *const *sources,
                             Value *const *values)
{
    Scalar aside[n + 1];

    for (int i = 0; i < n; i++)
        aside[i] = scalar_of(from, sources[i]);
    for (int i = 0; i < n; i++)
        to->scalar[values[i]->id] = aside[i];
}

static Scalar computed(const Activation *a, const Op *op)
{
    const Value *typical = op->operands[op->code == OP_select ? 1 : 0];
    Scalar in[MAX_ELEMENTWISE_OPERANDS] = {{0}}, r = {.known = true};
    const void *src[MAX_ELEMENTWISE_OPERANDS];

    for (int i = 0; i < op->noperands; i++) {
        in[i] = scalar_of(a, op->operands[i]);
        src[i] = &in[i].bits;
        r.known &= in[i].known;
    }
    if (r.known)
        r.known = scalar_apply(op->code, op->attrs, value_dtype(typical),
                               value_dtype(op->results[0]), src, &r.bits, 1);
    return r;
}

static Scalar scalar_result(const Counter *c, const Activation *a, const Op *op)
{
    switch (op->code) {
    case OP_const:
        return (Scalar){true, (uint64_t)attr_bits(op)};
    case OP_program_id:
        return (Scalar){true, (uint32_t)c->program[attr_axis(op)]};
    case OP_num_programs:
        return (Scalar){true, (uint32_t)c->launch->grid[attr_axis(op)]};
    case OP_hint:
        return scalar_of(a, op->operands[0]);
    default:
        return op_has(op, FOLDS) ? computed(a, op) : (Scalar){0};
    }
}

/* --- control --- */

/* Every round of the loop does the same number of operations. */
static bool rounds_are_alike(const Block *body)
{
    for (const Op *op = body->first; op; op = op->next) {
        if (op->code == OP_for || op->code == OP_while || op->code == OP_if || op->code == OP_call)
            return false;
    }
    return true;
}

static void count_round(Counter *c, Activation *a, const Op *op, uint64_t iv)
{
    const Block *body = op->regions[0];
    DType t = body->args[0]->type->dtype;

    a->scalar[body->args[0]->id] = (Scalar){true, scalar_truncate(t, iv)};
    const Op *yield = count_block(c, a, body);
    hand_over_counts(a, a, op->nresults, yield->operands, body->args + 1);
}

static void count_for(Counter *c, Activation *a, const Op *op)
{
    const Block *body = op->regions[0];
    LoopBounds bounds;
    bool known = true;

    for (int i = 0; i < FOR_BOUNDS; i++)
        known &= scalar_of(a, op->operands[i]).known;
    if (!known) {
        c->known = false;
        forget(a, op->nresults, op->results);
        return;
    }
    bounds = machine_loop_bounds(op, scalar_of(a, op->operands[FOR_LO]).bits,
                                 scalar_of(a, op->operands[FOR_HI]).bits,
                                 scalar_of(a, op->operands[FOR_STEP]).bits);
    hand_over_counts(a, a, op->nresults, op->operands + FOR_BOUNDS, body->args + 1);
    if (bounds.trips > LONG_LOOP && rounds_are_alike(body)) {
        double rounds = c->rounds;
        c->rounds *= (double)bounds.trips;
        count_round(c, a, op, bounds.first);
        c->rounds = rounds;
        forget(a, op->nresults, op->results);
        return;
    }
    for (uint64_t iv = bounds.first; bounds.trips > 0 && c->known; bounds.trips--) {
        count_round(c, a, op, iv);
        iv += bounds.step;
    }
    hand_over_counts(a, a, op->nresults, body->args + 1, op->results);
}

static void count_while(Counter *c, Activation *a, const Op *op)
{
    const Block *before = op->regions[0], *body = op->regions[1];

    hand_over_counts(a, a, op->noperands, op->operands, before->args);
    while (c->known) {
        const Op *condition = count_block(c, a, before);
        Scalar flag = scalar_of(a, condition->operands[0]);
        hand_over_counts(a, a, op->nresults, condition->operands + 1, op->results);
        c->known &= flag.known;
        if (!flag.known || !flag.bits)
            return;
        hand_over_counts(a, a, op->nresults, condition->operands + 1, body->args);
        const Op *yield = count_block(c, a, body);
        hand_over_counts(a, a, op->noperands, yield->operands, before->args);
    }
}

static void count_if(Counter *c, Activation *a, const Op *op)
{
    Scalar flag = scalar_of(a, op->operands[0]);

    if (!flag.known) {
        c->known = false;
        forget(a, op->nresults, op->results);
        return;
    }
    const Op *yield = count_block(c, a, op->regions[flag.bits ? 0 : 1]);
    hand_over_counts(a, a, op->nresults, yield->operands, op->results);
}

static void count_call(Counter *c, Activation *a, const Op *op)
{
    if (c->depth == COUNT_DEEPEST_CALL) {
        c->known = false;
        forget(a, op->nresults, op->results);
        return;
    }
    c->depth++;
    Activation *callee = activation_take(c, op->callee);
    callee->call = op;
    callee->caller = a;
    hand_over_counts(a, callee, op->noperands, op->operands, op->callee->body->args);
    const Op *end = count_block(c, callee, op->callee->body);
    hand_over_counts(callee, a, op->nresults, end->operands, op->results);
    activation_give_back(c, op->callee, callee);
    c->depth--;
}

static void count_op(Counter *c, Activation *a, const Op *op)
{
    count_work(c, a, op);
    switch (op->code) {
    case OP_for:
        count_for(c, a, op);
        break;
    case OP_while:
        count_while(c, a, op);
        break;
    case OP_if:
        count_if(c, a, op);
        break;
    case OP_call:
        count_call(c, a, op);
        break;
    default:
        if (op->nresults == 1 && op->results[0]->type->rank == 0)
            a->scalar[op->results[0]->id] = scalar_result(c, a, op);
        break;
    }
}

/* Gives the terminator.  After too many steps, terminators included, the rest is skipped. */
static const Op *count_block(Counter *c, Activation *a, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        c->known &= ++c->steps <= c->last_step;
        if (c->known)
            count_op(c, a, op);
    }
    return b->last;
}

/* To step through n by, so that each comes once, and the first few are spread over all. */
static int64_t spreading_stride(int64_t n)
{
    int64_t stride = MAX((int64_t)(0.618 * (double)n), 1), a, b;

    for (;; stride++) {
        for (a = n, b = stride; b != 0;) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1 || n <= 1)
            return stride;
    }
}

/* As many as there are steps for. */
static void count_programs(Counter *c, const Func *f, int sample)
{
    const InterpLaunch *launch = c->launch;
    int64_t total = launch->last - launch->first, n = MIN(total, MAX(sample, 1));
    int64_t stride = spreading_stride(n), at = 0;
    Activation *a = activation_take(c, f);

    for (int i = 0; i < f->nparams; i++)
        a->scalar[f->body->args[i]->id] =
            f->params[i].kind == PARAM_USER ? (Scalar){true, launch->args[i]} : (Scalar){0};
    for (; c->programs < n && c->known && c->steps < MOST_STEPS; c->programs++) {
        program_at(launch->first + (int64_t)((__int128)at * total / n), launch->grid, c->program);
        c->last_step = c->steps + MOST_STEPS;
        count_block(c, a, f->body);
        at = (at + stride) % n;
    }
}

/* --- what masks need to know of scalars --- */

static bool known_scalar(const void *activation, const Value *v, uint64_t *bits)
{
    const Scalar s = scalar_of(activation, v);

    *bits = s.bits;
    return s.known;
}

static const Value *given_value(const void *activation, const Value *param, const void **caller)
{
    const Activation *a = activation;

    if (!a->caller || param->block != a->call->callee->body)
        return NULL;
    *caller = a->caller;
    return a->call->operands[param->index];
}

/* Programs that each of the counted ones stands for. */
static double programs_each(const Counter *c)
{
    int64_t total = c->launch->last - c->launch->first;

    return c->programs > 0 ? (double)total / (double)c->programs : 1;
}

typedef struct {
    const Counter *counter;
    double programs; /* that each of the counted ones stands for */
    InterpOpFn *fn;
    void *ctx;
} OpTelling;

static void tell_op(Op *op, void *telling)
{
    const OpTelling *t = telling;
    const Work *work = map_get(t->counter->ops, MAP_KEY(op));
    const MaskUse *use = map_get(t->counter->masks, MAP_KEY(op));

    if (!work)
        return;
    Work all = times(*work, t->programs);
    if (use)
        all.bytes *= use->on / use->lanes;
    t->fn(t->ctx, op, &all);
}

static void tell_ops(const Counter *c, const Module *m, double programs, InterpOpFn *fn, void *ctx)
{
    OpTelling t = {c, programs, fn, ctx};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, tell_op, &t);
}

InterpStatus interp_count(const Func *f, const InterpLaunch *launch, int sample, InterpCounts *out,
                          InterpOpFn *fn, void *ctx)
{
    Counter c = {.launch = launch, .known = true, .rounds = 1};
    Arena *volatile arena = NULL;
    Guard guard;

    if (setjmp(guard.env) != 0) {
        arena_free(arena);
        return INTERP_NO_MEMORY;
    }
    c.arena = arena = arena_new(&guard);
    c.idle = map_new(c.arena);
    c.data = count_data(f, c.arena);
    c.ops = fn ? map_new(c.arena) : NULL;
    c.masks = map_new(c.arena);
    c.lanes = (MaskLanes){&guard, MOST_MASKED, known_scalar, given_value};
    count_programs(&c, f, sample);
    c.work = times(c.work, programs_each(&c));
    if (fn && c.known)
        tell_ops(&c, f->module, programs_each(&c), fn, ctx);
    *out = (InterpCounts){c.work.flops, c.work.int_ops, c.known};
    arena_free(arena);
    return INTERP_OK;
}
