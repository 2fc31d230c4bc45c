/*
 * count.c - how many operations does a launch do, on floats and on integers?
 *
 * The multiplications and additions of a dot count as those of floats, whatever they are made on.
 * Of integers, and of scalars, only what makes stored values counts (data.c): arithmetic and logic,
 * but no comparisons, selections and conversions, as with floats.
 *
 * Takes a kernel and a launch; gives InterpCounts.  It observes dry runs (dry.c) of some programs,
 * so no memory of the user's is touched; where control depends on something unknown, `known` is
 * false. Whoever asks for the work of each op has bytes of the lanes that its mask leaves on, where
 * that follows from the arguments.
 */
#include "machine.h"
#include "../ir/analysis.h"

enum {
    MOST_STEPS = 1000000, /* ops that one program may run, and all before another one begins */
    MOST_MASKED = 1 << 26 /* elements to compute for masks; later ones are as those before */
};

typedef InterpWork Work;

/* What of a masked op's lanes was on, as often as that was known. */
typedef struct {
    double on, lanes;
} MaskUse;

typedef struct {
    Machine machine;
    Map *data; /* of count_data() */
    Work work;
    Map *ops;                 /* Op* to Work*, or NULL: nobody asks for them */
    Map *masks;               /* Op* to MaskUse* */
    int64_t steps, last_step; /* run, and that may be run */
    int64_t programs;         /* that were counted */
} Counter;

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
    return (Work){w.flops * n, w.int_ops * n, w.bytes * n, w.int8_flops * n, w.bf16_flops * n};
}

/* What all lanes of the op ask memory for. */
static double op_bytes(const Op *op)
{
    OpAccess a = ir_access(op);

    return (double)a.bytes * (a.effect == (READS | WRITES) ? 2 : 1);
}

/* One application of a combine region; its calls do not count. */
static Work region_work(const Op *op)
{
    Work work = {0};

    ir_walk(op->regions[0], add_element_work, &work);
    return work;
}

/* Integers count, too. */
static Work dot_work(const Op *op)
{
    const Type *a = op->operands[0]->type, *b = op->operands[1]->type;
    double flops = 2 * (double)type_numel(a) * b->dims[b->rank - 1];
    bool is_int8 = dtype_bits(a->dtype) == 8 && dtype_bits(b->dtype) == 8 &&
                   !dtype_is_float(a->dtype) && !dtype_is_float(b->dtype);
    bool is_bf16 = a->dtype == DT_BF16 && b->dtype == DT_BF16;

    return (Work){
        .flops = flops, .int8_flops = is_int8 ? flops : 0, .bf16_flops = is_bf16 ? flops : 0};
}

static Work op_work(const Op *op)
{
    static const Work nothing = {0};

    if (op->noperands == 0)
        return nothing;
    const Type *t = op->operands[0]->type;
    double n = (double)type_numel(t);
    if (op_has(op, COMBINES))
        return times(region_work(op), n - n / t->dims[attr_axis(op)]);
    if (op->code == OP_dot)
        return dot_work(op);
    return times(element_work(op), n);
}

static void add_work(Work *sum, Work work)
{
    sum->flops += work.flops;
    sum->int_ops += work.int_ops;
    sum->bytes += work.bytes;
    sum->int8_flops += work.int8_flops;
    sum->bf16_flops += work.bf16_flops;
}

static int64_t lanes_on(const uint8_t *mask, int64_t n)
{
    int64_t on = 0;

    for (int64_t i = 0; i < n; i++)
        on += mask[i];
    return on;
}

static void count_mask(Counter *c, const InterpFrame *f, const Op *op)
{
    const Value *mask = op_operand(op, ir_access(op).mask);
    const uint8_t *lanes = mask ? interp_value(f, mask) : NULL;
    MaskUse *use = map_get(c->masks, MAP_KEY(op));

    if (!lanes)
        return;
    if (!use)
        map_put(c->masks, MAP_KEY(op), use = NEW(c->machine.arena, MaskUse));
    use->on += c->machine.rounds * (double)lanes_on(lanes, type_numel(mask->type));
    use->lanes += c->machine.rounds * (double)type_numel(mask->type);
}

