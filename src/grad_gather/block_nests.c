/*
 * block_nests.c - the loops in which each program sums up its own blocks, of blocks.c
 *
 *     for n0 in range(program * N, n, programs * N):
 *         d_k = zeros
 *         for p in range(first, last):      # programs that have the block among their rounds
 *             if ..:                        # what else says that they do
 *                 d_k += f, of program p
 *         store d_k
 *
 * What does not go by the program stands in front of the inner loop.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "blocks.h"

/* Any of those in the loop, of which each has one. */
static const Tap *tap_of_loop(const Blocks *b, const Op *loop)
{
    int which = 0;

    while (b->taps[which].tap.loop != loop)
        which++;
    return &b->taps[which].tap;
}

static Value *program_number(Blocks *b, OpCode code)
{
    const Type *i32 = type_scalar(b->g->func->module, DT_I32);
    const int64_t axis = b->axis;

    return build_op(&b->g->b, code, 0, NULL, 1, &axis, 1, &i32)->results[0];
}

/* Is it made for each program, as it goes by that, or as nothing says that the block is there where
 * no program has it? */
static bool is_inside(Blocks *b, const Value *v)
{
    static const char yes, no;
    const char *known = map_get(b->inside, MAP_KEY(v));
    const Op *op = v->def;

    if (!op || (!op->block->owner && !blocks_knows(b, v)))
        return false;
    if (known)
        return known == &yes;
    bool inside = blocks_knows(b, v);
    if (op->code == OP_load && !inside && !b->is_covered[b->loop] &&
        !blocks_say_rounds(op_operand(op, LOAD_MASK), b->loops[b->loop])) {
        inside = !blocks_twin(b, op);
    } else {
        for (int i = 0; i < op->noperands && !inside; i++)
            inside = is_inside(b, op->operands[i]);
    }
    map_put(b->inside, MAP_KEY(v), (void *)(inside ? &yes : &no));
    return inside;
}

/* The value for the block, and, where it is made for each, for the program. */
static Value *make(Blocks *b, Value *v)
{
    Op *op = v->def;
    const bool by_program = is_inside(b, v);
    Map *made = by_program ? b->inner : b->outer, *operands;
    Value *known = map_get(b->outer, MAP_KEY(v));

    known = known ? known : map_get(b->inner, MAP_KEY(v));
    if (known)
        return known;
    if (!op || (!op->block->owner && !by_program))
        return v;
    if (op->code == OP_program_id && by_program)
        return b->program;
    if (op->code == OP_load && !by_program && !b->is_covered[b->loop] &&
        !blocks_say_rounds(op_operand(op, LOAD_MASK), b->loops[b->loop])) {
        op = blocks_twin(b, op);
        return make(b, op->results[0]);
    }
    operands = map_new(b->g->arena);
    for (int i = 0; i < op->noperands; i++)
        map_put(operands, MAP_KEY(op->operands[i]), make(b, op->operands[i]));
    Op *copy = op_clone(by_program ? b->builder : &b->ahead, op, operands);
    for (int i = 0; i < op->nresults; i++)
        map_put(made, MAP_KEY(op->results[i]), copy->results[i]);
    return map_get(made, MAP_KEY(v));
}

/* x = step * program + constant, the step more than 0? */
static bool goes_by_program(const Blocks *b, const Value *x, int64_t *step, int64_t *constant)
{
    Poly p;

    *step = *constant = 0;
    if (!tap_polynomial(x, &p))
        return false;
    for (int i = 0; i < p.count; i++) {
        const PolyTerm *t = &p.terms[i];
        if (t->count == 0)
            *constant = t->scale;
        else if (t->count == 1 && t->of[0].value == domain_program(b->g, b->axis))
            *step = t->scale;
        else
            return false;
    }
    return *step > 0;
}

/* Is it that, or the least of that and of numbers that are the same for all programs, as in
 * `min(first + 4, blocks) * 64`? */
static bool is_least_by_program(Blocks *b, const Value *x, int64_t *step, int64_t *constant)
{
    const Op *op = x->def;
    int64_t by;

    if (goes_by_program(b, x, step, constant))
        return true;
    switch (op ? op->code : OP_COUNT) {
    case OP_min:
        for (int i = 0; i < 2; i++) {
            if (!blocks_knows(b, op->operands[i]))
                return is_least_by_program(b, op->operands[1 - i], step, constant);
        }
        return false;
    case OP_add:
        if (!value_const_int(op->operands[1], &by) ||
            !is_least_by_program(b, op->operands[0], step, constant))
            return false;
        *constant += by;
        return true;
    case OP_mul:
        if (!value_const_int(op->operands[1], &by) || by <= 0 ||
            !is_least_by_program(b, op->operands[0], step, constant))
            return false;
        *step *= by;
        *constant *= by;
        return true;
    case OP_cast:
        return is_least_by_program(b, op->operands[0], step, constant);
    default:
        return false;
    }
}

