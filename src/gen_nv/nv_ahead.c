/*
 * nv_ahead.c - loops whose copies to shared memory run some rounds ahead (nv_pipeline.c)
 *
 * In front of the loop the copies of its first rounds are asked for.  Each round then waits for its
 * own, and for all threads, which have also read the round before by then; so the buffer of that
 * one takes the copies that are asked for next.  Each round's copies are a group, also when the
 * loop ends before the round that they would be for and there are none.
 *
 * A round asks for its copies behind the first reads of a product (NvAhead.host), where there is
 * one.  Of products that go on over the end of a round it is the last one, and those of the round
 * before have ended by then (NvAhead.free).
 *
 * Where the plan says so (NvAhead.early), a round waits for the next one's copies in front of its
 * last multiplications, and does the first reads of that round among them.
 */
#include "../gpu_schedule/nv_ring.h"
#include "nv_mma.h"

struct NvRunner {
    const NvStep *loop;
    const NvAhead *ahead;
    Val lo, step, trips;
    Val **values; /* by argument: registers that the steps ahead carry */
    Val *phis;    /* where the stages that are read and written begin: i32, in bytes */
    LLVMBasicBlockRef before;
    Val read, write;
    Val **next;            /* by argument, from the last run of the steps ahead */
    Val counter, active;   /* of the run that is to come in this round; NULL: it has been */
    Val more;              /* is there a round behind this one? */
    Val later;             /* of a ring: is this not the first round? */
    NvRunner *outer;       /* of the loop around, while this one's round lasts */
    NvReads early, coming; /* first reads of this round and the next one; empty: none are early */
};

static void commit(Nv *n)
{
    nv_asm(n, n->l->none, "cp.async.commit_group;", "~{memory}", NULL, 0);
}

/* Run the steps ahead, for the round whose counter is `counter`, into the stage at `at`. */
static void run_ahead(Nv *n, NvRunner *r, Val counter, Val at, Val active)
{
    const NvAhead *a = r->ahead;
    const NvBlock *b = &a->steps;
    Val before = n->stage[a->buffer];

    nv_set(n, b->args[0])[0] = counter;
    for (int i = 1; i < b->nargs; i++) {
        if (b->args[i])
            n->regs[b->args[i]->id] = r->values[i];
    }
    n->stage[a->buffer] = at;
    n->active = active;
    nv_steps(n, b);
    commit(n);
    n->active = NULL;
    for (int i = 1; i < b->nargs; i++) {
        if (b->args[i])
            r->next[i] = n->regs[b->ends[i - 1]->id];
    }
    n->stage[a->buffer] = before;
}

static void advance(NvRunner *r)
{
    for (int i = 1; i < r->loop->body[0]->nargs; i++)
        r->values[i] = r->next[i];
}

/* For the copies of a round, and for all threads. */
static void wait_for_copies(Nv *n, const NvAhead *a)
{
    nv_wait(n, &a->own);
    nv_wait(n, &a->all);
}

/* In a block behind `read`, where these are, and `other`, where they do not matter. */
static void merge_reads(Nv *n, NvReads *reads, LLVMBasicBlockRef read, LLVMBasicBlockRef other)
{
    for (int part = 0; part < COUNT(reads->words); part++) {
        for (int i = 0; i < reads->count[part]; i++) {
            Val *word = &reads->words[part][i];
            if (!*word)
                continue;
            Val both[] = {*word, LLVMGetUndef(LLVMTypeOf(*word))};
            *word = LLVMBuildPhi(n->b, LLVMTypeOf(both[0]), "");
            LLVMAddIncoming(*word, both, (LLVMBasicBlockRef[]){read, other}, COUNT(both));
        }
    }
}

