/*
 * interp_reduce.c - reduce and scan: a region combines the elements along one axis
 *
 * A tile is seen as [outer, length, inner] with the axis in the middle.  The region is applied to
 * many lanes at once: to whole rows of `inner` elements where they are long enough, else to rows
 * that are first brought together.  The earlier element is always the first argument (R253, R254).
 *
 * reduce is a tree over adjacent pairs, 2k with 2k+1, an odd last one carried on: float sums are
 * pairwise.  scan is sequential.
 *
 * CombineTemp names what each operand has of its own: a working copy, the first and the second
 * rows of pairs (what goes in and out of a scan) brought together, and results set aside.
 */
#include <string.h>

#include "machine.h"
#include "../ir/analysis.h"

VECTOR_LOOPS

CombineView combine_view(const Type *t, int axis)
{
    CombineView v = {1, t->dims[axis], 1};

    for (int i = 0; i < t->rank; i++) {
        if (i < axis)
            v.outer *= t->dims[i];
        if (i > axis)
            v.inner *= t->dims[i];
    }
    return v;
}

/* --- applying the region --- */

/* One reduce or scan while it runs. */
typedef struct {
    Frame *frame;
    const Op *op;
    const OpSlots *slots;
    const Block *region;
    const Op *only; /* the region's op, where it is a single elementwise one on one operand */
    int n;          /* operands */
} Combine;

static void *combine_temp(const Combine *c, int i, CombineTemp which)
{
    return op_temp(c->frame, c->slots, COMBINE_TEMPS * i + (int)which);
}

static Combine combine_begin(Frame *f, const Op *op)
{
    const OpSlots *slots = slots_of_op(f, op);
    Combine c = {f, op, slots, op->regions[0], NULL, op->noperands};

    if (!f->plan->options.keeps || !interp_tells_region(op))
        c.only = ir_combine_kind(op).only;

    if (!slots->wide)
        return c;
    for (int i = 0; i < slots->ncaptured; i++) {
        const Value *v = slots->captured[i];
        machine_fill(op_temp(f, slots, COMBINE_TEMPS * c.n + i), f->slot[v->id], value_size(v),
                     WIDE_LANES);
    }
    return c;
}

/* Captured scalars are arrays while a wide region runs, and scalars again after it. */
static void swap_captured(const Combine *c, void **others)
{
    for (int i = 0; c->slots->wide && i < c->slots->ncaptured; i++) {
        void **slot = &c->frame->slot[c->slots->captured[i]->id];
        void *now = *slot;
        *slot = others[i];
        others[i] = now;
    }
}

static void *element_at(void *base, int64_t i, const Value *v)
{
    return (char *)base + (size_t)i * value_size(v);
}

/* The region once, on `lanes` lanes from number `at` on.  Results are set aside before any is
 * written: a region may yield an argument of another operand, and r may lie where a does. */
static void run_region(const Combine *c, void *const *a, void *const *b, void *const *r, int64_t at,
                       size_t lanes)
{
    Frame *f = c->frame;

    for (int i = 0; i < c->n; i++) {
        const Value *v = c->op->operands[i];
        f->slot[c->region->args[i]->id] = element_at(a[i], at, v);
        f->slot[c->region->args[c->n + i]->id] = element_at(b[i], at, v);
    }
    f->width = lanes;
    const Op *yield = exec_block(f, c->region);
    f->width = 1;
    for (int i = 0; i < c->n; i++)
        memcpy(combine_temp(c, i, TEMP_ASIDE), operand(f, yield, i),
               lanes * value_size(c->op->operands[i]));
    for (int i = 0; i < c->n; i++) {
        const Value *v = c->op->operands[i];
        memcpy(element_at(r[i], at, v), combine_temp(c, i, TEMP_ASIDE), lanes * value_size(v));
    }
}

/* r = a o b on n lanes; r may be a, or lie before it. */
static void combine_lanes(const Combine *c, void *const *a, void *const *b, void *const *r,
                          int64_t n)
{
    void *captured[c->slots->ncaptured + 1];
    int64_t step = c->slots->wide ? WIDE_LANES : 1;

    if (c->only) {
        const Value *v = c->op->operands[0];
        const void *src[2];
        for (int i = 0; i < 2; i++)
            src[i] = c->only->operands[i]->index == 0 ? a[0] : b[0];
        scalar_apply(c->only->code, c->only->attrs, value_dtype(v), value_dtype(v), src, r[0],
                     (size_t)n);
        return;
    }
    for (int i = 0; c->slots->wide && i < c->slots->ncaptured; i++)
        captured[i] = op_temp(c->frame, c->slots, COMBINE_TEMPS * c->n + i);
    swap_captured(c, captured);
    for (int64_t at = 0; at < n; at += step)
        run_region(c, a, b, r, at, (size_t)MIN(step, n - at));
    swap_captured(c, captured);
}

