/*
 * test_layout_wgmma.c - fragments and operands of products that four warps compute together
 *
 * Against the PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions",
 * written down anew: which element of the sum, and of A in registers, each register of each thread
 * of a group holds, and at which address of shared memory each element of an operand is looked for.
 */
#include <setjmp.h>
#include <stdlib.h>

#include "../../src/layout/layout.h"

#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

/* --- fragments --- */

/* Of warp `warp` of a group: the row of the sum's or A's register with that number, in 64 rows. */
static int row_of(int warp, int lane, int element)
{
    return 16 * warp + lane / 4 + 8 * (element / 2 % 2);
}

static void check_sum(int32_t m, int32_t n, int m_warps, int n_warps)
{
    const MmaTiling t = {
        .shape = mma_shape(2), .groups = true, .m_warps = m_warps, .n_warps = n_warps};
    int32_t rows = 16 << m_warps, columns = n >> n_warps;
    MmaRegisters regs;
    Layout l;

    assert_true(layout_mma(&l, MMA_ACC, &t, 2, (int32_t[]){m, n}, &regs));
    assert_true(layout_is_sound(&l));
    assert_int_equal(4 << regs.columns, columns / 2);
    assert_int_equal(1 << regs.rows, MAX(m / rows, 1));
    for (int thread = 0; thread < 32 << (m_warps + n_warps); thread++) {
        int lane = thread % 32, warp = thread / 32, down = warp % (1 << m_warps);
        for (int row = 0; row < 1 << regs.rows; row++) {
            for (int r = 0; r < columns / 2; r++) { /* registers of one row of fragments */
                uint32_t reg = mma_register(&regs, 0, row, r / 4, r % 4);
                Holder h = {reg, (uint32_t)lane, (uint32_t)warp};
                uint32_t at = layout_at(&l, h);
                assert_int_equal(layout_index(&l, at, 0),
                                 (row * rows + down / 4 * WGMMA_ROWS + row_of(down % 4, lane, r)) %
                                     m);
                assert_int_equal(layout_index(&l, at, 1),
                                 (warp >> m_warps) * columns + r / 4 * 8 + lane % 4 * 2 + r % 2);
            }
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    check_sum(64, 16, 2, 0);
    check_sum(64, 256, 2, 0);
    check_sum(128, 64, 2, 0);
    check_sum(128, 128, 3, 0);
    check_sum(256, 32, 3, 0);
    check_sum(64, 64, 2, 1);
    check_sum(64, 512, 2, 2);
    check_sum(128, 32, 3, 1);
    check_sum(256, 64, 4, 0);
    check_sum(128, 256, 3, 1);
    /* groups beyond the rows compute them once more */
    check_sum(64, 16, 3, 0);
    check_sum(64, 32, 4, 0);
    check_sum(128, 16, 4, 0);
}

/* A in registers, elements of 2 bytes: words of two along K, then rows 8 below, then 8 further
 * along K; of a byte: words of four. */
static void test_rows_in_registers(void **state)
{
    (void)state;
    for (int bytes = 1; bytes <= 2; bytes++) {
        enum { M = 128, K = 64 };
        const MmaTiling t = {.shape = mma_shape(bytes), .groups = true, .m_warps = 3};
        int word = 4 / bytes, each = 4 * word;
        MmaRegisters regs;
        Layout l;
        assert_true(layout_mma(&l, MMA_A, &t, 2, (int32_t[]){M, K}, &regs));
        assert_int_equal(1 << regs.fragment, each);
        for (int thread = 0; thread < 256; thread++) {
            int lane = thread % 32, warp = thread / 32;
            for (int i = 0; i < each * K / (32 / bytes); i++) {
                int e = i % each;
                uint32_t reg = mma_register(&regs, 0, 0, i / each, e);
                uint32_t at = layout_at(&l, (Holder){reg, (uint32_t)lane, (uint32_t)warp});
                assert_int_equal(layout_index(&l, at, 0),
                                 warp / 4 * WGMMA_ROWS + row_of(warp % 4, lane, e / word * 2));
                assert_int_equal(layout_index(&l, at, 1), i / each * (32 / bytes) +
                                                              e / word / 2 * 4 * word +
                                                              lane % 4 * word + e % word);
            }
        }
    }
}

/* --- operands --- */

/* The byte at which an element is looked for: `along` its number along the rows in memory, `across`
 * the number of its row.  Bits 4 to 6 of the address are changed by bits 7 to 9, as far as the
 * rows' length goes. */
static uint32_t address_of(const WgmmaOperand *o, int bytes, int along, int across, int acrosses)
{
    uint32_t row = 256u >> o->swizzle, byte = (uint32_t)(along * bytes);
    uint32_t at = byte % row + (uint32_t)(across % 8) * row + (uint32_t)(across / 8) * 8 * row +
                  byte / row * row * (uint32_t)acrosses;

    return at ^ ((at >> 7 & (row / 16 - 1)) << 4);
}

static void check_operand(int32_t rows, int32_t columns, int bytes, int k, int along)
{
    const WgmmaTile t = {.bytes = bytes, .k = k, .along = along};
    const int32_t dims[] = {rows, columns};
    LayoutThreads threads = {5, 2};
    SharedLayout s;
    WgmmaOperand o;
    Layout shape;

    assert_true(layout_blocked(&shape, 2, dims, (int8_t[]){1, 0}, 0, NULL, threads));
    assert_true(shared_wgmma(&shape, &t, &s, &o));
    assert_int_equal(o.trans, along != k);
    assert_int_equal(o.stride, 8 * (256 >> o.swizzle));
    assert_int_equal(o.lead, o.trans ? dims[1 - along] * (256 >> o.swizzle) : 0);
    assert_int_equal(256 >> o.swizzle, MIN(dims[along] * bytes, 128));
    assert_int_equal(shared_bytes(&s), rows * columns * bytes);
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < columns; c++) {
            uint32_t at = layout_coordinate_of(&shape, (int32_t[]){r, c});
            uint32_t offset = shared_offset(&s, at), back = 0;
            int32_t index[] = {r, c};
            assert_int_equal(
                offset * (uint32_t)bytes,
                address_of(&o, bytes, index[along], index[1 - along], dims[1 - along]));
            for (int i = 0; i < s.nbits; i++)
                back ^= offset >> i & 1 ? s.coordinate[i] : 0;
            assert_int_equal(back, at);
        }
    }
}

