/*
 * lower_forgotten.c - arrays and scales that a kernel does not mention, loads and totals that
 * nobody asks for
 *
 * A bias that is loaded and never added, a scale that is passed and never read: the kernel runs,
 * and its results are wrong; so they are where a total of the rounds so far is kept, and not added
 * to what a round stores, and where a recurrence, a * s + x, begins with s = 0.0, which no round
 * changes.  Told by names: one that stands nowhere in the kernel, in no arm of
 * any `if`, was forgotten.  Nothing is said of integers, many of which are strides, of floats but
 * where products go into an exponential, as the scores of attention do, since many a backward pass
 * has an eps that it does not need; nor of names that begin with `_`, and of helpers, which have
 * the parameters that their callers want.
 *
 * An array or a scale that its kernel ignores is told of where somebody gives each argument by
 * hand.  Where a program that knows the kernel launches it, as from Python, the array is most
 * likely ignored for long, and whoever sees the warning has not written the kernel.  Nor is one
 * whose gradient the kernel reads, `out` where there is `d_out`: a kernel of gradients, as
 * `tilec grad` writes it too, has the arguments of its forward, and need not ask for the result.
 */
#include "../ir/analysis.h"
#include "lower.h"

#include <string.h>

enum { DEEPEST = 10, MOST_STEPS = 6, MOST_NODES = 20000 };

typedef struct {
    Sym name;
    int uses; /* times that it stands there as a value */
} Uses;

static void count_uses(Uses *u, const Node *n);

static void count_in(Uses *u, Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++)
        count_uses(u, nodes[i]);
}

/* What an assignment binds is no use of it; x[i] = v uses x. */
static void count_target(Uses *u, const Node *target)
{
    if (target->kind != N_NAME)
        count_uses(u, target);
}

static void count_uses(Uses *u, const Node *n)
{
    if (!n)
        return;
    u->uses += n->kind == N_NAME && n->name == u->name;
    if (n->kind == N_ASSIGN) {
        for (int i = 0; i < n->nitems; i++)
            count_target(u, n->items[i]);
    } else {
        count_in(u, n->items, n->nitems);
    }
    count_uses(u, n->left);
    count_uses(u, n->right);
    count_uses(u, n->extra);
    count_in(u, n->body, n->nbody);
    count_in(u, n->orelse, n->norelse);
}

static bool is_used(const AstFunc *fn, Sym name)
{
    Uses u = {.name = name};

    count_in(&u, fn->body, fn->nbody);
    return u.uses > 0 || name[0] == '_';
}

/* NULL: it is none that is there when the kernel runs. */
static const Type *type_of_parameter(const Func *kernel, Sym name)
{
    for (int i = 0; i < kernel->nparams; i++) {
        if (strcmp(kernel->params[i].name, name) == 0)
            return kernel->body->args[i]->type;
    }
    return NULL;
}

static bool is_array(const Func *kernel, Sym name)
{
    const Type *t = type_of_parameter(kernel, name);

    return t && t->pointer;
}

static bool is_float(const Func *kernel, Sym name)
{
    const Type *t = type_of_parameter(kernel, name);

    return t && !t->pointer && dtype_is_float(t->dtype);
}

