/*
 * either.c - what takes long is computed once where each element takes one of two
 *
 * Takes and gives verified IR; keeps all results to the last bit.  Hues, branches of activations
 * and interpolations are written as a choice between two ways to go on, each with a division or a
 * function of its own, of which an element takes one:
 *
 *     where(c, f(a / s), g(b / s))      ->      q = where(c, a, b) / s
 *                                               where(c, f(q), g(q))
 *
 * The two ops differ in one operand, and nothing but the choice needs what is made of either.  What
 * lies between them and the choice is written anew in front of it, for the mask may be made later.
 * Needs dce: what nobody takes would count as a use.  Leaves behind the two ops, for dce.
 */
#include "../ir/analysis.h"
#include "opt.h"

enum { ARMS = 2, MOST_OWN = 12, MOST_PASSED = 128, MOST_MERGED = 16 };

/* What one way computes for nobody else: the last op comes first. */
typedef struct {
    Op *ops[MOST_OWN];
    int n;
} Arm;

static bool takes_long(const Op *op)
{
    const Type *t = op->results[0]->type;

    if (t->pointer || !dtype_is_float(t->dtype) || dtype_is_fp8(t->dtype))
        return false;
    return op->code == OP_div || op->code == OP_sqrt || op_has(op, APPROX);
}

/* Which of them makes it, or -1. */
static int own_place(const Arm *a, const Op *op)
{
    for (int i = 0; i < a->n; i++) {
        if (a->ops[i] == op)
            return i;
    }
    return -1;
}

/* Do only the arm's ops take it? */
static bool is_own(const UseLists *uses, const Arm *a, const Value *v)
{
    const Use *use = uses_of(uses, v);

    for (int i = 0; i < uses_count(uses, v); i++) {
        if (own_place(a, use[i].op) < 0)
            return false;
    }
    return true;
}

/* The ops of way number i of a choice, from the choice up. */
static Arm arm_of(const UseLists *uses, const Op *select, int i)
{
    const Value *v = select->operands[i];
    Arm a = {.n = 0};

    if (!v->def || uses_count(uses, v) != 1)
        return a;
    int passed = 0;
    for (Op *op = select->prev; op && a.n < MOST_OWN && passed++ < MOST_PASSED; op = op->prev) {
        bool fits = op_is_elementwise(op) && !op_has(op, READS | WRITES | EFFECT) &&
                    op->nresults == 1 && op->results[0]->type->rank == v->type->rank;
        if (fits && (op == v->def || (a.n > 0 && is_own(uses, &a, op->results[0]))))
            a.ops[a.n++] = op;
    }
    return a;
}

/* The one operand in which they differ; -1: there is none, or more, or both are one number
 * throughout, which is no work for each element. */
static int differing(const Op *x, const Op *y)
{
    int at = -1;

    if (x->code != y->code || !type_equal(x->results[0]->type, y->results[0]->type) ||
        x->nattrs > 0)
        return -1;
    for (int i = 0; i < x->noperands; i++) {
        if (x->operands[i] == y->operands[i])
            continue;
        if (at >= 0 || !type_equal(x->operands[i]->type, y->operands[i]->type))
            return -1;
        at = i;
    }
    bool uniform = at >= 0 && opt_is_uniform(x->operands[at]) && opt_is_uniform(y->operands[at]);
    return uniform ? -1 : at;
}

/* Two ops that may be one, of either way. */
static bool find_pair(const Arm arms[ARMS], Op *pair[ARMS], int *at)
{
    for (int i = 0; i < arms[0].n; i++) {
        for (int k = 0; takes_long(arms[0].ops[i]) && k < arms[1].n; k++) {
            pair[0] = arms[0].ops[i];
            pair[1] = arms[1].ops[k];
            *at = differing(pair[0], pair[1]);
            if (*at >= 0)
                return true;
        }
    }
    return false;
}

/* Way number i of the choice with `merged` in the op's place. */
static void write_anew(Builder *b, const Arm *a, const Op *op, Value *merged, Op *select, int i)
{
    Map *map = map_new(b->module->arena);

    map_put(map, MAP_KEY(op->results[0]), merged);
    for (int k = a->n; k-- > 0;) {
        if (a->ops[k] != op)
            op_clone(b, a->ops[k], map);
    }
    select->operands[i] = map_get(map, MAP_KEY(select->operands[i]));
}

static bool merge(const UseLists *uses, Op *select)
{
    Arm arms[ARMS] = {arm_of(uses, select, 1), arm_of(uses, select, 2)};
    Value *operands[MAX_ELEMENTWISE_OPERANDS];
    Op *pair[ARMS];
    int at;

    if (!find_pair(arms, pair, &at))
        return false;
    Builder b = builder_before(select);
    for (int i = 0; i < pair[0]->noperands; i++)
        operands[i] = pair[0]->operands[i];
    operands[at] =
        build_select(&b, select->operands[0], pair[0]->operands[at], pair[1]->operands[at]);
    const Op *one = build_op(&b, pair[0]->code, pair[0]->noperands, operands, 0, NULL, 1,
                             &pair[0]->results[0]->type);
    for (int i = 0; i < ARMS; i++)
        write_anew(&b, &arms[i], pair[i], one->results[0], select, i + 1);
    return true;
}

typedef struct {
    UseLists uses;
    bool merged;
} Either;

static void visit(Op *op, void *either)
{
    Either *e = either;

    if (op->code == OP_select && !e->merged)
        e->merged = merge(&e->uses, op);
}

void opt_either(Func *f)
{
    Either e = {.merged = true};

    for (int i = 0; e.merged && i < MOST_MERGED; i++) {
        e = (Either){.uses = ir_uses(f, f->module->arena)};
        ir_walk(f->body, visit, &e);
        if (e.merged)
            opt_dce(f);
    }
}
