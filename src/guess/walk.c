/*
 * walk.c - the way through a kernel's syntax trees: variables, calls, parameters
 *
 * Values are followed through local variables, which may be assigned to in several places, and
 * into functions of the file; a variable is not followed inside of itself.
 */
#include "walk.h"

#include <string.h>

/* --- walking --- */

/* Every node below, and `n` itself first. */
static void visit_node(Guesser *g, const Frame *fr, const Node *n, GuessVisit *visit)
{
    if (!n)
        return;
    visit(g, fr, n);
    visit_node(g, fr, n->left, visit);
    visit_node(g, fr, n->right, visit);
    visit_node(g, fr, n->extra, visit);
    guess_visit_all(g, fr, n->items, n->nitems, visit);
    guess_visit_all(g, fr, n->body, n->nbody, visit);
    guess_visit_all(g, fr, n->orelse, n->norelse, visit);
}

void guess_visit_all(Guesser *g, const Frame *fr, Node *const *list, int n, GuessVisit *visit)
{
    for (int i = 0; i < n; i++)
        visit_node(g, fr, list[i], visit);
}

int guess_param_index(const AstFunc *f, const char *name)
{
    for (int i = 0; i < f->nparams; i++) {
        if (strcmp(f->params[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* What statements assign to a name. */
typedef struct {
    const char *name;
    const Node *value;
} Binding;
typedef VEC(Binding) Bindings;

/* `a, b = value` gives both names the value, unless that is a tuple, too. */
static void bind(Arena *a, const Node *target, const Node *value, Bindings *out)
{
    bool is_tuple = target->kind == N_TUPLE || target->kind == N_LIST, fits;

    if (target->kind == N_NAME && value)
        vec_push(a, out, ((Binding){target->name, value}));
    if (!is_tuple || !value)
        return;
    fits = value->kind == N_TUPLE && value->nitems == target->nitems;
    for (int i = 0; i < target->nitems; i++)
        bind(a, target->items[i], fits ? value->items[i] : value, out);
}

static void find_bindings(Arena *a, Node *const *list, int n, Bindings *out)
{
    for (int i = 0; i < n; i++) {
        const Node *s = list[i];

        for (int t = 0; s->kind == N_ASSIGN && t < s->nitems; t++)
            bind(a, s->items[t], s->right, out);
        if (s->kind == N_AUGMENTED || s->kind == N_ANNOTATED)
            bind(a, s->left, s->right, out);
        find_bindings(a, s->body, s->nbody, out);
        find_bindings(a, s->orelse, s->norelse, out);
    }
}

static const Bindings *bindings_of(Guesser *g, const AstFunc *f)
{
    uint64_t key = (uint64_t)(uintptr_t)f;
    Bindings *all = map_get(g->bindings, key);

    if (all)
        return all;
    all = NEW(g->c->arena, Bindings);
    find_bindings(g->c->arena, f->body, f->nbody, all);
    map_put(g->bindings, key, all);
    return all;
}

Nodes guess_bindings(Guesser *g, const Frame *fr, const char *name)
{
    const Bindings *all = bindings_of(g, fr->f);
    Nodes out = {0};

    for (int i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].name, name) == 0)
            vec_push(g->c->arena, &out, all->at[i].value);
    }
    return out;
}

bool guess_follow(const Frame *fr, const char *name, Followed *next, Frame *inside)
{
    for (const Followed *f = fr->followed; f; f = f->outer) {
        if (f->f == fr->f && strcmp(f->name, name) == 0)
            return false;
    }
    *next = (Followed){fr->f, name, fr->followed};
    *inside = *fr;
    inside->followed = next;
    return true;
}

const char *guess_callee(const Node *n)
{
    if (n->kind != N_CALL || (n->left->kind != N_ATTRIBUTE && n->left->kind != N_NAME))
        return NULL;
    return n->left->name;
}

bool guess_calls(const Node *n, const char *name)
{
    return guess_callee(n) && strcmp(guess_callee(n), name) == 0;
}

bool guess_is_atomic(const Node *n)
{
    return guess_callee(n) && strncmp(guess_callee(n), "atomic_", strlen("atomic_")) == 0;
}

const Node *guess_argument(const Node *call, int i, const char *keyword)
{
    for (int k = 0; k < call->nitems; k++) {
        const Node *item = call->items[k];

        if (item->kind == N_KEYWORD && strcmp(item->name, keyword) == 0)
            return item->left;
        if (item->kind != N_KEYWORD && k == i)
            return item;
    }
    return NULL;
}

const AstFunc *guess_enter(Guesser *g, const Frame *fr, const Node *call, Frame *inside)
{
    const FileFunction *found = call->kind == N_CALL && call->left->kind == N_NAME
                                    ? functions_find(g->functions, call->left->name)
                                    : NULL;
    const Node **args;

    if (!found || fr->depth > GUESS_DEEPEST_CALL)
        return NULL;
    const AstFunc *f = &found->syntax;
    args = NEW_N(g->c->arena, const Node *, f->nparams + 1);
    for (int i = 0; i < f->nparams; i++)
        args[i] = guess_argument(call, i, f->params[i].name);
    *inside = (Frame){f, fr, args, fr->depth + 1, NULL};
    return f;
}

static void find_results(Arena *a, Node *const *list, int n, Nodes *out)
{
    for (int i = 0; i < n; i++) {
        if (list[i]->kind == N_RETURN && list[i]->left)
            vec_push(a, out, list[i]->left);
        find_results(a, list[i]->body, list[i]->nbody, out);
        find_results(a, list[i]->orelse, list[i]->norelse, out);
    }
}

Nodes guess_results(Guesser *g, const AstFunc *f)
{
    Nodes out = {0};

    find_results(g->c->arena, f->body, f->nbody, &out);
    return out;
}

/* --- parameters of the kernel behind an expression --- */

/* a // b, cdiv(a, b): what is divided; NULL: it is neither */
static const Node *dividend_of(const Node *n)
{
    if (n->kind == N_BINARY && n->op == BIN_FLOORDIV)
        return n->left;
    return guess_calls(n, "cdiv") ? guess_argument(n, 0, "x") : NULL;
}

void guess_meet_params(Guesser *g, const Frame *fr, const Node *n, GuessMeet *meet)
{
    Followed followed;
    Frame inside;
    int i;

    if (!n || --g->budget < 0 || guess_calls(n, "load") || guess_calls(n, "program_id") ||
        guess_is_atomic(n))
        return;
    if (g->counts && dividend_of(n)) {
        guess_meet_params(g, fr, dividend_of(n), meet);
        return;
    }
    if (n->kind == N_NAME) {
        if (!guess_follow(fr, n->name, &followed, &inside))
            return;
        i = guess_param_index(fr->f, n->name);
        if (i >= 0 && !fr->caller)
            meet(g, i);
        else if (i >= 0)
            guess_meet_params(g, fr->caller, fr->args[i], meet);
        Nodes bound = guess_bindings(g, fr, n->name);
        for (int k = 0; k < bound.len; k++)
            guess_meet_params(g, &inside, bound.at[k], meet);
        return;
    }
    if (n->kind != N_CALL)
        guess_meet_params(g, fr, n->left, meet);
    if (n->kind != N_SUBSCRIPT)
        guess_meet_params(g, fr, n->right, meet);
    for (int k = 0; k < n->nitems; k++)
        guess_meet_params(g, fr, n->items[k], meet);
}

static void meet_last(Guesser *g, int param)
{
    g->met = param;
    g->nmet++;
}

int guess_single_param(Guesser *g, const Frame *fr, const Node *n)
{
    g->met = -1;
    g->nmet = 0;
    guess_meet_params(g, fr, n, meet_last);
    return g->nmet == 1 ? g->met : -1;
}
