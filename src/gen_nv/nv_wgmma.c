/*
 * nv_wgmma.c - products that four warps compute together: wgmma.mma_async
 *
 * The PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".  A step is a
 * fence, behind which the unit sees what registers hold, its instructions as one group, and a wait
 * for all or all but the last groups.  A sum that is waited for comes out of the wait as a value,
 * so that nothing that uses it stands in front.
 *
 * What the unit reads in shared memory is told by descriptors: the place in units of 16 bytes, and
 * how the tile lies there (WgmmaOperand).  An instruction's rows, columns and step along K begin at
 * a constant distance from the tile's place, which is one for each group of warps.
 */
#include "nv_wgmma.h"

enum {
    MOST_PASSED = 2 * WGMMA_MOST_SUM,
    UNIT_BITS = 4, /* of places in descriptors: 16 bytes */
    LEAD_AT = 16,  /* bits of a descriptor */
    STRIDE_AT = 32,
    SWIZZLE_AT = 62,
    TENSOR_SET_AT = 46,    /* of tcgen05: a bit that is set; */
    TENSOR_SWIZZLE_AT = 62 /* 2, 4 and 6 from bit 61 on, where wgmma has 1, 2 and 3 */
};

/* --- operands in memory --- */

/* The number of an element of a matrix. */
static uint32_t element_at(const Type *t, int32_t row, int32_t column)
{
    return (uint32_t)row << layout_bits_of(t->dims[1]) | (uint32_t)column;
}

uint32_t nv_wgmma_operand_at(const Wgmma *x, MmaPart part, uint32_t of_sum, int32_t k)
{
    const Layout *sum = x->dot->layout[MMA_ACC];
    MmaPart operand = nv_dot_operand(x->dot, part);
    const Type *t = x->step->op->operands[operand]->type;

    return operand == MMA_A ? element_at(t, layout_index(sum, of_sum, 0), k)
                            : element_at(t, k, layout_index(sum, of_sum, 1));
}

/* How far, in bytes, this thread's group of warps is from the place of the first one: the same in
 * all of its threads, which a shuffle has the assembler know. */
static Val group_offset(Wgmma *x, MmaPart part)
{
    Nv *n = x->n;
    const Layout *sum = x->dot->layout[MMA_ACC];
    const SharedLayout *memory = &x->dot->operand[part].place;
    uint32_t masks[LAYOUT_THREAD_BITS] = {0}, any = 0;

    for (int i = WGMMA_WARP_BITS; i < sum->nwarp; i++) {
        uint32_t at = nv_wgmma_operand_at(x, part, sum->warp[i], 0);
        masks[NV_LANE_BITS + i] = shared_offset(memory, at) * (uint32_t)memory->bytes;
        any |= masks[NV_LANE_BITS + i];
    }
    if (any == 0)
        return llvm_int(n->l->i32, 0);
    return nv_shuffle(n, nv_thread_map(n, masks), llvm_int(n->l->i32, 0));
}

/* The swizzle, as descriptors of wgmma and of tcgen05 have it; these have a constant beside. */
static uint64_t how_it_lies(const NvDot *d, const WgmmaOperand *o)
{
    if (d->in_tensor_memory)
        return (uint64_t)o->swizzle << TENSOR_SWIZZLE_AT | UINT64_C(1) << TENSOR_SET_AT;
    return (uint64_t)o->swizzle << SWIZZLE_AT;
}

static Val descriptor_of(Wgmma *x, MmaPart part)
{
    Nv *n = x->n;
    const NvTile *t = x->step->in[part];
    const WgmmaOperand *o = &x->dot->operand[part].memory;
    uint64_t fixed = how_it_lies(x->dot, o) | (uint64_t)(o->stride >> UNIT_BITS) << STRIDE_AT |
                     (uint64_t)(o->lead >> UNIT_BITS) << LEAD_AT;
    LLVMBasicBlockRef now = nv_at_head(n);
    Val at = nv_shared_at(n, t->buffer, group_offset(x, part));

    at = LLVMBuildAdd(n->b, at, llvm_int(n->l->i32, t->at), "");
    nv_leave_head(n, now);
    if (n->stage[t->buffer])
        at = LLVMBuildAdd(n->b, at, n->stage[t->buffer], "");
    at = LLVMBuildLShr(n->b, at, llvm_int(n->l->i32, UNIT_BITS), "");
    at = LLVMBuildZExt(n->b, at, n->l->i64, "");
    return LLVMBuildOr(n->b, at, LLVMConstInt(n->l->i64, fixed, 0), "");
}