/* Are programs that have the block among their rounds those from a number on, by this end of
 * rounds? */
static bool is_from_program(Blocks *b, const Tap *t, const Value *end, int64_t *step,
                            int64_t *constant)
{
    int64_t lo;

    return is_least_by_program(b, end, step, constant) &&
           (*constant <= *step ||
            (t->lo == b->begin && value_const_int(t->lo, &lo) && lo >= *constant - *step));
}

static Value *both(Builder *b, Value *x, Value *y)
{
    return x ? build_binary(b, OP_and, x, y) : y;
}

static Value *plus(Builder *b, Value *x, int64_t n)
{
    return n == 0 ? x : build_binary(b, OP_add, x, build_int(b, x->type, n));
}

/* Are numbers of blocks, divided by this, numbers of programs? */
static bool has_programs(const Blocks *b, int64_t step)
{
    Poly apart = b->end;
    int64_t more;

    return b->end.count > 0 && domain_add_programs(b->g, b->axis, -step, &apart) &&
           poly_is_constant(&apart, &more) && more <= 0;
}

/* Which programs have the block among the rounds of their loop: *from on, and before *to, of which
 * NULL says that all do; what else must hold is built later.  True: that is one program, *from. */
static bool find_programs(Blocks *b, const Tap *t, Value **from, Value **to)
{
    Builder *at = &b->g->b;
    int64_t step, constant, end_step = 0, behind = 0;

    *from = *to = NULL;
    for (int i = 0; i < t->nends; i++) { /* block < step * p + constant */
        if (!is_from_program(b, t, t->ends[i], &step, &constant) || *from)
            continue;
        end_step = step;
        behind = step - constant;
        Value *above = plus(at, b->block, behind);
        *from = build_binary(at, OP_div, above, build_int(at, above->type, step));
    }
    if (!goes_by_program(b, t->lo, &step, &constant) || constant > 0) /* lo <= block */
        return false;
    if (has_programs(b, step) && *from && end_step == step && behind == -constant)
        return true;
    Value *above = plus(at, b->block, -constant);
    *to = plus(at, build_binary(at, OP_div, above, build_int(at, above->type, step)), 1);
    return false;
}

/* What else says whether the program has the block in its loop; NULL: nothing. */
static Value *find_condition(Blocks *b, const Tap *t, const Value *end)
{
    Value *holds = NULL;
    bool from = false;
    int64_t step, constant, lo;

    for (int i = 0; i < t->nends; i++) {
        const bool by_from = is_from_program(b, t, t->ends[i], &step, &constant) && !from;
        from |= by_from;
        if (t->ends[i] == end ? by_from || !blocks_knows(b, end)
                              : by_from && goes_by_program(b, t->ends[i], &step, &constant))
            continue;
        Value *limit =
            build_cast(b->builder, make(b, t->ends[i]), b->block->type->dtype, ROUND_NEAREST);
        holds = both(b->builder, holds, build_binary(b->builder, OP_lt, b->block, limit));
    }
    if ((value_const_int(t->lo, &lo) && lo <= 0) || t->lo == b->begin ||
        (goes_by_program(b, t->lo, &step, &constant) && constant <= 0))
        return holds;
    Value *limit = build_cast(b->builder, make(b, t->lo), b->block->type->dtype, ROUND_NEAREST);
    return both(b->builder, holds, build_binary(b->builder, OP_ge, b->block, limit));
}

/* The sums with what the taps of the loop hand on for one block and program. */
static void add_parts(Blocks *b, const Op *loop, Value **sums)
{
    for (int i = 0; i < b->ntaps; i++) {
        const BlockTap *t = &b->taps[i];
        int which = 0;
        if (t->tap.loop != loop)
            continue;
        while (b->arrays[which] != t->array)
            which++;
        Value *d = make(b, t->tap.data), *sum = sums[which];
        Builder *at = b->builder;
        at->span = t->tap.op->span;
        at->site = t->tap.op->site;
        at->mark = t->tap.op->mark;
        d = build_cast(at, d, sum->type->dtype, ROUND_NEAREST);
        if (!blocks_say_all(b->stored[which], &t->tap)) {
            Value *mask = make(b, t->tap.mask);
            d = build_select(at, mask, d, build_float(at, d->type, 0));
        }
        sums[which] = build_binary(at, OP_add, sum, d);
        value_shaped_like(b->g->func->module, sums[which], t->tap.data);
    }
}

