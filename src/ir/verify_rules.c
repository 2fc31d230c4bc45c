/*
 * verify_rules.c - what each op demands beyond its row of ops.h
 *
 * One small function an op, found through the table at the end.  R numbers are rules of the
 * language.
 */
#include <string.h>

#include "verify.h"

typedef bool Rule(const Verifier *v, const Op *op);

/* --- pieces --- */

static bool same_element(const Type *a, const Type *b)
{
    return a->dtype == b->dtype && a->pointer == b->pointer && a->is_const == b->is_const &&
           a->space == b->space;
}

static bool gives(const Verifier *v, const Op *op, int n)
{
    if (op->nresults == n)
        return true;
    return verify_say(v, op, "gives %d result%s, not %d", n, n == 1 ? "" : "s", op->nresults);
}

static bool result_is(const Verifier *v, const Op *op, int i, const Type *want)
{
    const Type *t = op->results[i]->type;

    if (type_equal(t, want))
        return true;
    return verify_say(v, op, "result %d is %s but must be %s", i, verify_type_text(v, t),
                      verify_type_text(v, want));
}

/* One result, with operand 0's element type. */
static bool keeps_element(const Verifier *v, const Op *op)
{
    if (!gives(v, op, 1))
        return false;
    if (same_element(op->results[0]->type, op->operands[0]->type))
        return true;
    return verify_say(v, op, "the element type changes from %s to %s",
                      verify_type_text(v, op->operands[0]->type),
                      verify_type_text(v, op->results[0]->type));
}

/* One result, in operand 0's shape. */
static bool keeps_shape(const Verifier *v, const Op *op)
{
    if (!gives(v, op, 1))
        return false;
    if (type_same_shape(op->results[0]->type, op->operands[0]->type))
        return true;
    return verify_say(v, op, "the shape changes from %s to %s",
                      verify_type_text(v, op->operands[0]->type),
                      verify_type_text(v, op->results[0]->type));
}

static bool axis_in(const Verifier *v, const Op *op, int n)
{
    int64_t axis = attr_axis(op);

    if (axis >= 0 && axis < n)
        return true;
    return verify_say(v, op, "axis %lld is not between 0 and %d", (long long)axis, n - 1);
}

/* The arguments of a region have these types. */
static bool args_are(const Verifier *v, const Op *op, int r, int n, const Type *const *types)
{
    const Block *b = op->regions[r];

    if (b->nargs != n)
        return verify_say(v, op, "region %d takes %d arguments but must take %d", r, b->nargs, n);
    for (int i = 0; i < n; i++) {
        if (!type_equal(b->args[i]->type, types[i]))
            return verify_say(v, op, "argument %d of region %d is %s but must be %s", i, r,
                              verify_type_text(v, b->args[i]->type), verify_type_text(v, types[i]));
    }
    return true;
}

bool verify_hands_over(const Verifier *v, const Block *b, int skip, int n, const Type *const *types)
{
    const Op *end = b->last;

    if (end->noperands - skip != n)
        return verify_say(v, end, "hands over %d values but must hand over %d",
                          end->noperands - skip, n);
    for (int i = 0; i < n; i++) {
        const Type *t = end->operands[skip + i]->type;

        if (!type_equal(t, types[i]))
            return verify_say(v, end, "value %d is %s but must be %s", i, verify_type_text(v, t),
                              verify_type_text(v, types[i]));
    }
    return true;
}

/* The types of some values, in the module's arena. */
static const Type **types_of(const Verifier *v, int n, Value *const *values)
{
    const Type **types = NEW_N(v->arena, const Type *, n);

    for (int i = 0; i < n; i++)
        types[i] = values[i]->type;
    return types;
}

/* --- values --- */

