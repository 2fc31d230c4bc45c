/*
 * layout.c - the algebra of layouts: coordinates, inverses, other shapes of the same registers
 *
 * Everything goes back to two ideas.  A layout is linear, so what holds for its bases holds for
 * all: a permutation of dimensions permutes the bits of each basis and is done.  And questions like
 * "who holds this element" are systems of linear equations over GF(2), which a VectorSpace solves.
 */
#include "layout_internal.h"

int highest_bit(uint32_t v)
{
    return 31 - __builtin_clz(v);
}

uint32_t space_reduce(const VectorSpace *s, uint32_t v, uint32_t *made)
{
    uint32_t names = 0, left = v; /* bits that were not looked at */

    while (left) {
        int p = highest_bit(left);
        left &= (1u << p) - 1;
        if (s->vec[p] == 0)
            continue;
        v ^= s->vec[p];
        names ^= s->made[p];
        left = v & ((1u << p) - 1);
    }
    if (made)
        *made = names;
    return v;
}

bool space_add(VectorSpace *s, uint32_t v, uint32_t name, uint32_t *made)
{
    uint32_t names;
    uint32_t rest = space_reduce(s, v, &names);

    if (made)
        *made = names;
    if (rest == 0)
        return false;
    int p = highest_bit(rest);
    s->vec[p] = rest;
    s->made[p] = names ^ name;
    s->rank++;
    return true;
}

/* The largest number that v becomes by adding vectors of the space. */
static uint32_t space_most(const VectorSpace *s, uint32_t v)
{
    for (int p = 31; p >= 0; p--) {
        if ((v >> p & 1) == 0)
            v ^= s->vec[p];
    }
    return v;
}

/* --- coordinates --- */

int layout_bits_of(int32_t extent)
{
    return extent <= 1 ? 0 : highest_bit((uint32_t)extent - 1) + 1;
}

int layout_total_bits(const Layout *l)
{
    return layout_shift(l, -1);
}

int layout_shift(const Layout *l, int dim)
{
    int shift = 0;

    for (int d = dim + 1; d < l->rank; d++)
        shift += l->bits[d];
    return shift;
}

int32_t layout_index(const Layout *l, uint32_t coordinate, int dim)
{
    return (int32_t)(coordinate >> layout_shift(l, dim) & ((1u << l->bits[dim]) - 1));
}

uint32_t layout_coordinate_of(const Layout *l, const int32_t *index)
{
    uint32_t c = 0;

    for (int d = 0; d < l->rank; d++)
        c = c << l->bits[d] | (uint32_t)index[d];
    return c;
}

bool layout_exists(const Layout *l, uint32_t coordinate)
{
    for (int d = 0; d < l->rank; d++) {
        if (layout_index(l, coordinate, d) >= l->dims[d])
            return false;
    }
    return true;
}

/* The sum of the bases whose bits are set. */
static uint32_t combine_bases(const uint32_t *bases, uint32_t bits)
{
    uint32_t v = 0;

    for (; bits; bits &= bits - 1)
        v ^= bases[__builtin_ctz(bits)];
    return v;
}

uint32_t layout_at(const Layout *l, Holder h)
{
    return combine_bases(l->reg, h.reg) ^ combine_bases(l->lane, h.lane) ^
           combine_bases(l->warp, h.warp);
}

int layout_registers(const Layout *l)
{
    return 1 << l->nreg;
}

/* What the threads span along a dimension. */
static VectorSpace threads_along(const Layout *l, int dim)
{
    VectorSpace s = {0};

    for (int i = 0; i < l->nlane; i++)
        space_add(&s, (uint32_t)layout_index(l, l->lane[i], dim), 0, NULL);
    for (int i = 0; i < l->nwarp; i++)
        space_add(&s, (uint32_t)layout_index(l, l->warp[i], dim), 0, NULL);
    return s;
}