static void name_sums(const Blocks *b, Value *const *from, Value **to)
{
    for (int i = 0; i < b->narrays; i++) {
        to[i]->name = from[i]->name;
        value_shaped_like(b->g->func->module, to[i], from[i]);
    }
}

static void sum_if(Blocks *b, const Tap *t, Value *holds, Value **sums)
{
    const Type *types[MOST_ARRAYS];
    Value *after[MOST_ARRAYS];
    const Builder outside = *b->builder;

    for (int i = 0; i < b->narrays; i++) {
        types[i] = sums[i]->type;
        after[i] = sums[i];
    }
    Op *made = build_op(b->builder, OP_if, 1, &holds, 0, NULL, b->narrays, types);
    *b->builder = builder_into(&outside, made->regions[0]);
    add_parts(b, t->loop, after);
    build_yield(b->builder, OP_yield, b->narrays, after);
    *b->builder = builder_into(&outside, made->regions[1]);
    build_yield(b->builder, OP_yield, b->narrays, sums);
    *b->builder = outside;
    name_sums(b, sums, made->results);
    for (int i = 0; i < b->narrays; i++)
        sums[i] = made->results[i];
}

/* Sums with what the program hands on in the block's round, if it has that. */
static void sum_program(Blocks *b, const Tap *t, const Value *end, Value **sums)
{
    Value *holds = find_condition(b, t, end);
    if (holds)
        sum_if(b, t, holds, sums);
    else
        add_parts(b, t->loop, sums);
}

/* for p in range(from, to): sums += what the loop of the forward hands on in the block's round */
static void sum_programs(Blocks *b, const Op *loop, const Value *end, Value **sums)
{
    Grad *g = b->g;
    const Tap *t = tap_of_loop(b, loop);
    const Type *types[MOST_ARRAYS];
    Value *operands[FOR_BOUNDS + MOST_ARRAYS], *from, *to;

    grad_stand_for(g, loop);
    b->inner = map_new(g->arena);
    b->inside = map_new(g->arena);
    b->loop = blocks_loop(b, loop);
    for (int i = 0; i < b->nloops; i++)
        map_put(b->outer, MAP_KEY(b->loops[i]->regions[0]->args[0]), b->block);
    if (find_programs(b, t, &from, &to)) {
        b->program = build_cast(&g->b, from, DT_I32, ROUND_NEAREST);
        b->builder = &g->b;
        Op *mark = b->program->def;
        b->ahead = builder_before(mark);
        sum_program(b, t, end, sums);
        return;
    }
    const Type *number = type_scalar(g->func->module, DT_I32);
    Value *all = program_number(b, OP_num_programs);
    operands[FOR_LO] =
        from ? build_cast(&g->b, from, DT_I32, ROUND_NEAREST) : build_int(&g->b, number, 0);
    to = to ? build_cast(&g->b, to, DT_I32, ROUND_NEAREST) : all;
    operands[FOR_HI] = to == all ? all : build_binary(&g->b, OP_min, to, all);
    operands[FOR_STEP] = build_int(&g->b, number, 1);
    for (int i = 0; i < b->narrays; i++) {
        operands[FOR_BOUNDS + i] = sums[i];
        types[i] = sums[i]->type;
    }
    Op *made = build_op(&g->b, OP_for, FOR_BOUNDS + b->narrays, operands, loop->nattrs, loop->attrs,
                        b->narrays, types);
    Block *body = made->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, number);
    for (int i = 0; i < b->narrays && body->nargs < 1 + b->narrays; i++)
        block_add_arg(body, types[i]);
    b->program = body->args[0];
    b->program->name = domain_program(g, b->axis)->name;
    name_sums(b, sums, &body->args[1]);
    name_sums(b, sums, made->results);
    b->ahead = builder_before(made);
    Builder inside = builder_into(&g->b, body);
    b->builder = &inside;
    Value *now[MOST_ARRAYS];
    for (int i = 0; i < b->narrays; i++)
        now[i] = body->args[1 + i];
    sum_program(b, t, end, now);
    build_yield(&inside, OP_yield, b->narrays, now);
    for (int i = 0; i < b->narrays; i++)
        sums[i] = made->results[i];
}

