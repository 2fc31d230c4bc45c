/*
 * trace.c - from which parameters does an address come, and through which does a function read and
 * write memory?
 *
 * Every value gets a set of parameters that an address in it may come from: sets flow along
 * operands, regions and calls until nothing grows.  Never too few: what comes from nowhere known,
 * such as an address that was loaded, stands for every parameter.  Pointers that become numbers
 * keep their set, through arithmetic and back.
 *
 * A function is traced once, whoever calls it: its sets speak of its own parameters, and a call
 * puts the sets of its operands in their place.
 */
#include "ir.h"
#include "analysis.h"

typedef struct PointerBases Trace;
struct PointerBases {
    Arena *arena;
    Map *traces;        /* from Func to its Trace: of all functions that were met */
    uint64_t *from;     /* by value id: bit i for parameter i; 63 and up share the last bit */
    uint64_t *returned; /* by result of the function */
    MemoryUse use;
    bool changed, finished;
};

static void trace_block(Trace *t, const Block *b);
static const Trace *trace_func(Arena *a, Map *traces, const Func *f);

static bool holds_address(const Type *t)
{
    return t->pointer || t->handle != HANDLE_NONE;
}

static uint64_t param_bit(int i)
{
    return UINT64_C(1) << MIN(i, 63);
}

static uint64_t from(const Trace *t, const Value *v)
{
    return t->from[v->id];
}

/* The same for a value that is used as an address, maybe in a callee that was given a number. */
static uint64_t pointed_to(const Trace *t, const Value *v)
{
    return from(t, v) ? from(t, v) : EVERY_PARAM;
}

static void grow_set(Trace *t, uint64_t *set, uint64_t params)
{
    t->changed = t->changed || (params & ~*set) != 0;
    *set |= params;
}

static void flow(Trace *t, const Value *to, uint64_t params)
{
    bool from_nowhere = params == 0 && holds_address(to->type);

    grow_set(t, &t->from[to->id], from_nowhere ? EVERY_PARAM : params);
}

static void flow_all(Trace *t, int n, Value *const *sources, Value *const *to)
{
    for (int i = 0; i < n; i++)
        flow(t, to[i], from(t, sources[i]));
}

/* A barrier has no operands and uses no memory itself. */
static void trace_memory(Trace *t, const Op *op)
{
    if (op->noperands == 0 || !holds_address(op->operands[0]->type))
        return;
    if (op_has(op, READS))
        grow_set(t, &t->use.loaded, pointed_to(t, op->operands[0]));
    if (op_has(op, WRITES))
        grow_set(t, &t->use.stored, pointed_to(t, op->operands[0]));
    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], EVERY_PARAM);
}

/* A set of the callee's parameters in terms of the caller's: what `of` gives for each operand. */
static uint64_t translate(const Trace *t, const Op *call, uint64_t set,
                          uint64_t (*of)(const Trace *t, const Value *v))
{
    uint64_t params = 0;

    if (set == EVERY_PARAM)
        return EVERY_PARAM;
    for (int i = 0; i < call->noperands; i++) {
        if (set & param_bit(i))
            params |= of(t, call->operands[i]);
    }
    return params;
}

/* Of a call within a recursion nothing is known. */
static void trace_call(Trace *t, const Op *op)
{
    const Trace *callee = trace_func(t->arena, t->traces, op->callee);
    bool known = callee->finished;

    grow_set(t, &t->use.loaded,
             known ? translate(t, op, callee->use.loaded, pointed_to) : EVERY_PARAM);
    grow_set(t, &t->use.stored,
             known ? translate(t, op, callee->use.stored, pointed_to) : EVERY_PARAM);
    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], known ? translate(t, op, callee->returned[i], from) : EVERY_PARAM);
}

static void trace_for(Trace *t, const Op *op)
{
    const Block *body = op->regions[0];

    for (int i = 0; i < FOR_BOUNDS; i++)
        flow(t, body->args[0], from(t, op->operands[i]));
    flow_all(t, op->nresults, op->operands + FOR_BOUNDS, body->args + 1);
    trace_block(t, body);
    flow_all(t, op->nresults, body->last->operands, body->args + 1);
    flow_all(t, op->nresults, body->args + 1, op->results);
}

