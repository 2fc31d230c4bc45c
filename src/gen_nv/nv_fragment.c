/*
 * nv_fragment.c - operands of mma.sync: words of fragments from registers or shared memory
 *
 * In shared memory rows of 16 bytes are what ldmatrix gives to the eight groups of four lanes, up
 * to four matrices at a time; where it does not fit the element's size or the way it lies, usual
 * loads read the same registers.  Elements of a byte that come in pairs (MatrixAccess) are sorted
 * into words behind it.  Words are made when they are first asked for, and what comes behind shared
 * memory (nv_late.c) is done then: casts of two bytes at a time where there is a short way
 * (nv_cast.c).
 *
 * Along K nothing may count that does not exist, whatever is in its place: zero times infinity is
 * not zero, so both operands are cleared.  In shared memory that is so already.
 */
#include "nv_mma.h"

/* --- reading --- */

/* Registers of the layout that come with one of the same number without these bits. */
static uint32_t read_together(const MatrixAccess *m)
{
    uint32_t bits = (1u << m->word_bits) - 1;

    for (int i = 0; i < m->matrix_bits; i++)
        bits |= 1u << m->matrix[i];
    return m->pair < 0 ? bits : bits | 1u << m->pair;
}

/* The words of two matrices have bytes 0 1 of a pair each, for four steps along K together. */
static void sort_pairs(MmaOperand *o, const Val *words, uint32_t first)
{
    static const int even_odd[] = {0x6420, 0x7531};
    Nv *n = o->n;

    for (int i = 0; i < COUNT(even_odd); i++) {
        Val args[] = {words[0], words[1], llvm_int(n->l->i32, even_odd[i])};
        uint32_t reg = first | (uint32_t)i << o->dot->operand[o->part].matrix.pair;
        o->read[reg >> 2] = llvm_call(n->l, n->b, "llvm.nvvm.prmt", 0, NULL, COUNT(args), args);
    }
}

/* The matrix words of register `first` of the layout and of those that are read with it. */
static void read_matrices(MmaOperand *o, uint32_t first)
{
    static const char *const counts[] = {"x1", "x2", "x4"};
    const NvOperand *how = &o->dot->operand[o->part];
    const MatrixAccess *m = &how->matrix;
    const Layout *l = o->dot->layout[o->part];
    Nv *n = o->n;
    int count = 1 << m->matrix_bits;
    uint32_t threads[LAYOUT_THREAD_BITS];
    Text t = text_new(n->arena), c = text_new(n->arena);
    LLVMTypeRef types[4] = {NULL};
    Val words[4];
    NvPlace p = {0};

    nv_threads_of(l, threads);
    for (int i = 0; i < NV_LANE_BITS; i++)
        threads[i] = m->access.lane[i];
    nv_shared_place(n, o->tile, threads, layout_at(l, (Holder){.reg = first}), &p);
    text_printf(&t, "ldmatrix.sync.aligned.m8n8.%s%s.shared.b16 {", counts[m->matrix_bits],
                how->trans ? ".trans" : "");
    for (int i = 0; i < count; i++) {
        text_printf(&t, "%s$%d", i > 0 ? ", " : "", i);
        text_put(&c, "=r,");
        types[i] = n->l->i32;
    }
    text_printf(&t, "}, [$%d+%lld];", count, (long long)p.offset);
    text_put(&c, "r,~{memory}");
    LLVMTypeRef type =
        count == 1 ? types[0] : LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
    Val got = nv_asm(n, type, t.s, c.s, &p.address, 1);
    for (int i = 0; i < count; i++) {
        uint32_t reg = first;
        words[i] = count == 1 ? got : LLVMBuildExtractValue(n->b, got, (unsigned)i, "");
        for (int k = 0; k < m->matrix_bits; k++)
            reg |= (uint32_t)(i >> k & 1) << m->matrix[k];
        o->read[reg >> m->word_bits] = words[i];
        if (m->pair >= 0 && m->word_bits == 1)
            o->read[(reg | 1u << m->pair) >> m->word_bits] = words[i];
        else if (m->pair >= 0 && (i & 1))
            sort_pairs(o, words + i - 1, reg);
    }
}

