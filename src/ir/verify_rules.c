/*
 * verify_rules.c - what each op demands beyond its row of ops.h
 *
 * One small function an op, found through a table at the end: here of those that make elements of
 * elements, in verify_memory.c and verify_regions.c of the others.  R numbers are rules of the
 * language.
 */
#include <string.h>

#include "verify.h"

/* --- pieces --- */

bool verify_gives(const Verifier *v, const Op *op, int n)
{
    if (op->nresults == n)
        return true;
    return verify_say(v, op, "gives %d result%s, not %d", n, n == 1 ? "" : "s", op->nresults);
}

bool verify_result_is(const Verifier *v, const Op *op, int i, const Type *want)
{
    const Type *t = op->results[i]->type;

    if (type_equal(t, want))
        return true;
    return verify_say(v, op, "result %d is %s but must be %s", i, verify_type_text(v, t),
                      verify_type_text(v, want));
}

bool verify_keeps_element(const Verifier *v, const Op *op)
{
    if (!verify_gives(v, op, 1))
        return false;
    if (type_same_element(op->results[0]->type, op->operands[0]->type))
        return true;
    return verify_say(v, op, "the element type changes from %s to %s",
                      verify_type_text(v, op->operands[0]->type),
                      verify_type_text(v, op->results[0]->type));
}

/* One result, in operand 0's shape. */
static bool keeps_shape(const Verifier *v, const Op *op)
{
    if (!verify_gives(v, op, 1))
        return false;
    if (type_same_shape(op->results[0]->type, op->operands[0]->type))
        return true;
    return verify_say(v, op, "the shape changes from %s to %s",
                      verify_type_text(v, op->operands[0]->type),
                      verify_type_text(v, op->results[0]->type));
}

bool verify_axis_in(const Verifier *v, const Op *op, int n)
{
    int64_t axis = attr_axis(op);

    if (axis >= 0 && axis < n)
        return true;
    return verify_say(v, op, "axis %lld is not between 0 and %d", (long long)axis, n - 1);
}

/* --- values --- */

static bool check_const(const Verifier *v, const Op *op)
{
    if (!verify_gives(v, op, 1))
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
    return verify_gives(v, op, 1) && verify_axis_in(v, op, 3) &&
           verify_result_is(v, op, 0, &(Type){.dtype = DT_I32});
}

static bool check_arange(const Verifier *v, const Op *op)
{
    if (!verify_gives(v, op, 1))
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
    return verify_keeps_element(v, op);
}

static bool check_broadcast(const Verifier *v, const Op *op)
{
    if (!verify_keeps_element(v, op))
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

    if (!verify_gives(v, op, 1) || !verify_axis_in(v, op, want.rank + 1))
        return false;
    if (want.rank == MAX_RANK)
        return verify_say(v, op, "more than %d dimensions", MAX_RANK);
    int axis = (int)attr_axis(op);
    memmove(want.dims + axis + 1, want.dims + axis,
            sizeof want.dims[0] * (size_t)(want.rank - axis));
    want.dims[axis] = 1;
    want.rank++;
    return verify_result_is(v, op, 0, &want);
}

/* R156 */
static bool check_reshape(const Verifier *v, const Op *op)
{
    if (!verify_keeps_element(v, op))
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
    return verify_gives(v, op, 1) && verify_result_is(v, op, 0, &want);
}

static bool check_slice(const Verifier *v, const Op *op)
{
    int n;
    const int64_t *starts = attr_starts(op, &n);

    if (!verify_keeps_element(v, op))
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

/* --- promises, tables, and elements by number --- */

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

static bool check_gather(const Verifier *v, const Op *op)
{
    const Type *from = op->operands[GATHER_SOURCE]->type, *at = op->operands[GATHER_INDEX]->type;

    if (!verify_keeps_element(v, op))
        return false;
    if (!type_same_shape(op->results[0]->type, at) || at->rank != from->rank)
        return verify_say(v, op, "gives another shape than that of the index, or another rank");
    if (!verify_axis_in(v, op, from->rank))
        return false;
    for (int d = 0; d < from->rank; d++) {
        if (d != attr_axis(op) && from->dims[d] != at->dims[d])
            return verify_say(v, op, "the shapes differ in dimension %d", d);
    }
    return true;
}

static bool check_histogram(const Verifier *v, const Op *op)
{
    if (!verify_gives(v, op, 1))
        return false;
    const Type *t = op->results[0]->type;
    return (op->operands[HISTOGRAM_VALUES]->type->rank == 1 && t->rank == 1 && !t->pointer &&
            t->dtype == DT_I32) ||
           verify_say(v, op, "counts elements of rank 1 as i32 of rank 1");
}

static bool check_sort(const Verifier *v, const Op *op)
{
    const Type *from = op->operands[0]->type;

    if (!verify_keeps_element(v, op))
        return false;
    const Type *to = op->results[0]->type;
    if (from->dtype == DT_I1 || from->rank == 0 || to->rank != from->rank)
        return verify_say(v, op, "orders rows of integers, not %s", verify_type_text(v, from));
    for (int d = 0; d < from->rank; d++) {
        bool first = d == from->rank - 1 && to->dims[d] < from->dims[d];
        if (to->dims[d] != from->dims[d] && !first)
            return verify_say(v, op, "the shapes differ in dimension %d", d);
    }
    return true;
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

bool verify_rule(const Verifier *v, const Op *op)
{
    static VerifyRule *const rules[OP_COUNT] = {
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
        [OP_sort] = check_sort,
        [OP_inline_asm] = check_asm,
        [OP_inline_asm_volatile] = check_asm,
        [OP_hint] = check_hint,
    };
    VerifyRule *own = op_has(op, TOWARD) ? check_toward : rules[op->code];
    VerifyRule *memory = verify_memory_rule(op->code), *regions = verify_regions_rule(op->code);

    return (!own || own(v, op)) && (!memory || memory(v, op)) && (!regions || regions(v, op));
}
