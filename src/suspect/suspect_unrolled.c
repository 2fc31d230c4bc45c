/*
 * suspect_unrolled.c - what the rounds of tl.static_range do, which are written out one by one
 *
 *   - a maximum of several loads that begins with 0 where these have -inf for lanes that are not
 *     there, or with -inf where they have 0: the one that is not there wins;
 *   - a maximum of loads of which two are of one address: the round's number is missing in it;
 *   - a sum of products of which two rounds load one factor from one address, and of what each
 *     round loads there and adds;
 *   - what each round loads, and the last one alone uses: best = v for best = tl.maximum(best, v);
 *   - tl.max(x) of one x in all rounds, stored to another place in each.
 *
 * What tl.range does is looked at in suspect_rounds.c and suspect_again.c.
 */
#include "suspect.h"
#include <math.h>

enum { DEEPEST = 24, SAME_DEPTH = 16, MOST_LEAVES = 64, MOST_COPIES = 64 };

/* --- a chain of maxima --- */

typedef struct {
    OpCode code;
    const Op *loads[MOST_LEAVES];
    const Op *at; /* the last of the chain */
    int n;
    bool zero, infinite; /* it begins with these */
    bool others;         /* it is of more than loads */
} Chain;

static bool is_extreme(const Op *op)
{
    return op->code == OP_max || op->code == OP_maxnan || op->code == OP_min ||
           op->code == OP_minnan;
}

static bool is_greatest(const Op *op)
{
    return op->code == OP_max || op->code == OP_maxnan;
}

static void find_leaves(Chain *c, const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    if (value_constant(v, &bits)) {
        double number = scalar_to_double(ir_bare(v)->type->dtype, bits);
        c->zero |= number == 0 && v->type->rank > 0 && v->def->code == OP_const;
        c->infinite |= isinf(number) && (number < 0) == (c->code == OP_max);
        c->others |= number != 0 && !isinf(number);
    } else if (op && op->code == OP_load && c->n < MOST_LEAVES) {
        c->loads[c->n++] = op;
    } else if (op && depth > 0 && is_extreme(op) && is_greatest(op) == (c->code == OP_max)) {
        find_leaves(c, op->operands[0], depth - 1);
        find_leaves(c, op->operands[1], depth - 1);
    } else {
        c->others = true;
    }
}

/* What lanes are that the mask leaves out; NaN: nothing is said of them. */
static double filling_of(const Op *load)
{
    const Value *other = op_operand(load, LOAD_OTHER);
    uint64_t bits;

    if (!other || !op_operand(load, LOAD_MASK) || !value_constant(other, &bits))
        return NAN;
    return scalar_to_double(ir_bare(other)->type->dtype, bits);
}

static bool are_all_filled(const Chain *c, bool with_zero)
{
    for (int i = 0; i < c->n; i++) {
        double x = filling_of(c->loads[i]);
        if (with_zero ? x != 0 : !isinf(x) || (x < 0) != (c->code == OP_max))
            return false;
    }
    return true;
}

static bool is_same_load(const Op *a, const Op *b)
{
    bool same = a->noperands == b->noperands;

    for (int i = 0; same && i < a->noperands; i++)
        same = ir_same(a->operands[i], b->operands[i], SAME_DEPTH);
    return same;
}

static void look_at_same(const Suspect *s, const Chain *c)
{
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; k < i; k++) {
            if (c->loads[i]->span.start != c->loads[k]->span.start ||
                c->loads[i]->results[0]->type->rank == 0 || op_is_volatile(c->loads[i]) ||
                !is_same_load(c->loads[i], c->loads[k]))
                continue;
            tell_warn(s, c->loads[i], "is the number of the round part of the address?",
                      "two rounds load the same elements here, and keep the %s of both",
                      c->code == OP_max ? "greater" : "lesser");
            return;
        }
    }
}

static bool is_in_chain(const Suspect *s, const Op *op)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, op->results[0]); i++) {
        const Op *user = uses_of(uses, op->results[0])[i].op;
        if (is_extreme(user) && is_greatest(user) == is_greatest(op))
            return true;
    }
    return false;
}

static void look_at_chain(const Suspect *s, const Op *op)
{
    Chain c = {.code = is_greatest(op) ? OP_max : OP_min, .at = op};

    if (op->results[0]->type->pointer || !dtype_is_float(op->results[0]->type->dtype) ||
        is_in_chain(s, op))
        return;
    find_leaves(&c, op->results[0], DEEPEST);
    if (c.n < 2)
        return;
    look_at_same(s, &c);
    if (c.others)
        return;
    const char *than = c.code == OP_max ? "less" : "greater", *sign = c.code == OP_max ? "-" : "";
    if (c.zero && are_all_filled(&c, false))
        tell_warn(s, op, "begin with what `other` is, too",
                  "this begins with 0, which wins against all that is %s; lanes that a mask "
                  "leaves out are %sinf",
                  than, sign);
    else if (c.infinite && are_all_filled(&c, true))
        tell_warn(s, op,
                  c.code == OP_max ? "other=-float(\"inf\") loses against all numbers"
                                   : "other=float(\"inf\") loses against all numbers",
                  "this begins with %sinf, and is 0 where a mask leaves lanes of the load out "
                  "and all others are %s than 0",
                  sign, than);
}

/* --- a chain of sums --- */

