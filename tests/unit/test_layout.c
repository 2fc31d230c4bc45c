/*
 * test_layout.c - the algebra of layouts, and the layouts of matrix instructions
 *
 * Every claim of layout.h is compared with what one sees by asking each register of each thread.
 */
#include <stdio.h>
#include <string.h>

#include "random_layout.h" /* before cmocka, which makes fail() a macro */
#include <cmocka.h>

enum { ROUNDS = 60, WARPS = 2 };

/* Call for some layouts of every small shape. */
static void each_layout(void (*check)(const Layout *l, uint64_t *rng, Arena *a))
{
    uint64_t rng = 1;
    Arena *a = arena_new(NULL);

    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS; i++) {
            Layout l = some_layout(&rng, &shapes[s], random_threads(&rng, WARPS));
            assert_true(layout_is_sound(&l));
            check(&l, &rng, a);
        }
    }
    arena_free(a);
}

/* Holders one after another: registers go fastest. */
static int count_holders(const Layout *l)
{
    return 1 << (l->nreg + l->nlane + l->nwarp);
}

static Holder holder_at(const Layout *l, int i)
{
    uint32_t n = (uint32_t)i, r = n & ((1u << l->nreg) - 1);

    n >>= l->nreg;
    return (Holder){r, n & ((1u << l->nlane) - 1), n >> l->nlane};
}

static bool is_copy(const Inverse *v, Holder h)
{
    return (h.lane & v->copies.lane) != 0 || (h.warp & v->copies.warp) != 0;
}

static void check_inverse(const Layout *l, uint64_t *rng, Arena *a)
{
    Inverse v;
    int total = layout_total_bits(l), firsts = 0;

    (void)rng, (void)a;
    layout_invert(l, &v);
    for (uint32_t c = 0; c < 1u << total; c++) {
        Holder h = layout_holder(&v, c);
        assert_int_equal(layout_at(l, h), c);
        assert_false(is_copy(&v, h));
    }
    for (int i = 0; i < count_holders(l); i++)
        firsts += !is_copy(&v, holder_at(l, i));
    assert_int_equal(firsts, 1 << total);
}

static void test_inverse(void **state)
{
    (void)state;
    each_layout(check_inverse);
}

static void check_existence(const Layout *l, uint64_t *rng, Arena *a)
{
    (void)rng, (void)a;
    for (int r = 0; r < layout_registers(l); r++) {
        Existence e = layout_register_exists(l, (uint32_t)r);
        int some = 0, all = 1 << (l->nlane + l->nwarp);
        for (int t = 0; t < all; t++) {
            Holder h = holder_at(l, t << l->nreg | r);
            some += layout_exists(l, layout_at(l, h));
        }
        if (e == EXISTS_IN_NONE)
            assert_int_equal(some, 0);
        if (e == EXISTS_IN_ALL)
            assert_int_equal(some, all);
    }
}

static void test_existence(void **state)
{
    (void)state;
    each_layout(check_existence);
}

/* Of layouts whose bases move one dimension each, the answer is exact. */
static void test_existence_is_exact(void **state)
{
    static const int8_t order[] = {1, 0};
    static const int32_t dims[] = {3, 781};
    Layout l;
    int live = 0, always = 0;

    (void)state;
    assert_true(layout_blocked(&l, 2, dims, order, 0, NULL, warps(2)));
    for (uint32_t r = 0; r < (uint32_t)layout_registers(&l); r++) {
        live += layout_register_live(&l, r);
        always += layout_register_exists(&l, r) == EXISTS_IN_ALL;
    }
    assert_int_equal(layout_registers(&l), 32);
    assert_int_equal(live, 3 * 7); /* 128 columns at a time */
    assert_int_equal(always, 3 * 6);
}

static void check_copies(const Layout *l, uint64_t *rng, Arena *a)
{
    Layout with = *l, without;
    uint32_t any = random_bits(rng) & ((1u << layout_total_bits(l)) - 1);

    (void)a;
    with.reg[with.nreg++] = 0;
    if (with.nreg > 1)
        with.reg[with.nreg++] = with.reg[0] ^ with.reg[1];
    for (int i = with.nreg - 1; i > 0; i--) {
        int k = random_below(rng, i + 1);
        uint32_t t = with.reg[i];
        with.reg[i] = with.reg[k];
        with.reg[k] = t;
    }
    without = with;
    uint32_t kept = layout_drop_copies(&without);
    assert_true(layout_is_sound(&without));
    assert_int_equal(without.nreg, l->nreg);
    for (uint32_t r = 0; r < (uint32_t)layout_registers(&without); r++) {
        Holder h = {r, 0, 0}, old = {layout_deposit(r, kept), 0, 0};
        assert_int_equal(layout_at(&without, h), layout_at(&with, old));
        assert_int_equal(layout_extract(old.reg, kept), r);
    }
    assert_int_equal(layout_extract(layout_deposit(any, 0xfff0f0f0), 0xfff0f0f0), any & 0xfffff);
}

