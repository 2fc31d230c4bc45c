/*
 * layout_shared.c - tiles in shared memory: layouts without bank conflicts, and counting conflicts
 *
 * The bits of an offset fall into three parts: those within the widest vector and the 4-byte word
 * (the low bits), those that choose a bank (up to 128 bytes), and the index of a line of 128 bytes.
 * Two lanes of a wavefront collide when their offsets differ in the index and not in the bank.  So
 * with P the space of coordinates that the lanes of a wavefront span, and X that which the bits of
 * the index span, there is no conflict when P and X have nothing but 0 in common.
 *
 * For a writer and a reader, P and Q of the same size without loss: what P and Q have in common, I,
 * goes to banks.  With I + E = P and I + F = Q the sums e1 + f1, e2 + f2, .. of the bases of E and
 * F are in neither, nor is any of their sums.  They are taken for X, with whatever is outside of P
 * + Q. That is the swizzle, whatever P and Q are; the rest, such as P, goes to banks.  It is the
 * way of "Linear Layouts", section on optimal swizzling.
 *
 * In which order bits go to banks makes no conflicts, but copies that do not pass through registers
 * (cp.async) ask the L2 for each lane by itself unless the 32 bytes of a sector stay side by side:
 * so what the writer's lanes move comes first, in their order.
 */
#include "layout_internal.h"

#include <string.h>

enum { LINE_BITS = 7, WORD_BITS = 2 }; /* bytes of a line and of a word of a bank */

/* A list of independent vectors. */
typedef struct {
    int n;
    uint32_t at[LAYOUT_MAX_BITS];
} Vectors;

static void append(Vectors *v, uint32_t x)
{
    v->at[v->n++] = x;
}

static VectorSpace space_of(const Vectors *v)
{
    VectorSpace s = {0};

    for (int i = 0; i < v->n; i++)
        space_add(&s, v->at[i], 1u << i, NULL);
    return s;
}

/* Append what is independent, up to n vectors. */
static void extend_vectors(Vectors *v, const Vectors *by, int n)
{
    VectorSpace s = space_of(v);

    for (int i = 0; i < by->n && v->n < n; i++) {
        if (space_add(&s, by->at[i], 0, NULL))
            append(v, by->at[i]);
    }
}

static Vectors units(uint32_t bits)
{
    Vectors v = {0};

    for (; bits; bits &= bits - 1)
        append(&v, bits & -bits);
    return v;
}

/* The same space by vectors of which each has a highest bit that no other one has, in rising order.
 */
static void tidy(Vectors *v)
{
    VectorSpace s = space_of(v);

    v->n = 0;
    for (int p = 0; p < 32; p++) {
        uint32_t own = s.vec[p];
        if (own == 0)
            continue;
        s.vec[p] = 0;
        own = space_reduce(&s, own, NULL);
        s.vec[p] = own;
        append(v, own);
    }
}

static Vectors intersection(const Vectors *a, const Vectors *b)
{
    VectorSpace s = space_of(a);
    Vectors both = {0};

    for (int i = 0; i < b->n; i++) {
        uint32_t made, x = 0;
        if (space_add(&s, b->at[i], 0, &made))
            continue;
        for (; made; made &= made - 1)
            x ^= a->at[__builtin_ctz(made)];
        append(&both, x);
    }
    tidy(&both);
    return both;
}

/* What must be added to `part` for the space of `whole`, which it lies in. */
static Vectors complement(const Vectors *part, const Vectors *whole)
{
    Vectors all = *part, rest = {0};

    extend_vectors(&all, whole, LAYOUT_MAX_BITS);
    for (int i = part->n; i < all.n; i++)
        append(&rest, all.at[i]);
    return rest;
}

/* Bits of the lane's number that tell lanes of one wavefront apart. */
static int wavefront_lanes(const SharedAccess *a, int bytes)
{
    int vector = layout_bits_of(bytes << a->nvector);

    return MIN(a->nlane, LINE_BITS - vector);
}

