/*
 * test_sim_warp.c - what the lanes of a warp do together: shuffles, votes, matrices, atomics
 *
 * The rows of tests/sim/micro.def that have no formula of their own.  What they should give is
 * computed from the whole matrices, with the places of elements as PTX's manual lists them.
 */
#include <math.h>

#include "sim_micro.h"

#define MICRO(name, text, results, inputs, ulps, ...) {#name, text, results, inputs, ulps, NULL},
static const Micro rows[] = {
#include "../sim/micro.def"
};
#undef MICRO

enum { WARP = 32 };

/* Inputs and results of the row that runs. */
static uint64_t in[MICRO_MOST * MICRO_THREADS], out[MICRO_MOST * MICRO_THREADS];

static void run(const char *name)
{
    for (int i = 0; i < COUNT(rows); i++) {
        if (strcmp(rows[i].name, name) == 0) {
            micro_run(&rows[i], in, out);
            return;
        }
    }
    fail_msg("there is no row %s", name);
}

static uint64_t given(int k, int thread)
{
    return in[k * MICRO_THREADS + thread];
}

static uint64_t result(int k, int thread)
{
    return out[k * MICRO_THREADS + thread];
}

/* shuffles: in segments of `width` lanes */

typedef enum { UP, DOWN, BUTTERFLY, INDEX } Shuffle;

static void check_shuffle(const char *name, Shuffle way, int width)
{
    run(name);
    for (int t = 0; t < MICRO_THREADS; t++) {
        int lane = t % WARP, by = (int)(given(1, t) & 31), first = lane / width * width;
        int last = first + width - 1;
        int from = way == UP          ? lane - by
                   : way == DOWN      ? lane + by
                   : way == BUTTERFLY ? lane ^ by
                                      : first + by % width;
        bool inside = way == UP ? from >= first : from <= last;

        assert_int_equal(result(1, t), inside);
        assert_int_equal(result(0, t), given(0, t - lane + (inside ? from : lane)));
    }
}

static void test_shuffles(void **state)
{
    (void)state;
    check_shuffle("shfl_up", UP, 32);
    check_shuffle("shfl_down", DOWN, 32);
    check_shuffle("shfl_bfly", BUTTERFLY, 32);
    check_shuffle("shfl_idx", INDEX, 32);
    check_shuffle("shfl_up_segment", UP, 8);
    check_shuffle("shfl_down_segment", DOWN, 8);
    check_shuffle("shfl_bfly_segment", BUTTERFLY, 8);
    check_shuffle("shfl_idx_segment", INDEX, 8);
}

static void test_votes(void **state)
{
    (void)state;
    run("vote_ballot");
    for (int t = 0; t < MICRO_THREADS; t++) {
        for (int lane = 0; lane < WARP; lane++)
            assert_int_equal(result(0, t) >> lane & 1,
                             (int32_t)given(0, t / WARP * WARP + lane) > 0);
    }
    run("vote_any_all");
    for (int t = 0; t < MICRO_THREADS; t++) {
        int yes = 0;

        for (int lane = 0; lane < WARP; lane++)
            yes += (int32_t)given(0, t / WARP * WARP + lane) > 0;
        assert_int_equal(result(0, t), yes > 0);
        assert_int_equal(result(1, t), yes == WARP);
    }
    run("match_any");
    for (int t = 0; t < MICRO_THREADS; t++) {
        for (int lane = 0; lane < WARP; lane++) {
            uint64_t other = given(0, t / WARP * WARP + lane);

            assert_int_equal(result(0, t) >> lane & 1, (other & 3) == (given(0, t) & 3));
        }
    }
    run("match_all"); /* of zeros */
    assert_int_equal(result(0, 5), UINT32_MAX);
    assert_int_equal(result(1, 5), 1);
}

typedef int64_t Reduce(int64_t x, int64_t y);
static int64_t plus(int64_t x, int64_t y)
{
    return (uint32_t)(x + y);
}
static int64_t least(int64_t x, int64_t y)
{
    return MIN(x, y);
}
static int64_t most(int64_t x, int64_t y)
{
    return MAX(x, y);
}
static int64_t both(int64_t x, int64_t y)
{
    return x & y;
}
static int64_t either(int64_t x, int64_t y)
{
    return x | y;
}
static int64_t differ(int64_t x, int64_t y)
{
    return x ^ y;
}

static void check_reduction(const char *name, bool is_signed, Reduce *f)
{
    run(name);
    for (int t = 0; t < MICRO_THREADS; t++) {
        int first = t / WARP * WARP;
        int64_t all = is_signed ? (int32_t)given(0, first) : (int64_t)given(0, first);

        for (int lane = 1; lane < WARP; lane++) {
            uint64_t x = given(0, first + lane);

            all = f(all, is_signed ? (int32_t)x : (int64_t)x);
        }
        assert_int_equal(result(0, t), (uint32_t)all);
    }
}

