/*
 * masks.c - what masks have in common: parts that all must be true
 */
#include "opt.h"

const Value *opt_plain(const Value *v)
{
    while (v->def && (v->def->code == OP_splat || v->def->code == OP_broadcast ||
                      v->def->code == OP_expand || v->def->code == OP_reshape))
        v = v->def->operands[0];
    return v;
}

/* Numbers for which a comparison of x and y is true: x below y, equal, above it; 0: it is none. */
enum { BELOW = 1, EQUAL = 2, ABOVE = 4 };

static unsigned truths(OpCode code)
{
    switch (code) {
    case OP_lt:
        return BELOW;
    case OP_le:
        return BELOW | EQUAL;
    case OP_gt:
        return ABOVE;
    case OP_ge:
        return ABOVE | EQUAL;
    case OP_eq:
        return EQUAL;
    case OP_ne:
        return BELOW | ABOVE;
    default:
        return 0;
    }
}

/* Those of `b`, seen as a comparison of these; 0: it is none of that. */
static unsigned truths_as(const Op *b, const Value *x, const Value *y, bool turned)
{
    const unsigned all = b ? truths(b->code) : 0;

    if (!all || b->operands[turned] != x || b->operands[!turned] != y)
        return 0;
    return turned ? (all & EQUAL) | (all & BELOW ? ABOVE : 0) | (all & ABOVE ? BELOW : 0) : all;
}

/* The same comparison, of tiles that may have other dimensions of 1? */
static bool is_same(const Value *a, const Value *b)
{
    const Op *x = a->def, *y = b->def;

    return a == b || (x && y && x->code == y->code && truths(x->code) &&
                      opt_plain(x->operands[0]) == opt_plain(y->operands[0]) &&
                      opt_plain(x->operands[1]) == opt_plain(y->operands[1]));
}

bool opt_mask_has(const Value *mask, const Value *part)
{
    const Value *v = mask ? opt_plain(mask) : NULL;

    if (!v || is_same(v, part))
        return v != NULL;
    return v->def && v->def->code == OP_and &&
           (opt_mask_has(v->def->operands[0], part) || opt_mask_has(v->def->operands[1], part));
}

static bool is_not(const Value *a, const Value *b)
{
    const Op *op = opt_made_by(a, OP_not);

    return op && op->operands[0] == b;
}

/* Never both, in one lane? */
static bool parts_exclude(const Value *a, const Value *b)
{
    const Op *x = a->def;
    unsigned both = 0;

    for (int turned = 0; turned < 2 && x && truths(x->code); turned++)
        both |= truths_as(b->def, x->operands[0], x->operands[1], turned);
    return (both != 0 && (both & truths(x->code)) == 0) || is_not(a, b) || is_not(b, a);
}

/* Are both repeated along the same dimensions? */
static bool are_alike(const Op *a, const Op *b)
{
    return a && b && a->code == b->code &&
           (a->code == OP_broadcast || a->code == OP_splat || a->code == OP_expand) &&
           a->results[0]->type == b->results[0]->type &&
           a->operands[0]->type == b->operands[0]->type &&
           (a->code != OP_expand || attr_axis(a) == attr_axis(b));
}

bool opt_masks_exclude(const Value *a, const Value *b)
{
    if (!a || !b)
        return false;
    if (a->def && a->def->code == OP_and)
        return opt_masks_exclude(a->def->operands[0], b) ||
               opt_masks_exclude(a->def->operands[1], b);
    if (b->def && b->def->code == OP_and)
        return opt_masks_exclude(b, a);
    if (are_alike(a->def, b->def))
        return opt_masks_exclude(a->def->operands[0], b->def->operands[0]);
    return parts_exclude(a, b);
}
