/*
 * layout_make.c - the usual layouts: coalesced ones, and those of instructions for matrices
 *
 * Each is made the same way: a list of who takes the next bit of which dimension's index.  A bit
 * that the tile does not have is a basis of 0: whoever takes it holds copies.
 */
#include "layout_internal.h"

typedef struct {
    Layout *l;
    int8_t used[MAX_RANK]; /* bits of each dimension that are taken */
    bool pairs[MAX_RANK];  /* its lowest bit comes behind the next three */
    bool full;             /* more registers were wanted than there may be */
} Maker;

enum { PAIRS_OF_BITS = 3 }; /* what eight groups of lanes take */

static bool maker_begin(Maker *m, Layout *out, int rank, const int32_t *dims, LayoutThreads threads)
{
    *m = (Maker){.l = out};
    if (!layout_begin(out, rank, dims))
        return false;
    out->nlane = (int8_t)threads.lane_bits;
    out->nwarp = (int8_t)threads.warp_bits;
    return true;
}

static bool has_bit(const Maker *m, int dim)
{
    return m->used[dim] < m->l->bits[dim];
}

/* The next bit of a dimension, which may be one too many. */
static uint32_t next_bit(Maker *m, int dim)
{
    int bit = m->used[dim]++;

    if (m->pairs[dim] && bit <= PAIRS_OF_BITS)
        bit = bit < PAIRS_OF_BITS ? bit + 1 : 0;
    return layout_unit(m->l, dim, bit);
}

/* The next bit of the first dimension in that order which has one left; 0 when none has. */
static uint32_t next_in_order(Maker *m, const int8_t *order)
{
    for (int i = 0; i < m->l->rank; i++) {
        if (has_bit(m, order[i]))
            return next_bit(m, order[i]);
    }
    return 0;
}

static void to_register(Maker *m, uint32_t basis)
{
    if (!layout_add_register(m->l, basis))
        m->full = true;
}

static void registers_along(Maker *m, int dim, int bits)
{
    for (int i = 0; i < bits && has_bit(m, dim); i++)
        to_register(m, next_bit(m, dim));
}

/* What is left: lanes, warps, then registers. */
static bool finish_blocked(Maker *m, const int8_t *order, const int8_t *warp_order,
                           LayoutThreads threads)
{
    for (int i = 0; i < threads.lane_bits; i++)
        m->l->lane[i] = next_in_order(m, order);
    for (int i = 0; i < threads.warp_bits; i++)
        m->l->warp[i] = next_in_order(m, warp_order ? warp_order : order);
    for (uint32_t basis; !m->full && (basis = next_in_order(m, order)) != 0;)
        to_register(m, basis);
    return !m->full;
}

bool layout_blocked(Layout *out, int rank, const int32_t *dims, const int8_t *order,
                    int vector_bits, const int8_t *warp_order, LayoutThreads threads)
{
    Maker m;

    if (!maker_begin(&m, out, rank, dims, threads))
        return false;
    if (rank > 0)
        registers_along(&m, order[0], vector_bits);
    return finish_blocked(&m, order, warp_order, threads);
}

bool layout_blocked_equal(Layout *out, int rank, const int32_t *dims, const int8_t *order,
                          int vector_bits, int dim, int equal_bits, LayoutThreads threads)
{
    Maker m;

    if (!maker_begin(&m, out, rank, dims, threads))
        return false;
    registers_along(&m, order[0], vector_bits);
    registers_along(&m, dim, equal_bits);
    return finish_blocked(&m, order, NULL, threads);
}

/*
 * Instructions for matrices.  In every fragment eight groups of four lanes lie along the rows of A,
 * the columns of B, the rows of the accumulator; the four lanes of a group and the elements of a
 * 32-bit word lie along the other dimension.  What is left of the fragment is on registers.
 */

