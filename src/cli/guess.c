/*
 * guess.c - what a kernel's parameters are for, from the way that it uses them
 *
 * A parameter that stands in the address of a load or store, alone in its sum, is a pointer; one
 * that is a factor there is a stride, and each of these is a dimension of the pointer's array; one
 * that is compared, divided or counted up to is a size.  Addresses are followed through local
 * variables and through functions of the file.  Nothing is certain: example.c tries what is made of
 * it.
 */
#include "cli.h"
#include "../syntax/ast.h"

#include <string.h>

enum { DEEPEST_CALL = 6, BUDGET = 100 * 1000, MOST_ARGUMENTS = 1000 };

/* A variable whose values are being followed: not again inside of themselves. */
typedef struct Followed {
    const AstFunc *f;
    const char *name;
    const struct Followed *outer;
} Followed;

/* A function that is being looked at, and who calls it with what. */
typedef struct Frame {
    const AstFunc *f;
    const struct Frame *caller; /* NULL: the kernel itself */
    const Node *const *args;    /* of the call, by parameter; NULL: not given */
    int depth;                  /* of calls */
    const Followed *followed;
} Frame;

typedef struct {
    Cli *c;
    const Functions *functions;
    Guess *out;
    GuessedParam nobody; /* what an address without a parameter is noted at */
    int budget;          /* expressions that may still be looked at */
} Guesser;

/* What the sum of an address is made of. */
typedef struct {
    int leaves[CLI_MAX_DIMS], nleaves;   /* parameters that are terms */
    int strides[CLI_MAX_DIMS], nstrides; /* that are factors */
    bool has_unit;                       /* a term without such a factor */
    int scale;                           /* the largest literal factor */
} Address;

typedef void Visit(Guesser *g, const Frame *fr, const Node *n);

/* --- walking --- */

static void visit_all(Guesser *g, const Frame *fr, Node *const *list, int n, Visit *visit);

/* Every node below, and `n` itself first. */
static void visit_node(Guesser *g, const Frame *fr, const Node *n, Visit *visit)
{
    if (!n)
        return;
    visit(g, fr, n);
    visit_node(g, fr, n->left, visit);
    visit_node(g, fr, n->right, visit);
    visit_node(g, fr, n->extra, visit);
    visit_all(g, fr, n->items, n->nitems, visit);
    visit_all(g, fr, n->body, n->nbody, visit);
    visit_all(g, fr, n->orelse, n->norelse, visit);
}

static void visit_all(Guesser *g, const Frame *fr, Node *const *list, int n, Visit *visit)
{
    for (int i = 0; i < n; i++)
        visit_node(g, fr, list[i], visit);
}

static int param_index(const AstFunc *f, const char *name)
{
    for (int i = 0; i < f->nparams; i++) {
        if (strcmp(f->params[i].name, name) == 0)
            return i;
    }
    return -1;
}

typedef VEC(const Node *) Nodes;

/* The values that statements assign to a variable. */
static void find_bindings(Arena *a, Node *const *list, int n, const char *name, Nodes *out)
{
    for (int i = 0; i < n; i++) {
        const Node *s = list[i];

        for (int t = 0; s->kind == N_ASSIGN && t < s->nitems; t++) {
            if (s->items[t]->kind == N_NAME && strcmp(s->items[t]->name, name) == 0)
                vec_push(a, out, s->right);
        }
        if ((s->kind == N_AUGMENTED || s->kind == N_ANNOTATED) && s->left->kind == N_NAME &&
            strcmp(s->left->name, name) == 0 && s->right)
            vec_push(a, out, s->right);
        find_bindings(a, s->body, s->nbody, name, out);
        find_bindings(a, s->orelse, s->norelse, name, out);
    }
}

static Nodes bindings_of(const Guesser *g, const Frame *fr, const char *name)
{
    Nodes out = {0};

    find_bindings(g->c->arena, fr->f->body, fr->f->nbody, name, &out);
    return out;
}

/* Begin to follow a variable; false: that has begun already. */
static bool follow(const Frame *fr, const char *name, Followed *next, Frame *inside)
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

/* "load" of tl.load, `cdiv` of triton.cdiv and of cdiv; NULL: no call, or of something else. */
static const char *callee(const Node *n)
{
    if (n->kind != N_CALL || (n->left->kind != N_ATTRIBUTE && n->left->kind != N_NAME))
        return NULL;
    return n->left->name;
}

static bool calls(const Node *n, const char *name)
{
    return callee(n) && strcmp(callee(n), name) == 0;
}

static const Node *argument(const Node *call, int i, const char *keyword)
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

/* --- parameters of the kernel behind an expression --- */

typedef void Meet(Guesser *g, int param);