/* What rounds add: loads as they are, and products with one factor that is a load. */
typedef struct {
    const Op *loads[MOST_LEAVES];
    const Value *others[MOST_LEAVES]; /* the other factor; NULL: there is none */
    int n;
} Sum;

static void note_summand(Sum *c, const Op *load, const Value *other)
{
    if (load && load->code == OP_load && c->n < MOST_LEAVES) {
        c->loads[c->n] = load;
        c->others[c->n++] = other;
    }
}

static void find_summands(Sum *c, const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return;
    if (op->code == OP_add) {
        find_summands(c, op->operands[0], depth - 1);
        find_summands(c, op->operands[1], depth - 1);
    } else if (op->code == OP_load) {
        note_summand(c, op, NULL);
    } else if (op->code == OP_mul) {
        note_summand(c, ir_bare(op->operands[0])->def, op->operands[1]);
        note_summand(c, ir_bare(op->operands[1])->def, op->operands[0]);
    }
}

static bool is_in_sum(const Suspect *s, const Op *op)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, op->results[0]); i++) {
        if (uses_of(uses, op->results[0])[i].op->code == OP_add)
            return true;
    }
    return false;
}

/* acc += v * w of one v in all rounds, where w is another one; acc += bias in each */
static void look_at_sum(const Suspect *s, const Op *op)
{
    Sum c = {.n = 0};

    if (op->results[0]->type->pointer || !dtype_is_float(op->results[0]->type->dtype) ||
        is_in_sum(s, op))
        return;
    find_summands(&c, op->results[0], MOST_LEAVES);
    for (int i = 1; i < c.n; i++) {
        const Op *load = c.loads[i], *before = c.loads[i - 1];
        for (int k = i - 1; k >= 0 && before->span.start != load->span.start; k--)
            before = c.loads[k];
        const Op *other = c.others[i] ? ir_bare(c.others[i])->def : NULL;
        if (before == load || before->span.start != load->span.start ||
            before->site != load->site || op_is_volatile(load) || !is_same_load(load, before) ||
            (c.others[i] && (!other || other->code != OP_load)))
            continue;
        tell_warn(s, load, "is the number of the round part of the address?",
                  c.others[i] ? "two rounds load the same elements here, and add up their products"
                              : "two rounds load the same here, and each adds it");
        return;
    }
}

/* --- rounds whose work is lost --- */

/* The ops that were made of one op of the source, in a block. */
typedef struct {
    const Op *at[MOST_COPIES];
    int n;
} Copies;

static bool find_copies(const Op *op, Copies *c)
{
    *c = (Copies){.n = 0};
    for (const Op *other = op->block->first; other; other = other->next) {
        if (other->code != op->code || other->span.start != op->span.start ||
            other->site != op->site)
            continue;
        if (c->n == MOST_COPIES)
            return false;
        c->at[c->n++] = other;
    }
    return c->n > 1 && c->at[0] == op;
}

static void look_at_unused(const Suspect *s, const Op *load)
{
    const UseLists *uses = tell_uses(s);
    Copies c;

    if (load->results[0]->type->rank == 0 || !find_copies(load, &c) ||
        uses_count(uses, c.at[c.n - 1]->results[0]) == 0)
        return;
    for (int i = 0; i + 1 < c.n; i++) {
        if (op_is_volatile(c.at[i]) || uses_count(uses, c.at[i]->results[0]) > 0)
            return;
    }
    tell_warn(s, load, "best = tl.maximum(best, v) keeps the greatest, acc += v adds them up",
              "each round loads this, and what the last one loads is all that is used");
}

static bool is_reduced(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return ir_reduces(op) || (op && op->code == OP_select);
}

static void look_at_stored(const Suspect *s, const Op *store)
{
    const Value *data = store->operands[STORE_DATA];
    Copies c;

    if (!ir_reduces(ir_bare(data)->def) || !find_copies(store, &c))
        return;
    for (int i = 1; i < c.n; i++) {
        const Value *other = c.at[i]->operands[STORE_DATA];
        const Op *a = ir_bare(data)->def, *b = ir_bare(other)->def;
        bool same = is_reduced(other) && b && a != b && ir_reduces(b) &&
                    a->noperands == b->noperands && ir_combine_code(a) == ir_combine_code(b) &&
                    ir_combine_kind(a).winner == ir_combine_kind(b).winner &&
                    attr_axis(a) == attr_axis(b);
        for (int k = 0; same && k < a->noperands; k++)
            same = ir_same(a->operands[k], b->operands[k], SAME_DEPTH);
        if (!same || ir_same(store->operands[STORE_PTR], c.at[i]->operands[STORE_PTR], SAME_DEPTH))
            return;
    }
    tell_warn(s, ir_bare(data)->def,
              "what a round is to leave out, or to change, gets the name that the next one uses",
              "each round makes this of the same tile, and stores it to another place");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (is_extreme(op))
        look_at_chain(s, op);
    else if (op->code == OP_add)
        look_at_sum(s, op);
    else if (op->code == OP_load)
        look_at_unused(s, op);
    else if (op->code == OP_store)
        look_at_stored(s, op);
}

void suspect_unrolled(const Suspect *s)
{
    if (s->func->module->unrolled.len > 0)
        ir_walk(s->func->body, look_at, (void *)s);
}