static void test_copies_of_registers(void **state)
{
    (void)state;
    each_layout(check_copies);
}

static void check_runs(const Layout *l, uint64_t *rng, Arena *a)
{
    int8_t regs[LAYOUT_MAX_REG_BITS];

    (void)rng, (void)a;
    for (int d = 0; d < l->rank; d++) {
        int n = layout_run_bits(l, d, regs);
        uint32_t in_run = 0;
        for (int i = 0; i < n; i++)
            in_run |= 1u << regs[i];
        for (int i = 0; i < count_holders(l); i++) {
            Holder h = holder_at(l, i);
            uint32_t first = layout_at(l, (Holder){h.reg & ~in_run, h.lane, h.warp});
            int32_t along = 0;
            for (int k = 0; k < n; k++)
                along |= (int32_t)(h.reg >> regs[k] & 1) << k;
            assert_int_equal(layout_index(l, first, d) & ((1 << n) - 1), 0);
            assert_int_equal(layout_at(l, h), first + ((uint32_t)along << layout_shift(l, d)));
        }
    }
}

static void test_runs(void **state)
{
    (void)state;
    each_layout(check_runs);
}

static void test_runs_are_found(void **state)
{
    static const int8_t order[] = {1, 0}, other[] = {0, 1};
    static const int32_t dims[] = {64, 200};
    int8_t regs[LAYOUT_MAX_REG_BITS];
    Layout l;

    (void)state;
    assert_true(layout_blocked(&l, 2, dims, order, 3, NULL, warps(2)));
    assert_int_equal(layout_run_bits(&l, 1, regs), 3);
    assert_int_equal(regs[2], 2);
    assert_int_equal(layout_run_bits(&l, 0, regs), 0);
    assert_true(layout_blocked(&l, 2, dims, other, 1, NULL, warps(2)));
    assert_int_equal(layout_run_bits(&l, 0, regs), 1);
}

/* --- other shapes --- */

static void indices_of(const Layout *l, uint32_t c, int32_t *index)
{
    for (int d = 0; d < l->rank; d++)
        index[d] = layout_index(l, c, d);
    assert_int_equal(layout_coordinate_of(l, index), c);
}

static void check_permute(const Layout *l, uint64_t *rng, Arena *a)
{
    int dims[4], back[4];
    Layout p, q;

    (void)a;
    for (int d = 0; d < l->rank; d++)
        dims[d] = (d + 1 + (int)random_bits(rng) % 2) % l->rank;
    for (int d = 0; d < l->rank; d++) { /* make it one */
        for (int k = 0; k < d; k++) {
            if (dims[k] == dims[d]) {
                dims[d] = (dims[d] + 1) % l->rank;
                k = -1;
            }
        }
    }
    for (int d = 0; d < l->rank; d++)
        back[dims[d]] = d;
    layout_permute(l, dims, &p);
    assert_true(layout_is_sound(&p));
    for (int i = 0; i < count_holders(l); i++) {
        int32_t from[4], to[4];
        indices_of(l, layout_at(l, holder_at(l, i)), from);
        indices_of(&p, layout_at(&p, holder_at(l, i)), to);
        for (int d = 0; d < l->rank; d++)
            assert_int_equal(to[d], from[dims[d]]);
    }
    layout_permute(&p, back, &q);
    assert_true(layout_equal(l, &q));
}

static void test_permute(void **state)
{
    (void)state;
    each_layout(check_permute);
}

/* The row-major number of an element. */
static int row_major(const Layout *l, uint32_t c)
{
    int n = 0;

    for (int d = 0; d < l->rank; d++)
        n = n * l->dims[d] + layout_index(l, c, d);
    return n;
}

