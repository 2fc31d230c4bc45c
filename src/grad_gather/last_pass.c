/*
 * last_pass.c - of what is read in several passes the gradient is stored in the last one
 *
 *     for s in range(0, n, BLOCK):              for s in range(0, n, BLOCK):
 *         tl.atomic_add(d_x + at, d_a)              total += d_a
 *         total += d_a                      ->
 *     for s in range(0, n, BLOCK):              for s in range(0, n, BLOCK):
 *         tl.atomic_add(d_x + at, d_b)              tl.store(d_x + at, d_a + d_b)
 *
 * As of a long row, which is read for its sum first: no element is written twice, and nobody zeroes
 * it before.  This holds where
 *
 *   1. the passes are loops of the same rounds, behind each other, and each hands something to the
 *      same elements under the same mask;
 *   2. what a pass hands on can be made in the last one: of its counter, of values in front of it,
 *      and of arrays that the kernel does not write, step by step for each element;
 *   3. within a pass, and among programs, no element is met twice.
 *
 * The first two make one atomic of several; the third makes a store of that, if nothing else is
 * handed to the array, or picks.c has put that there.
 */
#include "../opt/opt.h"
#include "gather.h"

typedef struct {
    Grad *g;
    const GradArray *array;
    const PointerBases *bases;
    GradOps adds;     /* of tiles to the array, in the order of the program */
    bool picks;       /* scalars are added to it, too */
    uint64_t written; /* arrays, by number of their parameters */
} Passes;

static void note(Op *op, void *passes)
{
    Passes *p = passes;
    const OpAccess access = ir_access(op);

    if (!(access.effect & WRITES) || op->code == OP_barrier || op->regions[0])
        return;
    p->written |=
        access.pointer < 0 ? EVERY_PARAM : ir_bases_of(p->bases, op->operands[access.pointer]);
    if (op->code != OP_atomic_rmw ||
        grad_array_of(p->g, op->operands[STORE_PTR]) != p->array->gradient->index)
        return;
    if (op->operands[STORE_PTR]->type->rank > 0)
        vec_push(p->g->arena, &p->adds, op);
    else
        p->picks = true;
}

static const Op *pass_of(const Op *add)
{
    const Op *loop = add->block->owner;

    return loop && loop->code == OP_for ? loop : NULL;
}

static Value *counter_of(const Op *loop)
{
    return loop->regions[0]->args[0];
}

static bool is_same_number(const Value *a, const Value *b)
{
    int64_t x, y;

    return a == b ||
           (a->type == b->type && value_const_int(a, &x) && value_const_int(b, &y) && x == y);
}

static bool has_same_rounds(const Op *a, const Op *b)
{
    bool same = a->block == b->block && a != b;

    for (int i = 0; i < FOR_BOUNDS && same; i++)
        same = is_same_number(a->operands[i], b->operands[i]);
    return same;
}

/* Is it read as it was when the pass began? */
static bool is_read_only(const Passes *p, const Op *load)
{
    return !op_is_volatile(load) && !(ir_bases_of(p->bases, load->operands[LOAD_PTR]) & p->written);
}

/* Is it made step by step for each element, so that it may be made again? */
static bool is_plain(const Passes *p, const Op *op)
{
    if (op->regions[0] || op->nresults != 1)
        return false;
    return op_only_reads(op) ? is_read_only(p, op)
                             : op_has(op, PURE) && op->code != OP_dot && !op_has(op, COMBINES);
}

/* In the pass that comes first, what `b` is in the other one?  `twins`: by values of that. */
static bool is_same(Passes *p, Value *a, Value *b, Map *twins)
{
    const Value *twin = map_get(twins, MAP_KEY(b));

    if (a == b || twin)
        return a == b || a == twin;
    if (!a->def || !b->def || a->def->noperands != b->def->noperands || !is_plain(p, b->def))
        return false;
    for (int i = 0; i < a->def->noperands; i++) {
        if (!is_same(p, a->def->operands[i], b->def->operands[i], twins))
            return false;
    }
    if (!opt_same_op(p->g->arena, a->def, b->def, twins))
        return false;
    map_put(twins, MAP_KEY(b), a);
    return true;
}

/* Do both hand something to the same elements? */
static bool meets(Passes *p, const Op *add, const Op *last)
{
    Value *a = op_operand(last, STORE_MASK), *b = op_operand(add, STORE_MASK);
    Map *twins = map_new(p->g->arena);

    map_put(twins, MAP_KEY(counter_of(pass_of(add))), counter_of(pass_of(last)));
    if (is_same(p, last->operands[STORE_PTR], add->operands[STORE_PTR], twins) && !a == !b &&
        (!a || is_same(p, a, b, twins)))
        return true;
    const Value *array = p->array->gradient; /* or written as another sum */
    return terms_go_where(add, array, last, array) && terms_go_where(last, array, add, array);
}