static Val matrix_word(MmaOperand *o, uint32_t reg)
{
    const MatrixAccess *m = &o->dot->operand[o->part].matrix;

    if (!o->read[reg >> m->word_bits])
        read_matrices(o, reg & ~read_together(m));
    return o->read[reg >> m->word_bits];
}

/* Element `reg` of the layout and those that lie beside it. */
static void read_vector(MmaOperand *o, uint32_t reg)
{
    const NvOperand *how = &o->dot->operand[o->part];
    const Layout *l = o->dot->layout[o->part];
    int count = 1 << how->nvector, bytes = o->tile->memory.bytes;
    Val words[NV_MOST_WORDS], elements[NV_ACCESS_BYTES];
    uint32_t threads[LAYOUT_THREAD_BITS];
    NvPlace p = {.how = "ld.shared", .bytes = bytes * count};

    reg &= ~(uint32_t)nv_vector_register(how->vector, 0, count - 1);
    nv_threads_of(l, threads);
    nv_shared_place(o->n, o->tile, threads, layout_at(l, (Holder){.reg = reg}), &p);
    nv_read(o->n, &p, NULL, words);
    nv_unpack(o->n, words, count, bytes, elements);
    for (int i = 0; i < count; i++)
        o->read[nv_vector_register(how->vector, (int)reg, i)] = elements[i];
}

/* --- elements --- */

