/*
 * test_plan_verify.c - plans that are broken by hand: is it told?
 *
 * Kernels of tests/gen are planned, and pass.  Then one entry, one step at a time is left out of
 * where it belongs, and whoever reads it must be told of.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/opt_target/opt_target.h"
#include "../../src/plan_schedule/plan_schedule.h"
#include "../../src/plan_verify/plan_verify.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

static const char *const kernels[] = {
    "attention",   "softmax",      "combine_loop", "while_order", "fields",     "regroup",
    "behind_if",   "turned_chunk", "dot_bytes",    "dot_bf16",    "dot_rounds", "dot_keep",
    "dot_strips",  "dot_live",     "dot_place",    "dot_wait",    "full",       "pieces",
    "scan_narrow", "scan_wide",    "records_apart"};

static const char *const machines[] = {
    "+avx2,+fma", "+avx2,+avx512f,+avx512bw,+fma,+avx512vnni,+amx-int8,+amx-bf16"};

static Func *read_kernel(Arena *a, const char *name)
{
    Diags *d = diags_new(a, NULL);
    const char *path = arena_printf(a, "%s/tests/gen/%s.ir", getenv("TILEC_SOURCE"), name);
    OptOptions o = {.verify = true};
    char *text;
    size_t len;

    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    Module *m = ir_read(a, interner_new(a), source_add(diags_sources(d), name, text, len), d);
    if (!m || !opt_run(m, &o, d))
        fail_msg("%s: %s", name, diags_text(d, a));
    return m->funcs[0];
}

static bool passes(const Plan *p, const char **said)
{
    Diags *d = diags_new(p->arena, NULL);
    bool passed = plan_verify(p, d);

    *said = diags_text(d, p->arena);
    assert_int_equal(diag_errors(d), passed ? 0 : 1);
    return passed;
}

static void expect_told(const Plan *p)
{
    const char *said;

    assert_false(passes(p, &said));
    assert_non_null(strstr(said, ".ir:") ? said : strstr(said, "internal error: the plan of"));
    assert_non_null(strstr(said, "internal error: the plan of"));
}

/* --- entries --- */

static bool reads(const Schedule *s, int entry)
{
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < s->part[part].len; i++) {
            const Entry *e = &s->entries.at[s->part[part].at[i]];
            for (int k = 0; k < e->nin; k++) {
                if (e->in[k] == entry)
                    return true;
            }
        }
    }
    return false;
}

/* Each entry that another one reads is left out of its part. */
static int drop_entries(const Plan *p, Schedule *s)
{
    const char *said;
    int told = 0;

    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < s->part[part].len; i++) {
            int *at = s->part[part].at, entry = at[i], rest = s->part[part].len - i - 1;
            memmove(&at[i], &at[i + 1], sizeof *at * (size_t)rest);
            s->part[part].len--;
            if (reads(s, entry)) {
                expect_told(p);
                told++;
            }
            memmove(&at[i + 1], &at[i], sizeof *at * (size_t)rest);
            at[i] = entry;
            s->part[part].len++;
        }
    }
    if (!passes(p, &said))
        fail_msg("%s", said);
    return told;
}

/* Is it in a part?  What a dead segment was tried with is not. */
static bool stands(const Schedule *s, int entry)
{
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < s->part[part].len; i++) {
            if (s->part[part].at[i] == entry)
                return true;
        }
    }
    return false;
}

/* Inputs that are no entry, of what cannot do without. */
static int drop_inputs(const Plan *p, Schedule *s)
{
    int told = 0;

    for (int i = 0; i < s->entries.len; i++) {
        Entry *e = &s->entries.at[i];
        bool needs = e->kind == MAKE_OP || e->kind == MAKE_LOAD || e->kind == MAKE_DIVIDE ||
                     e->kind == MAKE_PIECE || e->kind == MAKE_REMAINDER || e->kind == MAKE_SCANNED;
        if (!needs || e->nin == 0 || !stands(s, i))
            continue;
        int was = e->in[0];
        e->in[0] = NO_ENTRY;
        expect_told(p);
        e->in[0] = was;
        told++;
    }
    return told;
}

