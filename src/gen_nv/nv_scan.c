/*
 * nv_scan.c - scans: in registers, among the lanes of a warp, among warps
 *
 * Bits of the index go from the lowest to the highest, whatever they move.  Each part of the axis
 * whose bits are done is known by its *total*, which all threads of that part have, and each thread
 * knows what comes before its own elements within the part: its *prefix*.  With the next bit two
 * parts become one: the total of the earlier one goes in front of the prefixes of the later one,
 * and of its total.  At the end the prefix goes in front of the elements themselves.
 *
 * The lowest bits often belong to registers.  These are combined one after the other right away,
 * and share a prefix.
 *
 * A reverse scan is the same from the other end: of two parts the one with the bit set is earlier.
 * Its elements may not exist while those of the later part do; going forward it is only the later
 * ones, which nobody asks for; but a region that uses memory must not be given them.
 */
#include "nv_combining.h"

/* What comes before; `there`: an i1, NULL: always. */
typedef struct {
    Part part;
    bool any; /* else nothing comes before in any thread */
    Val there;
} Prefix;

typedef struct {
    Combining c;
    bool reverse;
    uint32_t run;   /* bits of the index in which registers share a prefix */
    Part *total;    /* by register, of those that are left */
    Prefix *prefix; /* by register, of those without bits of the run */
} Scan;

/* --- pieces --- */

/* May the two parts come together, of which the one at the higher indices begins at `upper`?  Going
 * forward that one need not exist, if the region does not mind what it is given. */
static Certainty may_combine(Scan *s, uint32_t upper, Val *when)
{
    bool asks = s->reverse || s->c.plan->uses_memory;

    return asks ? combining_exists(&s->c, upper, when) : ALWAYS;
}

static Val condition(const Scan *s, Certainty exists, Val when)
{
    return exists == ALWAYS ? NULL : exists == NEVER ? llvm_int(s->c.n->l->i1, 0) : when;
}

/* Does a o b give the very bits of b o a?  A GPU's min and max of floats do, too. */
static bool commutes(const Scan *s)
{
    const CombineKind *kind = &s->c.plan->kind;

    return kind->neutral != OP_COUNT && op_has(kind->only, COMMUTES);
}

/* out = earlier o later, or the one at the lower indices where the other is not there; `there`, an
 * i1, or NULL: it always is. */
static void put_in_front(Scan *s, int r, const Part *earlier, const Part *later, Val there,
                         Part *out)
{
    combining_apply(&s->c, r, earlier, later, there, s->reverse ? later : earlier, out);
}

/* What comes before is now also `part`, in front of all else, in threads where `there`. */
static void extend_prefix(Scan *s, int r, const Part *part, Val there)
{
    Prefix *p = &s->prefix[r];
    Part known, both;

    if (there && s->c.filled) {
        combining_neutral(&s->c, &known);
        combining_select(&s->c, there, part, &known, &known);
        part = &known;
        there = NULL;
    }
    if (!p->any) {
        *p = (Prefix){*part, true, there};
        return;
    }
    Val runs = s->c.plan->uses_memory ? nv_both(s->c.n, there, p->there) : p->there;
    combining_apply(&s->c, r, part, &p->part, runs, part, &both);
    if (there)
        combining_select(&s->c, there, &both, &p->part, &both);
    p->part = both;
    if (p->there)
        p->there = there ? LLVMBuildOr(s->c.n->b, p->there, there, "") : NULL;
}

/* The register's bits that move the index so; others do nothing to it. */
static int registers_of(const Scan *s, uint32_t bits)
{
    return combining_register(&s->c, bits & ~s->c.thread_bits);
}

/* The same for all registers that have become one with r, which is left. */
static void extend_prefixes(Scan *s, int r, const Part *part, Val there)
{
    int done = registers_of(s, s->c.done), run = registers_of(s, s->run);

    for (int i = 0; i < s->c.registers; i++) {
        if ((i & ~done) == r && (i & run) == 0 && s->c.x[i].v[0])
            extend_prefix(s, i, part, there);
    }
}

/* --- registers --- */

/* Elements of the run that register r begins, one after the other. */
static void scan_run(Scan *s, int r)
{
    Combining *c = &s->c;
    int n = 1 << __builtin_popcount(s->run);
    const Part *before = NULL;

    for (int i = 0; i < n; i++) {
        uint32_t at = layout_deposit((uint32_t)(s->reverse ? n - 1 - i : i), s->run);
        Part *x = &c->x[r | combining_register(c, at)];
        if (!x->v[0])
            continue;
        if (before) {
            Val when = NULL;
            uint32_t upper = combining_index(c, (int)((s->reverse ? before : x) - c->x));
            Certainty exists = may_combine(s, upper, &when);
            put_in_front(s, r, before, x, condition(s, exists, when), x);
        }
        before = x;
    }
    if (before)
        s->total[r] = *before;
}

static void scan_registers(Scan *s, int bit)
{
    Combining *c = &s->c;
    int step = combining_register(c, 1u << bit);

    for (int r = 0; r < c->registers; r++) {
        if (!combining_is_left(c, r) || (r & step) || !s->total[r | step].v[0])
            continue;
        int first = s->reverse ? r | step : r, second = first ^ step;
        Val when = NULL;
        Certainty exists = may_combine(s, combining_index(c, r | step), &when);
        Val there = condition(s, exists, when);
        extend_prefixes(s, second, &s->total[first], there);
        put_in_front(s, r, &s->total[first], &s->total[second], there, &s->total[r]);
    }
    c->done |= 1u << bit;
}