/* Integers count where the result becomes data. */
static void count_work(Counter *c, const InterpFrame *f, const Op *op)
{
    Work work = op_work(op);
    bool is_data = op->nresults > 0 && map_get(c->data, MAP_KEY(op->results[0]));

    work.bytes = op_bytes(op);
    if (!is_data)
        work.int_ops = 0;
    if (!is_data && op->noperands > 0 && op->operands[0]->type->rank == 0)
        work.flops = work.int8_flops = work.bf16_flops = 0;
    work = times(work, c->machine.rounds);
    add_work(&c->work, work);
    if (!c->ops || (work.flops == 0 && work.int_ops == 0 && work.bytes == 0))
        return;
    Work *sum = map_get(c->ops, MAP_KEY(op));
    if (!sum)
        map_put(c->ops, MAP_KEY(op), sum = NEW(c->machine.arena, Work));
    add_work(sum, work);
    if (work.bytes > 0)
        count_mask(c, f, op);
}

/* As InterpObserver.op: false when the program takes too long. */
static bool count_op(void *counter, const InterpFrame *f, const Op *op)
{
    Counter *c = counter;

    if (++c->steps > c->last_step)
        return false;
    count_work(c, f, op);
    return true;
}

/* --- programs --- */

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
    const InterpLaunch *launch = c->machine.launch;
    int64_t total = launch->last - launch->first, n = MIN(total, MAX(sample, 1));
    int64_t stride = spreading_stride(n), at = 0;
    Frame *frame = machine_begin(&c->machine, f);

    for (; c->programs < n && c->steps < MOST_STEPS; c->programs++) {
        c->last_step = c->steps + MOST_STEPS;
        machine_program(&c->machine, frame, launch->first + (int64_t)((__int128)at * total / n));
        at = (at + stride) % n;
    }
}

/* Programs that each of the counted ones stands for. */
static double programs_each(const Counter *c)
{
    int64_t total = c->machine.launch->last - c->machine.launch->first;

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

/* Leaves through the machine's guard where control depends on what is not known. */
static void count_launch(Counter *c, const Func *f, int sample, InterpOpFn *fn, void *ctx)
{
    Machine *m = &c->machine;

    c->data = count_data(f, m->arena);
    c->ops = fn ? map_new(m->arena) : NULL;
    c->masks = map_new(m->arena);
    m->masks = fn ? count_masks(f, m->arena) : NULL;
    m->diags = diags_new(m->arena, NULL);
    count_programs(c, f, sample);
    c->work = times(c->work, programs_each(c));
    if (fn)
        tell_ops(c, f->module, programs_each(c), fn, ctx);
}

InterpStatus interp_count(const Func *f, const InterpLaunch *launch, int sample, InterpCounts *out,
                          InterpOpFn *fn, void *ctx)
{
    Counter c = {.machine = {.dry = true, .rounds = 1, .budget = MOST_MASKED}};
    const InterpObserver observer = {.ctx = &c, .op = count_op};
    InterpLaunch dry = *launch;
    Arena *volatile arena = NULL;

    *out = (InterpCounts){0};
    dry.observer = &observer;
    c.machine.launch = &dry;
    if (setjmp(c.machine.guard.env) != 0) {
        arena_free(arena);
        return c.machine.guard.why == GUARD_NO_MEMORY ? INTERP_NO_MEMORY : INTERP_OK;
    }
    c.machine.arena = arena = arena_new(&c.machine.guard);
    count_launch(&c, f, sample, fn, ctx);
    *out = (InterpCounts){c.work.flops, c.work.int_ops, c.work.int8_flops, c.work.bf16_flops, true};
    arena_free(arena);
    return INTERP_OK;
}