MmaShape mma_shape(int bytes)
{
    return bytes == 8 ? (MmaShape){8, 8, 4, 8} : (MmaShape){16, 8, 32 / bytes, bytes};
}

enum { GROUP_BITS = 2 }; /* lanes of a group; the other bits of the lane are the group's number */

/* Bits of the elements that a thread has side by side along K, or along N in the accumulator. */
static int word_bits(MmaPart part, const MmaShape *s)
{
    if (part == MMA_ACC || s->bytes == 2)
        return 1;
    return s->bytes == 1 ? 2 : 0;
}

/* Registers of the fragment: a word, then what is left of M, then what is left of K. */
static void put_fragment(Maker *m, MmaPart part, const MmaShape *s, int within, int across,
                         int within_extent, int across_extent)
{
    for (int i = 0; i < word_bits(part, s); i++)
        to_register(m, next_bit(m, within));
    for (int i = 0; i < m->l->nlane; i++)
        m->l->lane[i] = next_bit(m, i < GROUP_BITS ? within : across);
    while (m->used[across] < layout_bits_of(across_extent))
        to_register(m, next_bit(m, across));
    while (m->used[within] < layout_bits_of(within_extent))
        to_register(m, next_bit(m, within));
}

/* Along the dimensions of the batch, the last one's bits first. */
static uint32_t next_batch(Maker *m)
{
    for (int d = m->l->rank - 3; d >= 0; d--) {
        if (has_bit(m, d))
            return next_bit(m, d);
    }
    return 0;
}

static void put_warps(Maker *m, MmaPart part, const MmaTiling *t, int row, int column)
{
    uint32_t *warp = m->l->warp;

    for (int i = 0; i < t->n_warps; i++)
        *warp++ = part == MMA_A ? 0 : next_bit(m, column);
    for (int i = 0; i < t->m_warps; i++)
        *warp++ = part == MMA_B ? 0 : next_bit(m, row);
    for (int i = 0; i < t->batch_warps; i++)
        *warp++ = next_batch(m);
}

/* What a dimension has left, but for that many bits, on registers; how many bits that were. */
static int put_rest(Maker *m, int dim, int but)
{
    int n = 0;

    for (; m->used[dim] + but < m->l->bits[dim] && !m->full; n++)
        to_register(m, next_bit(m, dim));
    return n;
}

/* Groups of four warps, which have 64 rows together, or 128, and columns side by side: warps go
 * along the rows first, and along the columns by their highest bits.  What bits of columns and rows
 * registers have is added to *regs. */
static void put_groups(Maker *m, MmaPart part, const MmaTiling *t, int row, int column,
                       MmaRegisters *regs)
{
    uint32_t *warp = m->l->warp, second = t->tall ? next_bit(m, row) : 0;

    for (int i = 0; i < t->m_warps; i++)
        *warp++ = next_bit(m, row);
    regs->columns += put_rest(m, column, part == MMA_A ? 0 : t->n_warps);
    for (int i = 0; i < t->n_warps; i++)
        *warp++ = part == MMA_A ? 0 : next_bit(m, column);
    if (t->tall) {
        to_register(m, second);
        regs->rows++;
    }
}

bool layout_mma(Layout *out, MmaPart part, const MmaTiling *t, int rank, const int32_t *dims,
                MmaRegisters *regs)
{
    const MmaShape *s = &t->shape;
    MmaRegisters r = {0};
    int row = rank - 2, column = rank - 1;
    LayoutThreads threads = {MMA_LANE_BITS, t->n_warps + t->m_warps + t->batch_warps};
    Maker m;

    if (!maker_begin(&m, out, rank, dims, threads))
        return false;
    m.pairs[row] = t->row_pairs && part != MMA_B;
    m.pairs[column] = t->column_pairs && part != MMA_A;
    if (part == MMA_B)
        put_fragment(&m, part, s, row, column, s->k, s->n);
    else
        put_fragment(&m, part, s, column, row, part == MMA_A ? s->k : s->n, s->m);
    r.fragment = out->nreg;
    if (m.pairs[column]) {
        to_register(&m, next_bit(&m, column));
        r.columns = 1;
    }
    if (t->groups)
        put_groups(&m, part, t, row, column, &r);
    else
        put_warps(&m, part, t, row, column);
    r.columns += put_rest(&m, column, 0);
    r.rows += put_rest(&m, row, 0);
    for (uint32_t basis; !m.full && (basis = next_batch(&m)) != 0; r.batches++)
        to_register(&m, basis);
    r.kept = layout_drop_copies(out);
    if (regs)
        *regs = r;
    return !m.full;
}

