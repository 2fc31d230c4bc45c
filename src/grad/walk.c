/*
 * walk.c - a derived program does what several programs of the forward do, one after the other
 *
 *     d_w = tl.zeros([BLOCK], tl.float32)
 *     each = tl.cdiv(programs, tl.num_programs(0))
 *     first = tl.program_id(0) * each
 *     for pid in range(first, tl.minimum(first + each, programs)):
 *         ..
 *         d_w += ..
 *     tl.store(d_w_row + columns, d_w, mask=inside)
 *
 * so that what programs hand to the same elements is summed where it is made, and rows of parts are
 * few.  They are neighbours, which mostly read what lies one behind the other.  How many programs
 * there are follows from the forward's grid alone, and so does the order of
 * each sum.  Where an address does not stay the same, as in a loop over columns, sums grow in the
 * program's row.  Of several axes all programs are counted through, the first axis's fastest.
 */
#include "../opt/opt.h"
#include "grad.h"

bool grad_is_walked(const Grad *g, const GradArray *a)
{
    const unsigned axes = g->walk.axes;

    return axes && a->fill == GRAD_PARTS && (axes & ~a->meeting) == 0;
}

/* How many arrays have parts that become fewer, if a program walks along these axes? */
static int count_walked(const Grad *g, unsigned axes)
{
    int n = 0;

    for (int i = 0; i < g->nwrt; i++)
        n += g->wrt[i].fill == GRAD_PARTS && (axes & ~g->wrt[i].meeting) == 0;
    return n;
}

static const char *parameter_name(const Grad *g, int axis)
{
    bool several = (g->walk.axes & (g->walk.axes - 1)) != 0;

    return several ? arena_printf(g->arena, "programs_%d", axis) : "programs";
}

void grad_choose_walk(Grad *g)
{
    const Type *i32 = type_scalar(g->func->module, DT_I32);
    GradWalk *w = &g->walk;
    Builder b = builder_before(g->func->body->first);

    for (int i = 0; i < g->nwrt; i++) {
        const unsigned axes = g->wrt[i].meeting;
        int n = count_walked(g, axes), most = w->axes ? count_walked(g, w->axes) : 0;

        if (g->wrt[i].fill == GRAD_PARTS &&
            (n > most || (n == most && __builtin_popcount(axes) > __builtin_popcount(w->axes))))
            w->axes = axes;
    }
    if (!w->axes)
        return;
    for (int axis = 0; axis < AXES; axis++) {
        if (w->axes >> axis & 1)
            w->all[axis] = grad_new_parameter(g, parameter_name(g, axis), i32);
    }
    const int64_t along = __builtin_ctz(w->axes);
    b.span = (Span){0};
    w->program = build_op(&b, OP_program_id, 0, NULL, 1, &along, 1, &i32)->results[0];
    w->programs = build_op(&b, OP_num_programs, 0, NULL, 1, &along, 1, &i32)->results[0];
    w->program->name = intern(g->func->module->interner, "program");
    w->programs->name = intern(g->func->module->interner, "walking");
    w->front = build_int(&b, i32, 0)->def;
    w->copies = map_new(g->arena);
    w->varies = map_new(g->arena);
}

/* --- what is the same for all programs that are walked over --- */

static bool is_walked_axis(const Grad *g, const Op *op)
{
    return g->walk.axes >> attr_axis(op) & 1;
}

Value *grad_in_front(const Grad *g, Value *v)
{
    const GradWalk *w = &g->walk;
    Value *known = map_get(w->copies, MAP_KEY(v));
    const Op *op = v->def;
    Builder b = builder_before(w->front);

    if (known || map_get(w->varies, MAP_KEY(v)))
        return known;
    if (!op && v->block == g->func->body)
        return v;
    if (op && op->code == OP_num_programs && is_walked_axis(g, op))
        return w->all[attr_axis(op)];
    bool same = op && op_has(op, PURE) && !op->regions[0] &&
                !(op->code == OP_program_id && is_walked_axis(g, op));
    for (int i = 0; same && i < op->noperands; i++)
        same = grad_in_front(g, op->operands[i]) != NULL;
    if (same)
        return op_clone(&b, op, w->copies)->results[0];
    map_put(w->varies, MAP_KEY(v), v);
    return NULL;
}

/* What stands in front already is its own copy. */
static void keep_front(const Grad *g)
{
    for (const Op *op = g->func->body->first; op != g->walk.front; op = op->next) {
        for (int i = 0; i < op->nresults; i++)
            map_put(g->walk.copies, MAP_KEY(op->results[i]), op->results[i]);
    }
}

/* --- sums --- */

