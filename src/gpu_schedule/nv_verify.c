/*
 * nv_verify.c - is everything made that a plan reads, before code is made of it?
 *
 * As plan_verify.c for the other target.  The plan is gone through once in the order of its code:
 *
 *   1. A step reads tiles that steps in front of it make, in its block or one around it, or that
 *      are arguments there; so do terminators.  What runs ahead of a loop is a block by itself, of
 *      which the body sees the tiles in shared memory alone.
 *   2. No tile is made twice, and no loop makes rows that it keeps for its products.
 *   3. Registers that go together by their number are of one layout: what an elementwise step reads
 *      and makes, an access and its pointer, what a loop carries.
 *   4. A step that goes by slices stands in a chain of slices, and in each reads what this one or
 *      an earlier one has made that all threads do; behind the chain there is every register.
 *   5. Shared memory that a step uses lies within what the program asks for.
 *   6. Who does a step, or waits, are warps of the program; who waits within one does it.  One that
 *      uses memory in two parts waits between, and has a barrier where warps are to wait for it.
 *   7. Between a write to memory and what another thread does there, warps wait for each other.
 *   8. A product of groups of warps has its columns in memory and is read where it has landed, by
 *      a wait that leaves no more in flight than have begun behind it.  One that goes on over the
 *      end of a round is handed to the next one and read by nobody else, its operands lie in
 *      memory, warps meet in front of the copies that take their place, and it lands behind it.
 *   9. What the unit for matrices reads in shared memory lies where descriptors can say, and who
 *      writes it has a fence.
 *  10. A product that a round leaves to the next one has its rows in registers, its columns in the
 *      ring, and a sum that the loop carries.
 *  11. Tiles that a producer brings lie in a stage of its ring, beside each other, as its copies
 *      lay them down; it brings them in the order in which loops wait for them, and what a round
 *      leaves to the next one in a part of its own, if stages have any.  Who leaves does nothing.
 *  12. A tile that is sent lies as its copies take it.  Who waits for it lets no more go on than
 *      have been sent behind it, and nobody writes there, or leaves, before somebody has waited.
 *
 * A plan that breaks a rule is our own mistake, and is told as an internal error at the op.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"

#include <string.h>

typedef struct {
    NvPlan *plan;
    bool *under_way;       /* by tile: a sum of a product that has not landed */
    int *begun;            /* by tile: of such a product, how many there were in front of it */
    int products;          /* that have begun */
    bool *made;            /* by tile: in the block that is looked at, or around it */
    VEC(int) order;        /* their numbers, as they were made */
    const NvStep **maker;  /* by tile that was made by slices: the step */
    const NvStep *delayed; /* of the loop that is looked at: the round before makes its rows */
    bool of_producer;      /* whose steps are looked at */
    const NvStep *chain;   /* of slices, in which steps are now; NULL: in none */
    const NvStep *barrier; /* behind which there is only what computes; NULL: there is none */
} Check;

static void PRINTF(3, 4) tell(Check *x, const NvStep *s, const char *fmt, ...)
{
    NvPlan *p = x->plan;
    va_list ap;

    if (p->refused)
        return;
    va_start(ap, fmt);
    const char *what = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
    p->refused = true;
    ir_diag(p->diags, DIAG_ERROR, s && s->op ? s->op : p->func->body->last,
            "internal error: the plan of `%s` is wrong: %s%s%s", p->func->name,
            s ? nv_step_name(s->kind) : "", s ? ": " : "", what);
}

/* --- registers --- */

static bool is_live(const NvTile *t, int r)
{
    return !t->layout || layout_register_live(t->layout, (uint32_t)r);
}

static bool is_whole(const Check *x, const NvTile *t)
{
    const NvStep *s = x->maker[t->id];

    for (int r = 0; s && t->layout && r < layout_registers(t->layout); r++) {
        if (is_live(t, r) && s->slice_of[r] >= x->chain->slices)
            return false;
    }
    return true;
}

/* Register r of the step, in its slice: is what it reads of operand i made by then? */
static bool is_made_by_then(const Check *x, const NvStep *s, int i, int r)
{
    const NvStep *maker = s->in[i] ? x->maker[s->in[i]->id] : NULL;
    int from = maker ? nv_register_read(s, i, r) : -1;

    if (from < 0 || !is_live(s->in[i], from))
        return true;
    int made = maker->slice_of[from], read = s->slice_of[r];
    return made == read || (made < read && (!x->chain->inside || made < x->chain->filled));
}

