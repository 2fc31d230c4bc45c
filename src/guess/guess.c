/*
 * guess.c - what a kernel's parameters are for, from the way that it uses them
 *
 * A parameter that stands in the address of a load or store, alone in its sum, is a pointer; one
 * that is a factor there is a stride, and each of these is a dimension of the pointer's array; one
 * that is compared, divided or counted up to is a size.  What loaded elements are used for says
 * what an array holds: numbers that are shifted are integers, those in addresses are bounded.
 * Nothing is certain: example.c tries what is made of it.
 */
#include "walk.h"

#include <string.h>

enum { GUESS_BUDGET = 1000 * 1000, MOST_ARGUMENTS = 1000, MOST_CHOICE = 100 };

/* --- what is learnt of a parameter --- */

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

static void meet_mark(Guesser *g, int param)
{
    g->out->at[param].is_mark = true;
}

static void meet_whole(Guesser *g, int param)
{
    g->out->at[param].is_whole = true;
}

static void meet_integers(Guesser *g, GuessedParam *pointer)
{
    (void)g;
    pointer->is_integer = true;
}

static void meet_length(Guesser *g, GuessedParam *pointer)
{
    (void)g;
    pointer->is_integer = pointer->is_length = true;
}

static void meet_index(Guesser *g, GuessedParam *pointer)
{
    (void)g;
    pointer->is_index = true;
}

static void meet_address(Guesser *g, GuessedParam *pointer)
{
    (void)g;
    pointer->is_address = true;
}

static void meet_target(Guesser *g, GuessedParam *pointer)
{
    (void)g;
    pointer->is_index = pointer->is_target = true;
}

/* --- nodes --- */

static void visit_use(Guesser *g, const Frame *fr, const Node *n);

static bool makes_block(const Node *n)
{
    return guess_calls(n, "make_block_ptr") || guess_calls(n, "make_tensor_descriptor");
}

/* A call of a function of the file: look into it with these arguments. */
static void enter(Guesser *g, const Frame *fr, const Node *call)
{
    Frame inside;
    const AstFunc *f = guess_enter(g, fr, call, &inside);

    if (f)
        guess_visit_all(g, &inside, f->body, f->nbody, visit_use);
}

/* Where a tile of a shape begins; all are tuples, or NULL. */
static void use_offsets(Guesser *g, const Frame *fr, const Node *shape, const Node *offsets)
{
    for (int i = 0; shape && offsets && i < MIN(shape->nitems, offsets->nitems); i++)
        guess_bound_axis(g, fr, offsets->items[i], shape->items[i], true);
}

static void use_extents(Guesser *g, const Frame *fr, const Node *shape)
{
    for (int i = 0; shape && i < shape->nitems; i++)
        guess_meet_params(g, fr, shape->items[i], meet_extent);
}

/* make_block_ptr(base, shape, strides, offsets, block_shape, order), and make_tensor_descriptor,
 * which has no offsets */
static void use_block(Guesser *g, const Frame *fr, const Node *call, GuessedParam *p)
{
    const Node *shape = guess_argument(call, 1, "shape"),
               *strides = guess_argument(call, 2, "strides");
    bool has_offsets = guess_calls(call, "make_block_ptr");

    use_extents(g, fr, guess_argument(call, has_offsets ? 4 : 3, "block_shape"));
    for (int i = 0; shape && i < shape->nitems; i++)
        guess_meet_params(g, fr, shape->items[i], meet_size);
    for (int i = 0; strides && i < strides->nitems; i++) {
        Address a = {0};

        guess_read_address(g, fr, strides->items[i], &a);
        p->has_unit |= a.nleaves == 0;
        for (int k = 0; k < a.nleaves; k++) {
            guess_add_once(p->strides, &p->nstrides, a.leaves[k]);
            g->out->at[a.leaves[k]].is_factor = true;
        }
    }
    if (has_offsets)
        use_offsets(g, fr, shape, guess_argument(call, 3, "offsets"));
}

/* The call that makes the descriptor which `n` stands for; NULL: there is none.  Where that is a
 * parameter of the kernel, *param is its index. */