/* False when there is no such layout; else every element keeps its holders. */
static bool reshapes(const Layout *l, int rank, const int32_t *dims)
{
    Layout to, back;

    if (!layout_reshape(l, rank, dims, &to))
        return false;
    assert_true(layout_is_sound(&to));
    for (int i = 0; i < count_holders(l); i++) {
        uint32_t old = layout_at(l, holder_at(l, i)), new = layout_at(&to, holder_at(l, i));
        assert_int_equal(layout_exists(l, old), layout_exists(&to, new));
        if (layout_exists(l, old))
            assert_int_equal(row_major(l, old), row_major(&to, new));
    }
    assert_true(layout_reshape(&to, l->rank, l->dims, &back));
    assert_true(layout_equal(l, &back));
    return true;
}

static void test_reshape(void **state)
{
    static const struct {
        Shape from, to;
        bool can;
    } cases[] = {
        {{2, {4, 8}}, {1, {32}}, true},
        {{1, {32}}, {3, {2, 4, 4}}, true},
        {{2, {6, 4}}, {1, {24}}, true},
        {{2, {4, 6}}, {1, {24}}, false},
        {{1, {24}}, {3, {3, 2, 4}}, true},
        {{1, {24}}, {2, {2, 12}}, false},
        {{2, {5, 7}}, {4, {5, 1, 7, 1}}, true},
        {{3, {1, 5, 1}}, {1, {5}}, true},
        {{3, {3, 4, 10}}, {2, {12, 10}}, true},
        {{3, {4, 3, 10}}, {2, {12, 10}}, false},
        {{3, {5, 4, 3}}, {4, {5, 2, 2, 3}}, true},
        {{1, {1}}, {0, {0}}, true},
        {{0, {0}}, {2, {1, 1}}, true},
        {{2, {6, 6}}, {2, {4, 9}}, false},
    };
    uint64_t rng = 1;

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        for (int k = 0; k < ROUNDS; k++) {
            Layout l = some_layout(&rng, &cases[i].from, random_threads(&rng, WARPS));
            assert_int_equal(reshapes(&l, cases[i].to.rank, cases[i].to.dims), cases[i].can);
        }
    }
}

static void check_dimensions(const Layout *l, uint64_t *rng, Arena *a)
{
    int axis = random_below(rng, l->rank + 1);
    Layout with, without;

    (void)a;
    layout_expand(l, axis, &with);
    assert_true(layout_is_sound(&with));
    assert_int_equal(with.rank, l->rank + 1);
    layout_remove(&with, axis, &without);
    assert_true(layout_equal(&without, l));

    assert_true(layout_insert(l, axis, 3, &with));
    assert_true(layout_is_sound(&with));
    for (int i = 0; i < count_holders(&with); i++) {
        Holder h = holder_at(&with, i);
        uint32_t c = layout_at(&with, h);
        int32_t index[5], rest[4];
        indices_of(&with, c, index);
        assert_int_equal(index[axis], h.reg & 3);
        for (int d = 0; d < l->rank; d++)
            rest[d] = index[d + (d >= axis)];
        h.reg >>= 2;
        assert_int_equal(layout_at(l, h), layout_coordinate_of(l, rest));
    }
    layout_remove(&with, axis, &without);
    assert_true(layout_equal(&without, l));
}

static void test_dimensions(void **state)
{
    (void)state;
    each_layout(check_dimensions);
}

static void check_broadcast(const Layout *l, uint64_t *rng, Arena *a)
{
    int32_t dims[4];
    Layout operand;

    (void)a;
    for (int d = 0; d < l->rank; d++)
        dims[d] = random_below(rng, 2) ? 1 : l->dims[d];
    uint32_t kept = layout_broadcast_operand(l, dims, &operand);
    assert_true(layout_is_sound(&operand));
    for (int i = 0; i < count_holders(l); i++) {
        Holder h = holder_at(l, i);
        int32_t whole[4], one[4];
        indices_of(l, layout_at(l, h), whole);
        h.reg = layout_extract(h.reg, kept);
        indices_of(&operand, layout_at(&operand, h), one);
        for (int d = 0; d < l->rank; d++)
            assert_int_equal(one[d], dims[d] == l->dims[d] ? whole[d] : 0);
    }
}

/* Registers that differ along the broadcast dimension alone may stand for each other only where a
 * basis moves one dimension, as those of all usual layouts do. */
static void test_broadcast(void **state)
{
    uint64_t rng = 1;

    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS; i++) {
            Layout l = random_layout(&rng, &shapes[s], random_threads(&rng, WARPS), false);
            check_broadcast(&l, &rng, NULL);
        }
    }
}

