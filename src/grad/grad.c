/*
 * grad.c - from a kernel the kernel of its gradients
 *
 *     inline, grad_forms/, merge   what the kernel does, as ops that have rules
 *     active.c, memory.c          which values count, and whether it can be done
 *     grad_block()                every op once more, from the last to the first
 *     drop the forward's effects
 *     ../grad_gather/             in place of atomics what needs none
 *     saved.c                     what the forward has stored is loaded
 *     drop what then nobody needs
 */
#include <string.h>

#include "../grad_forms/forms.h"
#include "../opt_target/opt_target.h"
#include "grad.h"

GradRule grad_rule(OpCode code)
{
    static const GradRule rules[OP_COUNT] = {
#define RULE(op, function) [OP_##op] = function,
#define OWN(op, where)
#define ZERO(op, why)
#define REFUSED(op, why)
#include "../grad_facts/adjoints.h"
    };
    return rules[code];
}

void grad_stand_for(Grad *g, const Op *op)
{
    g->b.span = op->span;
    g->b.site = op->site;
    g->b.mark = op->mark;
}

Value *grad_value(const Grad *g, Value *v)
{
    Value *again = map_get(g->again, MAP_KEY(v));

    return again ? again : v;
}

Value *grad_adjoint(const Grad *g, const Value *v)
{
    return map_get(g->adjoints, (uint64_t)v->id);
}

void grad_set_adjoint(Grad *g, const Value *v, Value *d)
{
    map_put(g->adjoints, (uint64_t)v->id, d);
}

Value *grad_not_rounded(Builder *b, Value *d, DType to)
{
    const Op *cast = opt_made_by(d, OP_cast);

    return cast && cast->operands[0]->type->dtype == to ? cast->operands[0]
                                                        : build_cast(b, d, to, ROUND_NEAREST);
}

void grad_add(Grad *g, Value *v, Value *d)
{
    Value *sum = grad_adjoint(g, v);

    if (!d || !grad_is_active(g, v))
        return;
    if (sum && sum->type->dtype != d->type->dtype) /* a sum of rounds: see loop.c */
        d = grad_not_rounded(&g->b, d, sum->type->dtype);
    if (sum && !grad_is_number(sum, 0))
        d = grad_binary(g, OP_add, sum, d);
    value_shaped_like(g->func->module, d, v);
    grad_set_adjoint(g, v, d);
}

/* The gradient of `area` is called `d_area`, unless it has a name already. */
void grad_name(const Grad *g, const Value *v, Value *d)
{
    if (v->name && !d->name && d->def && d->def->code != OP_const)
        d->name = intern(g->func->module->interner, arena_printf(g->arena, "d_%s", v->name));
}

/* What comes of no gradient is none, however steep it is there. */
static Value *keep_zeros(Grad *g, Value *d, Value *made)
{
    Value *any = build_binary(&g->b, OP_ne, d, grad_number(g, d, 0));

    return build_select(&g->b, any, made, grad_number(g, made, 0));
}

static void by_rule(Grad *g, const Op *op, Value *d)
{
    const GradRow *row = grad_row(op->code);

    if (row->kind == GRAD_ZERO || grad_logistic(g, op, d))
        return;
    for (int i = 0; i < op->noperands && !g->failed; i++) {
        if (!grad_is_active(g, op->operands[i]))
            continue;
        Value *made = grad_rule(op->code)(g, op, i, d);
        if (made && grad_needs_zeros(g, op, i))
            made = keep_zeros(g, d, made);
        grad_add(g, op->operands[i], made);
    }
}

/* NULL: it is not active, or no gradient came. */
static Value *adjoint_of(const Grad *g, const Value *v)
{
    return grad_is_active(g, v) ? grad_adjoint(g, v) : NULL;
}

static bool any_adjoint(const Grad *g, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        if (adjoint_of(g, op->results[i]))
            return true;
    }
    return false;
}

static bool any_active(const Grad *g, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        if (grad_is_active(g, op->results[i]))
            return true;
    }
    return false;
}

/* Does a loop, or another op with regions, hold what gradients go through, or store it? */
static bool holds_active(const Grad *g, const Op *op)
{
    bool found = any_active(g, op) ||
                 (grad_puts_in_memory(op) && grad_is_active(g, op->operands[STORE_DATA]));

    for (int r = 0; r < COUNT(op->regions) && op->regions[r] && !found; r++) {
        for (const Op *in = op->regions[r]->first; in && !found; in = in->next)
            found = holds_active(g, in);
    }
    return found;
}

/* Of any type: behind the bits of a float come integers, which no gradient reaches. */
static bool is_refused(const Grad *g, const Op *op)
{
    bool varies = false, matters = false;

    if (grad_row(op->code)->kind != GRAD_REFUSED || op->regions[0])
        return false;
    for (int i = 0; i < op->noperands; i++)
        varies |= (g->facts[op->operands[i]->id] & VARIES) != 0;
    for (int i = 0; i < op->nresults; i++)
        matters |= (g->facts[op->results[i]->id] & MATTERS) != 0;
    return varies && matters;
}

