/*
 * nv_sums.c - products whose sums lie in tensor memory: tcgen05.mma
 *
 * The PTX ISA, "Tensorcore 5th Generation Family Instructions".  Of each group of four warps the
 * first thread asks for its products, as one commit, which arrives at an mbarrier when the unit has
 * done them.  The mbarriers of a group take turns; every thread counts how many products it has
 * come by, so it knows which one to wait at and for which phase.
 *
 * A sum comes out of registers in front of its product, unless it begins at zero or goes on from
 * the round before, and goes back into registers when it lands, in the fragments that mma.sync has:
 * `.16x256b` moves those of 16 rows, and a warp has the rows of 16 lanes of its quarter, or of 32.
 * Before the unit writes where warps have read, these wait for each other.
 */
#include "nv_wgmma.h"
#include "../gpu_schedule/nv_schedule.h"

enum {
    GROUP_BARRIER = 8, /* of the chip, of the first group: below are those of programs */
    GROUP_BITS = WGMMA_WARP_BITS + NV_LANE_BITS,
    GROUP_THREADS = 1 << GROUP_BITS,
    LANE_AT = 16,   /* bits of an address of tensor memory: its lane, above its column */
    QUARTER = 32,   /* lanes that a warp reaches */
    HALF = 16,      /* lanes that move at a time */
    MOST_MOVED = 32 /* fragments of eight columns in one instruction */
};

static Val constant(Nv *n, int64_t v)
{
    return llvm_int(n->l->i32, v);
}

static void say(Nv *n, const char *text)
{
    nv_asm(n, n->l->none, text, "~{memory}", NULL, 0);
}

static Val group(Nv *n)
{
    return LLVMBuildLShr(n->b, n->thread, constant(n, GROUP_BITS), "");
}

/* Threads of a group wait for each other; what they have moved is there for who comes then. */
static void meet(Nv *n)
{
    Val which = LLVMBuildAdd(n->b, group(n), constant(n, GROUP_BARRIER), "");

    say(n, "tcgen05.fence::before_thread_sync;");
    nv_asm(n, n->l->none, arena_printf(n->arena, "bar.sync $0, %d;", GROUP_THREADS), "r,~{memory}",
           &which, 1);
    say(n, "tcgen05.fence::after_thread_sync;");
}

/* Go on in the first of these blocks where the condition is true; both end in what this gives. */
static LLVMBasicBlockRef begin_if(Nv *n, Val condition)
{
    LLVMBasicBlockRef then = nv_block(n), behind = nv_block(n);

    LLVMBuildCondBr(n->b, condition, then, behind);
    LLVMPositionBuilderAtEnd(n->b, then);
    return behind;
}

static void end_if(Nv *n, LLVMBasicBlockRef behind)
{
    LLVMBuildBr(n->b, behind);
    LLVMPositionBuilderAtEnd(n->b, behind);
}

static Val is_zero(Nv *n, Val v)
{
    return LLVMBuildICmp(n->b, LLVMIntEQ, v, constant(n, 0), "");
}

/* --- the program's memory --- */

static void init_barriers(Nv *n)
{
    int count = nv_group_count(n->plan) * n->plan->sums_at_once;

    for (int i = 0; i < count; i++) {
        Val at = nv_shared_at(n, n->plan->sums, constant(n, NV_SUM_BARRIERS + i * NV_SUM_BARRIER));
        nv_asm(n, n->l->none, "mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}", &at, 1);
    }
    say(n, "fence.mbarrier_init.release.cluster;");
}

void nv_sums_begin(Nv *n)
{
    if (n->plan->sum_columns == 0)
        return;
    n->asked = nv_new_cell(n);
    Val at = nv_shared_at(n, n->plan->sums, constant(n, 0));
    LLVMBasicBlockRef behind = begin_if(n, is_zero(n, n->thread));
    init_barriers(n);
    end_if(n, behind);
    behind = begin_if(n, is_zero(n, n->warp));
    nv_asm(n, n->l->none,
           arena_printf(n->arena,
                        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], %d;",
                        n->plan->sum_columns),
           "r,~{memory}", &at, 1);
    say(n, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    end_if(n, behind);
    say(n, "tcgen05.fence::before_thread_sync;");
    nv_wait_all(n);
    say(n, "tcgen05.fence::after_thread_sync;");
    n->sums_at = nv_asm(n, n->l->i32, "ld.shared::cta.b32 $0, [$1];", "=r,r,~{memory}", &at, 1);
}

