/*
 * layout_axis.c - layouts along one axis: the order in which a reduction meets elements, slices
 */
#include <string.h>

#include "layout_internal.h"

/* Take in what a bit of a register, lane or warp does; false when it is not a step along the axis
 * alone or that step is there already. */
static bool take_step(AxisWalk *w, const Layout *l, int axis, uint32_t basis, AxisStep step,
                      uint32_t *seen)
{
    uint32_t along = (uint32_t)layout_index(l, basis, axis);

    if (along == 0) {
        if (step.kind == STEP_REGISTER)
            w->across |= 1u << step.bit;
        return true;
    }
    if ((along & (along - 1)) != 0 || basis != along << layout_shift(l, axis) || (*seen & along))
        return false;
    *seen |= along;
    w->step[highest_bit(along)] = step;
    return true;
}

bool layout_walk(const Layout *l, int axis, AxisWalk *out)
{
    uint32_t seen = 0;
    bool ok = true;

    *out = (AxisWalk){.nsteps = l->bits[axis]};
    for (int i = 0; i < l->nreg && ok; i++)
        ok = take_step(out, l, axis, l->reg[i], (AxisStep){STEP_REGISTER, i}, &seen);
    for (int i = 0; i < l->nlane && ok; i++)
        ok = take_step(out, l, axis, l->lane[i], (AxisStep){STEP_LANE, i}, &seen);
    for (int i = 0; i < l->nwarp && ok; i++)
        ok = take_step(out, l, axis, l->warp[i], (AxisStep){STEP_WARP, i}, &seen);
    if (ok)
        layout_remove(l, axis, &out->result);
    return ok;
}

/* The coordinate of `from` in `to`, which has other extents along the axis; along it, `index`. */
static uint32_t moved(const Layout *from, const Layout *to, uint32_t c, int axis, uint32_t index)
{
    int32_t at[MAX_RANK];

    for (int d = 0; d < to->rank; d++)
        at[d] = d == axis ? (int32_t)index : layout_index(from, c, d);
    return layout_coordinate_of(to, at);
}

uint32_t layout_in_order(const Layout *l, int axis, int32_t extent, Layout *out,
                         AxisStep place[LAYOUT_MAX_BITS])
{
    int32_t dims[MAX_RANK];
    uint32_t stay = 0, units[LAYOUT_MAX_BITS];
    const uint32_t *bases[] = {l->reg, l->lane, l->warp};
    const int counts[] = {l->nreg, l->nlane, l->nwarp};
    int n = 0;

    memcpy(dims, l->dims, sizeof dims);
    dims[axis] = extent;
    layout_begin(out, l->rank, dims);
    out->nlane = l->nlane;
    out->nwarp = l->nwarp;
    for (int kind = STEP_REGISTER; kind <= STEP_WARP; kind++) {
        for (int i = 0; i < counts[kind]; i++) {
            uint32_t c = bases[kind][i], index = 0;
            bool along = layout_index(l, c, axis) != 0;
            if (along) {
                index = n < out->bits[axis] ? 1u << n : 0;
                place[n++] = (AxisStep){(StepKind)kind, i};
            }
            units[i] = moved(l, out, c, axis, index);
            if (kind == STEP_REGISTER && (!along || index)) {
                layout_add_register(out, units[i]);
                stay |= 1u << i;
            }
        }
        if (kind == STEP_LANE)
            memcpy(out->lane, units, sizeof out->lane);
        if (kind == STEP_WARP)
            memcpy(out->warp, units, sizeof out->warp);
    }
    return stay;
}

/*
 * Slices.  Along a dimension where the start is a multiple of the result's padded extent, all
 * elements of the slice have the same high bits of the index, and the low bits are the result's;
 * that dimension is `aligned`.  Of others every bit is fixed, and each index of the result looked
 * up by itself.  Only registers may move what is fixed: then every thread has its part of the
 * slice.
 */
typedef struct {
    const Layout *from, *to;
    const int64_t *starts;
    bool aligned[MAX_RANK];
    uint32_t fixed;    /* bits of the coordinate */
    VectorSpace reach; /* of registers, in the fixed bits; named by the register's bit */
    uint32_t free;     /* bits of registers that move nothing that is fixed */
} Slice;

static bool slice_begin(Slice *s)
{
    for (int d = 0; d < s->from->rank; d++) {
        int low = s->to->bits[d], shift = layout_shift(s->from, d);
        uint32_t all = (1u << s->from->bits[d]) - 1;
        s->aligned[d] = (s->starts[d] & ((1 << low) - 1)) == 0;
        s->fixed |= (s->aligned[d] ? all >> low << low : all) << shift;
    }
    for (int i = 0; i < s->from->nlane; i++) {
        if (s->from->lane[i] & s->fixed)
            return false;
    }
    for (int i = 0; i < s->from->nwarp; i++) {
        if (s->from->warp[i] & s->fixed)
            return false;
    }
    for (int i = 0; i < s->from->nreg; i++) {
        uint32_t basis = s->from->reg[i];
        if ((basis & s->fixed) == 0)
            s->free |= 1u << i;
        else if ((basis & ~s->fixed) || !space_add(&s->reach, basis, 1u << i, NULL))
            return false;
    }
    return true;
}