static void store_sums(Blocks *b, Value *const *sums)
{
    for (int i = 0; i < b->narrays; i++) {
        const Tap *t = b->stored[i];
        b->ahead = b->g->b;
        b->loop = blocks_loop(b, t->loop);
        b->inside = map_new(b->g->arena);
        Value *pointer = make(b, t->pointer), *mask = t->mask ? make(b, t->mask) : NULL;
        grad_stand_for(b->g, t->op);
        Value *d = build_cast(&b->g->b, sums[i], pointer->type->dtype, ROUND_NEAREST);
        vec_push(b->g->arena, &b->made[i],
                 build_op(&b->g->b, OP_store, mask ? 3 : 2, (Value *[]){pointer, d, mask}, 0, NULL,
                          0, NULL));
    }
}

/* Is it for no program less than for those before? */
static bool only_grows(Blocks *b, const Value *v)
{
    const Op *op = v->def;
    int64_t by;

    if (!blocks_knows(b, v))
        return true;
    switch (op->code) {
    case OP_program_id:
        return true;
    case OP_add:
    case OP_min:
    case OP_max:
        return only_grows(b, op->operands[0]) && only_grows(b, op->operands[1]);
    case OP_sub:
        return only_grows(b, op->operands[0]) && !blocks_knows(b, op->operands[1]);
    case OP_mul:
    case OP_div:
        return value_const_int(op->operands[1], &by) && by > 0 && only_grows(b, op->operands[0]);
    case OP_cast:
    case OP_hint:
        return only_grows(b, op->operands[0]);
    default:
        return false;
    }
}

/* What it is for the last program. */
static Value *of_last(Blocks *b, Value *v)
{
    Builder *at = &b->g->b;
    Op *op = v->def;
    Map *operands;

    if (!blocks_knows(b, v))
        return v;
    if (op->code == OP_program_id)
        return plus(at, program_number(b, OP_num_programs), -1);
    operands = map_new(b->g->arena);
    for (int i = 0; i < op->noperands; i++)
        map_put(operands, MAP_KEY(op->operands[i]), of_last(b, op->operands[i]));
    return op_clone(at, op, operands)->results[0];
}

/* More than the loop's rounds reach in any program; NULL: it cannot be said.  *end: what is less
 * than that in all of them, as it stands there. */
static Value *end_of_all(Blocks *b, const Tap *t, const Value **end, Poly *out)
{
    Builder *at = &b->g->b;
    int64_t step, constant;

    Value *ends[MOST_ENDS];
    int n = 0;

    blocks_ends(t->loop->operands[FOR_HI], ends, &n);
    for (int i = 0; i < n; i++) {
        *end = ends[i];
        if (!blocks_knows(b, ends[i]) && tap_polynomial(ends[i], out))
            return ends[i];
    }
    for (int i = 0; i < t->nends; i++) { /* of the last program */
        if (!goes_by_program(b, t->ends[i], &step, &constant))
            continue;
        *out = (Poly){0};
        if (!domain_add_programs(b->g, b->axis, step, out) ||
            !poly_push(out, &(PolyTerm){.scale = constant - step}))
            return NULL;
        Value *all = program_number(b, OP_num_programs);
        *end = t->ends[i];
        return plus(at, build_binary(at, OP_mul, all, build_int(at, all->type, step)),
                    constant - step);
    }
    *end = t->loop->operands[FOR_HI];
    if (!only_grows(b, *end))
        return NULL;
    Value *last = of_last(b, t->loop->operands[FOR_HI]);
    return tap_polynomial(last, out) ? last : NULL;
}

/* Do the rounds of the loop end there, or before, as those of whole blocks of n do before n? */
static bool ends_before(const Tap *t, const Poly *there)
{
    Value *ends[MOST_ENDS];
    int n = 0;
    Poly p;

    blocks_ends(t->loop->operands[FOR_HI], ends, &n);
    for (int i = 0; i < n; i++) {
        if (tap_polynomial(ends[i], &p) && poly_equal(&p, there))
            return true;
    }
    return false;
}

/* The blocks of all loops end there. */
static Value *find_end(Blocks *b, const Value **ends, Poly *out)
{
    Value *all = NULL;

    for (int i = 0; i < b->nloops; i++) {
        const Tap *t = tap_of_loop(b, b->loops[i]);
        Poly p;
        grad_stand_for(b->g, t->loop);
        Value *one = end_of_all(b, t, &ends[i], &p);
        int64_t more;
        Poly apart = p;
        if (!one)
            return NULL;
        one = build_cast(&b->g->b, one, DT_I32, ROUND_NEAREST);
        if (!all) {
            all = one;
            *out = p;
            continue;
        }
        if (ends_before(t, out)) {
            ends[i] = NULL;
            continue;
        }
        if (poly_add(&apart, out, -1) && poly_is_constant(&apart, &more)) {
            all = more > 0 ? one : all;
            *out = more > 0 ? p : *out;
            continue;
        }
        all = build_binary(&b->g->b, OP_max, all, one);
        *out = (Poly){0};
    }
    return all;
}

