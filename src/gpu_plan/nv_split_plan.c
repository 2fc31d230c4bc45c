/*
 * nv_split_plan.c - tiles of fp32 in shared memory as sums of pieces of bf16
 *
 * What the unit for matrices reads there by itself has to lie there as it multiplies it.  So a tile
 * that copies may bring is read, each element becomes its pieces, and these are laid down again.
 * Which thread makes which elements is free: as many beside each other as go into one write, along
 * the dimension along which the pieces lie.  nv_split.c carries it out.
 */
#include "nv_dot.h"

enum { PIECE_BYTES = 2 };

/* Whoever makes pieces of the value, laid down along that dimension. */
static const Layout *makers(NvPlan *p, const Value *v, int along)
{
    const Type *t = v->type;
    int8_t order[] = {(int8_t)along, (int8_t)(1 - along)};
    int most = layout_bits_of(NV_ACCESS_BYTES / PIECE_BYTES), run = layout_bits_of(t->dims[along]);
    Layout l;

    if (layout_blocked(&l, 2, t->dims, order, MIN(most, run), NULL, nv_block_threads(p)))
        return nv_layout(p, &l);
    return nv_default_layout(p, t); /* which says that it is too large */
}

/* The tile that they read: it lies as suits them and who writes it. */
static NvTile *whole_tile(NvPlan *p, const Value *v, const Layout *l)
{
    const Layout *from = nv_need_home(p, v);
    int bytes = type_size(v->type), n = MIN(layout_bits_of(NV_ACCESS_BYTES / bytes), l->nreg);
    SharedAccess reader, writer;
    SharedLayout memory;

    while (!shared_access(l, n, l->reg, &reader))
        n--;
    writer = nv_writer_of(from, bytes, &reader);
    shared_choose(l, bytes, (SharedAccess[]){writer, reader}, 2, &memory);
    return nv_shared_tile(p, v, &memory);
}

NvTile *nv_split_tile(NvPlan *p, const Value *v, const SharedLayout *memory, int along, int pieces)
{
    NvValue *facts = nv_value(p, v);
    const NvTile *whole = whole_tile(p, v, makers(p, v, along));

    for (int i = 0; i < facts->tiles.len; i++) {
        NvTile *t = facts->tiles.at[i];
        if (t->whole == whole && t->pieces == pieces && shared_equal(&t->memory, memory))
            return t;
    }
    NvTile *t = NEW(p->arena, NvTile);
    *t = (NvTile){.id = p->tiles.len,
                  .value = v,
                  .memory = *memory,
                  .by_unit = true,
                  .whole = whole,
                  .pieces = pieces};
    t->buffer = nv_buffer(p, pieces * shared_bytes(memory));
    p->buffers.at[t->buffer].align = WGMMA_ALIGN;
    vec_push(p->arena, &p->tiles, t);
    vec_push(p->arena, &facts->tiles, t);
    return t;
}

/* The dimension along which neighbours lie in memory. */
static int lies_along(const SharedLayout *memory, const Type *t)
{
    return memory->coordinate[0] == 1 && t->dims[1] > 1 ? 1 : 0;
}

void nv_list_split(NvPlan *p, const NvTile *to)
{
    NvStep *s = nv_step_between(p, NV_SPLIT, to->whole, to);
    NvSplit *split = NEW(p->arena, NvSplit);
    Inverse inverse;

    s->detail = split;
    split->layout = makers(p, to->value, lies_along(&to->memory, to->value->type));
    split->nread = nv_shared_vector(split->layout, &to->whole->memory, split->read);
    split->nwrite = nv_shared_vector(split->layout, &to->memory, split->write);
    layout_invert(split->layout, &inverse);
    split->copies = layout_thread(split->layout, inverse.copies);
    nv_use(p, s, to->whole->buffer, false, false);
    nv_use(p, s, to->buffer, true, false);
    nv_list(p, s);
}
