/*
 * nv_sort.c - rows in order, by the network that the plan has (nv_sort.h)
 *
 * Elements are i32 or i64 on the way, whatever they were.  What is beyond the end of a row goes
 * behind all others.  Between warps they go through shared memory, in vectors: (vector, thread,
 * element), the last one lowest.
 */
#include "nv.h"
#include "../gpu_plan/nv_sort.h"

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvSort *plan;
    DType dtype;
    bool descending;
    LLVMTypeRef type;
    int words, count; /* of an element; registers */
    uint32_t left;    /* bits of the register's number */
    bool exchanged;   /* there are reads of the buffer to be waited for */
    Val *x;           /* by register; NULL: none of this thread any more */
} Sort;

static bool is_left(const Sort *s, int r)
{
    return ((uint32_t)r & ~s->left) == 0;
}

/* Is `a` to be in front of `b`, which may be its equal?  An i1. */
static Val in_front(const Sort *s, Val a, Val b)
{
    bool is_signed = dtype_is_signed(s->dtype);
    LLVMIntPredicate less = is_signed ? LLVMIntSLT : LLVMIntULT;
    LLVMIntPredicate greater = is_signed ? LLVMIntSGT : LLVMIntUGT;

    return LLVMBuildICmp(s->n->b, s->descending ? greater : less, a, b, "");
}

/* LLVM would look for sums among what long networks of extremes are made of, each twice of two. */
static Val one_of(const Sort *s, bool front, Val a, Val b)
{
    bool largest = front == s->descending, is_signed = dtype_is_signed(s->dtype);
    LLVMTypeRef t = LLVMTypeOf(a);
    unsigned bits = LLVMGetIntTypeWidth(t);

    if (bits != 32 && bits != 64)
        return llvm_extreme(s->n->l, s->n->b, largest, is_signed, a, b);
    return nv_pure_asm(s->n, t,
                       arena_printf(s->n->arena, "%s.%c%u $0, $1, $2;", largest ? "max" : "min",
                                    is_signed ? 's' : 'u', bits),
                       bits == 32 ? "=r,r,r" : "=l,l,l", (Val[]){a, b}, 2);
}

/* --- elements of other threads --- */

/* Elements of a vector, and where thread `number` (an i32) has one of its vectors. */
static int vector_elements(const Sort *s)
{
    return MIN(1 << __builtin_popcount(s->left), NV_ACCESS_BYTES / (4 * s->words));
}

static NvPlace place_of(const Sort *s, const char *how, Val number, int vector)
{
    Nv *n = s->n;
    int bytes = 4 * s->words * vector_elements(s);
    int64_t threads = (int64_t)NV_LANES << s->plan->layout->nwarp;
    Val at = LLVMBuildMul(n->b, number, llvm_int(n->l->i32, bytes), "");

    return (NvPlace){.how = how,
                     .bytes = bytes,
                     .address = nv_shared_at(n, s->plan->buffer, at),
                     .offset = vector * threads * bytes};
}

/* Vectors first .. first + most of each thread. */
static void exchange_piece(Sort *s, Holder moves, int first, int most, Val *other)
{
    Nv *n = s->n;
    int elements = vector_elements(s);
    uint32_t within = layout_deposit((uint32_t)elements - 1, s->left);
    Val thread = n->thread, words[NV_MOST_WORDS], v[NV_MOST_WORDS];
    Val there =
        LLVMBuildXor(n->b, thread, llvm_int(n->l->i32, layout_thread(s->plan->layout, moves)), "");

    if (s->exchanged)
        nv_wait(n, &s->step->within);
    s->exchanged = true;
    for (int k = first; k < first + most; k++) {
        uint32_t r = layout_deposit((uint32_t)(k * elements), s->left);
        NvPlace p = place_of(s, "st.shared", thread, k - first);
        for (int i = 0; i < elements; i++)
            v[i] = s->x[r | layout_deposit((uint32_t)i, within)];
        nv_pack(n, v, elements, 4 * s->words, words);
        nv_write(n, &p, words);
    }
    nv_wait(n, &s->step->within);
    for (int k = first; k < first + most; k++) {
        uint32_t r = layout_deposit((uint32_t)(k * elements), s->left);
        NvPlace p = place_of(s, "ld.shared", there, k - first);
        nv_read(n, &p, NULL, words);
        nv_unpack(n, words, elements, 4 * s->words, v);
        for (int i = 0; i < elements; i++)
            other[(r | layout_deposit((uint32_t)i, within)) ^ moves.reg] = v[i];
    }
}

