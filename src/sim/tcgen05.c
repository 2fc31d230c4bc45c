/*
 * tcgen05.c - products of matrices whose sums lie in tensor memory
 *
 * By the PTX ISA, "Tensorcore 5th Generation Family Instructions".  One thread asks for products;
 * they are done in their order, when somebody waits for the mbarrier of a commit behind them, as
 * late as may be: operands are read then, from shared memory, so what a program writes there too
 * early comes out.
 *
 * A product of 128 rows has row i in lane i of tensor memory; one of 64 has rows 16 * w and the
 * next 15 in lanes 32 * w and the next 15.  The instruction's descriptor says shapes and types:
 *
 *   4-5    sums: 1 fp32, 2 i32         7-9, 10-12  A, B: 0 fp16, 1 bf16, 2 tf32; 0 u8, 1 i8
 *   13-14  A, B negated                15-16       A, B transposed: rows do not lie along K
 *   17-22  columns / 8                 24-28       rows / 16
 *
 * Descriptors of operands are those of wgmma (wgmma_operand.c) but for the swizzle, which is bits
 * 61-63 (0 none, 2 128 bytes, 4 64 bytes, 6 32 bytes), and bit 46, which is set.
 */
#include <stdlib.h>
#include <string.h>

#include "small.h"
#include "tensor_memory.h"
#include "wgmma.h"

/* What the instruction's descriptor says, and types as the PTX has them. */
typedef struct {
    int rows, columns, k;
    PtxType sum, a, b;
    bool a_across, b_across;
    double sign;
} Shape;

static PtxType type_of(const Inst *in, uint32_t number)
{
    static const PtxType halves[] = {PTX_F16, PTX_BF16}, bytes[] = {PTX_U8, PTX_S8};

    if (in->run == tcgen05_mma_tf32)
        return number == 2 ? PTX_TF32 : PTX_NONE;
    if (number > 1)
        return PTX_NONE;
    return in->run == tcgen05_mma_f16 ? halves[number] : bytes[number];
}

static Shape shape_of(const Inst *in, uint32_t how)
{
    bool negative = (how >> 13 & 1) != (how >> 14 & 1);
    Shape s = {.rows = (int)(how >> 24 & 31) * 16,
               .columns = (int)(how >> 17 & 63) * 8,
               .sum = in->run == tcgen05_mma_i8 ? PTX_S32 : PTX_F32,
               .a = type_of(in, how >> 7 & 7),
               .b = type_of(in, how >> 10 & 7),
               .a_across = how >> 15 & 1,
               .b_across = how >> 16 & 1,
               .sign = negative ? -1 : 1};

    s.k = s.a == PTX_NONE ? 0 : 256 / ptx_type_bits[s.a];
    return s;
}

static bool check_shape(Warp *w, const Shape *s, uint32_t how)
{
    uint32_t sum = how >> 4 & 3, other = UINT32_C(0xe080004f);
    bool good = s->a != PTX_NONE && s->b != PTX_NONE && (s->sum == PTX_F32 ? s->a == s->b : true) &&
                (how & other) == 0 && sum == (s->sum == PTX_S32 ? 2 : 1) &&
                (s->rows == 64 || s->rows == 128) && s->columns >= 8 &&
                s->columns <= WGMMA_MOST_COLUMNS && (s->rows == 64 || s->columns % 16 == 0) &&
                (s->sum == PTX_F32 || s->columns < 32 || s->columns % 16 == 0) &&
                ((!s->a_across && !s->b_across) || ptx_type_bits[s->a] == 16);

    if (!good)
        fault(w, SIM_CODE, -1, "tcgen05.mma with the descriptor 0x%08x, which is none of its kind",
              how);
    return good;
}

/* As wgmma has it. */
static bool take_descriptor(Warp *w, uint64_t given, uint64_t *out)
{
    static const int swizzles[] = {0, -1, 1, -1, 2, -1, 3, -1};
    int swizzle = swizzles[given >> 61];
    uint64_t places = UINT64_C(0x000e3fff3fff3fff);

    *out = given & places;
    if (swizzle < 0 || (given >> 46 & 7) != 1 || (given >> 52 & 0x1ff) != 0) {
        fault(w, SIM_CODE, -1, "tcgen05.mma with the descriptor 0x%016llx of shared memory",
              (unsigned long long)given);
        return false;
    }
    *out |= (uint64_t)swizzle << 62;
    return true;
}

/* --- asking --- */

static int group_of(const Warp *w)
{
    return w->index / GROUP_WARPS;
}

static bool check_operand(Warp *w, uint64_t descriptor, bool across, int lines, int parts)
{
    const Products *all = &w->block->groups[group_of(w)];
    uint32_t bytes = w->block->shared_bytes, number = all->done + (uint32_t)all->len;

    for (int i = 0; i < lines * parts; i++) {
        uint32_t at = wgmma_chunk(descriptor, across, (uint32_t)(i / parts), (uint32_t)(i % parts));

        if (bytes < CHUNK || at > bytes - CHUNK) {
            fault(w, SIM_ACCESS, -1,
                  "tcgen05.mma reads %d bytes at %u of %u bytes of shared memory", CHUNK, at,
                  bytes);
            return false;
        }
        if (!shadow_may_fetch(w, at, CHUNK) || !shadow_fetch(w, at, number))
            return false;
    }
    if (w->worker->counts)
        count_unit(w, (uint32_t)(lines * parts * CHUNK));
    return true;
}

