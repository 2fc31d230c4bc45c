/*
 * nv_mma.c - products by instructions for matrices: mma.sync
 *
 * A warp walks along K; each step multiplies its rows of fragments by its columns of them.  What
 * the next step needs is read among the multiplications of this one, in the order in which it will
 * be needed: memory has the time then, and the unit for matrices does not wait.  The last step does
 * so for the loop's next round where that is planned (NvAhead.early).
 */
#include "nv_mma.h"

#include <string.h>

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvDot *dot;
    const MmaInstruction *mma;
    MmaOperand operand[2];
    /* Fragments of the inner operand are all kept for a step, those of the outer one come in turn.
     */
    MmaPart outer;
    int across[2], reads[2]; /* fragments across K; words of each that are read from memory */
    int nsum;                /* elements of a fragment of the sum */
    const char *text, *constraints; /* of the instruction */
    Val *sum;                       /* registers */
} Mma;

/* --- one instruction --- */

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
    const int counts[] = {x->nsum, x->operand[MMA_A].words / x->mma->halves,
                          x->operand[MMA_B].words / x->mma->halves, x->nsum};
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

/* Word i of an operand of an instruction, among those of the fragment.  Where two instructions
 * share it, they go along K: the first one takes the words that come first, and of each of them
 * what makes two (MmaInstruction.halves), of which the upper ones are its other half along K. */
static int operand_word(const Mma *x, MmaPart part, int half, int i)
{
    int rows = x->operand[part].words / 4;

    if (x->mma->halves == 1)
        return i;
    return half * 2 * rows + i % rows * 2 + i / rows;
}

/* A fragment of the sum, and what it is the next sum of. */
typedef struct {
    MmaFragment at;
    int k, half; /* half: of a step, MmaInstruction.halves */
} Term;

