/*
 * address.c - addresses as sums, and which programs' numbers stand in them
 *
 * A parameter that is a term of its own is a pointer, one that is a factor is a stride, and each of
 * these is a dimension of the pointer's array.
 */
#include "walk.h"

#include <string.h>

/* --- addresses --- */

void guess_add_once(int *list, int *n, int v)
{
    for (int i = 0; i < *n; i++) {
        if (list[i] == v)
            return;
    }
    if (*n < ARRAY_MAX_DIMS)
        list[(*n)++] = v;
}

static void add_address(Address *to, const Address *part)
{
    for (int i = 0; i < part->nleaves; i++)
        guess_add_once(to->leaves, &to->nleaves, part->leaves[i]);
    for (int i = 0; i < part->nstrides; i++)
        guess_add_once(to->strides, &to->nstrides, part->strides[i]);
    to->has_unit |= part->has_unit;
    to->scale = MAX(to->scale, part->scale);
    to->constants = MAX(to->constants, part->constants);
    to->has_next |= part->has_next;
    to->is_loaded |= part->is_loaded;
}

/* A parameter, or what a local variable stands for. */
static void read_name(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    int i = guess_param_index(fr->f, n->name);
    Nodes bound = guess_bindings(g, fr, n->name);
    Followed followed;
    Frame inside;

    if (!guess_follow(fr, n->name, &followed, &inside))
        return;
    if (i >= 0 && fr->caller)
        guess_read_address(g, fr->caller, fr->args[i], out);
    else if (i >= 0 && fr->f->params[i].is_constexpr)
        out->has_unit = out->is_constant = g->out->at[i].is_factor = true;
    else if (i >= 0)
        guess_add_once(out->leaves, &out->nleaves, i);
    else if (bound.len == 0)
        out->has_unit = true; /* of a loop, or of a tuple */
    for (int k = 0; k < bound.len; k++)
        guess_read_address(g, &inside, bound.at[k], out);
}

/* Does a factor count along a dimension?  The number of a program does not, behind which a block
 * goes on, and neither do parameters, which are strides themselves. */
static bool is_index(Guesser *g, const Frame *fr, const Node *n, const Address *a)
{
    unsigned axes = guess_axes_of(g, fr, n);

    return n->kind != N_INT && a->nleaves + a->nstrides == 0 && (axes == 0 || axes & GUESS_RANGE);
}

static void meet_limit(Guesser *g, int param)
{
    g->out->at[param].is_size = true;
}

/* `a + b`, itself or by a variable. */
static bool is_sum(Guesser *g, const Frame *fr, const Node *n)
{
    Nodes bound = {0};

    if (n->kind == N_SUBSCRIPT)
        n = n->left;
    if (n->kind == N_NAME)
        bound = guess_bindings(g, fr, n->name);
    if (bound.len == 1)
        n = bound.at[0];
    return n->kind == N_BINARY && (n->op == BIN_ADD || n->op == BIN_SUB);
}

/* (n * C + c) * H: a sum that is multiplied counts rows, so what it is made of are sizes, and so is
 * the factor where there were some. */
static void read_nested(Guesser *g, const Address *sum, const Address *factor)
{
    for (int i = 0; i < sum->nleaves; i++)
        meet_limit(g, sum->leaves[i]);
    for (int i = 0; i < sum->nstrides; i++)
        meet_limit(g, sum->strides[i]);
    for (int i = 0; i < factor->nleaves && sum->nstrides > 0; i++)
        meet_limit(g, factor->leaves[i]);
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
            guess_read_address(g, fr, side, &parts[i]);
    }
    for (int i = 0; i < 2; i++) {
        if (is_sum(g, fr, sides[i])) {
            read_nested(g, &parts[i], &parts[1 - i]);
            parts[i].nleaves = 0;
        }
        if (parts[i].is_constant && is_index(g, fr, sides[1 - i], &parts[1 - i]))
            inner.constants++;
        add_address(&inner, &parts[i]);
    }
    out->constants += inner.constants;
    for (int i = 0; i < inner.nleaves; i++)
        guess_add_once(out->strides, &out->nstrides, inner.leaves[i]);
    for (int i = 0; i < inner.nstrides; i++)
        guess_add_once(out->strides, &out->nstrides, inner.strides[i]);
    out->scale = MAX(out->scale, inner.scale);
    out->has_unit |= inner.nleaves + inner.nstrides == 0 || (inner.has_unit && inner.nstrides > 0);
}

