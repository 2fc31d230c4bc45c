/*
 * slots.c - where the values of a function live while it is interpreted
 *
 * Takes verified IR; gives a slot for every value.  Rules that the rest of the interpreter may
 * rely on:
 *   1. Two values share a slot only if one is dead when the other is made, or if they hold the
 *      same bytes (reshape and other ops that move nothing), or by rule 3.
 *   2. The result of an elementwise op may take over the slot of an operand that dies there, if
 *      its elements are no wider; so may the result of dot the slot of its accumulator.
 *   3. The results of a loop share the slots of what it carries: the arguments of `for`'s region,
 *      of `while`'s second.
 *   4. Parameters and the arguments of combine regions have no slot: they are found where the
 *      caller, the launch or the reduction keeps them.  They are never written.
 *   5. Fixed values (the same in every program) have slots of their own for ever.
 *   6. In a plan that keeps values, each has a slot of its own, and none is fixed: rules 1 to 3 and
 *      5 give no two values one slot, so what was computed stays as long as the frame.
 */
#include "machine.h"

/* Fixed values beyond this are computed again by each program: memory, not time, is then short. */
enum { FIXED_BYTES = 4 << 20 };
/* Calls inside calls that a wide region may make; more, or recursion, and it runs lane by lane. */
enum { MOST_CALLS = 4 };

typedef struct {
    size_t bytes;
    int users; /* values alive in it */
} Slot;

typedef struct {
    Arena *arena;
    SlotPlan *plan;
    VEC(Slot) slots;
    VEC(Op *) once;
    Op **last;          /* by value id: the last op of its block that uses it, regions included */
    Map *first_dying;   /* Op* to the Value* at the head of the list of what dies there */
    Value **next_dying; /* by value id */
    bool *released;     /* by value id */
    size_t fixed_bytes;
    size_t lanes;
    int combine_depth;
} Placer;

/* --- where values die --- */

/* The op of v's own block that is or contains `op`. */
static Op *ancestor_beside(const Value *v, Op *op)
{
    while (op->block != v->block)
        op = op->block->owner;
    return op;
}

static void note_use(Op *op, void *ctx)
{
    Placer *p = ctx;

    for (int i = 0; i < op->noperands; i++)
        p->last[op->operands[i]->id] = ancestor_beside(op->operands[i], op);
}

static void add_dying(Placer *p, Value *v, Op *op)
{
    p->next_dying[v->id] = map_get(p->first_dying, MAP_KEY(op));
    map_put(p->first_dying, MAP_KEY(op), v);
}

/* A result that is never used dies where it is made. */
static void note_deaths(Op *op, void *ctx)
{
    Placer *p = ctx;

    for (int i = 0; i < op->nresults; i++) {
        Op *last = p->last[op->results[i]->id];
        add_dying(p, op->results[i], last ? last : op);
    }
    for (int r = 0; r < COUNT(op->regions); r++) {
        for (int i = 0; op->regions[r] && i < op->regions[r]->nargs; i++) {
            Value *arg = op->regions[r]->args[i];
            if (p->last[arg->id])
                add_dying(p, arg, p->last[arg->id]);
        }
    }
}

/* --- slots --- */

static size_t bytes_of(const Placer *p, const Value *v)
{
    return value_size(v) * value_numel(v) * p->lanes;
}

/* Slots come in sizes of powers of two, so that values of like size find each other's. */
static int slot_new(Placer *p, size_t bytes, bool shared)
{
    size_t room = 64;

    while (room < bytes)
        room *= 2;
    for (int s = 0; shared && s < p->slots.len; s++) {
        if (p->slots.at[s].users == 0 && p->slots.at[s].bytes == room) {
            p->slots.at[s].users = 1;
            return s;
        }
    }
    vec_push(p->arena, &p->slots, ((Slot){room, 1}));
    return p->slots.len - 1;
}

static void give_slot(Placer *p, const Value *v)
{
    if (v->type->rank == 0 || !p->plan->options.scalars)
        p->plan->slot_of[v->id] = slot_new(p, bytes_of(p, v), true);
}

static void release_slot(Placer *p, const Value *v)
{
    int slot = p->plan->slot_of[v->id];

    if (slot >= 0 && !p->released[v->id] && !p->plan->fixed[v->id] && !p->plan->options.keeps)
        p->slots.at[slot].users--;
    p->released[v->id] = true;
}

