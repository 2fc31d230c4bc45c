/* test_slope.c - slopes by differences: right and wrong gradients, kinks, ends of domains */
#include "help.h"
#include "../../src/slope/slope.h"

#include <math.h>
#include <string.h>

enum { N = 1000 };
typedef double Function(double x);
typedef struct {
    Function *f;
    double x[N], claimed[N], weights[N];
    SlopeTask task;
} Case;

/* Element k is f(x[k]), plus a part of its neighbour. */
static void apply(void *context, double *out)
{
    const Case *c = context;

    for (int64_t k = 0; k < c->task.n; k++)
        out[k] = c->f(c->x[k]) + c->x[(k + 1) % c->task.n] / 8;
}

/* With the gradient that it has; x between low and high. */
static Case *case_of(Arena *a, Function *f, Function *slope, int n, double low, double high)
{
    Case *c = NEW(a, Case);

    c->f = f;
    c->task = (SlopeTask){n, n, c->x, c->claimed, c->weights, apply, c, 7};
    for (int k = 0; k < n; k++) {
        double t = fmod(k * 0.6180339887, 1);
        c->x[k] = low + (high - low) * t;
        c->weights[k] = cos(k);
    }
    for (int k = 0; k < n; k++)
        c->claimed[k] = c->weights[k] * slope(c->x[k]) + c->weights[(k + n - 1) % n] / 8;
    return c;
}

static bool agrees(const SlopeReport *r)
{
    return r->wrong_directions + r->wrong_elements == 0 && r->worst.at < 0;
}

static double square(double x)
{
    return x * x;
}
static double twice(double x)
{
    return 2 * x;
}
static double bent(double x)
{
    return x > 0 ? x : -x / 2;
}
static double bent_slope(double x)
{
    return x > 0 ? 1 : -0.5;
}
static double inverse(double x)
{
    return 1 / x;
}
static double root_slope(double x)
{
    return 0.5 / sqrt(x);
}

static void check_right(void **state)
{
    Arena *a = arena_new(NULL);
    static const struct {
        Function *f, *slope;
        double low, high;
    } cases[] = {{square, twice, -3, 3},  {exp, exp, -20, 20},        {sin, cos, -1e3, 1e3},
                 {log, inverse, 1e-6, 1}, {sqrt, root_slope, 0.1, 1}, {bent, bent_slope, -2, 2}};

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        for (int n = 1; n <= N; n += n == 1 ? 8 : N - 9) {
            Case *c = case_of(a, cases[i].f, cases[i].slope, n, cases[i].low, cases[i].high);
            Case *before = NEW(a, Case);
            *before = *c;
            SlopeReport r = slope_check(&c->task, a);
            assert_true(agrees(&r));
            assert_int_equal(r.elements, n < 16 ? n : 16);
            assert_int_equal(r.rough, 0);
            assert_true(r.largest < 1e-6);
            assert_memory_equal(c->x, before->x, sizeof c->x);
        }
    }
    arena_free(a);
}

/* One wrong element of a thousand is found, whichever it is, and how far it is off. */
static void check_wrong(void **state)
{
    Arena *a = arena_new(NULL);

    (void)state;
    for (int at = 3; at < N; at += 83) {
        Case *c = case_of(a, square, twice, N, 0.5, 3);
        c->claimed[at] *= 1 + 1e-3;
        SlopeReport r = slope_check(&c->task, a);
        assert_int_equal(r.worst.at, at);
        assert_true(r.wrong_directions > 0);
        assert_true(r.worst.claimed == c->claimed[at]);
        assert_true(fabs(r.worst.found * (1 + 1e-3) - r.worst.claimed) < 1e-8);
        c->claimed[at] = NAN;
        r = slope_check(&c->task, a);
        assert_int_equal(r.worst.at, at);
    }
    arena_free(a);
}

/* Where the slope jumps all between its sides is right, and nothing else. */
static void check_kinks(void **state)
{
    Arena *a = arena_new(NULL);
    static const struct {
        double claimed;
        bool is_right;
    } cases[] = {{-0.5, true}, {1, true}, {0.25, true}, {1.01, false}, {-0.51, false}};

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        Case *c = case_of(a, bent, bent_slope, 4, 0, 0);
        for (int k = 0; k < 4; k++) {
            c->weights[k] = 1;
            c->claimed[k] = cases[i].claimed + 0.125;
        }
        SlopeReport r = slope_check(&c->task, a);
        assert_int_equal(agrees(&r), cases[i].is_right);
        assert_int_equal(r.kinks, 4);
    }
    arena_free(a);
}

/* A kink that larger steps reach is none here. */
static void check_near_kink(void **state)
{
    Arena *a = arena_new(NULL);
    Case *c = case_of(a, bent, bent_slope, 4, 1e-5, 1);

    (void)state;
    SlopeReport r = slope_check(&c->task, a);
    assert_true(agrees(&r));
    assert_int_equal(r.kinks, 0);
    arena_free(a);
}

static double nothing(double x)
{
    return x > 0 ? 1 / x : NAN;
}

/* Results that are left out say nothing, and nothing against the others. */
static void check_left_out(void **state)
{
    Arena *a = arena_new(NULL);
    Case *c = case_of(a, log, nothing, 12, -1, 1);
    int outside = 0;

    (void)state;
    for (int k = 0; k < 12; k++) {
        outside += c->x[k] <= 0;
        if (c->x[k] <= 0)
            c->weights[k] = 0;
    }
    for (int k = 0; k < 12; k++)
        c->claimed[k] = c->weights[k] * nothing(c->x[k]) + c->weights[(k + 11) % 12] / 8;
    SlopeReport r = slope_check(&c->task, a);
    assert_true(agrees(&r) && r.directions > 0);
    assert_int_equal(r.rough, outside);
    for (int k = 0; k < 12; k++) {
        if (isfinite(c->claimed[k]))
            c->claimed[k] += 0.5;
    }
    r = slope_check(&c->task, a);
    assert_int_equal(r.wrong_elements, 12 - outside);
    arena_free(a);
}

/* Of the slope at the end of a domain nothing is said. */
static void check_rough(void **state)
{
    Arena *a = arena_new(NULL);
    Case *c = case_of(a, sqrt, root_slope, 4, 0, 0);

    (void)state;
    SlopeReport r = slope_check(&c->task, a);
    assert_true(agrees(&r));
    assert_int_equal(r.rough, 4);
    assert_int_equal(r.directions, 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_right), cmocka_unit_test(check_wrong),
        cmocka_unit_test(check_kinks), cmocka_unit_test(check_near_kink),
        cmocka_unit_test(check_rough), cmocka_unit_test(check_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