static const Node *descriptor_of(Guesser *g, const Frame *fr, const Node *n, int *param)
{
    Followed followed;
    Frame inside;

    if (makes_block(n))
        return n;
    if (n->kind != N_NAME || --g->budget < 0 || !guess_follow(fr, n->name, &followed, &inside))
        return NULL;
    Nodes bound = guess_bindings(g, fr, n->name);
    int i = guess_param_index(fr->f, n->name);
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
    unsigned axes = guess_axes_of(g, fr, offset);

    for (int i = 0; i < 3; i++) {
        if ((axes & ~GUESS_RANGE) == 1u << i)
            return g->out->axes[i].block;
    }
    return -1;
}

/* A descriptor that the host makes. */
static void use_given_descriptor(Guesser *g, const Frame *fr, GuessedParam *p, const Node *offsets)
{
    p->is_pointer = true;
    for (int i = 0; offsets && i < offsets->nitems && i < ARRAY_MAX_DIMS; i++) {
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
    const char *name = guess_callee(n);
    bool loads = name && strcmp(name, "load") == 0, atomic = name && !strncmp(name, "atomic_", 7);
    const Node *self = name && n->left->kind == N_ATTRIBUTE ? n->left->left : NULL, *made;
    int param = -1;
    GuessedParam *p;

    if (!self || (!loads && !atomic && strcmp(name, "store") != 0))
        return false;
    made = descriptor_of(g, fr, self, &param);
    if (!made && param < 0)
        return false;
    p = made ? guess_use_address(g, fr, guess_argument(made, 0, "base")) : &g->out->at[param];
    if (made)
        use_offsets(g, fr, guess_argument(made, 1, "shape"), guess_argument(n, 0, "offsets"));
    else
        use_given_descriptor(g, fr, p, guess_argument(n, 0, "offsets"));
    p->is_loaded |= loads;
    p->is_stored |= !loads;
    p->is_atomic |= atomic;
    return true;
}

/* --- accesses --- */

static void note_size(Guesser *g, int param)
{
    guess_add_once(g->accessed->sizes, &g->accessed->nsizes, param);
}

/* The address, and the mask that says how far it goes. */
static GuessedParam *use_access(Guesser *g, const Frame *fr, const Node *call)
{
    bool stores = !guess_calls(call, "load"), scatters = guess_calls(call, "store");
    const Node *address = guess_argument(call, 0, "pointer");
    const Node *mask = guess_argument(call, stores ? 2 : 1, "mask");
    GuessedParam *p = guess_use_address(g, fr, address);

    guess_meet_data(g, fr, address, scatters ? meet_target : meet_index);
    if (stores && (guess_is_data(g, fr, address) || guess_is_data(g, fr, mask)))
        p->is_partial = true;
    g->accessed = p;
    guess_meet_params(g, fr, mask, note_size);
    return p;
}

static void use_store(Guesser *g, const Frame *fr, const Node *n)
{
    GuessedParam *p = use_access(g, fr, n);

    p->is_stored = true;
    if (!p->dtype)
        p->dtype = guess_dtype(g, fr, guess_argument(n, 1, "value"));
}

static void use_atomic(Guesser *g, const Frame *fr, const Node *n)
{
    GuessedParam *p = use_access(g, fr, n);
    const char *kind = guess_callee(n) + strlen("atomic_");

    p->is_atomic = p->is_stored = true;
    p->is_lock |= strcmp(kind, "add") != 0 && strcmp(kind, "max") != 0 && strcmp(kind, "min") != 0;
    if (!p->dtype)
        p->dtype = guess_dtype(g, fr, guess_argument(n, 1, "val"));
}

/* range(a, b, step), static_range(a, b, step): rounds become more with a and b, but fewer with what
 * these are divided by, and with the step. */
static void use_rounds(Guesser *g, const Frame *fr, const Node *n)
{
    g->counts = true;
    guess_meet_params(g, fr, guess_argument(n, 0, "arg1"), meet_rounds);
    guess_meet_params(g, fr, guess_argument(n, 1, "arg2"), meet_rounds);
    g->counts = false;
}

static void use_all(Guesser *g, const Frame *fr, const Node *call, GuessMeet *meet)
{
    for (int i = 0; i < call->nitems; i++)
        guess_meet_params(g, fr, call->items[i], meet);
}

static void use_call(Guesser *g, const Frame *fr, const Node *n)
{
    if (use_method(g, fr, n)) {
        return;
    } else if (guess_calls(n, "load")) {
        use_access(g, fr, n)->is_loaded = true;
    } else if (guess_calls(n, "store")) {
        use_store(g, fr, n);
    } else if (guess_is_atomic(n)) {
        use_atomic(g, fr, n);
    } else if (makes_block(n)) {
        use_block(g, fr, n, guess_use_address(g, fr, guess_argument(n, 0, "base")));
    } else if (guess_calls(n, "to") && n->left->kind == N_ATTRIBUTE) {
        const Node *type = guess_argument(n, 0, "dtype");
        if (type && guess_calls(type, "pointer_type"))
            guess_meet_data(g, fr, n->left->left, meet_address);
    } else if (guess_calls(n, "program_id")) {
        g->out->axes[guess_axis_of(n)].is_used = true;
    } else if (guess_calls(n, "static_range")) {
        use_rounds(g, fr, n);
        use_all(g, fr, n, meet_unrolled);
    } else if (guess_calls(n, "range") || guess_calls(n, "cdiv")) {
        if (guess_calls(n, "range"))
            use_rounds(g, fr, n);
        use_all(g, fr, n, meet_size);
        for (int i = 0; i < n->nitems; i++)
            guess_meet_data(g, fr, n->items[i], meet_length);
    } else if (guess_calls(n, "histogram")) {
        guess_meet_data(g, fr, guess_argument(n, 0, "input"), meet_index);
        guess_meet_params(g, fr, guess_argument(n, 1, "num_bins"), meet_extent);
    } else if (guess_calls(n, "arange")) {
        guess_meet_params(g, fr, guess_argument(n, 1, "end"), meet_extent);
    } else if (guess_calls(n, "zeros") || guess_calls(n, "full")) {
        use_extents(g, fr, guess_argument(n, 0, "shape"));
    }
    enter(g, fr, n);
}

/* --- operators --- */

/* pid * BLOCK, pid // x, pid % x */
static void use_program(Guesser *g, const Frame *fr, const Node *n)
{
    for (int side = 0; side < 2; side++) {
        const Node *pid = side ? n->right : n->left, *other = side ? n->left : n->right;
        int axis = guess_program_axis(g, fr, pid), i;
        const char *part;

        if (axis < 0)
            continue;
        if (side == 0 && (n->op == BIN_FLOORDIV || n->op == BIN_MOD)) {
            g->out->axes[axis].is_split = true;
            part = guess_size_text(g, fr, other);
            if (!g->out->axes[axis].part)
                g->out->axes[axis].part = part;
        }
        i = other->kind == N_NAME && !fr->caller ? guess_param_index(fr->f, other->name) : -1;
        if (n->op == BIN_MUL && i >= 0 && fr->f->params[i].is_constexpr)
            g->out->axes[axis].block = i;
        else if (n->op == BIN_MUL && i >= 0)
            g->out->axes[axis].is_row = true;
    }
}

/* Operators that floats do not have. */
static void use_operands(Guesser *g, const Frame *fr, const Node *n)
{
    bool whole = n->op == BIN_XOR || n->op == BIN_OR || n->op == BIN_AND || n->op == BIN_SHL ||
                 n->op == BIN_SHR || n->op == BIN_FLOORDIV || n->op == BIN_MOD;

    if (!whole)
        return;
    guess_meet_data(g, fr, n->left, meet_integers);
    guess_meet_data(g, fr, n->right, meet_integers);
    guess_meet_params(g, fr, n->left, meet_whole);
    guess_meet_params(g, fr, n->right, meet_whole);
}

/* A loop over range(a, b) counts in integers. */
static void use_loop(Guesser *g, const Frame *fr, const Node *n)
{
    for (int i = 0; n->right->kind == N_CALL && i < n->right->nitems; i++)
        guess_meet_data(g, fr, n->right->items[i], meet_length);
}

/* NAME == "text", NAME == 3 */
static void use_choice(Guesser *g, const Frame *fr, const Node *left, int op, const Node *right)
{
    int i = left->kind == N_NAME && !fr->caller ? guess_param_index(fr->f, left->name) : -1;
    GuessedParam *p = i >= 0 ? &g->out->at[i] : &g->nobody;

    if (right->kind == N_STRING && !p->text)
        p->text = right->text;
    if (right->kind == N_INT && op == CMP_EQ && right->integer < MOST_CHOICE && p->choice == 0)
        p->choice = (int)right->integer;
}

/* What a place is compared with is a size, and as it is an integer, so is what was loaded. */
static void use_sides(Guesser *g, const Frame *fr, const Node *left, int op, const Node *right)
{
    bool is_place = guess_axes_of(g, fr, left) != 0, is_equality = op == CMP_EQ || op == CMP_NE;
    bool is_data = guess_is_data(g, fr, left);

    if (guess_is_real(g, fr, left) || guess_is_real(g, fr, right))
        return;
    if (is_place && !is_data)
        guess_meet_data(g, fr, right, is_equality ? meet_integers : meet_length);
    if (is_equality && is_data)
        guess_meet_params(g, fr, right, meet_mark);
    else if (!is_data)
        guess_meet_params(g, fr, right, meet_size);
}

/* A name that is computed with is none of a truth value. */
static void note_number(Guesser *g, const Frame *fr, const Node *n)
{
    int i = n->kind == N_NAME && !fr->caller ? guess_param_index(fr->f, n->name) : -1;

    if (i >= 0)
        g->out->at[i].is_number = true;
}

static void use_comparison(Guesser *g, const Frame *fr, const Node *n)
{
    const Node *left = n->left;

    for (int i = 0; i < n->nitems; left = n->items[i++]) {
        if (n->ops[i] >= CMP_LT && n->ops[i] <= CMP_GE) {
            note_number(g, fr, left);
            note_number(g, fr, n->items[i]);
        }
        use_sides(g, fr, left, n->ops[i], n->items[i]);
        use_sides(g, fr, n->items[i], n->ops[i], left);
        use_choice(g, fr, left, n->ops[i], n->items[i]);
        if (n->ops[i] == CMP_LT || n->ops[i] == CMP_LE)
            guess_bound_axis(g, fr, left, n->items[i], true);
        if (n->ops[i] == CMP_GT || n->ops[i] == CMP_GE)
            guess_bound_axis(g, fr, n->items[i], left, true);
    }
}

static void meet_mask(Guesser *g, GuessedParam *pointer)
{
    (void)g;
    pointer->is_mask = true;
}

static void visit_use(Guesser *g, const Frame *fr, const Node *n)
{
    if (n->kind == N_CALL && guess_argument(n, MOST_ARGUMENTS, "mask"))
        guess_meet_data(g, fr, guess_argument(n, MOST_ARGUMENTS, "mask"), meet_mask);
    if (n->kind == N_CALL)
        use_call(g, fr, n);
    if (n->kind == N_NAME && !fr->caller && guess_param_index(fr->f, n->name) >= 0)
        g->out->at[guess_param_index(fr->f, n->name)].is_used = true;
    if (n->kind == N_COMPARE)
        use_comparison(g, fr, n);
    if (n->kind == N_FOR)
        use_loop(g, fr, n);
    if (n->kind == N_BINARY) {
        note_number(g, fr, n->left);
        note_number(g, fr, n->right);
        use_program(g, fr, n);
        use_operands(g, fr, n);
    }
    if (n->kind == N_BINARY && (n->op == BIN_FLOORDIV || n->op == BIN_MOD))
        guess_meet_params(g, fr, n->right, meet_size);
    if (n->kind == N_BINARY && n->op == BIN_MOD)
        guess_bound_axis(g, fr, guess_program_axis(g, fr, n->left) < 0 ? n->left : NULL, n->right,
                         false);
}

Guess guess_kernel(Client *c, const Functions *functions, const AstFunc *f)
{
    Guess out = {.n = f->nparams, .at = NEW_N(c->arena, GuessedParam, f->nparams + 1)};
    Guesser g = {.c = c,
                 .functions = functions,
                 .out = &out,
                 .bindings = map_new(c->arena),
                 .budget = GUESS_BUDGET};
    const Frame fr = {.f = f};

    for (int i = 0; i < f->nparams; i++)
        out.at[i].is_constexpr = f->params[i].is_constexpr;
    for (int i = 0; i < 3; i++)
        out.axes[i].block = -1;
    guess_visit_all(&g, &fr, f->body, f->nbody, visit_use);
    for (int i = 0; i < 3; i++) {
        if (out.axes[i].is_row || (out.axes[i].block >= 0 && !out.at[out.axes[i].block].is_extent))
            out.axes[i].block = -1; /* `row * stride`, `row * WIDTH` */
    }
    return out;
}