/* All rounds are among blocks from `begin`, or from 0, on. */
static bool can_begin(const Blocks *b)
{
    bool good = true;

    for (int i = 0; i < b->ntaps && !b->begin; i++)
        good &= blocks_begin(&b->taps[i].tap);
    return good;
}

/* Has each block some program that has it among its rounds, of which p is more than the last? */
static bool is_covered(const Blocks *b, const Tap *t, const Value *end, const Poly *p)
{
    int64_t lo, step, behind, first, constant;

    if (t->nends != 1 || t->ends[0] != end || !poly_equal(p, &b->end))
        return false;
    if (t->lo != b->begin && value_const_int(t->lo, &lo))
        return lo <= 0;
    return t->lo == b->begin || (goes_by_program(b, t->lo, &step, &first) && first <= 0 &&
                                 goes_by_program(b, end, &behind, &constant) && behind == step &&
                                 constant - first >= step);
}

/* Some of each array's blocks lie beyond it?  Not where a mask, or some program's rounds, say how
 * many there are. */
static bool find_covered(Blocks *b, const Value *const *ends)
{
    bool good = true;

    for (int i = 0; i < b->ntaps; i++) {
        const Tap *t = &b->taps[i].tap;
        const int loop = blocks_loop(b, t->loop);
        Poly p;
        const Value *end;
        b->is_covered[loop] = end_of_all(b, t, &end, &p) && is_covered(b, t, ends[loop], &p);
    }
    for (int i = 0; i < b->narrays; i++)
        good &= blocks_say_rounds(b->stored[i]->mask, b->stored[i]->loop) ||
                b->is_covered[blocks_loop(b, b->stored[i]->loop)];
    return good;
}

/* The loop over the blocks that the program owns; or, where there is one for each, no loop. */
bool blocks_nest(Blocks *b)
{
    Grad *g = b->g;
    const Value *ends[MOST_LOOPS];
    Value *sums[MOST_ARRAYS];
    Poly one = {0};
    int64_t lo;
    const Builder outside = g->b;
    Value *all = find_end(b, ends, &b->end);

    const Value *begin = b->loops[0]->operands[FOR_LO];

    b->begin = b->nloops == 1 && (!value_const_int(begin, &lo) || lo > 0) && !blocks_knows(b, begin)
                   ? begin
                   : NULL;
    if (!all || !can_begin(b) || !blocks_find_masks(b) || !find_covered(b, ends) ||
        !domain_add_programs(g, b->axis, b->step, &one))
        return false;
    grad_stand_for(g, b->loops[0]);
    Value *step = build_int(&g->b, all->type, b->step);
    Value *first = build_binary(&g->b, OP_mul, program_number(b, OP_program_id), step);
    Op *loop = NULL;
    if (b->begin)
        first = build_binary(&g->b, OP_add,
                             build_cast(&g->b, (Value *)begin, DT_I32, ROUND_NEAREST), first);
    if (!b->begin && poly_equal(&b->end, &one)) {
        b->block = first;
    } else {
        Value *by = build_binary(&g->b, OP_mul, program_number(b, OP_num_programs), step);
        loop = build_op(&g->b, OP_for, FOR_BOUNDS, (Value *[]){first, all, by}, b->loops[0]->nattrs,
                        b->loops[0]->attrs, 0, NULL);
        if (loop->regions[0]->nargs == 0)
            block_add_arg(loop->regions[0], all->type);
        b->block = loop->regions[0]->args[0];
        g->b = builder_into(&g->b, loop->regions[0]);
    }
    b->block->name = b->loops[0]->regions[0]->args[0]->name;
    b->outer = map_new(g->arena);
    for (int i = 0; i < b->narrays; i++) {
        const Tap *t = b->stored[i];
        const char *loaded = b->arrays[i]->loads.at[0]->results[0]->name;
        const int array = b->arrays[i]->array->index;
        const char *name = loaded
                               ? arena_printf(g->arena, "d_%s", loaded)
                               : arena_printf(g->arena, "d_%s_block", g->func->params[array].name);
        sums[i] = way_zeros_like(g, t->data);
        sums[i]->name = intern(g->func->module->interner, name);
    }
    for (int i = 0; i < b->nloops; i++)
        sum_programs(b, b->loops[i], ends[i], sums);
    store_sums(b, sums);
    if (loop)
        build_yield(&g->b, OP_yield, 0, NULL);
    g->b = outside;
    return true;
}
