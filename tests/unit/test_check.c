/*
 * test_check.c - launches whose accesses are checked: what is reported, and that nothing else is
 *
 * The last test compares what is reported of random views and random tiles of addresses with what
 * an exhaustive search says.
 */
#include "scene.h"
#include "seed.h"

#define KERNEL HEAD "@triton.jit\n"

enum { CELLS = 8192, MIDDLE = CELLS / 2 };
static float cells[CELLS];
static int32_t numbers[64];
static const int64_t four[] = {4}, eight[] = {8}, thousand[] = {1000};

typedef struct {
    tilec_record last;
    int records, alarms;
} Heard;

static void hear(void *user, const tilec_record *r)
{
    Heard *h = user;

    h->last = *r;
    h->records++;
    h->alarms += r->kind == TILEC_RECORD_CHECK;
}

static int devices(void)
{
    return has_cpu() ? 2 : 1;
}

static const char *device(int i)
{
    return i == 0 ? "interp" : "cpu";
}

static tilec_status checked(Scene *s, int d, int32_t programs, const tilec_arg *args, int n,
                            Heard *heard)
{
    const int32_t grid[3] = {programs, 1, 1};
    const tilec_launch_options options = {
        .device = device(d), .on_record = hear, .user = heard, .check = 1};

    *heard = (Heard){0};
    tilec_free(s->error);
    s->error = NULL;
    return tilec_launch(s->file, NULL, grid, args, n, &options, &s->error);
}

static void open_source(Scene *s, const char *text)
{
    tilec_unload(s->file);
    s->file = NULL;
    load(s, text);
}

static tilec_arg of_numbers(const int64_t *shape)
{
    return (tilec_arg){.kind = TILEC_ARG_TENSOR, .tensor = {numbers, TILEC_I32, 1, shape, NULL}};
}

/* On every device: TILEC_OK when `says` is NULL, else a fault with that text. */
static void expect(Scene *s, int32_t programs, const tilec_arg *args, int n, const char *says)
{
    for (int d = 0; d < devices(); d++) {
        Heard heard;
        tilec_status status = checked(s, d, programs, args, n, &heard);

        if (status != (says ? TILEC_FAULT : TILEC_OK))
            fail_msg("%s: status %d: %s", device(d), status, s->error ? s->error : "");
        if (says && !strstr(s->error, says))
            fail_msg("%s: wanted: %s\ngot: %s", device(d), says, s->error);
        assert_int_equal(heard.alarms > 0, says != NULL);
        tilec_free(s->error);
        s->error = NULL;
    }
}

static void test_accesses_outside_do_not_happen(void **state)
{
    Scene *s = *state;

    open_source(s, KERNEL "def k(x, at, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n"
                          "    v = tl.load(x + at + i, mask=i < n, other=7.0)\n"
                          "    tl.store(x + at + i, v + 1, mask=i < n)\n");
    for (int d = 0; d < devices(); d++) {
        const tilec_arg args[] = {of_floats(cells + MIDDLE, four), of_int("at", 2), of_int("n", 5),
                                  of_int("B", 8)};
        Heard heard;
        for (int i = 0; i < CELLS; i++)
            cells[i] = 0.5f;
        assert_int_equal(checked(s, d, 1, args, 4, &heard), TILEC_FAULT);
        assert_int_equal(heard.alarms, 2);
        assert_int_equal(heard.last.element, 2);
        assert_int_equal(heard.last.offset, 4);
        assert_int_equal(heard.last.failures, 3);
        assert_int_equal(heard.last.programs, 1);
        assert_string_equal(heard.last.message, "store to x");
        assert_non_null(strstr(s->error, "test.py:7:9: error: load of x[4] is outside of its 4 "));
        for (int i = -8; i < 12; i++)
            assert_true(cells[MIDDLE + i] == (i == 2 || i == 3 ? 1.5f : 0.5f));
    }
}

/* Whatever the address: nothing is touched, and the process lives. */
static void test_wild_addresses(void **state)
{
    static const int64_t far[] = {INT64_C(1) << 45, -(INT64_C(1) << 45), INT64_MAX,
                                  INT64_MIN,        INT32_MAX,           INT32_MIN};
    Scene *s = *state;

    open_source(s, KERNEL "def k(x, at, B: tl.constexpr):\n    i = tl.arange(0, B)\n"
                          "    p = x + at + i\n"
                          "    tl.store(p, tl.load(p) + tl.load(x + at))\n"
                          "    tl.atomic_add(p, 1.0)\n    tl.atomic_cas(x + at, 0.0, 1.0)\n");
    for (int i = 0; i < COUNT(far); i++) {
        const tilec_arg args[] = {of_floats(cells, four), of_int("at", far[i]), of_int("B", 8)};
        expect(s, 1, args, 3, "atomic on x[");
    }
}

