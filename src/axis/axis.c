/*
 * axis.c - contiguity, constancy, divisibility and ranges of every value of a function
 *
 * Takes verified IR and changes nothing.  Facts flow forward, by the rules of axis_rules.c; what a
 * loop carries starts as what comes in and is weakened by what comes around until that changes
 * nothing more.  Loops inside many loops are not iterated: nothing is said of what they carry.
 *
 * `assume(condition)` refines a value where the condition compares it with a constant, or its
 * remainder with 0.  A block has no way out but its end, so an assumption in the block that
 * defines the value, or in the function's own block, holds from the definition on.
 */
#include "axis_internal.h"

enum { PATIENCE = 6, DEEPEST = 4 }; /* rounds until facts are given up; loops in loops iterated */
enum { MOST_DIVISIBLE = 1 << 30 };

typedef struct {
    bool any;
    int64_t lo, hi, divisibility;
} Promise;

struct AxisFacts {
    Arena *arena;
    Axis *at; /* by value id */
    int nvalues;
    Promise *promises; /* by value id */
    int loops;         /* around the op at hand */
    bool trusting;     /* as axis_analyse_trusting() says */
};

/* --- assumptions --- */

static Promise *promise_for(AxisFacts *x, const Op *assume, const Value *v)
{
    Promise *p = &x->promises[v->id];

    if (assume->block != v->block && assume->block->owner)
        return NULL;
    if (!p->any)
        *p = (Promise){true, INT64_MIN, INT64_MAX, 1};
    return p;
}

static OpCode mirrored(OpCode code)
{
    switch (code) {
    case OP_lt:
        return OP_gt;
    case OP_le:
        return OP_ge;
    case OP_gt:
        return OP_lt;
    case OP_ge:
        return OP_le;
    default:
        return code;
    }
}

/* v % n == 0, or v & (2^k - 1) == 0 */
static void assume_multiple(AxisFacts *x, const Op *assume, const Value *rest)
{
    const Op *op = rest->def;
    Promise *p;
    int64_t n;

    if (!op || (op->code != OP_rem && op->code != OP_and) || !value_const_int(op->operands[1], &n))
        return;
    if (op->code == OP_and && (n < 0 || n == INT64_MAX || (n & (n + 1)) != 0))
        return;
    n += op->code == OP_and;
    if (n > 1 && (p = promise_for(x, assume, op->operands[0])))
        p->divisibility = MAX(p->divisibility, n);
}

static void assume_compare(AxisFacts *x, const Op *assume, OpCode code, const Value *v, int64_t c)
{
    Promise *p = promise_for(x, assume, v);

    if (!p || (v->type->dtype == DT_U64 && c < 0)) /* from 2^63 on: no bound that an i64 is */
        return;
    if (code == OP_eq || code == OP_ge || (code == OP_gt && c < INT64_MAX))
        p->lo = MAX(p->lo, code == OP_gt ? c + 1 : c);
    if (code == OP_eq || code == OP_le || (code == OP_lt && c > INT64_MIN))
        p->hi = MIN(p->hi, code == OP_lt ? c - 1 : c);
}

static void read_condition(AxisFacts *x, const Op *assume, const Value *condition)
{
    const Op *op = condition->def;
    int64_t c;

    if (!op || op->noperands != 2)
        return;
    if (op->code == OP_and) {
        read_condition(x, assume, op->operands[0]);
        read_condition(x, assume, op->operands[1]);
    }
    if (!op_has(op, COMPARES) || op->code == OP_ne)
        return;
    if (value_const_int(op->operands[1], &c)) {
        assume_compare(x, assume, op->code, op->operands[0], c);
        if (op->code == OP_eq && c == 0)
            assume_multiple(x, assume, op->operands[0]);
    } else if (value_const_int(op->operands[0], &c)) {
        assume_compare(x, assume, mirrored(op->code), op->operands[1], c);
    }
}

static void read_assume(Op *op, void *ctx)
{
    if (op->code == OP_assume)
        read_condition(ctx, op, op->operands[0]);
}