/* Is there an exponential of a product of matrices? */
static bool has_scores(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_dot)
        return true;
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++) {
        if (has_scores(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

typedef struct {
    bool found;
} Scores;

static void note_scores(Op *op, void *scores)
{
    Scores *s = scores;

    if (op->code == OP_exp || op->code == OP_exp2)
        s->found |= has_scores(op->operands[0], DEEPEST);
}

/* --- what nobody asks for --- */

/* NAME = .. */
static bool is_assigned(const Node *n, Sym name)
{
    return n->kind == N_ASSIGN && n->nitems == 1 && n->items[0]->kind == N_NAME &&
           (!name || n->items[0]->name == name);
}

static bool is_call_of(const Node *n, const char *function)
{
    return n->kind == N_CALL && n->left->kind == N_ATTRIBUTE &&
           strcmp(n->left->name, function) == 0;
}

typedef struct {
    const AstFunc *fn;
    bool loaded, drawn; /* is there a tl.load, a tl.rand among what it is made of? */
    bool total;         /* .. in a sum that was kept, NAME += */
    int left;           /* nodes that may still be looked at */
} Origin;

static void find_origin(Origin *o, const Node *n, int depth);

/* .. of what the name is given, wherever that is. */
static void find_origin_of(Origin *o, Sym name, Node *const *nodes, int n, int depth)
{
    for (int i = 0; i < n && !o->loaded && !o->drawn && --o->left >= 0; i++) {
        bool adds = nodes[i]->kind == N_AUGMENTED && nodes[i]->left->kind == N_NAME &&
                    nodes[i]->left->name == name;
        o->total |= adds;
        if (is_assigned(nodes[i], name) || adds)
            find_origin(o, nodes[i]->right, depth);
        find_origin_of(o, name, nodes[i]->body, nodes[i]->nbody, depth);
        find_origin_of(o, name, nodes[i]->orelse, nodes[i]->norelse, depth);
    }
}

static void find_origin(Origin *o, const Node *n, int depth)
{
    if (!n || depth == 0 || o->loaded || o->drawn || --o->left < 0)
        return;
    o->loaded |= is_call_of(n, "load");
    o->drawn |= is_call_of(n, "rand") || is_call_of(n, "randn");
    if (n->kind == N_NAME)
        find_origin_of(o, n->name, o->fn->body, o->fn->nbody, depth - 1);
    find_origin(o, n->left, depth);
    find_origin(o, n->right, depth);
    find_origin(o, n->extra, depth);
    for (int i = 0; i < n->nitems; i++)
        find_origin(o, n->items[i], depth);
}

static void look_at_loads(Lower *l, const AstFunc *fn, Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++) {
        const Node *s = nodes[i];

        if (is_assigned(s, NULL) && !is_used(fn, s->items[0]->name)) {
            Origin o = {.fn = fn, .left = MOST_NODES};
            find_origin(&o, s->right, MOST_STEPS);
            bool converts = o.total && is_call_of(s->right, "to"); /* as stores do, too */
            if ((o.loaded || o.drawn) && !converts) {
                warn_at(l, s->items[0]->span,
                        is_call_of(s->right, "load") ? W_UNUSED_LOAD : W_UNUSED_RESULT,
                        s->items[0]->name);
                hint_at(l, H_UNUSED_LOAD);
            }
        }
        look_at_loads(l, fn, s->body, s->nbody);
        look_at_loads(l, fn, s->orelse, s->norelse);
    }
}

/* --- totals --- */

/* NAME = tl.zeros(..), tl.full(..) or 0.0 */
static bool is_begun(const Node *n, Sym name)
{
    const Node *v = n->right;

    if (n->kind != N_ASSIGN || n->nitems != 1 || n->items[0]->kind != N_NAME ||
        n->items[0]->name != name)
        return false;
    return v->kind == N_FLOAT ||
           (v->kind == N_CALL && v->left->kind == N_ATTRIBUTE &&
            (strcmp(v->left->name, "zeros") == 0 || strcmp(v->left->name, "full") == 0));
}

/* What is said of a name: is it begun as a total, and how often is something added to it? */
typedef struct {
    Sym name;
    bool begun;
    int added;
} Total;

/* The name to which more is added: t += .., or t = t * a + ..; NULL: it is no such statement. */
static const Node *added_to(const Node *s)
{
    const Node *target = s->kind == N_AUGMENTED                  ? s->left
                         : s->kind == N_ASSIGN && s->nitems == 1 ? s->items[0]
                                                                 : NULL;

    return target && target->kind == N_NAME ? target : NULL;
}

/* Summands and factors; what is handed to a function may be anything. */
static int terms_of(const Node *n, Sym name)
{
    if (n->kind == N_BINARY)
        return terms_of(n->left, name) + terms_of(n->right, name);
    return n->kind == N_NAME && n->name == name;
}

/* How often does it stand in what becomes of itself? */
static int own_uses(const Node *s, Sym name)
{
    const Node *target = added_to(s);

    if (!target || target->name != name)
        return 0;
    return terms_of(s->right, name) + (s->kind == N_AUGMENTED);
}

static void find_total(Total *t, Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++) {
        const Node *s = nodes[i];
        t->begun |= is_begun(s, t->name);
        t->added += own_uses(s, t->name);
        find_total(t, s->body, s->nbody);
        find_total(t, s->orelse, s->norelse);
    }
}

static void look_at_totals(Lower *l, const AstFunc *fn, Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++) {
        const Node *s = nodes[i];

        const Node *target = added_to(s);
        if (target && target->name[0] != '_' && own_uses(s, target->name) > 0) {
            Total t = {.name = target->name};
            Uses u = {.name = t.name};
            find_total(&t, fn->body, fn->nbody);
            count_in(&u, fn->body, fn->nbody);
            if (t.begun && u.uses == t.added) {
                warn_at(l, target->span, W_UNUSED_TOTAL, t.name);
                hint_at(l, H_UNUSED_TOTAL);
            }
        }
        look_at_totals(l, fn, s->body, s->nbody);
        look_at_totals(l, fn, s->orelse, s->norelse);
    }
}

/* --- a state that no round changes --- */

static bool is_zero(const Node *n)
{
    return (n->kind == N_FLOAT && n->real == 0) || is_call_of(n, "zeros");
}