Val nv_wgmma_descriptor(Wgmma *x, MmaPart part, uint32_t of_sum, int32_t k, int piece)
{
    const SharedLayout *memory = &x->dot->operand[part].place;
    uint32_t element = shared_offset(memory, nv_wgmma_operand_at(x, part, of_sum, k));
    int64_t at = (int64_t)element * memory->bytes + piece * shared_bytes(memory);

    return LLVMBuildAdd(x->n->b, x->descriptor[part], llvm_int(x->n->l->i64, at >> UNIT_BITS), "");
}

/* --- one instruction --- */

static void put_registers(Text *t, int *next, int count)
{
    for (int i = 0; i < count; i++)
        text_printf(t, "%s$%d", i == 0 ? "{" : ", ", (*next)++);
    text_put(t, "}");
}

/* Operands that are no registers of the sum. */
static int inputs_of(const Wgmma *x)
{
    return (x->descriptor[MMA_A] ? 1 : WGMMA_WORDS_OF_A) + 1;
}

/* "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {sum}, a, b, p, 1, 1, 0, 1;": p says whether
 * the sum so far counts. */
static const char *instruction_text(const Wgmma *x, int nsum, WgmmaSum how)
{
    const MmaInstruction *mma = x->dot->mma;
    Text t = text_new(x->n->arena);
    int next = 0;

    if (how == WGMMA_IN_PLACE)
        text_printf(&t, "{ .reg .pred p; setp.ne.b32 p, $%d, 0; ", nsum + inputs_of(x));
    else
        text_printf(&t, "{ .reg .pred p; setp.ne.b32 p, %d, 0; ", how == WGMMA_ADDS);
    text_printf(&t, "wgmma.mma_async.sync.aligned.m%dn%dk%d.%s ", WGMMA_ROWS, x->columns,
                x->dot->tiling.shape.k, mma->group);
    put_registers(&t, &next, nsum);
    text_put(&t, ", ");
    if (x->descriptor[MMA_A])
        text_printf(&t, "$%d", next++);
    else
        put_registers(&t, &next, WGMMA_WORDS_OF_A);
    text_printf(&t, ", $%d, p", next);
    if (mma->sum == 'f')
        text_put(&t, ", 1, 1");
    if (mma->bytes == 2 && x->descriptor[MMA_A])
        text_printf(&t, ", %d", x->dot->operand[MMA_A].memory.trans);
    if (mma->bytes == 2)
        text_printf(&t, ", %d", x->dot->operand[MMA_B].memory.trans);
    text_put(&t, "; }");
    return t.s;
}

/* Registers out; what is in front, the operands, then the same registers in. */
static const char *constraints_text(const Wgmma *x, int nsum, WgmmaSum how)
{
    Text t = text_new(x->n->arena);

    for (int i = 0; i < nsum; i++)
        text_printf(&t, "%s=%c", i > 0 ? "," : "", x->dot->mma->sum);
    text_put(&t, x->descriptor[MMA_A] ? ",l" : ",r,r,r,r");
    text_put(&t, how == WGMMA_IN_PLACE ? ",l,r" : ",l");
    for (int i = 0; how != WGMMA_ANEW && i < nsum; i++)
        text_printf(&t, ",%d", i);
    text_put(&t, ",~{memory}");
    return t.s;
}

static LLVMTypeRef sum_type(const Wgmma *x)
{
    return x->dot->mma->sum == 'f' ? x->n->l->f32 : x->n->l->i32;
}

