/* test_times.c - medians, ratios and their intervals, of numbers whose answers tables have */
#include "help.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* 1, 2, .. n in an order that mixes large and small ones; n is no multiple of 13 or 19. */
static void mixed(double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = (i * 13 * 19) % n + 1;
}

static void check_medians(void **state)
{
    Cli *c = *state;
    double odd[] = {9, 1, 5}, even[] = {8, 2, 4, 6};

    assert_true(times_median(c->arena, odd, 3) == 5);
    assert_true(times_median(c->arena, even, 4) == 5);
    assert_true(odd[0] == 9 && even[0] == 8); /* they stay where they are */
}

/* The ranks that tables of the sign test have for 95%. */
static void check_intervals_of_medians(void **state)
{
    static const struct {
        int n;
        double low, high, confidence;
    } cases[] = {
        {1, 1, 1, 0},      {2, 1, 2, 0.5},    {3, 1, 3, 0.75},   {5, 1, 5, 0.9375},
        {6, 1, 6, 0.95},   {8, 1, 8, 0.95},   {9, 2, 8, 0.95},   {10, 2, 9, 0.95},
        {12, 3, 10, 0.95}, {15, 4, 12, 0.95}, {20, 6, 15, 0.95}, {25, 8, 18, 0.95},
    };
    Cli *c = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        double v[MOST];

        mixed(v, cases[i].n);
        Times t = times_of(c->arena, v, cases[i].n);
        assert_int_equal(t.n, cases[i].n);
        assert_true(t.median == (cases[i].n + 1) / 2.0);
        assert_true(t.min == 1 && t.max == cases[i].n);
        assert_true(t.low == cases[i].low && t.high == cases[i].high);
        assert_true(t.confidence == cases[i].confidence);
    }
}

/* Runs that know nothing of one another are sure of more than as many of a machine that drifts. */
static void check_drift(void **state)
{
    Cli *c = *state;
    double v[MOST];

    mixed(v, MOST);
    Times steady = times_of(c->arena, v, MOST);
    for (int i = 0; i < MOST; i++)
        v[i] = i + 1;
    Times drifting = times_of(c->arena, v, MOST);
    assert_true(steady.median == drifting.median);
    assert_true(steady.low > 170 && steady.high < 231);
    assert_true(drifting.low < 70 && drifting.high > 331);
}

static void check_words(void **state)
{
    Cli *c = *state;
    double close[] = {100, 101, 102, 100, 101, 102, 100, 101, 102, 400};
    double apart[] = {100, 150, 180, 100, 150, 180, 100, 150, 180, 400};
    double none[] = {0, 0, 0};

    Times t = times_of(c->arena, close, COUNT(close));
    assert_false(times_disagree(&t)); /* one that was disturbed says nothing about the others */
    assert_string_equal(times_unsure_text(c->arena, &t), "1.0%");
    t = times_of(c->arena, apart, COUNT(apart));
    assert_true(times_disagree(&t));
    assert_string_equal(times_unsure_text(c->arena, &t), "33%");
    t = times_of(c->arena, none, COUNT(none));
    assert_true(times_unsure(&t) == 0);
    assert_string_equal(times_unsure_text(c->arena, &t), "0.1%");
}

static void check_chances(void **state)
{
    (void)state;
    assert_true(fabs(times_chance(0, 9) - 1) < 1e-12);
    assert_true(fabs(times_chance(10, 10) - 1.0 / 1024) < 1e-12);
    assert_true(fabs(times_chance(15, 20) - 0.020694732666015625) < 1e-12);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b);
}

/* Logarithms i * i / 100: of the 55 means of pairs the middle one, and the ninth from each end. */
static void check_ratios(void **state)
{
    Cli *c = *state;
    double over[10], under[10];

    for (int i = 0; i < 10; i++) {
        under[i] = 1 + i % 3;
        over[i] = under[i] * exp((i + 1) * (i + 1) / 100.0);
    }
    TimesRatio r = times_ratio(c->arena, over, under, 10);
    assert_true(is_near(log(r.ratio), 0.365) && r.confidence == 0.95);
    assert_true(is_near(log(r.low), 0.125) && is_near(log(r.high), 0.64));
    r = times_ratio(c->arena, under, over, 10); /* the other way round */
    assert_true(is_near(log(r.low), -0.64) && is_near(log(r.high), -0.125));
    r = times_ratio(c->arena, over, under, 5); /* 1 of 32 at each end */
    assert_true(r.confidence == 0.9375 && is_near(log(r.low), 0.01) && is_near(log(r.high), 0.25));
    r = times_ratio(c->arena, over, over, 10);
    assert_true(r.ratio == 1 && r.low == 1 && r.high == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(check_medians, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_intervals_of_medians, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_drift, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(check_words, open_cli, close_cli),
        cmocka_unit_test(check_chances),
        cmocka_unit_test_setup_teardown(check_ratios, open_cli, close_cli),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
