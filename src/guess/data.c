/*
 * data.c - where loaded values go, which tells what arrays hold
 *
 * An element keeps its dtype through sums, selections and changes of shape.  What is converted from
 * an integer to another one was an integer in memory, too; what is divided, compared or handed to a
 * function of floats tells nothing.
 */
#include "walk.h"

#include <string.h>

typedef bool Test(Guesser *g, const Frame *fr, const Node *n);

/* Is any of what `n` is computed from so?  `test` says of one node. */
static bool any(Guesser *g, const Frame *fr, const Node *n, Test *test)
{
    Followed followed;
    Frame inside;
    Nodes bound;
    bool found;
    int i;

    if (!n || --g->budget < 0)
        return false;
    if (test(g, fr, n))
        return true;
    if (guess_calls(n, "load") || guess_calls(n, "program_id") || n->kind == N_COMPARE)
        return false;
    if (n->kind == N_NAME) {
        if (!guess_follow(fr, n->name, &followed, &inside))
            return false;
        i = guess_param_index(fr->f, n->name);
        found = i >= 0 && fr->caller && any(g, fr->caller, fr->args[i], test);
        bound = guess_bindings(g, fr, n->name);
        for (int k = 0; k < bound.len && !found; k++)
            found = any(g, &inside, bound.at[k], test);
        return found;
    }
    const AstFunc *f = guess_enter(g, fr, n, &inside);
    Nodes results = f ? guess_results(g, f) : (Nodes){0};
    for (int k = 0; k < results.len; k++) {
        if (any(g, &inside, results.at[k], test))
            return true;
    }
    if (f)
        return false;
    found = (n->kind != N_CALL || n->left->kind == N_ATTRIBUTE) && any(g, fr, n->left, test);
    if (!found && n->kind != N_SUBSCRIPT)
        found = any(g, fr, n->right, test) || any(g, fr, n->extra, test);
    for (int k = 0; k < n->nitems && !found; k++)
        found = any(g, fr, n->items[k], test);
    return found;
}

static bool is_load(Guesser *g, const Frame *fr, const Node *n)
{
    (void)g, (void)fr;
    return guess_calls(n, "load") || guess_is_atomic(n);
}

bool guess_is_data(Guesser *g, const Frame *fr, const Node *n)
{
    return any(g, fr, n, is_load);
}

/* What only floats are made by. */
static bool makes_real(Guesser *g, const Frame *fr, const Node *n)
{
    static const char *const functions[] = {"exp",  "exp2", "log",     "log2",    "sqrt", "rsqrt",
                                            "rand", "ceil", "sigmoid", "softmax", "sin",  "cos",
                                            "tanh", "pow",  "randn",   "floor",   "round"};

    (void)g, (void)fr;
    for (int i = 0; i < COUNT(functions); i++) {
        if (guess_calls(n, functions[i]))
            return true;
    }
    return n->kind == N_FLOAT || (n->kind == N_BINARY && n->op == BIN_DIV);
}

bool guess_is_real(Guesser *g, const Frame *fr, const Node *n)
{
    return any(g, fr, n, makes_real);
}

/* "int32" of tl.int32; NULL: it is no name of a dtype */
static const char *dtype_name_of(const Node *n)
{
    static const char *const kinds[] = {"int", "uint", "float", "bfloat"};

    if (!n || (n->kind != N_ATTRIBUTE && n->kind != N_NAME))
        return NULL;
    for (int i = 0; i < COUNT(kinds); i++) {
        size_t len = strlen(kinds[i]);
        if (strncmp(n->name, kinds[i], len) == 0 && n->name[len] >= '1' && n->name[len] <= '9')
            return n->name;
    }
    return NULL;
}

static bool scales(Guesser *g, const Frame *fr, const Node *n)
{
    for (int side = 0; n->kind == N_BINARY && n->op == BIN_MUL && side < 2; side++) {
        const Node *factor = side ? n->right : n->left;
        int i = factor->kind == N_NAME && !fr->caller ? guess_param_index(fr->f, factor->name) : -1;

        if (i >= 0 && !fr->f->params[i].is_constexpr && !g->out->at[i].is_size)
            return true;
    }
    return false;
}

bool guess_is_scaled(Guesser *g, const Frame *fr, const Node *conversion)
{
    const char *name = dtype_name_of(guess_argument(conversion, 0, "dtype"));

    return name && strcmp(name, "int32") == 0 && any(g, fr, conversion->left->left, scales);
}

/* x.to(tl.int64) of what is no float. */
static bool keeps_integer(Guesser *g, const Frame *fr, const Node *n)
{
    const Node *to = guess_argument(n, 0, "dtype");
    const char *name = dtype_name_of(to);

    if (to && to->kind == N_CALL)
        return guess_calls(to, "pointer_type");
    return name && strstr(name, "int") && !guess_is_real(g, fr, n->left->left);
}