/* The register of the sum with element e of the i-th fragment of columns. */
static Val *sum_at(const Wgmma *x, const WgmmaPlace *p, int i, int e)
{
    return &x->sum[mma_register(&x->dot->regs[MMA_ACC], 0, p->row, p->column + i, e)];
}

static LLVMTypeRef struct_of(Nv *n, LLVMTypeRef t, int count)
{
    LLVMTypeRef types[WGMMA_MOST_SUM];

    for (int i = 0; i < count; i++)
        types[i] = t;
    return LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
}

void nv_wgmma_pass(Nv *n, const char *text, Val **regs, int count)
{
    LLVMTypeRef types[MOST_PASSED];
    Text c = text_new(n->arena);
    Val args[MOST_PASSED];

    for (int i = 0; i < count; i++) {
        types[i] = LLVMTypeOf(*regs[i]);
        text_printf(&c, "=%c,", types[i] == n->l->f32 ? 'f' : 'r');
        args[i] = *regs[i];
    }
    for (int i = 0; i < count; i++)
        text_printf(&c, "%d,", i);
    text_put(&c, "~{memory}");
    LLVMTypeRef all = LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
    Val got = nv_asm(n, count > 0 ? all : n->l->none, text, c.s, args, count);
    for (int i = 0; i < count; i++)
        *regs[i] = LLVMBuildExtractValue(n->b, got, (unsigned)i, "");
}

/* Instructions along K. */
static int steps_of(const NvDot *d)
{
    return (d->k + d->tiling.shape.k - 1) / d->tiling.shape.k;
}

/* Words of rows. */
static int count_of_rows(const NvDot *d)
{
    return (1 << d->regs[MMA_ACC].rows) * steps_of(d) * WGMMA_WORDS_OF_A;
}

/* Some of the words of A, by row, step along K and number. */
static void make_words(Wgmma *x, int first, int count, Val *words)
{
    int steps = steps_of(x->dot);

    for (int i = first; i < first + count; i++) {
        int k = i / WGMMA_WORDS_OF_A;
        const MmaFragment f = {0, k / steps, k % steps};
        words[i] =
            x->given ? x->given[i]
                     : nv_made_again(x->n, nv_operand_word(&x->rows, &f, i % WGMMA_WORDS_OF_A, 0));
    }
}

Val *nv_wgmma_rows(Nv *n, const NvStep *s, int *count)
{
    const NvDot *d = s->detail;
    Wgmma x = {.n = n, .step = s, .dot = d};
    int rows = 1 << d->regs[MMA_ACC].rows, steps = steps_of(d);
    Val *words = NEW_N(n->arena, Val, count_of_rows(d));

    *count = 0;
    nv_operand_begin(n, s, MMA_A, &x.rows);
    for (int row = 0; row < rows; row++) {
        for (int k = 0; k < steps; k++) {
            for (int i = 0; i < WGMMA_WORDS_OF_A; i++)
                words[(*count)++] = nv_operand_word(&x.rows, &(MmaFragment){0, row, k}, i, 0);
        }
    }
    return words;
}

void nv_wgmma_issue(Wgmma *x, const WgmmaPlace *p, int piece, const Val *words, WgmmaSum how,
                    Val *sums)
{
    Nv *n = x->n;
    int nsum = WGMMA_FRAGMENT * x->columns / WGMMA_FRAGMENT_COLUMNS, nargs = 0;
    uint32_t first = mma_register(&x->dot->regs[MMA_ACC], 0, p->row, p->column, 0);
    uint32_t at = layout_at(x->dot->layout[MMA_ACC], (Holder){.reg = first});
    int32_t k = p->k * x->dot->tiling.shape.k;
    Val args[WGMMA_MOST_SUM + WGMMA_WORDS_OF_A + 2];

    if (!words)
        args[nargs++] = nv_wgmma_descriptor(x, MMA_A, at, k, 0);
    for (int i = 0; words && i < WGMMA_WORDS_OF_A; i++)
        args[nargs++] = words[i];
    args[nargs++] = nv_wgmma_descriptor(x, MMA_B, at, k, piece);
    if (how == WGMMA_IN_PLACE)
        args[nargs++] = x->never;
    for (int i = 0; how != WGMMA_ANEW && i < nsum; i++)
        args[nargs++] = sums[i];
    Val got = nv_asm(n, struct_of(n, sum_type(x), nsum), instruction_text(x, nsum, how),
                     constraints_text(x, nsum, how), args, nargs);
    for (int i = 0; i < nsum; i++)
        sums[i] = LLVMBuildExtractValue(n->b, got, (unsigned)i, "");
}