/* --- steps --- */

static int break_block(const Plan *p, BlockPlan *b);

/* Each scalar step whose result somebody reads. */
static int drop_step(const Plan *p, BlockPlan *b, int i)
{
    Step *at = b->steps.at, s = at[i];
    int rest = b->steps.len - i - 1;
    const char *said;

    memmove(&at[i], &at[i + 1], sizeof *at * (size_t)rest);
    b->steps.len--;
    bool told = !passes(p, &said);
    memmove(&at[i + 1], &at[i], sizeof *at * (size_t)rest);
    at[i] = s;
    b->steps.len++;
    return told;
}

/* One number of a plan is wrong. */
static int spoil(const Plan *p, int *number, int wrong)
{
    int was = *number;

    *number = wrong;
    expect_told(p);
    *number = was;
    return 1;
}

/* Where a tile may lie in two orders, one of them may need less room. */
static int spoil_buffer(const Plan *p, int buffer)
{
    Buffer *b = &p->buffers.at[buffer], was = *b;

    b->bytes -= b->either ? b->bytes / 2 : 1;
    expect_told(p);
    *b = was;
    return 1;
}

/* Bytes whose sign is taken by the nest that fills a buffer, for a unit that wants it. */
static int break_signs(const Plan *p, const Step *s)
{
    int of = s->dot.unit == DOT_VNNI ? DOT_B : DOT_A;
    bool *biased = &p->buffers.at[plan_buffer(p, s->op->operands[of])].biased;

    *biased = true;
    expect_told(p);
    *biased = false;
    return 1;
}

/* Operands that are read in place, though they are something else, or nobody knows for how many. */
static int break_place(const Plan *p, Step *s)
{
    Buffer *b = &p->buffers.at[plan_buffer(p, s->op->operands[DOT_A])];
    const Op *was = b->in_place;

    b->in_place = s->op;
    expect_told(p);
    b->in_place = was;
    return 1 + (was ? spoil(p, &b->same[DOT_A], -1) : 0);
}

/* Tiles that do not fit, operands of another width, panels without room. */
static int break_dot(const Plan *p, Step *s)
{
    DotPlan *d = &s->dot;
    int told = 0;

    told += spoil(p, &d->keep, d->keep + 1);
    if (d->unit == DOT_FMA)
        return told + break_place(p, s) + spoil(p, &d->rows, DOT_MAX_ROWS + 1) +
               spoil(p, &d->rounds, 2 * d->rounds);
    told += spoil(p, &d->packed, NO_BUFFER);
    told += spoil(p, &d->rounds, 2 * d->rounds);
    told += spoil(p, &d->packed, plan_buffer(p, s->op->results[0]));
    told += spoil_buffer(p, d->packed);
    told += break_signs(p, s);
    if (d->unit == DOT_VNNI)
        return told + spoil(p, &d->sums, NO_BUFFER) + spoil_buffer(p, d->sums);
    if (d->unit == DOT_PAIRS)
        return told + spoil(p, &d->widened, NO_BUFFER) + spoil_buffer(p, d->widened);
    told += spoil(p, &d->height, d->height + 1);
    return told + spoil(p, &d->depth, d->depth + 1);
}

/* Elements that are counted along another extent, by what is no comparison, or comes later. */
static int break_live(const Plan *p, DotPlan *d)
{
    int told = 0;

    for (int i = 0; i < LIVES; i++) {
        Value *was = d->live[i];
        if (!was)
            continue;
        d->live[i] = p->func->body->args[0];
        expect_told(p);
        d->live[i] = plan_counted(was);
        expect_told(p);
        d->live[i] = was;
        told += 2;
    }
    return told;
}

/* Bounds that hold throughout where something does that is no comparison of what is there. */
static int break_full(const Plan *p, Nest *n)
{
    if (n->full.len == 0)
        return 0;
    Value *was = n->full.at[0];
    n->full.at[0] = p->func->body->args[0];
    expect_told(p);
    n->full.at[0] = was;
    return 1;
}