static void meet_each(Guesser *g, const Frame *fr, const Node *call, GuessData *meet)
{
    /* of these the first argument is none whose elements are given */
    int first = guess_calls(call, "where") ? 1 : 0;

    if (call->left->kind == N_ATTRIBUTE) /* x.reshape(..): no module has bindings */
        guess_meet_data(g, fr, call->left->left, meet);
    for (int i = first; i < call->nitems; i++)
        guess_meet_data(g, fr, call->items[i], meet);
}

/* Functions that give what they are given, in another order or combined. */
static bool keeps_dtype(const Node *n)
{
    static const char *const functions[] = {
        "where",   "interleave", "join",          "reshape",     "view",  "broadcast_to",  "trans",
        "permute", "maximum",    "minimum",       "max",         "min",   "sum",           "cumsum",
        "flip",    "split",      "ravel",         "expand_dims", "sort",  "abs",           "gather",
        "xor_sum", "cat",        "max_constancy", "multiple_of", "clamp", "max_contiguous"};

    for (int i = 0; i < COUNT(functions); i++) {
        if (guess_calls(n, functions[i]))
            return true;
    }
    return false;
}

static void meet_call(Guesser *g, const Frame *fr, const Node *n, GuessData *meet)
{
    Nodes results = {0};
    const AstFunc *f;
    Frame inside;

    if (guess_calls(n, "load") || guess_is_atomic(n))
        meet(g, guess_use_address(g, fr, guess_argument(n, 0, "pointer")));
    else if (guess_calls(n, "to") && n->left->kind == N_ATTRIBUTE && keeps_integer(g, fr, n))
        guess_meet_data(g, fr, n->left->left, meet);
    else if (keeps_dtype(n))
        meet_each(g, fr, n, meet);
    else if ((f = guess_enter(g, fr, n, &inside)))
        results = guess_results(g, f);
    for (int i = 0; i < results.len; i++)
        guess_meet_data(g, &inside, results.at[i], meet);
}

static void meet_name(Guesser *g, const Frame *fr, const Node *n, GuessData *meet)
{
    int i = guess_param_index(fr->f, n->name);
    Followed followed;
    Frame inside;

    if (!guess_follow(fr, n->name, &followed, &inside))
        return;
    if (i >= 0 && fr->caller)
        guess_meet_data(g, fr->caller, fr->args[i], meet);
    Nodes bound = guess_bindings(g, fr, n->name);
    for (int k = 0; k < bound.len; k++)
        guess_meet_data(g, &inside, bound.at[k], meet);
}

void guess_meet_data(Guesser *g, const Frame *fr, const Node *n, GuessData *meet)
{
    if (!n || --g->budget < 0)
        return;
    if (n->kind == N_NAME) {
        meet_name(g, fr, n, meet);
    } else if (n->kind == N_CALL) {
        meet_call(g, fr, n, meet);
    } else if (n->kind == N_BINARY && n->op != BIN_DIV && n->op != BIN_POW) {
        guess_meet_data(g, fr, n->left, meet);
        guess_meet_data(g, fr, n->right, meet);
    } else if (n->kind == N_SUBSCRIPT || n->kind == N_UNARY || n->kind == N_KEYWORD) {
        guess_meet_data(g, fr, n->left, meet);
    } else if (n->kind == N_CONDITIONAL) {
        guess_meet_data(g, fr, n->left, meet);
        guess_meet_data(g, fr, n->extra, meet);
    }
}

/* i32 of "int32", as arrays are made with */
static const char *short_dtype(const char *name)
{
    DType t;

    return name && dtype_from_long_name(name, strlen(name), &t) ? dtype_name(t) : NULL;
}

const char *guess_dtype(Guesser *g, const Frame *fr, const Node *n)
{
    Followed followed;
    Frame inside;
    Nodes bound;

    if (!n || --g->budget < 0)
        return NULL;
    if (n->kind == N_INT || guess_calls(n, "argmax") || guess_calls(n, "argmin") ||
        guess_calls(n, "arange") || guess_calls(n, "program_id") || guess_calls(n, "histogram"))
        return "i32";
    if (guess_calls(n, "to"))
        return short_dtype(dtype_name_of(guess_argument(n, 0, "dtype")));
    if (guess_calls(n, "sum") || guess_calls(n, "cumsum") || guess_calls(n, "reshape"))
        return guess_dtype(g, fr, n->items ? n->items[0] : NULL);
    if (n->kind == N_SUBSCRIPT)
        return guess_dtype(g, fr, n->left);
    if (n->kind != N_NAME || !guess_follow(fr, n->name, &followed, &inside))
        return NULL;
    bound = guess_bindings(g, fr, n->name);
    return bound.len == 1 ? guess_dtype(g, &inside, bound.at[0]) : NULL;
}
