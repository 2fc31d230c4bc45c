/*
 * nv_plan_print.c - a plan as text, for people (`tilec dump --stage layout`) and for golden tests
 *
 *     plan of add: 4 warps, 0 bytes of shared memory
 *     layout A: [1024] regs (1) (2) (512) lanes (4) (8) (16) (32) (64) warps (128) (256)
 *     compute A: %offs = add %3, %2 : i32[1024]
 *     load A by 4: %v = load %6, %mask : fp32[1024]
 *     store A by 4: store %10, %8, %mask
 *
 * A step names the layout of its result, or of what a store stores; scalars have none.  All warps
 * do it where it does not say who; what it waits for between its parts stands there, too.
 */
#include "../gpu_plan/nv_combine.h"
#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"
#include "../gpu_plan/nv_sort.h"

static const char *const kind_names[NV_STEP_KINDS] = {
    [NV_COMPUTE] = "compute", [NV_LOAD] = "load",     [NV_STORE] = "store",
    [NV_CONVERT] = "convert", [NV_PUT] = "put",       [NV_COPY] = "copy",
    [NV_SPLIT] = "split",     [NV_MOVE] = "move",     [NV_REDUCE] = "reduce",
    [NV_SCAN] = "scan",       [NV_ATOMIC] = "atomic", [NV_DOT] = "dot",
    [NV_LAND] = "land",       [NV_RECORD] = "record", [NV_INLINE] = "inline",
    [NV_BARRIER] = "barrier", [NV_FOR] = "for",       [NV_WHILE] = "while",
    [NV_IF] = "if",           [NV_SORT] = "sort",     [NV_SLICES] = "slices",
    [NV_FILL] = "fill",       [NV_SEND] = "send",     [NV_SENT] = "sent",
    [NV_TAKE] = "take",
};

const char *nv_step_name(NvStepKind kind)
{
    return kind_names[kind];
}

typedef struct {
    const NvPlan *plan;
    Arena *arena;
    Text out;
    Printer *ops;
} PlanText;

static void put_layout(PlanText *x, const Layout *l)
{
    enum { LETTERS = 26 };

    for (int i = 0; i < x->plan->layouts.len; i++) {
        if (x->plan->layouts.at[i] != l)
            continue;
        text_printf(&x->out, "%c", 'A' + i % LETTERS);
        if (i >= LETTERS)
            text_printf(&x->out, "%d", i / LETTERS);
    }
}

static void put_tile(PlanText *x, const NvTile *t)
{
    if (!t || !t->layout)
        return;
    text_put(&x->out, " ");
    put_layout(x, t->layout);
}

static const NvTile *tile_of(const NvStep *s)
{
    if (s->nout > 0)
        return s->out[0];
    return s->kind == NV_STORE ? s->in[STORE_DATA] : s->kind == NV_SEND ? s->in[0] : NULL;
}

static void put_conversion(PlanText *x, const NvStep *s)
{
    static const char *const ways[] = {[CONVERT_NOTHING] = "nothing moves",
                                       [CONVERT_REGISTERS] = "in registers",
                                       [CONVERT_SHUFFLE] = "by shuffles",
                                       [CONVERT_SHARED] = "through shared memory"};

    put_tile(x, s->in[0]);
    text_put(&x->out, " to");
    put_tile(x, s->out[0]);
    text_printf(&x->out, " %s", ways[s->conversion->kind]);
}

/* "by 4 in, by 2 out" */
static void put_vectors(PlanText *x, const NvMove *m)
{
    if (m->put_bits > 0)
        text_printf(&x->out, " by %d in", 1 << m->put_bits);
    if (m->get_bits > 0)
        text_printf(&x->out, " by %d out", 1 << m->get_bits);
}

/* ", parts of 4 lanes": what several warps have found */
static void put_spread(PlanText *x, const NvStep *s)
{
    const NvCombine *c = s->detail;

    if (c->votes)
        text_put(&x->out, " by vote");
    if (s == x->plan->look)
        text_put(&x->out, ", stopped or not");
    if (c->deal.rows)
        text_printf(&x->out, ", 1 of %d rows a thread", 1 << __builtin_popcount(c->deal.rows));
    for (int i = 0; i < c->nstages; i++) {
        if (c->stages[i].lanes)
            text_printf(&x->out, ", parts of %d lanes",
                        1 << __builtin_popcount(c->stages[i].lanes));
    }
}

/* "all warps", or which */
static void put_warps(PlanText *x, const NvWarps *w)
{
    if (w->count == x->plan->warps)
        text_put(&x->out, "all warps");
    else
        text_printf(&x->out, "warps %d to %d", w->first, w->first + w->count - 1);
}