static bool check_const(const Verifier *v, const Op *op)
{
    if (!gives(v, op, 1))
        return false;
    const Type *t = op->results[0]->type;
    uint64_t bits = (uint64_t)attr_bits(op);
    if (t->handle != HANDLE_NONE)
        return bits == 0 || verify_say(v, op, "a handle that leads nowhere is 0");
    if (t->pointer || scalar_truncate(t->dtype, bits) == bits)
        return true;
    return verify_say(v, op, "the bits 0x%llx do not fit %s", (unsigned long long)bits,
                      dtype_name(t->dtype));
}

/* R303 */
static bool check_program(const Verifier *v, const Op *op)
{
    return gives(v, op, 1) && axis_in(v, op, 3) && result_is(v, op, 0, &(Type){.dtype = DT_I32});
}

static bool check_arange(const Verifier *v, const Op *op)
{
    if (!gives(v, op, 1))
        return false;
    const Type *t = op->results[0]->type;
    int64_t start = attr_start(op);
    if (t->pointer || t->dtype != DT_I32 || t->rank != 1)
        return verify_say(v, op, "the result is %s but must be i32 of rank 1",
                          verify_type_text(v, t));
    if (start < INT32_MIN || start > INT32_MAX || start + t->dims[0] - 1 > INT32_MAX)
        return verify_say(v, op, "values from %lld on do not fit i32", (long long)start);
    return true;
}

/* --- shape --- */

static bool check_splat(const Verifier *v, const Op *op)
{
    if (op->operands[0]->type->rank != 0)
        return verify_say(v, op, "the operand must be a scalar");
    return keeps_element(v, op);
}

static bool check_broadcast(const Verifier *v, const Op *op)
{
    if (!keeps_element(v, op))
        return false;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    bool fits = from->rank == to->rank;
    for (int i = 0; fits && i < from->rank; i++)
        fits = from->dims[i] == to->dims[i] || from->dims[i] == 1;
    return fits || verify_say(v, op, "%s does not broadcast to %s", verify_type_text(v, from),
                              verify_type_text(v, to));
}

static bool check_expand(const Verifier *v, const Op *op)
{
    Type want = *op->operands[0]->type;

    if (!gives(v, op, 1) || !axis_in(v, op, want.rank + 1))
        return false;
    if (want.rank == MAX_RANK)
        return verify_say(v, op, "more than %d dimensions", MAX_RANK);
    int axis = (int)attr_axis(op);
    memmove(want.dims + axis + 1, want.dims + axis,
            sizeof want.dims[0] * (size_t)(want.rank - axis));
    want.dims[axis] = 1;
    want.rank++;
    return result_is(v, op, 0, &want);
}

/* R156 */
static bool check_reshape(const Verifier *v, const Op *op)
{
    if (!keeps_element(v, op))
        return false;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    return type_numel(from) == type_numel(to) ||
           verify_say(v, op, "the number of elements changes from %lld to %lld",
                      (long long)type_numel(from), (long long)type_numel(to));
}

static bool check_permute(const Verifier *v, const Op *op)
{
    Type want = *op->operands[0]->type;
    const int32_t *from = op->operands[0]->type->dims;
    unsigned used = 0;
    int n;
    const int64_t *dims = attr_dims(op, &n);

    for (int i = 0; i < n; i++) {
        if (dims[i] >= 0 && dims[i] < want.rank)
            used |= 1u << dims[i];
    }
    if (n != want.rank || used != (1u << want.rank) - 1)
        return verify_say(v, op, "dims must name each of the %d dimensions once", want.rank);
    for (int i = 0; i < want.rank; i++)
        want.dims[i] = from[dims[i]];
    return gives(v, op, 1) && result_is(v, op, 0, &want);
}

static bool check_slice(const Verifier *v, const Op *op)
{
    int n;
    const int64_t *starts = attr_starts(op, &n);

    if (!keeps_element(v, op))
        return false;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    bool fits = n == from->rank && to->rank == from->rank;
    for (int d = 0; fits && d < n; d++)
        fits = starts[d] >= 0 && starts[d] <= from->dims[d] - to->dims[d];
    return fits || verify_say(v, op, "%s does not reach as far as %s from there",
                              verify_type_text(v, from), verify_type_text(v, to));
}

