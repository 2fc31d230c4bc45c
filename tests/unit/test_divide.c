/*
 * test_divide.c - the quotients of src/gen_nv/nv_divide.c are correctly rounded
 *
 * The head of that file says why only quotients close to the middle between two numbers can go
 * wrong: those that are less than 14 / s parts of 2^24 of a unit away.  Here they are made and
 * tried, for every 4095th divisor s of [1, 2), or for all of them: TILEC_EXHAUSTIVE=1.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "../../src/base/base.h"

#include <cmocka.h> /* after base.h: both have a fail() */

enum { MANTISSA = 23, CLOSE = 14 };

/* As the GPU does it: everything to nearest but the error, which is rounded down. */
static float shared_quotient(float x, float s)
{
    volatile float r = 1 / s, q = x * r;

    fesetround(FE_DOWNWARD);
    volatile float e = fmaf(-q, s, x);
    fesetround(FE_TONEAREST);
    return fmaf(e, r, q);
}

/* The same where the divisor is used once: with its sign in x. */
static float own_quotient(float x, float s)
{
    return shared_quotient(signbit(s) ? -x : x, fabsf(s));
}

static void try_one(float (*quotient)(float x, float s), float x, float s)
{
    float want = x / s, got = quotient(x, s);

    if (got != want || !signbit(got) != !signbit(want))
        fail_msg("%a / %a is %a, not %a", (double)x, (double)s, (double)want, (double)got);
}

/* x / s, whose integers these are, both with 24 bits. */
static void try_pair(uint32_t x, uint32_t s)
{
    float a = ldexpf((float)x, -MANTISSA), b = ldexpf((float)s, -MANTISSA);

    try_one(shared_quotient, a, b);
    try_one(own_quotient, a, b);
}

/* Of an odd number, modulo 2^32: each step doubles the bits that are right. */
static uint32_t inverse(uint32_t n)
{
    uint32_t x = n;

    for (int i = 0; i < 4; i++)
        x *= 2 - n * x;
    return x;
}

/* All x whose quotient is c / s parts away from a middle m, a number of 25 bits that is odd:
 * m s + c = x 2^scale, for x < s with another scale than for x >= s. */
static int try_distance(uint32_t s, int c, int scale)
{
    int zeros = __builtin_ctz(s), tried = 0;

    if (c & ((1 << zeros) - 1))
        return 0;
    uint64_t step = 1ull << (scale - zeros);
    uint64_t m = (0u - (uint32_t)(c >> zeros)) * inverse(s >> zeros) & (step - 1);
    for (; m < 1u << (MANTISSA + 2); m += step) {
        uint64_t x = (m * s + (uint64_t)(int64_t)c) >> scale;
        if (m < 1u << (MANTISSA + 1) || m % 2 == 0 || x >> MANTISSA != 1)
            continue;
        try_pair((uint32_t)x, s);
        tried++;
    }
    return tried;
}

static void test_middles(void **state)
{
    uint32_t step = getenv("TILEC_EXHAUSTIVE") ? 1 : 4095; /* odd: with and without low zeros */
    int tried = 0;

    (void)state;
    for (uint32_t s = 1u << MANTISSA; s < 1u << (MANTISSA + 1); s += step) {
        for (int c = -CLOSE; c <= CLOSE; c++) {
            if (c != 0)
                tried += try_distance(s, c, MANTISSA + 1) + try_distance(s, c, MANTISSA + 2);
        }
    }
    assert_true(tried > 10000);
}

static void test_zeros(void **state)
{
    (void)state;
    assert_false(signbit(shared_quotient(0.0f, 3)));
    assert_true(signbit(shared_quotient(-0.0f, 3)));
    assert_true(signbit(shared_quotient(-0.0f, 4)));
    try_one(own_quotient, 0.0f, 3);
    try_one(own_quotient, -0.0f, 3);
    try_one(own_quotient, 0.0f, -3);
    try_one(own_quotient, -0.0f, -4);
}

static uint32_t random_below(uint64_t *rng, uint32_t n)
{
    *rng = *rng * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*rng >> 32) * n >> 32);
}

static float random_float(uint64_t *rng, int lowest, int highest)
{
    float mantissa = ldexpf((float)(random_below(rng, 1 << MANTISSA) | 1 << MANTISSA), -MANTISSA);

    return ldexpf(mantissa, lowest + (int)random_below(rng, (uint32_t)(highest - lowest)));
}

/* Whatever their sizes, as long as the fast way takes them. */
static void test_sizes(void **state)
{
    uint64_t rng = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        float x = random_float(&rng, -90, 64), s = random_float(&rng, -62, 24);
        try_one(shared_quotient, i % 2 ? x : -x, s);
        x = random_float(&rng, -62, 62);
        s = random_float(&rng, -62, 62);
        try_one(own_quotient, x, i % 2 ? s : -s);
        try_one(own_quotient, i % 3 ? -x : x, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_middles),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