/* --- along an axis --- */

static bool walk_is_right(const Layout *l, int axis)
{
    AxisWalk w;
    uint32_t along[3] = {0};

    if (!layout_walk(l, axis, &w))
        return false;
    assert_int_equal(w.nsteps, l->bits[axis]);
    assert_true(layout_is_sound(&w.result));
    for (int i = 0; i < w.nsteps; i++) {
        Holder h = {0};
        const AxisStep *s = &w.step[i];
        *(s->kind == STEP_REGISTER ? &h.reg
          : s->kind == STEP_LANE   ? &h.lane
                                   : &h.warp) = 1u << s->bit;
        along[s->kind] |= 1u << s->bit;
        assert_int_equal(layout_at(l, h), 1u << (layout_shift(l, axis) + i));
    }
    for (int i = 0; i < count_holders(l); i++) {
        Holder h = holder_at(l, i);
        int32_t index[4], rest[4];
        indices_of(l, layout_at(l, h), index);
        for (int d = 0; d < l->rank - 1; d++)
            rest[d] = index[d + (d >= axis)];
        h.reg = layout_extract(h.reg, w.across);
        assert_int_equal(layout_at(&w.result, h), layout_coordinate_of(&w.result, rest));
    }
    assert_int_equal(along[STEP_REGISTER] & w.across, 0);
    return true;
}

/* Of the same holders, which differ along the axis alone, those are in order whose numbers' bits
 * are: first the register's, then the lane's, the warp's. */
static void check_in_order(const Layout *l, int axis, int32_t extent)
{
    AxisStep place[LAYOUT_MAX_BITS];
    Layout out;
    uint32_t stay = layout_in_order(l, axis, extent, &out, place);

    assert_true(layout_is_sound(&out));
    assert_int_equal(out.dims[axis], extent);
    for (int i = 0; i < count_holders(l); i++) {
        Holder h = holder_at(l, i);
        const uint32_t numbers[] = {h.reg, h.lane, h.warp};
        int32_t index[4];
        indices_of(l, layout_at(l, h), index);
        index[axis] = 0;
        for (int b = 0; b < l->bits[axis]; b++) {
            assert_true(b == 0 || place[b].kind > place[b - 1].kind ||
                        (place[b].kind == place[b - 1].kind && place[b].bit > place[b - 1].bit));
            if (b < out.bits[axis])
                index[axis] |= (int32_t)(numbers[place[b].kind] >> place[b].bit & 1) << b;
        }
        h.reg = layout_extract(h.reg, stay);
        assert_int_equal(layout_at(&out, h), layout_coordinate_of(&out, index));
    }
}

static void test_walk(void **state)
{
    uint64_t rng = 1;

    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS && shapes[s].rank > 0; i++) {
            Layout tame = random_layout(&rng, &shapes[s], random_threads(&rng, WARPS), false);
            Layout wild = random_layout(&rng, &shapes[s], random_threads(&rng, WARPS), true);
            int axis = random_below(&rng, shapes[s].rank);
            assert_true(walk_is_right(&tame, axis));
            check_in_order(&tame, axis, 1 + random_below(&rng, tame.dims[axis]));
            if (walk_is_right(&wild, axis))
                check_in_order(&wild, axis, wild.dims[axis]);
        }
    }
}

static void check_slice(const Layout *l, const int64_t *starts, const int32_t *dims, bool can)
{
    Arena *a = arena_new(NULL);
    const int32_t *take;
    Layout to;

    assert_int_equal(layout_slice(l, starts, dims, &to, a, &take), can);
    for (int i = 0; can && i < count_holders(&to); i++) {
        Holder h = holder_at(&to, i);
        uint32_t c = layout_at(&to, h);
        int32_t index[4];
        if (!layout_exists(&to, c))
            continue;
        indices_of(&to, c, index);
        for (int d = 0; d < l->rank; d++)
            index[d] += (int32_t)starts[d];
        assert_true(take[h.reg] >= 0);
        h.reg = (uint32_t)take[h.reg];
        assert_int_equal(layout_at(l, h), layout_coordinate_of(l, index));
    }
    if (can)
        assert_true(layout_is_sound(&to));
    arena_free(a);
}