static Val zero_unless(Nv *n, Val condition, Val v)
{
    return condition ? LLVMBuildSelect(n->b, condition, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

/* What ops behind shared memory, from number `first` on, make of element `reg`.  Where that does
 * not exist they do not keep it 0. */
static Val late_element(MmaOperand *o, Val v, uint32_t reg, int first)
{
    const NvOperand *how = &o->dot->operand[o->part];
    const Layout *l = o->dot->layout[o->part];
    Nv *n = o->n;

    for (int i = first; i < how->nlate; i++) {
        const NvLate *late = &how->late[i];
        Val in[MAX_ELEMENTWISE_OPERANDS];
        for (int k = 0; k < late->op->noperands; k++) {
            const NvTile *t = late->in[k];
            in[k] = t ? nv_get(n, t)[t->layout ? reg : 0] : v;
            if (!in[k])
                return LLVMConstNull(emit_type(&n->e, o->type, 0));
        }
        v = emit_op(&n->e, n->b, late->op, in);
    }
    return how->nlate > 0 ? zero_unless(n, nv_exists(n, l, (int)reg), v) : v;
}

/* Which of the elements of its matrix word is this one; pairs that are not sorted lie crosswise. */
static int place_in_word(const MatrixAccess *m, uint32_t reg)
{
    if (m->pair >= 0 && m->word_bits == 1)
        return (int)(reg >> m->pair & 1) + 2 * (int)(reg & 1);
    return (int)(reg & ((1u << m->word_bits) - 1));
}

/* The bits of element `reg` of a tile in shared memory. */
static Val element_bits(MmaOperand *o, uint32_t reg)
{
    const MatrixAccess *m = &o->dot->operand[o->part].matrix;
    int bytes = o->tile->memory.bytes;
    Val elements[4], word;

    if (o->dot->operand[o->part].way == OPERAND_VECTORS) {
        if (!o->read[reg])
            read_vector(o, reg);
        return o->read[reg];
    }
    word = matrix_word(o, reg);
    nv_unpack(o->n, &word, 4 / bytes, bytes, elements);
    return elements[place_in_word(m, reg)];
}

/* Of a tile in registers, element e of a fragment; NULL: it is zero. */
static Val own_element(MmaOperand *o, uint32_t reg, int e)
{
    Val v = o->regs[reg];

    if (!v || (e & (int)o->surplus.reg) != 0)
        return NULL;
    v = zero_unless(o->n, nv_exists(o->n, o->tile->layout, (int)reg), v);
    return zero_unless(o->n, nv_is_first(o->n, o->surplus.lane), v);
}

static Val fragment_element(MmaOperand *o, const MmaFragment *f, int e)
{
    uint32_t reg = mma_register(&o->dot->regs[o->part], f->batch, f->row, f->column, e);

    if (o->dot->operand[o->part].way == OPERAND_REGISTERS)
        return own_element(o, reg, e);
    return late_element(o, nv_from_bits(o->n, o->tile->value->type, element_bits(o, reg)), reg, 0);
}

/* Two elements of bytes that are cast first. */
typedef struct {
    uint32_t reg[2];
    int first;  /* op that follows */
    Val halves; /* as two of fp16 */
    Val brains; /* as two of bf16, where that is all that becomes of them; NULL: it is not */
} BytePair;

/* Do both of the elements, for certain? */
static bool exist(const MmaOperand *o, const uint32_t reg[2])
{
    const Layout *l = o->dot->layout[o->part];

    return !nv_exists(o->n, l, (int)reg[0]) && !nv_exists(o->n, l, (int)reg[1]);
}

/* Elements e and e + 1 of a fragment.  False: they are none, or there is no short way. */
static bool byte_pair(MmaOperand *o, const MmaFragment *f, int e, BytePair *out)
{
    const NvOperand *how = &o->dot->operand[o->part];
    DType from = o->tile->value->type->dtype;
    int byte[2] = {0, 1};
    Val word, bits[2];

    out->first = dtype_is_fp8(from) ? 0 : 1;
    if (how->nlate == 0 || o->tile->memory.bytes != 1 || how->late[0].op->code != OP_cast ||
        (out->first > 0 && !nv_casts_bytes_to(how->late[0].op->results[0]->type->dtype)))
        return false;
    for (int i = 0; i < 2; i++)
        out->reg[i] = mma_register(&o->dot->regs[o->part], f->batch, f->row, f->column, e + i);
    if (how->way == OPERAND_MATRICES) {
        word = matrix_word(o, out->reg[0]);
        for (int i = 0; i < 2; i++)
            byte[i] = place_in_word(&how->matrix, out->reg[i]);
    } else {
        for (int i = 0; i < 2; i++)
            bits[i] = element_bits(o, out->reg[i]);
        nv_pack(o->n, bits, 2, 1, &word);
        word = LLVMBuildZExt(o->n->b, word, o->n->l->i32, "");
    }
    bool brains = how->nlate == 1 && o->type->dtype == DT_BF16 && exist(o, out->reg);
    out->halves = nv_byte_halves(o->n, from, word, byte);
    out->brains = brains ? nv_byte_bf16(o->n, from, word, byte) : NULL;
    return out->halves != NULL;
}

/* What an op takes beside, for both elements, as two of fp16. */
static Val other_halves(MmaOperand *o, const NvTile *t, const BytePair *p)
{
    Nv *n = o->n;
    Val v = LLVMGetUndef(LLVMVectorType(n->l->f16, 2));

    for (int i = 0; i < 2; i++) {
        Val x = nv_get(n, t)[t->layout ? p->reg[i] : 0];
        if (!x)
            return NULL;
        x = LLVMBuildFPTrunc(n->b, x, n->l->f16, "");
        v = LLVMBuildInsertElement(n->b, v, x, llvm_int(n->l->i32, i), "");
    }
    return v;
}

/* One op on two elements of fp16: what is computed in fp32 and rounded is the same for these. NULL:
 * it is another one. */
static Val late_halves_op(MmaOperand *o, const NvLate *late, Val v, const BytePair *p)
{
    Nv *n = o->n;
    Val in[2] = {v, v};

    if (late->op->results[0]->type->dtype != DT_FP16)
        return NULL;
    if (late->op->code == OP_cast)
        return dtype_is_fp8(late->op->operands[0]->type->dtype) ? v : NULL;
    for (int k = 0; k < late->op->noperands && k < 2; k++)
        in[k] = late->in[k] ? other_halves(o, late->in[k], p) : v;
    if (!in[0] || !in[1])
        return NULL;
    switch (late->op->code) {
    case OP_add:
        return LLVMBuildFAdd(n->b, in[0], in[1], "");
    case OP_sub:
        return LLVMBuildFSub(n->b, in[0], in[1], "");
    case OP_mul:
        return LLVMBuildFMul(n->b, in[0], in[1], "");
    default:
        return NULL;
    }
}

/* A word of two of fp16, computed as such.  NULL: something of it is not. */
static Val late_halves(MmaOperand *o, const BytePair *p)
{
    const NvOperand *how = &o->dot->operand[o->part];
    Nv *n = o->n;
    Val v = LLVMBuildBitCast(n->b, p->halves, LLVMVectorType(n->l->f16, 2), "");

    if (p->first > 0 && how->late[0].op->results[0]->type->dtype != DT_FP16)
        return NULL;
    if (!exist(o, p->reg))
        return NULL;
    for (int i = p->first; v && i < how->nlate; i++)
        v = late_halves_op(o, &how->late[i], v, p);
    return v ? LLVMBuildBitCast(n->b, v, n->l->i32, "") : NULL;
}

/* Both as fp32, from which the rest is computed. */
static void late_pair(MmaOperand *o, const BytePair *p, Val out[2])
{
    Nv *n = o->n;
    Val v = LLVMBuildBitCast(n->b, p->halves, LLVMVectorType(n->l->f16, 2), "");

    for (int i = 0; i < 2; i++) {
        Val half = LLVMBuildExtractElement(n->b, v, llvm_int(n->l->i32, i), "");
        half = LLVMBuildFPExt(n->b, half, n->l->f32, "");
        out[i] = late_element(o, half, p->reg[i], p->first);
    }
}

/* --- pieces --- */

/* The nearest number of tf32, ties away from zero, as the bits of an fp32. */
static Val round_tf32(Nv *n, Val v)
{
    return nv_pure_asm(n, n->l->i32, "cvt.rna.tf32.f32 $0, $1;", "=r,f", &v, 1);
}

/* Piece number `piece` of an element, as the instruction takes it. */
static Val piece_of(MmaOperand *o, Val v, int piece)
{
    Nv *n = o->n;

    switch (o->dot->mma->piece) {
    case PIECE_OWN:
        return o->dot->mma->operand == 'd' ? v : nv_to_bits(n, o->type, v);
    case PIECE_FP16:
        return llvm_bits(n->l, n->b, LLVMBuildFPTrunc(n->b, v, n->l->f16, ""));
    case PIECE_TF32:
        for (; piece > 0; piece--)
            v = LLVMBuildFSub(n->b, v, llvm_from_bits(n->l, n->b, round_tf32(n, v)), "");
        return round_tf32(n, v);
    case PIECE_BF16: /* in pairs: make_pieces() */
        break;
    }
    bug("no such piece");
}

static LLVMTypeRef piece_type(const MmaOperand *o)
{
    const MmaInstruction *mma = o->dot->mma;
    Llvm *l = o->n->l;

    return mma->operand == 'd' ? l->f64
           : o->per_word == 4  ? l->i8
           : o->per_word == 2  ? l->i16
                               : l->i32;
}

/* --- words --- */

static Val make_word(MmaOperand *o, const MmaFragment *f, int word, int piece)
{
    const NvDot *d = o->dot;
    Val elements[4], out = NULL;

    if (d->operand[o->part].way == OPERAND_MATRICES && d->operand[o->part].nlate == 0) {
        Val read = matrix_word(
            o, mma_register(&d->regs[o->part], f->batch, f->row, f->column, word * o->per_word));
        if (d->mma->piece == PIECE_OWN)
            return read;
        if (d->mma->piece == PIECE_FP16)
            out = nv_fp8_halves(o->n, o->tile->value->type->dtype, read,
                                (int[]){word % 2 * 2, word % 2 * 2 + 1});
        if (out)
            return out;
    }
    BytePair pair;
    bool paired = o->per_word == 2 && byte_pair(o, f, word * o->per_word, &pair);
    if (paired && pair.brains && d->mma->piece == PIECE_OWN)
        return pair.brains;
    if (paired && o->type->dtype == DT_FP16 && (out = late_halves(o, &pair)))
        return out;
    if (paired)
        late_pair(o, &pair, elements);
    for (int i = 0; i < o->per_word; i++) {
        Val v = paired ? elements[i] : fragment_element(o, f, word * o->per_word + i);
        elements[i] = v ? piece_of(o, v, piece) : LLVMConstNull(piece_type(o));
    }
    if (o->per_word == 1)
        return elements[0];
    nv_pack(o->n, elements, o->per_word, 4 / o->per_word, &out);
    return out;
}

/* Word `word` of a fragment, of two elements of fp32: all its pieces. */
static void make_pieces(MmaOperand *o, const MmaFragment *f, int word, int number)
{
    Nv *n = o->n;
    Val pair[2], words[MMA_MOST_PIECES];
    int pieces = o->dot->mma->pieces;

    for (int i = 0; i < COUNT(pair); i++) {
        Val v = fragment_element(o, f, word * o->per_word + i);
        pair[i] = !v ? LLVMConstReal(n->l->f32, 0) : o->dot->part > 0 ? nv_scaled(n, v, pieces) : v;
    }
    nv_pieces_of_pair(n, pair, pieces, words);
    for (int i = 0; i < pieces; i++)
        o->made[i][number] = words[i];
}

void nv_operand_read(MmaOperand *o, const MmaFragment *f, int word)
{
    const NvDot *d = o->dot;
    OperandWay way = d->operand[o->part].way;

    for (int i = 0; i < o->per_word && way != OPERAND_REGISTERS; i++) {
        uint32_t reg =
            mma_register(&d->regs[o->part], f->batch, f->row, f->column, word * o->per_word + i);
        if (way == OPERAND_MATRICES)
            matrix_word(o, reg);
        else if (!o->read[reg])
            read_vector(o, reg);
    }
}

Val nv_operand_word(MmaOperand *o, const MmaFragment *f, int word, int piece)
{
    const MmaRegisters *r = &o->dot->regs[o->part];
    int number = (f->batch << r->rows | f->row) << r->columns | f->column;
    Val *made = &o->made[piece][number * o->words + word];

    if (!*made && o->dot->mma->piece == PIECE_BF16)
        make_pieces(o, f, word, number * o->words + word);
    else if (!*made)
        *made = make_word(o, f, word, piece);
    return *made;
}

void nv_operand_begin(Nv *n, const NvStep *s, MmaPart part, MmaOperand *out)
{
    const NvDot *d = s->detail;
    const MmaShape *shape = &d->tiling.shape;
    const MmaRegisters *r = &d->regs[part];
    int across = part == MMA_A ? shape->m : shape->n;

    *out = (MmaOperand){.n = n, .dot = d, .part = part, .tile = s->in[part]};
    out->type = s->op->operands[nv_dot_operand(d, part)]->type;
    out->per_word = MAX(4 / (d->mma->bytes * d->mma->halves), 1);
    out->words = across * shape->k / NV_LANES / out->per_word;
    if (d->operand[part].way == OPERAND_REGISTERS) {
        out->surplus = mma_surplus(part, shape, d->k);
        out->regs = nv_get(n, out->tile);
    } else {
        out->nread = layout_registers(d->layout[part]);
        out->read = NEW_N(n->arena, Val, out->nread);
    }
    for (int i = 0; i < d->mma->pieces; i++)
        out->made[i] = NEW_N(n->arena, Val, out->words << (r->rows + r->columns + r->batches));
}