/* The first reads of the first round, if there is one. */
static void read_first(Nv *n, NvRunner *r)
{
    const NvAhead *a = r->ahead;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), read = nv_block(n), after = nv_block(n);
    Val none = llvm_int(LLVMTypeOf(r->trips), 0);

    LLVMBuildCondBr(n->b, LLVMBuildICmp(n->b, LLVMIntNE, r->trips, none, ""), read, after);
    LLVMPositionBuilderAtEnd(n->b, read);
    wait_for_copies(n, a);
    n->stage[a->buffer] = llvm_int(n->l->i32, 0);
    nv_mma_read_first(n, a->early, &r->early);
    n->stage[a->buffer] = NULL;
    read = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, after);
    merge_reads(n, &r->early, read, before);
}

NvRunner *nv_ahead_begin(Nv *n, const NvStep *s, Val lo, Val step, Val trips)
{
    const NvAhead *a = s->ahead;
    int nargs = s->body[0]->nargs;
    NvRunner *r;

    if (!a)
        return NULL;
    r = NEW(n->arena, NvRunner);
    *r = (NvRunner){.loop = s, .ahead = a, .lo = lo, .step = step, .trips = trips};
    if (a->fill)
        return r;
    r->values = NEW_N(n->arena, Val *, nargs);
    r->next = NEW_N(n->arena, Val *, nargs);
    for (int i = 1; i < nargs; i++)
        r->values[i] = n->regs[s->in[FOR_BOUNDS + i - 1]->id];
    Val counter = lo;
    for (int i = 0; i < a->distance; i++) {
        Val active = LLVMBuildICmp(n->b, LLVMIntUGT, trips, llvm_int(LLVMTypeOf(trips), i), "");
        run_ahead(n, r, counter, llvm_int(n->l->i32, i * a->bytes), active);
        advance(r);
        counter = LLVMBuildAdd(n->b, counter, step, "");
    }
    if (a->early)
        read_first(n, r);
    r->before = LLVMGetInsertBlock(n->b);
    return r;
}

static void early_phis(Nv *n, NvRunner *r)
{
    for (int part = 0; part < COUNT(r->early.words); part++) {
        for (int i = 0; i < r->early.count[part]; i++) {
            Val *word = &r->early.words[part][i], first = *word;
            if (!first)
                continue;
            *word = LLVMBuildPhi(n->b, LLVMTypeOf(first), "");
            LLVMAddIncoming(*word, &first, &r->before, 1);
        }
    }
}

static void early_ends(NvRunner *r, LLVMBasicBlockRef latch)
{
    for (int part = 0; part < COUNT(r->early.words); part++) {
        for (int i = 0; i < r->early.count[part]; i++) {
            if (r->early.words[part][i])
                LLVMAddIncoming(r->early.words[part][i], &r->coming.words[part][i], &latch, 1);
        }
    }
}

static Val stage_phi(Nv *n, const NvRunner *r, int64_t start)
{
    Val phi = LLVMBuildPhi(n->b, n->l->i32, ""), first = llvm_int(n->l->i32, start);

    LLVMAddIncoming(phi, &first, (LLVMBasicBlockRef *)&r->before, 1);
    return phi;
}

void nv_ahead_phis(Nv *n, NvRunner *r)
{
    const NvBlock *b = &r->ahead->steps;

    if (r->ahead->fill)
        return;
    r->read = stage_phi(n, r, 0);
    r->write = stage_phi(n, r, r->ahead->distance * r->ahead->bytes);
    early_phis(n, r);
    for (int i = 1; i < b->nargs; i++) {
        if (!b->args[i])
            continue;
        Val *phis = nv_phis(n, b->args[i]);
        for (int k = 0; k < nv_count(b->args[i]); k++) {
            Val v = r->values[i][k];
            if (phis[k] && v)
                LLVMAddIncoming(phis[k], &v, &r->before, 1);
        }
        r->values[i] = phis;
    }
}