static void check_slices(Check *x, const NvStep *s)
{
    const NvTile *shape = nv_step_shape(s);

    if (!x->chain) {
        tell(x, s, "it goes by slices, and there are none around it");
        return;
    }
    for (int r = 0; shape->layout && r < layout_registers(shape->layout); r++) {
        if (!is_live(shape, r) || s->slice_of[r] >= x->chain->slices)
            continue;
        for (int i = 0; i < s->nin; i++) {
            if (!is_made_by_then(x, s, i, r))
                tell(x, s, "register %d reads one of operand %d that its slice does not see", r, i);
        }
    }
}

/* --- tiles --- */

static void make(Check *x, const NvStep *s, const NvTile *t)
{
    if (!t)
        return;
    if (x->made[t->id])
        tell(x, s, "tile %d is made twice", t->id);
    x->made[t->id] = true;
    x->maker[t->id] = s && s->slice_of ? s : NULL;
    vec_push(x->plan->arena, &x->order, t->id);
}

/* What a block has made is gone at its end. */
static void forget(Check *x, int before)
{
    while (x->order.len > before)
        x->made[x->order.at[--x->order.len]] = false;
}

static void read_tile(Check *x, const NvStep *s, const NvTile *t, const char *where, int i)
{
    const Op *op = t->value->def;

    if (x->under_way[t->id] && (!s || s->kind != NV_LAND))
        tell(x, s, "%s %d is a product that has not landed", where, i);
    if (!x->made[t->id])
        tell(x, s, "%s %d is tile %d, of value %d (%s), which nothing in front has made", where, i,
             t->id, t->value->id, op ? op_info(op->code)->name : "an argument");
}

/* Operands that a step of the kind cannot do without: so many, from the first on. */
static int needed_operands(const NvStep *s)
{
    switch (s->kind) {
    case NV_COMPUTE:
    case NV_REDUCE:
    case NV_SCAN:
    case NV_SORT:
    case NV_FOR:
    case NV_WHILE:
    case NV_SEND:
        return s->nin;
    case NV_LOAD:
    case NV_CONVERT:
    case NV_PUT:
    case NV_SPLIT:
    case NV_COPY:
    case NV_MOVE:
    case NV_ATOMIC:
    case NV_IF:
        return 1;
    case NV_STORE:
    case NV_DOT:
        return 2;
    default:
        return 0;
    }
}

/* Does the operand have a register for each of the step's, where these go by number?  A scalar goes
 * with any tile that is computed. */
static bool fits(const NvStep *s, const NvTile *t)
{
    const NvTile *shape = nv_step_shape(s);

    if (!shape || (s->kind == NV_COMPUTE && (s->take || !t->layout)))
        return true;
    if (s->kind == NV_COMPUTE && op_has(s->op, MOVES)) /* of one shape to another */
        return !shape->layout || t->layout->nreg >= shape->layout->nreg;
    return (s->kind != NV_COMPUTE && s->kind != NV_LOAD && s->kind != NV_STORE) ||
           t->layout == shape->layout;
}

static void read_operands(Check *x, const NvStep *s)
{
    for (int i = 0; i < s->nin; i++) {
        const NvTile *t = s->in[i];
        if (!t) {
            if (i < needed_operands(s) || (s->kind == NV_STORE && i >= STORE_FIELDS))
                tell(x, s, "operand %d is missing", i);
            continue;
        }
        if (s != x->delayed || t->buffer != NV_NO_BUFFER)
            read_tile(x, s, t, "operand", i);
        if (!fits(s, t))
            tell(x, s, "operand %d is in another layout", i);
    }
}

static void check_memory(Check *x, const NvStep *s)
{
    const NvPlan *p = x->plan;

    for (int i = 0; i < s->uses.len; i++) {
        int buffer = s->uses.at[i].buffer;
        if (buffer < 0 || buffer >= p->buffers.len ||
            p->buffers.at[buffer].offset + p->buffers.at[buffer].bytes > p->shared)
            tell(x, s, "it uses shared memory that the program does not ask for");
    }
}

/* --- products of groups of warps --- */

