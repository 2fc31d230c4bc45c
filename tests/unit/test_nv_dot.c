/*
 * test_nv_dot.c - products on the GPU target in the simulator, against the interpreter
 *
 * Each kernel makes one tile of c = a b + c, walking along K in blocks: all dtypes and precisions,
 * tiles smaller than an instruction's and beyond powers of two, either operand transposed, batches,
 * from one warp to eight.  Inputs are halves and small whole numbers, which every format holds and
 * whose sums are exact; TILEC_SHOW prints a kernel that fails.
 */
#include "versus_test.h"

typedef struct {
    DType a, b, sum;
    const char *precision; /* NULL: ieee */
    int batch;             /* 0: tiles of rank 2 */
    int m, n, k;
    int rounds;                /* blocks of k */
    int warps, stages;         /* stages: 0 for the default */
    bool a_columns, b_columns; /* it lies in memory column by column */
    bool masked;               /* the last block of k is half outside */
} Product;

/* Halves in -2..2; whole numbers for integers. */
static void *numbers(Arena *a, DType t, size_t n, uint32_t seed)
{
    size_t size = (size_t)dtype_size(t);
    char *bytes = NEW_N(a, char, n *size);

    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        int x = (int)(seed >> 24) % 9 - 4;
        uint64_t bits = scalar_from_double(t, dtype_is_float(t) ? x / 2.0 : x);
        memcpy(bytes + i * size, &bits, size);
    }
    return bytes;
}

/* --- the kernel's text --- */

/* "[32,64]"; of `only`, unless it is negative, the other extents are 1. */
static const char *shape(const Product *p, Arena *a, const int *dims, int only)
{
    Text t = text_new(a);

    for (int d = p->batch ? 0 : 1; d < 3; d++)
        text_printf(&t, "%s%d", t.len == 0 ? "[" : ",", only < 0 || only == d ? dims[d] : 1);
    text_put(&t, "]");
    return t.s;
}

/* %NAME: i32 indices along one dimension of a tile, times a stride, as large as the tile. */
static void put_index(Text *t, const Product *p, const char *name, const int *dims, int d,
                      int64_t stride)
{
    Arena *a = t->arena;
    const char *all = shape(p, a, dims, -1);

    text_printf(t, "  %%%s_a = arange start=0 : i32[%d]\n", name, dims[d]);
    text_printf(t, "  %%%s_r = reshape %%%s_a : i32%s\n", name, name, shape(p, a, dims, d));
    text_printf(t, "  %%%s_b = broadcast %%%s_r : i32%s\n", name, name, all);
    text_printf(t, "  %%%s_s = const %lld : i32%s\n", name, (long long)stride, all);
    text_printf(t, "  %%%s = mul %%%s_b, %%%s_s : i32%s\n", name, name, name, all);
}

/* %NAME_p: pointers to the tile that begins at parameter NAME. */
static void put_pointers(Text *t, const Product *p, const char *name, DType type, const int *dims,
                         const int64_t *strides)
{
    Arena *a = t->arena;
    const char *all = shape(p, a, dims, -1);

    for (int d = p->batch ? 0 : 1; d < 3; d++)
        put_index(t, p, arena_printf(a, "%s%d", name, d), dims, d, strides[d]);
    text_printf(t, "  %%%s_x = add %%%s1, %%%s2 : i32%s\n", name, name, name, all);
    if (p->batch)
        text_printf(t, "  %%%s_o = add %%%s_x, %%%s0 : i32%s\n", name, name, name, all);
    text_printf(t, "  %%%s_q = splat %%%s : *%s%s\n", name, name, dtype_name(type), all);
    text_printf(t, "  %%%s_p = addptr %%%s_q, %%%s_%s : *%s%s\n", name, name, name,
                p->batch ? "o" : "x", dtype_name(type), all);
}

