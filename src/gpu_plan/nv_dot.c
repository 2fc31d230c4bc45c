/*
 * nv_dot.c - matrix products: which instruction computes them, and where operands and sums lie
 *
 * The sum's layout is that of the instruction's accumulator, so in a loop it stays where it is.
 * Operands of a byte that lie across K in memory decide about it, too: two neighbours move at a
 * time then, so a thread has both (MmaTiling).
 * Warps are spread over the batch first, whose products share nothing, then so that the part of
 * each warp is as square as can be: it reads fewest rows and columns.
 */
#include "nv_dot.h"

/* --- the instruction --- */

#define PRECISION_BIT(p) (1u << (p))

/* clang-format off */
static const MmaInstruction instructions[] = {
/*    name                                  bytes piece    pieces, halves  operands */
    {"m16n8k16.row.col.f32.f16.f16.f32",     2, PIECE_OWN,  1, 1, 'r', 'f', DT_FP16, DT_FP16, 0,
        "f32.f16.f16"},
    {"m16n8k16.row.col.f32.bf16.bf16.f32",   2, PIECE_OWN,  1, 1, 'r', 'f', DT_BF16, DT_BF16, 0,
        "f32.bf16.bf16"},
    {"m16n8k32.row.col.s32.s8.s8.s32",       1, PIECE_OWN,  1, 1, 'r', 'r', DT_I8,   DT_I8,   0,
        "s32.s8.s8"},
    {"m8n8k4.row.col.f64.f64.f64.f64",       8, PIECE_OWN,  1, 1, 'd', 'd', DT_FP64, DT_FP64, 0, NULL},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",    4, PIECE_TF32, 1, 1, 'r', 'f', DT_FP32, DT_FP32,
        PRECISION_BIT(PRECISION_TF32), "f32.tf32.tf32"},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",    4, PIECE_TF32, 2, 1, 'r', 'f', DT_FP32, DT_FP32,
        PRECISION_BIT(PRECISION_TF32X3), NULL},
    {"m16n8k16.row.col.f32.bf16.bf16.f32",   2, PIECE_BF16, 2, 1, 'r', 'f', DT_FP32, DT_FP32,
        PRECISION_BIT(PRECISION_BF16X3), NULL},
    {"m16n8k16.row.col.f32.bf16.bf16.f32",   2, PIECE_BF16, 3, 1, 'r', 'f', DT_FP32, DT_FP32,
        PRECISION_BIT(PRECISION_BF16X6), NULL},
};
static const MmaInstruction of_fp8[] = {
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32",   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E4NV, DT_FP8E4NV, 0, NULL},
    {"m16n8k32.row.col.f32.e4m3.e5m2.f32",   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E4NV, DT_FP8E5, 0, NULL},
    {"m16n8k32.row.col.f32.e5m2.e4m3.f32",   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E5,   DT_FP8E4NV, 0, NULL},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32",   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E5,   DT_FP8E5, 0, NULL},
};
/* Every fp8 format is exact in fp16. */
static const MmaInstruction fp8_as_fp16 =
    {"m16n8k16.row.col.f32.f16.f16.f32",     1, PIECE_FP16, 1, 2, 'r', 'f', 0, 0, 0, NULL};
/* By groups of warps, which have a sum for each part of K (nv_group_dot.c): of fp32 as exact as
 * multiply-adds one after the other where the pieces are all of an element. */
static const MmaInstruction in_parts[] = {
    {NULL,                                   2, PIECE_BF16, 3, 1, 'r', 'f', DT_FP32, DT_FP32,
        PRECISION_BIT(PRECISION_IEEE) | PRECISION_BIT(PRECISION_TF32X3) | PRECISION_BIT(PRECISION_BF16X6),
        "f32.bf16.bf16"},
    {NULL,                                   2, PIECE_BF16, 2, 1, 'r', 'f', DT_FP32, DT_FP32,
        PRECISION_BIT(PRECISION_BF16X3), "f32.bf16.bf16"},
    {NULL,                                   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E4NV, DT_FP8E4NV, 0, "f32.e4m3.e4m3"},
    {NULL,                                   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E4NV, DT_FP8E5,   0, "f32.e4m3.e5m2"},
    {NULL,                                   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E5,   DT_FP8E4NV, 0, "f32.e5m2.e4m3"},
    {NULL,                                   1, PIECE_OWN,  1, 1, 'r', 'f', DT_FP8E5,   DT_FP8E5,   0, "f32.e5m2.e5m2"},
};
/* clang-format on */

