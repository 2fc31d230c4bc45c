/*
 * check_columns.c - indices that were loaded and are negative, where accesses are checked
 *
 * logits + row * C + label of a label of -1, as a loss ignores, is the last element of the row in
 * front: no access outside of the array, but for the first row.  So where an address is a row, by a
 * stride, and a column that was loaded, no lane that takes part may have one below 0.  Said of
 * addresses without other parts: a number that is added to a column may well be negative.
 *
 * Takes and gives verified IR, without calls.
 */
#include <string.h>

#include "check.h"
#include "../ir/analysis.h"

enum { DEEPEST = 12 };

/* What an address is made of, in its own shape. */
typedef struct {
    Value *column; /* that was loaded */
    int rows, columns, others;
} Parts;

static void find_parts(Parts *p, Value *v, const Type *shape, int depth)
{
    const Op *op = v->def, *bare = ir_bare(v)->def;

    if (op && (op->code == OP_add || op->code == OP_addptr) && depth > 0) {
        find_parts(p, op->operands[0], shape, depth - 1);
        find_parts(p, op->operands[1], shape, depth - 1);
    } else if (!bare) {
        p->others += !v->type->pointer;
    } else if (bare->code == OP_add || bare->code == OP_addptr) {
        if (depth > 0)
            find_parts(p, (Value *)ir_bare(v), shape, depth - 1);
    } else if (bare->code == OP_mul) {
        p->rows++;
    } else if (op_only_reads(bare) && type_same_shape(v->type, shape)) {
        p->column = v;
        p->columns++;
    } else {
        p->others++;
    }
}

static void look_at(Op *op, void *unused)
{
    static const char text[] = "this index was loaded, and is less than 0: with a row in front of "
                               "it, it is an element of another row; mask it, index >= 0";
    const OpAccess access = ir_access(op);
    Parts p = {.column = NULL};

    (void)unused;
    if (!access.effect || !op->operands[access.pointer]->type->pointer)
        return;
    const Type *shape = op->operands[access.pointer]->type;
    Value *mask = op_operand(op, access.mask);
    find_parts(&p, op->operands[access.pointer], shape, DEEPEST);
    if (p.columns != 1 || p.rows != 1 || p.others > 0 || dtype_is_unsigned(p.column->type->dtype))
        return;
    Builder b = builder_before(op);
    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *at = build_binary(&b, OP_ge, p.column, build_int(&b, p.column->type, 0));
    Value *operands[] = {at, mask};
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    build_op(&b, OP_assert, mask ? 2 : 1, operands, COUNT(attrs), attrs, 0, NULL);
}

void check_columns(Func *f)
{
    ir_walk(f->body, look_at, NULL);
}