/* Call `meet` for every parameter of the kernel that `n` is computed from, without what is loaded.
 */
static void meet_params(Guesser *g, const Frame *fr, const Node *n, Meet *meet)
{
    Followed followed;
    Frame inside;
    int i;

    if (!n || --g->budget < 0 || calls(n, "load") || calls(n, "program_id"))
        return;
    if (n->kind == N_NAME) {
        if (!follow(fr, n->name, &followed, &inside))
            return;
        i = param_index(fr->f, n->name);
        if (i >= 0 && !fr->caller)
            meet(g, i);
        else if (i >= 0)
            meet_params(g, fr->caller, fr->args[i], meet);
        Nodes bound = bindings_of(g, fr, n->name);
        for (int k = 0; k < bound.len; k++)
            meet_params(g, &inside, bound.at[k], meet);
        return;
    }
    if (n->kind != N_CALL)
        meet_params(g, fr, n->left, meet);
    if (n->kind != N_SUBSCRIPT)
        meet_params(g, fr, n->right, meet);
    for (int k = 0; k < n->nitems; k++)
        meet_params(g, fr, n->items[k], meet);
}

static void meet_extent(Guesser *g, int param)
{
    g->out->at[param].is_extent = true;
}

static void meet_unrolled(Guesser *g, int param)
{
    g->out->at[param].is_unrolled = true;
}

static void meet_size(Guesser *g, int param)
{
    g->out->at[param].is_size = true;
}

/* --- addresses --- */

static void add_once(int *list, int *n, int v)
{
    for (int i = 0; i < *n; i++) {
        if (list[i] == v)
            return;
    }
    if (*n < CLI_MAX_DIMS)
        list[(*n)++] = v;
}

static void read_address(Guesser *g, const Frame *fr, const Node *n, Address *out);

/* A parameter, or what a local variable stands for. */
static void read_name(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    int i = param_index(fr->f, n->name);
    Nodes bound = bindings_of(g, fr, n->name);
    Followed followed;
    Frame inside;

    if (!follow(fr, n->name, &followed, &inside))
        return;
    if (i >= 0 && fr->caller)
        read_address(g, fr->caller, fr->args[i], out);
    else if (i >= 0 && fr->f->params[i].is_constexpr)
        out->has_unit = true;
    else if (i >= 0)
        add_once(out->leaves, &out->nleaves, i);
    else if (bound.len == 0)
        out->has_unit = true; /* of a loop, or of a tuple */
    for (int k = 0; k < bound.len; k++)
        read_address(g, &inside, bound.at[k], out);
}

/* factors := factors '*' factor: those that are parameters are strides */
static void read_product(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    const Node *sides[] = {n->left, n->right};
    Address inner = {0};

    for (int i = 0; i < 2; i++) {
        const Node *side = sides[i];

        if (side->kind == N_INT && side->integer > 0 && side->integer < 1 << 16)
            out->scale = MAX(out->scale, (int)side->integer);
        else
            read_address(g, fr, side, &inner);
    }
    for (int i = 0; i < inner.nleaves; i++)
        add_once(out->strides, &out->nstrides, inner.leaves[i]);
    for (int i = 0; i < inner.nstrides; i++)
        add_once(out->strides, &out->nstrides, inner.strides[i]);
    out->scale = MAX(out->scale, inner.scale);
    out->has_unit |= inner.nleaves + inner.nstrides == 0 || (inner.has_unit && inner.nstrides > 0);
}

static void read_address(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    if (!n || --g->budget < 0)
        return;
    if (n->kind == N_NAME) {
        read_name(g, fr, n, out);
    } else if (n->kind == N_BINARY && (n->op == BIN_ADD || n->op == BIN_SUB)) {
        read_address(g, fr, n->left, out);
        read_address(g, fr, n->right, out);
    } else if (n->kind == N_BINARY && n->op == BIN_MUL) {
        read_product(g, fr, n, out);
    } else if (n->kind == N_SUBSCRIPT || n->kind == N_UNARY) {
        read_address(g, fr, n->left, out);
    } else if (n->kind == N_CONDITIONAL) {
        read_address(g, fr, n->left, out);
        read_address(g, fr, n->extra, out);
    } else if (calls(n, "load")) {
        Address index = {0};
        out->has_unit = true;
        read_address(g, fr, argument(n, 0, "pointer"), &index);
        for (int i = 0; i < index.nleaves; i++)
            g->out->at[index.leaves[i]].is_index = true;
    } else if (calls(n, "to")) {
        read_address(g, fr, n->left->left, out);
    } else if (n->kind == N_CALL && n->nitems > 0 && !calls(n, "arange") &&
               !calls(n, "program_id")) {
        read_address(g, fr, n->items[0], out); /* multiple_of, broadcast_to, minimum ... */
    } else if (n->kind != N_INT) {
        out->has_unit = true;
    }
}