/* --- arithmetic and conversions --- */

static bool check_select(const Verifier *v, const Op *op)
{
    const Type *c = op->operands[0]->type, *x = op->operands[1]->type;

    if (!type_equal(x, op->operands[2]->type))
        return verify_say(v, op, "the choices are %s and %s", verify_type_text(v, x),
                          verify_type_text(v, op->operands[2]->type));
    if (!type_same_shape(c, x))
        return verify_say(v, op, "the condition is %s, the choices are %s", verify_type_text(v, c),
                          verify_type_text(v, x));
    return true;
}

static bool is_address(const Type *t)
{
    return !t->pointer && (t->dtype == DT_I64 || t->dtype == DT_U64);
}

/* R80 */
static bool may_cast(const Type *from, const Type *to)
{
    if (from->pointer)
        return (to->pointer && to->space == from->space) || is_address(to) || to->dtype == DT_I1;
    if (to->pointer)
        return is_address(from);
    if (dtype_is_fp8(from->dtype))
        return dtype_is_float(to->dtype);
    return !dtype_is_fp8(to->dtype) || dtype_is_float(from->dtype);
}

static bool check_cast(const Verifier *v, const Op *op)
{
    if (!keeps_shape(v, op))
        return false;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    if (!may_cast(from, to))
        return verify_say(v, op, "cannot cast %s to %s", verify_type_text(v, from),
                          verify_type_text(v, to));
    bool rounds = !from->pointer && !to->pointer && dtype_is_float(to->dtype);
    bool small = rounds && (dtype_is_small_float(to->dtype) || dtype_is_small_float(from->dtype));
    if (attr_rounding(op) == ROUND_NEAREST)
        return true;
    if (!rounds)
        return verify_say(v, op, "only casts to floating types round toward a side"); /* R82 */
    return !small || (attr_rounding(op) == ROUND_TO_ZERO && dtype_is_float(from->dtype)) ||
           verify_say(v, op, "casts of small floats round to nearest or toward zero");
}

static bool check_toward(const Verifier *v, const Op *op)
{
    DType t = op->operands[0]->type->dtype;

    if (attr_rounding(op) == ROUND_NEAREST)
        return verify_say(v, op, "%s needs a side to round to", op_info(op->code)->name);
    return t == DT_FP32 || t == DT_FP64 ||
           verify_say(v, op, "%s is for fp32 and fp64, not %s", op_info(op->code)->name,
                      dtype_name(t));
}

/* R87 */
static bool check_bitcast(const Verifier *v, const Op *op)
{
    if (!keeps_shape(v, op))
        return false;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    if (from->pointer || to->pointer)
        return verify_say(v, op, "pointers are converted by cast");
    return dtype_bits(from->dtype) == dtype_bits(to->dtype) ||
           verify_say(v, op, "cannot bitcast %d bits to %d bits", dtype_bits(from->dtype),
                      dtype_bits(to->dtype));
}

/* Says what ops.h has no word for; the libraries know no other exponents (R304). */
static bool check_ldexp(const Verifier *v, const Op *op)
{
    return op->operands[1]->type->dtype == DT_I32 ||
           verify_say(v, op, "the exponents are %s but must be i32",
                      verify_type_text(v, op->operands[1]->type));
}

/* --- memory --- */

/* R223 */
static bool check_store(const Verifier *v, const Op *op)
{
    return !op->operands[0]->type->is_const ||
           verify_say(v, op, "cannot store to a constant pointer");
}

