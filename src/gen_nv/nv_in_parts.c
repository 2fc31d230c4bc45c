/*
 * nv_in_parts.c - products whose sums go through the unit for a part of K alone: of fp32 by pieces
 * of bf16, as exact as multiply-adds, and of fp8
 *
 * nv_group_dot.c says why.  A part of K of some rows and columns is a sum that begins at zero,
 * small products first.  Threads wait for it and add it to the sum so far, of pieces by one
 * multiply-add that takes back what elements were multiplied by (nv_scaled).  Where something of
 * those is not finite, elements were not, or nearly so, or the sum is: then the thread multiplies
 * the part once more, by multiply-adds, of the tiles as they are in shared memory.
 */
#include "nv_wgmma.h"

#include <math.h>

enum { MOST_WORDS = 8 * WGMMA_WORDS_OF_A }; /* of A, of all steps and pieces of a part */

/* A part of the sum, and which steps along K. */
typedef struct {
    WgmmaPlace at;
    int first, steps;
    int count;                     /* registers, */
    uint32_t regs[WGMMA_MOST_SUM]; /* which those of the sum are, */
    Val sums[WGMMA_MOST_SUM];      /* and what the unit makes */
    Val words[MOST_WORDS];         /* of A, by step and piece */
} Part;

/* --- by the unit --- */

static Val *words_of(const Wgmma *x, Part *p, int k, int piece)
{
    return &p->words[(k * x->dot->mma->pieces + piece) * WGMMA_WORDS_OF_A];
}

static int count_words(const Wgmma *x, const Part *p)
{
    return x->descriptor[MMA_A] ? 0 : p->steps * x->dot->mma->pieces * WGMMA_WORDS_OF_A;
}

static void make_words(Wgmma *x, Part *p)
{
    if (count_words(x, p) > MOST_WORDS)
        bug("a part of a product has too many words");
    for (int k = 0; k < p->steps && !x->descriptor[MMA_A]; k++) {
        for (int piece = 0; piece < x->dot->mma->pieces; piece++) {
            for (int i = 0; i < WGMMA_WORDS_OF_A; i++)
                words_of(x, p, k, piece)[i] =
                    nv_operand_word(&x->rows, &(MmaFragment){0, p->at.row, p->first + k}, i, piece);
        }
    }
}

/* Behind it the unit sees words, and may have the registers of the part before, which has been
 * added. */
static void fence(Wgmma *x, Part *p, const Part *before)
{
    Val *regs[MOST_WORDS + WGMMA_MOST_SUM];
    int count = 0;

    for (int i = 0; i < count_words(x, p); i++)
        regs[count++] = &p->words[i];
    for (int i = 0; i < before->count; i++) {
        p->sums[i] = before->sums[i];
        regs[count++] = &p->sums[i];
        if (x->sum[before->regs[i]])
            regs[count++] = &x->sum[before->regs[i]];
    }
    nv_wgmma_pass(x->n, "wgmma.fence.sync.aligned;", regs, count);
}

/* Pairs of pieces, small ones first; those that are left out are below the last bits. */
static void multiply_pieces(Wgmma *x, Part *p)
{
    WgmmaPlace at = p->at;
    WgmmaSum how = p->sums[0] && x->never ? WGMMA_IN_PLACE : WGMMA_ANEW;

    for (int order = x->dot->mma->pieces - 1; order >= 0; order--) {
        for (int a = order; a >= 0; a--) {
            for (int k = 0; k < p->steps; k++) {
                at.k = p->first + k;
                nv_wgmma_issue(x, &at, order - a,
                               x->descriptor[MMA_A] ? NULL : words_of(x, p, k, a), how, p->sums);
                how = WGMMA_ADDS;
            }
        }
    }
}

static void begin_part(Wgmma *x, Part *p, const Part *before)
{
    fence(x, p, before);
    multiply_pieces(x, p);
    nv_asm(x->n, x->n->l->none, "wgmma.commit_group.sync.aligned;", "~{memory}", NULL, 0);
    nv_ahead_now(x->n, x->step);
}

/* All that the unit is at work on: its sums, and the words of rows, which nobody may write. */
static int list_registers(const Wgmma *x, Part *p, Val **out)
{
    int count = 0;

    for (int i = 0; i < p->count; i++)
        out[count++] = &p->sums[i];
    for (int i = 0; i < count_words(x, p); i++)
        out[count++] = &p->words[i];
    return count;
}

static void wait_for(Wgmma *x, Part *p, int others)
{
    Val *regs[WGMMA_MOST_SUM + MOST_WORDS];
    const char *text = arena_printf(x->n->arena, "wgmma.wait_group.sync.aligned %d;", others);

    nv_wgmma_pass(x->n, text, regs, list_registers(x, p, regs));
}

/* i1: something of it is not finite.  Of elements that are not scaled a sum is infinite where
 * multiply-adds give that, too; those that are infinite themselves make NaN of their pieces. */
