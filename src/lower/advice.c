/*
 * advice.c - what to write instead of Python, NumPy and PyTorch that kernels do not have
 *
 * Tables of hints: for statements and expressions by the name of their syntax node, for calls with
 * wrong arguments, and for names of parameters.  foreign.c has the names of functions.
 */
#include "lower.h"

#include <string.h>

typedef struct {
    const char *what, *advice;
} Advice;

/* clang-format off */
static const Advice for_syntax[] = {
    {"Break",        "loops run to their end: put the condition into a `while`, or mask the work"},
    {"Continue",     "put the rest of the body under an `if`, or mask the work"},
    {"Raise",        "an `if` of constants may raise, for what it was given; where a program finds out, tl.device_assert(n > 0, \"text\") ends the launch"},
    {"Try",          "nothing in a kernel raises: decide with `if`, or check with tl.static_assert"},
    {"TryStar",      "nothing in a kernel raises: decide with `if`, or check with tl.static_assert"},
    {"Lambda",       "write a function with @triton.jit, and name that"},
    {"Dict",         "use a tuple, or a name for each value"},
    {"DictComp",     "use a tuple, or a name for each value"},
    {"Set",          "use a tuple"},
    {"SetComp",      "use a tuple"},
    {"GeneratorExp", "a list in brackets runs over a tuple: [f(v) for v in t]"},
    {"Match",        "use `if` and `elif`; with constants only one arm is compiled"},
    {"Global",       "a kernel assigns only names of its own: store to memory, or return the value"},
    {"Nonlocal",     "a kernel assigns only names of its own: store to memory, or return the value"},
    {"Import",       "imports stand at the top of the file"},
    {"ImportFrom",   "imports stand at the top of the file"},
    {"ClassDef",     "classes stand outside of kernels"},
    {"Delete",       "values need no deletion: leave it out"},
    {"Yield",        "return all values at once, as a tuple"},
    {"YieldFrom",    "return all values at once, as a tuple"},
    {"AsyncFor",     "a program runs its statements one after the other: leave `async` out"},
    {"AsyncWith",    "a program runs its statements one after the other: leave `async` out"},
    {"Await",        "a program waits for nothing but memory: leave it out"},
};

/* What calls with wrong arguments are meant to be, beside the list of parameters. */
static const Advice for_calls[] = {
    {"program_id",   "tl.program_id(0) is the number along x, 1 along y, 2 along z"},
    {"num_programs", "tl.num_programs(0) is how many there are along x, 1 along y, 2 along z"},
    {"cat",          "tl.cat(a, b) takes two tiles, one behind the other"},
    {"make_block_ptr", "order=(1, 0) says of two dimensions that the last one is dense, as rows are"},
    {"arange",       "tl.arange(0, N) is 0 to N - 1, of int32: .to(tl.int64) converts, and a step is a factor, tl.arange(0, N) * 2"},
    {"maximum",      "it takes the greater of two values; the greatest of one tile is tl.max(x, axis)"},
    {"minimum",      "it takes the lesser of two values; the least of one tile is tl.min(x, axis)"},
    {"clamp",        "tl.clamp(x, low, high); one side alone is tl.maximum(x, low) or tl.minimum(x, high)"},
    {"argmax",       "tl.argmax(x, axis) is where the greatest is, along one axis"},
    {"argmin",       "tl.argmin(x, axis) is where the least is, along one axis"},
    {"where",        "tl.where(condition, a, b) takes a where the condition holds, else b"},
    {"dot",          "tl.dot(a, b, acc) gives acc + a @ b"},
    {"split",        "tl.split takes the last dimension, of two elements, apart; x[:4] is a part of a tile"},
    {"store",        "tl.store(pointer + offsets, value, mask)"},
    {"load",         "tl.load(pointer + offsets, mask, other)"},
    {"full",         "tl.full((M, N), value, tl.float32)"},
    {"zeros",        "tl.zeros((M, N), tl.float32)"},
    {"rand",         "tl.rand(seed, offsets): one seed for all, a number for each element"},
    {"randn",        "tl.randn(seed, offsets): one seed for all, a number for each element"},
    {"randint",      "tl.randint(seed, offsets): one seed for all, a number for each element"},
    {"reduce",       "tl.reduce(x, axis, f), where f is a @triton.jit function of two values"},
    {"associative_scan", "tl.associative_scan(x, axis, f), where f is a @triton.jit function of two values"},
};

/* What others call a parameter. */
static const Advice for_keywords[] = {
    {"dim",       "axis"},      {"axes",      "axis"},     {"axis",     "dim"},
    {"keepdim",   "keep_dims"}, {"keepdims",  "keep_dims"}, {"default", "other"},
    {"padding",   "other"},     {"border",    "other"},    {"boundary", "boundary_check"},
    {"where",     "mask"},      {"condition", "mask"},
    {"fill",      "other"},     {"fill_value", "value"},   {"val",      "value"},
    {"value",     "val"},       {"precision", "input_precision"},
    {"ptr",       "pointer"},   {"memory_order", "sem"},   {"order",    "sem"},
    {"func",      "combine_fn"}, {"fn",       "combine_fn"},
    {"shape",     "block_shape"}, {"size",    "shape"},
};

/* What libraries for images call what stands outside of one. */
static const char *const of_borders[] = {
    "border", "border_mode", "boundary", "boundary_mode", "edge", "mode", "pad_mode", "padding_mode", "wrap",
};
/* clang-format on */

static const char *find_advice(const Advice *table, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(table[i].what, what) == 0)
            return table[i].advice;
    }
    return NULL;
}

const char *advice_for_syntax(const char *node)
{
    return find_advice(for_syntax, COUNT(for_syntax), node);
}

const char *advice_for_call(const char *name)
{
    return find_advice(for_calls, COUNT(for_calls), name);
}

const char *advice_for_keyword(const char *keyword, const char *const *names, int n)
{
    for (int i = 0; i < COUNT(for_keywords); i++) {
        for (int k = 0; k < n && strcmp(for_keywords[i].what, keyword) == 0; k++) {
            if (strcmp(names[k], for_keywords[i].advice) == 0)
                return names[k];
        }
    }
    return NULL;
}

bool keyword_of_border(const char *keyword)
{
    for (int i = 0; i < COUNT(of_borders); i++) {
        if (strcmp(of_borders[i], keyword) == 0)
            return true;
    }
    return false;
}