/* R220 */
static bool check_atomic_rmw(const Verifier *v, const Op *op)
{
    DType d = op->operands[RMW_PTR]->type->dtype;
    int64_t kind = attr_rmw_kind(op);
    bool bitwise = kind == RMW_AND || kind == RMW_OR || kind == RMW_XOR;

    if (bitwise && !dtype_is_int(d))
        return verify_say(v, op, "bitwise kinds do not work on %s", dtype_name(d));
    return check_store(v, op);
}

/* R230.  `groups` scalars a dimension behind the pointer: shape, strides, maybe offsets. */
static bool makes_handle(const Verifier *v, const Op *op, Handle handle, int groups)
{
    const Type *base = op->operands[0]->type;

    if (!gives(v, op, 1))
        return false;
    const Type *t = op->results[0]->type;
    if (base->rank > 0 || t->handle != (int8_t)handle || t->dtype != base->dtype ||
        t->is_const != base->is_const)
        return verify_say(v, op, "%s does not lead to %s", verify_type_text(v, t),
                          verify_type_text(v, base));
    if (t->rank < 1 || op->noperands != 1 + groups * t->rank)
        return verify_say(v, op, "takes %d scalars for each dimension, not %d in all", groups,
                          op->noperands - 1);
    for (int i = 1; i < op->noperands; i++) {
        if (op->operands[i]->type->dtype != DT_I64)
            return verify_say(v, op, "operand %d is %s but must be i64", i,
                              verify_type_text(v, op->operands[i]->type));
    }
    return true;
}

/* Do the values name dimensions of a handle, each at most once? */
static bool names_dims(const Verifier *v, const Op *op, const int64_t *dims, int n, int rank)
{
    unsigned used = 0;

    for (int i = 0; i < n; i++) {
        if (dims[i] < 0 || dims[i] >= rank || (used & 1U << dims[i]))
            return verify_say(v, op, "%lld is no dimension, or named twice", (long long)dims[i]);
        used |= 1U << dims[i];
    }
    return true;
}

static bool check_make_block_ptr(const Verifier *v, const Op *op)
{
    int n;
    const int64_t *order = attr_order(op, &n);

    if (!makes_handle(v, op, HANDLE_BLOCK_PTR, 3))
        return false;
    int rank = op->results[0]->type->rank;
    if (n != rank)
        return verify_say(v, op, "order names %d of %d dimensions", n, rank);
    return names_dims(v, op, order, n, rank);
}

static bool check_make_descriptor(const Verifier *v, const Op *op)
{
    if (!makes_handle(v, op, HANDLE_DESCRIPTOR, 2))
        return false;
    const Type *t = op->results[0]->type;
    return t->padding == PAD_ZERO || dtype_is_float(t->dtype) ||
           verify_say(v, op, "only floats have a NaN to pad with");
}

static bool check_handle_part(const Verifier *v, const Op *op)
{
    const Type *handle = op->operands[BLOCK_HANDLE]->type;
    Module *m = v->func->module;
    int rank = handle->rank;
    const Type *t = attr_part(op) == 2 * rank ? type_pointer(m, handle->dtype, handle->is_const)
                                              : type_scalar(m, DT_I64);

    if (!gives(v, op, 1) || !result_is(v, op, 0, t))
        return false;
    return (attr_part(op) >= 0 && attr_part(op) <= 2 * rank) ||
           verify_say(v, op, "part %lld of shape, strides and pointer of %d dimensions",
                      (long long)attr_part(op), rank);
}

/* As many i64 offsets, from operand `first` on, as there are dimensions; none for a block pointer,
 * which has its own. */
static bool has_offsets(const Verifier *v, const Op *op, int first, bool wanted)
{
    int rank = op->operands[BLOCK_HANDLE]->type->rank, want = wanted ? rank : 0;

    if (op->noperands - first != want)
        return verify_say(v, op, "takes %d offsets, not %d", want, op->noperands - first);
    for (int i = first; i < op->noperands; i++) {
        if (op->operands[i]->type->dtype != DT_I64)
            return verify_say(v, op, "offset %d is %s but must be i64", i - first,
                              verify_type_text(v, op->operands[i]->type));
    }
    return true;
}