/* A vector that multiply-adds read has no elements of other rounds. */
static void check_vectors(Check *x, const NvStep *s)
{
    const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;

    for (int part = MMA_A; d && d->kind == DOT_FMA && part <= MMA_B; part++) {
        for (int i = 0; i < d->operand[part].nvector; i++) {
            if (nv_is_far_along(d, d->operand[part].vector[i]))
                tell(x, s, "operand %d is read by vectors that go beyond a round", part);
        }
    }
}

/* A step's part in products that are on their way. */
static void check_products(Check *x, const NvStep *s)
{
    const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;

    if (d && d->kind == DOT_WGMMA && d->operand[MMA_B].way != OPERAND_MEMORY)
        tell(x, s, "a product of groups has columns in registers");
    if (d && d->kind == DOT_WGMMA && d->part == 0 && s->out[0]) {
        x->under_way[s->out[0]->id] = true;
        x->begun[s->out[0]->id] = x->products++;
        if (d->in_flight > 0 && d->operand[MMA_A].way != OPERAND_MEMORY)
            tell(x, s, "a product goes on that has rows in registers");
    }
    if (d && d->part > 0 && d->in_flight > 0)
        tell(x, s, "a product in parts goes on behind its step");
    if (d && d->part > 0 && d->mma->pieces > 1 &&
        (!s->in[DOT_WHOLE + MMA_A] || !s->in[DOT_WHOLE + MMA_B]))
        tell(x, s, "a product in pieces has not its operands as they are");
    for (int i = 0; s->kind == NV_LAND && i < s->nin; i++) {
        if (s->within.kind != NV_WAIT_PRODUCTS)
            tell(x, s, "it lands without a wait");
        if (s->within.in_flight > x->products - 1 - x->begun[s->in[i]->id])
            tell(x, s, "it lands, and its wait may let it go on");
        x->under_way[s->in[i]->id] = false;
    }
}

/* What the unit reads by itself, written by this step. */
static void check_unit(Check *x, const NvStep *s, const NvAhead *ahead)
{
    bool writes = s->kind == NV_PUT || s->kind == NV_COPY || s->kind == NV_SPLIT;
    const NvTile *t = writes ? s->out[0] : NULL;
    bool fenced = s->kind == NV_PUT    ? ((const NvPut *)s->detail)->fence
                  : s->kind == NV_COPY ? ahead && ahead->own.fence
                                       : true; /* it always has one */

    if (!t || !t->by_unit)
        return;
    if (!fenced)
        tell(x, s, "the unit for matrices reads what it writes, and there is no fence");
    if (x->plan->buffers.at[t->buffer].align < WGMMA_ALIGN ||
        (ahead && ahead->bytes % WGMMA_ALIGN != 0) ||
        (x->plan->buffers.at[t->buffer].offset + t->at) % WGMMA_ALIGN != 0)
        tell(x, s, "the unit for matrices finds no tile there");
}

/* --- who, and for whom --- */

/* The producer's steps are its own. */
static bool are_there(const Check *x, const NvWarps *w)
{
    if (x->of_producer)
        return w->first == x->plan->warps && w->count == 1;
    return w->first >= 0 && w->count > 0 && w->first + w->count <= x->plan->warps;
}

static void check_wait(Check *x, const NvStep *s, const NvWait *w)
{
    if (w->kind == NV_WAIT_NONE)
        return;
    if (w->who.first != s->who.first || w->who.count != s->who.count)
        tell(x, s, "warps wait that do not do it, or do it and do not wait");
    if (w->in_flight < 0)
        tell(x, s, "it waits for more copies than there are");
}

/* Is something of it done behind a wait, that reads what others have written? */
static bool has_parts(const NvStep *s)
{
    for (int i = 0; i < s->uses.len; i++) {
        if (s->uses.at[i].late)
            return true;
    }
    return false;
}

