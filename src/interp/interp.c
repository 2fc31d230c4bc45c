/*
 * interp.c - runs a kernel: programs, blocks, control flow and calls
 *
 * Takes verified IR in any stage and a launch; executes op by op, whole tiles at a time, through
 * scalar_apply and the other interp_*.c files.  Read machine.h first.
 *
 * A wide region (machine.h) is executed by the same functions: a scalar there is an array of
 * f->width elements, and an `if` runs both arms and chooses by lane.
 */
#include <string.h>

#include "machine.h"

/* The helpers that are being run, the innermost first. */
static void note_calls(const Machine *m)
{
    for (int i = m->depth - 1; i >= MAX(0, m->depth - MOST_CALLS_SHOWN); i--) {
        diag_call(m->diags, m->calls[i]->span, m->calls[i]->callee->name);
        ir_diag_calls(m->diags, m->calls[i]->block->func->module, m->calls[i]->site);
    }
}

void machine_stop(Machine *m, const Op *op, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ir_diag_v(m->diags, DIAG_ERROR, op, fmt, ap);
    va_end(ap);
    note_calls(m);
    fail(&m->guard);
}

void machine_stop_race(Machine *m, const Op *op, const char *access, const Race *race)
{
    const InterpLaunch *l = m->launch;
    const char *what = l->describe(l->describe_user, m->arena, race->address);
    Span other = {race->other_place, race->other_place};

    race_tell(m->diags, race, access, what, op->span, other, l->grid);
    ir_diag_calls(m->diags, op->block->func->module, op->site);
    note_calls(m);
    diag(m->diags, DIAG_NOTE, (Span){0}, "in program (%d, %d, %d)", m->program[0], m->program[1],
         m->program[2]);
    m->raced = true;
    fail(&m->guard);
}

/* --- ops --- */

static void exec_const(Frame *f, const Op *op)
{
    const Value *v = op->results[0];

    machine_fill(result(f, op), op->attrs, value_size(v), value_numel(v) * f->width);
}

static void exec_program(Frame *f, const Op *op)
{
    const Machine *m = f->machine;
    int axis = (int)attr_axis(op);
    int32_t v = op->code == OP_program_id ? m->program[axis] : m->launch->grid[axis];

    machine_fill(result(f, op), &v, sizeof v, f->width);
}

static void exec_move(Frame *f, const Op *op)
{
    if (f->slot[op->operands[0]->id] == f->slot[op->results[0]->id])
        return; /* slots.c: the same bytes */
    if (op_keeps_order(op))
        copy_value(f, op->operands[0], op->results[0]);
    else
        machine_move(op, result(f, op), operand(f, op, 0));
}

static void exec_elementwise(Frame *f, const Op *op)
{
    const Value *typical = op->operands[op->code == OP_select ? 1 : 0];
    const Value *v = op->results[0];
    const void *src[MAX_ELEMENTWISE_OPERANDS];

    for (int i = 0; i < op->noperands; i++)
        src[i] = operand(f, op, i);
    if (!scalar_apply(op->code, op->attrs, value_dtype(typical), value_dtype(v), src, result(f, op),
                      value_numel(v) * f->width))
        bug("%s has no meaning on %s", op_info(op->code)->name, dtype_name(value_dtype(typical)));
}

/* --- control flow --- */

/* What control depends on: a dry run ends where that is unknown. */
static void need(const Frame *f, const Value *v)
{
    if (!is_made(f, v))
        fail(&f->machine->guard);
}

static uint64_t bits_of(const Frame *f, const Value *v)
{
    uint64_t bits = 0;

    need(f, v);
    memcpy(&bits, f->slot[v->id], value_size(v));
    return bits;
}

static bool flag_of(const Frame *f, const Value *v)
{
    need(f, v);
    return *(const uint8_t *)f->slot[v->id] != 0;
}

