/*
 * observe.c - who watches a launch: what an observer is told, and what it may ask
 *
 * exec_block() comes here where the launch has an observer, so that nobody else pays for it.  Calls
 * are told as the source has them: those that the program makes, and those that were inlined, which
 * the sites of ops remember.  Ops that the passes have moved are told where they are now, so calls
 * are left and entered again between them.
 */
#include <string.h>

#include "machine.h"
#include "../ir/analysis.h"
#include "../ir/mark.h"

/* --- places --- */

const int32_t *interp_program(const InterpFrame *f)
{
    return f->machine->program;
}

const Func *interp_func(const InterpFrame *f)
{
    return f->plan->func;
}

const void *interp_value(const InterpFrame *f, const Value *v)
{
    while (v->repl)
        v = v->repl;
    return f->made && v->block->func == f->plan->func && f->made[v->id] ? f->slot[v->id] : NULL;
}

void interp_put_value(const InterpFrame *f, const Value *v, const void *elements)
{
    if (interp_value(f, v))
        memcpy(f->slot[v->id], elements, value_size(v) * value_numel(v));
}

InterpPlace interp_place(const InterpFrame *f, const Op *op)
{
    return (InterpPlace){f, op->site, op->mark, op->block, op->span};
}

bool interp_caller(InterpPlace *at)
{
    const CallSite *inlined = call_site(at->frame->plan->func->module, at->site);

    if (inlined) {
        at->site = inlined->parent;
        at->mark = inlined->mark;
        at->span = inlined->call;
    } else if (at->frame->caller) {
        *at = interp_place(at->frame->caller, at->frame->call);
    } else {
        return false;
    }
    return true;
}

bool interp_tells_region(const Op *op)
{
    const Op *only = ir_combine_kind(op).only;

    return !only || only->site != op->site || only->mark != op->mark;
}

int interp_depth(InterpPlace at)
{
    int depth = 0;

    while (interp_caller(&at))
        depth++;
    return depth;
}

const Mark *interp_name(const InterpPlace *at, const char *name, Arena *a)
{
    MarkWalk w = mark_walk(at->frame->plan->func, at->site, a);

    mark_walk_to(&w, at->mark, at->block);
    for (int i = 0; i < w.live.len; i++) {
        const Mark *m = mark_shown(&w, i);

        if (m && strcmp(m->name, name) == 0)
            return m;
    }
    return NULL;
}

/* --- telling --- */

static const InterpObserver *observer_of(const Frame *f)
{
    return f->machine->launch->observer;
}

static void tell_enter(const Frame *f, InterpPlace at)
{
    const InterpObserver *o = observer_of(f);

    if (o->enter)
        o->enter(o->ctx, &at);
}

static void tell_leave(const Frame *f, InterpPlace at)
{
    const InterpObserver *o = observer_of(f);

    if (o->leave)
        o->leave(o->ctx, &at);
}

/* The beginning of a helper that was inlined, or of the frame's function. */
static InterpPlace beginning(const Frame *f, int site, int mark, const Block *b)
{
    const Func *func = f->plan->func;
    const CallSite *inlined = call_site(func->module, site);

    return (InterpPlace){f, site, mark, b, inlined ? inlined->callee_span : func->span};
}

static bool is_within_site(const Module *m, int site, int outer)
{
    while (site > outer)
        site = call_site(m, site)->parent;
    return site == outer;
}

/* Leave and enter inlined helpers, until `site` is where the frame is. */
static void go_to_site(Frame *f, int site, int mark, const Block *b)
{
    const Module *m = f->plan->func->module;

    while (!is_within_site(m, site, f->site)) {
        tell_leave(f, beginning(f, f->site, mark, b));
        f->site = call_site(m, f->site)->parent;
    }
    while (f->site != site) {
        int next = site;
        while (call_site(m, next)->parent != f->site)
            next = call_site(m, next)->parent;
        f->site = next;
        tell_enter(f, beginning(f, next, mark, b));
    }
}

