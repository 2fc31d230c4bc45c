/*
 * nv_fma.c - products by multiply-adds, for what no instruction for matrices is exact enough
 *
 * Both operands are laid down in shared memory with K slowest, [batch][k][m] and [batch][k][n].
 * Then all threads walk along K: each reads the elements of its rows and of its columns, neighbours
 * together, and multiplies each row's by each column's.  Sums run over k in order.
 */
#include "nv.h"
#include "nv_dot.h"

enum { UNROLL = 4, MOST_VECTOR_BITS = 2 };

/* One side of the product: rows of A or columns of B, with their batch. */
typedef struct {
    int count;       /* places that a thread needs */
    uint32_t *place; /* what registers of the sum add to the coordinate; without the rest of
                        it a multiple of `vector` */
    int *reg;        /* a register of the sum that is there */
    Val *at;         /* bytes in the buffer for k = 0, of those that begin a vector */
    Val *value;      /* of this k */
    int vector;      /* elements read at a time */
    int pitch;       /* elements from one k to the next */
    int *index;      /* by register of the sum: which place it needs; -1: it holds nothing */
} Side;

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvDot *dot;
    const Layout *acc;
    int bytes;
    Side side[2];
} Fma;

/* --- operands to shared memory --- */

static Val flat_batch(Fma *x, const Layout *l, int r)
{
    Nv *n = x->n;
    Val sum = NULL;

    for (int d = 0; d < l->rank - 2; d++) {
        Val i = nv_index(n, l, r, d);
        if (sum)
            i = LLVMBuildAdd(n->b, LLVMBuildMul(n->b, sum, llvm_int(n->l->i32, l->dims[d]), ""), i,
                             "");
        sum = i;
    }
    return sum;
}

/* The bytes from the beginning of the buffer to element (batch, k, other); either may be NULL. */
static Val offset_in_buffer(Fma *x, Val batch, Val k, Val other, int32_t extent)
{
    Nv *n = x->n;
    Val row = batch ? LLVMBuildMul(n->b, batch, llvm_int(n->l->i32, x->dot->k), "") : NULL;

    if (k)
        row = row ? LLVMBuildAdd(n->b, row, k, "") : k;
    Val at = row ? LLVMBuildMul(n->b, row, llvm_int(n->l->i32, extent), "") : NULL;
    at = at ? LLVMBuildAdd(n->b, at, other, "") : other;
    return LLVMBuildMul(n->b, at, llvm_int(n->l->i32, x->bytes), "");
}

static void lay_down(Fma *x, MmaPart part)
{
    Nv *n = x->n;
    const NvTile *t = x->step->in[part];
    const Layout *l = t->layout;
    int row = l->rank - 2, column = l->rank - 1;
    int along = part == MMA_A ? column : row, other = part == MMA_A ? row : column;
    const Val *in = nv_get(n, t);
    Inverse inverse;

    layout_invert(l, &inverse);
    Val first = nv_is_first(n, inverse.copies.lane | inverse.copies.warp << LAYOUT_LANE_BITS);
    for (int r = 0; r < nv_count(t); r++) {
        NvPlace p = {.how = "st.shared", .bytes = x->bytes};
        Val words[2], v;
        if (!nv_live(t, r))
            continue;
        Val at = offset_in_buffer(x, flat_batch(x, l, r), nv_index(n, l, r, along),
                                  nv_index(n, l, r, other), l->dims[other]);
        p.address = nv_shared_at(n, x->dot->buffer[part], at);
        p.predicate = nv_both(n, first, nv_exists(n, l, r));
        v = nv_to_exchanged(n, t->value->type, in[r]);
        nv_pack(n, &v, 1, x->bytes, words);
        nv_write(n, &p, words);
    }
}

/* --- what each thread needs --- */

/* The coordinate of a register without what this side does not depend on. */
static uint32_t side_part(const Layout *acc, MmaPart part, int r)
{
    int without = part == MMA_A ? acc->rank - 1 : acc->rank - 2;
    uint32_t all = ((1u << acc->bits[without]) - 1) << layout_shift(acc, without);

    return layout_at(acc, (Holder){.reg = (uint32_t)r}) & ~all;
}

static int find_place(Side *s, uint32_t place)
{
    for (int i = 0; i < s->count; i++) {
        if (s->place[i] == place)
            return i;
    }
    return -1;
}

static void find_places(Fma *x, MmaPart part)
{
    Side *s = &x->side[part];
    const NvTile *t = x->step->out[0];
    int count = nv_count(t), dim = x->acc->rank - (part == MMA_A ? 2 : 1);
    int8_t regs[LAYOUT_MAX_REG_BITS];

    s->place = NEW_N(x->n->arena, uint32_t, count);
    s->reg = NEW_N(x->n->arena, int, count);
    s->index = NEW_N(x->n->arena, int, count);
    s->at = NEW_N(x->n->arena, Val, count);
    s->value = NEW_N(x->n->arena, Val, count);
    s->pitch = x->acc->dims[dim];
    int bits = MIN(layout_run_bits(x->acc, dim, regs), MOST_VECTOR_BITS);
    while (bits > 0 && s->pitch % (1 << bits) != 0)
        bits--;
    s->vector = 1 << MIN(bits, 4 - layout_bits_of(x->bytes));
    for (int r = 0; r < count; r++) {
        s->index[r] = -1;
        if (!nv_live(t, r))
            continue;
        uint32_t place = side_part(x->acc, part, r);
        s->index[r] = find_place(s, place);
        if (s->index[r] >= 0)
            continue;
        s->index[r] = s->count;
        s->place[s->count] = place;
        s->reg[s->count++] = r;
    }
}

