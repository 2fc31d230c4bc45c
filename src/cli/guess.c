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

enum { DEEPEST_CALL = 6, BUDGET = 100 * 1000, MOST_ARGUMENTS = 1000, MOST_CHOICE = 100 };

#define RANGE (1u << 3) /* behind the bits of three axes */

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
    bool counts;         /* of quotients meet_params() looks at the dividends */
    int met, nmet;       /* what single_param() has come by */
} Guesser;

/* What the sum of an address is made of. */
typedef struct {
    int leaves[CLI_MAX_DIMS], nleaves;   /* parameters that are terms */
    int strides[CLI_MAX_DIMS], nstrides; /* that are factors */
    bool has_unit;                       /* a term without such a factor */
    bool is_constant;                    /* one that is a constant of the kernel */
    int constants;                       /* dimensions whose stride is constant, as in row * N */
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

static bool makes_block(const Node *n)
{
    return calls(n, "make_block_ptr") || calls(n, "make_tensor_descriptor");
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

/* a // b, cdiv(a, b): what is divided; NULL: it is neither */
static const Node *dividend_of(const Node *n)
{
    if (n->kind == N_BINARY && n->op == BIN_FLOORDIV)
        return n->left;
    return calls(n, "cdiv") ? argument(n, 0, "x") : NULL;
}

/* Call `meet` for every parameter of the kernel that `n` is computed from, without what is loaded.
 */
static void meet_params(Guesser *g, const Frame *fr, const Node *n, Meet *meet)
{
    Followed followed;
    Frame inside;
    int i;

    if (!n || --g->budget < 0 || calls(n, "load") || calls(n, "program_id"))
        return;
    if (g->counts && dividend_of(n)) {
        meet_params(g, fr, dividend_of(n), meet);
        return;
    }
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

static void meet_rounds(Guesser *g, int param)
{
    g->out->at[param].is_rounds = true;
}

static void meet_size(Guesser *g, int param)
{
    g->out->at[param].is_size = true;
}

static void meet_whole(Guesser *g, int param)
{
    g->out->at[param].is_whole = true;
}

static void meet_last(Guesser *g, int param)
{
    g->met = param;
    g->nmet++;
}

/* The one parameter that `n` is computed from; -1: none, or several. */
static int single_param(Guesser *g, const Frame *fr, const Node *n)
{
    g->met = -1;
    g->nmet = 0;
    meet_params(g, fr, n, meet_last);
    return g->nmet == 1 ? g->met : -1;
}

/* range(a, b, step), static_range(a, b, step): rounds become more with a and b, but fewer with what
 * these are divided by, and with the step. */
static void use_rounds(Guesser *g, const Frame *fr, const Node *n)
{
    g->counts = true;
    meet_params(g, fr, argument(n, 0, "arg1"), meet_rounds);
    meet_params(g, fr, argument(n, 1, "arg2"), meet_rounds);
    g->counts = false;
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
static unsigned axes_of(Guesser *g, const Frame *fr, const Node *n);

static void add_address(Address *to, const Address *part)
{
    for (int i = 0; i < part->nleaves; i++)
        add_once(to->leaves, &to->nleaves, part->leaves[i]);
    for (int i = 0; i < part->nstrides; i++)
        add_once(to->strides, &to->nstrides, part->strides[i]);
    to->has_unit |= part->has_unit;
    to->scale = MAX(to->scale, part->scale);
    to->constants = MAX(to->constants, part->constants);
}

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
        out->has_unit = out->is_constant = true;
    else if (i >= 0)
        add_once(out->leaves, &out->nleaves, i);
    else if (bound.len == 0)
        out->has_unit = true; /* of a loop, or of a tuple */
    for (int k = 0; k < bound.len; k++)
        read_address(g, &inside, bound.at[k], out);
}

/* Does a factor count along a dimension?  The number of a program does not, behind which a block
 * goes on, and neither do parameters, which are strides themselves. */
static bool is_index(Guesser *g, const Frame *fr, const Node *n, const Address *a)
{
    unsigned axes = axes_of(g, fr, n);

    return n->kind != N_INT && a->nleaves + a->nstrides == 0 && (axes == 0 || axes & RANGE);
}

/* factors := factors '*' factor: those that are parameters are strides */
static void read_product(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    const Node *sides[] = {n->left, n->right};
    Address parts[2] = {0}, inner = {0};

    for (int i = 0; i < 2; i++) {
        const Node *side = sides[i];

        if (side->kind == N_INT && side->integer > 0 && side->integer < 1 << 16)
            out->scale = MAX(out->scale, (int)side->integer);
        else
            read_address(g, fr, side, &parts[i]);
    }
    for (int i = 0; i < 2; i++) {
        if (parts[i].is_constant && is_index(g, fr, sides[1 - i], &parts[1 - i]))
            inner.constants++;
        add_address(&inner, &parts[i]);
    }
    out->constants += inner.constants;
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
               !calls(n, "program_id")) { /* make_block_ptr, advance, multiple_of, minimum ... */
        const Node *first = n->items[0];
        read_address(g, fr, first->kind == N_KEYWORD ? argument(n, 0, "base") : first, out);
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
    p->constants = MAX(p->constants, a.constants);
    for (int i = 0; i < a.nstrides; i++) {
        add_once(p->strides, &p->nstrides, a.strides[i]);
        g->out->at[a.strides[i]].is_factor = true;
    }
    for (int i = 0; i < a.nleaves; i++) {
        if (a.leaves[i] == pointer)
            continue;
        p->has_unit = true;
        g->out->at[a.leaves[i]].is_whole = true;
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

/* The axes that `n` is computed from, a bit each, and RANGE if it is a tile of numbers; what is
 * loaded is not looked into. */
static unsigned axes_of(Guesser *g, const Frame *fr, const Node *n)
{
    unsigned axes = 0;
    Followed followed;
    Frame inside;
    int i;

    if (!n || --g->budget < 0 || calls(n, "load"))
        return 0;
    if (calls(n, "program_id"))
        return 1u << axis_of(n);
    if (calls(n, "arange"))
        return RANGE;
    if (n->kind == N_NAME) {
        if (!follow(fr, n->name, &followed, &inside))
            return 0;
        i = param_index(fr->f, n->name);
        axes = i >= 0 && fr->caller ? axes_of(g, fr->caller, fr->args[i]) : 0;
        Nodes bound = bindings_of(g, fr, n->name);
        for (int k = 0; k < bound.len; k++)
            axes |= axes_of(g, &inside, bound.at[k]);
        return axes;
    }
    axes = axes_of(g, fr, n->left);
    if (n->kind != N_SUBSCRIPT)
        axes |= axes_of(g, fr, n->right);
    for (int k = 0; k < n->nitems; k++)
        axes |= axes_of(g, fr, n->items[k]);
    return axes;
}

/* `place` is less than `size`: that bounds the axis which the place is made of, the first one. */
static void bound_axis(Guesser *g, const Frame *fr, const Node *place, const Node *size)
{
    int param = single_param(g, fr, size);
    unsigned axes = param >= 0 ? axes_of(g, fr, place) : 0;

    for (int i = 0; i < 3; i++) {
        if ((axes & ~RANGE) == 1u << i && g->out->axes[i].size < 0 && g->out->at[param].is_size)
            g->out->axes[i].size = param;
    }
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

/* Where a tile of a shape begins; all are tuples, or NULL. */
static void use_offsets(Guesser *g, const Frame *fr, const Node *shape, const Node *offsets)
{
    for (int i = 0; shape && offsets && i < MIN(shape->nitems, offsets->nitems); i++)
        bound_axis(g, fr, offsets->items[i], shape->items[i]);
}

static void use_extents(Guesser *g, const Frame *fr, const Node *shape)
{
    for (int i = 0; shape && i < shape->nitems; i++)
        meet_params(g, fr, shape->items[i], meet_extent);
}

/* make_block_ptr(base, shape, strides, offsets, block_shape, order), and make_tensor_descriptor,
 * which has no offsets */
static void use_block(Guesser *g, const Frame *fr, const Node *call, GuessedParam *p)
{
    const Node *shape = argument(call, 1, "shape"), *strides = argument(call, 2, "strides");
    bool has_offsets = calls(call, "make_block_ptr");

    use_extents(g, fr, argument(call, has_offsets ? 4 : 3, "block_shape"));
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
    if (has_offsets)
        use_offsets(g, fr, shape, argument(call, 3, "offsets"));
}

/* The call that makes the descriptor which `n` stands for; NULL: there is none.  Where that is a
 * parameter of the kernel, *param is its index. */
static const Node *descriptor_of(Guesser *g, const Frame *fr, const Node *n, int *param)
{
    Followed followed;
    Frame inside;

    if (makes_block(n))
        return n;
    if (n->kind != N_NAME || --g->budget < 0 || !follow(fr, n->name, &followed, &inside))
        return NULL;
    Nodes bound = bindings_of(g, fr, n->name);
    int i = param_index(fr->f, n->name);
    if (bound.len > 0)
        return descriptor_of(g, &inside, bound.at[0], param);
    if (i >= 0 && fr->caller)
        return fr->args[i] ? descriptor_of(g, fr->caller, fr->args[i], param) : NULL;
    *param = i;
    return NULL;
}

/* The extent of a tile that begins at `offset`: the constant that its program is multiplied with.
 */
static int tile_at(Guesser *g, const Frame *fr, const Node *offset)
{
    unsigned axes = axes_of(g, fr, offset);

    for (int i = 0; i < 3; i++) {
        if ((axes & ~RANGE) == 1u << i)
            return g->out->axes[i].block;
    }
    return -1;
}

/* A descriptor that the host makes. */
static void use_given_descriptor(Guesser *g, const Frame *fr, GuessedParam *p, const Node *offsets)
{
    p->is_pointer = true;
    for (int i = 0; offsets && i < offsets->nitems && i < CLI_MAX_DIMS; i++) {
        const int tile = tile_at(g, fr, offsets->items[i]);

        if (tile >= 0)
            g->out->at[tile].is_extent = true;
        p->ntile = MAX(p->ntile, i + 1);
    }
}

/* d.load(offsets), d.store(offsets, value), d.atomic_add(offsets, value); false: it is none of
 * these, but one of a module. */
static bool use_method(Guesser *g, const Frame *fr, const Node *n)
{
    const char *name = callee(n);
    bool loads = name && strcmp(name, "load") == 0, atomic = name && !strncmp(name, "atomic_", 7);
    const Node *self = name && n->left->kind == N_ATTRIBUTE ? n->left->left : NULL, *made;
    int param = -1;
    GuessedParam *p;

    if (!self || (!loads && !atomic && strcmp(name, "store") != 0))
        return false;
    made = descriptor_of(g, fr, self, &param);
    if (!made && param < 0)
        return false;
    p = made ? use_address(g, fr, argument(made, 0, "base")) : &g->out->at[param];
    if (made)
        use_offsets(g, fr, argument(made, 1, "shape"), argument(n, 0, "offsets"));
    else
        use_given_descriptor(g, fr, p, argument(n, 0, "offsets"));
    p->is_loaded |= loads;
    p->is_stored |= !loads;
    p->is_atomic |= atomic;
    return true;
}

static void use_call(Guesser *g, const Frame *fr, const Node *n)
{
    static const char atomic[] = "atomic_";
    GuessedParam *p;

    if (use_method(g, fr, n)) {
        return;
    } else if (calls(n, "load")) {
        use_address(g, fr, argument(n, 0, "pointer"))->is_loaded = true;
    } else if (calls(n, "store")) {
        use_address(g, fr, argument(n, 0, "pointer"))->is_stored = true;
    } else if (callee(n) && strncmp(callee(n), atomic, strlen(atomic)) == 0) {
        p = use_address(g, fr, argument(n, 0, "pointer"));
        p->is_atomic = p->is_stored = true;
        p->is_lock |= !calls(n, "atomic_add") && !calls(n, "atomic_max") && !calls(n, "atomic_min");
    } else if (makes_block(n)) {
        use_block(g, fr, n, use_address(g, fr, argument(n, 0, "base")));
    } else if (calls(n, "program_id")) {
        g->out->axes[axis_of(n)].is_used = true;
    } else if (calls(n, "static_range")) {
        use_rounds(g, fr, n);
        for (int i = 0; i < n->nitems; i++)
            meet_params(g, fr, n->items[i], meet_unrolled);
    } else if (calls(n, "range") || calls(n, "cdiv")) {
        if (calls(n, "range"))
            use_rounds(g, fr, n);
        for (int i = 0; i < n->nitems; i++)
            meet_params(g, fr, n->items[i], meet_size);
    } else if (calls(n, "arange")) {
        meet_params(g, fr, argument(n, 1, "end"), meet_extent);
    } else if (calls(n, "zeros") || calls(n, "full")) {
        use_extents(g, fr, argument(n, 0, "shape"));
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
    meet_params(g, fr, n->left, meet_whole);
    meet_params(g, fr, n->right, meet_whole);
}

/* A loop over range(a, b) counts in integers. */
static void use_loop(Guesser *g, const Frame *fr, const Node *n)
{
    for (int i = 0; n->right->kind == N_CALL && i < n->right->nitems; i++)
        loaded_from(g, fr, n->right->items[i])->is_integer = true;
}

/* NAME == "text", NAME == 3 */
static void use_choice(Guesser *g, const Frame *fr, const Node *left, int op, const Node *right)
{
    int i = left->kind == N_NAME && !fr->caller ? param_index(fr->f, left->name) : -1;
    GuessedParam *p = i >= 0 ? &g->out->at[i] : &g->nobody;

    if (right->kind == N_STRING && !p->text)
        p->text = right->text;
    if (right->kind == N_INT && op == CMP_EQ && right->integer < MOST_CHOICE && p->choice == 0)
        p->choice = (int)right->integer;
}

static void use_comparison(Guesser *g, const Frame *fr, const Node *n)
{
    const Node *left = n->left;

    meet_params(g, fr, left, meet_size);
    for (int i = 0; i < n->nitems; left = n->items[i++]) {
        meet_params(g, fr, n->items[i], meet_size);
        use_choice(g, fr, left, n->ops[i], n->items[i]);
        if (n->ops[i] == CMP_LT || n->ops[i] == CMP_LE)
            bound_axis(g, fr, left, n->items[i]);
        if (n->ops[i] == CMP_GT || n->ops[i] == CMP_GE)
            bound_axis(g, fr, n->items[i], left);
    }
}

static void visit_use(Guesser *g, const Frame *fr, const Node *n)
{
    if (n->kind == N_CALL && argument(n, MOST_ARGUMENTS, "mask"))
        loaded_from(g, fr, argument(n, MOST_ARGUMENTS, "mask"))->is_mask = true;
    if (n->kind == N_CALL)
        use_call(g, fr, n);
    if (n->kind == N_NAME && !fr->caller && param_index(fr->f, n->name) >= 0)
        g->out->at[param_index(fr->f, n->name)].is_used = true;
    if (n->kind == N_COMPARE)
        use_comparison(g, fr, n);
    if (n->kind == N_FOR)
        use_loop(g, fr, n);
    if (n->kind == N_BINARY) {
        use_program(g, fr, n);
        use_operands(g, fr, n);
    }
    if (n->kind == N_BINARY && (n->op == BIN_FLOORDIV || n->op == BIN_MOD))
        meet_params(g, fr, n->right, meet_size);
    if (n->kind == N_BINARY && n->op == BIN_MOD)
        bound_axis(g, fr, program_axis(g, fr, n->left) < 0 ? n->left : NULL, n->right);
}

Guess guess_kernel(Cli *c, const Functions *functions, const AstFunc *f)
{
    Guess out = {.n = f->nparams, .at = NEW_N(c->arena, GuessedParam, f->nparams + 1)};
    Guesser g = {.c = c, .functions = functions, .out = &out, .budget = BUDGET};
    const Frame fr = {.f = f};

    for (int i = 0; i < 3; i++)
        out.axes[i].block = out.axes[i].size = -1;
    visit_all(&g, &fr, f->body, f->nbody, visit_use);
    for (int i = 0; i < 3; i++) {
        if (out.axes[i].block >= 0 && !out.at[out.axes[i].block].is_extent)
            out.axes[i].block = -1; /* `row * WIDTH` */
    }
    return out;
}