static bool check_advance(const Verifier *v, const Op *op)
{
    if (op->operands[BLOCK_HANDLE]->type->handle != HANDLE_BLOCK_PTR)
        return verify_say(v, op, "a descriptor has no offsets");
    return has_offsets(v, op, 1, true);
}

static bool check_load_block(const Verifier *v, const Op *op)
{
    const Type *t = op->operands[BLOCK_HANDLE]->type;
    int n;
    const int64_t *dims = attr_boundary(op, &n);

    if (attr_padding(op) == PAD_NAN && !dtype_is_float(t->dtype))
        return verify_say(v, op, "%s has no NaN", dtype_name(t->dtype));
    return has_offsets(v, op, 1, t->handle == HANDLE_DESCRIPTOR) &&
           names_dims(v, op, dims, n, t->rank);
}

static bool check_store_block(const Verifier *v, const Op *op)
{
    const Type *t = op->operands[BLOCK_HANDLE]->type;
    int n;
    const int64_t *dims = attr_boundary(op, &n);

    return has_offsets(v, op, 2, t->handle == HANDLE_DESCRIPTOR) &&
           names_dims(v, op, dims, n, t->rank) && check_store(v, op);
}

/* R300 */
static bool check_lookup(const Verifier *v, const Op *op)
{
    DType t = op->operands[0]->type->dtype;
    int n;
    const int64_t *table = attr_table(op, &n);

    if (n != 8)
        return verify_say(v, op, "takes 8 entries, not %d", n);
    for (int i = 0; i < n; i++) {
        if (scalar_truncate(t, (uint64_t)table[i]) != (uint64_t)table[i])
            return verify_say(v, op, "has the entry %lld, which %s does not hold as bits",
                              (long long)table[i], dtype_name(t));
    }
    return true;
}

static bool check_hint(const Verifier *v, const Op *op)
{
    const Type *t = op->operands[0]->type;
    bool likely = attr_hint_kind(op) == HINT_LIKELY, within = attr_hint_kind(op) == HINT_WITHIN;
    int want = likely ? 0 : within ? 2 : MAX(t->rank, 1), n;
    const int64_t *values = attr_values(op, &n);

    if (likely && (t->pointer || t->dtype != DT_I1))
        return verify_say(v, op, "is about a condition, i1");
    if (within && (t->pointer || !dtype_is_int(t->dtype)))
        return verify_say(v, op, "is about an index, an integer");
    if (n != want)
        return verify_say(v, op, "takes %d values, not %d", want, n);
    for (int i = 0; i < n; i++) {
        if (values[i] < 1)
            return verify_say(v, op, "promises %lld, which is less than 1", (long long)values[i]);
    }
    return true;
}

/* --- whole tiles --- */

static bool has_tiles(const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i]->type->rank > 0)
            return true;
    }
    for (int i = 0; i < op->nresults; i++) {
        if (op->results[i]->type->rank > 0)
            return true;
    }
    return false;
}

/* A combine region works on scalars only (R253), and so do the functions that it calls.  Gives the
 * first op that does not, which may be the call; `seen` holds the functions that were searched. */
static const Op *find_tiles(const Block *b, Map *seen)
{
    for (const Op *op = b->first; op; op = op->next) {
        const Func *f = op->callee;

        if (has_tiles(op))
            return op;
        for (int r = 0; r < COUNT(op->regions); r++) {
            const Op *inner = op->regions[r] ? find_tiles(op->regions[r], seen) : NULL;
            if (inner)
                return inner;
        }
        if (!f || map_get(seen, MAP_KEY(f)))
            continue;
        map_put(seen, MAP_KEY(f), op->callee);
        if (find_tiles(f->body, seen))
            return op;
    }
    return NULL;
}