void nv_sums_end(Nv *n)
{
    const NvWait all = nv_wait_warps(n->plan);

    if (n->plan->sum_columns == 0)
        return;
    say(n, "tcgen05.fence::before_thread_sync;");
    nv_wait(n, &all);
    say(n, "tcgen05.fence::after_thread_sync;");
    LLVMBasicBlockRef behind = begin_if(n, is_zero(n, n->warp));
    nv_asm(n, n->l->none,
           arena_printf(n->arena, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, %d;",
                        n->plan->sum_columns),
           "r,~{memory}", &n->sums_at, 1);
    end_if(n, behind);
}

/* --- waiting --- */

static Val load_asked(Nv *n)
{
    return LLVMBuildLoad2(n->b, n->l->i32, n->asked, "");
}

/* The mbarrier of the product of that number, of this thread's group. */
static Val barrier_of(Nv *n, Val number)
{
    int count = n->plan->sums_at_once;
    Val turn = LLVMBuildAnd(n->b, number, constant(n, count - 1), "");
    Val first = LLVMBuildMul(n->b, group(n), constant(n, count), "");
    Val at =
        LLVMBuildMul(n->b, LLVMBuildAdd(n->b, first, turn, ""), constant(n, NV_SUM_BARRIER), "");

    return nv_shared_at(n, n->plan->sums, LLVMBuildAdd(n->b, at, constant(n, NV_SUM_BARRIERS), ""));
}

/* Of a number below 0 the phase in front of the first one, which is over. */
void nv_sums_wait(Nv *n, int in_flight)
{
    Val number = LLVMBuildSub(n->b, load_asked(n), constant(n, 1 + in_flight), "");
    int bits = layout_bits_of(n->plan->sums_at_once);
    Val round = LLVMBuildLShr(n->b, number, constant(n, bits), "");

    Val parity = LLVMBuildAnd(n->b, round, constant(n, 1), "");
    nv_wait_phase(n, barrier_of(n, number), parity);
    say(n, "tcgen05.fence::after_thread_sync;");
}

/* --- between registers and tensor memory --- */

/* Rows of fragments side by side in one block of rows of the unit: 16 or 32 of a warp. */
static int halves_of(const NvDot *d)
{
    return d->tiling.tall ? QUARTER / HALF : 1;
}

/* The address of column `column` of this thread's group of warps, in lane 0. */
static Val sum_at(Nv *n, const NvDot *d, int column)
{
    Val of_group = LLVMBuildMul(n->b, group(n), constant(n, d->columns), "");
    Val at = LLVMBuildAdd(n->b, n->sums_at, of_group, "");

    return LLVMBuildAdd(n->b, at, constant(n, d->column + column), "");
}

/* .. of the row of fragments `row` and the column of fragments `column`, as this warp reaches it.
 */
static Val fragment_at(Nv *n, const NvDot *d, int row, int column)
{
    int halves = halves_of(d), wide = WGMMA_FRAGMENT_COLUMNS << d->regs[MMA_ACC].columns;
    int at = row / halves * wide + column * WGMMA_FRAGMENT_COLUMNS;
    Val quarter = LLVMBuildAnd(n->b, n->warp, constant(n, (1 << WGMMA_WARP_BITS) - 1), "");
    Val lane = LLVMBuildMul(n->b, quarter, constant(n, QUARTER << LANE_AT), "");
    Val first = LLVMBuildAdd(n->b, sum_at(n, d, at), lane, "");

    return LLVMBuildAdd(n->b, first, constant(n, row % halves * HALF << LANE_AT), "");
}

static void put_list(Text *t, int first, int count)
{
    for (int i = 0; i < count; i++)
        text_printf(t, "%s$%d", i == 0 ? "{" : ", ", first + i);
    text_put(t, "}");
}

static uint32_t register_at(const NvDot *d, int row, int column, int i)
{
    return mma_register(&d->regs[MMA_ACC], 0, row, column + i / WGMMA_FRAGMENT, i % WGMMA_FRAGMENT);
}

