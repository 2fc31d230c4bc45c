/*
 * assert.c - assertions and checks as the code that finds where they fail
 *
 * Takes and gives verified IR; no target has `assert` or `check` behind it.  Both become one
 * number, the first element that fails, which costs no more than the largest of a tile does, and an
 * `if` that is hardly ever taken: there the rest is found out, and `record` says it.
 *
 *     %far = select %bad, %index, %none        a tile's numbers where it fails
 *     %first = reduce %far                     by min, over all dimensions
 *     %wrong = lt %first, %none
 *     if %wrong { record %first, %count, %offset kind=check .. }
 */
#include "opt.h"

typedef struct {
    Builder b;
    const Op *op;
    Value *bad;    /* i1, in the shape of the condition */
    Value *offset; /* what a check says of its elements; NULL */
    Value *first;  /* i32: the first that fails */
    RecordKind kind;
} Expansion;

static const Type *shaped(Expansion *e, DType d)
{
    return type_with_dtype(e->b.module, e->bad->type, d);
}

static void put_record(Expansion *e, Builder *b, Value *count, Value *offset)
{
    Value *values[] = {e->first, count, offset};
    int64_t attrs[] = {(int64_t)e->kind, attr_get(e->op, ATTR_message), 0, attr_record_site(e->op)};

    build_op(b, OP_record, offset ? 3 : 2, values, COUNT(attrs), attrs, 0, NULL);
}

/* What is said when something failed: in front of where `b` stands. */
static void explain(Expansion *e, Builder *b, Value *numbers)
{
    const Type *i32 = type_scalar(b->module, DT_I32);

    if (!numbers) {
        put_record(e, b, build_int(b, i32, 1), e->offset);
        return;
    }
    const Type *ints = shaped(e, DT_I32), *longs = shaped(e, DT_I64);
    Value *zero = build_int(b, ints, 0);
    Value *ones = build_select(b, e->bad, build_int(b, ints, 1), zero);
    Value *count = build_reduce_all(b, OP_add, ones), *offset = NULL;
    if (e->offset) {
        Value *here = build_binary(b, OP_eq, numbers, build_splat(b, e->first, ints));
        offset =
            build_reduce_all(b, OP_add, build_select(b, here, e->offset, build_int(b, longs, 0)));
    }
    put_record(e, b, count, offset);
}

static void expand_assertion(Expansion *e)
{
    Builder *b = &e->b;
    const Type *i32 = type_scalar(b->module, DT_I32);
    Value *numbers = NULL, *wrong = e->bad;

    e->first = build_int(b, i32, -1);
    if (e->bad->type->rank > 0) {
        Value *none = build_int(b, shaped(e, DT_I32), INT32_MAX);
        numbers = build_numbers(b, e->bad->type);
        e->first = build_reduce_all(b, OP_min, build_select(b, e->bad, numbers, none));
        wrong = build_binary(b, OP_lt, e->first, build_int(b, i32, INT32_MAX));
    }
    Op *branch = build_op(b, OP_if, 1, &wrong, 0, NULL, 0, NULL);
    for (int r = 0; r < 2; r++) {
        Builder in = builder_into(b, branch->regions[r]);
        if (r == 0)
            explain(e, &in, numbers);
        build_yield(&in, OP_yield, 0, NULL);
    }
}

static void visit_assertion(Op *op, void *unused)
{
    bool is_check = op->code == OP_check;

    (void)unused;
    if (op->code != OP_assert && !is_check)
        return;
    Expansion e = {
        .b = builder_before(op), .op = op, .kind = is_check ? RECORD_CHECK : RECORD_ASSERT};
    Value *mask = op->noperands > ASSERT_MASK ? op->operands[ASSERT_MASK] : NULL;
    e.bad = build_unary(&e.b, OP_not, op->operands[ASSERT_CONDITION]);
    if (mask)
        e.bad = build_binary(&e.b, OP_and, mask, e.bad);
    e.offset = is_check ? op->operands[CHECK_OFFSET] : NULL;
    expand_assertion(&e);
    op_remove(op);
}

void opt_assert(Func *f)
{
    ir_walk(f->body, visit_assertion, NULL);
}
