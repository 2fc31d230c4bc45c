/*
 * trace.c - through which parameters does a kernel read and write memory?
 *
 * Every value gets a set of parameters that a pointer in it may come from: sets flow along
 * operands, regions and calls until nothing changes.  A pointer that comes from nowhere known,
 * such as an address that was loaded, stands for all parameters.
 */
#include "machine.h"

#define ALL_PARAMS UINT64_MAX

/* Calls this deep, and recursion with them, are not followed. */
enum { DEEPEST_CALL = 8 };

typedef struct {
    Arena *arena;
    uint64_t *from; /* by value id: bit i for parameter i of the kernel */
    ParamUse *use;
    bool changed;
    int depth;
} Tracer;

static void trace_block(Tracer *t, const Block *b);

static uint64_t from(const Tracer *t, const Value *v)
{
    return t->from[v->id];
}

static void flow(Tracer *t, const Value *to, uint64_t params)
{
    t->changed |= (params & ~t->from[to->id]) != 0;
    t->from[to->id] |= params;
}

static void flow_all(Tracer *t, int n, Value *const *sources, Value *const *to)
{
    for (int i = 0; i < n; i++)
        flow(t, to[i], from(t, sources[i]));
}

/* The parameters behind the pointer that a memory op uses. */
static uint64_t pointer_params(const Tracer *t, const Op *op)
{
    uint64_t params = from(t, op->operands[0]);

    return params ? params : ALL_PARAMS;
}

/* Follow a body until its sets grow no more. */
static void trace_body(Tracer *t, const Block *body)
{
    do {
        t->changed = false;
        trace_block(t, body);
    } while (t->changed);
}

/* The callee anew, with the sets of these arguments. */
static void trace_call(Tracer *t, const Op *op)
{
    Tracer callee = {.arena = t->arena, .use = t->use, .depth = t->depth + 1};

    if (callee.depth > DEEPEST_CALL) {
        t->use->loaded = t->use->stored = ALL_PARAMS;
        return;
    }
    callee.from = NEW_N(t->arena, uint64_t, op->callee->nvalues + 1);
    for (int i = 0; i < op->noperands; i++)
        callee.from[op->callee->body->args[i]->id] = from(t, op->operands[i]);
    trace_body(&callee, op->callee->body);
    for (int i = 0; i < op->nresults; i++)
        flow(t, op->results[i], from(&callee, op->callee->body->last->operands[i]));
}

static void trace_for(Tracer *t, const Op *op)
{
    const Block *body = op->regions[0];

    flow_all(t, op->nresults, op->operands + 3, body->args + 1);
    trace_block(t, body);
    flow_all(t, op->nresults, body->last->operands, body->args + 1);
    flow_all(t, op->nresults, body->args + 1, op->results);
}

static void trace_while(Tracer *t, const Op *op)
{
    const Block *before = op->regions[0], *body = op->regions[1];

    flow_all(t, op->noperands, op->operands, before->args);
    trace_block(t, before);
    flow_all(t, op->nresults, before->last->operands + 1, body->args);
    flow_all(t, op->nresults, before->last->operands + 1, op->results);
    trace_block(t, body);
    flow_all(t, op->noperands, body->last->operands, before->args);
}

static void trace_if(Tracer *t, const Op *op)
{
    for (int r = 0; r < 2; r++) {
        trace_block(t, op->regions[r]);
        flow_all(t, op->nresults, op->regions[r]->last->operands, op->results);
    }
}

static void trace_combine(Tracer *t, const Op *op)
{
    const Block *region = op->regions[0];

    flow_all(t, op->noperands, op->operands, region->args);
    flow_all(t, op->noperands, op->operands, region->args + op->noperands);
    trace_block(t, region);
    flow_all(t, op->nresults, region->last->operands, op->results);
}

/* Casts of pointers to integers, and arithmetic on those, keep the set; an integer from elsewhere
 * that becomes a pointer may point anywhere. */
static void trace_simple(Tracer *t, const Op *op)
{
    uint64_t params = 0;
    int first = op->code == OP_select ? 1 : 0;
    int last = op->code == OP_addptr ? 1 : op->noperands;

    for (int i = first; i < last; i++)
        params |= from(t, op->operands[i]);
    for (int i = 0; i < op->nresults; i++) {
        bool from_nowhere = op->code == OP_cast && op->results[i]->type->pointer && params == 0;
        flow(t, op->results[i], from_nowhere ? ALL_PARAMS : params);
    }
}

static void trace_op(Tracer *t, const Op *op)
{
    switch (op->code) {
    case OP_load:
        t->use->loaded |= pointer_params(t, op);
        break;
    case OP_store:
        t->use->stored |= pointer_params(t, op);
        break;
    case OP_atomic_rmw:
    case OP_atomic_cas:
        t->use->loaded |= pointer_params(t, op);
        t->use->stored |= pointer_params(t, op);
        break;
    case OP_for:
        trace_for(t, op);
        break;
    case OP_while:
        trace_while(t, op);
        break;
    case OP_if:
        trace_if(t, op);
        break;
    case OP_reduce:
    case OP_scan:
        trace_combine(t, op);
        break;
    case OP_call:
        trace_call(t, op);
        break;
    default:
        trace_simple(t, op);
        break;
    }
}

static void trace_block(Tracer *t, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next)
        trace_op(t, op);
}

ParamUse trace_params(Arena *a, const Func *f)
{
    ParamUse use = {0};
    Tracer t = {.arena = a, .use = &use};

    t.from = NEW_N(a, uint64_t, f->nvalues + 1);
    for (int i = 0; i < f->nparams; i++) {
        const Value *param = f->body->args[i];
        if (param->type->pointer)
            t.from[param->id] = (uint64_t)1 << MIN(i, 63);
    }
    trace_body(&t, f->body);
    return use;
}
