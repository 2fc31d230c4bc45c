/*
 * nv_atomic.c - atomic read-modify-writes and compare-and-swaps
 *
 * Each is one instruction, which a predicate keeps from lanes that are masked off, do not exist or
 * hold copies.  Floats have no instructions for min and max, but in the order of R221 the numbers
 * with one sign are in that of signed integers, the others in the reverse one of unsigned: the sign
 * of what comes says which instruction it is.  What the chip lacks is a loop that compares and
 * swaps: all of 16 bits but a few additions, and bytes, within the word where they are.
 *
 * Neighbours in one thread, as the plan finds them, are added by one instruction, each atomic by
 * itself.
 *
 * Instructions are relaxed, with fences around all of a step, so a tile pays for them once.
 */
#include "../gpu_plan/nv_atomic.h"
#include "nv.h"

#include <string.h>

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvAtomic *plan;
    DType dtype;
    int bits;
    bool used;
    const char *scope;
    Val address;   /* an i64 */
    Val predicate; /* NULL: true */
} Atomic;

static const char *scope_word(Scope s)
{
    return s == SCOPE_CTA ? "cta" : s == SCOPE_SYS ? "sys" : "gpu";
}

static LLVMTypeRef int_type(const Nv *n, int bits)
{
    return LLVMIntTypeInContext(n->l->ctx, (unsigned)bits);
}

/* --- one instruction --- */

static const char *letter(Val v)
{
    int bits = (int)LLVMGetIntTypeWidth(LLVMTypeOf(v));

    return bits == 16 ? "h" : bits == 32 ? "r" : "l";
}

/* Only atom says what memory held, and red cannot do everything. */
static bool is_atom(const Atomic *a, const char *what)
{
    return a->used || strncmp(what, "cas", 3) == 0 || strncmp(what, "exch", 4) == 0;
}

/* `what` at the address with x, and y of a compare-and-swap, where the predicate holds; gives what
 * memory held, and `other` (NULL: 0) where it does not hold; NULL when nobody asks. */
static Val instruction(const Atomic *a, const char *what, Val x, Val y, Val predicate, Val other)
{
    Nv *n = a->n;
    bool gives = is_atom(a, what);
    Text t = text_new(n->arena), c = text_new(n->arena);
    Val args[5] = {a->address, x};
    int nargs = 2, first = gives ? 1 : 0;

    if (gives)
        text_printf(&c, "=%s,", letter(x));
    text_printf(&c, "l,%s", letter(x));
    if (y) {
        args[nargs++] = y;
        text_printf(&c, ",%s", letter(y));
    }
    if (predicate) {
        text_printf(&t, "@$%d ", first + nargs);
        args[nargs++] = predicate;
        text_put(&c, ",b");
    }
    if (predicate && gives) {
        args[nargs++] = other ? other : llvm_int(LLVMTypeOf(x), 0);
        text_put(&c, ",0");
    }
    text_put(&c, ",~{memory}");
    text_printf(&t, "%s.relaxed.%s.global.%s ", gives ? "atom" : "red", a->scope, what);
    text_put(&t, gives ? "$0, [$1], $2" : "[$0], $1");
    text_put(&t, y ? ", $3;" : ";");
    Val old = nv_asm(n, gives ? LLVMTypeOf(x) : n->l->none, t.s, c.s, args, nargs);
    return gives ? old : NULL;
}

/* Has the chip that addition? */
static const char *addition(const Atomic *a)
{
    switch (a->dtype) {
    case DT_FP32:
        return "add.f32";
    case DT_FP64:
        return "add.f64";
    case DT_FP16:
        return "add.noftz.f16";
    case DT_BF16:
        return chip_has(a->n->plan->chip, CHIP_WIDE_ATOMICS) ? "add.noftz.bf16" : NULL;
    default:
        return a->bits == 32 ? "add.u32" : a->bits == 64 ? "add.u64" : NULL;
    }
}

static const char *extreme(const Atomic *a, RmwKind kind, bool is_signed)
{
    return arena_printf(a->n->arena, "%s.%c%d", kind == RMW_MAX ? "max" : "min",
                        is_signed ? 's' : 'u', a->bits);
}

/* What it is called, NULL: a loop must do it. */
static const char *native(const Atomic *a, RmwKind kind)
{
    static const char *const words[] = {
        [RMW_AND] = "and", [RMW_OR] = "or", [RMW_XOR] = "xor", [RMW_XCHG] = "exch"};

    if (kind == RMW_ADD)
        return addition(a);
    if (a->bits < 32)
        return NULL;
    if (kind == RMW_MAX || kind == RMW_MIN)
        return extreme(a, kind, dtype_is_signed(a->dtype));
    return arena_printf(a->n->arena, "%s.b%d", words[kind], a->bits);
}

