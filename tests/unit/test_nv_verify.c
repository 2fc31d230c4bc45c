/*
 * test_nv_verify.c - plans for GPUs that are broken by hand: is it told?
 *
 * Kernels of tests/gen are planned, and pass.  Then one step at a time is left out, done twice, or
 * said to be done by others or to wait for nobody, and whoever depends on it must be told of.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/gpu_plan/nv_dot.h"
#include "../../src/gpu_schedule/nv_ring.h"
#include "../../src/opt_target/opt_target.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

static const char *const kernels[] = {
    "attention",     "softmax",      "product",        "product_stages", "regroup",
    "slices",        "once",         "atomics",        "gather",         "histogram",
    "control",       "fields",       "scan",           "order_barrier",  "group_product",
    "group_key",     "group_fp8",    "fields_store",   "sent_rounds",    "turns_meet",
    "carried_words", "group_leaves", "copied_factors", "common_copies"};

static NvPlan *plan_kernel(Arena *a, const char *name, bool no_tensors)
{
    GenOptions *o = NEW(a, GenOptions);
    Diags *d = diags_new(a, NULL);
    const char *path = arena_printf(a, "%s/tests/gen/%s.ir", getenv("TILEC_SOURCE"), name);
    OptOptions passes = {.schedules = true, .disjoint = true, .verify = true};
    char *text;
    size_t len;

    *o = (GenOptions){.cpu = "sm_90a", .features = "", .disjoint = true, .no_tensors = no_tensors};
    assert_int_equal(os_read_file(a, path, 1 << 20, &text, &len), 0);
    Module *m = ir_read(a, interner_new(a), source_add(diags_sources(d), name, text, len), d);
    NvPlan *p = m && opt_run(m, &passes, d) ? nv_plan_make(m->funcs[0], o, a, d) : NULL;
    if (!p)
        fail_msg("%s: %s", name, diags_text(d, a));
    return p;
}

static bool passes(NvPlan *p, const char **said)
{
    Diags *before = p->diags, *d = diags_new(p->arena, NULL);

    p->diags = d;
    bool passed = nv_verify(p);
    p->diags = before;
    p->refused = false;
    *said = diags_text(d, p->arena);
    assert_int_equal(diag_errors(d), passed ? 0 : 1);
    assert_true(passed || strstr(*said, "internal error: the plan of"));
    return passed;
}

/* --- one step at a time --- */

typedef bool BreakStep(NvPlan *p, NvBlock *b, int i); /* true: there was something to break, and
                                                         it was told; all is as it was */

static void expect_whole(NvPlan *p)
{
    const char *said;

    if (!passes(p, &said))
        fail_msg("%s", said);
}

static bool expect_told(NvPlan *p, const char *part)
{
    const char *said;

    if (passes(p, &said))
        fail_msg("not told: %s\n%s", part, nv_plan_text(p, p->arena));
    if (!strstr(said, part))
        fail_msg("not \"%s\" but: %s", part, said);
    return true;
}

static int break_all(NvPlan *p, NvBlock *b, BreakStep *break_step)
{
    int told = 0;

    for (int i = 0; b && i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        told += break_step(p, b, i);
        told += break_all(p, s->body[0], break_step) + break_all(p, s->body[1], break_step);
    }
    return told;
}

static void expect_broken(BreakStep *break_step, int least)
{
    int told = 0;

    for (int i = 0; i < 2 * COUNT(kernels); i++) {
        Arena *a = arena_new(NULL);
        NvPlan *p = plan_kernel(a, kernels[i / 2], i % 2 != 0);
        told += break_all(p, p->body, break_step);
        if (p->producer)
            told += break_all(p, p->producer, break_step);
        expect_whole(p);
        arena_free(a);
    }
    if (told < least)
        fail_msg("%d were told, and %d should be", told, least);
}

/* --- what is made --- */