static bool check_operands(Warp *w, const Product *p, const Shape *s)
{
    int per = CHUNK * 8 / ptx_type_bits[s->a], parts = s->k / per;

    return (s->a_across ? check_operand(w, p->a, true, s->k, s->rows / per)
                        : check_operand(w, p->a, false, s->rows, parts)) &&
           (s->b_across ? check_operand(w, p->b, true, s->k, s->columns / per)
                        : check_operand(w, p->b, false, s->columns, parts));
}

/* The sum: what other warps have moved there is in order, and no other group's product goes on. */
static bool check_sum(Warp *w, uint32_t address, uint32_t columns)
{
    const Products *mine = &w->block->groups[group_of(w)];
    TensorMemory *t = w->block->tensor;

    if (!tensor_has(w, "tcgen05.mma", address, columns))
        return false;
    if (tensor_lane(address) != 0) {
        fault(w, SIM_ACCESS, -1, "the sum of tcgen05.mma begins at lane %u of tensor memory",
              tensor_lane(address));
        return false;
    }
    for (uint32_t c = tensor_column(address); c < tensor_column(address) + columns; c++) {
        for (int q = 0; q < TENSOR_QUARTERS; q++) {
            const TensorTouch *last = &t->touched[q][c];
            if (last->time > 0 && last->warp != w->index && w->seen.at[last->warp] < last->time) {
                fault(w, SIM_RACE, -1,
                      "a race: tcgen05.mma writes column %u of tensor memory, which warp %d has "
                      "touched with no barrier between",
                      c, last->warp);
                return false;
            }
        }
        if (t->product[c] && t->group[c] != group_of(w) &&
            !shadow_knows_product(w, t->group[c], t->product[c] - 1)) {
            fault(w, SIM_RACE, -1,
                  "a race: tcgen05.mma writes column %u of tensor memory, which a product of other "
                  "warps writes",
                  c);
            return false;
        }
        t->product[c] = mine->done + (uint32_t)mine->len + 1;
        t->group[c] = group_of(w);
    }
    return true;
}

static bool keep(Warp *w, Product p)
{
    Products *all = &w->block->groups[group_of(w)];
    Product *at = room_for_one(w, all->at, all->len, &all->cap, sizeof p);

    if (!at)
        return false;
    all->at = at;
    all->at[all->len++] = p;
    return true;
}

/* By one thread. */
static bool is_one(Warp *w, uint32_t mask)
{
    if (w->index / GROUP_WARPS * GROUP_WARPS + GROUP_WARPS > w->block->nwarps) {
        fault(w, SIM_SYNC, -1, "tcgen05 needs a group of four warps, and the block has %d",
              w->block->nwarps);
        return false;
    }
    if ((mask & (mask - 1)) == 0)
        return true;
    fault(w, SIM_SYNC, -1, "several threads of a warp ask for the same product");
    return false;
}

/* tcgen05.mma [sum], A, B, descriptor, adds */
static void ask(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint64_t at[LANES];

    if (!is_one(w, mask))
        return;
    access_addresses(w, &in->at[0], at);
    Product p = {.in = in,
                 .d = (uint32_t)at[lane],
                 .how = OPERAND(w, in, 2, uint32_t)[lane],
                 .adds = (*OPERAND(w, in, 3, uint32_t) >> lane & 1) != in->not_op};
    Shape s = shape_of(in, p.how);
    if (check_shape(w, &s, p.how) && take_descriptor(w, OPERAND(w, in, 0, uint64_t)[lane], &p.a) &&
        take_descriptor(w, OPERAND(w, in, 1, uint64_t)[lane], &p.b) && check_operands(w, &p, &s) &&
        check_sum(w, p.d, (uint32_t)s.columns))
        keep(w, p);
}

void tcgen05_mma_f16(Warp *w, const Inst *in, uint32_t mask)
{
    ask(w, in, mask);
}

void tcgen05_mma_tf32(Warp *w, const Inst *in, uint32_t mask)
{
    ask(w, in, mask);
}

void tcgen05_mma_i8(Warp *w, const Inst *in, uint32_t mask)
{
    ask(w, in, mask);
}

/* tcgen05.commit [mbarrier]: it arrives there when all that this thread has asked for is done */
void tcgen05_commit(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint64_t at[LANES];

    if (!is_one(w, mask))
        return;
    access_addresses(w, &in->at[0], at);
    if (mbarrier_at(w, (int)lane, at[lane]) &&
        keep(w, (Product){.in = in, .mbarrier = (uint32_t)at[lane]}))
        mbarrier_wake(w->block);
}

/* --- doing it --- */

static const char *chunk_of(const Block *b, uint64_t descriptor, bool across, int line, int part)
{
    return b->shared + wgmma_chunk(descriptor, across, (uint32_t)line, (uint32_t)part);
}