/* A store to a row of parts, whose sum the loop carries. */
typedef struct {
    Op *store;
    const GradArray *to;
    Value *pointer, *mask; /* behind the loop; no mask: NULL */
    Value *init, *next;
} RowSum;
typedef struct {
    Grad *g;
    GradOps stores; /* to rows of parts */
    VEC(RowSum) sums;
} Walk;

static Value *both(Builder *b, Value *x, Value *y)
{
    return x ? build_binary(b, OP_and, x, y) : y;
}

/* Of a mask the part that is the same for all programs, in front of the loop, and the rest. */
static void split_mask(Grad *g, Value *mask, Value **same, Value **rest)
{
    Value *copy = grad_in_front(g, mask);
    Builder front = builder_before(g->walk.front);

    if (copy) {
        *same = both(&front, *same, copy);
    } else if (opt_made_by(mask, OP_and)) {
        split_mask(g, mask->def->operands[0], same, rest);
        split_mask(g, mask->def->operands[1], same, rest);
    } else {
        *rest = both(&g->b, *rest, mask);
    }
}

static GradArray *walked_array(Grad *g, const Op *store)
{
    int array = store->code == OP_store ? grad_array_of(g, store->operands[STORE_PTR]) : -1;

    for (int i = 0; i < g->nwrt && array >= 0; i++) {
        if (g->wrt[i].gradient->index == array && grad_is_walked(g, &g->wrt[i]))
            return &g->wrt[i];
    }
    return NULL;
}

void grad_add_in_memory(Grad *g, Op *op, bool waits)
{
    Value *pointer = op->operands[STORE_PTR], *data = op->operands[STORE_DATA];
    Value *mask = op_operand(op, STORE_MASK);

    g->b = builder_before(op);
    grad_stand_for(g, op);
    if (waits)
        build_op(&g->b, OP_barrier, 0, NULL, 0, NULL, 0, NULL);
    Value *zero = mask ? grad_number(g, data, 0) : NULL;
    Value *so_far = build_load(&g->b, pointer, mask, zero)->results[0];
    Value *operands[3] = {pointer, grad_binary(g, OP_add, so_far, data), mask};
    build_op(&g->b, OP_store, mask ? 3 : 2, operands, 0, NULL, 0, NULL);
}

/* Can the sum be carried, and stored behind the loop? */
static bool find_sum(Grad *g, const GradArray *to, Op *store, RowSum *out)
{
    Value *data = store->operands[STORE_DATA], *mask = op_operand(store, STORE_MASK);
    Value *same = NULL, *rest = NULL;
    Builder front = builder_before(g->walk.front);

    g->b = builder_before(store);
    *out = (RowSum){.store = store, .to = to, .next = data};
    out->pointer = grad_in_front(g, store->operands[STORE_PTR]);
    if (store->block != g->func->body || !out->pointer)
        return false;
    if (mask)
        split_mask(g, mask, &same, &rest);
    if (rest && !grad_is_in_row(g, to, out->pointer, same))
        return false;
    if (rest)
        out->next = build_select(&g->b, rest, data, grad_number(g, data, 0));
    out->mask = same;
    out->init = build_float(&front, data->type, 0);
    value_shaped_like(g->func->module, out->init, data);
    return true;
}

static void find_store(Op *op, void *walk)
{
    Walk *w = walk;

    if (walked_array(w->g, op))
        vec_push(w->g->arena, &w->stores, op);
}

static bool is_only_store(const Walk *w, const GradArray *to)
{
    int n = 0;

    for (int i = 0; i < w->stores.len; i++)
        n += walked_array(w->g, w->stores.at[i]) == to;
    return n == 1;
}

static void find_sums(Walk *w)
{
    Grad *g = w->g;

    ir_walk(g->func->body, find_store, w);
    for (int i = 0; i < w->stores.len; i++) {
        GradArray *to = walked_array(g, w->stores.at[i]);
        RowSum sum;

        if (find_sum(g, to, w->stores.at[i], &sum)) {
            to->fills_rows = is_only_store(w, to) && grad_fills_row(g, to, sum.pointer, sum.mask);
            vec_push(g->arena, &w->sums, sum);
        } else {
            grad_add_in_memory(g, w->stores.at[i], true);
        }
    }
    for (int i = 0; i < w->stores.len; i++)
        op_remove(w->stores.at[i]);
}

/* --- the loop --- */