/* Which of the terms is the pointer: known as one, or called so, or no size; else the first. */
static int pointer_of(const Guesser *g, const Frame *fr, const Address *a)
{
    const Frame *kernel = fr;

    while (kernel->caller)
        kernel = kernel->caller;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < a->nleaves; i++) {
            const GuessedParam *p = &g->out->at[a->leaves[i]];

            if ((round == 0 && p->is_pointer) ||
                (round == 1 && strstr(kernel->f->params[a->leaves[i]].name, "ptr")) ||
                (round == 2 && !p->is_size))
                return a->leaves[i];
        }
    }
    return a->nleaves ? a->leaves[0] : -1;
}

static GuessedParam *use_address(Guesser *g, const Frame *fr, const Node *address)
{
    Address a = {0};
    int pointer;

    read_address(g, fr, address, &a);
    pointer = pointer_of(g, fr, &a);
    if (pointer < 0)
        return &g->nobody;
    GuessedParam *p = &g->out->at[pointer];
    p->is_pointer = true;
    p->has_unit |= a.has_unit;
    p->scale = MAX(p->scale, a.scale);
    for (int i = 0; i < a.nstrides; i++) {
        add_once(p->strides, &p->nstrides, a.strides[i]);
        g->out->at[a.strides[i]].is_factor = true;
    }
    for (int i = 0; i < a.nleaves; i++) {
        if (a.leaves[i] != pointer)
            p->has_unit = true;
    }
    return p;
}

/* --- programs --- */

static int axis_of(const Node *call)
{
    const Node *axis = argument(call, 0, "axis");

    return axis && axis->kind == N_INT && axis->integer >= 0 && axis->integer < 3
               ? (int)axis->integer
               : 0;
}

/* The axis whose program_id `n` is, itself or by a variable; -1. */
static int program_axis(Guesser *g, const Frame *fr, const Node *n)
{
    Followed followed;
    Frame inside;

    if (calls(n, "program_id"))
        return axis_of(n);
    if (calls(n, "to"))
        return program_axis(g, fr, n->left->left);
    if (n->kind != N_NAME || --g->budget < 0 || !follow(fr, n->name, &followed, &inside))
        return -1;
    Nodes bound = bindings_of(g, fr, n->name);
    return bound.len == 1 ? program_axis(g, &inside, bound.at[0]) : -1;
}

/* pid * BLOCK, pid // x, pid % x */
static void use_program(Guesser *g, const Frame *fr, const Node *n)
{
    for (int side = 0; side < 2; side++) {
        const Node *pid = side ? n->right : n->left, *other = side ? n->left : n->right;
        int axis = program_axis(g, fr, pid), i;

        if (axis < 0)
            continue;
        if (n->op == BIN_FLOORDIV || n->op == BIN_MOD)
            g->out->axes[axis].is_split |= side == 0;
        i = other->kind == N_NAME && !fr->caller ? param_index(fr->f, other->name) : -1;
        if (n->op == BIN_MUL && i >= 0 && fr->f->params[i].is_constexpr)
            g->out->axes[axis].block = i;
    }
}

/* --- nodes --- */

static void visit_use(Guesser *g, const Frame *fr, const Node *n);

/* A call of a function of the file: look into it with these arguments. */
static void enter(Guesser *g, const Frame *fr, const Node *call)
{
    const FileFunction *found =
        call->left->kind == N_NAME ? functions_find(g->functions, call->left->name) : NULL;
    const Node **args;

    if (!found || fr->depth > DEEPEST_CALL)
        return;
    const AstFunc *f = &found->syntax;
    args = NEW_N(g->c->arena, const Node *, f->nparams + 1);
    for (int i = 0; i < f->nparams; i++)
        args[i] = argument(call, i, f->params[i].name);
    const Frame inner = {f, fr, args, fr->depth + 1, NULL};
    visit_all(g, &inner, f->body, f->nbody, visit_use);
}

/* shape and strides of make_block_ptr(base, shape, strides, ...), which are tuples */
static void use_block(Guesser *g, const Frame *fr, const Node *call, GuessedParam *p)
{
    const Node *shape = argument(call, 1, "shape"), *strides = argument(call, 2, "strides");

    for (int i = 0; shape && i < shape->nitems; i++)
        meet_params(g, fr, shape->items[i], meet_size);
    for (int i = 0; strides && i < strides->nitems; i++) {
        Address a = {0};

        read_address(g, fr, strides->items[i], &a);
        p->has_unit |= a.nleaves == 0;
        for (int k = 0; k < a.nleaves; k++) {
            add_once(p->strides, &p->nstrides, a.leaves[k]);
            g->out->at[a.leaves[k]].is_factor = true;
        }
    }
}