/* From the slice's layout to the tile's. */
static void check_slice_operand(const Layout *l, const int64_t *starts, const int32_t *dims,
                                bool can)
{
    Arena *a = arena_new(NULL);
    const int32_t *take;
    Layout from;

    assert_int_equal(layout_slice_operand(l, starts, dims, &from, a, &take), can);
    for (int i = 0; can && i < count_holders(l); i++) {
        Holder h = holder_at(l, i);
        uint32_t c = layout_at(l, h);
        int32_t index[4];
        if (!layout_exists(l, c))
            continue;
        indices_of(l, c, index);
        for (int d = 0; d < l->rank; d++)
            index[d] += (int32_t)starts[d];
        assert_true(take[h.reg] >= 0);
        h.reg = (uint32_t)take[h.reg];
        assert_int_equal(layout_at(&from, h), layout_coordinate_of(&from, index));
    }
    if (can)
        assert_true(layout_is_sound(&from));
    arena_free(a);
}

static void test_slice_operand(void **state)
{
    static const int8_t order[] = {1, 0};
    Layout l;

    (void)state;
    assert_true(layout_blocked(&l, 2, (int32_t[]){6, 16}, order, 1, NULL, warps(1)));
    check_slice_operand(&l, (int64_t[]){0, 0}, (int32_t[]){6, 16}, true);
    check_slice_operand(&l, (int64_t[]){8, 16}, (int32_t[]){15, 64}, true);
    check_slice_operand(&l, (int64_t[]){0, 80}, (int32_t[]){6, 100}, true);
    check_slice_operand(&l, (int64_t[]){4, 0}, (int32_t[]){16, 16}, false); /* across 8 */
    check_slice_operand(&l, (int64_t[]){0, 0}, (int32_t[]){6, 4096}, false);
    assert_true(layout_blocked(&l, 2, (int32_t[]){100, 1}, order, 0, NULL, warps(2)));
    check_slice_operand(&l, (int64_t[]){0, 5}, (int32_t[]){100, 7}, true);
}

static void test_slice(void **state)
{
    static const int8_t order[] = {1, 0};
    static const int32_t dims[] = {16, 64};
    Layout l; /* columns on registers and lanes, rows on a lane, warps and registers */

    (void)state;
    assert_true(layout_blocked(&l, 2, dims, order, 2, NULL, warps(1)));
    check_slice(&l, (int64_t[]){0, 0}, (int32_t[]){16, 64}, true);
    check_slice(&l, (int64_t[]){4, 0}, (int32_t[]){4, 64}, true);
    check_slice(&l, (int64_t[]){12, 0}, (int32_t[]){3, 64}, true);
    check_slice(&l, (int64_t[]){6, 0}, (int32_t[]){4, 64}, false);   /* another thread's rows */
    check_slice(&l, (int64_t[]){0, 32}, (int32_t[]){16, 32}, false); /* other lanes have it */

    assert_true(layout_blocked(&l, 2, dims, order, 6, NULL, warps(1))); /* a row in each thread */
    check_slice(&l, (int64_t[]){0, 5}, (int32_t[]){16, 50}, true);
    check_slice(&l, (int64_t[]){0, 63}, (int32_t[]){16, 1}, true);
    check_slice(&l, (int64_t[]){0, 16}, (int32_t[]){16, 16}, true);
    check_slice(&l, (int64_t[]){3, 0}, (int32_t[]){2, 64}, false);
}

/* --- makers --- */

static void check_text(const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("it is\n%s\nand not\n%s", got, want);
}

static void check_blocked(int rank, const int32_t *dims, const int8_t *order, int vector_bits,
                          const int8_t *warp_order, int warp_bits, const char *want)
{
    Arena *a = arena_new(NULL);
    Layout l;

    assert_true(layout_blocked(&l, rank, dims, order, vector_bits, warp_order, warps(warp_bits)));
    assert_true(layout_is_sound(&l));
    check_text(layout_text(&l, a), want);
    arena_free(a);
}

