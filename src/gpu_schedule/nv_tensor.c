/*
 * nv_tensor.c - which loads and stores are copies of a tensor map, and of which one
 *
 * An access's address is a polynomial (poly.h): a parameter, for each dimension of the tile its
 * index times a stride, and terms without an index.  The latter are spread over the dimensions: a
 * term that is a multiple of a dimension's stride moves its coordinate; one that is of none, as a
 * head's number times what is from head to head, gets a dimension of its own, of which the tile has
 * one element. Strides and extents are sums of parameters times constants, which a launch can
 * compute (GenSum).
 *
 * A part of the mask is `coordinate < bound` of one dimension, and the bound its extent.  Where
 * neither mask nor remainder says where a dimension begins, coordinates must not be negative, for
 * the unit brings zeros then: they are made of what cannot be, and of parameters that are strides
 * or extents of some map, which no launch makes of negative ones.  Divisors are taken to be
 * positive, as axis_analyse_trusting() does.
 *
 * Stores are stricter.  A tile of theirs may not begin in front of its tensor, whatever the mask
 * says; and of 16 bytes of which the first ones are inside all are written, so rows must end with
 * such a unit, as far as they have an end.
 */
#include "nv_ring.h"

#include <string.h>

enum { UNIT = 16, MOST_WORK = 4000 };
#define ENDLESS                                                                                    \
    (INT64_C(1) << 31) /* the extent of what has no bound: any coordinate is below it              \
                        */

/* A dimension of the map. */
typedef struct {
    int of;          /* the dimension of the access; -1: none */
    PolyTerm stride; /* elements */
    Poly at;         /* its coordinate, with the tile's own index */
    bool bounded,
        begins; /* is there an upper bound; does a mask or a remainder say it is not < 0? */
    Poly below; /* the upper one: this is less than 0 */
} Dim;

typedef struct {
    NvPlan *plan;
    const Op *op;
    const Type *type; /* of what it loads or stores */
    bool stores;
    PolyScope scope;
    PolyWrap wraps[POLY_WRAPS];
    int8_t tile[MAX_RANK]; /* which dimension of the tile in memory each of the access is */
    int base;              /* the argument that is the tensor's address */
    int ndims;
    Dim dims[TENSOR_MAP_RANK];
    uint64_t *assumed;
} Search;

/* --- what a launch knows --- */

/* A constant, or a signed parameter times one. */
static bool is_known(const NvPlan *p, const PolyTerm *t)
{
    if (t->count == 0)
        return true;
    const Type *type = t->count == 1 && t->of[0].value ? t->of[0].value->type : NULL;
    return type && nv_parameter_of(p, &t->of[0]) >= 0 && !type->pointer &&
           (type->dtype == DT_I32 || type->dtype == DT_I64);
}

static bool sum_of(const NvPlan *p, const Poly *x, int64_t scale, GenSum *out)
{
    int n = 0;

    *out = (GenSum){0};
    for (int i = 0; i < x->count; i++) {
        const PolyTerm *t = &x->terms[i];
        int64_t by = t->scale * scale;
        if (!is_known(p, t) || (t->count > 0 && n == GEN_TERMS))
            return false;
        if (t->count == 0) {
            out->constant = by;
            continue;
        }
        out->scale[n] = by;
        out->param[n] = nv_parameter_of(p, &t->of[0]);
        out->bytes[n++] = type_size(t->of[0].value->type);
    }
    return true;
}

/* --- the address --- */

/* The term of the tensor's address goes out of the polynomial. */
static bool take_base(Search *x, Poly *address)
{
    for (int i = 0; i < address->count; i++) {
        const PolyTerm t = address->terms[i];
        bool is_pointer = false;
        for (int k = 0; k < t.count; k++)
            is_pointer |= t.of[k].value && t.of[k].value->type->pointer;
        if (!is_pointer)
            continue;
        x->base = t.count == 1 && t.scale == 1 ? nv_parameter_of(x->plan, &t.of[0]) : -1;
        Poly gone = {1, {t}};
        return x->base >= 0 && x->plan->func->params[x->base].divisible % UNIT == 0 &&
               x->plan->func->params[x->base].divisible > 0 && poly_add(address, &gone, -1);
    }
    return false;
}