static void test_reductions(void **state)
{
    (void)state;
    check_reduction("redux_add_s32", false, plus);
    check_reduction("redux_min_s32", true, least);
    check_reduction("redux_max_s32", true, most);
    check_reduction("redux_min_u32", false, least);
    check_reduction("redux_max_u32", false, most);
    check_reduction("redux_and_b32", false, both);
    check_reduction("redux_or_b32", false, either);
    check_reduction("redux_xor_b32", false, differ);
}

/* matrices of 8x8 16-bit elements */

/* Column c of the row that a thread has in its four words. */
static uint64_t element(uint64_t (*of)(int, int), int thread, int c)
{
    return of(c / 2, thread) >> 16 * (c % 2) & 0xffff;
}

static void check_ldmatrix(int n, bool transposed)
{
    char name[40];

    snprintf(name, sizeof name, "ldmatrix_x%d%s", n, transposed ? "_trans" : "");
    run(name);
    for (int t = 0; t < MICRO_THREADS; t++) {
        for (int i = 0; i < 2 * n; i++) {
            int lane = t % WARP, m = i / 2, along = lane % 4 * 2 + i % 2, across = lane / 4;
            int row = transposed ? along : across, column = transposed ? across : along;

            assert_int_equal(result(m, t) >> 16 * (i % 2) & 0xffff,
                             element(given, t - lane + 8 * m + row, column));
        }
    }
}

static void check_stmatrix(int n, bool transposed)
{
    char name[40];

    snprintf(name, sizeof name, "stmatrix_x%d%s", n, transposed ? "_trans" : "");
    run(name);
    for (int t = 0; t < MICRO_THREADS; t++) {
        for (int c = 0; c < 8; c++) {
            int lane = t % WARP, m = lane / 8, row = lane % 8;
            int across = transposed ? c : row, along = transposed ? row : c;
            uint64_t word = given(m, t - lane + 4 * across + along / 2);

            assert_int_equal(element(result, t, c), m < n ? word >> 16 * (along % 2) & 0xffff : 0);
        }
    }
}

static void test_matrices_move(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n *= 2) {
        check_ldmatrix(n, false);
        check_ldmatrix(n, true);
        check_stmatrix(n, false);
        check_stmatrix(n, true);
    }
}

/* mma */

typedef struct {
    const char *name;
    char a, b, c, d; /* letters: h f16, b bf16, t tf32, 4 e4m3, 5 e5m2, s s8, u u8, i s32, f f32,
                      * d f64 */
    int rows, k;
    int lefts, rights; /* registers */
    bool saturates;
} Product;

static int bits_of_letter(char letter)
{
    return strchr("45su", letter) ? 8 : strchr("hb", letter) ? 16 : letter == 'd' ? 64 : 32;
}

static double fp8(uint64_t x, int mantissa, int bias)
{
    int exponent = (int)(x & 0x7f) >> mantissa, m = (int)x & ((1 << mantissa) - 1);
    double v = exponent ? ldexp((1 << mantissa) + m, exponent - bias - mantissa)
                        : ldexp(m, 1 - bias - mantissa);

    return x & 0x80 ? -v : v;
}

/* Number `i` of the elements in a register. */
static double number(char letter, uint64_t bits, int i)
{
    uint32_t word = (uint32_t)bits;
    _Float16 half;
    uint16_t low;
    double wide;
    float f;

    bits >>= letter == 'd' ? 0 : i * bits_of_letter(letter);
    switch (letter) {
    case 'h':
        low = (uint16_t)bits;
        memcpy(&half, &low, sizeof half);
        return half;
    case '4':
        return fp8(bits & 0xff, 3, 7);
    case '5':
        return fp8(bits & 0xff, 2, 15);
    case 's':
        return (int8_t)bits;
    case 'u':
        return (uint8_t)bits;
    case 'i':
        return (int32_t)word;
    case 'd':
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        word = letter == 'b' ? (uint32_t)bits << 16 : letter == 't' ? word & 0xffffe000 : word;
        memcpy(&f, &word, sizeof f);
        return f;
    }
}

/* Where element i of the left operand, the right one and the result of a lane lie. */
static void place_left(const Product *p, int lane, int i, int *row, int *column)
{
    int per = MAX(32 / bits_of_letter(p->a), 1), reg = i / per;

    *row = lane / 4 + (p->rows == 16 && reg % 2 ? 8 : 0);
    *column = lane % 4 * per + i % per + (p->rows == 16 ? reg / 2 : reg) * 4 * per;
}