static void gather_a(const Block *b, const Product *p, const Shape *s, int first,
                     double a[WGMMA_ROWS][WGMMA_MOST_K])
{
    int per = CHUNK * 8 / ptx_type_bits[s->a];
    double part[CHUNK];

    for (int i = 0; i < WGMMA_ROWS && !s->a_across; i++) {
        for (int k = 0; k < s->k; k += per)
            matrix_widen(s->a, chunk_of(b, p->a, false, first + i, k / per), per, &a[i][k]);
    }
    for (int k = 0; k < s->k && s->a_across; k++) {
        for (int i = 0; i < WGMMA_ROWS; i += per) {
            matrix_widen(s->a, chunk_of(b, p->a, true, k, (first + i) / per), per, part);
            for (int e = 0; e < per; e++)
                a[i + e][k] = part[e];
        }
    }
}

static void gather_b(const Block *from, const Product *p, const Shape *s,
                     double b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS])
{
    int per = CHUNK * 8 / ptx_type_bits[s->b];
    double part[CHUNK];

    for (int k = 0; k < s->k && s->b_across; k++) {
        for (int j = 0; j < s->columns; j += per)
            matrix_widen(s->b, chunk_of(from, p->b, true, k, j / per), per, &b[k][j]);
    }
    for (int j = 0; j < s->columns && !s->b_across; j++) {
        for (int k = 0; k < s->k; k += per) {
            matrix_widen(s->b, chunk_of(from, p->b, false, j, k / per), per, part);
            for (int e = 0; e < per; e++)
                b[k + e][j] = part[e];
        }
    }
}

static void multiply(Block *block, const Product *p)
{
    double a[WGMMA_ROWS][WGMMA_MOST_K], b[WGMMA_MOST_K][WGMMA_MOST_COLUMNS];
    double sums[WGMMA_ROWS][WGMMA_MOST_COLUMNS];
    Shape s = shape_of(p->in, p->how);
    int spread = TENSOR_LANES / s.rows; /* lanes from one 16 rows to the next, of 16 */

    gather_b(block, p, &s, b);
    for (int row = 0; row < s.rows; row += WGMMA_ROWS) {
        gather_a(block, p, &s, row, a);
        wgmma_multiply_rows(s.k, s.columns, a, b, sums);
        for (int i = 0; i < WGMMA_ROWS; i++) {
            uint32_t *d = &block->tensor->cells[row * spread + i][tensor_column(p->d)];
            for (int j = 0; j < s.columns; j++) {
                double sum = s.sign * sums[i][j];
                d[j] = s.sum == PTX_F32
                           ? matrix_add_float(sum, p->adds ? float_of(d[j]) : 0)
                           : (uint32_t)matrix_add_int(p->in, sum, p->adds ? (int32_t)d[j] : 0);
            }
        }
    }
}

/* All of the group up to that commit. */
static void settle(Block *b, int group, int commit)
{
    Products *all = &b->groups[group];
    Warp *w = &b->warps[group * GROUP_WARPS];

    for (int i = 0; i <= commit; i++) {
        const Product *p = &all->at[i];

        all->done++;
        if (p->in->run != tcgen05_commit) {
            multiply(b, p);
            continue;
        }
        Mbarrier *m = mbarrier_at(w, 0, p->mbarrier);
        if (m)
            mbarrier_tell_product(w, m, group, all->done);
    }
    all->len -= commit + 1;
    memmove(all->at, all->at + commit + 1, (size_t)all->len * sizeof *all->at);
}

void tcgen05_deliver(Block *b, Mbarrier *m)
{
    uint32_t at = m->at;

    if (!b->tensor)
        return;
    for (int g = 0; g < b->nwarps / GROUP_WARPS; g++) {
        const Products *all = &b->groups[g];
        for (int i = 0; i < all->len; i++) {
            if (all->at[i].in->run == tcgen05_commit && all->at[i].mbarrier == at) {
                settle(b, g, i);
                return;
            }
        }
    }
}

/* --- programs --- */

void tcgen05_start(Block *b)
{
    TensorMemory *t = b->tensor;

    if (!t)
        return;
    t->columns = 0;
    t->relinquished = false;
    memset(t->touched, 0, sizeof t->touched);
    memset(t->product, 0, sizeof t->product);
    memset(t->cells, 0xff,
           sizeof t->cells); /* NaN: a new program knows nothing of the last one's */
}

void tcgen05_close(Block *b)
{
    free(b->tensor);
    b->tensor = NULL;
}

bool tcgen05_end(Block *b)
{
    for (int g = 0; b->tensor && g < b->nwarps / GROUP_WARPS; g++) {
        if (b->groups[g].len > 0) {
            fault(&b->warps[g * GROUP_WARPS], SIM_SYNC, -1,
                  "it ends with a tcgen05.mma that nobody has waited for");
            return false;
        }
    }
    if (b->tensor && b->tensor->columns > 0) {
        fault(&b->warps[0], SIM_SYNC, -1,
              "the block ends with %d columns of tensor memory that it has not given back",
              b->tensor->columns);
        return false;
    }
    return true;
}