/* How often is it bound? */
static int bindings_of(Sym name, const Node *n)
{
    int bound = 0;

    if (!n)
        return 0;
    for (int i = 0; n->kind == N_ASSIGN && i < n->nitems; i++) {
        Uses u = {.name = name};
        count_uses(&u, n->items[i]);
        bound += u.uses;
    }
    if (n->kind == N_AUGMENTED || n->kind == N_FOR || n->kind == N_ANNOTATED || n->kind == N_WALRUS)
        bound += n->left ? n->left->kind == N_NAME && n->left->name == name : n->name == name;
    for (int i = 0; i < n->nbody; i++)
        bound += bindings_of(name, n->body[i]);
    for (int i = 0; i < n->norelse; i++)
        bound += bindings_of(name, n->orelse[i]);
    return bound;
}

/* A product with the name, in an expression of a loop; NULL. */
static const Node *product_with(const Node *n, Sym name)
{
    const Node *found = NULL;

    if (!n)
        return NULL;
    if (n->kind == N_BINARY && n->op == BIN_MUL &&
        ((n->left->kind == N_NAME && n->left->name == name) ||
         (n->right->kind == N_NAME && n->right->name == name)))
        return n;
    const Node *parts[] = {n->left, n->right, n->extra};
    for (int i = 0; i < COUNT(parts) && !found; i++)
        found = product_with(parts[i], name);
    for (int i = 0; i < n->nitems && !found; i++)
        found = product_with(n->items[i], name);
    for (int i = 0; i < n->nbody && !found; i++)
        found = product_with(n->body[i], name);
    for (int i = 0; i < n->norelse && !found; i++)
        found = product_with(n->orelse[i], name);
    return found;
}

/* s = 0.0 in front of a loop that computes with a * s, and nowhere else is anything assigned to s.
 */
static void look_at_state(Lower *l, const AstFunc *fn, Node *const *nodes, int n)
{
    for (int i = 0; i < n; i++) {
        const Node *s = nodes[i], *product = NULL;
        Sym name = is_assigned(s, NULL) && is_zero(s->right) ? s->items[0]->name : NULL;
        int bound = 0;

        look_at_state(l, fn, s->body, s->nbody);
        look_at_state(l, fn, s->orelse, s->norelse);
        for (int k = 0; name && k < fn->nbody; k++)
            bound += bindings_of(name, fn->body[k]);
        for (int k = i + 1; bound == 1 && k < n && !product; k++) {
            if (nodes[k]->kind == N_FOR || nodes[k]->kind == N_WHILE)
                product = product_with(nodes[k], name);
        }
        if (product && !diag_warned(l->diags, product->span)) {
            warn_at(l, product->span, W_UNCHANGED_STATE, name);
            hint_at(l, H_UNCHANGED_STATE);
        }
    }
}

/* Does it work on any array?  Of one that only prints nothing is said. */
static bool uses_arrays(const AstFunc *fn, const Func *kernel)
{
    for (int i = 0; i < fn->nparams; i++) {
        if (is_array(kernel, fn->params[i].name) && is_used(fn, fn->params[i].name))
            return true;
    }
    return false;
}

/* Is there a parameter with its gradient, d_NAME, which the kernel reads and does not write? */
static bool has_read_gradient(const Lower *l, const Func *kernel, Sym name)
{
    const char *gradient = arena_printf(l->arena, "d_%s", name);

    for (int i = 0; i < kernel->nparams && i < 63; i++) {
        if (strcmp(kernel->params[i].name, gradient) != 0)
            continue;
        const MemoryUse use = ir_memory_use(kernel, l->arena);
        return (use.loaded >> i & 1) && !(use.stored >> i & 1);
    }
    return false;
}

static void look_at_parameters(Lower *l, const AstFunc *fn, const Func *kernel)
{
    Scores scores = {false};

    ir_walk(kernel->body, note_scores, &scores);
    for (int i = 0; i < fn->nparams && uses_arrays(fn, kernel); i++) {
        const AstParam *p = &fn->params[i];

        bool array = is_array(kernel, p->name);
        if ((!array && !(scores.found && is_float(kernel, p->name))) || is_used(fn, p->name) ||
            (array && has_read_gradient(l, kernel, p->name)))
            continue;
        warn_at(l, p->span, W_UNUSED_ARRAY, array ? "array" : "number", p->name, fn->name);
        hint_at(l, H_UNUSED_ARRAY);
    }
}

void warn_of_forgotten(Lower *l, const AstFunc *fn, const Func *kernel)
{
    bool is_of_program = fn->file->set->options.host.find != NULL;

    if (!is_of_program)
        look_at_parameters(l, fn, kernel);
    look_at_loads(l, fn, fn->body, fn->nbody);
    look_at_totals(l, fn, fn->body, fn->nbody);
    look_at_state(l, fn, fn->body, fn->nbody);
}
