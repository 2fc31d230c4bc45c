/*
 * verify_memory.c - what ops demand that read or write memory, or that make and take handles
 *
 * What records and checks tell the host is memory, too.
 */
#include "verify.h"

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

    if (!verify_gives(v, op, 1))
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

    if (!verify_gives(v, op, 1) || !verify_result_is(v, op, 0, t))
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

/* What each kind of record has for operands: RecordKind. */
static bool check_record(const Verifier *v, const Op *op)
{
    static const DType of_fault[] = {DT_I32, DT_I32, DT_I64};
    RecordKind kind = attr_record_kind(op);
    int n = kind == RECORD_VALUE ? 1 : kind == RECORD_ASSERT ? 2 : 3;

    if (kind == RECORD_PRINT)
        return true;
    if (op->noperands != n)
        return verify_say(v, op, "of this kind takes %d operand%s, not %d", n, n == 1 ? "" : "s",
                          op->noperands);
    if (kind == RECORD_VALUE)
        return true;
    for (int i = 0; i < n; i++) {
        const Type *t = op->operands[i]->type;
        if (t->rank != 0 || t->pointer || t->dtype != of_fault[i])
            return verify_say(v, op, "operand %d must be %s", i, dtype_name(of_fault[i]));
    }
    return true;
}

static bool check_check(const Verifier *v, const Op *op)
{
    return op->operands[CHECK_OFFSET]->type->dtype == DT_I64 ||
           verify_say(v, op, "the offset must be i64");
}

VerifyRule *verify_memory_rule(OpCode code)
{
    static VerifyRule *const rules[OP_COUNT] = {
        [OP_store] = check_store,
        [OP_atomic_rmw] = check_atomic_rmw,
        [OP_atomic_cas] = check_store,
        [OP_check] = check_check,
        [OP_record] = check_record,
        [OP_make_block_ptr] = check_make_block_ptr,
        [OP_make_descriptor] = check_make_descriptor,
        [OP_handle_part] = check_handle_part,
        [OP_advance] = check_advance,
        [OP_load_block] = check_load_block,
        [OP_store_block] = check_store_block,
    };

    return rules[code];
}