/* What lanes of one wavefront span among the bits `outside` of the low ones, without moving any of
 * `within`: low bits outside of a word, which make another bank. */
static Vectors reach_of(const SharedAccess *a, int bytes, uint32_t within, uint32_t outside)
{
    Vectors v = {0}, out = {0};

    for (int i = 0; i < wavefront_lanes(a, bytes); i++)
        append(&v, a->lane[i]);
    for (; within; within &= within - 1) {
        uint32_t unit = within & -within;
        int with = 0;
        while (with < v.n && (v.at[with] & unit) == 0)
            with++;
        for (int i = with + 1; i < v.n; i++)
            v.at[i] ^= v.at[i] & unit ? v.at[with] : 0;
        if (with < v.n)
            v.at[with] = v.at[--v.n];
    }
    for (int i = 0; i < v.n; i++)
        v.at[i] &= outside;
    extend_vectors(&out, &v, LAYOUT_MAX_BITS);
    tidy(&out);
    return out;
}

/* The low bits: the longest vector; behind it up to a word, bits that lanes move. */
static Vectors low_bits(uint32_t bits, int bytes, const SharedAccess *accesses, int n)
{
    Vectors low = {0};
    uint32_t moved = bits;

    for (int i = 0; i < n; i++) {
        uint32_t lanes = 0;
        for (int k = low.n; k < accesses[i].nvector; k++)
            append(&low, accesses[i].vector[k]);
        for (int k = 0; k < accesses[i].nlane; k++)
            lanes |= accesses[i].lane[k];
        moved &= lanes;
    }
    int word = WORD_BITS - layout_bits_of(bytes);
    Vectors shared = units(moved), all = units(bits);
    extend_vectors(&low, &shared, MAX(word, low.n));
    extend_vectors(&low, &all, MAX(word, low.n));
    return low;
}

static uint32_t sum_of_vectors(const Vectors *v, int from)
{
    uint32_t sum = 0;

    for (int i = from; i < v->n; i++)
        sum |= v->at[i];
    return sum;
}

/* The same vectors, first those that lanes of the writer move, one lane's bit after the other. */
static void order_by_lanes(Vectors *v, const SharedAccess *writer, uint32_t outside)
{
    int sorted = 0;

    for (int i = 0; i < writer->nlane; i++) {
        for (int k = sorted; k < v->n; k++) {
            if (v->at[k] != (writer->lane[i] & outside))
                continue;
            uint32_t found = v->at[k];
            memmove(&v->at[sorted + 1], &v->at[sorted], (size_t)(k - sorted) * sizeof v->at[0]);
            v->at[sorted++] = found;
        }
    }
}

/* The coordinate's bits outside of the low ones, as banks and index: see the head of this file. */
static void swizzle(Vectors *p, Vectors *q, const SharedAccess *writer, uint32_t outside, int banks,
                    Vectors *columns)
{
    Vectors all = units(outside), wide = *p;

    p->n = MIN(p->n, banks);
    q->n = MIN(q->n, banks);
    extend_vectors(p, q, banks);
    extend_vectors(p, &wide, banks);
    extend_vectors(p, &all, banks);
    extend_vectors(q, p, banks);
    Vectors both = intersection(p, q), e = complement(&both, p), f = complement(&both, q);
    Vectors joined = *p;
    extend_vectors(&joined, q, LAYOUT_MAX_BITS);
    Vectors rest = complement(&joined, &all);
    tidy(p);
    order_by_lanes(p, writer, outside);
    for (int i = 0; i < p->n; i++)
        append(columns, p->at[i]);
    /* the index in rising order of what is not e's */
    for (int i = 0, k = 0; i < f.n || k < rest.n;) {
        if (k == rest.n || (i < f.n && f.at[i] < rest.at[k])) {
            append(columns, e.at[i] ^ f.at[i]);
            i++;
        } else {
            append(columns, rest.at[k++]);
        }
    }
}