static const MmaInstruction *instruction_in(const MmaInstruction *rows, int n, DType a, DType b,
                                            unsigned precision)
{
    for (int i = 0; i < n; i++) {
        const MmaInstruction *x = &rows[i];
        if (x->a == a && x->b == b && (x->precisions == 0 || (x->precisions & precision) != 0))
            return x;
    }
    return NULL;
}

/* NULL: none is that exact. */
static const MmaInstruction *instruction_for(const NvPlan *p, const Op *op)
{
    DType a = op->operands[MMA_A]->type->dtype, b = op->operands[MMA_B]->type->dtype;
    unsigned wanted = PRECISION_BIT(attr_precision(op));
    const MmaInstruction *own = NULL;

    if (!chip_has(p->chip, CHIP_MMA))
        return NULL;
    if (!dtype_is_fp8(a))
        return instruction_in(instructions, COUNT(instructions), a, b, wanted);
    if (chip_has(p->chip, CHIP_FP8_DOT))
        own = instruction_in(of_fp8, COUNT(of_fp8), a, b, wanted);
    return own ? own : &fp8_as_fp16;
}

/* The same of a product in parts, whose operands may go the other way round. */
static const MmaInstruction *parts_for(const Op *op, const NvDot *d)
{
    const MmaShape shape = mma_shape(1);
    DType a = op->operands[nv_dot_operand(d, MMA_A)]->type->dtype;
    DType b = op->operands[nv_dot_operand(d, MMA_B)]->type->dtype;

    if (attr_imprecise(op) > 0 && attr_imprecise(op) < shape.k)
        return NULL;
    return instruction_in(in_parts, COUNT(in_parts), a, b, PRECISION_BIT(attr_precision(op)));
}

/* --- layouts --- */

/* Values that are reached from one another element by element, in tiles of one shape. */
typedef struct {
    NvPlan *plan;
    const Type *shape;
    bool *seen; /* by value id */
    VEC(const Value *) todo;
} Reach;

static void reach(Reach *r, const Value *v)
{
    if (r->seen[v->id] || !type_same_shape(v->type, r->shape))
        return;
    r->seen[v->id] = true;
    vec_push(r->plan->arena, &r->todo, v);
}

static Reach reach_from(NvPlan *p, const Value *v)
{
    Reach r = {p, v->type, NEW_N(p->arena, bool, p->func->nvalues), {0}};

    reach(&r, v);
    return r;
}

/* Is that the left operand of another product? */
static bool becomes_left(NvPlan *p, const Value *result)
{
    Reach r = reach_from(p, result);

    for (int i = 0; i < r.todo.len; i++) {
        const Use *u = uses_of(&p->uses, r.todo.at[i]);
        for (int k = 0; k < uses_count(&p->uses, r.todo.at[i]); k++) {
            if (u[k].op->code == OP_dot && u[k].operand == MMA_A)
                return true;
            if (op_is_elementwise(u[k].op))
                reach(&r, u[k].op->results[0]);
        }
    }
    return false;
}

/* Has its left operand come from another product? */
static bool comes_from_product(NvPlan *p, const Op *dot)
{
    Reach r = reach_from(p, dot->operands[MMA_A]);

    for (int i = 0; i < r.todo.len; i++) {
        const Op *op = r.todo.at[i]->def;
        if (op && op->code == OP_dot)
            return true;
        for (int k = 0; op && op_is_elementwise(op) && k < op->noperands; k++)
            reach(&r, op->operands[k]);
    }
    return false;
}

bool nv_is_chained(NvPlan *p, const Op *dot)
{
    return becomes_left(p, dot->results[0]) || comes_from_product(p, dot);
}