/* A false promise is undefined behaviour (semantics R301); an empty range is left alone, and so is
 * the lower bound of a u64, which may be more than a range can hold. */
static void keep_promise(Axis *a, const Type *t, const Promise *p)
{
    int64_t least = t->dtype == DT_U64 ? 0 : INT64_MIN;
    int64_t lo = MAX(a->has_range ? a->lo : least, p->lo);
    int64_t hi = a->has_range ? MIN(a->hi, p->hi) : p->hi;

    axis_promise_multiple(a, p->divisibility);
    if (lo > hi || (hi == INT64_MAX && (lo == INT64_MIN || t->dtype == DT_U64)))
        return;
    a->has_range = true;
    a->lo = lo;
    a->hi = hi;
}

/* --- the flow --- */

static void set(AxisFacts *x, const Value *v, Axis a)
{
    const Promise *p = &x->promises[v->id];

    for (int d = 0; d < v->type->rank; d++) {
        int64_t extent = v->type->dims[d], shortest = MIN(a.contiguity[d], a.constancy[d]);
        if (shortest < 1 || MAX(a.contiguity[d], a.constancy[d]) > extent)
            bug("a run in dimension %d that is not between 1 and %lld", d, (long long)extent);
    }
    if (p->any)
        keep_promise(&a, v->type, p);
    x->at[v->id] = a;
}

static void flow_block(AxisFacts *x, const Block *b);

/* Weaken what the loop carries by what its body hands on; false when that said nothing new. */
static bool weaken(AxisFacts *x, const Block *b, int first, Value *const *next, bool give_up)
{
    bool changed = false;

    for (int i = first; i < b->nargs; i++) {
        const Value *arg = b->args[i];
        Axis old = x->at[arg->id], met = axis_meet(arg->type, &old, &x->at[next[i - first]->id]);
        bool wider = met.has_range && (met.lo < old.lo || met.hi > old.hi);
        if (wider) { /* it would go on widening */
            Axis whole = axis_unknown(arg->type);
            met.has_range = whole.has_range;
            met.lo = whole.lo;
            met.hi = whole.hi;
        }
        set(x, arg, give_up ? axis_unknown(arg->type) : met);
        changed |= !axis_equal(arg->type, &old, &x->at[arg->id]);
    }
    return changed;
}

/* Go through a loop's regions until nothing changes. */
static void flow_loop(AxisFacts *x, const Op *op, const Block *carried, int first,
                      Value *const *inits, Value *const *next)
{
    bool hopeless = x->loops >= DEEPEST, again = true;

    for (int i = first; i < carried->nargs; i++) {
        const Value *arg = carried->args[i];
        set(x, arg, hopeless ? axis_unknown(arg->type) : x->at[inits[i - first]->id]);
    }
    x->loops++;
    for (int round = 0; again; round++) {
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                flow_block(x, op->regions[r]);
        }
        again = !hopeless && weaken(x, carried, first, next, round >= PATIENCE);
    }
    x->loops--;
}

/* lo, lo + step, ... short of hi.  Nothing wraps on the way. */
static Axis counter_facts(const AxisFacts *x, const Op *loop)
{
    const Axis *lo = &x->at[loop->operands[FOR_LO]->id], *hi = &x->at[loop->operands[FOR_HI]->id];
    const Axis *step = &x->at[loop->operands[FOR_STEP]->id];
    const Type *t = loop->operands[FOR_LO]->type;
    int64_t divisibility = axis_gcd(lo->divisibility, step->divisibility);
    Axis r = axis_unknown(t);

    r.divisibility = divisibility;
    if (!dtype_is_signed(t->dtype)) /* bounds compare as signed: the values may pass through 0 */
        r.divisibility &= -r.divisibility;
    else if (step->has_range && step->lo > 0 && lo->has_range && hi->has_range && lo->lo < hi->hi)
        r = axis_scalar_range(t, lo->lo, hi->hi - 1, divisibility);
    else if (step->has_range && step->lo > 0 && lo->has_range && !hi->has_range)
        r = axis_scalar_range(t, lo->lo, INT64_MAX - 1, divisibility);
    else if (step->has_range && step->hi < 0 && lo->has_range && hi->has_range && lo->hi > hi->lo)
        r = axis_scalar_range(t, hi->lo + 1, lo->hi, divisibility);
    return r;
}