static void test_blocked(void **state)
{
    static const int8_t rows[] = {1, 0}, columns[] = {0, 1}, one[] = {0};

    (void)state;
    check_blocked(1, (int32_t[]){1000}, one, 2, NULL, 2,
                  "[1000] regs 1 2 512 lanes 4 8 16 32 64 warps 128 256");
    check_blocked(1, (int32_t[]){64}, one, 2, NULL, 2, "[64] regs 1 2 lanes 4 8 16 32 - warps - -");
    check_blocked(2, (int32_t[]){32, 64}, rows, 2, NULL, 2,
                  "[32,64] regs (0,1) (0,2) (8,0) (16,0) lanes (0,4) (0,8) (0,16) (0,32) (1,0) "
                  "warps (2,0) (4,0)");
    check_blocked(2, (int32_t[]){32, 256}, rows, 2, columns, 1,
                  "[32,256] regs (0,1) (0,2) (0,128) (2,0) (4,0) (8,0) (16,0) "
                  "lanes (0,4) (0,8) (0,16) (0,32) (0,64) warps (1,0)");
    check_blocked(2, (int32_t[]){5, 7}, columns, 0, NULL, 0,
                  "[5,7] regs (0,4) lanes (1,0) (2,0) (4,0) (0,1) (0,2)");
    check_blocked(0, NULL, NULL, 3, NULL, 1, "[] lanes - - - - - warps -");
}

/* Eight rows that read the same words are in one thread. */
static void test_blocked_equal(void **state)
{
    static const int8_t rows[] = {1, 0};
    Arena *a = arena_new(NULL);
    Layout l;

    (void)state;
    assert_true(layout_blocked_equal(&l, 2, (int32_t[]){64, 64}, rows, 2, 0, 3, warps(2)));
    assert_true(layout_is_sound(&l));
    check_text(layout_text(&l, a), "[64,64] regs (0,1) (0,2) (1,0) (2,0) (4,0) "
                                   "lanes (0,4) (0,8) (0,16) (0,32) (8,0) warps (16,0) (32,0)");
    arena_free(a);
}

/* Of a dot by multiply-adds no thread computes what another one does, as long as there are elements
 * for all. */
static void check_multiply_add(int rank, const int32_t *dims, int nwarps, int copies,
                               const char *wanted)
{
    Layout l;
    Inverse v;
    Arena *a = arena_new(NULL);

    assert_true(layout_multiply_add(&l, rank, dims, warps(nwarps)));
    layout_invert(&l, &v);
    assert_int_equal(__builtin_popcount(layout_thread(&l, v.copies)), copies);
    assert_string_equal(layout_text(&l, a), wanted);
    arena_free(a);
}

static void test_multiply_add(void **state)
{
    (void)state;
    check_multiply_add(2, (int32_t[]){64, 64}, 2, 0,
                       "[64,64] regs (0,1) (0,2) (1,0) (2,0) (32,0) lanes (0,4) (0,8) (0,16) (4,0) "
                       "(8,0) warps (16,0) (0,32)");
    check_multiply_add(2, (int32_t[]){16, 16}, 2, 0,
                       "[16,16] regs (0,1) lanes (0,2) (0,4) (0,8) (1,0) (2,0) warps (4,0) (8,0)");
    check_multiply_add(2, (int32_t[]){32, 32}, 2, 0,
                       "[32,32] regs (0,1) (0,2) (1,0) lanes (0,4) (0,8) (0,16) (2,0) (4,0) "
                       "warps (8,0) (16,0)");
    check_multiply_add(2, (int32_t[]){8, 8}, 2, 1,
                       "[8,8] lanes (0,1) (0,2) (0,4) (1,0) (2,0) warps (4,0) -");
}

static void test_too_large(void **state)
{
    static const int8_t rows[] = {1, 0};
    static const int32_t dims[] = {4096, 4096}, more[] = {1 << 13, 1 << 12};
    Layout l;

    (void)state;
    assert_true(layout_blocked(&l, 2, dims, rows, 2, NULL, warps(5)));
    assert_false(layout_blocked(&l, 2, dims, rows, 2, NULL, warps(4)));
    assert_false(layout_blocked(&l, 2, more, rows, 2, NULL, warps(5)));
    assert_true(layout_blocked(&l, 2, dims, rows, 2, NULL, warps(5)));
    assert_false(layout_insert(&l, 0, 2, &l));
}

/* --- matrices --- */

/* Row and column of element i of the fragment of a lane: the formulas of the PTX ISA, in the
 * section of each shape. */
static void fragment_of(MmaPart part, int bytes, int lane, int i, int *row, int *column)
{
    int group = lane >> 2, in_group = lane % 4;

    if (bytes == 8) {
        *row = part == MMA_B ? in_group : group;
        *column = part == MMA_A ? in_group : part == MMA_B ? group : in_group * 2 + (i & 1);
        return;
    }
    if (part == MMA_ACC) {
        *row = i < 2 ? group : group + 8;
        *column = in_group * 2 + (i & 1);
        return;
    }
    int word = 4 / bytes, low = i % word; /* elements of a register */
    int half = part == MMA_A ? i / (2 * word) : i / word;
    int k = in_group * word + low + half * 4 * word;
    if (part == MMA_A) {
        *row = i / word % 2 == 0 ? group : group + 8;
        *column = k;
    } else {
        *row = k;
        *column = group;
    }
}