/* Is that the first element of a vector that one access reads? */
static bool begins_vector(const Fma *x, MmaPart part, int i)
{
    const Side *s = &x->side[part];
    int dim = x->acc->rank - (part == MMA_A ? 2 : 1);

    return (layout_index(x->acc, s->place[i], dim) & (s->vector - 1)) == 0;
}

static void find_addresses(Fma *x, MmaPart part)
{
    Nv *n = x->n;
    Side *s = &x->side[part];
    int dim = x->acc->rank - (part == MMA_A ? 2 : 1);

    for (int i = 0; i < s->count; i++) {
        if (!begins_vector(x, part, i))
            continue;
        Val at = offset_in_buffer(x, flat_batch(x, x->acc, s->reg[i]), NULL,
                                  nv_index(n, x->acc, s->reg[i], dim), s->pitch);
        s->at[i] = nv_shared_at(n, x->dot->buffer[part], at);
    }
}

/* --- along K --- */

/* All of a side's elements for one k, which is k0 (bytes, NULL: 0) + ahead. */
static void read_side(Fma *x, MmaPart part, Val k0, int ahead)
{
    Nv *n = x->n;
    Side *s = &x->side[part];
    const Type *t = x->step->in[part]->value->type;
    int dim = x->acc->rank - (part == MMA_A ? 2 : 1);

    for (int i = 0; i < s->count; i++) {
        Val words[NV_MOST_WORDS], elements[1 << MOST_VECTOR_BITS];
        NvPlace p = {.how = "ld.shared", .bytes = x->bytes * s->vector};
        if (!s->at[i])
            continue;
        p.address = k0 ? LLVMBuildAdd(n->b, s->at[i], k0, "") : s->at[i];
        p.offset = (int64_t)ahead * s->pitch * x->bytes;
        p.predicate = nv_exists(n, x->acc, s->reg[i]);
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, s->vector, x->bytes, elements);
        for (int k = 0; k < s->vector; k++) {
            int at = find_place(s, s->place[i] | (uint32_t)k << layout_shift(x->acc, dim));
            if (at >= 0)
                s->value[at] = nv_from_exchanged(n, t, elements[k]);
        }
    }
}

static void multiply_add_all(Fma *x, Val *sum)
{
    Nv *n = x->n;

    for (int r = 0; r < nv_count(x->step->out[0]); r++) {
        if (!sum[r])
            continue;
        Val a = x->side[MMA_A].value[x->side[MMA_A].index[r]];
        Val b = x->side[MMA_B].value[x->side[MMA_B].index[r]];
        sum[r] = llvm_fma(n->l, n->b, a, b, sum[r]);
    }
}

static void step(Fma *x, Val *sum, Val k, int ahead)
{
    Nv *n = x->n;

    for (int part = MMA_A; part <= MMA_B; part++) {
        Val bytes = llvm_int(n->l->i32, (int64_t)x->side[part].pitch * x->bytes);
        read_side(x, (MmaPart)part, k ? LLVMBuildMul(n->b, k, bytes, "") : NULL, ahead);
    }
    multiply_add_all(x, sum);
}

/* The first `whole` steps, UNROLL of them a round. */
static void loop(Fma *x, Val *sum, int32_t whole)
{
    Nv *n = x->n;
    int count = nv_count(x->step->out[0]);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), body = nv_block(n), after = nv_block(n);
    Val *phis = NEW_N(n->arena, Val, count), zero = llvm_int(n->l->i32, 0);

    LLVMBuildBr(n->b, body);
    LLVMPositionBuilderAtEnd(n->b, body);
    Val k = LLVMBuildPhi(n->b, n->l->i32, "");
    LLVMAddIncoming(k, &zero, &before, 1);
    for (int r = 0; r < count; r++) {
        if (!sum[r])
            continue;
        phis[r] = LLVMBuildPhi(n->b, LLVMTypeOf(sum[r]), "");
        LLVMAddIncoming(phis[r], &sum[r], &before, 1);
        sum[r] = phis[r];
    }
    for (int i = 0; i < UNROLL; i++)
        step(x, sum, k, i);
    Val next = LLVMBuildAdd(n->b, k, llvm_int(n->l->i32, UNROLL), "");
    LLVMAddIncoming(k, &next, &body, 1);
    for (int r = 0; r < count; r++) {
        if (sum[r])
            LLVMAddIncoming(phis[r], &sum[r], &body, 1);
    }
    Val more = LLVMBuildICmp(n->b, LLVMIntULT, next, llvm_int(n->l->i32, whole), "");
    LLVMBuildCondBr(n->b, more, body, after);
    LLVMPositionBuilderAtEnd(n->b, after);
}

void nv_fma(Nv *n, const NvStep *s)
{
    const NvTile *out = s->out[0];
    const Val *acc = nv_get(n, s->in[MMA_ACC]);
    Fma x = {.n = n, .step = s, .dot = s->detail, .acc = out->layout};
    int32_t whole = x.dot->k / UNROLL * UNROLL;

    x.bytes = nv_exchanged_bytes(s->in[MMA_A]->value->type);
    Val *sum = nv_set(n, out);
    for (int r = 0; r < nv_count(out); r++)
        sum[r] = nv_live(out, r) ? acc[r] : NULL;
    for (int part = MMA_A; part <= MMA_B; part++)
        lay_down(&x, (MmaPart)part);
    nv_wait_block(n);
    for (int part = MMA_A; part <= MMA_B; part++) {
        find_places(&x, (MmaPart)part);
        find_addresses(&x, (MmaPart)part);
    }
    if (whole > 0)
        loop(&x, sum, whole);
    for (int32_t k = whole; k < x.dot->k; k++)
        step(&x, sum, NULL, k);
}
