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

/* The sites of a copied body: what the callee inlined hangs below the call now. */
typedef struct {
    Module *module;
    int call;   /* the site of what stood right in the callee */
    Map *moved; /* a site in the callee -> its number here */
} Sites;

static int moved_site(Sites *s, int site)
{
    if (site == 0)
        return s->call;
    int here = (int)(intptr_t)map_get(s->moved, (uint64_t)site);
    if (here == 0) {
        CallSite old = *call_site(s->module, site);
        here = call_site_under(s->module, old, moved_site(s, old.parent));
        map_put(s->moved, (uint64_t)site, (void *)(intptr_t)here);
    }
    return here;
}

static void move_site(Op *op, void *sites)
{
    op->site = moved_site(sites, op->site);
}

static void move_sites(Op *op, Sites *sites)
{
    move_site(op, sites);
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            ir_walk(op->regions[r], move_site, sites);
    }
}

/* Copy the callee's body in front of the call and let its returned values be the results. */
static void replace_call(Module *m, Op *call)
{
    const Block *body = call->callee->body;
    Map *values = map_new(m->arena);
    Builder b = builder_before(call);
    Sites sites = {m, call_site_new(m, call), map_new(m->arena)};

    for (int i = 0; i < body->nargs; i++)
        map_put(values, MAP_KEY(body->args[i]), ir_resolve(call->operands[i]));
    for (const Op *op = body->first; op && op->code != OP_return; op = op->next)
        move_sites(op_clone(&b, op, values), &sites);
    const Op *ret = opt_last(body);
    for (int i = 0; i < call->nresults; i++) {
        Value *copy = map_get(values, MAP_KEY(ret->operands[i]));
        call->results[i]->repl = copy ? copy : ret->operands[i];
    }
    op_remove(call);
}

static void refuse(Inliner *in, const Op *call, const char *why)
{
    ir_diag(in->diags, DIAG_ERROR, call, "%s %s", call->callee->name, why);
    in->failed = true;
}

static void visit(Op *op, void *ctx)
{
    Inliner *in = ctx;

    ir_resolve_operands(op);
    if (op->code != OP_call || in->failed)
        return;
    Func *callee = op->callee;
    if (*state_of(in, callee) == OPEN) {
        refuse(in, op,
               "calls itself without end: a call in a kernel is copied in place, so only "
               "compile-time conditions can end a recursion");
        return;
    }
    inline_calls(in, callee);
    if (in->failed)
        return;
    in->copied += opt_count_ops(callee->body);
    if (in->copied > MOST_COPIED || in->module->sites.len > MOST_COPIED) {
        refuse(
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
    ir_walk(f->body, visit, in);
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