uint32_t mma_register(const MmaRegisters *r, int batch, int row, int column, int element)
{
    uint32_t n =
        (uint32_t)batch << (r->rows + r->columns) | (uint32_t)row << r->columns | (uint32_t)column;

    return layout_extract(n << r->fragment | (uint32_t)element, r->kept);
}

Holder mma_surplus(MmaPart part, const MmaShape *s, int32_t k)
{
    Holder h = {0};
    int word = word_bits(part, s), group = word + GROUP_BITS;
    int rows = part == MMA_A && s->m > 8 ? 1 : 0; /* a register's bit that is no step along K */

    for (int i = 0; 1 << i < s->k; i++) {
        if (1 << i < k)
            continue;
        if (i < word)
            h.reg |= 1u << i;
        else if (i < group)
            h.lane |= 1u << (i - word);
        else
            h.reg |= 1u << (i - GROUP_BITS + rows);
    }
    return h;
}

/* Of two dimensions the one of which more is left; the last one when they are equal. */
static int larger_rest(const Maker *m)
{
    int row = m->l->rank - 2, column = m->l->rank - 1;
    int rows = m->l->bits[row] - m->used[row], columns = m->l->bits[column] - m->used[column];

    return rows > columns ? row : column;
}

/* Bits that are left for registers once every thread has an element; below 0 where some have none
 * of their own. */
static int spare_bits(const Layout *l, LayoutThreads threads)
{
    int bits = -threads.lane_bits - threads.warp_bits;

    for (int d = 0; d < l->rank; d++)
        bits += l->bits[d];
    return bits;
}

bool layout_multiply_add(Layout *out, int rank, const int32_t *dims, LayoutThreads threads)
{
    enum { BLOCK_BITS = 2, LANE_COLUMN_BITS = 3 }; /* 4 x 4 elements, 4 x 8 lanes */
    int row = rank - 2, column = rank - 1;
    Maker m;

    if (!maker_begin(&m, out, rank, dims, threads))
        return false;
    int block = MIN(MAX(spare_bits(out, threads), 0), 2 * BLOCK_BITS);
    for (int i = 0; i < block; i++) {
        int dim = i < (block + 1) / 2 ? column : row;
        if (has_bit(&m, dim))
            to_register(&m, next_bit(&m, dim));
    }
    for (int i = 0; i < threads.lane_bits; i++) {
        int dim = i < LANE_COLUMN_BITS ? column : row;
        out->lane[i] = next_bit(&m, has_bit(&m, dim) ? dim : larger_rest(&m));
    }
    for (int i = 0; i < threads.warp_bits; i++) {
        uint32_t batch = next_batch(&m);
        out->warp[i] = batch ? batch : next_bit(&m, larger_rest(&m));
    }
    put_rest(&m, column, 0);
    put_rest(&m, row, 0);
    for (uint32_t basis; !m.full && (basis = next_batch(&m)) != 0;)
        to_register(&m, basis);
    return !m.full;
}

bool layout_multiply_add_operand(const Layout *sum, MmaPart part, int32_t k, Layout *out)
{
    Layout left;
    int axis = part == MMA_A ? sum->rank - 1 : sum->rank - 2;

    layout_remove(sum, axis, &left);
    return layout_insert(&left, axis, k, out);
}