void grad_block(Grad *g, Block *b)
{
    Op *prev;

    for (Op *op = b->last; op && !g->failed; op = prev) {
        prev = op->prev;
        if (op->nresults > 0 && op->results[0]->id >= g->nfacts)
            continue;
        grad_stand_for(g, op);
        if (is_refused(g, op)) {
            grad_refuse(g, op, "no gradient goes through this: %s", grad_row(op->code)->why);
            return;
        }
        if (grad_puts_in_memory(op)) {
            grad_store(g, op);
            continue;
        }
        if (opt_is_loop(op) || op->code == OP_if) {
            if (!holds_active(g, op))
                continue;
            if (op->code == OP_for)
                grad_loop(g, op);
            else if (op->code == OP_if)
                grad_branch(g, op);
            else
                grad_refuse(g, op, "no gradient goes through this: %s", grad_row(op->code)->why);
            continue;
        }
        if (op->nresults > 1 && any_adjoint(g, op) && grad_winner(g, op))
            continue;
        if (op->nresults > 1 && any_adjoint(g, op)) {
            grad_combining(g, op);
            continue;
        }
        Value *d = op->nresults == 1 ? adjoint_of(g, op->results[0]) : NULL;
        if (!d)
            continue;
        grad_name(g, op->results[0], d);
        if (op_only_reads(op))
            grad_load(g, op);
        else
            by_rule(g, op, d);
    }
}

/* --- before and behind --- */

static Value *find_array(Grad *g, const char *name)
{
    const Func *f = g->func;

    for (int i = 0; i < f->nparams; i++) {
        const Type *t = f->body->args[i]->type;

        if (f->params[i].kind != PARAM_USER || strcmp(f->params[i].name, name) != 0)
            continue;
        if (t->pointer && t->rank == 0 && dtype_is_float(t->dtype) && !dtype_is_fp8(t->dtype))
            return f->body->args[i];
        if (!t->pointer && dtype_is_float(t->dtype))
            grad_refuse(
                g, NULL,
                "`%s` is a number, and gradients are of arrays: take it from an array of one",
                name);
        else
            grad_refuse(g, NULL, "`%s` is no array of floats that gradients have a type for", name);
        return NULL;
    }
    grad_refuse(g, NULL, "the kernel `%s` has no array `%s` in this call", g->wish->kernel, name);
    return NULL;
}

static bool has_parameter(const Grad *g, const char *name)
{
    for (int i = 0; i < g->wish->nparams; i++) {
        if (strcmp(g->wish->params[i].name, name) == 0)
            return true;
    }
    for (int i = 0; i < g->func->nparams; i++) {
        if (strcmp(g->func->params[i].name, name) == 0)
            return true;
    }
    return false;
}

const char *grad_free_name(Grad *g, const char *name)
{
    const char *called = name;

    for (int n = 2; has_parameter(g, called); n++)
        called = arena_printf(g->arena, "%s_%d", name, n);
    return called;
}

Value *grad_new_parameter(Grad *g, const char *name, const Type *type)
{
    return func_add_param(g->func, grad_free_name(g, name), type, 0);
}

/* d_x; where the forward has that, as gradients of gradients do, d_x_2. */
static GradArray new_array(Grad *g, const char *name)
{
    GradArray a = {.array = find_array(g, name)};

    if (!g->failed)
        a.gradient = grad_new_parameter(g, arena_printf(g->arena, "d_%s", name),
                                        type_pointer(g->func->module, a.array->type->dtype, false));
    return a;
}

/* What only the forward's prints and assertions need: the backward says nothing. */
static void drop_hidden(Func *f)
{
    while (f->nparams > 0 && f->params[f->nparams - 1].kind != PARAM_USER) {
        f->nparams--;
        f->body->nargs--;
    }
}

/* The first op that reads what is differentiated, and the first that writes it. */
typedef struct {
    const Grad *g;
    const Op *read, *written;
} InPlace;

static void find_in_place(Op *op, void *in_place)
{
    InPlace *p = in_place;
    const OpAccess access = ir_access(op);

    if (access.pointer < 0 ||
        grad_array_of(p->g, op->operands[access.pointer]) != p->g->of.array->index)
        return;
    if (!p->read && access.effect == READS)
        p->read = op;
    if (!p->written && access.effect & WRITES)
        p->written = op;
}

/* What the kernel leaves in an array, by what it found there: memory.c sees to it that each element
 * is read before it is written. */
static void check_itself(Grad *g)
{
    InPlace p = {.g = g};

    ir_walk(g->func->body, find_in_place, &p);
    g->by_itself = p.read && p.written;
    if (!g->by_itself)
        grad_refuse(g, NULL, "`%s` cannot be differentiated by itself", g->wish->of);
}

