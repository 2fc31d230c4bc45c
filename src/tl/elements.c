/*
 * elements.c - parts of tiles: elements, columns and slices, taken and put (semantics R152, R153)
 *
 * What begins where the compiler knows is a `slice`, which moves elements and costs nothing.  The
 * rest is a `gather` along each dimension, whose indices are the start and 0, 1, 2... behind it. To
 * put elements is to make another tile: each of them is moved to where it belongs, by a gather
 * again, and a `select` takes it there and the old one everywhere else.
 *
 * Indices that are known at run time only have gone through a hint of where they should be, which
 * --check makes a question of.
 */
#include "tl.h"

Value *elements_at(Lower *l, Value *v, Value *index, int64_t axis)
{
    Value *operands[] = {[GATHER_SOURCE] = v, [GATHER_INDEX] = index};
    const Type *t = type_with_shape(l->module, v->type, index->type);

    return build_op(&l->b, OP_gather, 2, operands, 1, &axis, 1, &t)->results[0];
}

/* Is it about a run of elements, or one? */
static bool is_part(const Index *i)
{
    return i->kind == INDEX_SLICE || i->kind == INDEX_ONE;
}

/* `v` with another extent along one axis. */
static Type with_extent(const Value *v, int axis, int32_t extent)
{
    Type t = *v->type;

    t.dims[axis] = extent;
    return t;
}

/* What is added to 0, 1, 2... along a dimension, as a number for each element of `like`. */
static Value *start_of(Lower *l, const Index *i, const Type *like)
{
    const Type *t = type_with_dtype(l->module, like, DT_I32);

    return i->at ? build_splat(&l->b, i->at, t) : build_int(&l->b, t, i->start);
}

/* --- taken --- */

/* All that begins where the compiler knows. */
static Value *take_known(Lower *l, Value *x, const Indices *at)
{
    const Op *before = x->def && x->def->code == OP_slice ? x->def : NULL;
    int64_t starts[MAX_RANK] = {0};
    Type want = *x->type;
    int many;

    for (int k = 0; k < at->n; k++) {
        const Index *i = &at->at[k];
        if (!is_part(i) || i->at)
            continue;
        starts[i->axis] = i->start;
        want.dims[i->axis] = i->extent;
    }
    if (type_same_shape(&want, x->type))
        return x;
    for (int d = 0; before && d < want.rank; d++) /* of a slice is a slice of the whole */
        starts[d] += attr_starts(before, &many)[d];
    return build_slice(&l->b, before ? before->operands[0] : x, starts, want.dims);
}

/* A row of i32 or whatever `index` holds, as indices along one dimension of x. */
static Value *along(Lower *l, Value *index, const Value *x, int axis)
{
    Type shape = with_extent(x, axis, index->type->dims[0]);

    for (int d = 0; d < x->type->rank; d++) {
        if (d != axis)
            index = build_expand(&l->b, index, d);
    }
    return ops_to_shape(l, index, &shape);
}

static Value *take_slice(Lower *l, Value *x, const Index *i)
{
    Value *index = build_arange(&l->b, 0, i->extent), *start = start_of(l, i, index->type);

    index = i->extent == 1 ? start : build_binary(&l->b, OP_add, start, index);
    return elements_at(l, x, along(l, index, x, i->axis), i->axis);
}

static Value *take_tile(Lower *l, Value *x, const Index *i)
{
    int32_t n = (int32_t)type_numel(i->at->type);

    return elements_at(l, x, along(l, build_reshape(&l->b, i->at, 1, &n), x, i->axis), i->axis);
}