bool nv_lies_across(NvPlan *p, const Op *op, MmaPart part)
{
    enum { PAIRED_BITS = 4 }; /* a pair of each of eight groups of lanes */
    const Value *v = nv_late_source(p, op, part, NULL);
    const Layout *home = nv_home(p, v);
    int row = v->type->rank - 2, column = v->type->rank - 1;
    int along = part == MMA_A ? column : row, other = part == MMA_A ? row : column;
    int8_t regs[LAYOUT_MAX_REG_BITS];

    return home && type_size(v->type) == 1 && home->bits[other] >= PAIRED_BITS &&
           layout_run_bits(home, other, regs) > layout_run_bits(home, along, regs);
}

/* Bits of the warp's number along the batch, M and N.  Of products of which one is the other's left
 * operand each warp has whole rows: what it has computed it needs itself, in the same registers. */
static MmaTiling spread_warps(NvPlan *p, const Op *op, MmaShape shape)
{
    const Type *acc = op->results[0]->type;
    bool whole_rows = nv_is_chained(p, op);
    MmaTiling t = {.shape = shape};
    int rank = acc->rank, batch = 0, left = nv_warp_bits(p);
    int rows = MAX(layout_bits_of(acc->dims[rank - 2]) - layout_bits_of(shape.m), 0);
    int columns = MAX(layout_bits_of(acc->dims[rank - 1]) - layout_bits_of(shape.n), 0);

    if ((t.column_pairs = nv_lies_across(p, op, MMA_B)))
        columns--;
    t.row_pairs = nv_lies_across(p, op, MMA_A);
    for (int d = 0; d < rank - 2; d++)
        batch += layout_bits_of(acc->dims[d]);
    t.batch_warps = MIN(batch, left);
    for (left -= t.batch_warps; left > 0; left--) {
        int64_t m = (int64_t)shape.m << rows, n = (int64_t)shape.n << (columns + t.column_pairs);
        if (columns > 0 && ((n > m && !whole_rows) || rows == 0)) {
            t.n_warps++;
            columns--;
        } else {
            t.m_warps++;
            rows = MAX(rows - 1, 0);
        }
    }
    return t;
}

const Layout *nv_mma_layout(NvPlan *p, NvDot *d, MmaPart part, const Type *t)
{
    const int32_t turned[] = {t->dims[1], t->dims[0]};
    Layout l;

    if (layout_mma(&l, part, &d->tiling, t->rank, d->turned ? turned : t->dims, &d->regs[part])) {
        if (d->turned)
            layout_permute(&l, (const int[]){1, 0}, &l);
        return nv_layout(p, &l);
    }
    return nv_default_layout(p, t); /* which says that it is too large */
}

static const Layout *multiply_add_operand(NvPlan *p, const Op *op, const NvDot *d, MmaPart part)
{
    Layout l;

    if (layout_multiply_add_operand(d->layout[MMA_ACC], part, d->k, &l))
        return nv_layout(p, &l);
    nv_refuse(p, op, "of so large an operand");
    return NULL;
}

/* How the op is computed.  NULL: the tile is too large, which was said. */
static const NvDot *plan_dot(NvPlan *p, const Op *op)
{
    const Type *a = op->operands[MMA_A]->type, *acc = op->results[0]->type;
    NvDot *d = NEW(p->arena, NvDot);
    Layout l;

    *d = (NvDot){.kind = DOT_MMA};
    d->mma = parts_for(op, d);
    d->m = acc->dims[acc->rank - 2];
    d->n = acc->dims[acc->rank - 1];
    d->k = a->dims[a->rank - 1];
    if (d->mma && nv_plan_group_dot(p, op, d)) {
        d->mma = parts_for(op, d);
        return p->refused ? NULL : d;
    }
    d->mma = instruction_for(p, op);
    if (!d->mma) {
        d->kind = DOT_FMA;
        d->layout[MMA_ACC] = layout_multiply_add(&l, acc->rank, acc->dims, nv_block_threads(p))
                                 ? nv_layout(p, &l)
                                 : nv_default_layout(p, acc);
        for (int i = MMA_A; !p->refused && i <= MMA_B; i++)
            d->layout[i] = multiply_add_operand(p, op, d, (MmaPart)i);
        return p->refused ? NULL : d;
    }
    if (!d->no_groups && nv_plan_group_dot(p, op, d))
        return p->refused ? NULL : d;
    d->tiling = spread_warps(p, op, mma_shape(d->mma->bytes));
    for (int i = MMA_A; i <= MMA_ACC; i++)
        d->layout[i] = nv_mma_layout(p, d, (MmaPart)i, op->operands[i]->type);
    return p->refused ? NULL : d;
}