/* Fill in what the columns, where bits of the offset move the coordinate, say. */
static void shared_from(const Vectors *columns, int bytes, uint32_t bits, SharedLayout *out)
{
    VectorSpace s = space_of(columns);

    *out = (SharedLayout){.nbits = columns->n, .bytes = bytes};
    for (int i = 0; i < columns->n; i++)
        out->coordinate[i] = columns->at[i];
    for (; bits; bits &= bits - 1) {
        if (space_reduce(&s, bits & -bits, &out->offset[__builtin_ctz(bits)]) != 0)
            bug("an element has no place in shared memory");
    }
}

void shared_choose_bits(uint32_t bits, int bytes, const SharedAccess *accesses, int n,
                        SharedLayout *out)
{
    Vectors low = low_bits(bits, bytes, accesses, n), reach[2] = {{0}, {0}};
    uint32_t outside = bits & ~sum_of_vectors(&low, 0);
    int word = MAX(0, WORD_BITS - layout_bits_of(bytes));
    int banks = MAX(0, LINE_BITS - layout_bits_of(bytes) - low.n);

    for (int i = 0; i < n; i++)
        reach[i] = reach_of(&accesses[i], bytes, sum_of_vectors(&low, word), outside);
    if (n == 1)
        reach[1] = reach[0];
    swizzle(&reach[0], &reach[1], &accesses[0], outside, MIN(banks, __builtin_popcount(outside)),
            &low);
    shared_from(&low, bytes, bits, out);
}

void shared_choose(const Layout *shape, int bytes, const SharedAccess *accesses, int n,
                   SharedLayout *out)
{
    shared_choose_bits((1u << layout_total_bits(shape)) - 1, bytes, accesses, n, out);
}

uint32_t shared_offset(const SharedLayout *s, uint32_t coordinate)
{
    uint32_t offset = 0;

    for (; coordinate; coordinate &= coordinate - 1)
        offset ^= s->offset[__builtin_ctz(coordinate)];
    return offset;
}

int64_t shared_bytes(const SharedLayout *s)
{
    return (int64_t)s->bytes << s->nbits;
}