/* Behind it the unit sees registers as they are: of sums that began before, and words of A. */
static void fence(Wgmma *x, bool sums, Val *words, int nwords)
{
    int nsum = sums && !x->fresh ? nv_count(x->step->out[0]) : 0, count = 0;
    Val *regs[MOST_PASSED];

    for (int i = 0; i < nsum + nwords; i++) {
        Val *v = i < nsum ? &x->sum[i] : &words[i - nsum];
        if (*v)
            regs[count++] = v;
        if (count == MOST_PASSED) {
            nv_wgmma_pass(x->n, "", regs, count);
            count = 0;
        }
    }
    nv_wgmma_pass(x->n, "wgmma.fence.sync.aligned;", regs, count);
}

static void multiply(Wgmma *x, const WgmmaPlace *p, const Val *words)
{
    int nsum = WGMMA_FRAGMENT * x->columns / WGMMA_FRAGMENT_COLUMNS;
    bool adds = !x->fresh || p->k > 0;
    Val sums[WGMMA_MOST_SUM];

    for (int i = 0; adds && i < nsum; i++) {
        Val v = *sum_at(x, p, i / WGMMA_FRAGMENT, i % WGMMA_FRAGMENT);
        sums[i] = v ? v : LLVMGetUndef(sum_type(x));
    }
    nv_wgmma_issue(x, p, 0, words, adds ? WGMMA_ADDS : WGMMA_ANEW, sums);
    for (int i = 0; i < nsum; i++)
        *sum_at(x, p, i / WGMMA_FRAGMENT, i % WGMMA_FRAGMENT) = sums[i];
}

/* --- waiting --- */