/* Which of all programs this one walks over: the bounds of the loop. */
static void find_range(Grad *g, Builder *b, Value *all, Value **bounds)
{
    Interner *in = g->func->module->interner;
    Value *one = build_int(b, all->type, 1), *number = g->walk.programs;
    Value *more = build_binary(b, OP_sub, build_binary(b, OP_add, all, number), one);
    Value *each = build_binary(b, OP_div, more, number);
    Value *first = build_binary(b, OP_mul, g->walk.program, each);

    each->name = intern(in, "each");
    first->name = intern(in, "first");
    bounds[FOR_LO] = first;
    bounds[FOR_HI] = build_binary(b, OP_min, build_binary(b, OP_add, first, each), all);
    bounds[FOR_STEP] = one;
}

static Op *make_loop(Walk *w, Builder *b)
{
    Grad *g = w->g;
    const int n = w->sums.len;
    Value **operands = NEW_N(g->arena, Value *, FOR_BOUNDS + n);
    const Type **types = NEW_N(g->arena, const Type *, n + 1);
    Builder front = builder_before(g->walk.front);
    Value *all = g->walk.all[__builtin_ctz(g->walk.axes)];

    for (int axis = __builtin_ctz(g->walk.axes) + 1; axis < AXES; axis++) {
        if (g->walk.all[axis])
            all = build_binary(&front, OP_mul, all, g->walk.all[axis]);
    }
    find_range(g, &front, all, operands);
    for (int i = 0; i < n; i++) {
        operands[FOR_BOUNDS + i] = w->sums.at[i].init;
        types[i] = w->sums.at[i].init->type;
    }
    Op *loop = build_op(b, OP_for, FOR_BOUNDS + n, operands, 0, NULL, n, types);
    Block *body = loop->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, all->type);
    for (int i = body->nargs - 1; i < n; i++)
        block_add_arg(body, types[i]);
    for (int i = 0; i < n; i++) {
        const char *name = w->sums.at[i].to->total;
        loop->results[i]->name = body->args[i + 1]->name = intern(g->func->module->interner, name);
        value_shaped_like(g->func->module, body->args[i + 1], w->sums.at[i].init);
        value_shaped_like(g->func->module, loop->results[i], w->sums.at[i].init);
    }
    return loop;
}

/* The forward's number of a program along an axis. */
typedef struct {
    Grad *g;
    Value *numbers[AXES];
} Numbers;

/* The first axis's numbers change fastest. */
static Numbers numbers_of(Grad *g, Builder *b, Value *counter)
{
    Numbers out = {.g = g};
    Value *rest = counter;

    for (int axis = 0; axis < AXES; axis++) {
        Value *all = g->walk.all[axis];
        if (!all)
            continue;
        bool is_last = g->walk.axes >> axis == 1;
        out.numbers[axis] = is_last ? rest : build_binary(b, OP_rem, rest, all);
        rest = is_last ? NULL : build_binary(b, OP_div, rest, all);
    }
    return out;
}

static void replace(Op *op, void *numbers)
{
    const Numbers *n = numbers;
    bool asks = op->code == OP_program_id || op->code == OP_num_programs;

    if (!asks || !is_walked_axis(n->g, op))
        return;
    Value *now =
        op->code == OP_program_id ? n->numbers[attr_axis(op)] : n->g->walk.all[attr_axis(op)];
    if (!now->name)
        now->name = op->results[0]->name;
    op->results[0]->repl = now;
}

/* All of the kernel but what stands in front. */
static void fill_loop(Walk *w, Op *loop)
{
    Grad *g = w->g;
    Block *body = loop->regions[0];
    Builder b = builder_at_end(g->func, body);
    Numbers numbers = numbers_of(g, &b, body->args[0]);
    Value **next = NEW_N(g->arena, Value *, w->sums.len + 1);

    while (g->walk.front->next != loop)
        op_append(body, g->walk.front->next);
    ir_walk(body, replace, &numbers);
    if (!body->args[0]->name)
        body->args[0]->name = intern(g->func->module->interner, "pid");
    for (int i = 0; i < w->sums.len; i++)
        next[i] = build_binary(&b, OP_add, body->args[i + 1], w->sums.at[i].next);
    build_yield(&b, OP_yield, w->sums.len, next);
}

void grad_walk_programs(Grad *g)
{
    Op *end = g->func->body->last;
    Walk w = {.g = g};
    Builder b = builder_before(end);

    if (!g->walk.axes)
        return;
    keep_front(g);
    find_sums(&w);
    b.span = (Span){0};
    Op *loop = make_loop(&w, &b);
    fill_loop(&w, loop);
    for (int i = 0; i < w.sums.len; i++) {
        const RowSum *s = &w.sums.at[i];
        Value *operands[3] = {s->pointer, loop->results[i], s->mask};

        b.span = s->store->span;
        b.site = s->store->site;
        build_op(&b, OP_store, s->mask ? 3 : 2, operands, 0, NULL, 0, NULL);
    }
    opt_resolve_all(g->func->body);
}