/* What the yield hands to the next iteration, by way of temps if it must (slots.c). */
static void next_iteration(Frame *f, const Op *loop, const Op *yield)
{
    const OpSlots *temps = slots_of_op(f, loop);
    Value **args = loop->regions[0]->args + 1;

    if (!temps) {
        copy_values(f, yield->noperands, yield->operands, args);
        return;
    }
    bool there[yield->noperands + 1];
    for (int i = 0; i < yield->noperands; i++) {
        there[i] = is_made(f, yield->operands[i]);
        if (there[i])
            memcpy(op_temp(f, temps, i), operand(f, yield, i), bytes_now(f, args[i]));
    }
    for (int i = 0; i < yield->noperands; i++) {
        if (set_made(f, args[i], there[i]))
            memcpy(f->slot[args[i]->id], op_temp(f, temps, i), bytes_now(f, args[i]));
    }
}

/* Bounds are signed whatever their dtype (R126). */
static int64_t sign_extended(uint64_t bits, int width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

/* The counter's values are first, first + step, .. */
typedef struct {
    uint64_t first, step, trips;
} LoopBounds;

/* A positive step counts up while iv < hi, a negative one down while iv > hi; 0 does nothing.
 * The last step may pass the end of the type, so the trips are counted, not the variable. */
static LoopBounds loop_bounds(const Op *loop, uint64_t lo, uint64_t hi, uint64_t step)
{
    int width = dtype_bits(loop->operands[FOR_LO]->type->dtype);
    int64_t from = sign_extended(lo, width), to = sign_extended(hi, width);
    int64_t by = sign_extended(step, width);
    LoopBounds b = {.first = (uint64_t)from, .step = (uint64_t)by};

    if (by > 0 && from < to)
        b.trips = ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)by + 1;
    if (by < 0 && from > to)
        b.trips = ((uint64_t)from - (uint64_t)to - 1) / (0 - (uint64_t)by) + 1;
    return b;
}

static void exec_round(Frame *f, const Op *loop, uint64_t iv)
{
    const Block *body = loop->regions[0];

    memcpy(f->slot[body->args[0]->id], &iv, value_size(body->args[0]));
    set_made(f, body->args[0], true);
    next_iteration(f, loop, exec_block(f, body));
}

/* Of a dry run: what the loop gives is not known then. */
static void exec_one_for_all(Frame *f, const Op *loop, LoopBounds b)
{
    Machine *m = f->machine;
    double rounds = m->rounds;

    m->rounds *= (double)b.trips;
    exec_round(f, loop, b.first);
    m->rounds = rounds;
    for (int i = 0; i < loop->nresults; i++)
        set_made(f, loop->results[i], false);
}

static void exec_for(Frame *f, const Op *op)
{
    const Block *body = op->regions[0];
    LoopBounds b =
        loop_bounds(op, bits_of(f, op->operands[FOR_LO]), bits_of(f, op->operands[FOR_HI]),
                    bits_of(f, op->operands[FOR_STEP]));

    copy_values(f, op->nresults, op->operands + FOR_BOUNDS, body->args + 1);
    if (f->machine->dry && dry_is_long(op, b.trips)) {
        exec_one_for_all(f, op, b);
        return;
    }
    for (uint64_t iv = b.first; b.trips > 0; b.trips--, iv += b.step)
        exec_round(f, op, iv);
    copy_values(f, op->nresults, body->args + 1, op->results);
}

static void exec_while(Frame *f, const Op *op)
{
    const Block *before = op->regions[0], *body = op->regions[1];

    copy_values(f, op->noperands, op->operands, before->args);
    for (;;) {
        const Op *condition = exec_block(f, before);
        copy_values(f, op->nresults, condition->operands + 1, body->args);
        if (!flag_of(f, condition->operands[0]))
            break;
        const Op *yield = exec_block(f, body);
        copy_values(f, yield->noperands, yield->operands, before->args);
    }
    copy_values(f, op->nresults, body->args, op->results);
}

/* Both arms on all lanes, then each lane's choice. */
static void exec_wide_if(Frame *f, const Op *op)
{
    const Op *yield = exec_block(f, op->regions[0]);

    copy_values(f, op->nresults, yield->operands, op->results);
    yield = exec_block(f, op->regions[1]);
    for (int i = 0; i < op->nresults; i++) {
        void *chosen = f->slot[op->results[i]->id];
        const void *src[] = {operand(f, op, 0), chosen, operand(f, yield, i)};
        DType t = value_dtype(op->results[i]);
        scalar_apply(OP_select, NULL, t, t, src, chosen, f->width);
    }
}