static void put_wait(PlanText *x, const char *before, const NvWait *w)
{
    if (w->kind == NV_WAIT_NONE)
        return;
    text_put(&x->out, before);
    switch (w->kind) {
    case NV_WAIT_NONE:
    case NV_WAIT_LANES:
        text_put(&x->out, "lanes");
        break;
    case NV_WAIT_WARPS:
        put_warps(x, &w->who);
        break;
    case NV_WAIT_COPIES:
        text_printf(&x->out, "copies with %d in flight%s", w->in_flight,
                    w->fence ? ", fenced" : "");
        break;
    case NV_WAIT_PRODUCTS:
        text_printf(&x->out, "products with %d in flight", w->in_flight);
        break;
    case NV_WAIT_SENT:
        text_printf(&x->out, "%s with %d in flight", w->read ? "reads of tiles" : "tiles",
                    w->in_flight);
        break;
    }
}

static void put_ahead(PlanText *x, const NvAhead *a)
{
    bool behind_reads = a->host && !a->fill;

    if (a->fill)
        text_printf(&x->out, "from the ring%s%s", a->fill->last ? " for the last time" : "",
                    a->host ? ", a stage is empty a round later" : "");
    else
        text_printf(&x->out, "behind by %d", a->distance);
    if (a->delayed)
        text_printf(&x->out, ", with a product of the round before%s",
                    a->turns ? ", groups in turns" : "");
    put_wait(x, ", waits for ", &a->own);
    put_wait(x, ", then for ", &a->all);
    text_printf(&x->out, "%s%s", behind_reads ? ", behind first reads" : "",
                a->early ? " a round early" : "");
    put_wait(x, ", then for ", &a->free);
    put_wait(x, ", at the end for ", &a->landed);
    text_put(&x->out, "\n");
}

/* " by groups of 4 warps, rows in registers" */
static void put_group_dot(PlanText *x, const NvDot *d)
{
    if (d->kind != DOT_WGMMA) {
        if (d->no_groups && chip_has(x->plan->chip, CHIP_GROUPS))
            text_printf(&x->out, ", not by groups (%s)", d->no_groups);
        return;
    }
    text_printf(&x->out, " by groups of %d warps", 1 << WGMMA_WARP_BITS);
    if (d->operand[MMA_A].way != OPERAND_MEMORY)
        text_printf(&x->out, ", rows in registers%s%s", d->kept ? " for the loop" : "",
                    d->at_once && !d->kept ? " before it begins" : "");
    if (d->turned)
        text_put(&x->out, ", turned");
    if (d->mma->pieces > 1)
        text_printf(&x->out, ", %d pieces", d->mma->pieces);
    if (d->part > 0)
        text_printf(&x->out, ", parts of %d by %d columns", d->part, d->part_columns);
    if (d->parts_at_once > 1)
        text_printf(&x->out, ", %d at once", d->parts_at_once);
    if (d->in_tensor_memory)
        text_printf(&x->out, ", sum in tensor memory from column %d on", d->column);
    if (d->in_flight > 0)
        text_printf(&x->out, ", %d in flight", d->in_flight);
}

/* " in 55 steps, 3 between warps in 2 pieces" */
static void put_sort(PlanText *x, const NvSort *s)
{
    int registers = layout_registers(s->layout);

    text_printf(&x->out, " in %d steps", s->nsteps);
    if (s->exchanges > 0)
        text_printf(&x->out, ", %d between warps", s->exchanges);
    if (s->exchanges > 0 && s->room < registers)
        text_printf(&x->out, " in %d pieces", registers / s->room);
}

static void put_block(PlanText *x, const NvBlock *b, int indent);