static bool is_read(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k] == t)
                return true;
        }
        if (s->ahead && is_read(&s->ahead->steps, t))
            return true;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r] && is_read(s->body[r], t))
                return true;
        }
    }
    for (int i = 0; i < b->nends; i++) {
        if (b->ends[i] == t)
            return true;
    }
    return false;
}

/* Leaves out a step whose first result somebody reads. */
static bool leave_out(NvPlan *p, NvBlock *b, int i)
{
    NvStep **at = b->steps.at, *s = at[i];
    int rest = b->steps.len - i - 1;

    if (s->nout == 0 || !s->out[0] || !is_read(p->body, s->out[0]))
        return false;
    memmove(&at[i], &at[i + 1], sizeof(*at) * (size_t)rest);
    b->steps.len--;
    /* of two products on their way, the wait for the first one is the first to miss the other */
    expect_told(p, s->kind == NV_DOT ? "" : "which nothing in front has made");
    memmove(&at[i + 1], &at[i], sizeof(*at) * (size_t)rest);
    at[i] = s;
    b->steps.len++;
    return true;
}

static void test_steps_left_out(void **state)
{
    (void)state;
    expect_broken(leave_out, 200);
}

/* The step behind it becomes a second one of it. */
static bool make_twice(NvPlan *p, NvBlock *b, int i)
{
    NvStep **at = b->steps.at;

    if (i + 1 >= b->steps.len || at[i]->kind != NV_COMPUTE || at[i]->slice_of)
        return false;
    NvStep *next = at[i + 1];
    at[i + 1] = at[i];
    expect_told(p, "is made twice");
    at[i + 1] = next;
    return true;
}

static void test_tiles_made_twice(void **state)
{
    (void)state;
    expect_broken(make_twice, 100);
}

/* Another one, of no more registers; NULL: there is none. */
static const Layout *other_layout(const NvPlan *p, const Layout *l)
{
    for (int i = 0; i < p->layouts.len; i++) {
        if (p->layouts.at[i] != l && p->layouts.at[i]->nreg <= l->nreg)
            return p->layouts.at[i];
    }
    return NULL;
}

/* What it reads is that value in another layout. */
static bool turn_layout(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    bool by_number = (s->kind == NV_COMPUTE && !s->take && !op_has(s->op, MOVES)) ||
                     s->kind == NV_LOAD || s->kind == NV_STORE;
    NvTile *t = s->nin > 0 ? (NvTile *)s->in[0] : NULL;
    const Layout *was = t ? t->layout : NULL, *other = was ? other_layout(p, was) : NULL;
    const char *said;

    if (!by_number || !other)
        return false;
    t->layout = other;
    bool told = !passes(p, &said);
    t->layout = was;
    assert_true(told);
    return true;
}

static void test_layouts_that_differ(void **state)
{
    (void)state;
    expect_broken(turn_layout, 50);
}

/* A register of a chain's step comes a slice too late for who reads it. */
static bool slice_late(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    const Layout *l = s->slice_of && s->kind == NV_COMPUTE ? s->out[0]->layout : NULL;
    const char *said;
    int told = 0;

    for (int r = 0; l && r < layout_registers(l); r++) {
        s->slice_of[r] += 1000;
        told += !passes(p, &said);
        s->slice_of[r] -= 1000;
    }
    return told > 0;
}

static void test_slices_that_come_late(void **state)
{
    (void)state;
    expect_broken(slice_late, 1);
}

/* --- memory, and who waits --- */

static bool shrink_memory(NvPlan *p, NvBlock *b, int i)
{
    int64_t was = p->shared;

    if (b->steps.at[i]->uses.len == 0)
        return false;
    p->shared = 0;
    expect_told(p, "shared memory that the program does not ask for");
    p->shared = was;
    return true;
}

