/*
 * nv_mma.c - products by instructions for matrices: mma.sync
 *
 * A warp walks along K; each step multiplies its rows of fragments by its columns of them.  Words
 * of fragments are made when they are first asked for.  Along K nothing may count that does not
 * exist, whatever is in its place: zero times infinity is not zero, so both operands are cleared.
 */
#include "nv.h"
#include "nv_dot.h"

#include <string.h>

enum { MOST_PIECES = 3, MOST_ELEMENTS = 8 }; /* elements of a fragment of a thread: 16 x 16 / 32 */

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvDot *dot;
    const MmaInstruction *mma;
    int per_word;              /* elements */
    int words[2];              /* of a fragment of A, of B */
    const Val *in[2];          /* registers of the operands */
    Val *made[2][MOST_PIECES]; /* words, by fragment; NULL: not yet */
    Holder surplus[2];
    Val *sum; /* registers */
} Mma;

/* One fragment of an operand, or of the sum. */
typedef struct {
    int batch, row, column;
} Fragment;

/* --- elements ------------------------------------------------------------------------------ */

static Val zero_unless(Nv *n, Val condition, Val v)
{
    return condition ? LLVMBuildSelect(n->b, condition, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

/* Element e of the fragment; NULL: it is zero. */
static Val element(const Mma *x, MmaPart part, const Fragment *f, int e)
{
    const NvTile *t = x->step->in[part];
    uint32_t r = mma_register(&x->dot->regs[part], f->batch, f->row, f->column, e);
    Val v = x->in[part][r];

    if (!v || (e & (int)x->surplus[part].reg) != 0)
        return NULL;
    v = zero_unless(x->n, nv_exists(x->n, t->layout, (int)r), v);
    return zero_unless(x->n, nv_is_first(x->n, x->surplus[part].lane), v);
}

/* The nearest number of tf32, ties away from zero, as the bits of an fp32. */
static Val round_tf32(Nv *n, Val v)
{
    return nv_pure_asm(n, n->l->i32, "cvt.rna.tf32.f32 $0, $1;", "=r,f", &v, 1);
}

/* Piece number `piece` of an element, as the instruction takes it. */
static Val piece_of(const Mma *x, const Type *t, Val v, int piece)
{
    Nv *n = x->n;

    switch (x->mma->piece) {
    case PIECE_OWN:
        return x->mma->operand == 'd' ? v : nv_to_exchanged(n, t, v);
    case PIECE_FP16:
        return llvm_bits(n->l, n->b, LLVMBuildFPTrunc(n->b, v, n->l->f16, ""));
    case PIECE_BF16:
        for (; piece > 0; piece--)
            v = LLVMBuildFSub(n->b, v, emit_round(&n->e, n->b, v, DT_BF16), "");
        v = emit_round(&n->e, n->b, v, DT_BF16);
        return emit_to_memory(&n->e, n->b, v, DT_BF16);
    case PIECE_TF32:
        for (; piece > 0; piece--)
            v = LLVMBuildFSub(n->b, v, llvm_from_bits(n->l, n->b, round_tf32(n, v)), "");
        return round_tf32(n, v);
    }
    bug("no such piece");
}

static LLVMTypeRef piece_type(const Mma *x)
{
    Llvm *l = x->n->l;

    return x->mma->operand == 'd' ? l->f64
           : x->mma->bytes == 1   ? l->i8
           : x->mma->bytes == 2   ? l->i16
                                  : l->i32;
}

/* --- words --------------------------------------------------------------------------------- */

static Val make_word(const Mma *x, MmaPart part, const Fragment *f, int word, int piece)
{
    const Type *t = x->step->in[part]->value->type;
    Val elements[4], out;

    for (int i = 0; i < x->per_word; i++) {
        Val v = element(x, part, f, word * x->per_word + i);
        elements[i] = v ? piece_of(x, t, v, piece) : LLVMConstNull(piece_type(x));
    }
    if (x->per_word == 1)
        return elements[0];
    nv_pack(x->n, elements, x->per_word, x->mma->bytes, &out);
    return out;
}

static Val word_of(const Mma *x, MmaPart part, const Fragment *f, int word, int piece)
{
    const MmaRegisters *r = &x->dot->regs[part];
    int number = (f->batch << r->rows | f->row) << r->columns | f->column;
    Val *made = &x->made[part][piece][number * x->words[part] + word];

    if (!*made)
        *made = make_word(x, part, f, word, piece);
    return *made;
}

static void prepare(Mma *x)
{
    const NvDot *d = x->dot;
    const MmaShape *s = &d->tiling.shape;
    const int elements[2] = {s->m * s->k / NV_LANES, s->n * s->k / NV_LANES};

    x->per_word = MAX(4 / x->mma->bytes, 1);
    for (int part = MMA_A; part <= MMA_B; part++) {
        const MmaRegisters *r = &d->regs[part];
        x->words[part] = elements[part] / x->per_word;
        x->surplus[part] = mma_surplus((MmaPart)part, s, d->k);
        x->in[part] = nv_get(x->n, x->step->in[part]);
        for (int i = 0; i < x->mma->pieces; i++)
            x->made[part][i] =
                NEW_N(x->n->arena, Val, x->words[part] << (r->rows + r->columns + r->batches));
    }
}

/* --- instructions -------------------------------------------------------------------------- */

static void put_group(Text *t, int *next, int count)
{
    for (int i = 0; i < count; i++)
        text_printf(t, "%s$%d", i == 0 ? "{" : ", ", (*next)++);
    text_put(t, "}");
}

/* "mma.sync.aligned.NAME {sum}, {a}, {b}, {sum before};" and what its registers are. */
static const char *instruction_text(const Mma *x, int nsum, const char **constraints)
{
    Text t = text_new(x->n->arena), c = text_new(x->n->arena);
    const int counts[] = {nsum, x->words[MMA_A], x->words[MMA_B], nsum};
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
    *constraints = c.s;
    return t.s;
}

/* sum += a b, for fragment (batch, row, column) of the sum and step k. */
static void multiply(const Mma *x, const Fragment *f, int k, int a_piece, int b_piece)
{
    enum { MOST = 3 * MOST_ELEMENTS };
    const MmaRegisters *r = &x->dot->regs[MMA_ACC];
    int nsum = 1 << r->fragment, nargs = 0;
    Fragment a = {f->batch, f->row, k}, b = {f->batch, k, f->column};
    LLVMTypeRef types[MOST_ELEMENTS], one = NULL;
    Val args[MOST];
    const char *constraints, *text = instruction_text(x, nsum, &constraints);

    for (int i = 0; i < x->words[MMA_A]; i++)
        args[nargs++] = word_of(x, MMA_A, &a, i, a_piece);
    for (int i = 0; i < x->words[MMA_B]; i++)
        args[nargs++] = word_of(x, MMA_B, &b, i, b_piece);
    for (int i = 0; i < nsum; i++) {
        Val v = x->sum[mma_register(r, f->batch, f->row, f->column, i)];
        one = x->mma->sum == 'f' ? x->n->l->f32 : x->mma->sum == 'd' ? x->n->l->f64 : x->n->l->i32;
        types[i] = one;
        args[nargs++] = v ? v : LLVMGetUndef(one);
    }
    LLVMTypeRef all = LLVMStructTypeInContext(x->n->l->ctx, types, (unsigned)nsum, 0);
    Val got = nv_pure_asm(x->n, all, text, constraints, args, nargs);
    for (int i = 0; i < nsum; i++) {
        Val *v = &x->sum[mma_register(r, f->batch, f->row, f->column, i)];
        if (*v)
            *v = LLVMBuildExtractValue(x->n->b, got, (unsigned)i, "");
    }
}

/* Does anything in that fragment of the sum exist? */
static bool is_wanted(const Mma *x, const Fragment *f)
{
    const MmaRegisters *r = &x->dot->regs[MMA_ACC];

    for (int i = 0; i < 1 << r->fragment; i++) {
        if (x->sum[mma_register(r, f->batch, f->row, f->column, i)])
            return true;
    }
    return false;
}

/* Pairs of pieces, small ones first; those that are left out are below the last bits. */
static void multiply_pieces(const Mma *x, const Fragment *f, int k)
{
    int most = x->mma->pieces - 1;

    for (int order = most; order >= 0; order--) {
        for (int a = order; a >= 0; a--)
            multiply(x, f, k, a, order - a);
    }
}

static void walk(const Mma *x)
{
    const MmaRegisters *r = &x->dot->regs[MMA_ACC];
    int steps = (x->dot->k + x->dot->tiling.shape.k - 1) / x->dot->tiling.shape.k;
    Fragment f;

    for (f.batch = 0; f.batch < 1 << r->batches; f.batch++) {
        for (int k = 0; k < steps; k++) {
            for (f.row = 0; f.row < 1 << r->rows; f.row++) {
                for (f.column = 0; f.column < 1 << r->columns; f.column++) {
                    if (is_wanted(x, &f))
                        multiply_pieces(x, &f, k);
                }
            }
        }
    }
}

void nv_mma(Nv *n, const NvStep *s)
{
    const NvDot *d = s->detail;
    const NvTile *out = s->out[0];
    const Val *acc = nv_get(n, s->in[MMA_ACC]);
    Mma x = {.n = n, .step = s, .dot = d, .mma = d->mma};

    prepare(&x);
    x.sum = NEW_N(n->arena, Val, nv_count(out));
    for (int r = 0; r < nv_count(out); r++)
        x.sum[r] = nv_live(out, r) ? acc[r] : NULL;
    walk(&x);
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