static void read_fragments(Nv *n, const NvDot *d, int row, int column, int fragments, Val *regs,
                           LLVMTypeRef type)
{
    int count = fragments * WGMMA_FRAGMENT;
    LLVMTypeRef types[MOST_MOVED * WGMMA_FRAGMENT];
    Text t = text_new(n->arena), c = text_new(n->arena);
    Val at = fragment_at(n, d, row, column);

    text_printf(&t, "tcgen05.ld.sync.aligned.16x256b.x%d.b32 ", fragments);
    put_list(&t, 0, count);
    text_printf(&t, ", [$%d]; tcgen05.wait::ld.sync.aligned;", count);
    for (int i = 0; i < count; i++) {
        types[i] = n->l->i32;
        text_put(&c, "=r,");
    }
    text_put(&c, "r,~{memory}");
    LLVMTypeRef all = LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
    Val got = nv_asm(n, all, t.s, c.s, &at, 1);
    for (int i = 0; i < count; i++) {
        Val word = LLVMBuildExtractValue(n->b, got, (unsigned)i, "");
        regs[register_at(d, row, column, i)] = LLVMBuildBitCast(n->b, word, type, "");
    }
}

static void write_fragments(Nv *n, const NvDot *d, int row, int column, int fragments,
                            const Val *regs)
{
    int count = fragments * WGMMA_FRAGMENT;
    Val args[MOST_MOVED * WGMMA_FRAGMENT + 1];
    Text t = text_new(n->arena), c = text_new(n->arena);

    args[0] = fragment_at(n, d, row, column);
    text_printf(&t, "tcgen05.st.sync.aligned.16x256b.x%d.b32 [$0], ", fragments);
    put_list(&t, 1, count);
    text_put(&t, "; tcgen05.wait::st.sync.aligned;");
    text_put(&c, "r");
    for (int i = 0; i < count; i++) {
        Val v = regs[register_at(d, row, column, i)];
        args[1 + i] = v ? LLVMBuildBitCast(n->b, v, n->l->i32, "") : LLVMGetUndef(n->l->i32);
        text_put(&c, ",r");
    }
    text_put(&c, ",~{memory}");
    nv_asm(n, n->l->none, t.s, c.s, args, count + 1);
}

static int least_moved(const NvDot *d)
{
    return MIN(1 << d->regs[MMA_ACC].columns, MOST_MOVED);
}

static void read_sum(Nv *n, const NvStep *product, Val *regs)
{
    const NvDot *d = product->detail;
    const NvTile *out = product->out[0];
    LLVMTypeRef type = d->mma->sum == 'f' ? n->l->f32 : n->l->i32;
    int moved = least_moved(d);

    for (int row = 0; row < 1 << d->regs[MMA_ACC].rows; row++) {
        for (int column = 0; column < 1 << d->regs[MMA_ACC].columns; column += moved)
            read_fragments(n, d, row, column, moved, regs, type);
    }
    for (int r = 0; r < nv_count(out); r++) {
        if (!nv_live(out, r))
            regs[r] = NULL;
    }
}

static void write_sum(Nv *n, const NvDot *d, const Val *regs)
{
    int moved = least_moved(d);

    for (int row = 0; row < 1 << d->regs[MMA_ACC].rows; row++) {
        for (int column = 0; column < 1 << d->regs[MMA_ACC].columns; column += moved)
            write_fragments(n, d, row, column, moved, regs);
    }
}

void nv_sums_land(Nv *n, const NvWait *wait, const NvSum *sums, int count)
{
    nv_sums_wait(n, wait->in_flight);
    for (int i = 0; i < count; i++)
        read_sum(n, sums[i].product, sums[i].regs);
}

/* --- loops --- */

/* The product in flight whose sum is the i-th value that the loop carries; NULL: none. */
static const NvStep *product_of(const NvStep *loop, int i)
{
    const NvAhead *a = loop->ahead;

    for (int k = 0; a && k < a->flying.len; k++) {
        const NvStep *s = a->flying.at[k];
        if (((const NvDot *)s->detail)->in_tensor_memory && loop->body[0]->ends[i] == s->out[0])
            return s;
    }
    return NULL;
}

bool nv_sum_is_carried(const NvStep *loop, int i)
{
    return product_of(loop, i) != NULL;
}

void nv_sums_enter(Nv *n, const NvStep *loop)
{
    bool any = false;

    for (int i = 0; i < loop->nout; i++) {
        const NvStep *product = product_of(loop, i);
        if (!product)
            continue;
        write_sum(n, product->detail, nv_get(n, loop->in[FOR_BOUNDS + i]));
        any = true;
    }
    if (any)
        meet(n);
}

