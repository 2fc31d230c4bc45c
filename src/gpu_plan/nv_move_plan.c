/*
 * nv_move_plan.c - moves that are no linear map of layouts: how they go through shared memory
 *
 * The operand is laid down there in row-major order, without padding.  Where a thread has
 * neighbours of a row, and their number divides where they lie, they go as one vector; and where
 * each warp takes from memory nothing but what it has laid down itself, its threads wait for each
 * other alone.
 */
#include "nv_plan.h"

/* Bits of the number of elements of `bytes` that lie side by side in a thread and in memory, at a
 * multiple of their number: of rows of `width` elements from element `start` of a row on. */
static int side_by_side(const Layout *l, int64_t width, int64_t start, int bytes,
                        int8_t regs[LAYOUT_MAX_REG_BITS])
{
    int dim = l->rank - 1, run = layout_run_bits(l, dim, regs), n = 0;
    int64_t all = l->dims[dim] | width | start;

    while (n < run && all % (2 << n) == 0 && bytes << n < NV_ACCESS_BYTES)
        n++;
    return n;
}

static NvMove *plan_of_operand(NvPlan *p, const Layout *l, int bytes)
{
    NvMove *m = NEW(p->arena, NvMove);

    m->put_bits = side_by_side(l, l->dims[l->rank - 1], 0, bytes, m->put);
    return m;
}

const NvMove *nv_move_plan_put(NvPlan *p, const Value *operand, const Layout *l)
{
    return plan_of_operand(p, l, nv_exchanged_bytes(p, operand->type));
}

/* Where in the operand's layout the element of the result with that coordinate comes from. */
static uint32_t moved_from(const Op *op, const Layout *from, const Layout *to, uint32_t c)
{
    int32_t index[MAX_RANK];
    const int64_t *starts = NULL;
    int64_t number = 0;
    int n;

    if (op->code == OP_slice)
        starts = attr_starts(op, &n);
    for (int d = 0; d < to->rank; d++) {
        index[d] = layout_index(to, c, d) + (starts ? (int32_t)starts[d] : 0);
        number = number * to->dims[d] + index[d];
    }
    for (int d = from->rank - 1; d >= 0 && !starts; d--) {
        index[d] = (int32_t)(number % from->dims[d]);
        number /= from->dims[d];
    }
    return layout_coordinate_of(from, index);
}

/* Does each warp hold all that its threads want, as the one that lays it down? */
static bool stays_in_warps(const NvPlan *p, const Op *op, const Layout *from, const Layout *to)
{
    enum { MOST = 1 << 16 }; /* places to look at */
    uint32_t registers = (uint32_t)layout_registers(to);
    Inverse v;

    if (p->warps == 1)
        return true;
    if ((int64_t)registers * nv_thread_count(p) > MOST)
        return false;
    layout_invert(from, &v);
    for (uint32_t i = 0; i < registers * (uint32_t)nv_thread_count(p); i++) {
        uint32_t thread = i / registers;
        Holder h = {i % registers, thread & ((1u << to->nlane) - 1), thread >> to->nlane};
        uint32_t c = layout_at(to, h);
        if (layout_exists(to, c) && layout_holder(&v, moved_from(op, from, to, c)).warp != h.warp)
            return false;
    }
    return true;
}

void nv_list_far_move(NvPlan *p, const Op *op, const NvTile *t)
{
    const Value *operand = op->operands[0];
    int bytes = nv_exchanged_bytes(p, operand->type), n;

    if (type_numel(operand->type) * bytes > p->chip->shared) {
        nv_refuse(p, op, "to rearrange a tile of more than shared memory holds");
        return;
    }
    NvStep *s = nv_step(p, NV_MOVE, op);
    const Layout *from = nv_need_home(p, operand), *to = t->layout;
    int buffer = nv_buffer(p, type_numel(operand->type) * bytes);
    NvMove *m = plan_of_operand(p, from, bytes);
    const int64_t *starts = op->code == OP_slice ? attr_starts(op, &n) : NULL;
    int last = to->rank - 1;
    m->get_bits = side_by_side(to, starts ? from->dims[last] : to->dims[last],
                               starts ? starts[last] : 0, bytes, m->get);
    s->detail = m;
    s->out[0] = t;
    s->within = stays_in_warps(p, op, from, to) ? nv_wait_lanes(p) : nv_wait_warps(p);
    nv_use(p, s, buffer, true, false);
    nv_use(p, s, buffer, false, true);
    nv_want(p, s, 0, from);
    nv_list(p, s);
}