static void test_where_addresses_come_from(void **state)
{
    static const struct {
        const char *body, *says; /* NULL: it is clean with n = 0, and an alarm with n = 8 */
    } rows[] = {
        {"    tl.store(x + n + tl.arange(0, 8), 1.0)\n", "store to x[8] is outside of its 8"},
        {"    for i in range(4):\n        tl.store(x + n, 1.0)\n        x += 1\n", "store to x[8]"},
        {"    p = x + tl.arange(0, 4)\n    for i in range(2):\n        tl.store(p + n, 1.0)\n"
         "        p += 4\n",
         "store to x[8]"},
        {"    i = tl.load(y + tl.arange(0, 8))\n    tl.load(x + i + n)\n", "load of x[8]"},
        {"    i = tl.arange(0, 4)\n    tl.load(tl.trans((x + n + i)[None, :] + i[:, None]))\n",
         "load of x[8]"},
        {"    p = x\n    if n > 100:\n        p = x + 3\n    tl.load(p + n)\n", "load of x[8]"},
        {"    p = x if n < 100 else y.to(tl.pointer_type(tl.float32))\n    tl.load(p + n)\n",
         "load of x or y, 8 elements behind the first, is outside of every one"},
        {"    p = x.to(tl.pointer_type(tl.int64))\n    tl.load(p + n // 2 + tl.arange(0, 4))\n",
         "load of x[8]"},
        {"    p = x.to(tl.pointer_type(tl.int8))\n    tl.load(p + 4 * n + tl.arange(0, 32))\n",
         "load of x[8]"},
        {"    tl.store(x - n + tl.arange(0, 8), 1.0)\n", "store to x[-8]"},
        {"    tl.atomic_add(x + n + tl.arange(0, 8), 1.0)\n", "atomic on x[8]"},
        {"    tl.atomic_cas(y + n + tl.arange(0, 8), 1, 2)\n", "atomic on y[8]"},
        {"    p = tl.make_block_ptr(x, (8 + n,), (1,), (n,), (8,), (0,))\n"
         "    tl.load(p, boundary_check=(0,))\n",
         "load of x[8]"},
    };

    for (int i = 0; i < COUNT(rows); i++) {
        Scene *s = *state;
        char source[500];
        snprintf(source, sizeof source, KERNEL "def k(x, y, n):\n%s", rows[i].body);
        open_source(s, source);
        for (int n = 0; n <= 8; n += 8) {
            tilec_arg args[] = {of_floats(cells, eight), of_numbers(eight), of_int("n", n)};
            memset(numbers, 0, sizeof numbers);
            expect(s, 1, args, 3, n == 0 ? NULL : rows[i].says);
        }
    }
}

static void keep_message(void *user, const char *text)
{
    snprintf(user, 400, "%s", text);
}

static void test_bare_pointers_are_not_checked(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1};
    char said[400] = "";
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = {cells, TILEC_FP32, -1, NULL, NULL}};
    const tilec_launch_options options = {
        .device = "interp", .check = 1, .on_message = keep_message, .user = said};

    open_source(s, KERNEL "def k(x):\n    tl.store(x + 100, 1.0)\n");
    assert_int_equal(tilec_launch(s->file, NULL, grid, &x, 1, &options, &s->error), TILEC_OK);
    assert_non_null(strstr(said, "test.py:5:7: warning: `x` is a bare pointer: what is accessed "
                                 "through it is not checked"));
}

/* The interpreter checks without being asked; only who asks is told what it cannot check. */
static void test_interp_always_checks(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1};
    char said[400] = "";
    const tilec_launch_options plain = {
        .device = "interp", .on_message = keep_message, .user = said};
    const tilec_arg args[] = {of_floats(cells, four), of_int("n", 6)};
    const tilec_arg x = {.kind = TILEC_ARG_TENSOR, .tensor = {cells, TILEC_FP32, -1, NULL, NULL}};

    open_source(s, KERNEL "def k(x, n):\n    tl.store(x + n, 1.0)\n");
    assert_int_equal(tilec_launch(s->file, NULL, grid, args, 2, &plain, &s->error), TILEC_FAULT);
    assert_non_null(strstr(s->error, "store to x[6] is outside of its 4 elements"));
    assert_int_equal(tilec_launch(s->file, NULL, grid, (tilec_arg[]){x, args[1]}, 2, &plain, NULL),
                     TILEC_OK);
    assert_string_equal(said, "");
}