/* --- lanes --- */

static void scan_lanes(Scan *s, int bit)
{
    Combining *c = &s->c;
    Val set = combining_bit(c, bit), is_later = set;

    if (s->reverse)
        is_later = LLVMBuildNot(c->n->b, set, "");
    c->done |= 1u << bit;
    for (int r = 0; r < c->registers; r++) {
        Part other, first, second;
        Val when = NULL;
        if (!combining_is_left(c, r) || !s->total[r].v[0])
            continue;
        Certainty exists = may_combine(s, combining_index(c, r) | 1u << bit, &when);
        combining_shuffle(c, &s->total[r], c->plan->walk.step[bit].bit, &other);
        Val there = condition(s, exists, when);
        extend_prefixes(s, r, &other, nv_both(c->n, is_later, there));
        if (!there && commutes(s)) {
            put_in_front(s, r, &other, &s->total[r], NULL, &s->total[r]);
            continue;
        }
        combining_select(c, is_later, &other, &s->total[r], &first);
        combining_select(c, is_later, &s->total[r], &other, &second);
        put_in_front(s, r, &first, &second, there, &s->total[r]);
    }
}

/* --- warps --- */

/* Parts of all warps come by in order; what has come by in front of the thread's own is what goes
 * in front of its prefix. */
static void scan_parts(Scan *s, const NvStage *g, int r, const Part *parts, Val own)
{
    Combining *c = &s->c;
    int n = nv_stage_parts(g);
    Val none = llvm_int(c->n->l->i1, 0), sum_there = none, before_there = none;
    Part sum = parts[s->reverse ? n - 1 : 0], before = sum;

    for (int i = 0; i < n; i++) {
        int at = s->reverse ? n - 1 - i : i;
        uint32_t index = combining_index(c, r) | layout_deposit((uint32_t)at, g->bits);
        Val when = NULL,
            here = LLVMBuildICmp(c->n->b, LLVMIntEQ, own, llvm_int(c->n->l->i32, at), "");
        Val there = condition(s, may_combine(s, index, &when), when);
        if (!s->reverse)
            sum_there = there;
        if (i > 0) {
            combining_select(c, here, &sum, &before, &before);
            before_there = LLVMBuildOr(c->n->b, before_there, nv_both(c->n, here, sum_there), "");
            put_in_front(s, r, &sum, &parts[at], sum_there, &sum);
        }
        if (s->reverse)
            sum_there = there;
    }
    extend_prefixes(s, r, &before, before_there);
    s->total[r] = sum;
}

static void scan_warps(Scan *s, const NvStage *g)
{
    Combining *c = &s->c;
    Part *elements = c->x;

    c->x = s->total;
    Part *parts = combining_exchange(c, g);
    c->x = elements;
    Val own = combining_own(c, g);
    c->done |= g->bits;
    for (int r = 0; r < c->registers; r++) {
        if (combining_is_left(c, r) && s->total[r].v[0])
            scan_parts(s, g, r, parts + r * nv_stage_parts(g), own);
    }
}

/* --- the whole --- */

/* NULL: it does, or what it becomes does not matter. */
static Val element_exists(Scan *s, int r)
{
    return s->c.plan->uses_memory ? nv_exists(s->c.n, s->c.plan->layout, r) : NULL;
}

static void put_results(Scan *s)
{
    Combining *c = &s->c;
    int run = registers_of(s, s->run);

    for (int r = 0; r < c->registers; r++) {
        Prefix *p = &s->prefix[r & ~run];
        Part *x = &c->x[r];
        if (x->v[0] && p->any)
            combining_apply(c, r, &p->part, x, nv_both(c->n, p->there, element_exists(s, r)), x, x);
    }
    for (int k = 0; k < c->count; k++) {
        if (!c->step->out[k]) /* nobody wants it */
            continue;
        Val *out = nv_set(c->n, c->step->out[k]);
        for (int r = 0; r < c->registers; r++)
            out[r] = c->x[r].v[k];
    }
}

static void begin(Scan *s)
{
    Combining *c = &s->c;

    s->total = NEW_N(c->n->arena, Part, c->registers);
    s->prefix = NEW_N(c->n->arena, Prefix, c->registers);
    if (c->plan->nstages > 0 && c->plan->stages[0].kind == STEP_REGISTER)
        s->run = c->plan->stages[0].bits;
    c->done = s->run;
    for (int r = 0; r < c->registers; r++) {
        if (combining_is_left(c, r))
            scan_run(s, r);
    }
}

void nv_scan(Nv *n, const NvStep *step)
{
    Scan s = {.c = combining_begin(n, step), .reverse = attr_reverse(step->op) != 0};
    const NvCombine *plan = s.c.plan;

    begin(&s);
    for (int i = s.run ? 1 : 0; i < plan->nstages; i++) {
        const NvStage *g = &plan->stages[i];
        if (g->kind == STEP_WARP)
            scan_warps(&s, g);
        for (int bit = 0; g->kind != STEP_WARP && bit < plan->walk.nsteps; bit++) {
            if ((g->bits >> bit & 1) == 0)
                continue;
            if (g->kind == STEP_LANE)
                scan_lanes(&s, bit);
            else
                scan_registers(&s, bit);
        }
    }
    put_results(&s);
}