static int fragment_size(MmaPart part, const MmaShape *s)
{
    int elements = part == MMA_A ? s->m * s->k : part == MMA_B ? s->k * s->n : s->m * s->n;
    return elements / 32;
}

static void part_dims(MmaPart part, int32_t batch, int32_t m, int32_t n, int32_t k, int32_t *dims)
{
    dims[0] = batch;
    dims[1] = part == MMA_B ? k : m;
    dims[2] = part == MMA_A ? k : n;
}

static void test_fragments(void **state)
{
    (void)state;
    for (int bytes = 1; bytes <= 8; bytes *= 2) {
        for (int p = MMA_A; p <= MMA_ACC; p++) {
            MmaTiling t = {.shape = mma_shape(bytes)};
            MmaPart part = (MmaPart)p;
            int32_t dims[3];
            Layout l;
            part_dims(part, 1, t.shape.m, t.shape.n, t.shape.k, dims);
            assert_true(layout_mma(&l, part, &t, 2, dims + 1, NULL));
            assert_true(layout_is_sound(&l));
            assert_int_equal(layout_registers(&l), fragment_size(part, &t.shape));
            for (int i = 0; i < count_holders(&l); i++) {
                Holder h = holder_at(&l, i);
                uint32_t c = layout_at(&l, h);
                int row, column;
                fragment_of(part, bytes, (int)h.lane, (int)h.reg, &row, &column);
                assert_int_equal(layout_index(&l, c, 0), row);
                assert_int_equal(layout_index(&l, c, 1), column);
            }
        }
    }
}

static void test_fragments_as_text(void **state)
{
    static const MmaTiling t = {.shape = {16, 8, 16, 2}, .m_warps = 1, .n_warps = 1};
    Arena *a = arena_new(NULL);
    Layout l;

    (void)state;
    assert_true(layout_mma(&l, MMA_ACC, &t, 2, (int32_t[]){64, 32}, NULL));
    check_text(layout_text(&l, a), "[64,32] regs (0,1) (8,0) (0,16) (32,0) "
                                   "lanes (0,2) (0,4) (1,0) (2,0) (4,0) warps (0,8) (16,0)");
    assert_true(layout_mma(&l, MMA_A, &t, 2, (int32_t[]){64, 32}, NULL));
    check_text(layout_text(&l, a), "[64,32] regs (0,1) (8,0) (0,8) (0,16) (32,0) "
                                   "lanes (0,2) (0,4) (1,0) (2,0) (4,0) warps - (16,0)");
    assert_true(layout_mma(&l, MMA_B, &t, 2, (int32_t[]){32, 32}, NULL));
    check_text(layout_text(&l, a), "[32,32] regs (1,0) (8,0) (0,16) (16,0) "
                                   "lanes (2,0) (4,0) (0,1) (0,2) (0,4) warps (0,8) -");
    arena_free(a);
}

/* Element of a fragment, in units of the tile, by what layout.h says of the fragments of a warp:
 * they are as far apart as the warps together reach.  Beyond the tile are copies. */
static uint32_t fragment_element(const Layout *l, MmaPart part, const MmaTiling *t, int batch,
                                 int row, int column, int i, int lane, int warp)
{
    const MmaShape *s = &t->shape;
    int n = warp & ((1 << t->n_warps) - 1), m = warp >> t->n_warps & ((1 << t->m_warps) - 1);
    int b = warp >> (t->n_warps + t->m_warps), r, c;
    int32_t index[3];

    fragment_of(part, s->bytes, lane, i, &r, &c);
    if (t->row_pairs && part != MMA_B)
        r = r % 8 * 2 + r / 8;
    index[0] = batch << t->batch_warps | b;
    index[1] = part == MMA_B ? row * s->k + r : ((row << t->m_warps) + m) * s->m + r;
    index[2] = part == MMA_A ? column * s->k + c : ((column << t->n_warps) + n) * s->n + c;
    if (t->column_pairs && part != MMA_A)
        index[2] = ((column / 2 << t->n_warps) + n) * 2 * s->n + 2 * c + column % 2;
    for (int d = 0; d < 3; d++)
        index[d] &= (1 << l->bits[d]) - 1;
    return layout_coordinate_of(l, index);
}