/* One file, one kernel: launches with and without checks do not meet each other's code. */
static void test_checked_and_plain_launches_mix(void **state)
{
    Scene *s = *state;

    open_source(s, KERNEL "def k(x, n):\n    tl.store(x + n, 1.0)\n");
    for (int round = 0; round < 2; round++) {
        const tilec_arg args[] = {of_floats(cells, four), of_int("n", 6)};
        expect(s, 1, args, 2, "store to x[6]");
        for (int d = 0; d < devices(); d++) {
            if (strcmp(device(d), "interp") != 0)
                launch(s, device(d), 1, args, 2);
        }
    }
}

static void test_statistics_are_of_the_kernel_alone(void **state)
{
    Scene *s = *state;
    const int32_t grid[3] = {1, 1, 1};
    const tilec_launch_options plain = {.device = "interp"},
                               check = {.device = "interp", .check = 1};
    const tilec_arg args[] = {of_floats(cells, eight), of_floats(cells + 8, eight),
                              of_floats(cells + 16, eight), of_int("n", 8), of_int("BLOCK", 8)};
    tilec_stats a, b;

    open_source(s, add_source);
    assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, 5, &plain, &a, &s->error),
                     TILEC_OK);
    assert_int_equal(tilec_launch_stats(s->file, NULL, grid, args, 5, &check, &b, &s->error),
                     TILEC_OK);
    assert_true(a.flops == 8 && b.flops == 8 && a.bytes == b.bytes);
}

/* --- random views and tiles --- */

static uint64_t seed; /* not 0 */

static int draw(int least, int most)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return least + (int)(seed % (uint64_t)(most - least + 1));
}

typedef struct {
    int64_t shape[3], strides[3];
    int ndim;
    bool has[CELLS]; /* is the cell an element? */
    bool exact;      /* the form that checks use says just that */
} View3;

static void mark(View3 *v, int d, int64_t offset)
{
    if (d == v->ndim) {
        v->has[MIDDLE + offset] = true;
        return;
    }
    for (int64_t i = 0; i < v->shape[d]; i++)
        mark(v, d + 1, offset + i * v->strides[d]);
}

static bool in_form(const View *form, int64_t offset)
{
    int64_t rest = offset - form->parts[VIEW_LOW];

    for (int d = 0; d < form->dims && rest >= 0; d++) {
        int64_t q = rest / form->parts[VIEW_STRIDE + 2 * d];
        if (q >= form->parts[VIEW_COUNT + 2 * d])
            return false;
        rest -= q * form->parts[VIEW_STRIDE + 2 * d];
    }
    return rest >= 0 && rest < form->parts[VIEW_TAIL];
}

static tilec_arg random_view(View3 *v)
{
    tilec_arg a = {.kind = TILEC_ARG_TENSOR};
    View form;

    *v = (View3){.ndim = draw(0, 3), .exact = true};
    for (int d = 0; d < v->ndim; d++) {
        v->shape[d] = draw(draw(0, 9) == 0 ? 0 : 1, 7);
        v->strides[d] = draw(0, 2) == 0 ? draw(-2, 2) : draw(-60, 60);
    }
    mark(v, 0, 0);
    a.tensor = (tilec_tensor){.data = cells + MIDDLE,
                              .dtype = TILEC_FP32,
                              .ndim = v->ndim,
                              .shape = v->shape,
                              .strides = v->strides};
    assert_true(view_of(&a.tensor, &form));
    for (int64_t i = -MIDDLE; i < MIDDLE; i++) {
        assert_true(!v->has[MIDDLE + i] || in_form(&form, i)); /* no false alarm, ever */
        v->exact &= v->has[MIDDLE + i] == in_form(&form, i);
        v->has[MIDDLE + i] = in_form(&form, i);
    }
    return a;
}

/* x[at + i * si + j * sj] where i < ni and j >= nj; what else a kernel may do with it is above. */
static const char tile_source[] =
    KERNEL "def k(x, out, at, si, sj, ni, nj, I: tl.constexpr, J: tl.constexpr):\n"
           "    i = tl.arange(0, I)[:, None]\n    j = tl.arange(0, J)[None, :]\n"
           "    m = (i < ni) & (j >= nj)\n"
           "    v = tl.load(x + at + i * si + j * sj, mask=m, other=-1.0)\n"
           "    tl.store(out + i * J + j, v)\n";