static void exec_if(Frame *f, const Op *op)
{
    if (f->width > 1) {
        exec_wide_if(f, op);
        return;
    }
    const Op *yield = exec_block(f, op->regions[flag_of(f, op->operands[0]) ? 0 : 1]);
    copy_values(f, op->nresults, yield->operands, op->results);
}

/* Arguments stay where the caller has them; results are copied out of the callee's frame. */
static void exec_call(Frame *f, const Op *op)
{
    Machine *m = f->machine;

    if (m->depth == DEEPEST_CALL)
        machine_stop(m, op, "calls nest deeper than %d", DEEPEST_CALL);
    m->calls[m->depth++] = op;
    Frame *callee = frame_take(m, op->callee, f->width > 1);
    callee->width = f->width;
    callee->caller = f;
    callee->call = op;
    frame_forget(callee);
    for (int i = 0; i < op->noperands; i++) {
        const Value *param = op->callee->body->args[i];
        callee->slot[param->id] = operand(f, op, i);
        set_made(callee, param, !f->made || f->made[op->operands[i]->id]);
    }
    const Op *end = exec_block(callee, op->callee->body);
    for (int i = 0; i < op->nresults; i++) {
        if (set_made(f, op->results[i], is_made(callee, end->operands[i])))
            memcpy(f->slot[op->results[i]->id], operand(callee, end, i),
                   bytes_now(f, op->results[i]));
    }
    frame_give_back(callee);
    m->depth--;
}

/* R301: undefined otherwise; the interpreter says so. */
static void exec_assume(Frame *f, const Op *op)
{
    if (!flag_of(f, op->operands[0]))
        machine_stop(f->machine, op, "the assumption does not hold in program (%d, %d, %d)",
                     f->machine->program[0], f->machine->program[1], f->machine->program[2]);
}

void machine_note_lanes(Machine *m, const Op *op)
{
    if (op->code == OP_barrier)
        race_meet(m->launch->races, &m->race);
    else if (op_crosses_lanes(op))
        race_cross(m->launch->races, &m->race);
}

void exec_op(Frame *f, const Op *op)
{
    switch (op->code) {
    case OP_const:
        exec_const(f, op);
        break;
    case OP_program_id:
    case OP_num_programs:
        exec_program(f, op);
        break;
    case OP_arange:
        machine_arange(op, result(f, op));
        break;
    case OP_bitcast:
    case OP_hint:
        copy_value(f, op->operands[0], op->results[0]);
        break;
    case OP_addptr:
        exec_addptr(f, op);
        break;
    case OP_load:
        exec_load(f, op);
        break;
    case OP_store:
        exec_store(f, op);
        break;
    case OP_atomic_rmw:
        exec_atomic_rmw(f, op);
        break;
    case OP_atomic_cas:
        exec_atomic_cas(f, op);
        break;
    case OP_barrier: /* one program runs its ops in order */
        break;
    case OP_assume:
        exec_assume(f, op);
        break;
    case OP_assert:
    case OP_check:
        exec_assert(f, op);
        break;
    case OP_record:
        exec_record(f, op);
        break;
    case OP_gather:
        exec_gather(f, op);
        break;
    case OP_histogram:
        exec_histogram(f, op);
        break;
    case OP_sort:
        exec_sort(f, op);
        break;
    case OP_reduce:
        exec_reduce(f, op);
        break;
    case OP_scan:
        exec_scan(f, op);
        break;
    case OP_dot:
        exec_dot(f, op);
        break;
    case OP_for:
        exec_for(f, op);
        break;
    case OP_while:
        exec_while(f, op);
        break;
    case OP_if:
        exec_if(f, op);
        break;
    case OP_call:
        exec_call(f, op);
        break;
    default:
        if (op_has(op, MOVES))
            exec_move(f, op);
        else
            exec_elementwise(f, op);
        break;
    }
}