/* A barrier that the planner has put in is gone. */
static bool drop_barrier(NvPlan *p, NvBlock *b, int i)
{
    NvStep **at = b->steps.at, *s = at[i];
    int rest = b->steps.len - i - 1;
    const char *said;

    if (s->kind != NV_BARRIER || s->op)
        return false;
    memmove(&at[i], &at[i + 1], sizeof(*at) * (size_t)rest);
    b->steps.len--;
    bool passed = passes(p, &said);
    memmove(&at[i + 1], &at[i], sizeof(*at) * (size_t)rest);
    at[i] = s;
    b->steps.len++;
    assert_false(passed);
    return true;
}

/* The same, and nobody said that there should be one. */
static bool hurry(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvWait was = s->within;

    if (s->kind != NV_BARRIER || s->op || i + 1 == b->steps.len)
        return false;
    NvStep *next = b->steps.at[i + 1];
    NvWait before = next->before;
    if (next->kind == NV_ATOMIC) /* which says to others what was done in front of it */
        return false;
    next->before = (NvWait){0};
    s->within = nv_wait_lanes(p);
    expect_told(p, "another thread may still be at work");
    s->within = was;
    next->before = before;
    return true;
}

static bool has_late_use(const NvStep *s)
{
    return s->uses.len > 0 && s->uses.at[s->uses.len - 1].late;
}

static bool wait_for_nobody(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvWait was = s->within;

    if (s->kind != NV_BARRIER && !has_late_use(s))
        return false;
    s->within.kind = NV_WAIT_NONE;
    expect_told(p, s->kind == NV_BARRIER ? "barrier of nobody" : "does not wait between its parts");
    s->within = was;
    s->within.who.count = 0;
    expect_told(p, "warps wait that do not do it");
    s->within = was;
    return true;
}

static bool give_to_nobody(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvWarps was = s->who;

    s->who.first = p->warps + 1;
    expect_told(p, "warps do it that the program does not have");
    s->who = was;
    return true;
}

/* Rounds that read copies before these have come. */
static bool read_early(NvPlan *p, NvBlock *b, int i)
{
    NvAhead *a = (NvAhead *)b->steps.at[i]->ahead;

    if (!a || a->fill)
        return false;
    NvWait own = a->own, all = a->all;
    a->own.in_flight = a->distance;
    expect_told(p, "copies that may not have come");
    a->own = own;
    a->all.kind = NV_WAIT_LANES;
    expect_told(p, "copies that may not have come");
    a->all = all;
    return true;
}

/* --- what a producer brings --- */

/* Programs that have something to do end before it. */
static void test_programs_that_leave(void **state)
{
    Arena *a = arena_new(NULL);
    NvPlan *p = plan_kernel(a, "group_leaves", false);

    (void)state;
    assert_non_null(p->ring->leaves);
    p->ring->leaves_in = 1 - p->ring->leaves_in;
    expect_told(p, "a program leaves before it has done something");
    p->ring->leaves_in = 1 - p->ring->leaves_in;
    expect_whole(p);
    arena_free(a);
}

static bool bring_elsewhere(NvPlan *p, NvBlock *b, int i)
{
    NvAhead *a = (NvAhead *)b->steps.at[i]->ahead;

    if (!a || !a->fill)
        return false;
    NvTensor *last = &a->fill->tensors.at[a->fill->tensors.len - 1];
    NvTile *to = (NvTile *)last->tile;
    int maps = p->recipe.nmaps;
    to->at += WGMMA_ALIGN;
    expect_told(p, "has no place in the ring");
    to->at -= WGMMA_ALIGN + 64;
    expect_told(p, "has no place in the ring");
    to->at += 64;
    last->boxes++;
    expect_told(p, "round");
    last->boxes--;
    p->recipe.nmaps = last->map;
    expect_told(p, "has no place in the ring");
    p->recipe.nmaps = maps;
    last->bytes /= 2;
    expect_told(p, "is not what copies bring");
    last->bytes *= 2;
    return true;
}