void nv_choose_dot(NvPlan *p, const Op *op)
{
    const NvDot *d = plan_dot(p, op);

    if (d)
        nv_set_home(p, op->results[0], d->layout[MMA_ACC], NV_DOT_RESULT);
}

/* --- operands --- */

SharedAccess nv_writer_of(const Layout *l, int bytes, const SharedAccess *reader)
{
    int most = layout_bits_of(NV_ACCESS_BYTES / bytes), n = 0;
    uint32_t vector[MAX_VECTOR_BITS];
    SharedAccess out;

    for (; n < MIN(most, l->nreg); n++) {
        vector[n] = l->reg[n];
        if ((n < reader->nvector && reader->vector[n] != vector[n]) ||
            !shared_access(l, n + 1, vector, &out))
            break;
    }
    shared_access(l, n, vector, &out);
    return out;
}

/* Elements of a fragment's word that lie side by side along what the writer's vectors go along. */
static void read_by_vectors(NvOperand *o, const Layout *l, const Layout *from, int bytes,
                            SharedAccess *reader)
{
    SharedAccess writer = nv_writer_of(from, bytes, &(SharedAccess){0});
    int n = 0;

    while (n < MIN(l->nreg, writer.nvector) && l->reg[n] == writer.vector[n])
        n++;
    o->way = OPERAND_VECTORS;
    shared_access(l, n, writer.vector, reader);
}

/* Rows of a product of groups as tensor copies would lay them down, which is as good for ldmatrix.
 * False: they do not do so. */
static bool lay_as_boxes(const NvDot *d, const NvOperand *o, const Layout *from, int bytes,
                         SharedLayout *out)
{
    int8_t regs[LAYOUT_MAX_REG_BITS];
    WgmmaTile t = {.bytes = bytes};
    WgmmaOperand unused;

    if (d->kind != DOT_WGMMA || d->mma->pieces > 1 || o->way != OPERAND_MATRICES || from->rank != 2)
        return false;
    t.along = layout_run_bits(from, 0, regs) > layout_run_bits(from, 1, regs) ? 0 : 1;
    t.k = t.along;
    return nv_writer_of(from, bytes, &o->matrix.access).nvector > 0 &&
           shared_wgmma(from, &t, out, &unused);
}

/* An operand that lies in `from` and must cross threads: which layout it has in shared memory, and
 * how it is read from there.  ldmatrix takes rows of 16 bytes, so those should be what is written
 * in one piece.  Across the rows it reads elements of 2 bytes alone, and pairs of 1 byte; others
 * come by usual loads then, for vectors let copies run ahead.  The writer goes first: its lanes
 * then fill whole lines of shared memory, and only of such are asynchronous copies joined to
 * requests of whole lines of global memory. */
static SharedLayout plan_reads(NvDot *d, MmaPart part, const Layout *from, int bytes)
{
    const Layout *l = d->layout[part];
    NvOperand *o = &d->operand[part];
    MatrixAccess best = {0};
    SharedAccess reader, writer;
    SharedLayout memory;
    int most = -1, vectors = nv_writer_of(from, bytes, &(SharedAccess){0}).nvector;

    for (int trans = 0; trans < 2; trans++) {
        MatrixAccess m;
        bool paired = trans && bytes == 1 && d->mma->bytes == 2;
        if ((bytes != d->mma->bytes && !paired) || !shared_ldmatrix(l, bytes, trans, &m))
            continue;
        int written = nv_writer_of(from, bytes, &m.access).nvector;
        if (written <= most || (written == 0 && vectors > 0 && bytes != 2))
            continue;
        most = written;
        best = m;
        o->way = OPERAND_MATRICES;
        o->trans = trans;
        o->matrix = m;
    }
    if (o->way == OPERAND_MATRICES)
        reader = best.access;
    else
        read_by_vectors(o, l, from, bytes, &reader);
    writer = nv_writer_of(from, bytes, &reader);
    o->boxes = lay_as_boxes(d, o, from, bytes, &memory);
    if (!o->boxes)
        shared_choose(l, bytes, (SharedAccess[]){writer, reader}, 2, &memory);
    if (o->way == OPERAND_VECTORS)
        o->nvector = MIN(reader.nvector, nv_shared_vector(l, &memory, o->vector));
    return memory;
}