/* --- reduce --- */

/* One level of the tree where rows are long: each pair of rows where it lies. */
static void halve_rows(const Combine *c, CombineView v, void *const *from, void *const *to)
{
    int64_t pairs = v.length / 2, half = v.length - pairs;
    void *a[c->n], *b[c->n], *r[c->n];

    for (int64_t o = 0; o < v.outer; o++) {
        for (int64_t p = 0; p < half; p++) {
            int64_t row = (o * v.length + 2 * p) * v.inner, into = (o * half + p) * v.inner;
            for (int i = 0; i < c->n; i++) {
                a[i] = element_at(from[i], row, c->op->operands[i]);
                b[i] = element_at(from[i], row + v.inner, c->op->operands[i]);
                r[i] = element_at(to[i], into, c->op->operands[i]);
                if (p == pairs)
                    memmove(r[i], a[i], (size_t)v.inner * value_size(c->op->operands[i]));
            }
            if (p < pairs)
                combine_lanes(c, a, b, r, v.inner);
        }
    }
}

/* One level where rows are short: all first and all second rows of the pairs are brought
 * together, combined in one go, and put down with the odd rows between them. */
static void halve_together(const Combine *c, CombineView v, void *const *from, void *const *to)
{
    int64_t pairs = v.length / 2, half = v.length - pairs;
    const int64_t dims[] = {v.outer, pairs, v.inner}, odd[] = {v.outer, v.inner};
    const int64_t two_rows[] = {v.length * v.inner, 2 * v.inner, 1};
    const int64_t packed[] = {pairs * v.inner, v.inner, 1}, put[] = {half * v.inner, v.inner, 1};
    const int64_t last_from[] = {v.length * v.inner, 1}, last_to[] = {half * v.inner, 1};
    void *a[c->n], *b[c->n];

    for (int i = 0; i < c->n; i++) {
        const Value *x = c->op->operands[i];
        a[i] = combine_temp(c, i, TEMP_FIRST);
        b[i] = combine_temp(c, i, TEMP_SECOND);
        machine_copy_strided(a[i], packed, from[i], two_rows, 3, dims, value_size(x));
        machine_copy_strided(b[i], packed, element_at(from[i], v.inner, x), two_rows, 3, dims,
                             value_size(x));
    }
    if (half == pairs) {
        combine_lanes(c, a, b, to, v.outer * pairs * v.inner);
        return;
    }
    combine_lanes(c, a, b, a, v.outer * pairs * v.inner);
    for (int i = 0; i < c->n; i++) {
        const Value *x = c->op->operands[i];
        machine_copy_strided(element_at(to[i], pairs * v.inner, x), last_to,
                             element_at(from[i], 2 * pairs * v.inner, x), last_from, 2, odd,
                             value_size(x));
        machine_copy_strided(to[i], put, a[i], packed, 3, dims, value_size(x));
    }
}

/* The first level reads the operands, later ones the working copies. */
void exec_reduce(Frame *f, const Op *op)
{
    CombineView v = combine_view(op->operands[0]->type, (int)attr_axis(op));
    Combine c = combine_begin(f, op);
    void *from[c.n], *work[c.n];

    for (int i = 0; i < c.n; i++) {
        from[i] = operand(f, op, i);
        work[i] = combine_temp(&c, i, TEMP_WORK);
    }
    for (void **at = from; v.length > 1; at = work) {
        if (v.inner < SHORT_ROW)
            halve_together(&c, v, at, work);
        else
            halve_rows(&c, v, at, work);
        v.length -= v.length / 2;
    }
    bool reduced = op->operands[0]->type->dims[attr_axis(op)] > 1;
    for (int i = 0; i < c.n; i++)
        memcpy(f->slot[op->results[i]->id], reduced ? work[i] : from[i],
               value_numel(op->results[i]) * value_size(op->results[i]));
}

/* --- scan --- */

#define LINE(T, W, o)                                                                              \
    {                                                                                              \
        const T *s = src;                                                                          \
        T *d = dst, x = s[at];                                                                     \
        d[at] = x;                                                                                 \
        for (int64_t k = 1; k < n; k++) {                                                          \
            at += step;                                                                            \
            d[at] = x = (T)((W)x o(W) s[at]);                                                      \
        }                                                                                          \
        return true;                                                                               \
    }