static Val float_extreme(const Atomic *a, RmwKind kind, Val x)
{
    Bld b = a->n->b;
    RmwKind reverse = kind == RMW_MAX ? RMW_MIN : RMW_MAX;
    Val negative = LLVMBuildICmp(b, LLVMIntSLT, x, llvm_int(LLVMTypeOf(x), 0), "");
    Val positive = LLVMBuildNot(b, negative, "");
    Val old = instruction(a, extreme(a, kind, true), x, NULL, nv_both(a->n, a->predicate, positive),
                          NULL);

    return instruction(a, extreme(a, reverse, false), x, NULL,
                       nv_both(a->n, a->predicate, negative), old);
}

/* --- loops --- */

/* The word, of 16 or 32 bits, in which the element lies, and how far up. */
typedef struct {
    Atomic at; /* of the word */
    Val shift; /* i32; NULL: the element is the word */
} Word;

static Word word_around(const Atomic *a)
{
    Bld b = a->n->b;
    LLVMTypeRef i64 = a->n->l->i64;
    Word w = {.at = *a};

    w.at.used = true;
    w.at.predicate = NULL;
    if (a->bits > 8)
        return w;
    w.at.bits = 32;
    w.at.address = LLVMBuildAnd(b, a->address, llvm_int(i64, -4), "");
    Val byte =
        LLVMBuildTrunc(b, LLVMBuildAnd(b, a->address, llvm_int(i64, 3), ""), a->n->l->i32, "");
    w.shift = LLVMBuildShl(b, byte, llvm_int(a->n->l->i32, 3), "");
    return w;
}

static Val element_of(const Atomic *a, const Word *w, Val word)
{
    if (!w->shift)
        return word;
    return LLVMBuildTrunc(a->n->b, LLVMBuildLShr(a->n->b, word, w->shift, ""),
                          int_type(a->n, a->bits), "");
}

static Val with_element(const Atomic *a, const Word *w, Val word, Val element)
{
    Bld b = a->n->b;
    LLVMTypeRef i32 = a->n->l->i32;

    if (!w->shift)
        return element;
    Val hole = LLVMBuildShl(b, llvm_int(i32, 0xff), w->shift, "");
    Val rest = LLVMBuildAnd(b, word, LLVMBuildNot(b, hole, ""), "");
    Val put = LLVMBuildShl(b, LLVMBuildZExt(b, element, i32, ""), w->shift, "");
    return LLVMBuildOr(b, rest, put, "");
}

static Val read_word(const Atomic *a, const Word *w)
{
    const char *text =
        arena_printf(a->n->arena, "ld.relaxed.%s.global.b%d $0, [$1];", a->scope, w->at.bits);

    return nv_asm(a->n, int_type(a->n, w->at.bits), text,
                  w->at.bits == 16 ? "=h,l,~{memory}" : "=r,l,~{memory}", &w->at.address, 1);
}

static Val swap_word(const Word *w, Val expected, Val wanted)
{
    return instruction(&w->at, w->at.bits == 16 ? "cas.b16" : "cas.b32", expected, wanted, NULL,
                       NULL);
}

/* Goes on where the predicate holds; gives the block to go to at the end. */
static LLVMBasicBlockRef begin_where(const Atomic *a)
{
    LLVMBasicBlockRef inside = nv_block(a->n), after = nv_block(a->n);

    if (a->predicate)
        LLVMBuildCondBr(a->n->b, a->predicate, inside, after);
    else
        LLVMBuildBr(a->n->b, inside);
    LLVMPositionBuilderAtEnd(a->n->b, inside);
    return after;
}

/* old, which was found in `from`; 0 where the predicate does not hold. */
static Val end_where(const Atomic *a, LLVMBasicBlockRef before, LLVMBasicBlockRef after, Val old)
{
    Bld b = a->n->b;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
    Val none = llvm_int(LLVMTypeOf(old), 0);

    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    if (!a->predicate)
        return old;
    Val all = LLVMBuildPhi(b, LLVMTypeOf(old), "");
    LLVMAddIncoming(all, (Val[]){old, none}, (LLVMBasicBlockRef[]){from, before}, 2);
    return all;
}

/* What the loop would write over an element, and where it need not. */
typedef struct {
    Val wanted; /* the new element */
    Val fails;  /* i1: leave it; NULL: never */
} Change;
typedef Change (*ChangeRule)(const Atomic *a, Val old, const Val *in);