bool shared_equal(const SharedLayout *a, const SharedLayout *b)
{
    return a->nbits == b->nbits && a->bytes == b->bytes &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

/* The lanes of a wavefront meet 2^k words or vectors, in 2^b banks or groups of banks. */
int shared_wavefronts(const SharedLayout *s, const SharedAccess *a)
{
    VectorSpace places = {0}, banks = {0};
    int element = layout_bits_of(s->bytes), lanes = wavefront_lanes(a, s->bytes);
    int unit = MAX(MAX(a->nvector, WORD_BITS - element), 0);
    uint32_t line = (1u << (LINE_BITS - element)) - 1;

    for (int i = 0; i < lanes; i++) {
        uint32_t place = shared_offset(s, a->lane[i]) >> unit << unit;
        space_add(&places, place, 0, NULL);
        space_add(&banks, place & line, 0, NULL);
    }
    return 1 << (a->nlane - lanes + places.rank - banks.rank);
}

/* --- accesses --- */

bool shared_access(const Layout *l, int nvector, const uint32_t *vector, SharedAccess *out)
{
    *out = (SharedAccess){.nvector = nvector, .nlane = l->nlane};
    for (int i = 0; i < nvector; i++) {
        if (layout_register_of(l, vector[i]) < 0)
            return false;
        out->vector[i] = vector[i];
    }
    for (int i = 0; i < l->nlane; i++)
        out->lane[i] = l->lane[i];
    return true;
}

/* Is that one bit of the coordinate, which only one bit of registers, lanes, warps moves? */
static bool is_moved_once(const Layout *l, uint32_t unit)
{
    int movers = 0;

    for (int i = 0; i < l->nreg; i++)
        movers += (l->reg[i] & unit) != 0;
    for (int i = 0; i < l->nlane; i++)
        movers += (l->lane[i] & unit) != 0;
    for (int i = 0; i < l->nwarp; i++)
        movers += (l->warp[i] & unit) != 0;
    return unit != 0 && (unit & (unit - 1)) == 0 && movers == 1;
}

enum { GROUP_BITS = 2, ROW_BITS = 3, MOST_MATRIX_BITS = 2 }; /* of ldmatrix */

static bool are_moved_once(const Layout *l, const SharedAccess *a)
{
    for (int i = 0; i < a->nvector; i++) {
        if (!is_moved_once(l, a->vector[i]))
            return false;
    }
    return true;
}

/* Rows of 16 bytes lie across K, where a register has the lowest bit and groups of lanes the next
 * three.  A row is one step along K: the word's lower bit, then the four lanes of a group, tell the
 * rows of a matrix apart, and the word's upper bit, if it has one, two matrices. */
static bool ldmatrix_pairs(const Layout *l, MatrixAccess *out)
{
    const uint32_t *across = l->lane + GROUP_BITS;
    SharedAccess *access = &out->access;

    int word = l->nreg > 1 && l->reg[1] == l->reg[0] << 1 ? 2 : 1;

    *out = (MatrixAccess){.word_bits = word, .access.nlane = l->nlane};
    for (int d = 0; d < l->rank; d++) {
        if (across[0] == layout_unit(l, d, 0))
            return false;
    }
    out->pair = (int8_t)layout_register_of(l, across[0] >> 1);
    if (out->pair < word)
        return false;
    access->nvector = 1 + ROW_BITS;
    access->vector[0] = l->reg[out->pair];
    for (int i = 0; i < ROW_BITS; i++)
        access->vector[1 + i] = across[i];
    access->lane[0] = l->reg[0];
    for (int i = 0; i < GROUP_BITS; i++)
        access->lane[1 + i] = l->lane[i];
    for (int i = 1; i < l->nreg && out->matrix_bits < MOST_MATRIX_BITS; i++) {
        if (i == out->pair)
            continue;
        access->lane[ROW_BITS + out->matrix_bits] = l->reg[i];
        out->matrix[out->matrix_bits++] = (int8_t)i;
    }
    return are_moved_once(l, access);
}

/* A fragment's word and four lanes lie along a row of 16 bytes, and eight groups of lanes across;
 * transposed, the two change places. */
bool shared_ldmatrix(const Layout *l, int bytes, bool trans, MatrixAccess *out)
{
    int word = WORD_BITS - layout_bits_of(bytes);
    uint32_t within[MAX_VECTOR_BITS] = {0};
    SharedAccess *access = &out->access;

    if (trans && bytes == 1)
        return ldmatrix_pairs(l, out);
    *out = (MatrixAccess){.word_bits = word, .access.nlane = l->nlane, .pair = -1};
    if (bytes > 4 || (trans && bytes != 2) || l->nreg < word)
        return false;
    for (int i = 0; i < word + GROUP_BITS; i++)
        within[i] = i < word ? l->reg[i] : l->lane[i - word];
    const uint32_t *across = l->lane + GROUP_BITS;
    access->nvector = trans ? ROW_BITS : word + GROUP_BITS;
    for (int i = 0; i < access->nvector; i++)
        access->vector[i] = trans ? across[i] : within[i];
    for (int i = 0; i < ROW_BITS; i++)
        access->lane[i] = trans ? within[i] : across[i];
    out->matrix_bits = MIN(MOST_MATRIX_BITS, l->nreg - word);
    for (int i = 0; i < out->matrix_bits; i++) {
        access->lane[ROW_BITS + i] = l->reg[word + i];
        out->matrix[i] = (int8_t)(word + i);
    }
    return are_moved_once(l, access);
}