static bool only_scalars(const Verifier *v, const Block *b)
{
    const Op *op = find_tiles(b, map_new(v->arena));

    if (!op)
        return true;
    if (has_tiles(op))
        return verify_say(v, op, "a tile inside a combine region");
    return verify_say(v, op, "@%s works on tiles, inside a combine region", op->callee->name);
}

/* Operands of one shape, and a region (a1..an, b1..bn) that yields n, all element types. */
static bool check_combine(const Verifier *v, const Op *op)
{
    int n = op->noperands;
    const Type *types[2 * MAX_COMBINED];

    if (n == 0)
        return verify_say(v, op, "takes at least 1 operand, not 0");
    if (n > MAX_COMBINED)
        return verify_say(v, op, "takes at most %d operands, not %d", MAX_COMBINED, n);
    for (int i = 0; i < n; i++) {
        const Type *t = op->operands[i]->type;

        if (!type_same_shape(t, op->operands[0]->type))
            return verify_say(v, op, "operands differ in shape: %s and %s",
                              verify_type_text(v, op->operands[0]->type), verify_type_text(v, t));
        types[i] = types[n + i] = type_element(v->func->module, t);
    }
    return gives(v, op, n) && axis_in(v, op, op->operands[0]->type->rank) &&
           args_are(v, op, 0, 2 * n, types) && verify_hands_over(v, op->regions[0], 0, n, types) &&
           only_scalars(v, op->regions[0]);
}

static bool check_reduce(const Verifier *v, const Op *op)
{
    if (!check_combine(v, op))
        return false;
    int axis = (int)attr_axis(op);
    for (int i = 0; i < op->noperands; i++) {
        Type want = *op->operands[i]->type;

        want.rank--;
        memmove(want.dims + axis, want.dims + axis + 1,
                sizeof want.dims[0] * (size_t)(want.rank - axis));
        if (!result_is(v, op, i, &want))
            return false;
    }
    return true;
}

static bool check_scan(const Verifier *v, const Op *op)
{
    if (!check_combine(v, op))
        return false;
    int64_t reverse = attr_reverse(op);
    if (reverse != 0 && reverse != 1)
        return verify_say(v, op, "reverse=%lld is not 0 or 1", (long long)reverse);
    for (int i = 0; i < op->noperands; i++) {
        if (!result_is(v, op, i, op->operands[i]->type))
            return false;
    }
    return true;
}

/* R260: a[.., M, K], b[.., K, N], acc[.., M, N] with equal leading dims */
static bool dot_shapes_fit(const Type *a, const Type *b, const Type *acc)
{
    int r = a->rank;

    if (r < 2 || b->rank != r || acc->rank != r)
        return false;
    for (int i = 0; i < r - 2; i++) {
        if (a->dims[i] != b->dims[i] || a->dims[i] != acc->dims[i])
            return false;
    }
    return a->dims[r - 1] == b->dims[r - 2] && acc->dims[r - 2] == a->dims[r - 2] &&
           acc->dims[r - 1] == b->dims[r - 1];
}

/* R261, R262 */
static bool dot_dtypes_fit(DType a, DType b, DType acc)
{
    if (a != b && !(dtype_is_fp8(a) && dtype_is_fp8(b)))
        return false;
    if (a == DT_I8)
        return acc == DT_I32;
    if (a == DT_FP64)
        return acc == DT_FP64;
    if (!dtype_is_float(a))
        return false;
    return acc == DT_FP32 || (acc == DT_FP16 && (a == DT_FP16 || dtype_is_fp8(a)));
}

static bool check_dot(const Verifier *v, const Op *op)
{
    const Type *a = op->operands[0]->type, *b = op->operands[1]->type;
    const Type *acc = op->operands[2]->type;
    bool shapes = dot_shapes_fit(a, b, acc);

    if (!shapes || !dot_dtypes_fit(a->dtype, b->dtype, acc->dtype))
        return verify_say(v, op, "the %s of %s, %s and %s do not fit", shapes ? "dtypes" : "shapes",
                          verify_type_text(v, a), verify_type_text(v, b), verify_type_text(v, acc));
    return gives(v, op, 1) && result_is(v, op, 0, acc);
}