static bool find_arrays(Grad *g)
{
    drop_hidden(g->func);
    g->wrt = NEW_N(g->arena, GradArray, g->wish->nwrt);
    g->of = new_array(g, g->wish->of);
    for (int i = 0; i < g->wish->nwrt && !g->failed; i++) {
        g->wrt[g->nwrt++] = new_array(g, g->wish->wrt[i]);
        for (int k = 0; k < i; k++) {
            if (g->wrt[k].array == g->wrt[i].array)
                grad_refuse(g, NULL, "`%s` is given twice", g->wish->wrt[i]);
        }
        if (!g->failed && g->wrt[i].array == g->of.array)
            check_itself(g);
    }
    return !g->failed;
}

bool grad_is_effect(const Op *op)
{
    bool is_atomic = op->code == OP_atomic_rmw || op->code == OP_atomic_cas;

    return !op->regions[0] && (op->nresults == 0 || is_atomic) && !op_has(op, ENDS);
}

static void collect_effects(Op *op, void *ops)
{
    GradOps *all = ops;

    if (grad_is_effect(op))
        vec_push(op->block->func->module->arena, all, op);
}

static bool run(Module *m, const char *const *passes, int n, Diags *d)
{
    for (int i = 0; i < n; i++) {
        if (!opt_run_pass(m, passes[i], d))
            return false;
    }
    return true;
}

/* What was done on bits, of which some share ops once they are merged, is put in other words. */
static bool prepare(Grad *g, Module *m, Diags *d)
{
    static const char *const first[] = {"legalise", "inline"};
    static const char *const then[] = {"fold", "cse", "licm", "dce"};

    if (!run(m, first, COUNT(first), d))
        return false;
    g->func = module_kernel(m);
    forms_permute_sorted(g->func);
    if (!run(m, then, COUNT(then), d))
        return false;
    forms_sum_parts_of_tiles(g->func);
    forms_take_slices(g->func);
    forms_count_rounds(g->func);
    if (forms_count_upwards(g->func) && !opt_run_pass(m, "fold", d))
        return false;
    if (forms_mask_arms(g->func) && !run(m, then, COUNT(then), d))
        return false;
    forms_number_from_the_first(g->func);
    forms_place_by_counters(g->func);
    forms_count_offsets(g->func);
    return opt_run_pass(m, "dce", d);
}

/* The first op that has a part in what is differentiated by, and hands on none. */
typedef struct {
    const Grad *g;
    const Op *op;
} End;

static void find_end(Op *op, void *end)
{
    End *e = end;
    bool comes = false, matters = false;

    for (int i = 0; i < op->noperands; i++)
        comes |= grad_is_active(e->g, op->operands[i]);
    for (int i = 0; i < op->nresults; i++)
        matters |= (e->g->facts[op->results[i]->id] & MATTERS) != 0;
    if (!e->op && comes && matters && !any_active(e->g, op) &&
        (!op->regions[0] || op_has(op, COMBINES)))
        e->op = op;
}

static void refuse_no_gradient(Grad *g, const char *by)
{
    End end = {.g = g};

    ir_walk(g->func->body, find_end, &end);
    if (!end.op) {
        grad_refuse(g, NULL, "no gradient of `%s` reaches `%s`", g->wish->of, by);
        return;
    }
    const GradRow *row = grad_row(end.op->code);
    grad_refuse(g, end.op, "no gradient of `%s` reaches `%s`: it ends here, as this is %s",
                g->wish->of, by, row->kind == GRAD_ZERO ? row->why : "an integer");
}

/* The backward behind the forward, in front of `return`. */
static bool derive(Grad *g)
{
    GradOps effects = {0};
    Block *body = g->func->body;

    ir_walk(body, collect_effects, &effects);
    grad_block(g, body);
    for (int i = 0; i < g->nwrt; i++) {
        if (!g->wrt[i].is_reached)
            refuse_no_gradient(g, g->wish->wrt[i]);
    }
    grad_drop_effects(g, &effects);
    grad_put_ends(g);
    return !g->failed;
}

static bool find_active(Grad *g, bool has_changed)
{
    if (has_changed && !opt_run_pass(g->func->module, "dce", g->diags))
        return false;
    g->uses = ir_uses(g->func, g->arena);
    grad_find_active(g);
    return true;
}

bool grad_begin(Module *m, const GradWish *wish, Arena *a, Diags *d, Grad *g)
{
    *g = (Grad){.arena = a, .wish = wish, .diags = d};

    if (!prepare(g, m, d) || !find_arrays(g) || !grad_check_left_behind(g))
        return false;
    g->adjoints = map_new(a);
    g->again = map_new(a);
    g->rebased = map_new(a);
    g->meetings = map_new(a);
    g->rounds = map_new(a);
    if (!find_active(g, false))
        return false;
    while (grad_count_rounds(g)) {
        if (!find_active(g, true))
            return false;
    }
    grad_find_asked(g);
    g->b = builder_before(g->func->body->last);
    if (grad_take_means_as_stored(g) && (!opt_run_pass(m, "fold", d) || !find_active(g, true)))
        return false;
    if (grad_measure_from_saved(g) && !find_active(g, true))
        return false;
    while (grad_measure_from_end(g)) {
        if (!find_active(g, true))
            return false;
    }
    if (!grad_check_memory(g))
        return false;
    grad_find_saved(g);
    grad_find_loose(g);
    return derive(g);
}
