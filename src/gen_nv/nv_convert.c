/*
 * nv_convert.c - a tile from one layout to another, as layout_convert() says
 *
 * In registers, by shuffles within warps, or through shared memory.  Between threads values go as
 * integers: in memory form, where that is cheap.
 */
#include "nv.h"

/* --- values as integers --- */

static LLVMTypeRef exchanged_type(const Nv *n, const Type *t)
{
    int bytes = nv_exchanged_bytes(n->plan, t);

    return bytes == 1 ? n->l->i8 : bytes == 2 ? n->l->i16 : bytes == 4 ? n->l->i32 : n->l->i64;
}

Val nv_to_exchanged(Nv *n, const Type *t, Val v)
{
    if (t->pointer)
        return LLVMBuildPtrToInt(n->b, v, n->l->i64, "");
    return llvm_bits(n->l, n->b,
                     nv_goes_as_it_is(n->plan, t) ? v : emit_to_memory(&n->e, n->b, v, t->dtype));
}

Val nv_from_exchanged(Nv *n, const Type *t, Val v)
{
    if (t->pointer)
        return LLVMBuildIntToPtr(n->b, v, n->l->ptr, "");
    if (nv_goes_as_it_is(n->plan, t))
        return llvm_from_bits(n->l, n->b, v);
    v = LLVMBuildBitCast(n->b, v, emit_memory_type(&n->e, t->dtype), "");
    return emit_from_memory(&n->e, n->b, v, t->dtype);
}

/* --- in registers --- */

static void convert_registers(Nv *n, const NvStep *s)
{
    const Val *in = nv_get(n, s->in[0]);
    Val *out = nv_out(n, s, 0);

    for (int r = 0; r < s->conversion->nregs; r++) {
        if (nv_turn(n, s, s->out[0], r) && s->conversion->take[r] >= 0)
            out[r] = in[s->conversion->take[r]];
    }
}

/* --- by shuffles --- */

static Val shuffle32(Nv *n, const char *instruction, Val v, Val which)
{
    Val args[4] = {llvm_int(n->l->i32, -1), v, which, llvm_int(n->l->i32, NV_LANES - 1)};

    return llvm_call(n->l, n->b, instruction, 0, NULL, 4, args);
}

static Val shuffle(Nv *n, const char *instruction, Val v, Val which)
{
    Llvm *l = n->l;

    if (LLVMTypeOf(v) == l->i32)
        return shuffle32(n, instruction, v, which);
    if (LLVMTypeOf(v) != l->i64) {
        Val word = LLVMBuildZExt(n->b, v, l->i32, "");
        return LLVMBuildTrunc(n->b, shuffle32(n, instruction, word, which), LLVMTypeOf(v), "");
    }
    Val words[2], whole;
    nv_pack(n, &v, 1, 8, words);
    for (int i = 0; i < 2; i++)
        words[i] = shuffle32(n, instruction, words[i], which);
    nv_unpack(n, words, 1, 8, &whole);
    return whole;
}

Val nv_shuffle(Nv *n, Val v, Val lane)
{
    return shuffle(n, "llvm.nvvm.shfl.sync.idx.i32", v, lane);
}

Val nv_shuffle_xor(Nv *n, Val v, uint32_t lanes)
{
    return shuffle(n, "llvm.nvvm.shfl.sync.bfly.i32", v, llvm_int(n->l->i32, lanes));
}

typedef struct {
    const Type *type;
    const Shuffles *how;
    int bytes;
} Shuffling;

static Val shuffled_word(Nv *n, const Shuffling *x, const Val *in, const int32_t *regs)
{
    Val elements[4], word;

    for (int i = 0; i < x->how->per_word; i++) {
        Val v = regs[i] < 0 ? NULL : in[regs[i]];
        elements[i] =
            v ? nv_to_exchanged(n, x->type, v) : LLVMGetPoison(exchanged_type(n, x->type));
    }
    if (x->how->per_word == 1)
        return elements[0];
    nv_pack(n, elements, x->how->per_word, x->bytes, &word);
    return word;
}