/* For a loop that does not wait for it, or for none. */
static bool bring_to_nobody(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvAhead *a = (NvAhead *)s->ahead;

    if (!a || !a->fill)
        return false;
    const NvFill *fill = a->fill;
    NvFill other = *fill;
    a->fill = &other;
    expect_told(p, "tiles that no producer brings");
    a->fill = fill;
    map_put(p->ring->fills, MAP_KEY(s->op), &other);
    a->fill = &other;
    expect_told(p, "brings what another loop waits for");
    a->fill = fill;
    map_put(p->ring->fills, MAP_KEY(s->op), (void *)fill);
    return true;
}

/* --- what threads copy for themselves --- */

static bool take_wrongly(NvPlan *p, NvBlock *b, int i)
{
    static const char told[] = "copy for themselves is not what they take";
    NvStep *s = b->steps.at[i];
    NvAhead *a = s->kind == NV_FOR ? (NvAhead *)s->ahead : NULL;
    NvStep *copy = NULL;

    for (int k = 0; a && k < a->steps.steps.len; k++) {
        NvStep *step = a->steps.steps.at[k];
        if (step->kind == NV_COPY && ((const NvCopy *)step->detail)->own > 0)
            copy = step;
    }
    if (!copy)
        return false;
    NvCopy *c = (NvCopy *)copy->detail;
    uint32_t same = copy->same;
    int64_t bytes = a->bytes;
    c->own++;
    expect_told(p, told);
    c->own--;
    copy->same ^= 1;
    expect_told(p, told);
    copy->same = same;
    a->bytes = copy->out[0]->at;
    expect_told(p, told);
    a->bytes = bytes;
    return true;
}

static void test_own_copies(void **state)
{
    (void)state;
    expect_broken(take_wrongly, 1);
}

/* --- products that the next round does --- */

static bool delay_wrongly(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvAhead *a = (NvAhead *)s->ahead;

    if (!a || !a->delayed)
        return false;
    NvDot *d = (NvDot *)a->delayed->detail;
    const NvFill *fill = a->fill;
    int end = a->delayed_end;
    d->operand[MMA_A].way = OPERAND_MATRICES;
    expect_told(p, "cannot be left to the next round");
    d->operand[MMA_A].way = OPERAND_REGISTERS;
    a->delayed_end = (end + 1) % s->body[0]->nends;
    expect_told(p, "which begins with another sum");
    a->delayed_end = end;
    bool turns = a->turns;
    a->turns = p->warps < 8;
    if (a->turns)
        expect_told(p, "one group of warps cannot take turns");
    a->turns = true;
    if (nv_meets_in_turn(s))
        expect_told(p, "who has its turn waits");
    a->turns = turns;
    const NvStep *delayed = a->delayed;
    a->delayed = NULL; /* then it reads what nothing has made */
    expect_told(p, "which nothing in front has made");
    a->delayed = delayed;
    a->fill = fill;
    return true;
}

static void test_delayed_products(void **state)
{
    (void)state;
    expect_broken(delay_wrongly, 1);
}

/* What the next round reads is given back with what this one does, or there are other bytes. */
static bool share_parts(NvPlan *p, NvBlock *b, int i)
{
    const NvAhead *a = b->steps.at[i]->ahead;

    if (!a || !a->fill || p->ring->parts < 2)
        return false;
    NvFill *fill = (NvFill *)a->fill;
    for (int k = 0; k < fill->tensors.len; k++) {
        NvTensor *t = &fill->tensors.at[k];
        t->part = !t->part;
        expect_told(p, "is in a part of the stage for others");
        t->part = !t->part;
    }
    fill->bytes[1]++;
    expect_told(p, "waits for other bytes than its tiles have");
    fill->bytes[1]--;
    return true;
}

static void test_producers(void **state)
{
    (void)state;
    expect_broken(bring_elsewhere, 3);
    expect_broken(bring_to_nobody, 3);
    expect_broken(share_parts, 1);
}