/* A result is what came in or what the last iteration handed on.  What is promised of an argument
 * inside the loop holds for neither. */
static void flow_for(AxisFacts *x, const Op *op)
{
    const Block *body = op->regions[0];
    Value *const *inits = op->operands + FOR_BOUNDS, *const *next = body->last->operands;

    set(x, body->args[0], counter_facts(x, op));
    flow_loop(x, op, body, 1, inits, next);
    for (int i = 0; i < op->nresults; i++)
        set(x, op->results[i],
            axis_meet(op->results[i]->type, &x->at[inits[i]->id], &x->at[next[i]->id]));
}

/* The second region's arguments are the condition's operands; flow_block() sets them at it. */
static void flow_while(AxisFacts *x, const Op *op)
{
    const Op *condition = op->regions[0]->last;

    flow_loop(x, op, op->regions[0], 0, op->operands, op->regions[1]->last->operands);
    for (int i = 0; i < op->nresults; i++)
        set(x, op->results[i], x->at[condition->operands[1 + i]->id]);
}

static void flow_condition(AxisFacts *x, const Op *op)
{
    const Block *body = op->block->owner->regions[1];

    for (int i = 0; i < body->nargs; i++)
        set(x, body->args[i], x->at[op->operands[1 + i]->id]);
}

static void flow_if(AxisFacts *x, const Op *op)
{
    const Op *yes = op->regions[0]->last, *no = op->regions[1]->last;

    flow_block(x, op->regions[0]);
    flow_block(x, op->regions[1]);
    for (int i = 0; i < op->nresults; i++)
        set(x, op->results[i],
            axis_meet(op->results[i]->type, &x->at[yes->operands[i]->id],
                      &x->at[no->operands[i]->id]));
}

/* Reductions, products, atomics: nothing is known of the numbers. */
static void flow_opaque(AxisFacts *x, const Op *op)
{
    if (op->regions[0]) {
        for (int i = 0; i < op->regions[0]->nargs; i++)
            set(x, op->regions[0]->args[i], axis_unknown(op->regions[0]->args[i]->type));
        flow_block(x, op->regions[0]);
    }
    for (int i = 0; i < op->nresults; i++)
        set(x, op->results[i], axis_unknown(op->results[i]->type));
}

static Axis at_least(const Axis *x, int64_t lo)
{
    Axis out = *x;

    out.lo = x->has_range ? MAX(x->lo, lo) : lo;
    out.hi = x->has_range ? MAX(x->hi, lo) : INT64_MAX;
    out.has_range = true;
    return out;
}

/* Trusting: is it a sum of two that are not negative, or such a number of blocks? */
static bool is_index(const Op *op, const Axis *const *in)
{
    const Type *t = op->results[0]->type;
    int64_t n;

    if ((op->code != OP_add && op->code != OP_mul) || !axis_is_int(t) ||
        !dtype_is_signed(t->dtype) || t->pointer)
        return false;
    for (int i = 0; i < 2; i++) {
        if (!in[i]->has_range || in[i]->lo < 0)
            return false;
    }
    return op->code == OP_add || (axis_is_value(in[0], &n) && n <= MAX_TILE) ||
           (axis_is_value(in[1], &n) && n <= MAX_TILE);
}

static void flow_plain(AxisFacts *x, const Op *op)
{
    const Axis *in[op->noperands + 1];
    Axis trusted[2];
    bool trusts = x->trusting && op->code == OP_rem && axis_is_int(op->operands[0]->type);

    for (int i = 0; i < op->noperands; i++) {
        in[i] = &x->at[op->operands[i]->id];
        if (trusts && i < COUNT(trusted)) {
            trusted[i] = at_least(in[i], i);
            in[i] = &trusted[i];
        }
    }
    Axis result = axis_transfer(op, in);
    if (x->trusting && is_index(op, in) && result.has_range)
        result.lo = MAX(result.lo, 0);
    set(x, op->results[0], result);
}