static Val loop(const Atomic *a, ChangeRule rule, const Val *in)
{
    Nv *n = a->n;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), after = begin_where(a);
    Word w = word_around(a);
    Val start = read_word(a, &w);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(n->b), again = nv_block(n), done = nv_block(n);

    LLVMBuildBr(n->b, again);
    LLVMPositionBuilderAtEnd(n->b, again);
    Val word = LLVMBuildPhi(n->b, LLVMTypeOf(start), "");
    Val old = element_of(a, &w, word);
    Change c = rule(a, old, in);
    if (c.fails) {
        LLVMBasicBlockRef swap = nv_block(n);
        LLVMBuildCondBr(n->b, c.fails, done, swap);
        LLVMPositionBuilderAtEnd(n->b, swap);
    }
    Val seen = swap_word(&w, word, with_element(a, &w, word, c.wanted));
    Val same = LLVMBuildICmp(n->b, LLVMIntEQ, seen, word, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(n->b);
    LLVMBuildCondBr(n->b, same, done, again);
    LLVMAddIncoming(word, (Val[]){start, seen}, (LLVMBasicBlockRef[]){from, end}, 2);
    LLVMPositionBuilderAtEnd(n->b, done);
    return end_where(a, before, after, old);
}

static Change change_rmw(const Atomic *a, Val old, const Val *in)
{
    RmwKind kind = attr_rmw_kind(a->step->op);

    return (Change){emit_rmw_value(&a->n->e, a->n->b, kind, a->dtype, old, in[RMW_DATA]), NULL};
}

static Change change_cas(const Atomic *a, Val old, const Val *in)
{
    Val fails = LLVMBuildICmp(a->n->b, LLVMIntNE, old, in[CAS_EXPECTED], "");

    return (Change){in[CAS_NEW], fails};
}

/* --- one element --- */

/* What memory held, its bits; `in`: operands, bits too. */
static Val exchange_element(const Atomic *a, const Val *in)
{
    RmwKind kind;

    if (a->step->op->code == OP_atomic_cas) {
        if (a->bits == 8)
            return loop(a, change_cas, in);
        const char *what = arena_printf(a->n->arena, "cas.b%d", a->bits);
        return instruction(a, what, in[CAS_EXPECTED], in[CAS_NEW], a->predicate, NULL);
    }
    kind = attr_rmw_kind(a->step->op);
    if (dtype_is_float(a->dtype) && a->bits >= 32 && (kind == RMW_MAX || kind == RMW_MIN))
        return float_extreme(a, kind, in[RMW_DATA]);
    const char *what = native(a, kind);
    return what ? instruction(a, what, in[RMW_DATA], NULL, a->predicate, NULL)
                : loop(a, change_rmw, in);
}

static Val to_bits(const Atomic *a, Val v)
{
    Nv *n = a->n;

    return LLVMBuildBitCast(n->b, emit_to_memory(&n->e, n->b, v, a->dtype), int_type(n, a->bits),
                            "");
}

static Val from_bits(const Atomic *a, Val v)
{
    Nv *n = a->n;

    v = LLVMBuildBitCast(n->b, v, emit_memory_type(&n->e, a->dtype), "");
    return emit_from_memory(&n->e, n->b, v, a->dtype);
}

/* Where may the element of register r be updated? */
static Val predicate_of(const Atomic *a, int r, Val first)
{
    const NvStep *s = a->step;
    const Layout *l = s->out[0]->layout;
    Val p = nv_both(a->n, first, l ? nv_exists(a->n, l, r) : NULL);

    if (s->op->code == OP_atomic_rmw && s->nin > RMW_MASK && s->in[RMW_MASK])
        p = nv_both(a->n, p, nv_get(a->n, s->in[RMW_MASK])[r]);
    return p;
}

/* Of register r: its bits, or NULL when nobody asks. */
static Val one_register(Atomic *a, int r, Val first)
{
    const NvStep *s = a->step;
    bool is_rmw = s->op->code == OP_atomic_rmw;
    Val in[3] = {NULL};

    a->address = LLVMBuildPtrToInt(a->n->b, nv_get(a->n, s->in[0])[r], a->n->l->i64, "");
    for (int i = 1; i < s->nin && !(is_rmw && i == RMW_MASK); i++)
        in[i] = to_bits(a, nv_get(a->n, s->in[i])[r]);
    a->predicate = predicate_of(a, r, first);
    return exchange_element(a, in);
}

/* --- neighbours --- */

/* "$3", or "{$3, $4}", or nothing. */
static void put_list(Text *t, int first, int count)
{
    text_put(t, count > 1 ? "{" : "");
    for (int i = 0; i < count; i++)
        text_printf(t, "%s$%d", i > 0 ? ", " : "", first + i);
    text_put(t, count > 1 ? "}" : "");
}

/* What one addition of neighbours is called, behind "add". */
static const char *packed_type(const Atomic *a, int words)
{
    const char *list = words > 1 ? arena_printf(a->n->arena, "v%d.", words) : "";
    const char *type = a->dtype == DT_FP32 ? "f32" : a->dtype == DT_FP16 ? "f16x2" : "bf16x2";

    return arena_printf(a->n->arena, "%s%s%s", a->dtype == DT_FP32 ? "" : "noftz.", list, type);
}