static void test_operands(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int32_t deep = 16; deep <= 128; deep *= 2) {
            for (int32_t wide = 16; wide <= 256; wide *= 4) {
                int32_t rows = k == 0 ? deep : wide, columns = k == 0 ? wide : deep;
                check_operand(rows, columns, 2, k, k);
                check_operand(rows, columns, 2, k, 1 - k);
                if (deep >= 32)
                    check_operand(rows, columns, 1, k, k);
            }
        }
    }
}

static void test_operands_that_cannot_be(void **state)
{
    static const struct {
        int32_t rows, columns;
        int bytes, k, along;
    } cases[] = {
        {64, 8, 2, 1, 1},  /* 16 bytes along K */
        {4, 64, 2, 1, 1},  /* 4 rows */
        {64, 64, 1, 1, 0}, /* bytes across K */
        {8, 64, 2, 0, 1},  /* 8 deep, an instruction takes 16 */
        {64, 8, 2, 0, 1},  /* 16 bytes along N */
        {64, 64, 4, 1, 0},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        const WgmmaTile t = {.bytes = cases[i].bytes, .k = cases[i].k, .along = cases[i].along};
        const int32_t dims[] = {cases[i].rows, cases[i].columns};
        SharedLayout s;
        WgmmaOperand o;
        Layout shape;
        assert_true(
            layout_blocked(&shape, 2, dims, (int8_t[]){1, 0}, 0, NULL, (LayoutThreads){5, 2}));
        assert_false(shared_wgmma(&shape, &t, &s, &o));
    }
}

/* One tile is both: its own rows along K, and its transpose's across K. */
static void test_transposed(void **state)
{
    enum { ROWS = 32, COLUMNS = 128 };
    const WgmmaTile own = {.bytes = 2, .k = 1, .along = 1},
                    turned = {.bytes = 2, .k = 1, .along = 0};
    SharedLayout a, b, back;
    WgmmaOperand o;
    Layout l, t;

    (void)state;
    assert_true(layout_blocked(&l, 2, (int32_t[]){ROWS, COLUMNS}, (int8_t[]){1, 0}, 0, NULL,
                               (LayoutThreads){5, 2}));
    layout_permute(&l, (int[]){1, 0}, &t);
    assert_true(shared_wgmma(&l, &own, &a, &o));
    assert_true(shared_wgmma(&t, &turned, &b, &o));
    shared_transpose(&b, layout_bits_of(COLUMNS), layout_bits_of(ROWS), &back);
    for (int32_t r = 0; r < ROWS; r++) {
        for (int32_t c = 0; c < COLUMNS; c++) {
            uint32_t at = layout_coordinate_of(&l, (int32_t[]){r, c});
            assert_int_equal(shared_offset(&a, at), shared_offset(&back, at));
            assert_int_equal(shared_offset(&a, at),
                             shared_offset(&b, layout_coordinate_of(&t, (int32_t[]){c, r})));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums), cmocka_unit_test(test_rows_in_registers),
        cmocka_unit_test(test_operands), cmocka_unit_test(test_operands_that_cannot_be),
        cmocka_unit_test(test_transposed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