/* Can it be made in the last pass? */
static bool can_move(const Passes *p, const Value *v, const Op *pass, Map *seen)
{
    if (map_get(seen, MAP_KEY(v)) || !opt_inside(v->block, pass) || v == counter_of(pass))
        return true;
    if (!v->def || !is_plain(p, v->def))
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (!can_move(p, v->def->operands[i], pass, seen))
            return false;
    }
    map_put(seen, MAP_KEY(v), (void *)v);
    return true;
}

static bool suits(Passes *p, const Op *add, const Op *last)
{
    const Op *pass = pass_of(add);

    return pass && has_same_rounds(pass, pass_of(last)) && meets(p, add, last) &&
           can_move(p, add->operands[STORE_DATA], pass, map_new(p->g->arena));
}

bool gather_is_alone_in_pass(Grad *g, const GradArray *a)
{
    const int needs = g->needs.len;

    for (int i = 0; i < a->loads.len; i++) {
        const GradOps one = {.at = &a->loads.at[i], .len = 1};
        bool is_tile = one.at[0]->operands[LOAD_PTR]->type->rank > 0;
        if (is_tile && !grad_alone(g, a, &one, g->asked)) {
            g->needs.len = needs;
            return false;
        }
    }
    return true;
}

/* --- moving --- */

static void copy(Builder *b, const Value *v, const Op *pass, Map *copies)
{
    if (map_get(copies, MAP_KEY(v)) || !opt_inside(v->block, pass))
        return;
    for (int i = 0; i < v->def->noperands; i++)
        copy(b, v->def->operands[i], pass, copies);
    b->span = v->def->span;
    b->site = v->def->site;
    op_clone(b, v->def, copies);
}

/* What the pass hands on, where the builder is. */
static Value *moved(Grad *g, const Op *add, const Op *last)
{
    Map *copies = map_new(g->arena);
    Value *data = add->operands[STORE_DATA];

    map_put(copies, MAP_KEY(counter_of(pass_of(add))), counter_of(pass_of(last)));
    copy(&g->b, data, pass_of(add), copies);
    Value *now = map_get(copies, MAP_KEY(data));
    return now ? now : data;
}

/* In place of the atomic, at the same elements. */
static void put(Grad *g, Op *last, OpCode code, Value *data)
{
    Value *operands[3] = {last->operands[STORE_PTR], data, op_operand(last, STORE_MASK)};
    bool adds = code == OP_atomic_rmw;

    g->b = builder_before(last);
    grad_stand_for(g, last);
    operands[STORE_DATA] = build_cast(&g->b, data, operands[STORE_PTR]->type->dtype, ROUND_NEAREST);
    build_op(&g->b, code, last->noperands, operands, adds ? last->nattrs : 0, last->attrs, adds,
             &operands[STORE_DATA]->type);
    op_remove(last);
}

static void add_all_at_once(Passes *p)
{
    Grad *g = p->g;
    const int n = p->adds.len;
    Op *last = p->adds.at[n - 1];
    Value *sum = NULL;

    g->b = builder_before(last);
    for (int i = 0; i < n; i++) {
        Op *add = p->adds.at[i];
        Value *d = add == last ? add->operands[STORE_DATA] : moved(g, add, last);
        grad_stand_for(g, last);
        d = grad_widened(g, d);
        sum = sum ? grad_binary(g, OP_add, sum, d) : d;
        if (add != last)
            op_remove(add);
    }
    if (sum)
        put(g, last, OP_atomic_rmw, sum);
}

static Passes passes_of(Grad *g, const GradArray *a)
{
    Passes p = {.g = g, .array = a, .bases = ir_pointer_bases(g->func, g->arena)};

    ir_walk(g->func->body, note, &p);
    return p;
}

void gather_passes(Grad *g, GradArray *a)
{
    const Builder end = g->b;

    if (a->fill != GRAD_ADDED || grad_by_atomics(g, a))
        return;
    Passes p = passes_of(g, a);
    const Op *last = p.adds.len > 1 ? p.adds.at[p.adds.len - 1] : NULL;
    bool good = last && pass_of(last);
    for (int i = 0; i < p.adds.len - 1 && good; i++)
        good = suits(&p, p.adds.at[i], last);
    if (good)
        add_all_at_once(&p);
    a->in_last_pass = good;
    g->b = end;
}

void gather_in_last_pass(Grad *g, GradArray *a)
{
    const Builder end = g->b;

    if (!a->in_last_pass || a->fill != GRAD_ADDED)
        return;
    Passes p = passes_of(g, a);
    a->in_last_pass = !p.picks && p.adds.len == 1 && gather_is_alone_in_pass(g, a);
    if (!a->in_last_pass)
        return;
    put(g, p.adds.at[0], OP_store, p.adds.at[0]->operands[STORE_DATA]);
    a->fill = GRAD_STORED;
    g->b = end;
}
