/*
 * pipeline.c - which passes run, in which order
 *
 * One list.  After every pass the verifier looks at the result when asked to, and the caller may
 * have it printed.  At the end every value gets a new id, so that ids are dense again.
 */
#include <string.h>

#include "../math/math.h"
#include "opt_target.h"

/* A pass works on one function after the other, or on the module. */
typedef struct {
    const char *name;
    void (*on_func)(Func *f);
    void (*on_module)(Module *m, const OptOptions *o, Diags *d);
    bool scheduled; /* only for targets that have a schedule of their own */
    bool windows;   /* only for those that want OptOptions.windows */
} Pass;

static void inline_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)o;
    opt_inline(m, d);
}

static void legalise_module(Module *m, const OptOptions *o, Diags *d)
{
    opt_legalise(m, o, d);
}

/* The values, by id, that have no element below 2^-100, for those functions that ask. */
static const bool *large_values(const Func *f)
{
    const uint8_t *facts = axis_number_facts(f, f->module->arena);
    bool *large = NEW_N(f->module->arena, bool, (size_t)f->nvalues + 1);

    for (int i = 0; i <= f->nvalues; i++)
        large[i] = facts[i] & NUMBER_LARGE;
    return large;
}

static void see_logarithm(Op *op, void *seen)
{
    OpCode c = op->code;

    *(bool *)seen |= c == OP_log || c == OP_log2 || c == OP_log10 || c == OP_log1p;
}

static void math_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)d;
    for (int i = 0; i < m->nfuncs; i++) {
        bool logarithms = false;
        ir_walk(m->funcs[i]->body, see_logarithm, &logarithms);
        math_expand(m->funcs[i], o->native, o->straight_math,
                    logarithms ? large_values(m->funcs[i]) : NULL);
    }
}

static void unroll_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)d;
    for (int i = 0; i < m->nfuncs; i++)
        opt_unroll(m->funcs[i], o->windows, o->schedules);
}

static void rows_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)d;
    for (int i = 0; o->windows && o->disjoint && i < m->nfuncs; i++)
        opt_rows(m->funcs[i]);
}

static void flat_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)d;
    for (int i = 0; o->windows && o->disjoint && i < m->nfuncs; i++)
        opt_flat(m->funcs[i]);
}

static void widen_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)d;
    for (int i = 0; o->windows && o->disjoint && i < m->nfuncs; i++)
        opt_widen(m->funcs[i]);
}

static void ahead_module(Module *m, const OptOptions *o, Diags *d)
{
    (void)d;
    for (int i = 0; i < m->nfuncs; i++) {
        opt_straight(m->funcs[i]);
        opt_ahead(m->funcs[i], o->disjoint);
    }
}

typedef enum {
    LEGALISE,
    INLINE,
    ASSERT,
    PROMISE,
    FOLD,
    CSE,
    DCE,
    UNROLL,
    FLAT,
    WIDEN,
    PAIRS,
    WINDOW,
    CLAMP,
    DOT,
    THIN,
    CARRY,
    SETTLE,
    LICM,
    EITHER,
    NARROW,
    EARLY,
    LONGER,
    SUMS,
    ROWS,
    PICK,
    LATE,
    AHEAD,
    WHOLE,
    CONTRACT,
    MATH
} PassId;