static void place_right(const Product *p, int lane, int i, int *row, int *column)
{
    int per = MAX(32 / bits_of_letter(p->b), 1);

    *row = lane % 4 * per + i % per + i / per * 4 * per;
    *column = lane / 4;
}

/* The addend and the result of a lane: its element e, in registers from `first` on of `of`. */
static double accumulator(uint64_t (*of)(int, int), int first, char letter, int thread, int e)
{
    return letter == 'h' ? number('h', of(first + e / 2, thread), e % 2)
                         : number(letter, of(first + e, thread), 0);
}

static void check_warp(const Product *p, int first)
{
    static double a[16][32], b[32][8];
    int per = MAX(32 / bits_of_letter(p->a), 1), row, column;

    for (int lane = 0; lane < WARP; lane++) {
        for (int i = 0; i < p->lefts * per; i++) {
            place_left(p, lane, i, &row, &column);
            a[row][column] = number(p->a, given(i / per, first + lane), i % per);
        }
        for (int i = 0; i < p->rights * per; i++) {
            place_right(p, lane, i, &row, &column);
            b[row][column] = number(p->b, given(p->lefts + i / per, first + lane), i % per);
        }
    }
    for (int lane = 0; lane < WARP; lane++) {
        for (int e = 0; e < p->rows / 4; e++) {
            double sum = accumulator(given, p->lefts + p->rights, p->c, first + lane, e);
            double size = 1 + fabs(sum), got = accumulator(result, 0, p->d, first + lane, e);

            for (int k = 0; k < p->k; k++) {
                double x = a[lane / 4 + e / 2 * 8][k] * b[k][lane % 4 * 2 + e % 2];

                sum += x;
                size += fabs(x);
            }
            if (p->saturates)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            if (p->d == 'i')
                sum = (int32_t)(uint32_t)(int64_t)sum;
            double room = p->d == 'i' ? 0
                                      : size * ldexp(1, p->d == 'h'   ? -11
                                                        : p->d == 'f' ? -24
                                                                      : -48);
            if (fabs(got - sum) > room)
                fprintf(stderr, "%s: lane %d, element %d: %g, not %g\n", p->name, lane, e, got,
                        sum);
            assert_true(fabs(got - sum) <= room);
        }
    }
}

static void test_products(void **state)
{
    static const Product products[] = {
        {"mma_f16_k8", 'h', 'h', 'f', 'f', 16, 8, 2, 1, false},
        {"mma_f16_k16", 'h', 'h', 'f', 'f', 16, 16, 4, 2, false},
        {"mma_f16_k16_f16", 'h', 'h', 'h', 'h', 16, 16, 4, 2, false},
        {"mma_bf16_k8", 'b', 'b', 'f', 'f', 16, 8, 2, 1, false},
        {"mma_bf16_k16", 'b', 'b', 'f', 'f', 16, 16, 4, 2, false},
        {"mma_tf32_k4", 't', 't', 'f', 'f', 16, 4, 2, 1, false},
        {"mma_tf32_k8", 't', 't', 'f', 'f', 16, 8, 4, 2, false},
        {"mma_s8_k16", 's', 's', 'i', 'i', 16, 16, 2, 1, false},
        {"mma_s8_k32", 's', 's', 'i', 'i', 16, 32, 4, 2, false},
        {"mma_u8_s8_k32", 'u', 's', 'i', 'i', 16, 32, 4, 2, false},
        {"mma_sat_k32", 'u', 'u', 'i', 'i', 16, 32, 4, 2, true},
        {"mma_e4m3_k32", '4', '4', 'f', 'f', 16, 32, 4, 2, false},
        {"mma_e5m2_k32", '5', '4', 'f', 'f', 16, 32, 4, 2, false},
        {"mma_f64_k4", 'd', 'd', 'd', 'd', 8, 4, 1, 1, false},
        {"mma_f64_k8", 'd', 'd', 'd', 'd', 16, 8, 4, 2, false},
        {"mma_f64_k16", 'd', 'd', 'd', 'd', 16, 16, 8, 4, false},
    };

    (void)state;
    for (int i = 0; i < COUNT(products); i++) {
        run(products[i].name);
        for (int first = 0; first < MICRO_THREADS; first += WARP)
            check_warp(&products[i], first);
    }
}

/* atomics: all threads of several blocks on one element, in global and in shared memory */

typedef struct {
    const char *op; /* with its type */
    int bits;
    uint64_t start, end; /* the operand of thread t is t + 1, as a float for those */
} Atomic;