Existence layout_register_exists(const Layout *l, uint32_t r)
{
    uint32_t c = combine_bases(l->reg, r);
    Existence e = EXISTS_IN_ALL;

    for (int d = 0; d < l->rank; d++) {
        if (l->dims[d] == 1 << l->bits[d])
            continue;
        VectorSpace s = threads_along(l, d);
        uint32_t first = (uint32_t)layout_index(l, c, d), end = (uint32_t)l->dims[d];
        if (space_reduce(&s, first, NULL) >= end)
            return EXISTS_IN_NONE;
        if (space_most(&s, first) >= end)
            e = EXISTS_IN_SOME;
    }
    return e;
}

/* --- the map as a whole --- */

bool layout_same_shape(const Layout *a, const Layout *b)
{
    if (a->rank != b->rank)
        return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d])
            return false;
    }
    return true;
}

static bool same_bases(const uint32_t *a, const uint32_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

bool layout_equal(const Layout *a, const Layout *b)
{
    return layout_same_shape(a, b) && a->nreg == b->nreg && a->nlane == b->nlane &&
           a->nwarp == b->nwarp && same_bases(a->reg, b->reg, a->nreg) &&
           same_bases(a->lane, b->lane, a->nlane) && same_bases(a->warp, b->warp, a->nwarp);
}

uint32_t layout_drop_copies(Layout *l)
{
    VectorSpace s = {0};
    uint32_t kept = 0;
    int n = 0;

    for (int i = 0; i < l->nreg; i++) {
        if (!space_add(&s, l->reg[i], 0, NULL))
            continue;
        l->reg[n++] = l->reg[i];
        kept |= 1u << i;
    }
    l->nreg = (int8_t)n;
    return kept;
}

uint32_t layout_deposit(uint32_t bits, uint32_t mask)
{
    uint32_t out = 0;

    for (; mask; mask &= mask - 1, bits >>= 1) {
        if (bits & 1)
            out |= mask & -mask;
    }
    return out;
}

uint32_t layout_extract(uint32_t bits, uint32_t mask)
{
    uint32_t out = 0;

    for (int i = 0; mask; mask &= mask - 1, i++) {
        if (bits & mask & -mask)
            out |= 1u << i;
    }
    return out;
}

bool layout_is_sound(const Layout *l)
{
    VectorSpace s = {0};
    int total = layout_total_bits(l);

    for (int d = 0; d < l->rank; d++) {
        if (l->bits[d] != layout_bits_of(l->dims[d]))
            return false;
    }
    for (int i = 0; i < l->nreg; i++) {
        if (l->reg[i] >> total != 0 || !space_add(&s, l->reg[i], 0, NULL))
            return false;
    }
    for (int i = 0; i < l->nlane; i++)
        space_add(&s, l->lane[i], 0, NULL);
    for (int i = 0; i < l->nwarp; i++)
        space_add(&s, l->warp[i], 0, NULL);
    return s.rank == total && space_most(&s, 0) >> total == 0;
}

/* The inverse.  A vector's name is its bit in a holder: registers lowest, then lanes, then warps.
 */

static Holder holder_of_name(uint32_t name)
{
    uint32_t threads = name >> LAYOUT_MAX_REG_BITS;

    return (Holder){name & ((1u << LAYOUT_MAX_REG_BITS) - 1),
                    threads & ((1u << LAYOUT_MAX_LANE_BITS) - 1), threads >> LAYOUT_MAX_LANE_BITS};
}

void layout_invert(const Layout *l, Inverse *out)
{
    enum { LANE = LAYOUT_MAX_REG_BITS, WARP = LANE + LAYOUT_MAX_LANE_BITS };
    VectorSpace s = {0};
    int total = layout_total_bits(l);

    *out = (Inverse){0};
    for (int i = 0; i < l->nreg; i++)
        space_add(&s, l->reg[i], 1u << i, NULL);
    for (int i = 0; i < l->nlane; i++) {
        if (!space_add(&s, l->lane[i], 1u << (LANE + i), NULL))
            out->copies.lane |= 1u << i;
    }
    for (int i = 0; i < l->nwarp; i++) {
        if (!space_add(&s, l->warp[i], 1u << (WARP + i), NULL))
            out->copies.warp |= 1u << i;
    }
    for (int i = 0; i < total; i++) {
        uint32_t made;
        if (space_reduce(&s, 1u << i, &made) != 0)
            bug("bit %d of a coordinate is held by nobody", i);
        out->bit[i] = holder_of_name(made);
    }
}

Holder layout_holder(const Inverse *v, uint32_t coordinate)
{
    Holder h = {0};

    for (; coordinate; coordinate &= coordinate - 1) {
        const Holder *b = &v->bit[__builtin_ctz(coordinate)];
        h = (Holder){h.reg ^ b->reg, h.lane ^ b->lane, h.warp ^ b->warp};
    }
    return h;
}

int layout_register_of(const Layout *l, uint32_t unit)
{
    int found = -1;

    for (int i = 0; i < l->nreg; i++) {
        if ((l->reg[i] & unit) == 0)
            continue;
        if (l->reg[i] != unit || found >= 0)
            return -1;
        found = i;
    }
    for (int i = 0; i < l->nlane; i++) {
        if (l->lane[i] & unit)
            return -1;
    }
    for (int i = 0; i < l->nwarp; i++) {
        if (l->warp[i] & unit)
            return -1;
    }
    return found;
}

int layout_run_bits(const Layout *l, int dim, int8_t regs[LAYOUT_MAX_REG_BITS])
{
    int n = 0;

    for (; n < l->bits[dim]; n++) {
        int reg = layout_register_of(l, layout_unit(l, dim, n));
        if (reg < 0)
            break;
        regs[n] = (int8_t)reg;
    }
    return n;
}

/* --- other shapes --- */

uint32_t layout_unit(const Layout *l, int dim, int bit)
{
    return bit < l->bits[dim] ? 1u << (layout_shift(l, dim) + bit) : 0;
}

bool layout_begin(Layout *l, int rank, const int32_t *dims)
{
    int total = 0;

    *l = (Layout){.rank = (int8_t)rank};
    for (int d = 0; d < rank; d++) {
        l->dims[d] = dims[d];
        l->bits[d] = (int8_t)layout_bits_of(dims[d]);
        total += l->bits[d];
    }
    return total <= LAYOUT_MAX_BITS;
}

bool layout_add_register(Layout *l, uint32_t basis)
{
    if (l->nreg == LAYOUT_MAX_REG_BITS)
        return false;
    l->reg[l->nreg++] = basis;
    return true;
}

/* A coordinate of `from` as one of `to`, whose dimension d is dimension of[d]; 0 where that is -1.
 */
static uint32_t move_bits(uint32_t c, const Layout *from, const Layout *to, const int *of)
{
    uint32_t out = 0;

    for (int d = 0; d < to->rank; d++) {
        out <<= to->bits[d];
        if (of[d] >= 0)
            out |= (uint32_t)layout_index(from, c, of[d]);
    }
    return out;
}

/* The holders of `l`, in the shape of `out`; see move_bits(). */
static void move_bases(const Layout *l, Layout *out, const int *of)
{
    out->nreg = l->nreg;
    out->nlane = l->nlane;
    out->nwarp = l->nwarp;
    for (int i = 0; i < l->nreg; i++)
        out->reg[i] = move_bits(l->reg[i], l, out, of);
    for (int i = 0; i < l->nlane; i++)
        out->lane[i] = move_bits(l->lane[i], l, out, of);
    for (int i = 0; i < l->nwarp; i++)
        out->warp[i] = move_bits(l->warp[i], l, out, of);
}

void layout_widen(const Layout *l, Layout *out)
{
    int of[MAX_RANK];

    for (int d = 0; d < l->rank; d++)
        of[d] = d;
    move_bases(l, out, of);
}

void layout_permute(const Layout *l, const int *dims, Layout *out)
{
    Layout made;
    int32_t extents[MAX_RANK];

    for (int d = 0; d < l->rank; d++)
        extents[d] = l->dims[dims[d]];
    layout_begin(&made, l->rank, extents);
    move_bases(l, &made, dims);
    *out = made;
}

/* In `l` but for a dimension of that extent before `axis`, along which nothing moves. */
static bool with_dimension(const Layout *l, int axis, int32_t extent, Layout *out)
{
    int32_t extents[MAX_RANK];
    int of[MAX_RANK];

    if (l->rank == MAX_RANK)
        bug("a layout of more than %d dimensions", MAX_RANK);
    for (int d = 0; d <= l->rank; d++) {
        of[d] = d == axis ? -1 : d - (d > axis);
        extents[d] = d == axis ? extent : l->dims[of[d]];
    }
    if (!layout_begin(out, l->rank + 1, extents))
        return false;
    move_bases(l, out, of);
    return true;
}

void layout_expand(const Layout *l, int axis, Layout *out)
{
    Layout made;

    with_dimension(l, axis, 1, &made);
    *out = made;
}

bool layout_insert(const Layout *l, int axis, int32_t extent, Layout *out)
{
    Layout made, wide;
    int added = layout_bits_of(extent);

    if (l->nreg + added > LAYOUT_MAX_REG_BITS || !with_dimension(l, axis, extent, &wide))
        return false;
    made = wide;
    made.nreg = 0;
    for (int i = 0; i < added; i++)
        layout_add_register(&made, layout_unit(&made, axis, i));
    for (int i = 0; i < wide.nreg; i++)
        layout_add_register(&made, wide.reg[i]);
    *out = made;
    return true;
}

void layout_remove(const Layout *l, int axis, Layout *out)
{
    Layout made;
    int32_t extents[MAX_RANK];
    int of[MAX_RANK];

    for (int d = 0; d < l->rank - 1; d++) {
        of[d] = d + (d >= axis);
        extents[d] = l->dims[of[d]];
    }
    layout_begin(&made, l->rank - 1, extents);
    move_bases(l, &made, of);
    layout_drop_copies(&made);
    *out = made;
}

uint32_t layout_broadcast_operand(const Layout *l, const int32_t *dims, Layout *out)
{
    Layout made;
    int of[MAX_RANK];

    for (int d = 0; d < l->rank; d++)
        of[d] = dims[d] == l->dims[d] ? d : -1;
    layout_begin(&made, l->rank, dims);
    move_bases(l, &made, of);
    uint32_t kept = layout_drop_copies(&made);
    *out = made;
    return kept;
}

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* One shape on the way of layout_reshape(), from its last dimension on. */
typedef struct {
    const int32_t *dims;
    int next;        /* to take in */
    int64_t product; /* of the dimensions of the group so far */
    int64_t inner;   /* of those before the last one taken in */
} Group;

/* Take in the next dimension; false: padding would come to lie inside the group. */
static bool group_more(Group *g)
{
    if (g->next < 0)
        bug("a reshape to another number of elements");
    g->inner = g->product;
    g->product *= g->dims[g->next--];
    return is_power_of_two(g->inner);
}

/* Both shapes fall apart into groups of dimensions with the same number of elements.  In a group
 * only the first dimension may have padding, since a coordinate is then the row-major number of the
 * element within the group, in both shapes. */
bool layout_reshape(const Layout *l, int rank, const int32_t *dims, Layout *out)
{
    Group a = {.dims = l->dims, .next = l->rank - 1, .product = 1};
    Group b = {.dims = dims, .next = rank - 1, .product = 1};
    Layout made = *l;

    while (a.next >= 0 || b.next >= 0) {
        if (a.product == b.product) {
            a.product = b.product = 1;
            if (a.next >= 0 && !group_more(&a))
                return false;
            if (b.next >= 0 && !group_more(&b))
                return false;
        } else if (a.product < b.product ? !group_more(&a) : !group_more(&b)) {
            return false;
        }
    }
    layout_begin(&made, rank, dims);
    made.nreg = l->nreg;
    made.nlane = l->nlane;
    made.nwarp = l->nwarp;
    for (int i = 0; i < l->nreg; i++)
        made.reg[i] = l->reg[i];
    for (int i = 0; i < l->nlane; i++)
        made.lane[i] = l->lane[i];
    for (int i = 0; i < l->nwarp; i++)
        made.warp[i] = l->warp[i];
    *out = made;
    return true;
}