/* --- tiles that are sent --- */

/* Not as the map takes it, without a fence, or what another warp has laid down. */
static bool send_wrongly(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];

    if (s->kind != NV_SEND)
        return false;
    NvSend *send = (NvSend *)s->detail;
    send->put.fence = false;
    expect_told(p, "it is not what copies take");
    send->put.fence = true;
    int maps = p->recipe.nmaps;
    p->recipe.nmaps = send->tensor.map;
    expect_told(p, "it is not what copies take");
    p->recipe.nmaps = maps;
    send->tensor.boxes *= 2;
    expect_told(p, "a warp sends what it has not laid down");
    send->tensor.boxes /= 2;
    send->warp[0] ^= send->warp[1];
    expect_told(p, "a warp sends what it has not laid down");
    send->warp[0] ^= send->warp[1];
    s->within.kind = NV_WAIT_NONE;
    expect_told(p, "its lanes do not wait for each other");
    s->within.kind = NV_WAIT_LANES;
    s->uses.len = 0;
    expect_told(p, "it does not say where its tile is");
    s->uses.len = 1;
    return true;
}

/* Nobody waits for it before the next round writes there, or before the program ends; or somebody
 * waits for something else, or for another one. */
static bool send_unwaited(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];

    if (s->kind != NV_SENT)
        return false;
    s->within.in_flight++;
    expect_told(p, "its wait may let go on what it is for");
    s->within.in_flight--;
    s->within.kind = NV_WAIT_COPIES;
    expect_told(p, "its wait may let go on what it is for");
    s->within.kind = NV_WAIT_SENT;
    s->uses.len = 0;
    expect_told(p, "another thread may still be at work on memory");
    s->uses.len = 1;
    return true;
}

static void test_sends(void **state)
{
    (void)state;
    expect_broken(send_wrongly, 1);
    expect_broken(send_unwaited, 2);
}

/* --- products of groups of warps --- */

/* It lands without waiting, or not at all where somebody reads it. */
static bool land_early(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvWait was = s->within;
    int nin = s->nin;

    if (s->kind != NV_LAND)
        return false;
    s->within = nv_wait_warps(p);
    expect_told(p, "it lands without a wait");
    s->within = was;
    s->nin = 0;
    expect_told(p, "is a product that has not landed");
    s->nin = nin;
    return true;
}

/* It is allowed one more in flight than follow it: then its own sum may not be there. */
static bool land_late(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];

    if (s->kind != NV_LAND)
        return false;
    s->within.in_flight++;
    expect_told(p, "its wait may let it go on");
    s->within.in_flight--;
    return true;
}

/* The last load of several for the next round does not issue them. */
static bool issue_never(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];

    if (s->issued != s)
        return false;
    s->issued = NULL;
    bool alone = true;
    for (int k = 0; k < b->steps.len; k++)
        alone = alone && !b->steps.at[k]->issued;
    if (!alone)
        expect_told(p, "loads for its next round are not issued");
    s->issued = s;
    return !alone;
}

/* A load that this round reads waits to be issued. */
static bool issue_read(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];

    for (int k = 0; s->kind == NV_FOR && k < s->body[0]->steps.len; k++) {
        NvStep *load = s->body[0]->steps.at[k];
        NvBlock round = *s->body[0];
        round.nends = 0;
        if (load->kind != NV_LOAD || load->issued || !is_read(&round, load->out[0]))
            continue;
        load->issued = load;
        expect_told(p, "loads for its next round are not issued");
        load->issued = NULL;
        return true;
    }
    return false;
}

static bool keep_columns(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvDot *d = s->kind == NV_DOT ? (NvDot *)s->detail : NULL;

    if (!d || d->kind != DOT_WGMMA)
        return false;
    d->operand[MMA_B].way = OPERAND_REGISTERS;
    expect_told(p, "a product of groups has columns in registers");
    d->operand[MMA_B].way = OPERAND_MEMORY;
    return true;
}