/* Is the stride a multiple of 16 bytes, as far as is known here? */
static bool is_even(const Search *x, const PolyTerm *stride)
{
    int64_t bytes = stride->scale * type_size(x->type);

    if (stride->scale <= 0 || !is_known(x->plan, stride))
        return false;
    for (int i = 0; i < stride->count; i++)
        bytes *= axis_of(x->plan->axis, stride->of[i].value)->divisibility;
    return bytes % UNIT == 0;
}

/* index * stride goes out of the polynomial. */
static bool take_dimension(Search *x, Poly *address, int of)
{
    Dim *d = &x->dims[x->ndims++];
    PolyTerm index = {.scale = 1, .count = 1, .of = {{NULL, of}}}, taken = {0};
    int found = 0;

    for (int i = 0; i < address->count; i++) {
        PolyTerm rest;
        if (!poly_divide(&address->terms[i], &index, &rest))
            continue;
        taken = address->terms[i];
        d->stride = rest;
        found++;
    }
    d->of = of;
    return found == 1 && poly_push(&d->at, &index) && poly_add(address, &(Poly){1, {taken}}, -1) &&
           !poly_has_index(address, of);
}

/* The dimensions of the tile, that along which elements lie side by side first. */
static bool take_dimensions(Search *x, Poly *address, int along)
{
    int rank = x->type->rank;

    for (int turn = 0; turn < 2; turn++) {
        for (int d = 0; d < rank; d++) {
            if (x->tile[d] < 0 || (x->tile[d] == along) != (turn == 0))
                continue;
            if (!take_dimension(x, address, d))
                return false;
        }
    }
    if (x->ndims != 2 || x->dims[0].stride.count > 0 || x->dims[0].stride.scale != 1)
        return false;
    return is_even(x, &x->dims[1].stride);
}

/* --- bounds --- */

static Dim *dim_of_index(Search *x, const Poly *p, int64_t *scale)
{
    for (int i = 0; i < x->ndims; i++) {
        for (int k = 0; k < p->count && x->dims[i].of >= 0; k++) {
            const PolyTerm *t = &p->terms[k];
            *scale = t->scale;
            if (t->count == 1 && !t->of[0].value && t->of[0].key == x->dims[i].of)
                return &x->dims[i];
        }
    }
    return NULL;
}

/* A product that 32 bits hold, of scalars. */
static bool is_scalar_number(const PolyTerm *t)
{
    for (int i = 0; i < t->count; i++) {
        if (!t->of[i].value || type_size(t->of[i].value->type) > 4)
            return false;
    }
    return true;
}

/* Of a bound, all but what a launch knows belongs to the coordinate. */
static bool move_by_bound(Search *x, Dim *d, Poly *address)
{
    for (int i = 0; i < d->below.count; i++) {
        PolyTerm t = d->below.terms[i];
        Poly moved;
        if (is_known(x->plan, &t) || (t.count == 1 && !t.of[0].value))
            continue;
        if (!is_scalar_number(&t) || !poly_push(&d->at, &t) ||
            !poly_product(&(Poly){1, {t}}, &(Poly){1, {d->stride}}, &moved) ||
            !poly_add(address, &moved, -1))
            return false;
    }
    return true;
}

static bool take_upper(Search *x, Dim *d, const Poly *below, Poly *address)
{
    if (d->bounded)
        return poly_equal(&d->below, below);
    d->bounded = true;
    d->below = *below;
    return move_by_bound(x, d, address);
}

/* What keeps below a bound: coordinates are its index. */
static bool take_wraps(Search *x, Poly *address)
{
    for (int i = 0; i < x->scope.nwraps; i++) {
        const PolyWrap *w = &x->scope.wraps[i];
        Poly below = w->index;
        int64_t scale;
        Dim *d = dim_of_index(x, &w->index, &scale);
        if (!d || scale != 1 || d->of != w->dim || !poly_add(&below, &w->bound, -1) ||
            !take_upper(x, d, &below, address) || !nv_wrap_is_unseen(x->plan, x->op, w))
            return false;
        d->begins |= w->from_zero;
    }
    return true;
}

/* Upper bounds first: what they say of coordinates lower ones are compared with. */
static bool take_mask(Search *x, const PolyBounds *bounds, Poly *address)
{
    for (int i = 0; i < bounds->count; i++) {
        int64_t scale = 0;
        Dim *d = dim_of_index(x, &bounds->below[i], &scale);
        if (!d || (scale != 1 && scale != -1))
            return false;
        if (scale == 1 && !take_upper(x, d, &bounds->below[i], address))
            return false;
    }
    return !bounds->others;
}