/* Whatever shares it. */
static void free_slot(Placer *p, const Value *v)
{
    if (!p->plan->options.keeps)
        p->slots.at[p->plan->slot_of[v->id]].users = 0;
}

static void hold_slots(Placer *p, int n, Value *const *values)
{
    for (int i = 0; i < n && !p->plan->options.keeps; i++)
        p->slots.at[p->plan->slot_of[values[i]->id]].users = 1;
}

static void release_dying(Placer *p, const Op *op)
{
    for (Value *v = map_get(p->first_dying, MAP_KEY(op)); v; v = p->next_dying[v->id])
        release_slot(p, v);
}

/* Slots for an op's own use: nothing that is alive lies in them. */
static OpSlots *take_temps(Placer *p, Op *op, int n, const size_t *bytes)
{
    OpSlots *own = map_get(p->plan->ops, MAP_KEY(op));

    if (!own) {
        own = NEW(p->arena, OpSlots);
        map_put(p->plan->ops, MAP_KEY(op), own);
    }
    own->temps = NEW_N(p->arena, int, n + 1);
    own->ntemps = n;
    for (int i = 0; i < n; i++)
        own->temps[i] = slot_new(p, bytes[i], true);
    return own;
}

static void release_temps(Placer *p, const OpSlots *own)
{
    for (int i = 0; i < own->ntemps; i++)
        p->slots.at[own->temps[i]].users = 0;
}

/* --- fixed values --- */

/* Ops that give the same in every program, on operands that are.  Combine regions keep their
 * constants: they have many lanes there. */
static bool is_fixed(const Placer *p, const Op *op)
{
    bool simple = op_has(op, PURE) && !op->regions[0] && op->code != OP_program_id &&
                  op->code != OP_dot && op->code != OP_sort;

    for (int i = 0; simple && i < op->noperands; i++)
        simple = p->plan->fixed[op->operands[i]->id];
    return simple && !p->plan->options.keeps && op->nresults == 1 && p->combine_depth == 0 &&
           p->plan->options.lanes == 1 &&
           p->fixed_bytes + bytes_of(p, op->results[0]) <= FIXED_BYTES;
}

static void place_fixed(Placer *p, Op *op)
{
    const Value *v = op->results[0];

    p->plan->fixed[v->id] = true;
    p->plan->slot_of[v->id] = slot_new(p, bytes_of(p, v), false);
    p->fixed_bytes += bytes_of(p, v);
    vec_push(p->arena, &p->once, op);
}

/* --- ops --- */

static void place_block(Placer *p, const Block *b);

/* The result holds operand 0's bytes unchanged. */
static bool moves_nothing(const Op *op)
{
    if (op_has(op, MOVES))
        return op_keeps_order(op);
    return op->code == OP_hint || op->code == OP_bitcast;
}

static bool may_take_over(const Op *op, const Value *v)
{
    if (op->code == OP_dot)
        return v == op->operands[2] && v != op->operands[0] && v != op->operands[1];
    return op_is_elementwise(op) && value_size(op->results[0]) <= value_size(v);
}

static void place_simple(Placer *p, Op *op)
{
    int *slot_of = p->plan->slot_of;

    if (moves_nothing(op) && !p->plan->options.keeps && slot_of[op->operands[0]->id] >= 0 &&
        !p->plan->fixed[op->operands[0]->id]) {
        int slot = slot_of[op->operands[0]->id];
        p->slots.at[slot].users++;
        slot_of[op->results[0]->id] = slot;
        return;
    }
    for (Value *v = map_get(p->first_dying, MAP_KEY(op)); v; v = p->next_dying[v->id]) {
        if (op->nresults == 1 && v != op->results[0] && may_take_over(op, v))
            release_slot(p, v);
    }
    for (int i = 0; i < op->nresults; i++)
        give_slot(p, op->results[i]);
}

/* Values die at the yield that hands them on, but are read after the first were moved. */
static void hold_handed_on(Placer *p, const Op *yield, int users)
{
    for (int i = 0; i < yield->noperands; i++) {
        int slot = p->plan->slot_of[yield->operands[i]->id];
        if (slot >= 0)
            p->slots.at[slot].users += users;
    }
}

/* `for` hands on its carried values through temps where the next iteration's argument j lies in
 * the slot of a value that becomes argument i. */
