/*
 * formula_truth.c - sums of conditions
 *
 * (v > 0) - (v < 0) is the sign of v in NumPy and MATLAB, and (v > 1) + (v > 2) counts.  Here a sum
 * of conditions is one, as in Triton, where one bit is what they have: true + true is false, and
 * false - true is true.  A product is what `&` gives, and nothing is said of it.
 */
#include "formula.h"

static bool is_sum_of_conditions(const Op *op)
{
    return (op->code == OP_add || op->code == OP_sub || op->code == OP_neg) &&
           op->results[0]->type->dtype == DT_I1;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (!is_sum_of_conditions(op))
        return;
    if (op->code == OP_add)
        tell_warn(s, op,
                  "`|` holds where one of them does; to count them convert them first, "
                  ".to(tl.int32)",
                  "this sum of conditions is one, too: true + true is false");
    else if (op->code == OP_sub)
        tell_warn(s, op, "convert them first: a.to(tl.int32) - b.to(tl.int32)",
                  "this difference of conditions is one, too: false - true is true");
    else
        tell_warn(s, op, "`~x` turns it around; -x.to(tl.int32) is a number",
                  "this is the condition itself: it has one bit, and no sign");
}

void formula_truth(const Suspect *s)
{
    if (tell_any(s, is_sum_of_conditions))
        ir_walk(s->func->body, look_at, (void *)s);
}