static void trace_while(Trace *t, const Op *op)
{
    const Block *before = op->regions[0], *body = op->regions[1];

    flow_all(t, op->noperands, op->operands, before->args);
    trace_block(t, before);
    flow_all(t, op->nresults, before->last->operands + 1, body->args);
    flow_all(t, op->nresults, before->last->operands + 1, op->results);
    trace_block(t, body);
    flow_all(t, op->noperands, body->last->operands, before->args);
}

static void trace_if(Trace *t, const Op *op)
{
    for (int r = 0; r < 2; r++) {
        trace_block(t, op->regions[r]);
        flow_all(t, op->nresults, op->regions[r]->last->operands, op->results);
    }
}

/* The region sees elements, and what it gave before, on either side. */
static void trace_combine(Trace *t, const Op *op)
{
    const Block *region = op->regions[0];
    int n = op->noperands;

    flow_all(t, n, op->operands, region->args);
    flow_all(t, n, op->operands, region->args + n);
    trace_block(t, region);
    flow_all(t, n, region->last->operands, region->args);
    flow_all(t, n, region->last->operands, region->args + n);
    flow_all(t, n, region->args, op->results);
}

/* It may use memory through all that it is given, numbers too: is_pure is no promise not to read.
 */
static void trace_asm(Trace *t, const Op *op)
{
    uint64_t params = 0;

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];

        params |= holds_address(v->type) ? pointed_to(t, v) : from(t, v);
    }
    grow_set(t, &t->use.loaded, params);
    if (op->code == OP_inline_asm_volatile)
        grow_set(t, &t->use.stored, params);
    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], params ? EVERY_PARAM : 0);
}

/* What makes the address: neither a condition nor an offset does. */
static void trace_value(Trace *t, const Op *op)
{
    bool has_base = op->code == OP_addptr || op->code == OP_make_block_ptr ||
                    op->code == OP_make_descriptor || op->code == OP_advance;
    int first = op->code == OP_select ? 1 : 0;
    int last = has_base ? 1 : op->noperands;
    uint64_t params = 0;

    for (int i = first; i < last; i++)
        params |= from(t, op->operands[i]);
    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], params);
}

static void trace_op(Trace *t, const Op *op)
{
    switch (op->code) {
    case OP_for:
        trace_for(t, op);
        break;
    case OP_while:
        trace_while(t, op);
        break;
    case OP_if:
        trace_if(t, op);
        break;
    case OP_call:
        trace_call(t, op);
        break;
    case OP_inline_asm:
    case OP_inline_asm_volatile:
        trace_asm(t, op);
        break;
    case OP_return:
        for (int i = 0; i < op->noperands; i++)
            grow_set(t, &t->returned[i], from(t, op->operands[i]));
        break;
    default:
        if (op_has(op, COMBINES))
            trace_combine(t, op);
        else if (op_has(op, READS | WRITES))
            trace_memory(t, op);
        else
            trace_value(t, op);
    }
}

static void trace_block(Trace *t, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next)
        trace_op(t, op);
}

/* A number that is passed to a kernel may be an address, but nobody knows whose. */
static void start_from_params(Trace *t, const Func *f)
{
    for (int i = 0; i < f->body->nargs; i++) {
        const Value *param = f->body->args[i];
        bool known = param->type->pointer || !f->is_kernel;
        flow(t, param, known ? param_bit(i) : EVERY_PARAM);
    }
}

static const Trace *trace_func(Arena *a, Map *traces, const Func *f)
{
    Trace *t = map_get(traces, MAP_KEY(f));

    if (t)
        return t;
    t = NEW(a, Trace);
    *t = (Trace){.arena = a,
                 .traces = traces,
                 .from = NEW_N(a, uint64_t, f->nvalues + 1),
                 .returned = NEW_N(a, uint64_t, f->nresults + 1)};
    map_put(traces, MAP_KEY(f), t);
    start_from_params(t, f);
    do {
        t->changed = false;
        trace_block(t, f->body);
    } while (t->changed);
    t->finished = true;
    return t;
}

MemoryUse ir_memory_use(const Func *f, Arena *a)
{
    return trace_func(a, map_new(a), f)->use;
}

const PointerBases *ir_pointer_bases(const Func *f, Arena *a)
{
    return trace_func(a, map_new(a), f);
}

uint64_t ir_bases_of(const PointerBases *b, const Value *v)
{
    return pointed_to(b, v);
}