/* --- control --- */

static bool results_are(const Verifier *v, const Op *op, int n, const Type *const *types)
{
    if (!gives(v, op, n))
        return false;
    for (int i = 0; i < n; i++) {
        if (!result_is(v, op, i, types[i]))
            return false;
    }
    return true;
}

static bool check_for(const Verifier *v, const Op *op)
{
    const Type **types = types_of(v, op->noperands, op->operands);
    int n = op->noperands - FOR_BOUNDS;

    if (types[FOR_LO] != types[FOR_HI] || types[FOR_LO] != types[FOR_STEP])
        return verify_say(v, op, "the bounds and the step differ in type: %s, %s, %s",
                          verify_type_text(v, types[FOR_LO]), verify_type_text(v, types[FOR_HI]),
                          verify_type_text(v, types[FOR_STEP]));
    /* from the step on: its type, which is the counter's, then the carried ones */
    return args_are(v, op, 0, 1 + n, types + FOR_STEP) &&
           verify_hands_over(v, op->regions[0], 0, n, types + FOR_BOUNDS) &&
           results_are(v, op, n, types + FOR_BOUNDS);
}

static bool check_while(const Verifier *v, const Op *op)
{
    const Type **carried = types_of(v, op->noperands, op->operands);
    const Op *condition = op->regions[0]->last;
    int passed = condition->noperands - 1;
    const Type **types = types_of(v, passed, condition->operands + 1);

    return args_are(v, op, 0, op->noperands, carried) && args_are(v, op, 1, passed, types) &&
           verify_hands_over(v, op->regions[1], 0, op->noperands, carried) &&
           results_are(v, op, passed, types);
}

static bool check_if(const Verifier *v, const Op *op)
{
    const Type **types = types_of(v, op->nresults, op->results);

    return args_are(v, op, 0, 0, NULL) && args_are(v, op, 1, 0, NULL) &&
           verify_hands_over(v, op->regions[0], 0, op->nresults, types) &&
           verify_hands_over(v, op->regions[1], 0, op->nresults, types);
}

static bool check_call(const Verifier *v, const Op *op)
{
    const Func *f = op->callee;

    if (!f || f->module != v->func->module)
        return verify_say(v, op, "the function is not of this module");
    if (f->is_kernel)
        return verify_say(v, op, "@%s is a kernel", f->name);
    if (op->noperands != f->nparams)
        return verify_say(v, op, "@%s takes %d arguments, not %d", f->name, f->nparams,
                          op->noperands);
    for (int i = 0; i < f->nparams; i++) {
        if (!type_equal(op->operands[i]->type, f->body->args[i]->type))
            return verify_say(v, op, "argument %d is %s but must be %s", i,
                              verify_type_text(v, op->operands[i]->type),
                              verify_type_text(v, f->body->args[i]->type));
    }
    return results_are(v, op, f->nresults, f->results);
}

/* What each kind of record has for operands: RecordKind. */
static bool check_record(const Verifier *v, const Op *op)
{
    static const DType of_fault[] = {DT_I32, DT_I32, DT_I64};
    RecordKind kind = attr_record_kind(op);
    int n = kind == RECORD_ASSERT ? 2 : 3;

    if (kind == RECORD_PRINT)
        return true;
    if (op->noperands != n)
        return verify_say(v, op, "of this kind takes %d operands, not %d", n, op->noperands);
    for (int i = 0; i < n; i++) {
        const Type *t = op->operands[i]->type;
        if (t->rank != 0 || t->pointer || t->dtype != of_fault[i])
            return verify_say(v, op, "operand %d must be %s", i, dtype_name(of_fault[i]));
    }
    return true;
}