static void put_step(PlanText *x, const NvStep *s, int indent)
{
    text_printf(&x->out, "%*s%s", indent, "", kind_names[s->kind]);
    if (s->kind == NV_CONVERT)
        put_conversion(x, s);
    else
        put_tile(x, tile_of(s));
    if (s->kind == NV_MOVE && s->detail)
        put_vectors(x, s->detail);
    if (s->kind == NV_REDUCE && s->detail)
        put_spread(x, s);
    if (s->kind == NV_SORT && s->detail)
        put_sort(x, s->detail);
    if (s->kind == NV_DOT)
        put_group_dot(x, s->detail);
    if (s->kind == NV_COPY && ((const NvCopy *)s->detail)->own > 0)
        text_put(&x->out, " for itself");
    if (s->kind == NV_PUT && ((const NvPut *)s->detail)->fence)
        text_put(&x->out, " fenced");
    if (s->kind == NV_COMPUTE && nv_is_loose(x->plan, s->op))
        text_put(&x->out, " loosely");
    if (s->kind == NV_LOAD && s->once)
        text_put(&x->out, " once");
    if (s->kind == NV_SLICES)
        text_printf(&x->out, " %d", s->slices);
    for (int i = 0; s->kind == NV_FOR && i < s->nout; i++) {
        if (nv_carries_words(s, i))
            text_printf(&x->out, ", %s in words", op_printer_value(x->ops, s->op->results[i]));
    }
    if (s->inside)
        text_printf(&x->out, ", from %d on where %s", s->filled,
                    op_printer_value(x->ops, s->inside->value));
    if ((s->kind == NV_LOAD || s->kind == NV_STORE) && s->detail)
        text_printf(&x->out, " of %d fields", ((const NvFields *)s->detail)->count);
    if (s->same)
        text_printf(&x->out, ", %d equal", 1 << __builtin_popcount(s->same));
    if (s->access && s->access->vector_bits > 0)
        text_printf(&x->out, " by %d", 1 << s->access->vector_bits);
    if (s->early)
        text_put(&x->out, s->issued ? ", issued early" : ", early");
    if (s->again)
        text_put(&x->out, " again");
    if (s->words)
        text_put(&x->out, ", in words");
    for (int i = 0; i < s->uses.len; i++) {
        const NvBuffer *b = &x->plan->buffers.at[s->uses.at[i].buffer];
        if (i == 0 || s->uses.at[i].buffer != s->uses.at[i - 1].buffer)
            text_printf(&x->out, " at %lld..%lld", (long long)b->offset,
                        (long long)b->offset + (long long)b->bytes);
    }
    put_wait(x, s->kind == NV_BARRIER ? " of " : ", waits for ", &s->within);
    if (s->who.count != x->plan->warps && s->who.first < x->plan->warps) {
        text_put(&x->out, ", done by ");
        put_warps(x, &s->who);
    }
    if (s->kind == NV_FILL)
        nv_fill_put(&x->out, x->ops, s->detail);
    else if (s->kind == NV_SEND)
        nv_send_put(&x->out, x->ops, s->detail);
    else if (s->op && s->kind != NV_SENT)
        text_printf(&x->out, ": %s", op_printer_text(x->ops, s->op));
    text_put(&x->out, "\n");
    if (s->ahead) {
        put_block(x, &s->ahead->steps, indent + 2);
        text_printf(&x->out, "%*s", indent, "");
        put_ahead(x, s->ahead);
    }
    for (int r = 0; r < COUNT(s->body); r++) {
        if (r == 1 && s->body[r])
            text_printf(&x->out, "%*sand\n", indent, "");
        if (s->body[r])
            put_block(x, s->body[r], indent + 2);
    }
}

static void put_block(PlanText *x, const NvBlock *b, int indent)
{
    for (int i = 0; i < b->steps.len; i++)
        put_step(x, b->steps.at[i], indent);
}

const char *nv_plan_text(const NvPlan *p, Arena *a)
{
    PlanText x = {p, a, text_new(a), op_printer_new(p->func, a)};

    text_printf(&x.out, "plan of %s: %d warps%s, %lld bytes of shared memory", p->func->name,
                p->warps, p->ring ? " and a producer" : "", (long long)p->shared);
    if (p->sum_columns > 0)
        text_printf(&x.out, ", %d columns of tensor memory", p->sum_columns);
    if (p->together > 0)
        text_printf(&x.out, ", %d together", p->together);
    if (p->wished > 0)
        text_printf(&x.out, ", %d together if they fit", p->wished);
    if (p->most > 0)
        text_printf(&x.out, ", at most %d registers a thread", p->most);
    if (p->room > 0)
        text_printf(&x.out, ", room of %d registers", p->room);
    if (p->recipe.workspace > 0)
        text_printf(&x.out, ", %lld bytes of workspace by argument %d",
                    (long long)p->recipe.workspace, p->recipe.workspace_arg);
    text_put(&x.out, "\n");
    nv_ring_put(&x.out, p, x.ops);
    for (int i = 0; i < p->layouts.len; i++) {
        text_put(&x.out, "layout ");
        put_layout(&x, p->layouts.at[i]);
        text_printf(&x.out, ": %s\n", layout_text(p->layouts.at[i], a));
    }
    put_block(&x, p->body, 0);
    if (p->producer) {
        text_put(&x.out, "producer\n");
        put_block(&x, p->producer, 2);
    }
    return x.out.s;
}