const Op *exec_block(Frame *f, const Block *b)
{
    const InterpLaunch *launch = f->machine->launch;
    const Op *op = b->first;

    if (launch->observer)
        return observe_block(f, b);
    for (; !op_has(op, ENDS); op = op->next) {
        if (op->nresults > 0 && f->plan->fixed[op->results[0]->id])
            continue;
        if (launch->races)
            machine_note_lanes(f->machine, op);
        exec_op(f, op);
    }
    return op;
}

/* --- the launch --- */

/* What each program has for itself: it lies in one place for all, and holds nothing that the one in
 * front has left. */
static void *new_workspace(Machine *m, const Param *p)
{
    size_t bytes = (size_t)p->bytes + WORKSPACE_ALIGN;
    uintptr_t memory = (uintptr_t)arena_alloc(m->arena, bytes);
    uint64_t *slot = NEW(m->arena, uint64_t);

    *slot = (memory + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
    return slot;
}

static void clear_workspaces(const Frame *f, const Func *kernel)
{
    for (int i = 0; i < kernel->nparams; i++) {
        if (kernel->params[i].kind == PARAM_WORKSPACE)
            memset(*(void **)f->slot[kernel->body->args[i]->id], 0xff,
                   (size_t)kernel->params[i].bytes);
    }
}

Frame *machine_begin(Machine *m, const Func *kernel)
{
    m->plans = map_new(m->arena);
    m->wide_plans = map_new(m->arena);
    Frame *f = frame_take(m, kernel, false);
    for (int i = 0; i < kernel->nparams; i++) {
        bool own = kernel->params[i].kind == PARAM_WORKSPACE && !m->dry;

        f->slot[kernel->body->args[i]->id] =
            own ? new_workspace(m, &kernel->params[i]) : (void *)&m->launch->args[i];
    }
    frame_once(f);
    return f;
}

/* Those that passes have added are not among the arguments of a dry run. */
void machine_program(Machine *m, Frame *f, int64_t id)
{
    const Func *kernel = f->plan->func;

    program_at(id, m->launch->grid, m->program);
    m->race = race_begin(id);
    frame_forget(f);
    if (!m->dry)
        clear_workspaces(f, kernel);
    for (int i = 0; i < kernel->nparams; i++)
        set_made(f, kernel->body->args[i], !m->dry || kernel->params[i].kind == PARAM_USER);
    exec_block(f, kernel->body);
}

static InterpStatus run_programs(Machine *m, const Func *func)
{
    const InterpLaunch *launch = m->launch;
    Frame *f = machine_begin(m, func);

    for (int64_t id = launch->first; id < launch->last; id++) {
        if (!watch_begin(launch->watch, 0, id, id + 1)) {
            diag(m->diags, DIAG_ERROR, (Span){0}, "stopped after %lld of %lld programs",
                 (long long)(id - launch->first), (long long)(launch->last - launch->first));
            return INTERP_STOPPED;
        }
        double start = stints_begin(launch->stints);
        machine_program(m, f, id);
        stints_end(launch->stints, 0, id, id + 1, start);
        watch_end(launch->watch, 0);
        if (launch->records && launch->records->stop)
            return INTERP_STOPPED;
    }
    return INTERP_OK;
}

InterpStatus interp_run(const Func *f, const InterpLaunch *launch, Diags *d)
{
    Machine m = {.diags = d, .launch = launch};
    Arena *volatile arena = NULL;

    if (launch->first >= launch->last)
        return INTERP_OK;
    if (setjmp(m.guard.env) != 0) {
        bool no_memory = m.guard.why == GUARD_NO_MEMORY;
        arena_free(arena);
        if (no_memory)
            diag(d, DIAG_ERROR, (Span){0}, "not enough memory to interpret %s", f->name);
        return no_memory ? INTERP_NO_MEMORY : m.raced ? INTERP_RACE : INTERP_STOPPED;
    }
    m.arena = arena = arena_new(&m.guard);
    InterpStatus status = run_programs(&m, f);
    arena_free(arena);
    return status;
}