static bool check_gather(const Verifier *v, const Op *op)
{
    const Type *from = op->operands[GATHER_SOURCE]->type, *at = op->operands[GATHER_INDEX]->type;

    if (!keeps_element(v, op))
        return false;
    if (!type_same_shape(op->results[0]->type, at) || at->rank != from->rank)
        return verify_say(v, op, "gives another shape than that of the index, or another rank");
    if (!axis_in(v, op, from->rank))
        return false;
    for (int d = 0; d < from->rank; d++) {
        if (d != attr_axis(op) && from->dims[d] != at->dims[d])
            return verify_say(v, op, "the shapes differ in dimension %d", d);
    }
    return true;
}

static bool check_histogram(const Verifier *v, const Op *op)
{
    if (!gives(v, op, 1))
        return false;
    const Type *t = op->results[0]->type;
    return (op->operands[HISTOGRAM_VALUES]->type->rank == 1 && t->rank == 1 && !t->pointer &&
            t->dtype == DT_I32) ||
           verify_say(v, op, "counts elements of rank 1 as i32 of rank 1");
}

static bool check_asm(const Verifier *v, const Op *op)
{
    const Type *shape;

    if (op->nresults < 1 || attr_pack(op) < 1)
        return verify_say(v, op, "gives nothing, or packs no elements");
    shape = op->noperands > 0 ? op->operands[0]->type : op->results[0]->type;
    for (int i = 1; i < op->noperands; i++) {
        if (!type_same_shape(op->operands[i]->type, shape))
            return verify_say(v, op, "operand %d has another shape", i);
    }
    for (int i = 0; i < op->nresults; i++) {
        if (!type_same_shape(op->results[i]->type, shape))
            return verify_say(v, op, "result %d has another shape", i);
    }
    return true;
}

static bool check_check(const Verifier *v, const Op *op)
{
    return op->operands[CHECK_OFFSET]->type->dtype == DT_I64 ||
           verify_say(v, op, "the offset must be i64");
}

bool verify_rule(const Verifier *v, const Op *op)
{
    static Rule *const rules[OP_COUNT] = {
        [OP_const] = check_const,
        [OP_program_id] = check_program,
        [OP_num_programs] = check_program,
        [OP_arange] = check_arange,
        [OP_splat] = check_splat,
        [OP_broadcast] = check_broadcast,
        [OP_expand] = check_expand,
        [OP_reshape] = check_reshape,
        [OP_permute] = check_permute,
        [OP_slice] = check_slice,
        [OP_select] = check_select,
        [OP_ldexp] = check_ldexp,
        [OP_lookup8] = check_lookup,
        [OP_cast] = check_cast,
        [OP_bitcast] = check_bitcast,
        [OP_gather] = check_gather,
        [OP_histogram] = check_histogram,
        [OP_inline_asm] = check_asm,
        [OP_inline_asm_volatile] = check_asm,
        [OP_store] = check_store,
        [OP_atomic_rmw] = check_atomic_rmw,
        [OP_atomic_cas] = check_store,
        [OP_check] = check_check,
        [OP_record] = check_record,
        [OP_hint] = check_hint,
        [OP_make_block_ptr] = check_make_block_ptr,
        [OP_make_descriptor] = check_make_descriptor,
        [OP_handle_part] = check_handle_part,
        [OP_advance] = check_advance,
        [OP_load_block] = check_load_block,
        [OP_store_block] = check_store_block,
        [OP_reduce] = check_reduce,
        [OP_scan] = check_scan,
        [OP_dot] = check_dot,
        [OP_for] = check_for,
        [OP_while] = check_while,
        [OP_if] = check_if,
        [OP_call] = check_call,
    };
    Rule *rule = op_has(op, TOWARD) ? check_toward : rules[op->code];

    return !rule || rule(v, op);
}
