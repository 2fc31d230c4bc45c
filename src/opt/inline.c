/*
 * inline.c - put the body of every called function where it is called
 *
 * Takes a module with calls, gives one that holds only its kernels, without calls.  A function is
 * freed of its own calls before it is copied, so each body is copied once for each call of it.
 * Calls in a circle are a diagnostic: whatever could end them at compile time has been decided by
 * the front end, and a kernel has no stack.  So is growth without measure: where each of n
 * functions calls the next one twice, the last is copied 2^n times.
 */
#include "opt.h"

enum { MOST_COPIED = 1000000 }; /* ops, and sites, over all calls of a module */

typedef enum { FRESH, OPEN, DONE } State; /* OPEN: on the way down from the kernel to here */

typedef struct {
    Module *module;
    Map *states; /* Func -> State */
    Diags *diags;
    int copied; /* ops so far */
    bool failed;
} Inliner;

static State *state_of(const Inliner *in, const Func *f)
{
    return map_get(in->states, MAP_KEY(f));
}

static void inline_calls(Inliner *in, Func *f);

/* A body on its way to where it is called. */
typedef struct {
    Module *module;
    Func *to;
    int site;    /* of what stood right in the callee */
    int marks;   /* of the caller, in front of the callee's */
    Map *sites;  /* a site in the callee -> its number here */
    Map *blocks; /* of the callee -> the copies */
    Map *values;
} Transplant;

/* What the callee inlined hangs below the call now. */
static int moved_site(Transplant *v, int site)
{
    if (site == 0)
        return v->site;
    int here = (int)(intptr_t)map_get(v->sites, (uint64_t)site);
    if (here == 0) {
        CallSite old = *call_site(v->module, site);
        old.mark += v->marks;
        here = call_site_under(v->module, old, moved_site(v, old.parent));
        map_put(v->sites, (uint64_t)site, (void *)(intptr_t)here);
    }
    return here;
}

static void settle(Transplant *v, Op *copy, const Op *op)
{
    copy->site = moved_site(v, op->site);
    copy->mark += v->marks;
    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
        Op *inner = copy->regions[r]->first;

        map_put(v->blocks, MAP_KEY(op->regions[r]), copy->regions[r]);
        for (const Op *o = op->regions[r]->first; o; o = o->next, inner = inner->next)
            settle(v, inner, o);
    }
}

/* What the names of the callee mean in the copy; one whose value is gone means nothing. */
static Mark moved_mark(Transplant *v, Mark m)
{
    const Block *block = map_get(v->blocks, MAP_KEY(m.block));
    Value **values = m.nvalues > 0 ? NEW_N(v->module->arena, Value *, m.nvalues) : NULL;

    m.block = block ? block : m.block;
    m.site = moved_site(v, m.site);
    for (int i = 0; i < m.nvalues; i++) {
        values[i] = map_get(v->values, MAP_KEY(ir_resolve(m.values[i])));
        if (!values[i])
            return (Mark){.span = m.span, .name = m.name, .block = m.block, .site = m.site};
    }
    m.values = values;
    return m;
}

static void move_marks(Transplant *v, const Func *callee)
{
    Func *to = v->to;

    for (int i = 0; i < callee->marks.len && to->marks.len < MOST_COPIED; i++)
        vec_push(v->module->arena, &to->marks, moved_mark(v, callee->marks.at[i]));
}

/* Copy the callee's body in front of the call and let its returned values be the results. */
static void replace_call(Module *m, Op *call)
{
    const Block *body = call->callee->body;
    Builder b = builder_before(call);
    Transplant v = {.module = m, .to = b.func, .site = call_site_new(m, call)};

    v.marks = b.func->marks.len;
    v.sites = map_new(m->arena);
    v.blocks = map_new(m->arena);
    v.values = map_new(m->arena);
    map_put(v.blocks, MAP_KEY(body), call->block);
    for (int i = 0; i < body->nargs; i++)
        map_put(v.values, MAP_KEY(body->args[i]), ir_resolve(call->operands[i]));
    for (const Op *op = body->first; op && op->code != OP_return; op = op->next)
        settle(&v, op_clone(&b, op, v.values), op);
    move_marks(&v, call->callee);
    const Op *ret = opt_last(body);
    for (int i = 0; i < call->nresults; i++) {
        Value *copy = map_get(v.values, MAP_KEY(ret->operands[i]));
        call->results[i]->repl = copy ? copy : ret->operands[i];
    }
    op_remove(call);
}

static void refuse_call(Inliner *in, const Op *call, const char *why)
{
    ir_diag(in->diags, DIAG_ERROR, call, "%s %s", call->callee->name, why);
    in->failed = true;
}

static void visit_call(Op *op, void *ctx)
{
    Inliner *in = ctx;

    ir_resolve_operands(op);
    if (op->code != OP_call || in->failed)
        return;
    Func *callee = op->callee;
    if (*state_of(in, callee) == OPEN) {
        refuse_call(in, op,
                    "calls itself without end: a call in a kernel is copied in place, so only "
                    "compile-time conditions can end a recursion");
        return;
    }
    inline_calls(in, callee);
    if (in->failed)
        return;
    in->copied += opt_count_ops(callee->body);
    if (in->copied > MOST_COPIED || in->module->sites.len > MOST_COPIED) {
        refuse_call(
            in, op,
            "is one call too many: a call in a kernel is copied in place with all that it calls, "
            "and the copies are more than a million operations now");
        return;
    }
    replace_call(in->module, op);
}

static void inline_calls(Inliner *in, Func *f)
{
    State *state = state_of(in, f);

    if (*state == DONE)
        return;
    *state = OPEN;
    ir_walk(f->body, visit_call, in);
    *state = DONE;
}

/* Helpers have served. */
static void drop_helpers(Module *m)
{
    int kept = 0;

    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->is_kernel)
            m->funcs[kept++] = m->funcs[i];
    }
    m->nfuncs = kept;
}

void opt_inline(Module *m, Diags *d)
{
    Inliner in = {.module = m, .states = map_new(m->arena), .diags = d};
    State *states = NEW_N(m->arena, State, m->nfuncs);

    for (int i = 0; i < m->nfuncs; i++)
        map_put(in.states, MAP_KEY(m->funcs[i]), &states[i]);
    for (int i = 0; i < m->nfuncs && !in.failed; i++) {
        if (m->funcs[i]->is_kernel)
            inline_calls(&in, m->funcs[i]);
    }
    if (!in.failed)
        drop_helpers(m);
}