#define LINES(o)                                                                                   \
    switch (t) {                                                                                   \
    case DT_FP32:                                                                                  \
        LINE(float, float, o)                                                                      \
    case DT_FP64:                                                                                  \
        LINE(double, double, o)                                                                    \
    case DT_I32:                                                                                   \
    case DT_U32:                                                                                   \
        LINE(uint32_t, uint32_t, o)                                                                \
    case DT_I64:                                                                                   \
    case DT_U64:                                                                                   \
        LINE(uint64_t, uint64_t, o)                                                                \
    default:                                                                                       \
        return false;                                                                              \
    }

/* A line of n elements, summed or multiplied up from its start or its end; false for others. */
static bool scan_line(OpCode op, DType t, const void *src, void *dst, int64_t n, bool reverse)
{
    int64_t at = reverse ? n - 1 : 0, step = reverse ? -1 : 1;

    if (op == OP_add)
        LINES(+)
    if (op == OP_mul)
        LINES(*)
    return false;
}

static bool scan_lines(const Combine *c, CombineView v, bool reverse)
{
    const Value *x = c->op->operands[0];

    if (!c->only || v.inner != 1)
        return false;
    for (int64_t o = 0; o < v.outer; o++) {
        if (!scan_line(c->only->code, value_dtype(x),
                       element_at(operand(c->frame, c->op, 0), o * v.length, x),
                       element_at(result(c->frame, c->op), o * v.length, x), v.length, reverse))
            return false;
    }
    return true;
}

/* Row k of the result is row k - 1 of it combined with row k of the operand; k counts from the
 * end in a reverse scan, so the first argument is then the later element (R254). */
static void scan_rows(const Combine *c, int64_t length, int64_t lanes, void **from, void **to,
                      bool reverse)
{
    void *a[c->n], *b[c->n], *r[c->n];

    for (int64_t k = 0; k < length; k++) {
        int64_t row = (reverse ? length - 1 - k : k) * lanes;
        for (int i = 0; i < c->n; i++) {
            const Value *x = c->op->operands[i];
            a[i] = k > 0 ? r[i] : NULL;
            b[i] = element_at(from[i], row, x);
            r[i] = element_at(to[i], row, x);
            if (k == 0)
                memcpy(r[i], b[i], (size_t)lanes * value_size(x));
        }
        if (k > 0)
            combine_lanes(c, a, b, r, lanes);
    }
}

/* Short rows: the axis goes in front, so that all lanes of a step lie side by side. */
static void scan_together(const Combine *c, CombineView v, bool reverse)
{
    const int64_t dims[] = {v.length, v.outer, v.inner};
    const int64_t apart[] = {v.inner, v.length * v.inner, 1};
    const int64_t packed[] = {v.outer * v.inner, v.inner, 1};
    void *from[c->n], *to[c->n];

    for (int i = 0; i < c->n; i++) {
        from[i] = combine_temp(c, i, TEMP_FIRST);
        to[i] = combine_temp(c, i, TEMP_SECOND);
        machine_copy_strided(from[i], packed, operand(c->frame, c->op, i), apart, 3, dims,
                             value_size(c->op->operands[i]));
    }
    scan_rows(c, v.length, v.outer * v.inner, from, to, reverse);
    for (int i = 0; i < c->n; i++)
        machine_copy_strided(c->frame->slot[c->op->results[i]->id], apart, to[i], packed, 3, dims,
                             value_size(c->op->operands[i]));
}

void exec_scan(Frame *f, const Op *op)
{
    CombineView v = combine_view(op->operands[0]->type, (int)attr_axis(op));
    Combine c = combine_begin(f, op);
    bool reverse = attr_reverse(op) != 0;
    void *from[c.n], *to[c.n];

    if (scan_lines(&c, v, reverse))
        return;
    if (v.inner < SHORT_ROW) {
        scan_together(&c, v, reverse);
        return;
    }
    for (int64_t o = 0; o < v.outer; o++) {
        for (int i = 0; i < c.n; i++) {
            const Value *x = op->operands[i];
            from[i] = element_at(operand(f, op, i), o * v.length * v.inner, x);
            to[i] = element_at(f->slot[op->results[i]->id], o * v.length * v.inner, x);
        }
        scan_rows(&c, v.length, v.inner, from, to, reverse);
    }
}