/* clang-format off */
static const Pass passes[] = {
    [LEGALISE] = {"legalise", NULL, legalise_module}, /* take out what the target does not have */
    [INLINE]   = {"inline", NULL, inline_module},    /* put called functions where they are called; drop helpers */
    [ASSERT]   = {"assert", opt_assert, NULL},       /* assertions and checks as code that finds where they fail */
    [PROMISE]  = {"promise", opt_promise, NULL},     /* a hint that stands alone holds for what is behind it */
    [FOLD]     = {"fold", opt_fold, NULL},           /* constants, exact algebra, scalar work for uniform tiles */
    [CSE]      = {"cse", opt_cse, NULL},             /* compute equal things once */
    [DCE]      = {"dce", opt_dce, NULL},             /* drop what nothing needs, carried values too */
    [UNROLL]   = {"unroll", NULL, unroll_module},    /* repeat the bodies of loops that ask for it */
    [FLAT]     = {"flat", NULL, flat_module},        /* rows and columns of flat indices as tiles */
    [WIDEN]    = {"widen", NULL, widen_module},      /* tiles of short rows as longer ones */
    [PAIRS]    = {"pairs", opt_pairs, NULL, .windows = true},      /* every other element as a tile of its own */
    [WINDOW]   = {"window", opt_window, NULL, .windows = true},    /* maxima and sums over windows, by halves */
    [CLAMP]    = {"clamp", opt_clamp, NULL, .windows = true},      /* edges of loads at clamped indices by themselves */
    [DOT]      = {"dot", opt_dot, NULL},             /* add into a product's accumulator */
    [THIN]     = {"thin", opt_thin, NULL, .windows = true},        /* products of one row or column as sums */
    [CARRY]    = {"carry", opt_carry, NULL},         /* carry scalars through loops instead of tiles */
    [SETTLE]   = {"settle", opt_settle, NULL},       /* masks that are known */
    [LICM]     = {"licm", opt_licm, NULL},           /* move what a loop does not change in front of it */
    [EITHER]   = {"either", opt_either, NULL},       /* one of two divisions for each element */
    [NARROW]   = {"narrow", opt_narrow, NULL, .windows = true},    /* bytes stay bytes where nothing wraps */
    [EARLY]    = {"early", opt_early, NULL, .windows = true}, /* add up numbers in place of long tiles */
    [LONGER]   = {"longer", opt_longer, NULL, .windows = true}, /* rounds that reduce along what they count */
    [SUMS]     = {"sums", opt_unroll_sums, NULL, .windows = true},        /* loops that add up tiles, four rounds in one */
    [ROWS]     = {"rows", NULL, rows_module},        /* tiles of rows as loops over them */
    [PICK]     = {"pick", opt_pick, NULL, .windows = true},        /* an element by its number */
    [LATE]     = {"late", opt_late, NULL, true},     /* reduce what rounds add up behind the loop */
    [AHEAD]    = {"ahead", NULL, ahead_module, true}, /* let a round ask for the next one's loads */
    [WHOLE]    = {"whole", opt_whole, NULL, true},   /* what follows a mask once more, without it */
    [CONTRACT] = {"contract", opt_contract, NULL, true}, /* products within loose powers are not rounded */
    [MATH]     = {"math", NULL, math_module},        /* exp, log, ... as polynomials where a target has none */
};
/* clang-format on */

/* Merging and dropping before unrolling keep the copies few; folding after each pass that makes
 * new uniform tiles or constants lets the next one see them. */
static const PassId order[] = {
    LEGALISE, INLINE, ASSERT,   PROMISE,         /* what targets have */
    FOLD,     CSE,    DCE,                       /* the kernel as written, without waste */
    UNROLL,   FOLD,   FLAT,     WIDEN,   PAIRS,  /* loops */
    WINDOW,   CLAMP,  DOT,      THIN,    CARRY,  /* edges, what they add up, and carry */
    SETTLE,   FOLD,   LICM,     CSE,     DCE,    /* one tile of offsets, scalar steps */
    EITHER,   NARROW, EARLY,    DCE,     LONGER, /* bytes, sums, and rounds that add them up */
    SUMS,     ROWS,   PICK,                      /* rows, elements */
    LATE,     DCE,                               /* what lanes would wait for */
    AHEAD,    WHOLE,  CONTRACT, MATH,            /* what the target is slow at */
    FOLD,     LICM,   CSE,      DCE,             /* coefficients leave the loops */
};

static int renumber_block(Block *b, int next)
{
    for (int i = 0; i < b->nargs; i++)
        b->args[i]->id = next++;
    for (Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->nresults; i++)
            op->results[i]->id = next++;
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                next = renumber_block(op->regions[r], next);
        }
    }
    return next;
}

/* False: the pass reported an error, or left something that is no IR. */
static bool run_pass(const Pass *pass, Module *m, const OptOptions *o, Diags *d)
{
    int errors = diag_errors(d);

    if (pass->on_module)
        pass->on_module(m, o, d);
    for (int i = 0; pass->on_func && (o->windows || !pass->windows) && i < m->nfuncs; i++)
        pass->on_func(m->funcs[i]);
    if (diag_errors(d) > errors)
        return false;
    if (o->verify && !ir_verify(m, d)) {
        diag(d, DIAG_ERROR, (Span){0}, "internal error: the pass '%s' broke the IR", pass->name);
        return false;
    }
    if (o->trace)
        o->trace(o->trace_ctx, pass->name, m);
    return true;
}

bool opt_run(Module *m, const OptOptions *o, Diags *d)
{
    if (o->trace)
        o->trace(o->trace_ctx, "input", m);
    for (int i = 0; i < COUNT(order); i++) {
        const Pass *pass = &passes[order[i]];
        if (pass->scheduled && !o->schedules)
            continue;
        if (!run_pass(pass, m, o, d))
            return false;
    }
    for (int i = 0; i < m->nfuncs; i++)
        m->funcs[i]->nvalues = renumber_block(m->funcs[i]->body, 0);
    return true;
}

bool opt_run_pass(Module *m, const char *name, Diags *d)
{
    const OptOptions options = {.verify = true, .disjoint = true, .windows = true};

    for (int i = 0; i < COUNT(passes); i++) {
        if (strcmp(passes[i].name, name) == 0)
            return run_pass(&passes[i], m, &options, d);
    }
    return false;
}

const char *opt_pass_name(int i)
{
    return i < COUNT(passes) ? passes[i].name : NULL;
}