static bool fly_in_parts(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvDot *d = s->kind == NV_DOT ? (NvDot *)s->detail : NULL;

    if (!d || d->part == 0)
        return false;
    d->in_flight = 1;
    expect_told(p, "a product in parts goes on behind its step");
    d->in_flight = 0;
    return true;
}

static bool fly_unseen(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvAhead *a = (NvAhead *)s->ahead;

    if (!a || a->flying.len == 0)
        return false;
    NvWait free = a->free, landed = a->landed;
    NvDot *d = (NvDot *)a->flying.at[0]->detail;
    a->free = a->fill ? nv_wait_warps(p) : (NvWait){0};
    expect_told(p, "a product goes on that nobody waits for");
    a->free = free;
    a->landed.in_flight = 1;
    expect_told(p, "a product goes on that nobody waits for");
    a->landed = landed;
    d->in_flight++;
    expect_told(p, "a product goes on that nobody waits for");
    d->in_flight--;
    d->operand[MMA_A].way = OPERAND_REGISTERS;
    expect_told(p, "a product goes on that has rows in registers");
    d->operand[MMA_A].way = OPERAND_MEMORY;
    int flying = a->flying.len;
    a->flying.len = 0; /* then what the round hands over has not landed */
    expect_told(p, "is a product that has not landed");
    a->flying.len = flying;
    return true;
}

static bool write_without_fence(NvPlan *p, NvBlock *b, int i)
{
    NvStep *s = b->steps.at[i];
    NvAhead *a = (NvAhead *)s->ahead;
    NvPut *put = s->kind == NV_PUT ? (NvPut *)s->detail : NULL;
    bool *fence = put && put->fence ? &put->fence : a && a->own.fence ? &a->own.fence : NULL;

    if (!fence)
        return false;
    *fence = false;
    expect_told(p, "the unit for matrices reads what it writes, and there is no fence");
    *fence = true;
    int buffer = put ? s->out[0]->buffer : a->buffer;
    p->buffers.at[buffer].offset -= 128;
    expect_told(p, "the unit for matrices finds no tile there");
    p->buffers.at[buffer].offset += 128;
    p->buffers.at[buffer].align = 128; /* the next layout of buffers would put it anywhere */
    expect_told(p, "the unit for matrices finds no tile there");
    p->buffers.at[buffer].align = WGMMA_ALIGN;
    if (put)
        return true;
    a->bytes += 128; /* then the second stage begins between two places */
    expect_told(p, "the unit for matrices finds no tile there");
    a->bytes -= 128;
    return true;
}

static void test_products_of_groups(void **state)
{
    (void)state;
    expect_broken(land_early, 2);
    expect_broken(land_late, 2);
    expect_broken(keep_columns, 3);
    expect_broken(fly_in_parts, 1);
    expect_broken(fly_unseen, 1);
    expect_broken(write_without_fence, 2);
}

static void test_memory_and_waiting(void **state)
{
    (void)state;
    expect_broken(shrink_memory, 20);
    expect_broken(drop_barrier, 5);
    expect_broken(hurry, 5);
    expect_broken(wait_for_nobody, 10);
    expect_broken(give_to_nobody, 300);
    expect_broken(read_early, 3);
    expect_broken(issue_never, 1);
    expect_broken(issue_read, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_left_out),
                                       cmocka_unit_test(test_tiles_made_twice),
                                       cmocka_unit_test(test_layouts_that_differ),
                                       cmocka_unit_test(test_slices_that_come_late),
                                       cmocka_unit_test(test_memory_and_waiting),
                                       cmocka_unit_test(test_products_of_groups),
                                       cmocka_unit_test(test_producers),
                                       cmocka_unit_test(test_programs_that_leave),
                                       cmocka_unit_test(test_own_copies),
                                       cmocka_unit_test(test_delayed_products),
                                       cmocka_unit_test(test_sends)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