void nv_ahead_round(Nv *n, NvRunner *r, Val counter, Val left)
{
    const NvAhead *a = r->ahead;
    LLVMTypeRef t = LLVMTypeOf(left);

    r->outer = n->runner;
    n->runner = r;
    if (a->fill) {
        r->later = LLVMBuildICmp(n->b, LLVMIntNE, left, r->trips, "");
        nv_ring_full(n, a->fill);
        return;
    }
    if (!a->early)
        wait_for_copies(n, a);
    r->active = LLVMBuildICmp(n->b, LLVMIntUGT, left, llvm_int(t, a->distance), "");
    r->more = LLVMBuildICmp(n->b, LLVMIntUGT, left, llvm_int(t, 1), "");
    Val gap = LLVMBuildMul(n->b, r->step, llvm_int(LLVMTypeOf(r->step), a->distance), "");
    r->counter = LLVMBuildAdd(n->b, counter, gap, "");
    n->stage[a->buffer] = r->read;
    if (!a->host)
        nv_ahead_now(n, NULL);
}

/* The stage behind this one; the first one behind the last. */
static Val stage_after(Nv *n, const NvRunner *r, Val stage)
{
    const NvAhead *a = r->ahead;
    Val next = LLVMBuildAdd(n->b, stage, llvm_int(n->l->i32, a->bytes), "");
    Val end = llvm_int(n->l->i32, a->stages * a->bytes), zero = llvm_int(n->l->i32, 0);

    return LLVMBuildSelect(n->b, LLVMBuildICmp(n->b, LLVMIntEQ, next, end, ""), zero, next, "");
}

const NvReads *nv_ahead_early(Nv *n, const NvStep *product)
{
    NvRunner *r = n->runner;

    return r && r->ahead->early == product ? &r->early : NULL;
}

NvReads *nv_ahead_turn(Nv *n)
{
    NvRunner *r = n->runner;

    wait_for_copies(n, r->ahead);
    n->stage[r->ahead->buffer] =
        LLVMBuildSelect(n->b, r->more, stage_after(n, r, r->read), r->read, "");
    return &r->coming;
}

void nv_ahead_now(Nv *n, const NvStep *host)
{
    NvRunner *r = n->runner;

    if (r && r->ahead->fill && r->ahead->host == host && host)
        nv_ring_empty(n, true, 0, r->later);
    if (!r || r->ahead->host != host || !r->counter)
        return;
    nv_wait(n, &r->ahead->free);
    run_ahead(n, r, r->counter, r->write, r->active);
    r->counter = NULL;
}

/* What products in flight read is in use until the next round. */
static void end_of_ring(Nv *n, NvRunner *r)
{
    if (r->ahead->flying.len == 0)
        nv_ring_empty(n, false, 0, NULL);
    nv_ring_next(n);
    n->stage[r->ahead->buffer] = NULL;
    n->runner = r->outer;
}

void nv_ahead_end(Nv *n, NvRunner *r)
{
    if (r->ahead->fill) {
        end_of_ring(n, r);
        return;
    }
    const NvBlock *b = &r->ahead->steps;
    Val read = stage_after(n, r, r->read), write = stage_after(n, r, r->write);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(n->b);

    LLVMAddIncoming(r->read, &read, &latch, 1);
    LLVMAddIncoming(r->write, &write, &latch, 1);
    early_ends(r, latch);
    for (int i = 1; i < b->nargs; i++) {
        for (int k = 0; b->args[i] && k < nv_count(b->args[i]); k++) {
            Val v = r->next[i][k];
            if (r->values[i][k])
                LLVMAddIncoming(r->values[i][k], &v, &latch, 1);
        }
    }
    n->stage[r->ahead->buffer] = NULL;
    n->runner = r->outer;
}

void nv_ahead_land(Nv *n, const NvRunner *r, Val **results)
{
    const NvAhead *a = r->ahead;
    const NvStep *loop = r->loop;
    NvSum *sums = NEW_N(n->arena, NvSum, a->flying.len + 1);
    int count = 0;

    for (int i = 0; i < loop->nout; i++) {
        for (int k = 0; k < a->flying.len; k++) {
            if (loop->body[0]->ends[i] == a->flying.at[k]->out[0])
                sums[count++] = (NvSum){results[i], nv_count(loop->out[i]), a->flying.at[k]};
        }
    }
    nv_wgmma_land(n, &a->landed, sums, count);
    if (a->fill && a->flying.len > 0 && !a->fill->last)
        nv_ring_empty(
            n, true, 0,
            LLVMBuildICmp(n->b, LLVMIntNE, r->trips, llvm_int(LLVMTypeOf(r->trips), 0), ""));
}