static void unpack_word(Nv *n, const Shuffling *x, Val word, const int32_t *regs, Val *out)
{
    Val elements[4] = {word};

    if (x->how->per_word > 1)
        nv_unpack(n, &word, x->how->per_word, x->bytes, elements);
    for (int i = 0; i < x->how->per_word; i++) {
        if (regs[i] >= 0)
            out[regs[i]] = nv_from_exchanged(n, x->type, elements[i]);
    }
}

/* What the word is in threads that have the bit set, or in those that have not: of one that was
 * chosen by the same bit that choice. */
static Val word_where(Val word, Val set, bool is_set)
{
    bool chosen = LLVMIsASelectInst(word) && LLVMGetOperand(word, 0) == set;

    return chosen ? LLVMGetOperand(word, is_set ? 1 : 2) : word;
}

/* Words w and w ^ with[bit] change places where that bit of the thread's number is set, which
 * set[bit] says once it is asked for. */
static void exchange_words(Nv *n, Val *words, int count, const uint32_t *with, Val *set)
{
    for (int bit = 0; bit < LAYOUT_THREAD_BITS; bit++) {
        if (with[bit] == 0)
            continue;
        if (!set[bit]) {
            Val here = LLVMBuildAnd(n->b, n->thread, llvm_int(n->l->i32, (int64_t)1 << bit), "");
            set[bit] = LLVMBuildICmp(n->b, LLVMIntNE, here, llvm_int(n->l->i32, 0), "");
        }
        for (int w = 0; w < count; w++) {
            int other = w ^ (int)with[bit];
            if (other < w)
                continue;
            Val a = words[w], b = words[other], is = set[bit];
            words[w] =
                LLVMBuildSelect(n->b, is, word_where(b, is, true), word_where(a, is, false), "");
            words[other] =
                LLVMBuildSelect(n->b, is, word_where(a, is, true), word_where(b, is, false), "");
        }
    }
}

static void convert_shuffles(Nv *n, const NvStep *s)
{
    const Shuffles *h = s->conversion->shuffles;
    const Type *t = s->in[0]->value->type;
    Shuffling x = {t, h, nv_exchanged_bytes(n->plan, t)};
    const Val *in = nv_get(n, s->in[0]);
    Val *out = nv_set(n, s->out[0]), *from = NEW_N(n->arena, Val, h->nfrom),
        *to = NEW_N(n->arena, Val, h->nto), source;
    uint32_t masks[LAYOUT_THREAD_BITS];
    Val set[LAYOUT_THREAD_BITS] = {NULL};

    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        masks[i] = h->source[i];
    source = nv_thread_map(n, masks);
    for (int i = 0; i < h->nfrom; i++)
        from[i] = shuffled_word(n, &x, in, h->from + i * h->per_word);
    exchange_words(n, from, h->nfrom, h->before, set);
    for (int i = 0; i < h->nto; i++)
        to[i] = LLVMGetPoison(LLVMTypeOf(from[0]));
    for (int i = 0; i < h->nrounds; i++) {
        const ShuffleRound *r = &h->rounds[i];
        Val lane = LLVMBuildXor(n->b, source, llvm_int(n->l->i32, r->lane), "");
        to[r->take] = r->own ? from[r->send] : nv_shuffle(n, from[r->send], lane);
    }
    exchange_words(n, to, h->nto, h->after, set);
    for (int i = 0; i < h->nto; i++)
        unpack_word(n, &x, to[i], h->to + i * h->per_word, out);
}

/* --- through shared memory --- */

typedef struct {
    const NvStep *step;
    const SharedSide *side;
    const Type *type;
    int bytes, count; /* of an element; of a vector */
    Val base;         /* bytes from the beginning of the buffer */
    uint32_t moved;   /* bits of that which threads move */
} Side;