static bool is_pointer_type(const Node *n)
{
    return n && guess_calls(n, "pointer_type");
}

/* What is an integer by a conversion need not have been one: floats are no part of an address. */
static void read_converted(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    const Node *from = n->left->left;

    if (guess_is_real(g, fr, from) || guess_is_scaled(g, fr, n))
        out->has_unit = true;
    else
        guess_read_address(g, fr, from, out);
}

/* make_block_ptr, advance, multiple_of ...: the first argument is the address.  What limits an
 * index, as minimum(i, n - 1), is a size. */
static void read_call(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    const Node *first = n->items[0];
    bool limits = guess_calls(n, "minimum") || guess_calls(n, "maximum") || guess_calls(n, "min") ||
                  guess_calls(n, "max") || guess_calls(n, "clamp");
    const AstFunc *f;
    Nodes results;
    Frame inside;

    if (guess_calls(n, "arange") || guess_calls(n, "program_id")) {
        out->has_unit = true;
        return;
    }
    if ((f = guess_enter(g, fr, n, &inside))) {
        out->has_unit = true;
        results = guess_results(g, f);
        for (int i = 0; i < results.len; i++) {
            if (results.at[i]->kind != N_TUPLE) /* which one is asked for? */
                guess_read_address(g, &inside, results.at[i], out);
        }
        return;
    }
    for (int i = 1; limits && i < n->nitems; i++)
        guess_meet_params(g, fr, n->items[i], meet_limit);
    guess_read_address(g, fr, first->kind == N_KEYWORD ? guess_argument(n, 0, "base") : first, out);
}