/* --- products --- */

/* What the instruction is told of shapes and types. */
static uint32_t how_of(const NvDot *d, int columns)
{
    enum { SUM_AT = 4, A_AT = 7, B_AT = 10, ACROSS_AT = 15, COLUMNS_AT = 17, ROWS_AT = 24 };
    bool ints = d->mma->sum == 'r';
    uint32_t type = d->mma->a == DT_BF16 || ints ? 1 : d->mma->piece == PIECE_TF32 ? 2 : 0;

    return (uint32_t)(ints ? 2 : 1) << SUM_AT | type << A_AT | type << B_AT |
           (uint32_t)d->operand[MMA_A].memory.trans << ACROSS_AT |
           (uint32_t)d->operand[MMA_B].memory.trans << (ACROSS_AT + 1) |
           (uint32_t)columns / 8 << COLUMNS_AT | (uint32_t)nv_group_rows(d) / 16 << ROWS_AT;
}

static const char *kind_of(const NvDot *d)
{
    return d->mma->sum == 'r' ? "i8" : d->mma->piece == PIECE_TF32 ? "tf32" : "f16";
}

/* The product of a block of rows and of columns, along all of K. */
static void ask_for(Wgmma *x, int row, int column)
{
    Nv *n = x->n;
    const NvDot *d = x->dot;
    int step = d->tiling.shape.k, wide = WGMMA_FRAGMENT_COLUMNS << d->regs[MMA_ACC].columns;
    uint32_t first = register_at(d, row, column, 0);
    uint32_t at = layout_at(d->layout[MMA_ACC], (Holder){.reg = first});
    Val sum = sum_at(n, d, row / halves_of(d) * wide + column * WGMMA_FRAGMENT_COLUMNS);

    for (int k = 0; k * step < d->k; k++) {
        Val rows = nv_wgmma_descriptor(x, MMA_A, at, k * step, 0);
        Val columns = nv_wgmma_descriptor(x, MMA_B, at, k * step, 0);
        Val args[] = {sum, rows, columns, constant(n, (int32_t)how_of(d, x->columns))};
        const char *text = arena_printf(
            n->arena,
            "{ .reg .pred p; setp.ne.b32 p, %d, 0; tcgen05.mma.cta_group::1.kind::%s [$0], $1, $2, "
            "$3, p; }",
            k > 0 || !x->fresh, kind_of(d));
        nv_asm(n, n->l->none, text, "r,l,l,r,~{memory}", args, COUNT(args));
    }
}

/* As one commit, by the first thread of the group. */
static void ask_for_all(Wgmma *x)
{
    Nv *n = x->n;
    const MmaRegisters *regs = &x->dot->regs[MMA_ACC];
    Val number = load_asked(n), barrier = barrier_of(n, number);
    Val thread = LLVMBuildAnd(n->b, n->thread, constant(n, GROUP_THREADS - 1), "");
    LLVMBasicBlockRef behind = begin_if(n, is_zero(n, thread));

    for (int row = 0; row < 1 << regs->rows; row += halves_of(x->dot)) {
        for (int column = 0; column < 1 << regs->columns;
             column += x->columns / WGMMA_FRAGMENT_COLUMNS)
            ask_for(x, row, column);
    }
    nv_asm(n, n->l->none,
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];",
           "r,~{memory}", &barrier, 1);
    end_if(n, behind);
    LLVMBuildStore(n->b, LLVMBuildAdd(n->b, number, constant(n, 1), ""), n->asked);
}

void nv_sum_multiply(Nv *n, const NvStep *s)
{
    const NvDot *d = s->detail;
    const NvTile *out = s->out[0];
    Wgmma x = {.n = n, .step = s, .dot = d};

    nv_wgmma_begin(&x, WGMMA_MOST_COLUMNS);
    if (d->in_flight == 0 && !x.fresh)
        write_sum(n, d, nv_get(n, s->in[MMA_ACC]));
    if (d->in_flight == 0)
        meet(n);
    ask_for_all(&x);
    n->regs[out->id] = NEW_N(n->arena, Val, nv_count(out));
    if (d->in_flight > 0)
        nv_sums_wait(n, d->in_flight);
    nv_ahead_now(n, s);
}