static void place_hand_over(Placer *p, Op *loop, const Op *yield)
{
    const int *slot_of = p->plan->slot_of;
    size_t *bytes = NEW_N(p->arena, size_t, yield->noperands);
    bool crossed = false;

    for (int i = 0; i < yield->noperands; i++) {
        bytes[i] = bytes_of(p, yield->operands[i]);
        for (int j = 0; j < yield->noperands; j++) {
            int from = slot_of[yield->operands[i]->id];
            crossed |= i != j && from >= 0 && from == slot_of[loop->regions[0]->args[j + 1]->id];
        }
    }
    if (!crossed)
        return;
    hold_handed_on(p, yield, 1);
    release_temps(p, take_temps(p, loop, yield->noperands, bytes));
    hold_handed_on(p, yield, -1);
}

/* Rule 3. */
static void give_results_of_loop(Placer *p, const Op *op, Value *const *carried)
{
    for (int i = 0; i < op->nresults; i++) {
        give_slot(p, op->results[i]);
        if (p->plan->options.keeps)
            give_slot(p, carried[i]);
        else
            p->plan->slot_of[carried[i]->id] = p->plan->slot_of[op->results[i]->id];
    }
}

static void place_for(Placer *p, Op *op)
{
    const Block *body = op->regions[0];

    give_slot(p, body->args[0]);
    give_results_of_loop(p, op, body->args + 1);
    place_block(p, body);
    hold_slots(p, op->nresults, op->results);
    place_hand_over(p, op, body->last);
    free_slot(p, body->args[0]);
}

static void place_while(Placer *p, Op *op)
{
    const Block *before = op->regions[0], *body = op->regions[1];

    give_results_of_loop(p, op, body->args);
    for (int i = 0; i < before->nargs; i++)
        give_slot(p, before->args[i]);
    place_block(p, before);
    hold_slots(p, before->nargs, before->args);
    place_block(p, body);
    hold_slots(p, op->nresults, op->results);
    for (int i = 0; i < before->nargs; i++)
        free_slot(p, before->args[i]);
}

static void place_if(Placer *p, Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        give_slot(p, op->results[i]);
    place_block(p, op->regions[0]);
    place_block(p, op->regions[1]);
}

/* --- combine regions --- */

static bool is_straight(const Block *b, int calls);

/* One op on scalars.  Both arms of an `if` will be run, so they must be straight too. */
static bool is_straight_op(const Op *op, int calls)
{
    for (int i = 0; i < op->nresults; i++) {
        if (op->results[i]->type->rank > 0)
            return false;
    }
    switch (op->code) {
    case OP_const:
    case OP_program_id:
    case OP_num_programs:
    case OP_hint:
        return true;
    case OP_if:
        return is_straight(op->regions[0], calls) && is_straight(op->regions[1], calls);
    case OP_call:
        return calls > 0 && is_straight(op->callee->body, calls - 1);
    default:
        return op_has(op, FOLDS | ENDS);
    }
}

static bool is_straight(const Block *b, int calls)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (!is_straight_op(op, calls))
            return false;
    }
    return true;
}

typedef struct {
    Arena *arena;
    const Block *region;
    VEC(Value *) found;
} Captures;

static void note_capture(Op *op, void *ctx)
{
    Captures *c = ctx;

    for (int i = 0; i < op->noperands; i++) {
        bool known = block_encloses(c->region, op->operands[i]->block);
        for (int j = 0; j < c->found.len; j++)
            known |= c->found.at[j] == op->operands[i];
        if (!known)
            vec_push(c->arena, &c->found, op->operands[i]);
    }
}