/* Of an operand, whose dimension `along` is K: the tile of this round. */
static void put_load(Text *t, const Product *p, const char *name, DType type, const int *dims,
                     int along, int64_t stride)
{
    Arena *a = t->arena;
    const char *all = shape(p, a, dims, -1), *ty = dtype_name(type);

    text_printf(t, "    %%%s_ks = const %lld : i32\n", name, (long long)stride);
    text_printf(t, "    %%%s_ko = mul %%i, %%%s_ks : i32\n", name, name);
    text_printf(t, "    %%%s_kt = splat %%%s_ko : i32%s\n", name, name, all);
    text_printf(t, "    %%%s_now = addptr %%%s_p, %%%s_kt : *%s%s\n", name, name, name, ty, all);
    if (p->masked) {
        text_printf(t, "    %%%s_left = splat %%left : i32%s\n", name, all);
        text_printf(t, "    %%%s_in = lt %%%s%d_b, %%%s_left : i1%s\n", name, name, along, name,
                    all);
        text_printf(t, "    %%%s_zero = const 0%s : %s%s\n", name, dtype_is_float(type) ? ".0" : "",
                    ty, all);
    }
    text_printf(t, "    %%%s_v = load %%%s_now%s : %s%s\n", name, name,
                p->masked ? arena_printf(a, ", %%%s_in, %%%s_zero", name, name) : "", ty, all);
}

static const char *kernel_text(const Product *p, Arena *a)
{
    Text t = text_new(a);
    const int da[3] = {p->batch, p->m, p->k}, db[3] = {p->batch, p->k, p->n},
              dc[3] = {p->batch, p->m, p->n};
    int64_t whole = (int64_t)p->k * p->rounds, last = whole - (p->masked ? p->k / 2 : 0);
    const int64_t sa[3] = {p->m * whole, p->a_columns ? 1 : whole, p->a_columns ? p->m : 1};
    const int64_t sb[3] = {p->n * whole, p->b_columns ? 1 : p->n, p->b_columns ? whole : 1};
    const int64_t sc[3] = {(int64_t)p->m * p->n, p->n, 1};
    const char *sum = dtype_name(p->sum), *all = shape(p, a, dc, -1);

    text_printf(&t, "kernel @k(%%a: *%s div 16, %%b: *%s div 16, %%c: *%s div 16) {\n",
                dtype_name(p->a), dtype_name(p->b), sum);
    put_pointers(&t, p, "a", p->a, da, sa);
    put_pointers(&t, p, "b", p->b, db, sb);
    put_pointers(&t, p, "c", p->sum, dc, sc);
    text_printf(&t, "  %%start = load %%c_p : %s%s\n", sum, all);
    text_printf(&t, "  %%lo = const 0 : i32\n  %%hi = const %lld : i32\n", (long long)last);
    text_printf(&t, "  %%step = const %d : i32\n", p->k);
    const char *stages = p->stages ? arena_printf(a, " num_stages=%d", p->stages) : "";
    text_printf(&t, "  %%sum = for %%lo, %%hi, %%step, %%start%s : %s%s {\n", stages, sum, all);
    text_printf(&t, "    (%%i: i32, %%acc: %s%s)\n    %%left = sub %%hi, %%i : i32\n", sum, all);
    put_load(&t, p, "a", p->a, da, 2, sa[2]);
    put_load(&t, p, "b", p->b, db, 1, sb[1]);
    text_printf(&t, "    %%next = dot %%a_v, %%b_v, %%acc precision=%s : %s%s\n",
                p->precision ? p->precision : "ieee", sum, all);
    text_put(&t, "    yield %next\n  }\n  store %c_p, %sum\n  return\n}\n");
    return t.s;
}

static void check(const Product *p)
{
    Arena *a = arena_new(NULL);
    size_t batches = p->batch ? (size_t)p->batch : 1, whole = (size_t)(p->k * MAX(p->rounds, 1));
    size_t na = batches * (size_t)p->m * whole, nb = batches * (size_t)p->n * whole;
    size_t nc = batches * (size_t)p->m * (size_t)p->n;
    Case c = {.arena = a,
              .plugin = plugin,
              .text = kernel_text(p, a),
              .nparams = 3,
              .grid = {1, 1, 1},
              .warps = p->warps,
              .aligned = true};

    c.params[0] = (Argument){.dtype = p->a, .n = na, .start = numbers(a, p->a, na, 1)};
    c.params[1] = (Argument){.dtype = p->b, .n = nb, .start = numbers(a, p->b, nb, 2)};
    c.params[2] = (Argument){.dtype = p->sum, .n = nc, .start = numbers(a, p->sum, nc, 3)};
    const char *what =
        arena_printf(a, "%s %s %s %s, batch %d, %dx%dx%d, %d rounds, %d warps, %d stages%s%s%s",
                     dtype_name(p->a), dtype_name(p->b), dtype_name(p->sum),
                     p->precision ? p->precision : "ieee", p->batch, p->m, p->n, p->k, p->rounds,
                     p->warps, p->stages, p->a_columns ? ", a by columns" : "",
                     p->b_columns ? ", b by columns" : "", p->masked ? ", masked" : "");
    versus_expect(&c, ENGINE_SIM_DISJOINT, what);
    arena_free(a);
}