static void exchange(Sort *s, Holder moves, Val *other)
{
    int vectors = (1 << __builtin_popcount(s->left)) / vector_elements(s);
    int room = MIN(vectors, s->plan->room / vector_elements(s));

    for (int first = 0; first < vectors; first += room)
        exchange_piece(s, moves, first, room, other);
}

/* other[r]: what register r meets. */
static void meet(Sort *s, uint32_t mask, Val *other)
{
    Holder moves = nv_sort_moves(s->plan, mask);

    if (moves.warp) {
        exchange(s, moves, other);
        return;
    }
    for (int r = 0; r < s->count; r++) {
        if (!is_left(s, r))
            continue;
        Val v = s->x[(uint32_t)r ^ moves.reg];
        other[r] = moves.lane ? nv_shuffle_xor(s->n, v, moves.lane) : v;
    }
}

/* --- steps --- */

/* i1: does the thread have the element behind the one that it meets?  Of bits that threads move. */
static Val is_behind(const Sort *s, int bit)
{
    Holder moves = nv_sort_moves(s->plan, 1u << bit);

    return LLVMBuildNot(s->n->b, nv_is_first(s->n, layout_thread(s->plan->layout, moves)), "");
}

static Val lesser(const Sort *s, const NvSortStep *step, int r, Val mine, Val other)
{
    AxisStep place = s->plan->place[step->bit];

    if (step->halve)
        return one_of(s, true, mine, other);
    if (place.kind == STEP_REGISTER)
        return one_of(s, !((uint32_t)r >> place.bit & 1), mine, other);
    Val behind = is_behind(s, step->bit);
    Val keep = LLVMBuildXor(s->n->b, in_front(s, mine, other), behind, "");
    return LLVMBuildSelect(s->n->b, keep, mine, other, "");
}

static void run_step(Sort *s, const NvSortStep *step)
{
    AxisStep place = s->plan->place[step->bit];
    Val *other = NEW_N(s->n->arena, Val, s->count), *next = NEW_N(s->n->arena, Val, s->count);

    meet(s, step->mask, other);
    if (step->halve && place.kind == STEP_REGISTER)
        s->left &= ~(1u << place.bit);
    for (int r = 0; r < s->count; r++)
        next[r] = is_left(s, r) ? lesser(s, step, r, s->x[r], other[r]) : NULL;
    s->x = next;
}

/* --- the whole --- */

static Val last_of_all(const Sort *s)
{
    LLVMTypeRef own = LLVMIntTypeInContext(s->n->l->ctx, (unsigned)dtype_bits(s->dtype));
    Val last = LLVMConstInt(own, ir_extreme(s->dtype, !s->descending), 0);

    return LLVMBuildIntCast2(s->n->b, last, s->type, dtype_is_signed(s->dtype), "");
}

static void begin(Sort *s)
{
    const NvTile *in = s->step->in[0];
    const Layout *l = s->plan->layout;
    Nv *n = s->n;
    Val last = last_of_all(s);

    for (int r = 0; r < s->count; r++) {
        s->x[r] = last;
        if (!nv_live(in, r))
            continue;
        Val v = LLVMBuildIntCast2(n->b, nv_get(n, in)[r], s->type, dtype_is_signed(s->dtype), "");
        Val there = nv_exists(n, l, r);
        s->x[r] = there ? LLVMBuildSelect(n->b, there, v, last, "") : v;
    }
}

void nv_sort(Nv *n, const NvStep *step)
{
    const NvTile *to = step->out[0];
    const Type *t = step->op->operands[0]->type;
    Sort s = {.n = n, .step = step, .plan = step->detail, .dtype = t->dtype};

    s.descending = attr_descending(step->op) != 0;
    s.words = nv_sort_words(t);
    s.type = s.words == 1 ? n->l->i32 : n->l->i64;
    s.count = layout_registers(s.plan->layout);
    s.left = (uint32_t)s.count - 1;
    s.x = NEW_N(n->arena, Val, s.count);
    begin(&s);
    for (int i = 0; i < s.plan->nsteps; i++)
        run_step(&s, &s.plan->steps[i]);
    Val *out = nv_set(n, to);
    for (int r = 0; r < nv_count(to); r++) {
        Val v = s.x[layout_deposit((uint32_t)r, s.plan->registers)];
        if (nv_live(to, r))
            out[r] = LLVMBuildTruncOrBitCast(n->b, v, nv_type(n, to), "");
    }
}
