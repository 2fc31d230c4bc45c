/*
 * nv_mma.c - products by instructions for matrices: mma.sync
 *
 * A warp walks along K; each step multiplies its rows of fragments by its columns of them.  What
 * the next step needs is read before this one multiplies, so that memory has the time.
 */
#include "nv_mma.h"

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvDot *dot;
    const MmaInstruction *mma;
    MmaOperand operand[2];
    int nsum;                       /* elements of a fragment of the sum */
    const char *text, *constraints; /* of the instruction */
    Val *sum;                       /* registers */
} Mma;

/* --- one instruction ----------------------------------------------------------------------- */

static void put_group(Text *t, int *next, int count)
{
    for (int i = 0; i < count; i++)
        text_printf(t, "%s$%d", i == 0 ? "{" : ", ", (*next)++);
    text_put(t, "}");
}

/* "mma.sync.aligned.NAME {sum}, {a}, {b}, {sum before};" and what its registers are. */
static void write_instruction(Mma *x)
{
    Text t = text_new(x->n->arena), c = text_new(x->n->arena);
    const int counts[] = {x->nsum, x->operand[MMA_A].words, x->operand[MMA_B].words, x->nsum};
    int next = 0;

    text_printf(&t, "mma.sync.aligned.%s ", x->mma->name);
    for (int i = 0; i < COUNT(counts); i++) {
        text_put(&t, i > 0 ? ", " : "");
        put_group(&t, &next, counts[i]);
        for (int k = 0; k < counts[i]; k++)
            text_printf(&c, "%s%s%c", i + k > 0 ? "," : "", i == 0 ? "=" : "",
                        i == 0 || i == 3 ? x->mma->sum : x->mma->operand);
    }
    text_put(&t, ";");
    x->text = t.s;
    x->constraints = c.s;
}

static LLVMTypeRef sum_type(const Mma *x)
{
    const Llvm *l = x->n->l;

    return x->mma->sum == 'f' ? l->f32 : x->mma->sum == 'd' ? l->f64 : l->i32;
}

/* Register of the sum with element e of a fragment. */
static Val *sum_at(const Mma *x, const MmaFragment *f, int e)
{
    return &x->sum[mma_register(&x->dot->regs[MMA_ACC], f->batch, f->row, f->column, e)];
}

/* sum += a b, for a fragment of the sum and step k. */
static void multiply(Mma *x, const MmaFragment *f, int k, int a_piece, int b_piece)
{
    enum { MOST_SUM = 4, MOST_OPERANDS = 16 };
    MmaFragment a = {f->batch, f->row, k}, b = {f->batch, k, f->column};
    LLVMTypeRef types[MOST_SUM];
    Val args[MOST_OPERANDS];
    int nargs = 0;

    for (int i = 0; i < x->operand[MMA_A].words; i++)
        args[nargs++] = nv_operand_word(&x->operand[MMA_A], &a, i, a_piece);
    for (int i = 0; i < x->operand[MMA_B].words; i++)
        args[nargs++] = nv_operand_word(&x->operand[MMA_B], &b, i, b_piece);
    for (int i = 0; i < x->nsum; i++) {
        types[i] = sum_type(x);
        Val v = *sum_at(x, f, i);
        args[nargs++] = v ? v : LLVMGetUndef(types[i]);
    }
    LLVMTypeRef all = LLVMStructTypeInContext(x->n->l->ctx, types, (unsigned)x->nsum, 0);
    Val got = nv_pure_asm(x->n, all, x->text, x->constraints, args, nargs);
    for (int i = 0; i < x->nsum; i++) {
        if (*sum_at(x, f, i))
            *sum_at(x, f, i) = LLVMBuildExtractValue(x->n->b, got, (unsigned)i, "");
    }
}

/* --- all of them --------------------------------------------------------------------------- */

/* Does anything in that fragment of the sum exist? */
static bool is_wanted(const Mma *x, const MmaFragment *f)
{
    for (int i = 0; i < x->nsum; i++) {
        if (*sum_at(x, f, i))
            return true;
    }
    return false;
}

/* Pairs of pieces, small ones first; those that are left out are below the last bits. */
static void multiply_pieces(Mma *x, const MmaFragment *f, int k)
{
    for (int order = x->mma->pieces - 1; order >= 0; order--) {
        for (int a = order; a >= 0; a--)
            multiply(x, f, k, a, order - a);
    }
}

/* Have everything of step k at hand. */
static void fetch(Mma *x, int batch, int k)
{
    const MmaRegisters *r = &x->dot->regs[MMA_ACC];

    for (int part = MMA_A; part <= MMA_B; part++) {
        int count = part == MMA_A ? 1 << r->rows : 1 << r->columns;
        for (int i = 0; i < count * x->operand[part].words; i++) {
            int at = i / x->operand[part].words;
            MmaFragment f = {batch, part == MMA_A ? at : k, part == MMA_A ? k : at};
            nv_operand_word(&x->operand[part], &f, i % x->operand[part].words, 0);
        }
    }
}

static void walk_batch(Mma *x, int batch)
{
    const MmaRegisters *r = &x->dot->regs[MMA_ACC];
    int steps = (x->dot->k + x->dot->tiling.shape.k - 1) / x->dot->tiling.shape.k;
    MmaFragment f = {.batch = batch};

    for (int k = 0; k < steps; k++) {
        fetch(x, batch, k);
        nv_ahead_now(x->n, x->step);
        if (k + 1 < steps)
            fetch(x, batch, k + 1);
        for (f.row = 0; f.row < 1 << r->rows; f.row++) {
            for (f.column = 0; f.column < 1 << r->columns; f.column++) {
                if (is_wanted(x, &f))
                    multiply_pieces(x, &f, k);
            }
        }
    }
}

static void nv_mma(Nv *n, const NvStep *s)
{
    const NvDot *d = s->detail;
    const NvTile *out = s->out[0];
    const Val *acc = nv_get(n, s->in[MMA_ACC]);
    Mma x = {.n = n, .step = s, .dot = d, .mma = d->mma};

    x.nsum = d->tiling.shape.m * d->tiling.shape.n / NV_LANES;
    for (int part = MMA_A; part <= MMA_B; part++)
        nv_operand_begin(n, s, (MmaPart)part, &x.operand[part]);
    write_instruction(&x);
    x.sum = NEW_N(n->arena, Val, nv_count(out));
    for (int r = 0; r < nv_count(out); r++)
        x.sum[r] = nv_live(out, r) ? acc[r] : NULL;
    for (int batch = 0; batch < 1 << d->regs[MMA_ACC].batches; batch++)
        walk_batch(&x, batch);
    n->regs[out->id] = x.sum;
    for (int r = 0; r < nv_count(out); r++) {
        if (x.sum[r] && out->value->type->dtype == DT_FP16)
            x.sum[r] = emit_round(&n->e, n->b, x.sum[r], DT_FP16);
    }
}

void nv_dot(Nv *n, const NvStep *s)
{
    const NvDot *d = s->detail;

    if (d->kind == DOT_MMA)
        nv_mma(n, s);
    else
        nv_fma(n, s);
}