/* --- tests --- */

typedef struct {
    DType a, b, sum;
    const char *precision;
} Kind;

static const Kind kinds[] = {
    {DT_FP16, DT_FP16, DT_FP32, NULL},     {DT_BF16, DT_BF16, DT_FP32, NULL},
    {DT_FP16, DT_FP16, DT_FP16, NULL},     {DT_FP32, DT_FP32, DT_FP32, NULL},
    {DT_FP32, DT_FP32, DT_FP32, "tf32"},   {DT_FP32, DT_FP32, DT_FP32, "tf32x3"},
    {DT_FP32, DT_FP32, DT_FP32, "bf16x3"}, {DT_FP32, DT_FP32, DT_FP32, "bf16x6"},
    {DT_FP64, DT_FP64, DT_FP64, NULL},     {DT_I8, DT_I8, DT_I32, NULL},
    {DT_FP8E4NV, DT_FP8E5, DT_FP32, NULL}, {DT_FP8E5, DT_FP8E5, DT_FP16, NULL},
};

static Product product(const Kind *k, int m, int n, int depth)
{
    return (Product){.a = k->a,
                     .b = k->b,
                     .sum = k->sum,
                     .precision = k->precision,
                     .m = m,
                     .n = n,
                     .k = depth,
                     .rounds = 2,
                     .warps = 4};
}

static void test_kinds(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(kinds); i++) {
        for (int way = 0; way < 4; way++) {
            Product p = product(&kinds[i], 64, 32, 32);
            p.a_columns = way & 1;
            p.b_columns = way & 2;
            p.masked = way == 1 || way == 2;
            check(&p);
        }
    }
}

static void test_warps(void **state)
{
    (void)state;
    for (int warps = 1; warps <= 8; warps *= 2) {
        Product p = product(&kinds[0], 32, 64, 32);
        p.warps = warps;
        check(&p);
        p.batch = 3;
        check(&p);
        p.a = p.b = DT_FP32;
        check(&p);
    }
}

/* Loads run ahead of the loop by one round less than there are stages, also of loops that end
 * before that. */
static void test_stages(void **state)
{
    (void)state;
    for (int stages = 1; stages <= 4; stages++) {
        for (int rounds = 0; rounds <= 6; rounds++) {
            Product p = product(&kinds[rounds % 2 ? 0 : 9], 32, 32, 32);
            p.stages = stages;
            p.rounds = rounds;
            p.masked = rounds > 0 && stages % 2;
            p.b_columns = rounds % 3;
            check(&p);
        }
    }
}

/* Of the stages that were asked for as many are made as shared memory has room for. */
static void test_room(void **state)
{
    Product half = product(&kinds[0], 128, 128, 64), wide = product(&kinds[8], 128, 128, 64);

    (void)state;
    half.stages = wide.stages = 8; /* of 32 and of 128 KiB */
    half.warps = wide.warps = 8;
    half.rounds = 7;
    wide.rounds = 1;
    check(&half);
    check(&wide);
}

static void test_extents(void **state)
{
    static const int extents[] = {1, 3, 8, 17, 40};
    int which = 0;

    (void)state;
    for (int m = 0; m < COUNT(extents); m++) {
        for (int n = 0; n < COUNT(extents); n++) {
            for (int k = 0; k < COUNT(extents); k++) {
                if ((m + 2 * n + 3 * k) % 5 != 0)
                    continue;
                Product p =
                    product(&kinds[which++ % COUNT(kinds)], extents[m], extents[n], extents[k]);
                p.masked = which % 2;
                p.batch = which % 3;
                check(&p);
            }
        }
    }
}

/* More multiply-adds than are made without a loop: rounds along K, and what is left of it. */
static void test_long_sums(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        Product p = product(&kinds[3], 64, 32, way % 3 ? 100 : 128);
        p.warps = 1;
        p.a_columns = way & 1;
        p.b_columns = way & 2;
        p.masked = way == 3;
        p.batch = way == 1 ? 2 : 0;
        check(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_warps),
        cmocka_unit_test(test_stages),  cmocka_unit_test(test_room),
        cmocka_unit_test(test_extents), cmocka_unit_test(test_long_sums),
    };
    return cmocka_run_group_tests(tests, versus_open, versus_close);
}