static void place_combine(Placer *p, Op *op)
{
    CombineView view = combine_view(op->operands[0]->type, (int)attr_axis(op));
    Captures captures = {.arena = p->arena, .region = op->regions[0]};
    bool wide = !p->plan->options.keeps && is_straight(op->regions[0], MOST_CALLS);
    bool short_rows = view.inner < SHORT_ROW;

    ir_walk(op->regions[0], note_capture, &captures);
    int ncaptured = wide ? captures.found.len : 0, n = COMBINE_TEMPS * op->noperands;
    size_t *bytes = NEW_N(p->arena, size_t, n + ncaptured);
    for (int i = 0; i < op->noperands; i++) {
        size_t all = bytes_of(p, op->operands[i]);
        size_t *of = bytes + COMBINE_TEMPS * i;
        of[TEMP_WORK] = all;
        of[TEMP_FIRST] = of[TEMP_SECOND] = short_rows ? all : 0;
        of[TEMP_ASIDE] = value_size(op->operands[i]) * WIDE_LANES;
    }
    for (int i = 0; i < ncaptured; i++)
        bytes[n + i] = value_size(captures.found.at[i]) * WIDE_LANES;
    OpSlots *own = take_temps(p, op, n + ncaptured, bytes);
    own->wide = wide;
    own->captured = captures.found.at;
    own->ncaptured = ncaptured;
    place_simple(p, op);

    size_t lanes = p->lanes;
    p->lanes = wide ? WIDE_LANES : 1;
    p->combine_depth++;
    place_block(p, op->regions[0]);
    p->combine_depth--;
    p->lanes = lanes;
    release_temps(p, own);
}

/* fp32 (or fp64, i32) copies of both operands, some rows of the product, and one of the result. */
static void place_dot(Placer *p, Op *op)
{
    const Type *acc = op->operands[2]->type;
    size_t size = (size_t)dtype_size(dot_compute_dtype(op)),
           cols = (size_t)acc->dims[acc->rank - 1];
    bool ready = value_dtype(op->operands[0]) == dot_compute_dtype(op);
    size_t bytes[] = {ready ? 0 : size * value_numel(op->operands[0]),
                      ready ? 0 : size * value_numel(op->operands[1]), size * cols * DOT_ROWS,
                      size * cols};
    OpSlots *own = take_temps(p, op, p->plan->options.scalars ? 0 : COUNT(bytes), bytes);

    place_simple(p, op);
    release_temps(p, own);
}

/* Keys of one row. */
static void place_sort(Placer *p, Op *op)
{
    const Type *t = op->operands[0]->type;
    size_t bytes = sizeof(uint64_t) * (size_t)t->dims[t->rank - 1];
    OpSlots *own = take_temps(p, op, p->plan->options.scalars ? 0 : 1, &bytes);

    place_simple(p, op);
    release_temps(p, own);
}

static void place_op(Placer *p, Op *op)
{
    switch (op->code) {
    case OP_for:
        place_for(p, op);
        break;
    case OP_while:
        place_while(p, op);
        break;
    case OP_if:
        place_if(p, op);
        break;
    case OP_dot:
        place_dot(p, op);
        break;
    case OP_sort:
        place_sort(p, op);
        break;
    default:
        if (op_has(op, COMBINES) && !p->plan->options.scalars)
            place_combine(p, op);
        else
            place_simple(p, op);
        break;
    }
}

static void place_block(Placer *p, const Block *b)
{
    for (Op *op = b->first; op; op = op->next) {
        if (is_fixed(p, op))
            place_fixed(p, op);
        else
            place_op(p, op);
        release_dying(p, op);
    }
}

static void fill_plan(Placer *p)
{
    SlotPlan *plan = p->plan;

    plan->nslots = p->slots.len;
    plan->bytes = NEW_N(p->arena, size_t, p->slots.len + 1);
    for (int s = 0; s < p->slots.len; s++)
        plan->bytes[s] = p->slots.at[s].bytes;
    plan->once = p->once.at;
    plan->nonce = p->once.len;
}

SlotPlan *slots_plan(Arena *a, const Func *func, SlotOptions options)
{
    int n = func->nvalues + 1;
    SlotPlan *plan = NEW(a, SlotPlan);
    Placer p = {.arena = a, .plan = plan, .lanes = (size_t)options.lanes};

    plan->func = func;
    plan->options = options;
    plan->slot_of = NEW_N(a, int, n);
    plan->fixed = NEW_N(a, bool, n);
    plan->ops = map_new(a);
    p.last = NEW_N(a, Op *, n);
    p.first_dying = map_new(a);
    p.next_dying = NEW_N(a, Value *, n);
    p.released = NEW_N(a, bool, n);
    for (int i = 0; i < n; i++)
        plan->slot_of[i] = -1;
    for (int i = 0; i < func->nparams; i++)
        plan->fixed[func->body->args[i]->id] = func->is_kernel;
    ir_walk(func->body, note_use, &p);
    ir_walk(func->body, note_deaths, &p);
    place_block(&p, func->body);
    fill_plan(&p);
    return plan;
}