static void check_who(Check *x, const NvStep *s)
{
    if (!are_there(x, &s->who))
        tell(x, s, "warps do it that the program does not have");
    check_wait(x, s, &s->within);
    if (s->kind == NV_BARRIER && s->within.kind == NV_WAIT_NONE)
        tell(x, s, "it is a barrier of nobody");
    if (has_parts(s) && s->within.kind == NV_WAIT_NONE)
        tell(x, s, "it does not wait between its parts");
    if (nv_meets(&s->before) && !x->barrier)
        tell(x, s, "warps are to wait in front of it, and there is no barrier");
    if (s->kind != NV_COMPUTE && s->kind != NV_SLICES)
        x->barrier = s->kind == NV_BARRIER ? s : NULL;
    if (!s->ahead || s->ahead->fill)
        return;
    check_wait(x, s, &s->ahead->own);
    check_wait(x, s, &s->ahead->all);
    if (s->ahead->own.kind != NV_WAIT_COPIES || !nv_meets(&s->ahead->all) ||
        s->ahead->own.in_flight >= s->ahead->distance)
        tell(x, s, "its rounds read copies that may not have come");
}

/* --- steps --- */

static void check_steps(Check *x, const NvBlock *b);

/* What a block hands over, in the layouts of who takes it; NULL: nothing for nobody. */
static void check_ends(Check *x, const NvStep *s, const NvBlock *b, const NvTile *const *takers,
                       int first)
{
    for (int i = 0; i < b->nends && !x->plan->refused; i++) {
        if (!b->ends[i])
            continue;
        if (nv_is_handed_on(s, b->ends[i]))
            x->under_way[b->ends[i]->id] = false;
        read_tile(x, s, b->ends[i], "what it hands over", i);
        if (takers && i >= first && takers[i - first]->layout != b->ends[i]->layout)
            tell(x, s, "what it hands over, %d, is in another layout than who takes it", i);
    }
}

/* What a round leaves for the product that the next one does: its rows and its sum; its columns are
 * still in the ring. */
static void check_delayed(Check *x, const NvStep *loop)
{
    const NvStep *s = x->delayed;
    const char *wrong = nv_delayed_wrong(x->plan, loop);

    if (wrong)
        tell(x, s, "%s", wrong);
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i] && s->in[i]->buffer == NV_NO_BUFFER)
            read_tile(x, s, s->in[i], "operand", i);
    }
}

static void check_body(Check *x, const NvStep *s, const NvBlock *b, const NvTile *const *takers,
                       int first)
{
    const NvStep *around = x->delayed;
    int before = x->order.len;

    x->delayed = s && s->kind == NV_FOR && s->ahead ? s->ahead->delayed : NULL;
    for (int i = 0; i < b->nargs; i++)
        make(x, NULL, b->args[i]);
    x->barrier = NULL;
    check_steps(x, b);
    check_ends(x, s, b, takers, first);
    if (x->delayed)
        check_delayed(x, s);
    x->delayed = around;
    forget(x, before);
}

/* The steps that run ahead, then the body, which has the tiles that they copy. */
static void check_for(Check *x, const NvStep *s)
{
    const NvBlock *body = s->body[0];
    const NvBlock *ahead = s->ahead && !s->ahead->fill ? &s->ahead->steps : NULL;
    int before = x->order.len;

    if (ahead && (ahead->nargs != body->nargs || ahead->nends != body->nends))
        tell(x, s, "what runs ahead has other arguments");
    if (ahead)
        check_body(x, s, ahead, NULL, 0);
    for (int i = 1; ahead && i < ahead->nargs; i++) {
        if (ahead->args[i] &&
            (!ahead->ends[i - 1] || ahead->ends[i - 1]->layout != ahead->args[i]->layout))
            tell(x, s, "what runs ahead does not go on with argument %d", i);
    }
    for (int i = 0; ahead && i < ahead->steps.len; i++) {
        if (ahead->steps.at[i]->kind != NV_COPY)
            continue;
        make(x, NULL, ahead->steps.at[i]->out[0]);
        check_unit(x, ahead->steps.at[i], s->ahead);
    }
    const NvFill *fill = s->ahead ? s->ahead->fill : NULL;
    for (int i = 0; fill && i < fill->tensors.len; i++)
        make(x, NULL, fill->tensors.at[i].tile);
    for (int i = 1; i < body->nargs; i++) {
        if (s->in[FOR_BOUNDS + i - 1]->layout != body->args[i]->layout)
            tell(x, s, "what it begins with, %d, is in another layout", i);
    }
    check_body(x, s, body, body->args + 1, 0);
    forget(x, before);
}

