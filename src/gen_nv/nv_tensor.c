/*
 * nv_tensor.c - tensor copies: of a tile that the ring's producer asks for, and of one that is sent
 *
 * The PTX ISA, "cp.async.bulk.tensor", "cp.async.bulk.wait_group".  What a lane sends is a group of
 * its own, for which it alone can wait; so the others then wait for it.
 */
#include "../gpu_schedule/nv_ring.h"
#include "nv.h"

static Val factor(Nv *n, const NvStep *s, const Value *v)
{
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i]->value == v)
            return nv_scalar(n, s->in[i]);
    }
    bug("a coordinate has a factor that its step does not read");
}

/* A coordinate, an i32. */
static Val evaluate(Nv *n, const NvStep *s, const Poly *p)
{
    Val sum = llvm_int(n->l->i32, 0);

    for (int i = 0; i < p->count; i++) {
        Val product = llvm_int(n->l->i32, p->terms[i].scale);
        for (int k = 0; k < p->terms[i].count; k++) {
            Val v = factor(n, s, p->terms[i].of[k].value);
            product = LLVMBuildMul(n->b, product, LLVMBuildIntCast2(n->b, v, n->l->i32, 1, ""), "");
        }
        sum = LLVMBuildAdd(n->b, sum, product, "");
    }
    return sum;
}

/* The generic address of a map, which is a parameter of the kernel. */
static Val map_at(Nv *n, int map)
{
    const char *text =
        arena_printf(n->arena, "{ .reg .b64 m; mov.b64 m, %s_param_%d; cvta.param.u64 $0, m; }",
                     n->entry, n->plan->recipe.maps[map].arg);

    return nv_pure_asm(n, n->l->i64, text, "=l", NULL, 0);
}

/* One box, at these coordinates: to shared memory, told to an mbarrier, or from there. */
static void copy_box(Nv *n, const NvTensor *t, Val shared, Val barrier, const Val *at)
{
    enum { FIXED = 3 };
    Val args[FIXED + TENSOR_MAP_RANK] = {shared, map_at(n, t->map)};
    Text place = text_new(n->arena), constraints = text_new(n->arena);
    int fixed = 2;

    text_put(&constraints, "r,l");
    if (barrier) {
        args[fixed++] = barrier;
        text_put(&constraints, ",r");
    }
    text_put(&place, "[$1, {");
    for (int d = 0; d < t->rank; d++) {
        args[fixed + d] = at[d];
        text_printf(&place, "%s$%d", d > 0 ? ", " : "", fixed + d);
        text_put(&constraints, ",r");
    }
    text_put(&place, "}]");
    text_put(&constraints, ",~{memory}");
    const char *text =
        barrier ? arena_printf(n->arena,
                               "cp.async.bulk.tensor.%dd.shared::cluster.global.tile"
                               ".mbarrier::complete_tx::bytes [$0], %s, [$2];",
                               t->rank, place.s)
                : arena_printf(n->arena,
                               "cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group "
                               "%s, [$0];",
                               t->rank, place.s);
    nv_asm(n, n->l->none, text, constraints.s, args, fixed + t->rank);
}

static void find_coordinates(Nv *n, const NvStep *s, const NvTensor *t, Val *at)
{
    for (int d = 0; d < t->rank; d++)
        at[d] = evaluate(n, s, &t->at[d]);
}

void nv_copy_tensor(Nv *n, const NvStep *s, const NvTensor *t, Val stage, Val barrier)
{
    Val at[TENSOR_MAP_RANK], first;

    find_coordinates(n, s, t, at);
    first = at[0];
    for (int i = 0; i < t->boxes; i++) {
        Val offset = llvm_int(n->l->i32, t->tile->at + i * t->bytes);
        Val to = nv_shared_at(n, t->tile->buffer, LLVMBuildAdd(n->b, stage, offset, ""));
        at[0] = LLVMBuildAdd(n->b, first, llvm_int(n->l->i32, (int64_t)i * t->row), "");
        copy_box(n, t, to, barrier, at);
    }
}

/* --- sends --- */

/* Where a coordinate is: along the map's first two dimensions, and in shared memory. */
enum { ALONG, ACROSS, BYTES, PLACES };

static void place_of(const NvSend *x, const Layout *l, uint32_t coordinate, uint32_t out[PLACES])
{
    const NvTile *t = x->tensor.tile;
    int along = x->along;

    out[ALONG] = (uint32_t)layout_index(l, coordinate, along);
    out[ACROSS] = (uint32_t)layout_index(l, coordinate, 1 - along);
    out[BYTES] = shared_offset(&t->memory, coordinate) * (uint32_t)t->memory.bytes;
}

/* Of this warp's first box. */
static void find_warp(Nv *n, const NvSend *x, const Layout *l, Val out[PLACES])
{
    uint32_t masks[PLACES][LAYOUT_THREAD_BITS] = {0};

    for (int i = 0; i < x->nwarp; i++) {
        uint32_t moved[PLACES];
        place_of(x, l, x->warp[i], moved);
        for (int k = 0; k < PLACES; k++)
            masks[k][NV_LANE_BITS + i] = moved[k];
    }
    for (int k = 0; k < PLACES; k++)
        out[k] = nv_thread_map(n, masks[k]);
}

static void send_boxes(Nv *n, const NvStep *s)
{
    const NvSend *x = s->detail;
    const NvTensor *t = &x->tensor;
    const Layout *l = s->in[0]->layout;
    Val first[TENSOR_MAP_RANK], at[TENSOR_MAP_RANK], warp[PLACES];

    find_coordinates(n, s, t, first);
    find_warp(n, x, l, warp);
    for (int d = 0; d < t->rank; d++)
        at[d] = first[d];
    for (int i = 0; i < t->boxes; i++) {
        uint32_t box[PLACES];
        Val place[PLACES];
        place_of(x, l, x->box[i], box);
        for (int k = 0; k < PLACES; k++)
            place[k] = LLVMBuildAdd(n->b, warp[k], llvm_int(n->l->i32, box[k]), "");
        for (int d = 0; d < 2; d++)
            at[d] = LLVMBuildAdd(n->b, first[d], place[d], "");
        copy_box(n, t, nv_shared_at(n, t->tile->buffer, place[BYTES]), NULL, at);
    }
    nv_asm(n, n->l->none, "cp.async.bulk.commit_group;", "~{memory}", NULL, 0);
}

void nv_send(Nv *n, const NvStep *s)
{
    const NvSend *x = s->detail;
    Val zero = llvm_int(n->l->i32, 0);

    nv_lay_down(n, s->in[0], x->tensor.tile, &x->put);
    nv_wait(n, &s->within);
    LLVMBasicBlockRef after = nv_begin_if(n, LLVMBuildICmp(n->b, LLVMIntEQ, n->lane, zero, ""));
    send_boxes(n, s);
    nv_end_if(n, after);
}

void nv_sent(Nv *n, const NvStep *s)
{
    nv_wait(n, &s->within);
}