/* -coordinate - 1 < 0 */
static bool check_lower(Search *x, const PolyBounds *bounds)
{
    for (int i = 0; i < bounds->count; i++) {
        int64_t scale = 0;
        Dim *d = dim_of_index(x, &bounds->below[i], &scale);
        Poly negative = {0};
        if (scale == 1)
            continue;
        if (!poly_add(&negative, &d->at, -1) || !poly_push(&negative, &(PolyTerm){.scale = -1}) ||
            !poly_equal(&negative, &bounds->below[i]))
            return false;
        d->begins = true;
    }
    return true;
}

/* --- the terms that are left --- */

/* A dimension from `first` on whose coordinate the term moves: of those without a bound first, then
 * of those of the tile, as far as bounds go on being what a launch knows. */
static bool move_some(Search *x, const PolyTerm *t, int first)
{
    PolyTerm by;

    for (int bounded = 0; bounded < 2; bounded++) {
        for (int i = x->ndims; i-- > first;) {
            Dim *d = &x->dims[i];
            if (d->bounded != bounded || !poly_divide(t, &d->stride, &by) ||
                (bounded && !is_known(x->plan, &by)) || !is_scalar_number(&by))
                continue;
            return poly_push(&d->at, &by);
        }
    }
    return false;
}

/* A dimension of its own: from one of its elements to the next is what the launch knows. */
static bool add_dimension(Search *x, const PolyTerm *t)
{
    PolyTerm stride = {.scale = t->scale}, by;

    if (x->ndims == TENSOR_MAP_RANK)
        return false;
    for (int i = 0; i < t->count; i++) {
        if (nv_parameter_of(x->plan, &t->of[i]) >= 0 && stride.count == 0)
            stride.of[stride.count++] = t->of[i];
    }
    if (!is_even(x, &stride) || !poly_divide(t, &stride, &by) || !is_scalar_number(&by))
        return false;
    Dim *d = &x->dims[x->ndims++];
    *d = (Dim){.of = -1, .stride = stride};
    return poly_push(&d->at, &by);
}

/* Is it a stride that the launch knows times what it does not, as from head to head? */
static bool steps_by_parameter(const Search *x, const PolyTerm *t)
{
    int known = 0;

    for (int i = 0; i < t->count; i++)
        known += nv_parameter_of(x->plan, &t->of[i]) >= 0;
    return known > 0 && known < t->count;
}

/* Elements side by side are as far from each other as any stride tells, but a coordinate of theirs
 * has 32 bits and no launch could say that it is not negative, so they come last. */
static bool place_rest(Search *x, const Poly *address)
{
    for (int i = 0; i < address->count; i++) {
        const PolyTerm *t = &address->terms[i];
        bool apart = steps_by_parameter(x, t);
        if (!move_some(x, t, apart ? 1 : 0) && !add_dimension(x, t) &&
            !(apart && move_some(x, t, 0)))
            return false;
    }
    return true;
}

/* --- the map --- */

/* A box has powers of two of elements, and a tile may have fewer: then what is beyond is beyond the
 * map's extent, for it must be 0, and may not be there.  False: it would not be so. */
static bool ends_with_tile(Search *x, const Dim *d, GenSum *extent)
{
    int32_t tile = d->of < 0 ? 1 : x->type->dims[d->of];
    Poly end = {1, {{.scale = tile}}};
    GenSum own;

    if (tile == 1 << layout_bits_of(tile))
        return true;
    if (x->stores)
        return false;
    for (int k = 0; k < d->at.count; k++) {
        Poly term = {1, {d->at.terms[k]}};
        if (!poly_has_index(&term, -1) && !poly_add(&end, &term, 1))
            return false;
    }
    if (!sum_of(x->plan, &end, 1, &own) || (d->bounded && memcmp(&own, extent, sizeof own) != 0))
        return false;
    *extent = own;
    return true;
}