/* Slots without room, known by nothing, or of something else. */
static int break_keep(const Plan *p, Nest *n)
{
    if (n->keep == 0)
        return 0;
    Keep *k = &p->keeps.at[n->keep - 1];
    int told = spoil(p, &n->keep, -1) + spoil(p, &n->keep, p->keeps.len + 1) +
               spoil(p, &k->keys, NO_BUFFER) + spoil(p, &k->slots, k->slots + 1) +
               spoil(p, &n->roots.at[0].buffer, k->keys) + spoil_buffer(p, k->keys) +
               spoil_buffer(p, n->roots.at[0].buffer);
    Value *was = k->value;
    k->value = p->func->body->args[0];
    expect_told(p);
    k->value = was;
    if (!k->strips)
        return told + 1;
    k->several = false;
    expect_told(p);
    k->several = true;
    return told + 2;
}

/* What is at hand is no other result, and in no buffer as a tile. */
static int break_scan(const Plan *p, Nest *n)
{
    Schedule *s = n->schedule;
    int told = 0;

    for (int i = 0; i < s->entries.len; i++) {
        Entry *e = &s->entries.at[i];
        if (e->kind != MAKE_SCANNED || !stands(s, i))
            continue;
        e->number++;
        expect_told(p);
        e->number--;
        e->kind = MAKE_READ;
        expect_told(p);
        e->kind = MAKE_SCANNED;
        told += 2;
    }
    return told;
}

/* Records that are longer than what is read of them, or too long to be put side by side. */
static int break_records(const Plan *p, Nest *n)
{
    Schedule *s = n->schedule;
    int told = 0;

    for (int i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.at[i];
        if (e->kind != MAKE_RECORD || !stands(s, i))
            continue;
        RecordGroup *g = e->access->group;
        told += spoil(p, &g->step, (int)(g->high - g->low));
        told += g->apart ? spoil(p, &g->step, MOST_APART + 1) : 0;
    }
    return told;
}

/* Pieces that overlap, that a divisor of 0 would never end, without a loop of their own. */
static int break_pieces(const Plan *p, Nest *n)
{
    const char *said;

    if (n->pieces.len == 0)
        return 0;
    int told = spoil(p, &n->order[n->rank - 2], n->order[n->rank - 1]) +
               spoil(p, &n->dims[n->rank - 1], 2);
    Nest *whole = n->whole;
    n->whole = NULL;
    bool needed = !passes(p, &said);
    n->whole = whole;
    assert_int_equal(needed, whole != NULL);
    return told + 1;
}

static int break_block(const Plan *p, BlockPlan *b)
{
    int told = 0;

    for (int i = 0; b && i < b->steps.len; i++) {
        Step *s = &b->steps.at[i];
        if (s->kind == STEP_SCALAR)
            told += drop_step(p, b, i);
        if (s->kind == STEP_DOT)
            told += break_dot(p, s) + break_live(p, &s->dot);
        if (s->kind == STEP_NEST)
            told += drop_entries(p, s->nest->schedule) + drop_inputs(p, s->nest->schedule) +
                    break_keep(p, s->nest) + break_pieces(p, s->nest) + break_scan(p, s->nest) +
                    break_records(p, s->nest) + break_full(p, s->nest);
        told += break_block(p, s->body[0]) + break_block(p, s->body[1]);
    }
    return told;
}

static void test_broken_plans(void **state)
{
    int told = 0;

    (void)state;
    for (int i = 0; i < COUNT(kernels); i++) {
        Arena *a = arena_new(NULL);
        const Func *f = read_kernel(a, kernels[i]);
        GenOptions o = {.disjoint = true};
        for (int m = 0; m < COUNT(machines); m++) {
            Plan *p = plan_make(f, &o, plan_machine(machines[m]), a);
            told += break_block(p, p->body);
        }
        arena_free(a);
    }
    assert_true(told > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken_plans)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
