/*
 * test_sweep.c - the product that people write, planned and compiled in every configuration
 *
 * The product of tests/num/gpu/products.py (`tutorial`) over widths of which rows begin at
 * multiples of 16, 8, 4 and 2 bytes, block shapes, stages, warps and chips.  Nothing runs: a plan
 * and code there must be for each, or a word on why not, but no crash and no internal error.
 *
 * One of each EVERY, from one on that the seed chooses; with TILEC_THOROUGH all.
 */
#include "scene.h"

#include "seed.h"

typedef struct {
    const char *chip;
    tilec_dtype dtype;
    int n, bm, bn, bk, stages, warps;
    bool change;
} Config;

enum { EVERY = 97 }; /* no factor of any number below, so that all of each come in turn */

/* The lowest digit of a number, one of `base`, which it loses. */
static int digit(int *number, int base)
{
    int lowest = *number % base;

    *number /= base;
    return lowest;
}

static Config config(int i)
{
    static const char *const chips[] = {"sm_80", "sm_90a"};
    static const tilec_dtype dtypes[] = {TILEC_FP16, TILEC_FP32};
    static const int widths[] = {4000, 4001, 4004, 4010}, warps[] = {4, 8};
    static const int blocks[][3] = {{128, 128, 64}, {128, 256, 64}, {64, 64, 32},
                                    {128, 128, 32}, {32, 64, 128},  {256, 64, 32}};
    Config c = {0};

    c.n = widths[digit(&i, COUNT(widths))];
    const int *block = blocks[digit(&i, COUNT(blocks))];
    c.stages = 1 + digit(&i, 4);
    c.warps = warps[digit(&i, COUNT(warps))];
    c.chip = chips[digit(&i, COUNT(chips))];
    c.dtype = dtypes[digit(&i, COUNT(dtypes))];
    c.change = digit(&i, 2) != 0;
    c.bm = block[0];
    c.bn = block[1];
    c.bk = block[2];
    return c;
}

enum { CONFIGS = 4 * 6 * 4 * 2 * 2 * 2 * 2 };

static tilec_status compile(Scene *s, const Config *c, char **text)
{
    const tilec_arg pointer = {.kind = TILEC_ARG_TYPE, .dtype = c->dtype, .pointer = 1};
    const tilec_arg args[] = {pointer,
                              pointer,
                              pointer,
                              of_int("m", 4000),
                              of_int("n", c->n),
                              of_int("k", 4096),
                              of_int("stride_am", 4096),
                              of_int("stride_bk", c->n),
                              of_int("stride_cm", c->n),
                              of_int("M", c->bm),
                              of_int("N", c->bn),
                              of_int("K", c->bk),
                              {.name = "CHANGE", .kind = TILEC_ARG_BOOL, .integer = c->change}};
    const tilec_launch_options o = {
        .device = "cuda", .arch = c->chip, .num_warps = c->warps, .num_stages = c->stages};

    return tilec_dump(s->file, "tutorial", "ptx", args, COUNT(args), &o, text, &s->error);
}

static void test_products(void **state)
{
    Scene *s = *state;
    Arena *a = arena_new(NULL);
    int step = thorough() ? 1 : EVERY, first = (int)(first_seed(1) % (uint64_t)step), refused = 0;
    char *source;
    size_t len;

    const char *path = arena_printf(a, "%s/tests/num/gpu/products.py", getenv("TILEC_SOURCE"));
    assert_int_equal(os_read_file(a, path, 1 << 20, &source, &len), 0);
    load(s, source);
    for (int i = first; i < CONFIGS; i += step) {
        const Config c = config(i);
        char *text = NULL;
        tilec_status status = compile(s, &c, &text);
        if (status == TILEC_OK) {
            assert_non_null(strstr(text, ".entry "));
        } else if (!s->error || !strstr(s->error, "bytes of shared memory")) {
            fail_msg("%s n %d block %dx%dx%d stages %d warps %d dtype %d change %d: %s", c.chip,
                     c.n, c.bm, c.bn, c.bk, c.stages, c.warps, (int)c.dtype, c.change, s->error);
        } else {
            refused++;
        }
        tilec_free(text);
        tilec_free(s->error);
        s->error = NULL;
    }
    assert_true(refused <= CONFIGS / step / 4);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_products)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