static void flow_block(AxisFacts *x, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (op->code == OP_for)
            flow_for(x, op);
        else if (op->code == OP_while)
            flow_while(x, op);
        else if (op->code == OP_if)
            flow_if(x, op);
        else if (op->code == OP_condition)
            flow_condition(x, op);
        else if (op->nresults == 1 && !op->regions[0])
            flow_plain(x, op);
        else
            flow_opaque(x, op);
    }
}

static void set_params(AxisFacts *x, const Func *f)
{
    for (int i = 0; i < f->body->nargs; i++) {
        const Value *v = f->body->args[i];
        Axis a = axis_unknown(v->type);
        if (i < f->nparams)
            axis_promise_multiple(&a, f->params[i].divisible);
        set(x, v, a);
    }
}

static AxisFacts *analyse(const Func *f, bool trusting, Arena *a)
{
    AxisFacts *x = NEW(a, AxisFacts);

    x->arena = a;
    x->trusting = trusting;
    x->nvalues = f->nvalues;
    x->at = NEW_N(a, Axis, f->nvalues);
    x->promises = NEW_N(a, Promise, f->nvalues);
    ir_walk(f->body, read_assume, x);
    set_params(x, f);
    flow_block(x, f->body);
    for (int i = 0; i < x->nvalues; i++) {
        int64_t *n = &x->at[i].divisibility;
        if (*n == 0 || *n > MOST_DIVISIBLE)
            *n = axis_gcd(*n, MOST_DIVISIBLE);
    }
    return x;
}

AxisFacts *axis_analyse(const Func *f, Arena *a)
{
    return analyse(f, false, a);
}

AxisFacts *axis_analyse_trusting(const Func *f, Arena *a)
{
    return analyse(f, true, a);
}

const Axis *axis_of(const AxisFacts *x, const Value *v)
{
    if (v->id >= x->nvalues)
        bug("a value that is newer than the analysis");
    return &x->at[v->id];
}

/* --- as text --- */

static void put_runs(Text *t, const char *what, const Type *type, const int64_t *runs)
{
    text_printf(t, " %s", what);
    for (int d = 0; d < type->rank; d++)
        text_printf(t, "%c%lld", d == 0 ? '[' : ',', (long long)runs[d]);
    text_put(t, "]");
}

static void put_facts(Text *t, const AxisFacts *x, const Value *v, int *unnamed)
{
    const Axis *a = axis_of(x, v), whole = axis_unknown(v->type);
    bool number = v->type->pointer || dtype_is_int(v->type->dtype);

    if (v->name)
        text_printf(t, "%%%s:", v->name);
    else
        text_printf(t, "%%%d:", (*unnamed)++);
    if (type_is_tile(v->type)) {
        put_runs(t, "contiguity", v->type, a->contiguity);
        put_runs(t, "constancy", v->type, a->constancy);
    }
    if (number && (v->type->pointer || v->type->dtype != DT_I1))
        text_printf(t, " divisibility %lld", (long long)a->divisibility);
    if (a->has_range && (!whole.has_range || a->lo != whole.lo || a->hi != whole.hi))
        text_printf(t, " range %lld..%lld", (long long)a->lo, (long long)a->hi);
    text_put(t, "\n");
}

static void put_facts_of_block(Text *t, const AxisFacts *x, const Block *b, int *unnamed)
{
    for (int i = 0; i < b->nargs; i++)
        put_facts(t, x, b->args[i], unnamed);
    for (const Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->nresults; i++)
            put_facts(t, x, op->results[i], unnamed);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                put_facts_of_block(t, x, op->regions[r], unnamed);
        }
    }
}

const char *axis_text(const AxisFacts *x, const Func *f, Arena *a)
{
    Text t = text_new(a);
    int unnamed = 0;

    put_facts_of_block(&t, x, f->body, &unnamed);
    return t.s;
}