bool nv_goes_through_memory(NvPlan *p, const NvDot *d, MmaPart part, const Value *v)
{
    const Layout *home = nv_home(p, v);

    if (!home || 1 << layout_bits_of(d->k) < d->tiling.shape.k)
        return false;
    return layout_convert(home, d->layout[part], type_size(v->type), p->chip->shared, p->arena)
               ->kind == CONVERT_SHARED;
}

void nv_want_fragments(NvPlan *p, NvStep *s, NvDot *d, MmaPart part)
{
    NvOperand *o = &d->operand[part];
    MmaPart operand = nv_dot_operand(d, part);
    const Value *v = nv_late_source(p, s->op, operand, o);

    if (!nv_goes_through_memory(p, d, part, v)) {
        o->nlate = 0;
        s->in[part] = nv_tile(p, s->op->operands[operand], d->layout[part]);
        return;
    }
    SharedLayout memory = plan_reads(d, part, nv_home(p, v), type_size(v->type));
    NvTile *t = nv_shared_tile(p, v, &memory);
    s->in[part] = t;
    if (o->boxes)
        p->buffers.at[t->buffer].align = WGMMA_ALIGN;
    nv_use(p, s, t->buffer, false, false);
    nv_late_want(p, s, o, d->layout[part]);
}

/* --- steps --- */

bool nv_is_far_along(const NvDot *d, int bit)
{
    return bit >= NV_ROUND_BITS && bit < layout_bits_of(d->k);
}

/* Can a vector that is read have the neighbour at this coordinate? */
static bool is_near(const NvDot *d, const Layout *l, uint32_t neighbour)
{
    for (int bit = 0; bit < l->nreg; bit++) {
        if (l->reg[bit] == neighbour)
            return !nv_is_far_along(d, bit);
    }
    return true;
}

/* Operands of multiply-adds go to shared memory from wherever they are, and are read by the vectors
 * that they are written by, whether these go along K, as far as a round does, or across it. */
static void want_multiply_add(NvPlan *p, NvStep *s, NvDot *d, MmaPart part)
{
    const Value *v = s->op->operands[part];
    const Layout *from = nv_need_home(p, v), *l = d->layout[part];
    NvOperand *o = &d->operand[part];
    int bytes = type_size(v->type), n = 0;
    SharedAccess reader, writer = nv_writer_of(from, bytes, &(SharedAccess){0});
    SharedLayout memory;

    while (n < writer.nvector && is_near(d, l, writer.vector[n]) &&
           shared_access(l, n + 1, writer.vector, &reader))
        n++;
    shared_access(l, n, writer.vector, &reader);
    shared_choose(l, bytes, (SharedAccess[]){writer, reader}, 2, &memory);
    o->way = OPERAND_VECTORS;
    o->nvector = MIN(n, nv_shared_vector(l, &memory, o->vector));
    s->in[part] = nv_shared_tile(p, v, &memory);
    nv_use(p, s, s->in[part]->buffer, false, false);
}

void nv_list_dot(NvPlan *p, const Op *op)
{
    NvTile *t = nv_result(p, op, 0);
    NvDot *d = t ? (NvDot *)plan_dot(p, op) : NULL;

    if (!d)
        return;
    NvStep *s = nv_step(p, NV_DOT, op);
    s->out[0] = t;
    s->detail = d;
    if (d->kind == DOT_WGMMA)
        nv_want_group_operands(p, s, d);
    for (int i = MMA_A; d->kind != DOT_WGMMA && i <= MMA_B; i++) {
        if (d->kind == DOT_FMA)
            want_multiply_add(p, s, d, (MmaPart)i);
        else
            nv_want_fragments(p, s, d, (MmaPart)i);
    }
    nv_want(p, s, MMA_ACC, d->layout[MMA_ACC]);
    nv_list(p, s);
}