void guess_read_address(Guesser *g, const Frame *fr, const Node *n, Address *out)
{
    if (!n || --g->budget < 0)
        return;
    if (n->kind == N_NAME) {
        read_name(g, fr, n, out);
    } else if (n->kind == N_BINARY && (n->op == BIN_ADD || n->op == BIN_SUB)) {
        guess_read_address(g, fr, n->left, out);
        guess_read_address(g, fr, n->right, out);
    } else if (n->kind == N_BINARY && n->op == BIN_MUL) {
        read_product(g, fr, n, out);
    } else if (n->kind == N_SUBSCRIPT || n->kind == N_UNARY) {
        guess_read_address(g, fr, n->left, out);
    } else if (n->kind == N_CONDITIONAL) {
        guess_read_address(g, fr, n->left, out);
        guess_read_address(g, fr, n->extra, out);
    } else if (guess_calls(n, "load") || guess_is_atomic(n)) {
        out->has_unit = out->is_loaded = true;
    } else if (guess_calls(n, "to")) {
        if (!is_pointer_type(guess_argument(n, 0, "dtype")))
            read_converted(g, fr, n, out);
    } else if (n->kind == N_CALL && n->nitems > 0) {
        read_call(g, fr, n, out);
    } else if (n->kind == N_INT) {
        out->has_next |= n->integer == 1;
    } else {
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

GuessedParam *guess_use_address(Guesser *g, const Frame *fr, const Node *address)
{
    Address a = {0};
    int pointer;

    guess_read_address(g, fr, address, &a);
    pointer = pointer_of(g, fr, &a);
    if (pointer < 0)
        return &g->nobody;
    GuessedParam *p = &g->out->at[pointer];
    p->is_pointer = true;
    p->has_unit |= a.has_unit;
    p->scale = MAX(p->scale, a.scale);
    p->constants = MAX(p->constants, a.constants);
    p->has_next |= a.has_next && !a.is_loaded && a.scale < 2;
    for (int i = 0; i < a.nstrides; i++) {
        guess_add_once(p->strides, &p->nstrides, a.strides[i]);
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

int guess_axis_of(const Node *call)
{
    const Node *axis = guess_argument(call, 0, "axis");

    return axis && axis->kind == N_INT && axis->integer >= 0 && axis->integer < 3
               ? (int)axis->integer
               : 0;
}

int guess_program_axis(Guesser *g, const Frame *fr, const Node *n)
{
    Followed followed;
    Frame inside;

    if (guess_calls(n, "program_id"))
        return guess_axis_of(n);
    if (guess_calls(n, "to"))
        return guess_program_axis(g, fr, n->left->left);
    if (n->kind != N_NAME || --g->budget < 0 || !guess_follow(fr, n->name, &followed, &inside))
        return -1;
    Nodes bound = guess_bindings(g, fr, n->name);
    return bound.len == 1 ? guess_program_axis(g, &inside, bound.at[0]) : -1;
}

unsigned guess_axes_of(Guesser *g, const Frame *fr, const Node *n)
{
    unsigned axes = 0;
    const AstFunc *f;
    Followed followed;
    Frame inside;
    int i;

    if (!n || --g->budget < 0 || guess_calls(n, "load"))
        return 0;
    if (guess_calls(n, "program_id"))
        return 1u << guess_axis_of(n);
    if (guess_calls(n, "arange"))
        return GUESS_RANGE;
    if (n->kind == N_NAME) {
        if (!guess_follow(fr, n->name, &followed, &inside))
            return 0;
        i = guess_param_index(fr->f, n->name);
        axes = i >= 0 && fr->caller ? guess_axes_of(g, fr->caller, fr->args[i]) : 0;
        Nodes bound = guess_bindings(g, fr, n->name);
        for (int k = 0; k < bound.len; k++)
            axes |= guess_axes_of(g, &inside, bound.at[k]);
        return axes;
    }
    f = guess_enter(g, fr, n, &inside);
    Nodes results = f ? guess_results(g, f) : (Nodes){0};
    for (int k = 0; k < results.len; k++)
        axes |= guess_axes_of(g, &inside, results.at[k]);
    if (f)
        return axes;
    axes = guess_axes_of(g, fr, n->left);
    if (n->kind != N_SUBSCRIPT)
        axes |= guess_axes_of(g, fr, n->right);
    for (int k = 0; k < n->nitems; k++)
        axes |= guess_axes_of(g, fr, n->items[k]);
    return axes;
}

/* --- what bounds them --- */

/* The constant that the number of an axis is multiplied with, in a place along it; -1: none. */
static int block_in(Guesser *g, const Frame *fr, const Node *n, int axis)
{
    Followed followed;
    Frame inside;
    int found = -1;

    if (!n || --g->budget < 0)
        return -1;
    if (n->kind == N_NAME && guess_follow(fr, n->name, &followed, &inside)) {
        int i = guess_param_index(fr->f, n->name);
        Nodes bound = guess_bindings(g, fr, n->name);

        if (i >= 0 && fr->caller)
            found = block_in(g, fr->caller, fr->args[i], axis);
        for (int k = 0; k < bound.len && found < 0; k++)
            found = block_in(g, &inside, bound.at[k], axis);
    } else if (n->kind == N_SUBSCRIPT || guess_calls(n, "to")) {
        found = block_in(g, fr, guess_calls(n, "to") ? n->left->left : n->left, axis);
    } else if (n->kind == N_CALL && n->nitems > 0) { /* multiple_of and their kin */
        found = block_in(g, fr, n->items[0], axis);
    } else if (n->kind == N_BINARY && (n->op == BIN_ADD || n->op == BIN_SUB)) {
        found = block_in(g, fr, n->left, axis);
        found = found >= 0 ? found : block_in(g, fr, n->right, axis);
    }
    for (int side = 0; n->kind == N_BINARY && n->op == BIN_MUL && side < 2 && found < 0; side++) {
        const Node *block = side ? n->left : n->right, *number = side ? n->right : n->left;
        int i = guess_single_param(g, fr, block);

        if (i >= 0 && g->out->at[i].is_constexpr && guess_axes_of(g, fr, number) == 1u << axis)
            found = i;
    }
    return found;
}

static const char *sum_text(Guesser *g, const Frame *fr, const Node *n)
{
    static const char *const operators[] = {
        [BIN_ADD] = "+", [BIN_SUB] = "-", [BIN_MUL] = "*", [BIN_FLOORDIV] = "//"};
    const char *left, *right;

    if (n->op >= COUNT(operators) || !operators[n->op])
        return NULL;
    left = guess_size_text(g, fr, n->left);
    if (n->op == BIN_SUB && n->right->kind == N_INT)
        return left; /* i < n - 1 */
    right = guess_size_text(g, fr, n->right);
    if (!left || !right)
        return NULL;
    return arena_printf(g->c->arena, n->op == BIN_MUL ? "%s%s%s" : "(%s%s%s)", left,
                        operators[n->op], right);
}

const char *guess_size_text(Guesser *g, const Frame *fr, const Node *n)
{
    Followed followed;
    Frame inside;

    if (!n || --g->budget < 0)
        return NULL;
    if (n->kind == N_INT)
        return arena_printf(g->c->arena, "%lld", (long long)n->integer);
    if (n->kind == N_BINARY)
        return sum_text(g, fr, n);
    if (n->kind != N_NAME || !guess_follow(fr, n->name, &followed, &inside))
        return NULL;
    int i = guess_param_index(fr->f, n->name);
    Nodes bound = guess_bindings(g, fr, n->name);
    if (bound.len + (i >= 0) != 1)
        return NULL; /* it has several values */
    if (bound.len == 1)
        return guess_size_text(g, &inside, bound.at[0]);
    return fr->caller ? guess_size_text(g, fr->caller, fr->args[i]) : n->name;
}

static void add_tile(Guesser *g, int axis, GuessedTile tile)
{
    GuessedAxis *a = &g->out->axes[axis];

    for (int i = 0; i < a->ntiles; i++) {
        GuessedTile *there = &a->tiles[i];

        if (there->block != tile.block || (tile.block < 0 && strcmp(there->size, tile.size) != 0))
            continue;
        if (!there->is_exact)
            *there = tile;
        return;
    }
    if (a->ntiles < COUNT(a->tiles))
        a->tiles[a->ntiles++] = tile;
}

/* What a place is computed from, behind variables, subscripts and conversions. */
static const Node *place_behind(Guesser *g, const Frame *fr, const Node *n)
{
    Followed followed[8];
    Frame inside = *fr;

    for (int i = 0; i < COUNT(followed); i++) {
        Nodes bound = {0};

        if (n->kind == N_SUBSCRIPT)
            n = n->left;
        else if (guess_calls(n, "to"))
            n = n->left->left;
        else if (n->kind == N_NAME && guess_follow(&inside, n->name, &followed[i], &inside) &&
                 (bound = guess_bindings(g, fr, n->name)).len == 1)
            n = bound.at[0];
        else
            break;
    }
    return n;
}

static void bound_by(Guesser *g, const Frame *fr, const Node *place, GuessedTile tile)
{
    unsigned axes = guess_axes_of(g, fr, place);
    const Node *behind = place_behind(g, fr, place);
    const char *part;

    if (behind->kind == N_BINARY && behind->op == BIN_FLOORDIV) { /* m // X < N: m < N * X */
        part = guess_size_text(g, fr, behind->right);
        if (part)
            tile.size = arena_printf(g->c->arena, "%s*%s", tile.size, part);
        if (part)
            bound_by(g, fr, behind->left, tile);
        return;
    }
    if (behind->kind == N_BINARY && behind->op == BIN_MOD)
        return;
    for (int i = 0; i < 3; i++) {
        if ((axes & ~GUESS_RANGE) != 1u << i)
            continue;
        tile.block = block_in(g, fr, place, i);
        if (tile.block >= 0 || (tile.is_exact && !(axes & GUESS_RANGE)))
            add_tile(g, i, tile);
    }
}

void guess_bound_axis(Guesser *g, const Frame *fr, const Node *place, const Node *size,
                      bool is_exact)
{
    const char *text = place ? guess_size_text(g, fr, size) : NULL;

    if (text)
        bound_by(g, fr, place, (GuessedTile){.size = text, .is_exact = is_exact});
}
