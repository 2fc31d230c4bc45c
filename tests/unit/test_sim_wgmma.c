/*
 * test_sim_wgmma.c - products of warp groups in the simulator
 *
 * Those of tests/sim/wgmma_case.h are compared with plain loops, bit by bit.
 */
#include "../sim/wgmma_case.h"
#include "sim_run.h"

static WgmmaData data;
static uint32_t out[WGMMA_COLUMNS / 2][WGMMA_THREADS];

static void compare(const WgmmaCase *c)
{
    char name[200];

    for (int r = 0; r < wgmma_results(c); r++) {
        for (int t = 0; t < WGMMA_THREADS; t++) {
            if (out[r][t] == data.after[r][t])
                continue;
            wgmma_name(c, name, sizeof name);
            fprintf(stderr, "%s: register %d of thread %d: %08x, not %08x\n", name, r, t, out[r][t],
                    data.after[r][t]);
            assert_int_equal(out[r][t], data.after[r][t]);
        }
    }
}

static void check_case(const WgmmaCase *c, uint64_t seed)
{
    wgmma_make(c, &data, seed);
    SimRun r = sim_open(data.text, 4);
    memset(out, 0xff, sizeof out);
    sim_array(&r, 0, data.image, sizeof data.image);
    sim_array(&r, 1, data.left, sizeof data.left);
    sim_array(&r, 2, data.before, sizeof data.before);
    sim_array(&r, 3, out, sizeof out);
    sim_run(&r, "product");
    compare(c);
    sim_close(&r);
}

static void test_products(void **state)
{
    int step = getenv("TILEC_THOROUGH") ? 1 : 7, done = 0;
    WgmmaCase c;

    (void)state;
    for (int i = 0; i < WGMMA_CASES; i += step) {
        if (!wgmma_case(i, &c))
            continue;
        check_case(&c, (uint64_t)i);
        done++;
    }
    assert_true(done > 300);
}

/* Patterns of swizzling that do not begin at a multiple of 1024 bytes. */
static void test_base_offsets(void **state)
{
    WgmmaCase c;

    (void)state;
    for (int i = 0; wgmma_shifted_case(i, &c); i++)
        check_case(&c, (uint64_t)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_base_offsets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
