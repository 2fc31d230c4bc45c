/*
 * test_opt_random.c - random kernels compute the same before and after every pass
 *
 * The interpreter runs a kernel of opt_kernel.h as it was made and as a pass left it, and all
 * memory must agree bit for bit (any NaN equals any other).  The same stored values check what the
 * axis analysis claims of them.  All of their accesses are inside of the arrays, so checks must be
 * silent and change nothing, before the passes and behind them.  Nothing is compiled; test_random.c
 * does that.
 *
 * TILEC_SEED=N is the number of the first kernel, TILEC_RANDOM_COUNT how many there are; a single
 * one is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/interp/interp.h"
#include "../../src/check/check.h"
#include "../../src/opt_target/opt_target.h"
#include "opt_kernel.h" /* before cmocka, which makes fail() a macro */
#include "seed.h"
#include <cmocka.h>

enum { KERNELS = 50, THOROUGHLY = 80 }; /* eight times as many of these */

/* --- running and comparing --- */

typedef struct {
    int32_t ints[MEMORY];
    float floats[MEMORY], mem[MEMORY];
    uint8_t out[PROGRAMS * REGION];
} Memory;

static int alarms;

static void count_alarm(RecordPort *port, int64_t site, const int32_t program[3],
                        const void *const *values)
{
    (void)port, (void)site, (void)program, (void)values;
    alarms++;
}

/* What the parameters behind the user's stand for. */
static void fill_hidden(const Func *f, uint64_t *args, RecordPort *port)
{
    static const uint64_t elements[] = {MEMORY, MEMORY, MEMORY, PROGRAMS * REGION};

    for (int i = 0; i < f->nparams; i++) {
        const Param *p = &f->params[i];
        if (p->kind == PARAM_RECORDS)
            args[i] = (uintptr_t)port;
        if (p->kind == PARAM_VIEW)
            args[i] = p->part == VIEW_TAIL ? elements[p->of] : 0;
    }
}

/* Every other run is as one that is watched: it must make no difference. */
static Memory *run(Arena *a, const Module *m)
{
    static const InterpObserver observer = {.keeps_values = true};
    static int runs;
    Memory *mem = calloc(1, sizeof *mem);
    float x = 1.5f;
    RecordPort port = {.put = count_alarm};
    uint64_t args[32] = {(uintptr_t)mem->ints,
                         (uintptr_t)mem->floats,
                         (uintptr_t)mem->mem,
                         (uintptr_t)mem->out,
                         48,
                         (uint32_t)-7,
                         24,
                         0};
    InterpLaunch launch = {.args = args,
                           .grid = {PROGRAMS, 1, 1},
                           .last = PROGRAMS,
                           .records = &port,
                           .observer = runs++ % 2 ? &observer : NULL};

    alarms = 0;
    fill_hidden(m->funcs[0], args, &port);
    memcpy(&args[7], &x, sizeof x);
    for (int i = 0; i < MEMORY; i++) {
        mem->ints[i] = i % 7 == 0 ? -i : i;
        mem->floats[i] = i % 5 == 0 ? -0.0f : i % 11 == 0 ? NAN : (float)i * 0.25f - 3;
        mem->mem[i] = (float)i;
    }
    assert_int_equal(interp_run(m->funcs[0], &launch, diags_new(a, NULL)), INTERP_OK);
    return mem;
}

static bool same_element(DType t, const uint8_t *a, const uint8_t *b)
{
    uint64_t x = 0, y = 0;

    memcpy(&x, a, (size_t)dtype_size(t));
    memcpy(&y, b, (size_t)dtype_size(t));
    return x == y ||
           (dtype_is_float(t) && isnan(scalar_to_double(t, x)) && isnan(scalar_to_double(t, y)));
}

/* The first saved value that differs, -1 when none does. */
static int first_difference(const Gen *g, const Memory *a, const Memory *b)
{
    for (int i = 0; i < g->nsaved; i++) {
        const Type *t = g->saved[i].value->type;
        for (int64_t e = 0; e < type_numel(t) * PROGRAMS; e++) {
            int64_t at = g->saved[i].offset + e / type_numel(t) * REGION +
                         e % type_numel(t) * dtype_size(t->dtype);
            if (!same_element(t->dtype, a->out + at, b->out + at))
                return i;
        }
    }
    for (int i = 0; i < MEMORY; i++) {
        if (!same_element(DT_FP32, (const uint8_t *)&a->mem[i], (const uint8_t *)&b->mem[i]) ||
            !same_element(DT_FP32, (const uint8_t *)&a->floats[i], (const uint8_t *)&b->floats[i]))
            return g->nsaved;
    }
    return -1;
}

/* A second copy of the module, through its text. */
static Module *copy_of(Arena *a, const char *text, Diags *d)
{
    const Source *s = source_add(diags_sources(d), "random", text, strlen(text));

    return ir_read(a, interner_new(a), s, d);
}

/* What a polynomial gives differs from the interpreter in the last bit. */
static const bool native[OP_COUNT] = {[OP_exp] = true};

/* Check the accesses to the four arrays. */
static bool add_checks(Module *m, Diags *d)
{
    static const int views[] = {0, 0, 0, 0, -1, -1, -1, -1};

    return check_records(m, &(CheckWish){.views = views}, d) && ir_verify(m, d);
}

/* "checks" alone, "checked pipeline", or what opt.h calls a pass. */
static bool run_pass(Module *m, const char *pass, Diags *d)
{
    const OptOptions options = {
        .native = native, .schedules = true, .disjoint = true, .verify = true};

    if (strncmp(pass, "check", 5) == 0 && !add_checks(m, d))
        return false;
    if (strcmp(pass, "checks") == 0)
        return true;
    return strstr(pass, "pipeline") ? opt_run(m, &options, d) : opt_run_pass(m, pass, d);
}