/* The operand as the instruction's type has it. */
static const char *operand_of(const char *op)
{
    if (strstr(op, "f32"))
        return "cvt.rn.f32.u32 %b, %t;";
    if (strstr(op, "f64"))
        return "cvt.rn.f64.u32 %b, %t;";
    if (strstr(op, ".f16x2"))
        return "cvt.rn.f32.u32 %b, %t; cvt.rn.f16x2.f32 %b, %b, %b;";
    if (strstr(op, ".f16"))
        return "cvt.rn.f16.u32 %b, %t;";
    if (strstr(op, "b16"))
        return "cvt.u16.u32 %b, %t;";
    return strstr(op, "64") ? "cvt.u64.u32 %b, %t;" : "mov.b32 %b, %t;";
}

/* `more`: operands in front of the last one. */
static void check_atomic(const Atomic *a, const char *name, const char *more, int programs)
{
    char text[2000];
    uint64_t memory = a->start;

    snprintf(text, sizeof text,
             SIM_HEAD
             ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %%t;\n.reg .b%d %%b, %%c, %%o;\n"
             ".reg .b64 %%p;\nld.param.b64 %%p, [p0];\nmov.u32 %%t, %%tid.x;\n"
             "%s\nmov.b%d %%c, %%b;\nadd.s32 %%t, %%t, 1;\n%s\n"
             "%s.global.%s %s[%%p], %s%%b;\nret;\n}\n",
             a->bits, operand_of(a->op), a->bits, operand_of(a->op), name, a->op,
             strcmp(name, "red") == 0 ? "" : "%o, ", more);
    SimRun r = sim_open(text, 4);
    sim_array(&r, 0, &memory, sizeof memory);
    r.launch.grid[0] = programs;
    r.launch.threads = 2;
    sim_run(&r, "k");
    sim_close(&r);
    if (memory != a->end)
        fprintf(stderr, "%s.%s: %llx\n", name, a->op, (unsigned long long)memory);
    assert_int_equal(memory, a->end);
}

/* Two blocks, on two threads: the order does not matter. */
static void test_atomics(void **state)
{
    enum { SUM = 2 * 128 * 129 / 2 };
    static const Atomic atomics[] = {
        {"add.u32", 32, 5, 5 + SUM},
        {"add.u64", 64, UINT64_C(1) << 40, (UINT64_C(1) << 40) + SUM},
        {"add.f32", 32, 0, 0x46810000},
        {"add.f64", 64, 0, UINT64_C(0x40d0200000000000)},
        {"min.u32", 32, 77, 1},
        {"max.u32", 32, 77, 128},
        {"min.s32", 32, UINT32_C(0xfffffff0), UINT32_C(0xfffffff0)},
        {"max.s32", 32, UINT32_C(0xfffffff0), 128},
        {"min.s64", 64, UINT64_MAX, UINT64_MAX},
        {"max.s64", 64, UINT64_MAX, 128},
        {"max.u64", 64, 3, 128},
        {"and.b32", 32, 0xffff00, 0},
        {"or.b32", 32, 0x100, 0x1ff},
        {"xor.b32", 32, 0x100, 0x100}, /* each operand comes twice */
        {"or.b64", 64, UINT64_C(1) << 50, UINT64_C(1) << 50 | 0xff},
    };

    (void)state;
    for (int i = 0; i < COUNT(atomics); i++) {
        check_atomic(&atomics[i], "atom", "", 2);
        check_atomic(&atomics[i], "red", "", 2);
    }
}

/* One block: its threads come in order here, so that also what depends on it is known. */
static void test_atomics_in_order(void **state)
{
    static const char *const swaps[] = {"cas.b16", "cas.b32", "cas.b64"};
    uint64_t up = 1000, down = 1000;
    _Float16 half = 0;
    uint16_t bits;

    (void)state;
    for (uint64_t t = 1; t <= 128; t++) {
        half += (_Float16)t;
        up = up >= t ? 0 : up + 1;
        down = down == 0 || down > t ? t : down - 1;
    }
    memcpy(&bits, &half, sizeof bits);
    check_atomic(&(Atomic){"add.noftz.f16", 16, 0xaaaa0000, 0xaaaa0000 | bits}, "atom", "", 1);
    check_atomic(&(Atomic){"add.noftz.f16x2", 32, 0, (uint64_t)bits << 16 | bits}, "red", "", 1);
    check_atomic(&(Atomic){"inc.u32", 32, 1000, up}, "atom", "", 1);
    check_atomic(&(Atomic){"dec.u32", 32, 1000, down}, "atom", "", 1);
    check_atomic(&(Atomic){"exch.b64", 64, 7, 128}, "atom", "", 1);
    for (int i = 0; i < COUNT(swaps); i++) /* from t - 1 to t */
        check_atomic(&(Atomic){swaps[i], 16 << i, 0, 128}, "atom", "%c, ", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles),         cmocka_unit_test(test_votes),
        cmocka_unit_test(test_reductions),       cmocka_unit_test(test_matrices_move),
        cmocka_unit_test(test_products),         cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomics_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