bool elements_shape(Lower *l, const Value *x, const Indices *at, bool news, Type *out, Span span)
{
    int64_t dims[3 * MAX_RANK] = {0}; /* of a tile of indices there is one at most */
    int rank = 0;

    for (int k = 0; k < at->n; k++) {
        const Index *i = &at->at[k];
        int inner = i->kind == INDEX_TILE ? i->at->type->rank : 1;
        if (i->kind == INDEX_ONE || (i->kind == INDEX_NEW && !news) ||
            (i->kind == INDEX_ALL && i->axis >= x->type->rank))
            continue;
        for (int d = 0; d < inner; d++)
            dims[rank++] = i->kind == INDEX_TILE  ? i->at->type->dims[d]
                           : i->kind == INDEX_ALL ? x->type->dims[i->axis]
                                                  : i->extent;
    }
    if (!ops_check_tile(l, rank, dims, span))
        return false;
    out->rank = (int8_t)rank;
    for (int d = 0; d < rank; d++)
        out->dims[d] = (int32_t)dims[d];
    return true;
}

/* Put in dimensions of 1 where None stands; NULL after an error. */
static Value *add_new(Lower *l, Value *v, const Indices *at, Span span)
{
    int axis = 0;

    for (int k = 0; k < at->n; k++) {
        const Index *i = &at->at[k];
        if (i->kind == INDEX_NEW && v->type->rank == MAX_RANK) {
            error_at(l, span, E_RANK, MAX_RANK);
            return NULL;
        }
        if (i->kind == INDEX_NEW)
            v = build_expand(&l->b, v, MIN(axis, v->type->rank));
        axis += i->kind == INDEX_TILE ? i->at->type->rank : i->kind != INDEX_ONE;
    }
    return v;
}

Value *elements_of(Lower *l, Value *x, const Indices *at, Span span)
{
    Type shape = {0};

    if (!elements_shape(l, x, at, false, &shape, span))
        return NULL;
    Value *v = take_known(l, x, at);
    for (int k = 0; k < at->n; k++) {
        const Index *i = &at->at[k];
        if (i->at)
            v = i->kind == INDEX_TILE ? take_tile(l, v, i) : take_slice(l, v, i);
    }
    return add_new(l, build_reshape(&l->b, v, shape.rank, shape.dims), at, span);
}

/* --- put --- */

static Value *both(Lower *l, Value *x, Value *y)
{
    return x ? build_binary(&l->b, OP_and, x, y) : y;
}

/* i1 in the shape of x: which of its elements the index means. */
static Value *meant_by(Lower *l, const Index *i, const Value *x, Value *mask)
{
    Value *index = indices_along(l, x, i->axis), *start = start_of(l, i, index->type);

    if (i->extent == 1)
        return both(l, mask, build_binary(&l->b, OP_eq, index, start));
    if (i->at || i->start > 0)
        mask = both(l, mask, build_binary(&l->b, OP_ge, index, start));
    if (!i->at && i->start + i->extent == x->type->dims[i->axis])
        return mask;
    Value *end = build_binary(&l->b, OP_add, start, build_int(&l->b, start->type, i->extent));
    return both(l, mask, build_binary(&l->b, OP_lt, index, end));
}

/* y, so many elements long along an axis, with each at the index that it has in x. */
static Value *moved_to(Lower *l, Value *y, const Index *i, int32_t dimension)
{
    Value *index = build_arange(&l->b, 0, dimension);

    index = build_binary(&l->b, OP_sub, index, start_of(l, i, index->type));
    return elements_at(l, y, along(l, index, y, i->axis), i->axis);
}

Value *elements_put(Lower *l, Value *x, const Indices *at, Value *y)
{
    Type shape = *x->type;
    Value *mask = NULL;

    for (int k = 0; k < at->n; k++) {
        if (is_part(&at->at[k]))
            shape.dims[at->at[k].axis] = at->at[k].extent;
    }
    y = build_reshape(&l->b, y, shape.rank, shape.dims);
    for (int k = 0; k < at->n; k++) {
        const Index *i = &at->at[k];
        if (!is_part(i) || (!i->at && i->extent == x->type->dims[i->axis]))
            continue;
        if (i->extent > 1)
            y = moved_to(l, y, i, x->type->dims[i->axis]);
        mask = meant_by(l, i, x, mask);
    }
    y = ops_to_shape(l, y, x->type);
    return mask ? build_select(&l->b, mask, y, x) : y;
}