/* Add words to those at the address.  Where somebody asks what these were, they get that. */
static void add_words(const Atomic *a, Val *words, int count)
{
    Nv *n = a->n;
    LLVMTypeRef types[NV_MOST_WORDS], all = n->l->i32;
    Val args[2 * NV_MOST_WORDS + 2] = {a->address};
    Text t = text_new(n->arena), c = text_new(n->arena);
    int nargs = 1, results = a->used ? count : 0;

    for (int i = 0; i < results; i++)
        text_put(&c, "=r,");
    text_put(&c, "l");
    for (int i = 0; i < count; i++) {
        types[i] = n->l->i32;
        args[nargs++] = words[i];
        text_put(&c, ",r");
    }
    if (a->predicate) {
        text_printf(&t, "@$%d ", results + nargs);
        args[nargs++] = a->predicate;
        text_put(&c, ",b");
    }
    for (int i = 0; a->predicate && i < results; i++) {
        args[nargs++] = llvm_int(n->l->i32, 0);
        text_printf(&c, ",%d", i);
    }
    text_put(&c, ",~{memory}");
    text_printf(&t, "%s.relaxed.%s.global.add.%s ", a->used ? "atom" : "red", a->scope,
                packed_type(a, count));
    put_list(&t, 0, results);
    text_printf(&t, "%s[$%d], ", a->used ? ", " : "", results);
    put_list(&t, results + 1, count);
    text_put(&t, ";");
    if (count > 1)
        all = LLVMStructTypeInContext(n->l->ctx, types, (unsigned)count, 0);
    Val old = nv_asm(n, a->used ? all : n->l->none, t.s, c.s, args, nargs);
    for (int i = 0; i < results; i++)
        words[i] = count == 1 ? old : LLVMBuildExtractValue(n->b, old, (unsigned)i, "");
}

/* Of the registers of a vector, which r begins: into out[], where somebody asks. */
static void one_vector(Atomic *a, int r, Val first, Val *out)
{
    const NvStep *s = a->step;
    const int8_t *regs = s->access->regs;
    int count = 1 << s->access->vector_bits;
    Val elements[NV_ACCESS_BYTES], words[NV_MOST_WORDS];

    a->address = LLVMBuildPtrToInt(a->n->b, nv_get(a->n, s->in[0])[r], a->n->l->i64, "");
    a->predicate = predicate_of(a, r, first);
    for (int i = 0; i < count; i++)
        elements[i] = to_bits(a, nv_get(a->n, s->in[RMW_DATA])[nv_vector_register(regs, r, i)]);
    add_words(a, words, nv_pack(a->n, elements, count, a->bits / 8, words));
    if (!a->used)
        return;
    nv_unpack(a->n, words, count, a->bits / 8, elements);
    for (int i = 0; i < count; i++)
        out[nv_vector_register(regs, r, i)] = elements[i];
}

/* --- the step --- */

/* By those who do something. */
static void fence(const Atomic *a, Val first)
{
    const char *text =
        arena_printf(a->n->arena, "%sfence.acq_rel.%s;", first ? "@$0 " : "", a->scope);

    nv_asm(a->n, a->n->l->none, text, first ? "b,~{memory}" : "~{memory}", &first, first ? 1 : 0);
}

void nv_atomic(Nv *n, const NvStep *s)
{
    const NvTile *t = s->out[0];
    Atomic a = {.n = n, .step = s, .plan = s->detail, .dtype = s->op->operands[0]->type->dtype};
    Val *out = nv_set(n, t), first = nv_once_doer(n, s->once);

    a.bits = 8 * dtype_size(a.dtype);
    a.used = a.plan->used;
    a.scope = scope_word(attr_scope(s->op));
    if (a.plan->releases)
        fence(&a, first);
    int vector = nv_vector_register(s->access->regs, 0, (1 << s->access->vector_bits) - 1);
    for (int r = 0; r < nv_count(t); r++) {
        if (nv_live(t, r) && vector == 0)
            out[r] = one_register(&a, r, first);
        else if (nv_live(t, r) && (r & vector) == 0)
            one_vector(&a, r, first, out);
    }
    if (!a.used)
        return;
    if (a.plan->acquires)
        fence(&a, first);
    nv_once_tell(n, s, out, nv_count(t), a.bits / 8);
    if (s->once->buffer == NV_NO_BUFFER)
        nv_wait(n, &s->within);
    for (int r = 0; r < nv_count(t); r++)
        out[r] = out[r] ? from_bits(&a, out[r]) : NULL;
}