static void check_bodies(Check *x, const NvStep *s)
{
    switch (s->kind) {
    case NV_FOR:
        check_for(x, s);
        break;
    case NV_WHILE:
        check_body(x, s, s->body[0], s->body[1]->args, 1);
        check_body(x, s, s->body[1], s->body[0]->args, 0);
        break;
    case NV_IF:
        for (int r = 0; r < COUNT(s->body); r++)
            check_body(x, s, s->body[r], s->out, 0);
        break;
    default:
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                check_body(x, s, s->body[r], NULL, 0);
        }
        break;
    }
}

/* What a chain makes is there for those behind it, as far as it is whole. */
static void check_chain(Check *x, const NvStep *s)
{
    int before = x->order.len;

    x->chain = s;
    check_steps(x, s->body[0]);
    for (int i = before; i < x->order.len; i++) {
        const NvTile *t = x->plan->tiles.at[x->order.at[i]];
        x->made[t->id] = is_whole(x, t);
        x->maker[t->id] = NULL;
    }
    x->chain = NULL;
}

static void check_step(Check *x, const NvStep *s)
{
    check_who(x, s);
    if (s->kind == NV_SLICES) {
        check_chain(x, s);
        return;
    }
    read_operands(x, s);
    check_memory(x, s);
    check_vectors(x, s);
    check_products(x, s);
    if (s->kind == NV_PUT || s->kind == NV_SPLIT)
        check_unit(x, s, NULL);
    if (s->slice_of)
        check_slices(x, s);
    if (!x->plan->refused)
        check_bodies(x, s);
    for (int i = 0; i < s->nout; i++)
        make(x, s, s->out[i]);
}

static void check_steps(Check *x, const NvBlock *b)
{
    for (int i = 0; i < b->steps.len && !x->plan->refused; i++) {
        const NvStep *s = b->steps.at[i];
        const char *wrong[] = {
            nv_send_wrong(x->plan, b, s), nv_sums_wrong(x->plan, b, s), nv_loop_wrong(s),
            nv_copies_wrong(x->plan, s),  nv_fill_wrong(x->plan, s),    nv_flying_wrong(s)};
        check_step(x, s);
        for (int k = 0; k < COUNT(wrong); k++) {
            if (wrong[k])
                tell(x, s, "%s", wrong[k]);
        }
    }
}

/* The fills that the loops of a block wait for, or that its steps bring, in the program's order. */
typedef VEC(const NvFill *) Fills;

static void list_fills(const Check *x, const NvBlock *b, Fills *out)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->kind == NV_FILL)
            vec_push(x->plan->arena, out, s->detail);
        if (s->ahead && s->ahead->fill)
            vec_push(x->plan->arena, out, s->ahead->fill);
        for (int r = 0; r < COUNT(s->body); r++)
            list_fills(x, s->body[r], out);
    }
}

/* It makes what it reads, and takes turns at the ring in the order of those that it is for. */
static void check_producer(Check *x)
{
    Fills wanted = {0}, brought = {0};
    x->of_producer = true;
    check_body(x, NULL, x->plan->producer, NULL, 0);
    list_fills(x, x->plan->body, &wanted);
    list_fills(x, x->plan->producer, &brought);
    if (wanted.len != brought.len)
        tell(x, NULL, "a producer brings tiles for %d loops of %d", brought.len, wanted.len);
    else if (nv_leave_wrong(x->plan))
        tell(x, NULL, "%s", nv_leave_wrong(x->plan));
    for (int i = 0; !x->plan->refused && i < wanted.len; i++) {
        if (wanted.at[i] != brought.at[i])
            tell(x, NULL, "a producer brings what another loop waits for");
    }
}

bool nv_verify(NvPlan *p)
{
    Check x = {.plan = p};

    x.made = NEW_N(p->arena, bool, p->tiles.len + 1);
    x.under_way = NEW_N(p->arena, bool, p->tiles.len + 1);
    x.begun = NEW_N(p->arena, int, p->tiles.len + 1);
    x.maker = NEW_N(p->arena, const NvStep *, p->tiles.len + 1);
    check_body(&x, NULL, p->body, NULL, 0);
    if (p->ring)
        check_producer(&x);
    const NvStep *late = p->refused ? NULL : nv_hurried(p);
    if (late)
        tell(&x, late, "another thread may still be at work on memory that it reaches");
    return !p->refused;
}