/* sum += a b */
static void multiply_fragments(Mma *x, const Term *t, int a_piece, int b_piece)
{
    enum { MOST_SUM = 4, MOST_OPERANDS = 16 };
    const MmaFragment *f = &t->at;
    MmaFragment a = {f->batch, f->row, t->k}, b = {f->batch, t->k, f->column};
    LLVMTypeRef types[MOST_SUM];
    Val args[MOST_OPERANDS];
    int nargs = 0;

    for (int i = 0; i < x->operand[MMA_A].words / x->mma->halves; i++)
        args[nargs++] =
            nv_operand_word(&x->operand[MMA_A], &a, operand_word(x, MMA_A, t->half, i), a_piece);
    for (int i = 0; i < x->operand[MMA_B].words / x->mma->halves; i++)
        args[nargs++] =
            nv_operand_word(&x->operand[MMA_B], &b, operand_word(x, MMA_B, t->half, i), b_piece);
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

/* --- all of them --- */

/* Does anything in that fragment of the sum exist? */
static bool sum_exists(const Mma *x, const MmaFragment *f)
{
    for (int i = 0; i < x->nsum; i++) {
        if (*sum_at(x, f, i))
            return true;
    }
    return false;
}

/* Pairs of pieces, small ones first; those that are left out are below the last bits. */
static void multiply_pieces(Mma *x, const Term *t)
{
    for (int order = x->mma->pieces - 1; order >= 0; order--) {
        for (int a = order; a >= 0; a--)
            multiply_fragments(x, t, a, order - a);
    }
}

/* A step along K, and who holds its operands. */
typedef struct {
    MmaOperand *operand; /* two; NULL: there is no such step */
    int batch, k;
    int words, fetched; /* of both operands; how many of them have been read */
} KStep;

static KStep k_step(const Mma *x, MmaOperand *operand, int batch, int k)
{
    int words = x->reads[MMA_A] * x->across[MMA_A] + x->reads[MMA_B] * x->across[MMA_B];

    return (KStep){.operand = operand, .batch = batch, .k = k, .words = words};
}

/* The word with that number in the order in which a step needs them: the first fragment of the
 * outer operand, all of the inner one, the other outer ones. */
static void read_word(const Mma *x, KStep *s, int number)
{
    MmaPart outer = x->outer, inner = outer == MMA_A ? MMA_B : MMA_A;
    int first = x->reads[outer], kept = x->reads[inner] * x->across[inner];
    bool is_inner = number >= first && number < first + kept;
    MmaPart part = is_inner ? inner : outer;
    int i = is_inner ? number - first : number < first ? number : number - kept;
    int across = i / x->reads[part], word = i % x->reads[part];
    MmaFragment a = {s->batch, across, s->k}, b = {s->batch, s->k, across};

    nv_operand_read(&s->operand[part], part == MMA_A ? &a : &b, word);
}

/* Have the first `count` words of a step at hand. */
static void fetch(const Mma *x, KStep *s, int count)
{
    for (; s->fetched < MIN(count, s->words); s->fetched++)
        read_word(x, s, s->fetched);
}

/* Which fragment of the sum comes i-th.  Every other turn goes backward, so that the fragment at
 * its end is used twice. */
static MmaFragment fragment_at(const Mma *x, int batch, int i)
{
    int inner = x->across[x->outer == MMA_A ? MMA_B : MMA_A];
    int turn = i / inner % x->across[x->outer], at = i % inner;

    at = turn & 1 ? inner - 1 - at : at;
    return x->outer == MMA_A ? (MmaFragment){batch, turn, at} : (MmaFragment){batch, at, turn};
}

/* Multiply a step, and meanwhile fetch the next one: all of it when this one is done.  Copies are
 * asked for when half is done. */
static void multiply_step(Mma *x, const KStep *now, KStep *next)
{
    int fragments = x->across[MMA_A] * x->across[MMA_B], count = fragments * x->mma->halves;

    for (int done = 0; done < count;) {
        Term t = {fragment_at(x, now->batch, done), now->k, done / fragments};
        if (sum_exists(x, &t.at))
            multiply_pieces(x, &t);
        done++;
        fetch(x, next, next->words * done / count);
        if (2 * done >= count)
            nv_ahead_now(x->n, x->step);
    }
}

static void begin_operands(Nv *n, const NvStep *s, MmaOperand out[2])
{
    for (int part = MMA_A; part <= MMA_B; part++)
        nv_operand_begin(n, s, (MmaPart)part, &out[part]);
}

static void leave_reads(const MmaOperand operand[2], NvReads *out)
{
    for (int part = MMA_A; part <= MMA_B; part++) {
        out->words[part] = operand[part].read;
        out->count[part] = operand[part].nread;
    }
}

static void take_reads(MmaOperand operand[2], const NvReads *in)
{
    for (int part = MMA_A; part <= MMA_B; part++)
        memcpy(operand[part].read, in->words[part], (size_t)in->count[part] * sizeof(Val));
}

/* The operand of which less has to be kept is the inner one. */
static void choose_order(Mma *x)
{
    x->across[MMA_A] = 1 << x->dot->regs[MMA_ACC].rows;
    x->across[MMA_B] = 1 << x->dot->regs[MMA_ACC].columns;
    for (int i = MMA_A; i <= MMA_B; i++)
        x->reads[i] = x->dot->operand[i].way == OPERAND_REGISTERS ? 0 : x->operand[i].words;
    x->outer =
        x->reads[MMA_A] * x->across[MMA_A] < x->reads[MMA_B] * x->across[MMA_B] ? MMA_B : MMA_A;
}

void nv_mma_read_first(Nv *n, const NvStep *product, NvReads *out)
{
    const NvDot *d = product->detail;
    Mma x = {.n = n, .step = product, .dot = d, .mma = d->mma};

    begin_operands(n, product, x.operand);
    choose_order(&x);
    KStep first = k_step(&x, x.operand, 0, 0);
    fetch(&x, &first, first.words);
    leave_reads(x.operand, out);
}

/* All steps along K, of all of the batch. */
static void walk_steps(Mma *x)
{
    int along = (x->dot->k + x->dot->tiling.shape.k - 1) / x->dot->tiling.shape.k;
    int steps = along << x->dot->regs[MMA_ACC].batches;
    const NvReads *early = nv_ahead_early(x->n, x->step);
    MmaOperand coming[2];
    NvReads *turned = NULL;
    KStep now = k_step(x, x->operand, 0, 0), next;

    if (early)
        take_reads(x->operand, early);
    fetch(x, &now, now.words);
    for (int i = 0; i < steps; i++, now = next) {
        next = (KStep){0};
        if (i + 1 < steps) {
            next = k_step(x, x->operand, (i + 1) / along, (i + 1) % along);
        } else if (early) {
            turned = nv_ahead_turn(x->n);
            begin_operands(x->n, x->step, coming);
            next = k_step(x, coming, 0, 0);
        }
        multiply_step(x, &now, &next);
    }
    if (turned)
        leave_reads(coming, turned);
}

static void nv_mma(Nv *n, const NvStep *s)
{
    const NvDot *d = s->detail;
    const NvTile *out = s->out[0];
    const Val *acc = nv_get(n, s->in[MMA_ACC]);
    Mma x = {.n = n, .step = s, .dot = d, .mma = d->mma};

    x.nsum = d->tiling.shape.m * d->tiling.shape.n / NV_LANES;
    begin_operands(n, s, x.operand);
    choose_order(&x);
    write_instruction(&x);
    x.sum = NEW_N(n->arena, Val, nv_count(out));
    for (int r = 0; r < nv_count(out); r++)
        x.sum[r] = nv_live(out, r) ? acc[r] : NULL;
    walk_steps(&x);
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
    else if (d->kind == DOT_WGMMA)
        nv_wgmma(n, s);
    else
        nv_fma(n, s);
}