static void use_call(Guesser *g, const Frame *fr, const Node *n)
{
    static const char atomic[] = "atomic_";
    GuessedParam *p;

    if (calls(n, "load")) {
        use_address(g, fr, argument(n, 0, "pointer"))->is_loaded = true;
    } else if (calls(n, "store")) {
        use_address(g, fr, argument(n, 0, "pointer"))->is_stored = true;
    } else if (callee(n) && strncmp(callee(n), atomic, strlen(atomic)) == 0) {
        p = use_address(g, fr, argument(n, 0, "pointer"));
        p->is_atomic = p->is_stored = true;
        p->is_lock |= !calls(n, "atomic_add") && !calls(n, "atomic_max") && !calls(n, "atomic_min");
    } else if (calls(n, "make_block_ptr") || calls(n, "make_tensor_descriptor")) {
        p = use_address(g, fr, argument(n, 0, "base"));
        p->is_loaded = p->is_stored = true;
        use_block(g, fr, n, p);
    } else if (calls(n, "program_id")) {
        g->out->axes[axis_of(n)].is_used = true;
    } else if (calls(n, "static_range")) {
        for (int i = 0; i < n->nitems; i++)
            meet_params(g, fr, n->items[i], meet_unrolled);
    } else if (calls(n, "range") || calls(n, "cdiv")) {
        for (int i = 0; i < n->nitems; i++)
            meet_params(g, fr, n->items[i], meet_size);
    } else if (calls(n, "arange")) {
        meet_params(g, fr, argument(n, 1, "end"), meet_extent);
    }
    enter(g, fr, n);
}

/* The pointer that `n` was loaded from, itself or by a variable. */
static GuessedParam *loaded_from(Guesser *g, const Frame *fr, const Node *n)
{
    Followed followed;
    Frame inside;

    if (calls(n, "load"))
        return use_address(g, fr, argument(n, 0, "pointer"));
    if (n->kind != N_NAME || --g->budget < 0 || !follow(fr, n->name, &followed, &inside))
        return &g->nobody;
    Nodes bound = bindings_of(g, fr, n->name);
    return bound.len == 1 ? loaded_from(g, &inside, bound.at[0]) : &g->nobody;
}

/* Operators that floats do not have. */
static void use_operands(Guesser *g, const Frame *fr, const Node *n)
{
    bool whole = n->op == BIN_XOR || n->op == BIN_OR || n->op == BIN_AND || n->op == BIN_SHL ||
                 n->op == BIN_SHR || n->op == BIN_FLOORDIV || n->op == BIN_MOD;

    if (!whole)
        return;
    loaded_from(g, fr, n->left)->is_integer = true;
    loaded_from(g, fr, n->right)->is_integer = true;
}

static void visit_use(Guesser *g, const Frame *fr, const Node *n)
{
    if (n->kind == N_CALL && argument(n, MOST_ARGUMENTS, "mask"))
        loaded_from(g, fr, argument(n, MOST_ARGUMENTS, "mask"))->is_mask = true;
    if (n->kind == N_CALL)
        use_call(g, fr, n);
    if (n->kind == N_COMPARE) {
        meet_params(g, fr, n->left, meet_size);
        for (int i = 0; i < n->nitems; i++) {
            meet_params(g, fr, n->items[i], meet_size);
            if (n->items[i]->kind == N_STRING && n->left->kind == N_NAME && !fr->caller &&
                param_index(fr->f, n->left->name) >= 0)
                g->out->at[param_index(fr->f, n->left->name)].is_text = true;
        }
    }
    if (n->kind == N_BINARY) {
        use_program(g, fr, n);
        use_operands(g, fr, n);
    }
    if (n->kind == N_BINARY && (n->op == BIN_FLOORDIV || n->op == BIN_MOD))
        meet_params(g, fr, n->right, meet_size);
}

Guess guess_kernel(Cli *c, const Functions *functions, const AstFunc *f)
{
    Guess out = {.n = f->nparams, .at = NEW_N(c->arena, GuessedParam, f->nparams + 1)};
    Guesser g = {.c = c, .functions = functions, .out = &out, .budget = BUDGET};
    const Frame fr = {.f = f};

    for (int i = 0; i < 3; i++)
        out.axes[i].block = -1;
    visit_all(&g, &fr, f->body, f->nbody, visit_use);
    for (int i = 0; i < 3; i++) {
        if (out.axes[i].block >= 0 && !out.at[out.axes[i].block].is_extent)
            out.axes[i].block = -1; /* `row * WIDTH` */
    }
    return out;
}