static Val is_odd(Wgmma *x, const Part *p)
{
    enum { CHAINS = 8 };
    Nv *n = x->n;
    Val zero = LLVMConstReal(n->l->f32, 0), found[CHAINS];

    if (nv_scale(x->dot->mma->pieces) == 0) {
        Val odd = llvm_int(n->l->i1, 0);
        for (int i = 0; i < p->count; i += 2)
            odd = LLVMBuildOr(n->b, odd,
                              LLVMBuildFCmp(n->b, LLVMRealUNO, p->sums[i], p->sums[i + 1], ""), "");
        return odd;
    }
    for (int i = 0; i < CHAINS; i++)
        found[i] = zero;
    for (int i = 0; i < p->count; i++)
        found[i % CHAINS] = llvm_fma(n->l, n->b, p->sums[i], zero, found[i % CHAINS]);
    for (int i = 1; i < CHAINS; i++)
        found[0] = LLVMBuildFAdd(n->b, found[0], found[i], "");
    return LLVMBuildFCmp(n->b, LLVMRealUNO, found[0], zero, "");
}

/* --- by multiply-adds --- */

/* An element of a whole operand, at the row or column of register `reg` of the sum, and where K is
 * moved by `k`. */
static Val whole_element(Wgmma *x, MmaPart part, uint32_t reg, const NvMoved *k)
{
    Nv *n = x->n;
    const NvTile *t = x->step->in[DOT_WHOLE + part];
    const Layout *sum = x->dot->layout[MMA_ACC];
    uint32_t threads[LAYOUT_THREAD_BITS];
    NvPlace p = {.how = "ld.shared", .bytes = 4};
    Val word;

    nv_threads_of(sum, threads);
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        threads[i] = nv_wgmma_operand_at(x, part, threads[i], 0);
    uint32_t at = layout_at(sum, (Holder){.reg = reg});
    nv_shared_place_by(n, t, threads, nv_wgmma_operand_at(x, part, at, 0), k, &p);
    nv_read(n, &p, NULL, &word);
    return LLVMBuildBitCast(n->b, word, n->l->f32, "");
}

/* Where step `k`, an i32, of K moves an operand. */
static NvMoved moved_by(Wgmma *x, MmaPart part, Val k)
{
    const SharedLayout *memory = &x->step->in[DOT_WHOLE + part]->memory;
    NvMoved out = {0};

    for (int i = 0; i < layout_bits_of(x->dot->k); i++)
        nv_move_by_bit(x->n, memory, nv_wgmma_operand_at(x, part, 0, 1 << i), k, i, &out);
    return out;
}

/* One step of K: each row's element is read once, and each column's. */
static void add_products(Wgmma *x, const Part *p, Val k, Val *sums)
{
    Nv *n = x->n;
    NvMoved a = moved_by(x, MMA_A, k);
    NvMoved moved[] = {a, moved_by(x, MMA_B, k)};
    Val rows[2], columns[WGMMA_MOST_SUM];

    for (int i = 0; i < p->count; i += WGMMA_FRAGMENT) { /* two columns of two rows */
        for (int c = 0; c < 2; c++)
            columns[i / 2 + c] = whole_element(x, MMA_B, p->regs[i + c], &moved[MMA_B]);
    }
    for (int r = 0; r < 2; r++)
        rows[r] = whole_element(x, MMA_A, p->regs[2 * r], &moved[MMA_A]);
    for (int i = 0; i < p->count; i++)
        sums[i] =
            llvm_fma(n->l, n->b, rows[i / 2 % 2], columns[i / WGMMA_FRAGMENT * 2 + i % 2], sums[i]);
}

/* sums[] and the part; the builder is behind it. */
static void multiply_again(Wgmma *x, const Part *p, Val *sums)
{
    Nv *n = x->n;
    int32_t first = p->first * x->dot->tiling.shape.k;
    int32_t end = MIN(first + p->steps * x->dot->tiling.shape.k, x->dot->k);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), body = nv_block(n), after = nv_block(n);
    Val phis[WGMMA_MOST_SUM], start = llvm_int(n->l->i32, first);

    LLVMBuildBr(n->b, body);
    LLVMPositionBuilderAtEnd(n->b, body);
    Val k = LLVMBuildPhi(n->b, n->l->i32, "");
    LLVMAddIncoming(k, &start, &before, 1);
    for (int i = 0; i < p->count; i++) {
        phis[i] = LLVMBuildPhi(n->b, n->l->f32, "");
        LLVMAddIncoming(phis[i], &sums[i], &before, 1);
        sums[i] = phis[i];
    }
    add_products(x, p, k, sums);
    Val next = LLVMBuildAdd(n->b, k, llvm_int(n->l->i32, 1), "");
    LLVMAddIncoming(k, &next, &body, 1);
    for (int i = 0; i < p->count; i++)
        LLVMAddIncoming(phis[i], &sums[i], &body, 1);
    Val more = LLVMBuildICmp(n->b, LLVMIntULT, next, llvm_int(n->l->i32, end), "");
    LLVMBuildCondBr(n->b, more, body, after);
    LLVMPositionBuilderAtEnd(n->b, after);
}