/* Do the elements end with a unit, as far as is known here? */
static bool ends_evenly(const Search *x, const GenSum *extent)
{
    int64_t size = type_size(x->type);

    for (int i = 0; i < GEN_TERMS && extent->bytes[i]; i++) {
        const Value *v = x->plan->func->body->args[extent->param[i]];
        if (extent->scale[i] * axis_of(x->plan->axis, v)->divisibility * size % UNIT != 0)
            return false;
    }
    return extent->constant * size % UNIT == 0;
}

static bool fill_dimension(Search *x, const Dim *d, int i, GenMap *map)
{
    Poly extent = d->at;

    if ((x->stores || !d->begins) && !nv_begins_at_zero(x->plan, x->op, &d->at, x->assumed))
        return false;
    if (!sum_of(x->plan, &(Poly){1, {d->stride}}, map->element, &map->stride[i]))
        return false;
    map->extent[i] = (GenSum){.constant = ENDLESS};
    if (d->bounded &&
        (!poly_add(&extent, &d->below, -1) || !sum_of(x->plan, &extent, 1, &map->extent[i])))
        return false;
    if (x->stores && i == 0 && !ends_evenly(x, &map->extent[i]))
        return false;
    return ends_with_tile(x, d, &map->extent[i]);
}

static bool fill_map(Search *x, const SharedBoxes *boxes, NvTensor *out, GenMap *map)
{
    *map = (GenMap){.rank = x->ndims,
                    .element = type_size(x->type),
                    .swizzle = boxes->swizzle,
                    .pointer = x->base};
    out->rank = x->ndims;
    out->boxes = boxes->boxes;
    out->row = boxes->row;
    out->bytes = (int64_t)boxes->row * boxes->rows * map->element;
    for (int i = 0; i < x->ndims; i++) {
        const Dim *d = &x->dims[i];
        map->box[i] = i == 0 ? boxes->row : i == 1 ? boxes->rows : 1;
        if (!fill_dimension(x, d, i, map))
            return false;
        for (int k = 0; k < d->at.count; k++) {
            if (!poly_has_index(&(Poly){1, {d->at.terms[k]}}, -1) &&
                !poly_push(&out->at[i], &d->at.terms[k]))
                return false;
        }
    }
    return true;
}

/* Which dimensions of the tile in memory those of the access are; false: they have been moved. */
static bool find_tile(Search *x, const Value *accessed, const NvTile *at)
{
    int8_t map[MAX_RANK], in[MAX_RANK];
    const Value *v = at->value;

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    while (v != accessed) {
        v = access_renamed(v, map, in);
        if (!v)
            return false;
        memcpy(map, in, sizeof map);
    }
    memcpy(x->tile, map, sizeof x->tile);
    return at->value->type->rank == 2;
}

const Value *nv_tensor_value(const Op *op)
{
    return op->code == OP_store ? op->operands[STORE_DATA] : op->results[0];
}

bool nv_tensor_of(NvPlan *p, const Op *op, const NvTile *at, int rows, NvTensor *out, GenMap *map,
                  uint64_t *assumed)
{
    static const int8_t identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const Type *t = at->value->type;
    Search x = {.plan = p,
                .op = op,
                .type = nv_tensor_value(op)->type,
                .stores = op->code == OP_store,
                .assumed = assumed};
    const Value *mask = op_operand(op, x.stores ? STORE_MASK : LOAD_MASK);
    PolyBounds bounds = {0};
    SharedBoxes boxes;
    Poly address;

    if (p->buffers.at[at->buffer].align < WGMMA_ALIGN || !find_tile(&x, nv_tensor_value(op), at) ||
        !shared_boxes(&at->memory, layout_bits_of(t->dims[0]), layout_bits_of(t->dims[1]), &boxes))
        return false;
    boxes.rows = MIN(boxes.rows, rows);
    x.scope.wraps = x.stores ? NULL : x.wraps;
    if (!poly_of(&x.scope, op->operands[0], identity, &address) || !take_base(&x, &address) ||
        !take_dimensions(&x, &address, boxes.along) || !take_wraps(&x, &address))
        return false;
    x.scope.wraps = NULL;
    if (mask)
        poly_bounds(&x.scope, mask, identity, &bounds);
    if (!take_mask(&x, &bounds, &address) || !place_rest(&x, &address) || !check_lower(&x, &bounds))
        return false;
    *out = (NvTensor){.tile = at, .op = op};
    return fill_map(&x, &boxes, out, map);
}