/* The coordinate in `from` of element 0 of the slice moved by `c` along unaligned dimensions. */
static uint32_t slice_start(const Slice *s, uint32_t c)
{
    int32_t index[MAX_RANK];

    for (int d = 0; d < s->from->rank; d++)
        index[d] = (int32_t)s->starts[d] + (s->aligned[d] ? 0 : layout_index(s->to, c, d));
    return layout_coordinate_of(s->from, index);
}

/* A coordinate of `from`, without what is fixed, in `to`. */
static uint32_t slice_low(const Slice *s, uint32_t c)
{
    uint32_t out = 0;

    for (int d = 0; d < s->to->rank; d++) {
        uint32_t low = (uint32_t)layout_index(s->from, c & ~s->fixed, d);
        out = out << s->to->bits[d] | (low & ((1u << s->to->bits[d]) - 1));
    }
    return out;
}

/* The bases of the slice: those that move nothing fixed, then a register for each bit of an index
 * that is looked up. */
static bool slice_bases(const Slice *s, Layout *to)
{
    for (int i = 0; i < s->from->nreg; i++) {
        if (s->free >> i & 1)
            layout_add_register(to, slice_low(s, s->from->reg[i]));
    }
    for (int d = 0; d < to->rank; d++) {
        for (int i = 0; !s->aligned[d] && i < to->bits[d]; i++) {
            if (!layout_add_register(to, layout_unit(to, d, i)))
                return false;
        }
    }
    for (int i = 0; i < s->from->nlane; i++)
        to->lane[i] = slice_low(s, s->from->lane[i]);
    to->nlane = s->from->nlane;
    to->nwarp = s->from->nwarp;
    for (int i = 0; i < to->nwarp; i++)
        to->warp[i] = slice_low(s, s->from->warp[i]);
    return true;
}

static int32_t slice_register(const Slice *s, uint32_t r)
{
    int nfree = __builtin_popcount(s->free);
    uint32_t looked_up = layout_at(s->to, (Holder){r >> nfree << nfree, 0, 0}), made;

    if (!layout_register_live(s->to, r))
        return -1;
    if (space_reduce(&s->reach, slice_start(s, looked_up) & s->fixed, &made) != 0)
        bug("a slice begins where no register is");
    return (int32_t)(made | layout_deposit(r, s->free));
}

bool layout_slice(const Layout *l, const int64_t *starts, const int32_t *dims, Layout *out,
                  Arena *a, const int32_t **take)
{
    Layout made;
    Slice s = {.from = l, .to = &made, .starts = starts};

    layout_begin(&made, l->rank, dims);
    if (!slice_begin(&s) || !slice_bases(&s, &made))
        return false;
    int32_t *regs = NEW_N(a, int32_t, layout_registers(&made));
    for (int r = 0; r < layout_registers(&made); r++)
        regs[r] = slice_register(&s, (uint32_t)r);
    *out = made;
    *take = regs;
    return true;
}

/* The index along a dimension is the slice's in its low bits, and in the others that of the start,
 * which registers above the slice's own move. */
bool layout_slice_operand(const Layout *l, const int64_t *starts, const int32_t *dims, Layout *out,
                          Arena *a, const int32_t **take)
{
    enum { MOST_OUTSIDE = 6 }; /* bits of registers */
    Layout made;
    uint32_t start = 0;
    int shift = 0, outside = 0;

    if (!layout_begin(&made, l->rank, dims))
        return false;
    for (int d = l->rank - 1; d >= 0; d--) {
        if (starts[d] & ((1 << l->bits[d]) - 1))
            return false;
        outside += made.bits[d] - l->bits[d];
    }
    if (outside > MOST_OUTSIDE)
        return false;
    layout_widen(l, &made);
    for (int d = l->rank - 1; d >= 0; d--) {
        for (int bit = l->bits[d]; bit < made.bits[d]; bit++) {
            start |= (uint32_t)(starts[d] >> bit & 1) << (l->nreg + shift++);
            if (!layout_add_register(&made, layout_unit(&made, d, bit)))
                return false;
        }
    }
    int32_t *regs = NEW_N(a, int32_t, layout_registers(l));
    for (int r = 0; r < layout_registers(l); r++)
        regs[r] = layout_register_live(l, (uint32_t)r) ? (int32_t)(start | (uint32_t)r) : -1;
    *out = made;
    *take = regs;
    return true;
}