/* --- all of them --- */

/* The sum and the part, which is all that there is of it where the sum began at zero. */
static void add_plain(Wgmma *x, Part *p)
{
    for (int i = 0; i < p->count; i++) {
        Val *v = &x->sum[p->regs[i]];
        bool begins = x->fresh && p->first == 0;
        if (*v)
            *v = begins ? p->sums[i] : LLVMBuildFAdd(x->n->b, *v, p->sums[i], "");
    }
}

/* The same of pieces, one way or the other: in the same registers. */
static void add_pieces(Wgmma *x, Part *p)
{
    Nv *n = x->n;
    LLVMBasicBlockRef first = nv_block(n), way[2] = {first, nv_block(n)}, after = nv_block(n);
    Val back = LLVMConstReal(n->l->f32, ldexp(1, -2 * nv_scale(x->dot->mma->pieces)));
    Val sums[2][WGMMA_MOST_SUM];

    for (int i = 0; i < p->count; i++) {
        Val v = x->sum[p->regs[i]];
        sums[0][i] = sums[1][i] = v ? v : LLVMConstReal(n->l->f32, 0);
    }
    LLVMBuildCondBr(n->b, is_odd(x, p), way[1], way[0]);
    LLVMPositionBuilderAtEnd(n->b, way[0]);
    for (int i = 0; i < p->count; i++)
        sums[0][i] = llvm_fma(n->l, n->b, p->sums[i], back, sums[0][i]);
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, way[1]);
    multiply_again(x, p, sums[1]);
    way[1] = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, after);
    for (int i = 0; i < p->count; i++) {
        Val v = LLVMBuildPhi(n->b, n->l->f32, "");
        LLVMAddIncoming(v, (Val[]){sums[0][i], sums[1][i]}, way, COUNT(way));
        if (x->sum[p->regs[i]])
            x->sum[p->regs[i]] = v;
    }
}

/* `others`: that have begun behind it. */
static void land_part(Wgmma *x, Part *p, int others)
{
    wait_for(x, p, others);
    if (x->dot->mma->pieces > 1)
        add_pieces(x, p);
    else
        add_plain(x, p);
}

/* --- all parts --- */

/* How many, and the registers of each. */
typedef struct {
    int rows, columns, along; /* parts in each direction, */
    int fragments, steps;     /* and what a part has of the latter two */
    int total;                /* steps */
} Parts;

static Parts parts_of(const NvDot *d)
{
    int columns = WGMMA_FRAGMENT_COLUMNS << d->regs[MMA_ACC].columns, shape = d->tiling.shape.k;
    Parts p = {.rows = 1 << d->regs[MMA_ACC].rows,
               .fragments = MIN(columns, d->part_columns) / WGMMA_FRAGMENT_COLUMNS,
               .steps = d->part / shape,
               .total = (d->k + shape - 1) / shape};

    p.columns = (1 << d->regs[MMA_ACC].columns) / p.fragments;
    p.along = (p.total + p.steps - 1) / p.steps;
    return p;
}

/* The i-th one; those of the same sums follow each other. */
static Part part_at(const NvDot *d, const Parts *all, int i)
{
    int k = i % all->along, column = i / all->along % all->columns,
        row = i / all->along / all->columns;
    Part p = {.at = {row, column * all->fragments, 0},
              .first = k * all->steps,
              .count = WGMMA_FRAGMENT * all->fragments};

    p.steps = MIN(all->steps, all->total - p.first);
    for (int r = 0; r < p.count; r++)
        p.regs[r] = mma_register(&d->regs[MMA_ACC], 0, row, p.at.column + r / WGMMA_FRAGMENT,
                                 r % WGMMA_FRAGMENT);
    return p;
}

static int count_parts(const Parts *all)
{
    return all->rows * all->columns * all->along;
}

/* Where two are under way, a part is begun before the one in front of it is added, so that the unit
 * always has one. */
void nv_multiply_in_parts(Wgmma *x)
{
    const NvDot *d = x->dot;
    int at_once = d->parts_at_once, others = at_once - 1;
    Parts all = parts_of(d);
    Part part[2] = {0};

    nv_wgmma_begin(x, d->part_columns);
    for (int i = 0; i < count_parts(&all); i++) {
        Part before = part[i % at_once], *p = &part[i % at_once];
        *p = part_at(d, &all, i);
        make_words(x, p);
        begin_part(x, p, &before);
        if (i >= others)
            land_part(x, &part[(i - others) % at_once], others);
    }
    for (int i = MAX(count_parts(&all) - others, 0); i < count_parts(&all); i++)
        land_part(x, &part[i % at_once], 0);
}