static void tell_access(const Frame *f, const Op *op)
{
    const InterpObserver *o = observer_of(f);
    OpAccess a = o->access ? ir_access(op) : (OpAccess){0};

    if (!a.effect)
        return;
    const Value *p = op->operands[a.pointer];
    const Value *mask = op_operand(op, a.mask), *data = op_operand(op, a.data);
    InterpAccess told = {.op = op,
                         .effect = a.effect,
                         .lanes = type_numel(p->type),
                         .size = dtype_size(p->type->dtype),
                         .addresses = f->slot[p->id],
                         .mask = mask ? f->slot[mask->id] : NULL,
                         .data = data ? f->slot[data->id] : NULL};
    o->access(o->ctx, f, &told);
}

static void tell_op(Frame *f, const Op *op)
{
    const InterpObserver *o = observer_of(f);
    Machine *m = f->machine;

    if (f->site != op->site)
        go_to_site(f, op->site, op->mark, op->block);
    if (o->op && !o->op(o->ctx, f, op))
        machine_stop(m, op, "whoever observes the launch ended it here, in program (%d, %d, %d)",
                     m->program[0], m->program[1], m->program[2]);
}

/* --- blocks --- */

static bool begins_round(const Block *b)
{
    const Op *owner = b->owner;

    return owner && (owner->code == OP_for || (owner->code == OP_while && b == owner->regions[1]));
}

/* The elements that a region combines have no slots: they are there only while it runs. */
static bool lies_elsewhere(const Frame *f, const Block *b)
{
    return f->made && b->owner && op_has(b->owner, COMBINES);
}

static void begin_block(Frame *f, const Block *b)
{
    const InterpObserver *o = observer_of(f);

    for (int i = 0; lies_elsewhere(f, b) && i < b->nargs; i++)
        f->made[b->args[i]->id] = true;
    if (!b->owner) {
        f->site = 0;
        tell_enter(f, beginning(f, 0, 0, b));
    } else if (o->round && begins_round(b)) {
        o->round(o->ctx, f, b->owner);
    }
}

static void end_block(Frame *f, const Block *b)
{
    for (int i = 0; lies_elsewhere(f, b) && i < b->nargs; i++)
        f->made[b->args[i]->id] = false;
    if (!b->owner) {
        go_to_site(f, 0, f->plan->func->marks.len, b);
        tell_leave(f, beginning(f, 0, f->plan->func->marks.len, b));
    }
}

static bool is_costly(const Op *op)
{
    return op->code == OP_dot || op->code == OP_sort || op_has(op, APPROX);
}

/* Do the op, or take what it gave before. */
static void exec_or_recall(Frame *f, const Op *op)
{
    const InterpObserver *o = observer_of(f);
    const Value *v = op->nresults == 1 ? op->results[0] : NULL;
    size_t bytes = v ? value_size(v) * value_numel(v) : 0;
    bool is_there = false;
    void *room = NULL;

    if (o->recall && f->width == 1 && v && v->type->rank > 0 && is_costly(op))
        room = o->recall(o->ctx, bytes, &is_there);
    if (is_there)
        memcpy(f->slot[v->id], room, bytes);
    else
        exec_op(f, op);
    if (room && !is_there)
        memcpy(room, f->slot[v->id], bytes);
}

static void observe_op(Frame *f, const Op *op)
{
    tell_op(f, op);
    if (f->machine->dry) {
        dry_op(f, op);
        return;
    }
    tell_access(f, op);
    if (f->machine->launch->races)
        machine_note_lanes(f->machine, op);
    exec_or_recall(f, op);
    for (int i = 0; f->made && i < op->nresults; i++)
        f->made[op->results[i]->id] = true;
}

const Op *observe_block(Frame *f, const Block *b)
{
    const Op *op = b->first;

    begin_block(f, b);
    for (; !op_has(op, ENDS); op = op->next) {
        if (op->nresults == 0 || !f->plan->fixed[op->results[0]->id])
            observe_op(f, op);
    }
    tell_op(f, op);
    end_block(f, b);
    return op;
}