static void check_tile(Scene *s, const tilec_arg *x, const View3 *view)
{
    enum { I = 8, J = 16 };
    static float out[I * J];
    static const int64_t whole[] = {I * J};
    int at = draw(-80, 80), si = draw(-30, 30), sj = draw(0, 1) ? draw(-3, 3) : draw(-20, 20);
    int ni = draw(0, I), nj = draw(0, J), failures = 0, first = -1;
    float want[I * J];

    for (int e = 0; e < I * J; e++) {
        int i = e / J, j = e % J, offset = at + i * si + j * sj;
        bool wanted = i < ni && j >= nj, has = view->has[MIDDLE + offset];
        want[e] = wanted && has ? cells[MIDDLE + offset] : -1;
        first = wanted && !has && failures == 0 ? e : first;
        failures += wanted && !has;
    }
    const tilec_arg args[] = {*x,
                              of_floats(out, whole),
                              of_int("at", at),
                              of_int("si", si),
                              of_int("sj", sj),
                              of_int("ni", ni),
                              of_int("nj", nj),
                              of_int("I", I),
                              of_int("J", J)};
    for (int d = 0; d < devices(); d++) {
        Heard heard;
        tilec_status status = checked(s, d, 1, args, COUNT(args), &heard);
        if (status != (failures ? TILEC_FAULT : TILEC_OK) || heard.last.failures != failures ||
            (failures && heard.last.element != first) || memcmp(out, want, sizeof out) != 0)
            fail_msg("%s: at %d si %d sj %d ni %d nj %d: %d of %d failures: %s", device(d), at, si,
                     sj, ni, nj, (int)heard.last.failures, failures, s->error ? s->error : "");
    }
}

static void test_random_views_against_a_search(void **state)
{
    int rounds = (thorough() ? 10 : 4) * (int)random_count(10), exact = 0;
    Scene *s = *state;
    static View3 view;

    seed = own_seed(1) | 1;

    open_source(s, tile_source);
    for (int i = 0; i < CELLS; i++)
        cells[i] = (float)i;
    for (int round = 0; round < rounds; round++) {
        tilec_arg x = random_view(&view);
        exact += view.exact;
        check_tile(s, &x, &view);
    }
    assert_true(exact > rounds * 3 / 4);
}

/* Rows that lie apart, and what continues them. */
static void test_views_are_told_as_they_are(void **state)
{
    Scene *s = *state;
    static const int64_t rows[] = {10, 81}, gap[] = {100, 1}, dense[] = {81, 1}, back[] = {-100, 1};
    tilec_arg args[] = {{.kind = TILEC_ARG_TENSOR}, of_int("at", 81), of_int("B", 4)};

    open_source(s,
                KERNEL "def k(x, at, B: tl.constexpr):\n    tl.load(x + at + tl.arange(0, B))\n");
    args[0].tensor = (tilec_tensor){cells + MIDDLE, TILEC_FP32, 2, rows, gap};
    expect(s, 1, args, 3, "load of x[0, 81] is outside of its shape (10, 81), strides (100, 1)");
    args[0].tensor.strides = back;
    expect(s, 1, args, 3, "load of x[0, 81] is outside of its shape (10, 81), strides (-100, 1)");
    args[0].tensor.strides = dense;
    expect(s, 1, args, 3, NULL);
    args[1] = of_int("at", 810);
    expect(s, 1, args, 3, "load of x[10, 0] is outside of its shape (10, 81)");
    args[0].tensor = (tilec_tensor){cells + MIDDLE, TILEC_FP32, 0, NULL, NULL};
    expect(s, 1, args, 3, "load of x at offset 810 is outside of its one element");
    args[0].tensor = (tilec_tensor){cells + MIDDLE, TILEC_FP32, 1, thousand, (int64_t[]){2}};
    args[1] = of_int("at", 3);
    expect(s, 1, args, 3, "load of x at offset 3 is outside of its shape (1000), strides (2)");
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_kept, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_accesses_outside_do_not_happen), TEST(test_wild_addresses),
        TEST(test_where_addresses_come_from),      TEST(test_bare_pointers_are_not_checked),
        TEST(test_interp_always_checks),           TEST(test_checked_and_plain_launches_mix),
        TEST(test_views_are_told_as_they_are),     TEST(test_statistics_are_of_the_kernel_alone),
        TEST(test_random_views_against_a_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
