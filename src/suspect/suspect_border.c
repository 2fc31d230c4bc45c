/*
 * suspect_border.c - neighbours of the last column that are the first one of the next row
 *
 * tl.load(x + h * W + w + 1, mask=w < W) has an address for the neighbour of the last column, too:
 * it lies in the next row, so that no access is outside of the array.  Told where the mask says how
 * far w goes, with the W that rows are apart, and lets w + 1 be W; or where it says that of w - 1,
 * and no end below.
 *
 * Nothing is said where what was loaded is chosen among others, as tl.where does behind it, nor of
 * masks that are more than conditions which all hold.
 */
#include "suspect.h"

enum { DEEPEST = 16, SAME_DEPTH = 12, MOST_PARTS = 12, MOST_LIMITS = 12 };

/* What is added up, without constants, and these. */
typedef struct {
    const Value *at[MOST_PARTS];
    int n;
    int64_t c;
    bool ok;
} Parts;

static void find_parts(Parts *p, const Value *v, int64_t sign, int depth)
{
    int64_t c;

    v = ir_bare(v);
    const Op *op = v->def;
    if (!v->type->pointer && value_const_signed(v, &c)) {
        p->c += sign * c;
    } else if (op && depth > 0 &&
               (op->code == OP_add || op->code == OP_addptr ||
                (op->code == OP_sub && value_const_signed(ir_bare(op->operands[1]), &c)))) {
        find_parts(p, op->operands[0], sign, depth - 1);
        find_parts(p, op->operands[1], op->code == OP_sub ? -sign : sign, depth - 1);
    } else if (sign < 0 || p->n == MOST_PARTS) {
        p->ok = false;
    } else {
        p->at[p->n++] = v;
    }
}

static Parts parts_of(const Value *v)
{
    Parts p = {.ok = true};

    find_parts(&p, v, 1, DEEPEST);
    return p;
}

/* Are these among the others?  Takes them out. */
static bool take_out(Parts *from, const Parts *these)
{
    for (int i = 0; i < these->n; i++) {
        int k = 0;
        while (k < from->n && !ir_same(from->at[k], these->at[i], SAME_DEPTH))
            k++;
        if (k == from->n)
            return false;
        from->at[k] = from->at[--from->n];
    }
    return these->n > 0;
}

/* w < W + c, w >= c */
typedef struct {
    Parts of;
    const Value *width; /* NULL: it is a number */
    int64_t c;
    bool below; /* it is a lower end */
} Limit;
typedef struct {
    Limit at[MOST_LIMITS];
    int n;
    bool ok;
} Limits;

static void find_limits(Limits *l, const Value *mask, int depth)
{
    const Op *op = ir_unmoved(mask)->def;

    if (op && depth > 0 && op->code == OP_and) {
        find_limits(l, op->operands[0], depth - 1);
        find_limits(l, op->operands[1], depth - 1);
        return;
    }
    bool less = op && (op->code == OP_lt || op->code == OP_le);
    bool more = op && (op->code == OP_gt || op->code == OP_ge);
    if ((!less && !more) || l->n == MOST_LIMITS || !opt_is_int(op->operands[0])) {
        l->ok &= op && op_has(op, COMPARES);
        return;
    }
    const Parts a = parts_of(op->operands[0]), b = parts_of(op->operands[1]);
    int64_t strict = op->code == OP_le || op->code == OP_gt;
    if (!a.ok || !b.ok)
        l->ok = false;
    else if (less && b.n == 1)
        l->at[l->n++] = (Limit){a, b.at[0], b.c - a.c + strict, false};
    else if (more && b.n == 0)
        l->at[l->n++] = (Limit){a, NULL, b.c - a.c + strict, true};
    else if (more && a.n == 1) /* W > w */
        l->at[l->n++] = (Limit){b, a.at[0], a.c - b.c + 1 - strict, false};
}

/* Is it chosen, or multiplied by a condition, behind the load? */
static bool is_chosen(const Suspect *s, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code == OP_select)
            return true;
        for (int k = 0; op->code == OP_mul && k < 2; k++) {
            const Value *factor = ir_uncast(op->operands[k]);
            if (factor->type->dtype == DT_I1)
                return true;
        }
        if (depth > 0 && op->nresults == 1 && (op->code == OP_cast || op_has(op, MOVES)) &&
            is_chosen(s, op->results[0], depth - 1))
            return true;
    }
    return false;
}

/* Is one of the parts a product with the width? */
static bool has_rows(const Parts *p, const Value *width)
{
    for (int i = 0; i < p->n; i++) {
        const Op *op = p->at[i]->def;
        for (int k = 0; op && op->code == OP_mul && k < 2; k++) {
            if (ir_bare(op->operands[k]) == width && op->results[0]->type->rank > 0)
                return true;
        }
    }
    return false;
}

/* Another lower end, of the same index. */
static bool has_lower_end(const Limits *l, const Parts *w, int64_t least)
{
    for (int i = 0; i < l->n; i++) {
        Parts of = l->at[i].of;
        if (l->at[i].below && of.n == w->n && take_out(&of, w) && l->at[i].c >= least)
            return true;
    }
    return false;
}

static bool has_tighter_end(const Limits *l, const Parts *w, const Value *width, int64_t most)
{
    for (int i = 0; i < l->n; i++) {
        Parts of = l->at[i].of;
        if (!l->at[i].below && of.n == w->n && take_out(&of, w) &&
            (l->at[i].width != width || l->at[i].c <= most))
            return true;
    }
    return false;
}

static bool is_moved_index(const Parts *p)
{
    for (int i = 0; i < p->n; i++) {
        if (p->at[i]->def && p->at[i]->def->code == OP_arange)
            return true;
    }
    return false;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    OpAccess access = ir_access(op);
    const Value *mask = op->code == OP_load ? op_operand(op, access.mask) : NULL;
    Limits l = {.ok = true};

    if (!mask || op->results[0]->type->rank == 0)
        return;
    const Parts address = parts_of(op->operands[access.pointer]);
    find_limits(&l, mask, DEEPEST);
    if (!l.ok || !address.ok || address.c == 0 || address.c > 1 << 12 || address.c < -(1 << 12))
        return;
    for (int i = 0; i < l.n; i++) {
        Parts rest = address;
        const Limit *end = &l.at[i];
        if (end->below || !end->width || end->width->def || !is_moved_index(&end->of) ||
            !take_out(&rest, &end->of) || !has_rows(&rest, end->width))
            continue;
        bool over = address.c > 0 && !has_tighter_end(&l, &end->of, end->width, -address.c);
        bool under = address.c < 0 && !has_lower_end(&l, &end->of, -address.c);
        if ((!over && !under) || is_chosen(s, op->results[0], 4))
            continue;
        tell_warn(s, op, over ? "compare what is added, too: w + 1 < W" : "w - 1 >= 0 as well",
                  over ? "the mask lets through the last column, whose neighbour to the right is "
                         "the first one of the next row"
                       : "the mask lets through the first column, whose neighbour to the left is "
                         "the last one of the row in front");
        return;
    }
}

void suspect_border(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