static void check_mma(MmaPart part, const MmaTiling *t, const int32_t *dims)
{
    MmaRegisters regs;
    Layout l;

    assert_true(layout_mma(&l, part, t, 3, dims, &regs));
    assert_true(layout_is_sound(&l));
    assert_int_equal(1 << regs.fragment, fragment_size(part, &t->shape));
    for (int b = 0; b < 1 << regs.batches; b++) {
        for (int row = 0; row < 1 << regs.rows; row++) {
            for (int column = 0; column < 1 << regs.columns; column++) {
                for (int i = 0; i < 32 << (regs.fragment + l.nwarp); i++) {
                    int e = i & ((1 << regs.fragment) - 1), lane = i >> regs.fragment & 31;
                    int warp = i >> (regs.fragment + 5);
                    uint32_t r = mma_register(&regs, b, row, column, e);
                    Holder h = {r, (uint32_t)lane, (uint32_t)warp};
                    assert_true(r < (uint32_t)layout_registers(&l));
                    assert_int_equal(layout_at(&l, h),
                                     fragment_element(&l, part, t, b, row, column, e, lane, warp));
                }
            }
        }
    }
}

static void test_fragments_of_warps(void **state)
{
    static const struct {
        int bytes, batch_warps, m_warps, n_warps;
        int32_t batch, m, n, k;
    } cases[] = {
        {2, 0, 0, 0, 1, 16, 8, 16},  {2, 0, 1, 1, 1, 64, 64, 32}, {2, 1, 1, 1, 4, 32, 32, 16},
        {2, 0, 1, 1, 1, 16, 16, 16}, {2, 0, 0, 0, 1, 8, 4, 8},    {4, 0, 1, 0, 3, 48, 24, 16},
        {1, 0, 2, 0, 1, 64, 16, 64}, {8, 0, 1, 1, 1, 16, 16, 8},  {8, 0, 0, 0, 2, 4, 2, 2},
        {1, 1, 0, 1, 2, 1, 1, 1},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases) * 4; i++) {
        MmaTiling t = {mma_shape(cases[i / 4].bytes), cases[i / 4].batch_warps,
                       cases[i / 4].m_warps, cases[i / 4].n_warps};
        t.row_pairs = (i & 1) != 0 && t.shape.m == 16 && cases[i / 4].m >= 16;
        t.column_pairs = (i & 2) != 0 && cases[i / 4].n >= 16 << t.n_warps;
        for (int p = MMA_A; p <= MMA_ACC; p++) {
            int32_t dims[3];
            part_dims((MmaPart)p, cases[i / 4].batch, cases[i / 4].m, cases[i / 4].n,
                      cases[i / 4].k, dims);
            check_mma((MmaPart)p, &t, dims);
        }
    }
}

/* Those that count hold every index below K once. */
static void test_surplus(void **state)
{
    (void)state;
    for (int bytes = 1; bytes <= 8; bytes *= 2) {
        MmaShape s = mma_shape(bytes);
        for (int p = MMA_A; p <= MMA_B; p++) {
            for (int32_t k = 1; k <= s.k; k *= 2) {
                Holder h = mma_surplus((MmaPart)p, &s, k);
                int counts = 0;
                for (int lane = 0; lane < 4; lane++) {
                    for (int i = 0; i < fragment_size((MmaPart)p, &s); i++) {
                        int row, column;
                        fragment_of((MmaPart)p, bytes, lane, i, &row, &column);
                        bool low = (p == MMA_A ? column : row) < k;
                        bool kept = ((uint32_t)lane & h.lane) == 0 && ((uint32_t)i & h.reg) == 0;
                        assert_int_equal(low, kept);
                        counts += kept;
                    }
                }
                assert_int_equal(counts, k * (p == MMA_A && s.m == 16 ? 2 : 1));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_existence),
        cmocka_unit_test(test_existence_is_exact),
        cmocka_unit_test(test_copies_of_registers),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_runs_are_found),
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_reshape),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_slice_operand),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_blocked_equal),
        cmocka_unit_test(test_multiply_add),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_fragments_as_text),
        cmocka_unit_test(test_fragments_of_warps),
        cmocka_unit_test(test_surplus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
