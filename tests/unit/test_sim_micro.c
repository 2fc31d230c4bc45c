/*
 * test_sim_micro.c - each instruction of the simulator, on edges and random bits
 *
 * against the C beside it in tests/sim/micro.def, and against the answers of a GPU in
 * tests/sim/gpu_answers.txt, as gpu_answers.c wrote them.
 */
#include <math.h>

#include "sim_micro.h"

/* the formulas: numbers from bits and back, written apart from the simulator's */

#define NAN32 UINT64_C(0x7fffffff)

static float flt(uint64_t x)
{
    uint32_t bits = (uint32_t)x;
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static double dbl(uint64_t x)
{
    double f;

    memcpy(&f, &x, sizeof f);
    return f;
}

static uint64_t ubits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return f != f ? NAN32 : bits;
}

static uint64_t dbits(double f)
{
    uint64_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* A NaN of f64 in a format with the sign at that bit: quiet, with the top of what it carries. */
static uint64_t nan_of_f64(uint64_t x, int sign, int mantissa)
{
    uint64_t top = (x | UINT64_C(1) << 51) >> (52 - mantissa);

    return (x >> 63) << sign | (top & ((UINT64_C(1) << sign) - 1));
}

static uint64_t ftz(uint64_t x)
{
    return x & 0x7f800000 ? x : x & 0x80000000;
}

static uint64_t sat(uint64_t x)
{
    return flt(x) > 0 ? ubits(fminf(flt(x), 1)) : 0;
}

/* f16 by the compiler's own type; sums in 113 bits, so that they are rounded once */
static _Float128 half(uint64_t x)
{
    uint16_t bits = (uint16_t)x;
    _Float16 f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint64_t half_from(_Float128 x)
{
    _Float16 f = (_Float16)x;
    uint16_t bits;

    memcpy(&bits, &f, sizeof bits);
    return f != f ? 0x7fff : bits;
}

static uint64_t hftz(uint64_t x)
{
    return x & 0x7c00 ? x : x & 0x8000;
}

static _Float128 sat01(_Float128 x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

static float bf(uint64_t x)
{
    return flt(x << 16);
}

static uint64_t bf_from(float f)
{
    uint64_t bits = ubits(f);

    return f != f ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* Small floats by search: the nearest of all that there are, the even one of two. */
static uint64_t nearest8(double x, double (*value)(uint64_t), int most)
{
    uint64_t best = 0, sign = signbit(x) ? 0x80 : 0;

    if (isnan(x))
        return 0x7f;
    x = fmin(fabs(x), value((uint64_t)most));
    for (uint64_t i = 1; i <= (uint64_t)most; i++) {
        double far = fabs(value(i) - x), now = fabs(value(best) - x);

        if (far < now || (far == now && i % 2 == 0))
            best = i;
    }
    return best | sign;
}

static double e4m3(uint64_t x)
{
    int e = (int)(x >> 3 & 15), m = (int)(x & 7);
    double v = (x & 0x7f) == 0x7f ? NAN : e ? ldexp(8 + m, e - 10) : ldexp(m, -9);

    return x & 0x80 ? -v : v;
}

static double e5m2(uint64_t x)
{
    int e = (int)(x >> 2 & 31), m = (int)(x & 3);
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(4 + m, e - 17) : ldexp(m, -16);

    return x & 0x80 ? -v : v;
}

static uint64_t e4m3_from(double x)
{
    return nearest8(x, e4m3, 0x7e);
}

static uint64_t e5m2_from(double x)
{
    return nearest8(x, e5m2, 0x7b);
}

/* To float in a direction: the nearest, then one step if that is on the wrong side.  A sum comes
 * with what it lost. */
typedef enum { MODE_RZ, MODE_RM, MODE_RP } Mode;
typedef struct {
    _Float128 high, low;
} Sum;

static Sum exact2(_Float128 x)
{
    return (Sum){x, 0};
}

static Sum add2(_Float128 x, _Float128 y)
{
    _Float128 sum = x + y, part = sum - x;

    return (Sum){sum, (x - (sum - part)) + (y - part)};
}

static uint64_t rounded(Sum x, Mode mode)
{
    float f = (float)x.high;
    bool down = mode == MODE_RM || (mode == MODE_RZ && x.high > 0);
    bool above = f > x.high || (f == x.high && x.low < 0);
    bool below = f < x.high || (f == x.high && x.low > 0);

    if (down && above)
        f = nextafterf(f, -INFINITY);
    if (!down && below)
        f = nextafterf(f, INFINITY);
    return ubits(f);
}

static double minimum(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? y : x;
    return x < y || (x == y && signbit(x)) ? x : y;
}

static double maximum(double x, double y)
{
    return -minimum(-x, -y);
}

/* integers */

static uint64_t clamp32(int64_t x)
{
    return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static int64_t limit(uint64_t x, int64_t least, int64_t most)
{
    int64_t v = (int32_t)x;

    return v < least ? least : v > most ? most : v;
}

static uint64_t count(uint64_t x)
{
    uint64_t n = 0;

    for (; x; x >>= 1)
        n += x & 1;
    return n;
}

static int top(uint64_t x)
{
    int at = -1;

    for (; x; x >>= 1)
        at++;
    return at;
}

static uint64_t field(uint64_t x, uint64_t at, uint64_t len, int bits, bool is_signed)
{
    uint64_t all = bits == 64 ? UINT64_MAX : UINT32_MAX, last = at + len - 1;
    uint64_t value = at < 64 ? x >> at : 0, sign = 0;

    if (len == 0)
        return 0;
    if (is_signed)
        sign = x >> (last < (uint64_t)bits ? last : (uint64_t)bits - 1) & 1;
    if (at >= (uint64_t)bits)
        return sign ? all : 0;
    uint64_t width = at + len > (uint64_t)bits ? (uint64_t)bits - at : len;
    uint64_t ones = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    return ((value & ones) | (sign ? ~ones : 0)) & all;
}

static uint64_t inserted(uint64_t x, uint64_t into, uint64_t at, uint64_t len, int bits)
{
    if (at >= (uint64_t)bits || len == 0)
        return into;
    uint64_t all = bits == 64 ? UINT64_MAX : UINT32_MAX;
    uint64_t ones = (len >= 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1) << at & all;
    return (into & ~ones) | (x << at & ones);
}

static uint64_t byte_of(uint64_t both, uint64_t pick)
{
    uint64_t byte = both >> 8 * (pick & 7) & 0xff;

    return pick & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

/* A whole number as an integer, or the nearest there is. */
static uint64_t to_int(double x, int bits, bool is_signed, uint64_t for_nan)
{
    double most = ldexp(1, bits - is_signed), least = is_signed ? -most : 0;

    if (isnan(x))
        return for_nan;
    if (x >= most)
        return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (x < least)
        return is_signed ? -(UINT64_C(1) << (bits - 1)) : 0;
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

/* Both halves of a pair, from those of x, y and z. */
#define PAIR_OF(expr, k)                                                                           \
    {                                                                                              \
        uint64_t p = (uint16_t)(x >> k), q = (uint16_t)(y >> k), s = (uint16_t)(z >> k);           \
                                                                                                   \
        (void)p, (void)q, (void)s;                                                                 \
        d[0] |= (uint64_t)(uint16_t)(expr) << k;                                                   \
    }
#define PAIR(expr) PAIR_OF(expr, 0) PAIR_OF(expr, 16)
#define TRIPLE PAIR
#define SINGLE PAIR

/* the rows */

#define NONE (void)d
#define MICRO(name, text, results, inputs, ulps, ...)                                              \
    static void do_##name(const uint64_t *a, uint64_t *d)                                          \
    {                                                                                              \
        uint64_t x = a[0], y = a[1], z = a[2];                                                     \
                                                                                                   \
        (void)x, (void)y, (void)z;                                                                 \
        __VA_ARGS__;                                                                               \
    }
#include "../sim/micro.def"
#undef MICRO

#define MICRO(name, text, results, inputs, ulps, ...)                                              \
    {{#name, text, results, inputs, ulps, do_##name}, #__VA_ARGS__},
static const struct {
    Micro micro;
    const char *code;
} rows[] = {
#include "../sim/micro.def"
};
#undef MICRO

/* The same value, or a NaN for a NaN of f64, whose bits nobody promises.  The sign of a zero is not
 * known to the formulas that round down. */
static bool same(const Micro *m, int result, uint64_t a, uint64_t b)
{
    if (a == b)
        return true;
    if (m->results[result] == 'D')
        return isnan(dbl(a)) && isnan(dbl(b));
    return strstr(m->name, "rm_f32") && flt(a) == 0 && flt(b) == 0;
}

static bool check_thread(const Micro *m, int t, const uint64_t *in, const uint64_t *out)
{
    uint64_t a[MICRO_MOST] = {0}, d[MICRO_MOST] = {0};

    for (int k = 0; m->inputs[k]; k++)
        a[k] = in[k * MICRO_THREADS + t];
    m->formula(a, d);
    for (int k = 0; m->results[k]; k++) {
        uint64_t got = out[k * MICRO_THREADS + t];

        if (same(m, k, got, d[k]))
            continue;
        fprintf(stderr, "%s: %llx of %llx %llx %llx, not %llx\n", m->name, (unsigned long long)got,
                (unsigned long long)a[0], (unsigned long long)a[1], (unsigned long long)a[2],
                (unsigned long long)d[k]);
        return false;
    }
    return true;
}

static void test_formulas(void **state)
{
    static uint64_t in[MICRO_MOST * MICRO_THREADS], out[MICRO_MOST * MICRO_THREADS];
    int wrong = 0;

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        const Micro *m = &rows[i].micro;
        bool good = true;

        micro_run(m, in, out);
        for (int t = 0; t < MICRO_THREADS && good && strcmp(rows[i].code, "NONE") != 0; t++)
            good = check_thread(m, t, in, out);
        wrong += !good;
    }
    assert_int_equal(wrong, 0);
}

/* the answers of a GPU */

/* Parts of a result that are numbers of their own: two in a pair. */
static int parts_of(char letter)
{
    return strchr("XYE", letter) ? 2 : 1;
}

static double part_value(char letter, uint64_t bits, int part)
{
    switch (letter) {
    case 'D':
        return dbl(bits);
    case 'H':
    case 'X':
        return (double)half(bits >> 16 * part);
    case 'B':
    case 'Y':
        return bf(bits >> 16 * part & 0xffff);
    default:
        return flt(bits);
    }
}

/* The distance of a number of that format from the next one. */
static double unit_of(char letter, double x)
{
    int mantissa = letter == 'D' ? 52 : strchr("HX", letter) ? 10 : strchr("BY", letter) ? 7 : 23;
    int least = letter == 'D'          ? -1074
                : strchr("HX", letter) ? -24
                : strchr("BY", letter) ? -133
                                       : -149;
    int exponent;

    frexp(x, &exponent);
    return ldexp(1, exponent - 1 - mantissa < least ? least : exponent - 1 - mantissa);
}

/* Are two results as near as the row says?  `most` is the largest of all. */
static bool near(const Micro *m, char letter, uint64_t ours, uint64_t gpu, double most)
{
    for (int part = 0; part < parts_of(letter); part++) {
        double a = part_value(letter, ours, part), b = part_value(letter, gpu, part);
        double room = m->ulps > 0 ? m->ulps * unit_of(letter, a) : ldexp(fmax(most, 1), m->ulps);

        if (a == b || (isnan(a) && isnan(b)))
            continue;
        if (!(fabs(a - b) <= room))
            return false;
    }
    return true;
}

static double largest(const Micro *m, const uint64_t *out)
{
    double most = 0;

    for (int i = 0; i < MICRO_THREADS * (int)strlen(m->results); i++) {
        char letter = m->results[i / MICRO_THREADS];

        for (int part = 0; part < parts_of(letter); part++) {
            double x = fabs(part_value(letter, out[i], part));

            most = isfinite(x) ? fmax(most, x) : most;
        }
    }
    return most;
}

/* How many results of a row, whose answers start at `text`, are too far from ours. */
static int compare_values(const Micro *m, const uint64_t *out, const char *text)
{
    double most = largest(m, out);
    int wrong = 0;

    for (int i = 0; i < MICRO_THREADS * (int)strlen(m->results); i++) {
        char letter = m->results[i / MICRO_THREADS], *end;
        uint64_t gpu = strtoull(text, &end, 16);
        bool same_bits = micro_result(letter, gpu) == micro_result(letter, out[i]);

        assert_true(end != text); /* the file is cut off */
        text = end;
        if (same_bits || (m->ulps != 0 && near(m, letter, out[i], gpu, most)))
            continue;
        if (wrong++ == 0)
            fprintf(stderr, "%s: thread %d, result %d: %llx, on the GPU %llx\n", m->name,
                    i % MICRO_THREADS, i / MICRO_THREADS, (unsigned long long)out[i],
                    (unsigned long long)gpu);
    }
    return wrong;
}

static const Micro *row_named(const char *name, size_t len)
{
    for (int i = 0; i < COUNT(rows); i++) {
        if (strncmp(rows[i].micro.name, name, len) == 0 && rows[i].micro.name[len] == 0)
            return &rows[i].micro;
    }
    return NULL;
}

/* One line of the file; false when the simulator gives something else. */
static bool check_answer(const char *line)
{
    static uint64_t in[MICRO_MOST * MICRO_THREADS], out[MICRO_MOST * MICRO_THREADS];
    size_t len = strcspn(line, " ");
    const Micro *m = row_named(line, len);

    assert_non_null(m); /* the answers are of another list */
    micro_run(m, in, out);
    line += len + 1;
    if (strncmp(line, "values ", 7) == 0)
        return compare_values(m, out, line + 7) == 0;
    assert_int_equal(strncmp(line, "hash ", 5), 0);
    bool good = strtoull(line + 5, NULL, 16) == micro_hash(m, out);
    if (!good)
        fprintf(stderr, "%s: other results on the GPU\n", m->name);
    return good;
}

static void test_gpu_answers(void **state)
{
    char *text, *rest;
    int wrong = 0, all = 0;

    (void)state;
    if (!sim_has_file("gpu_answers.txt"))
        skip();
    text = sim_file("gpu_answers.txt");
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        all++;
        wrong += !check_answer(line);
    }
    assert_int_equal(wrong, 0);
    assert_in_range(all, COUNT(rows) * 9 / 10, COUNT(rows));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_gpu_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