static Side side_of(Nv *n, const NvStep *s, const SharedSide *side)
{
    Side x = {.step = s, .side = side, .type = s->in[0]->value->type};
    uint32_t masks[LAYOUT_THREAD_BITS];

    x.bytes = nv_exchanged_bytes(n->plan, x.type);
    x.count = 1 << side->nvector;
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++) {
        masks[i] = side->thread[i] * (uint32_t)x.bytes;
        x.moved |= masks[i];
    }
    x.base = nv_shared_at(n, s->uses.at[0].buffer, llvm_int(n->l->i32, 0));
    x.base = LLVMBuildAdd(n->b, x.base, nv_thread_map(n, masks), "");
    return x;
}

/* A constant that shares bits with what threads move changes these. */
static void place_vector(Nv *n, const Side *x, const SharedVector *v, NvPlace *p)
{
    uint32_t offset = v->offset * (uint32_t)x->bytes;

    p->bytes = x->bytes * x->count;
    p->address = x->base;
    p->offset = offset;
    if ((offset & x->moved) == 0)
        return;
    uint32_t masks[LAYOUT_THREAD_BITS];
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        masks[i] = x->side->thread[i] * (uint32_t)x->bytes;
    Val at = LLVMBuildXor(n->b, nv_thread_map(n, masks), llvm_int(n->l->i32, offset), "");
    p->address = nv_shared_at(n, x->step->uses.at[0].buffer, at);
    p->offset = 0;
}

static void write_vector(Nv *n, const Side *x, const SharedVector *v, const Val *in, Val first)
{
    NvPlace p = {.how = "st.shared", .predicate = first};
    Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];

    place_vector(n, x, v, &p);
    for (int i = 0; i < x->count; i++) {
        Val e = v->regs[i] < 0 ? NULL : in[v->regs[i]];
        elements[i] = e ? nv_to_exchanged(n, x->type, e) : LLVMGetUndef(exchanged_type(n, x->type));
    }
    nv_pack(n, elements, x->count, x->bytes, words);
    nv_write(n, &p, words);
}

static void read_vector(Nv *n, const Side *x, const SharedVector *v, Val *out)
{
    NvPlace p = {.how = "ld.shared"};
    Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];

    place_vector(n, x, v, &p);
    nv_read(n, &p, NULL, words);
    nv_unpack(n, words, x->count, x->bytes, elements);
    for (int i = 0; i < x->count; i++) {
        if (v->regs[i] >= 0)
            out[v->regs[i]] = nv_from_exchanged(n, x->type, elements[i]);
    }
}

static void convert_shared(Nv *n, const NvStep *s)
{
    const Exchange *x = s->conversion->exchange;
    const Val *in = nv_get(n, s->in[0]);
    Val *out = nv_set(n, s->out[0]);
    Side write = side_of(n, s, &x->write), read = side_of(n, s, &x->read);
    Val first = nv_is_first(n, x->copies.lane | x->copies.warp << NV_LANE_BITS);

    for (int i = 0; i < x->npieces; i++) {
        const SharedPiece *piece = &x->pieces[i];
        if (i > 0)
            nv_wait(n, &s->within);
        for (int k = 0; k < piece->nwrites; k++)
            write_vector(n, &write, &piece->writes[k], in, first);
        nv_wait(n, &s->within);
        for (int k = 0; k < piece->nreads; k++)
            read_vector(n, &read, &piece->reads[k], out);
    }
}

void nv_convert(Nv *n, const NvStep *s)
{
    switch (s->conversion->kind) {
    case CONVERT_NOTHING:
    case CONVERT_REGISTERS:
        convert_registers(n, s);
        break;
    case CONVERT_SHUFFLE:
        convert_shuffles(n, s);
        break;
    case CONVERT_SHARED:
        convert_shared(n, s);
        break;
    }
}