void nv_wgmma_land(Nv *n, const NvWait *wait, const NvSum *sums, int count)
{
    const char *text = arena_printf(n->arena, "wgmma.wait_group.sync.aligned %d;", wait->in_flight);
    Val *held[WGMMA_MOST_SUM];
    int nheld = 0;

    if (wait->kind == NV_WAIT_NONE)
        return;
    if (n->plan->sum_columns > 0) {
        nv_sums_land(n, wait, sums, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        for (int r = 0; r < sums[i].count; r++) {
            if (sums[i].regs[r])
                held[nheld++] = &sums[i].regs[r];
            if (nheld == WGMMA_MOST_SUM) {
                nv_wgmma_pass(n, text, held, nheld);
                text = "";
                nheld = 0;
            }
        }
    }
    if (nheld > 0 || *text)
        nv_wgmma_pass(n, text, held, nheld);
}

void nv_land(Nv *n, const NvStep *s)
{
    NvWait wait = s->within;

    if (n->delayed && !n->delayed_rows) /* in the first round there is nothing behind what lands */
        wait.in_flight = 0;
    NvSum *sums = NEW_N(n->arena, NvSum, s->nin);
    for (int i = 0; i < s->nin; i++)
        sums[i] = (NvSum){n->regs[s->in[i]->id], nv_count(s->in[i]), n->products[s->in[i]->id]};
    nv_wgmma_land(n, &wait, sums, s->nin);
    for (int i = 0; i < s->nin; i++) {
        for (int r = 0; r < sums[i].count; r++) {
            if (s->in[i]->value->type->dtype == DT_FP16 && sums[i].regs[r])
                sums[i].regs[r] = emit_round(&n->e, n->b, sums[i].regs[r], DT_FP16);
        }
    }
}

/* --- all of them --- */

void nv_wgmma_begin(Wgmma *x, int most)
{
    const NvDot *d = x->dot;
    int columns = WGMMA_FRAGMENT_COLUMNS << d->regs[MMA_ACC].columns;
    uint64_t bits;

    x->columns = MIN(columns, most);
    x->fresh = value_constant(x->step->op->operands[MMA_ACC], &bits) && bits == 0;
    if (d->operand[MMA_A].way == OPERAND_MEMORY)
        x->descriptor[MMA_A] = descriptor_of(x, MMA_A);
    else if (!x->given)
        nv_operand_begin(x->n, x->step, MMA_A, &x->rows);
    x->descriptor[MMA_B] = descriptor_of(x, MMA_B);
    x->never = d->part > 0 ? nv_never(x->n) : NULL;
}

/* Each part of the sum along all of K, one behind the other: registers of two that took turns would
 * be copied, which nobody may do under way.  Words of A are made in front of all of it, or each
 * where it is wanted (NvDot.at_once). */
static void multiply_all(Wgmma *x)
{
    const NvDot *d = x->dot;
    const MmaRegisters *regs = &d->regs[MMA_ACC];
    int steps = steps_of(d), fragments = x->columns / WGMMA_FRAGMENT_COLUMNS;
    int nwords = x->descriptor[MMA_A] ? 0 : count_of_rows(d);
    Val *words = nwords > 0 ? NEW_N(x->n->arena, Val, nwords) : NULL;

    if (d->at_once) {
        make_words(x, 0, nwords, words);
        fence(x, true, words, nwords);
    }
    for (int row = 0; row < 1 << regs->rows; row++) {
        for (int column = 0; column < 1 << regs->columns; column += fragments) {
            for (int k = 0; k < steps; k++) {
                int at = (row * steps + k) * WGMMA_WORDS_OF_A;
                if (!d->at_once) {
                    make_words(x, at, WGMMA_WORDS_OF_A, words);
                    fence(x, at == 0 && column == 0, &words[at], WGMMA_WORDS_OF_A);
                }
                multiply(x, &(WgmmaPlace){row, column, k}, words ? &words[at] : NULL);
            }
        }
    }
}

/* All of it, on its way behind that. */
static void multiply_as_one(Wgmma *x)
{
    Nv *n = x->n;
    const NvStep *s = x->step;
    Val *stage = &n->stage[s->in[MMA_B]->buffer], before = *stage;
    NvWait wait = {.kind = NV_WAIT_PRODUCTS, .who = s->who, .in_flight = x->dot->in_flight};

    if (x->given)
        nv_ring_back(n);
    nv_wgmma_begin(x, WGMMA_MOST_COLUMNS);
    if (!x->given)
        x->given = nv_held_rows(n, s, count_of_rows(x->dot));
    multiply_all(x);
    *stage = before;
    nv_asm(n, n->l->none, "wgmma.commit_group.sync.aligned;", "~{memory}", NULL, 0);
    if (x->dot->in_flight > 0)
        nv_wait(n, &wait);
    nv_ahead_now(n, s);
}

void nv_wgmma(Nv *n, const NvStep *s)
{
    const NvDot *d = s->detail;
    const NvTile *out = s->out[0];
    const Val *acc = nv_get(n, s->in[MMA_ACC]);
    int count = nv_count(out);
    Wgmma x = {.n = n, .step = s, .dot = d, .given = s == n->delayed ? n->delayed_rows : NULL};

    n->products[out->id] = s;
    if (d->in_tensor_memory) {
        nv_sum_multiply(n, s);
        return;
    }
    x.sum = NEW_N(n->arena, Val, count);
    for (int r = 0; r < count; r++)
        x.sum[r] = acc[r];
    if (d->part > 0)
        nv_multiply_in_parts(&x);
    else
        multiply_as_one(&x);
    n->regs[out->id] = x.sum;
    for (int r = 0; r < count; r++) {
        if (!nv_live(out, r))
            x.sum[r] = NULL;
        else if (d->part > 0 && out->value->type->dtype == DT_FP16) /* others do when they land */
            x.sum[r] = emit_round(&n->e, n->b, x.sum[r], DT_FP16);
    }
}