/* --- copies --- */

/* Whether zeros take the place of a vector; NULL: no. */
static Val is_outside(Nv *n, const NvStep *s, int r)
{
    const NvCopy *c = s->detail;
    Val mask = NULL;

    if (!nv_live(c->shape, r))
        return llvm_int(n->l->i1, 1);
    if (LOAD_MASK < s->nin && s->in[LOAD_MASK])
        mask = nv_get(n, s->in[LOAD_MASK])[r];
    mask = nv_both(n, mask, nv_exists(n, c->shape->layout, r));
    return mask ? LLVMBuildNot(n->b, mask, "") : NULL;
}

static void copy_vector(Nv *n, const NvStep *s, int r, const NvPlace *to, Val predicate)
{
    const NvCopy *c = s->detail;
    NvPlace from;
    Text t = text_new(n->arena), constraints = text_new(n->arena);
    Val args[4];
    int nargs = 2;

    nv_locate(n, s, c->shape->layout, nv_live(c->shape, r) ? r : 0, &from);
    args[0] = to->address;
    args[1] = from.address;
    text_put(&constraints, "r,l");
    Val outside = is_outside(n, s, r);
    if (predicate)
        text_printf(&t, "@$%d ", outside ? 3 : 2);
    text_printf(&t, "cp.async.%s.shared.global [$0+%lld], [$1+%lld], %d",
                to->bytes == NV_ACCESS_BYTES ? "cg" : "ca", (long long)to->offset,
                (long long)from.offset, to->bytes);
    if (outside) {
        args[nargs++] = outside;
        text_put(&t, ", $2");
        text_put(&constraints, ",b");
    }
    if (predicate) {
        args[nargs++] = predicate;
        text_put(&constraints, ",b");
    }
    text_put(&t, ";");
    text_put(&constraints, ",~{memory}");
    nv_asm(n, n->l->none, t.s, constraints.s, args, nargs);
}

bool nv_begins_own(const NvStep *s, int r)
{
    int vector = nv_vector_register(s->access->regs, 0, (1 << s->access->vector_bits) - 1);

    return (r & (vector | (int)s->same)) == 0;
}

void nv_own_place(Nv *n, const NvTile *t, int vector, int bytes, NvPlace *out)
{
    Val at = LLVMBuildMul(n->b, n->thread, llvm_int(n->l->i32, bytes), "");

    at = nv_shared_at(n, t->buffer, at);
    out->address = n->stage[t->buffer] ? LLVMBuildAdd(n->b, at, n->stage[t->buffer], "") : at;
    out->offset = t->at + (int64_t)vector * nv_thread_count(n->plan) * bytes;
}

static void copy_own(Nv *n, const NvStep *s, int bytes)
{
    const NvCopy *c = s->detail;
    int vector = 0;

    for (int r = 0; r < nv_count(c->shape); r++) {
        NvPlace to = {.bytes = bytes};
        if (!nv_begins_own(s, r))
            continue;
        nv_own_place(n, s->out[0], vector++, bytes, &to);
        copy_vector(n, s, r, &to, n->active);
    }
}

void nv_copy(Nv *n, const NvStep *s)
{
    const NvCopy *c = s->detail;
    int bytes = type_size(c->shape->value->type) << c->bits;
    uint32_t threads[LAYOUT_THREAD_BITS];
    Val predicate = nv_both(n, n->active, nv_is_first(n, s->access->copies));

    if (c->own > 0) {
        copy_own(n, s, bytes);
        return;
    }
    nv_threads_of(c->layout, threads);
    for (int r = 0; r < nv_count(c->shape); r++) {
        NvPlace to = {.bytes = bytes};
        if ((r & nv_vector_register(s->access->regs, 0, (1 << c->bits) - 1)) != 0)
            continue;
        nv_shared_place(n, s->out[0], threads, layout_at(c->layout, (Holder){.reg = (uint32_t)r}),
                        &to);
        copy_vector(n, s, r, &to, predicate);
    }
}