static bool check_pass(const Gen *g, const Memory *want, const char *text, const char *pass)
{
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    Module *m = copy_of(a, text, d);
    bool ran = m && run_pass(m, pass, d);
    bool same = false;

    if (!ran) {
        print_error("%s\n%s\n", pass, diags_text(d, a));
    } else {
        Memory *got = run(a, m);
        int i = first_difference(g, want, got);
        same = i < 0 && alarms == 0;
        if (alarms > 0)
            print_error("%s: %d alarms; it gives\n%s\n", pass, alarms, ir_print(m, a));
        else if (!same)
            print_error("%s changes what is stored at %d; it gives\n%s\n", pass,
                        i < g->nsaved ? (int)g->saved[i].offset : -1, ir_print(m, a));
        free(got);
    }
    arena_free(a);
    return same;
}

/* --- what the axis analysis claims --- */

typedef struct {
    const Type *type;
    const uint8_t *data;
} Tile;

static uint64_t bits_at(const Tile *t, int64_t element)
{
    uint64_t bits = 0;
    int size = dtype_size(t->type->dtype);

    memcpy(&bits, t->data + element * size, (size_t)size);
    return bits;
}

/* Does every element along dim d that does not begin a run follow the one before by `step`? */
static bool runs_hold(const Tile *t, int d, int64_t run, uint64_t step)
{
    int64_t stride = 1, n = type_numel(t->type);

    for (int i = d + 1; i < t->type->rank; i++)
        stride *= t->type->dims[i];
    for (int64_t e = 0; e < n; e++) {
        int64_t index = e / stride % t->type->dims[d];
        if (index % run == 0)
            continue;
        if (bits_at(t, e) != scalar_truncate(t->type->dtype, bits_at(t, e - stride) + step))
            return false;
    }
    return true;
}

/* Is the element at the start of a run, along some dimension with runs, or are there no runs? */
static bool is_start(const Type *t, const Axis *a, int64_t element)
{
    bool runs = false, start = false;

    for (int d = t->rank - 1; d >= 0; d--) {
        int64_t index = element % t->dims[d];
        element /= t->dims[d];
        runs |= a->contiguity[d] > 1;
        start |= a->contiguity[d] > 1 && index % a->contiguity[d] == 0;
    }
    return start || !runs;
}

static const char *broken_claim(const Tile *t, const Axis *a)
{
    bool is_int = dtype_is_int(t->type->dtype);

    for (int d = 0; d < t->type->rank; d++) {
        int64_t extent = t->type->dims[d];
        if (a->constancy[d] < 1 || a->constancy[d] > extent || a->contiguity[d] < 1 ||
            a->contiguity[d] > extent)
            return "length of a run";
        if (!runs_hold(t, d, a->constancy[d], 0))
            return "constancy";
        if (!runs_hold(t, d, a->contiguity[d], 1))
            return "contiguity";
    }
    for (int64_t e = 0; is_int && e < type_numel(t->type); e++) {
        uint64_t bits = bits_at(t, e);
        int64_t v = scalar_to_int(t->type->dtype, bits);
        if (a->has_range && (v < a->lo || v > a->hi))
            return "range";
        bool divides = v < 0 && dtype_is_unsigned(t->type->dtype)
                           ? bits % (uint64_t)a->divisibility == 0
                           : v % a->divisibility == 0;
        if (is_start(t->type, a, e) && !divides)
            return "divisibility";
    }
    return NULL;
}

static bool check_axis(const Gen *g, Func *f, const Memory *mem)
{
    AxisFacts *facts = axis_analyse(f, g->arena);
    bool good = true;

    for (int i = 0; i < g->nsaved * PROGRAMS; i++) {
        const Saved *s = &g->saved[i / PROGRAMS];
        Tile t = {s->value->type, mem->out + s->offset + i % PROGRAMS * REGION};
        const char *wrong = broken_claim(&t, axis_of(facts, s->value));
        if (!wrong)
            continue;
        good = false;
        print_error("axis: wrong %s of %s\n", wrong, op_text(s->value->def, g->arena));
    }
    return good;
}

static bool check_seed(uint64_t seed, bool show)
{
    Gen g = {.arena = arena_new(NULL)};
    Diags *d = diags_new(g.arena, NULL);
    Module *m = gen_kernel(&g, seed);
    const char *text = ir_print(m, g.arena);
    bool good = ir_verify(m, d);

    if (!good)
        print_error("the generator is wrong: %s\n", diags_text(d, g.arena));
    if (show)
        puts(text); /* cmocka cuts long messages */
    if (good) {
        Memory *want = run(g.arena, m);
        for (int i = 0; opt_pass_name(i); i++) {
            if (strcmp(opt_pass_name(i), "math") != 0) /* its polynomials: test_math.c */
                good &= check_pass(&g, want, text, opt_pass_name(i));
        }
        good &= check_pass(&g, want, text, "pipeline");
        good &= check_pass(&g, want, text, "checks");
        good &= check_pass(&g, want, text, "checked pipeline");
        good &= check_axis(&g, m->funcs[0], want);
        free(want);
    }
    if (!good)
        print_error("kernel %llu\n", (unsigned long long)seed);
    arena_free(g.arena);
    return good;
}

static void test_random(void **state)
{
    uint64_t first = first_seed(0), count = random_count(thorough() ? THOROUGHLY : KERNELS);

    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++)
        if (!check_seed(seed, count == 1))
            fail_msg("TILEC_SEED=%llu TILEC_RANDOM_COUNT=1 repeats this", (unsigned long long)seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
