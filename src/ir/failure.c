/*
 * failure.c - the code behind a branch that says what failed: assertions and checks of accesses
 *
 * Of a tile that is the first element, row-major, and how many there are; of a check, also where
 * that one would have gone.
 */
#include "ir.h"

typedef struct {
    const Op *op;
    Value *bad;    /* i1, in the shape of the condition */
    Value *offset; /* what a check says of its elements; NULL */
} Failure;

static const Type *shaped(const Builder *b, const Failure *f, DType d)
{
    return type_with_dtype(b->module, f->bad->type, d);
}

static void put_record(Builder *b, const Failure *f, Value *first, Value *count, Value *offset)
{
    RecordKind kind = f->op->code == OP_check ? RECORD_CHECK : RECORD_ASSERT;
    Value *values[] = {first, count, offset};
    int64_t attrs[] = {(int64_t)kind, attr_get(f->op, ATTR_message), 0, attr_record_site(f->op)};

    build_op(b, OP_record, offset ? 3 : 2, values, COUNT(attrs), attrs, 0, NULL);
}

/* Of a tile: its numbers, and the first that fails. */
static void explain_tile(Builder *b, const Failure *f, Value *numbers, Value *first)
{
    const Type *ints = shaped(b, f, DT_I32), *longs = shaped(b, f, DT_I64);
    Value *zero = build_int(b, ints, 0);
    Value *ones = build_select(b, f->bad, build_int(b, ints, 1), zero);
    Value *count = build_reduce_all(b, OP_add, ones), *offset = NULL;

    if (f->offset) {
        Value *here = build_binary(b, OP_eq, numbers, build_splat(b, first, ints));
        Value *there = build_select(b, here, f->offset, build_int(b, longs, 0));
        offset = build_reduce_all(b, OP_add, there);
    }
    put_record(b, f, first, count, offset);
}

Builder build_branch(Builder *b, Value *condition)
{
    Op *branch = build_op(b, OP_if, 1, &condition, 0, NULL, 0, NULL);

    for (int r = 0; r < 2; r++) {
        Builder end = builder_into(b, branch->regions[r]);
        build_yield(&end, OP_yield, 0, NULL);
    }
    Builder in = builder_into(b, branch->regions[0]);
    in.before = in.block->last;
    return in;
}

void build_failure(Builder *b, const Op *op, Value *bad, bool asked)
{
    const Type *i32 = type_scalar(b->module, DT_I32);
    Failure f = {op, bad, op->code == OP_check ? op->operands[CHECK_OFFSET] : NULL};
    Value *numbers = NULL, *first = NULL, *wrong = bad;

    if (bad->type->rank > 0) {
        Value *none = build_int(b, shaped(b, &f, DT_I32), INT32_MAX);
        numbers = build_numbers(b, bad->type);
        first = build_reduce_all(b, OP_min, build_select(b, bad, numbers, none));
    }
    if (asked && first)
        wrong = build_binary(b, OP_lt, first, build_int(b, i32, INT32_MAX));
    Builder in = asked ? build_branch(b, wrong) : *b;
    if (first) {
        explain_tile(&in, &f, numbers, first);
        return;
    }
    first = build_int(&in, i32, -1);
    put_record(&in, &f, first, build_int(&in, i32, 1), f.offset);
}
