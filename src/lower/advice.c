/*
 * advice.c - what to write instead of Python, NumPy and PyTorch that kernels do not have
 *
 * Two tables of hints: for statements and expressions by the name of their syntax node, and for
 * names that newcomers expect, as a function, a member of tl or a method.
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
    {"Raise",        "the kernel raises this for the types and constants that it was given"},
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
    {"Await",        "a program waits for nothing but memory: leave it out"},
};

static const Advice for_names[] = {
    /* Python */
    {"all",          "for constants write `and`; of a tile: tl.min(x.to(tl.int32), axis) == 1"},
    {"any",          "for constants write `or`; of a tile: tl.max(x.to(tl.int32), axis) == 1"},
    {"dict",         "use a tuple, or a name for each value"},
    {"divmod",       "write x // y and x % y"},
    {"enumerate",    "count instead: `for i in tl.static_range(len(t))`, and take t[i]"},
    {"filter",       "use tl.where for elements of a tile, `if` for constants"},
    {"map",          "operators and tl functions work on whole tiles; over a tuple: [f(v) for v in t]"},
    {"open",         "a kernel sees only memory that it is given"},
    {"pow",          "libdevice.pow from triton.language.extra, or multiply"},
    {"reversed",     "count down: `for i in tl.static_range(n - 1, -1, -1)`; of a tile: tl.flip"},
    {"set",          "use a tuple"},
    {"sorted",       "of a tile: tl.sort"},
    {"zip",          "count instead: `for i in tl.static_range(len(a))`, and take a[i] and b[i]"},
    /* lists */
    {"append",       "tuples and lists do not change in a kernel: write t = t + (x,)"},
    {"extend",       "tuples and lists do not change in a kernel: write t = t + u"},
    {"insert",       "tuples and lists do not change in a kernel: write t[:i] + (x,) + t[i:]"},
    {"pop",          "tuples and lists do not change in a kernel: write t[:-1]"},
    {"libdevice",    "write `from triton.language.extra import libdevice` at the top of the file"},
    {"math",         "write `import math` at the top of the file"},
    {"tl",           "write `import triton.language as tl` at the top of the file"},
    {"triton",       "write `import triton` at the top of the file"},
    /* CUDA */
    {"__syncthreads", "leave it out: operations on tiles need no barrier"},
    {"barrier",       "tl.debug_barrier(); loads and stores of one program are in order without one"},
    {"blockDim",      "a program works on a whole tile: its extent is what tl.arange says"},
    {"blockIdx",      "tl.program_id(0)"},
    {"extern_elementwise", "code of other compilers is not linked here; the functions of libdevice are tl.extra.libdevice.NAME"},
    {"global_id",     "a program works on a whole tile: offsets are tl.program_id(0) * N + tl.arange(0, N)"},
    {"gridDim",       "tl.num_programs(0)"},
    {"local_id",      "a program works on a whole tile: offsets are tl.program_id(0) * N + tl.arange(0, N)"},
    {"shared",        "tiles are values; the compiler chooses what lies in shared memory"},
    {"shared_memory", "tiles are values; the compiler chooses what lies in shared memory"},
    {"syncthreads",   "leave it out: operations on tiles need no barrier"},
    {"threadIdx",     "a program works on a whole tile: offsets are tl.program_id(0) * N + tl.arange(0, N)"},
    {"thread_id",     "a program works on a whole tile: offsets are tl.program_id(0) * N + tl.arange(0, N)"},
    /* other spellings */
    {"Inf",           "float(\"inf\")"},
    {"INFINITY",      "float(\"inf\")"},
    {"NAN",           "float(\"nan\")"},
    {"NULL",          "None"},
    {"NaN",           "float(\"nan\")"},
    {"constexpr",     "tl.constexpr"},
    {"jit",           "@triton.jit"},
    {"null",          "None"},
    {"nullptr",       "None"},
    {"this",          "a kernel is no method: what it needs are its parameters"},
    {"self",          "a kernel is no method: what it needs are its parameters"},
    /* NumPy and PyTorch */
    {"jnp",           "kernels call functions of tl: tl.exp, tl.zeros, tl.where"},
    {"np",            "kernels call functions of tl: tl.exp, tl.zeros, tl.float32"},
    {"torch",         "kernels call functions of tl: tl.exp, tl.zeros, tl.float32"},
    {"argsort",       "tl.sort sorts values; tl.max(x, axis, return_indices=True) finds where one is"},
    {"array",        "tl.full makes a tile of one value, tl.arange one that counts"},
    {"astype",       "x.to(dtype)"},
    {"bmm",           "tl.dot takes batches: three dimensions"},
    {"clip",          "tl.clamp(x, low, high)"},
    {"concat",       "tl.cat, or tl.join for pairs"},
    {"concatenate",  "tl.cat, or tl.join for pairs"},
    {"contiguous",    "a tile has no strides: leave it out"},
    {"cpu",           "the launch says where a kernel runs: leave it out"},
    {"cuda",          "the launch says where a kernel runs: leave it out"},
    {"atomic_sub",    "tl.atomic_add(pointer, -x)"},
    {"debug_print",   "tl.device_print(\"text\", x) prints what a launch has, tl.static_print what is known before"},
    {"data_ptr",      "the parameter is the address already"},
    {"detach",        "leave it out: kernels record no gradients"},
    {"device",        "the launch says where a kernel runs: leave it out"},
    {"double",        "x.to(tl.float64)"},
    {"dropout",       "tl.where(tl.rand(seed, offsets) > p, x / (1 - p), 0.0)"},
    {"einsum",        "tl.dot, or tl.sum of a product with broadcast operands"},
    {"empty",        "tl.zeros: there are no tiles without values"},
    {"expand",        "tl.broadcast_to"},
    {"eye",          "compare indices: (i[:, None] == i[None, :]).to(tl.float32)"},
    {"float",        "x.to(tl.float32)"},
    {"gelu",          "0.5 * x * (1 + tl.erf(x * 0.7071067811865476))"},
    {"half",         "x.to(tl.float16)"},
    {"index_select",  "load the elements by their indices: tl.load(pointer + indices)"},
    {"inf",           "float(\"inf\")"},
    {"int",           "x.to(tl.int32)"},
    {"isinf",         "tl.abs(x) == float(\"inf\")"},
    {"isnan",         "x != x"},
    {"leaky_relu",    "tl.where(x > 0, x, slope * x)"},
    {"linspace",     "compute it from tl.arange"},
    {"log_softmax",   "x - max - tl.log(tl.sum(tl.exp(x - max), axis))"},
    {"long",         "x.to(tl.int64)"},
    {"masked_fill",   "tl.where(mask, value, x)"},
    {"matmul",       "tl.dot"},
    {"mean",         "tl.sum(x, axis) / n, with the n of the elements that count"},
    {"mm",           "tl.dot"},
    {"nan",           "float(\"nan\")"},
    {"ndim",         "len(x.shape)"},
    {"nonzero",       "a tile keeps its shape: tl.cumsum of the condition gives each element its place"},
    {"norm",         "tl.sqrt(tl.sum(x * x, axis))"},
    {"numpy",         "a tile is no array: tl.store writes it to one"},
    {"ones",         "tl.full(shape, 1, dtype)"},
    {"ones_like",    "tl.full(x.shape, 1, x.dtype)"},
    {"pad",           "load with a mask, and `other` for what is outside"},
    {"prod",         "tl.reduce with a function that multiplies"},
    {"relu",         "tl.maximum(x, 0.0)"},
    {"repeat",        "tl.broadcast_to"},
    {"roll",          "load again with other offsets: tl.load(pointer + (i + k) % n)"},
    {"scatter",       "tl.store(pointer + indices, x, mask), or tl.atomic_add where indices repeat"},
    {"sign",         "tl.where(x > 0, 1.0, tl.where(x < 0, -1.0, 0.0))"},
    {"silu",          "x * tl.sigmoid(x)"},
    {"size",         "x.shape[i], or x.numel"},
    {"square",       "x * x"},
    {"squeeze",       "tl.reshape, or tl.sum(x, axis) along an axis of one element"},
    {"stack",        "tl.join, or tl.cat of tiles with one more dimension"},
    {"std",          "the square root of tl.sum((x - mean) * (x - mean), axis) / n"},
    {"tile",         "tl.broadcast_to"},
    {"tolist",        "a tile is no list: tl.store writes it to an array"},
    {"transpose",    "tl.trans, or tl.permute"},
    {"unique",        "tl.sort, then compare neighbours"},
    {"var",          "tl.sum((x - mean) * (x - mean), axis) / n"},
};

/* What calls with wrong arguments are meant to be, beside the list of parameters. */
static const Advice for_calls[] = {
    {"program_id",   "tl.program_id(0) is the number along x, 1 along y, 2 along z"},
    {"num_programs", "tl.num_programs(0) is how many there are along x, 1 along y, 2 along z"},
    {"cat",          "tl.cat(a, b) takes two tiles, one behind the other"},
    {"make_block_ptr", "order=(1, 0) says of two dimensions that the last one is dense, as rows are"},
    {"arange",       "tl.arange(0, N) counts from 0 to N - 1; a step is a factor: tl.arange(0, N) * 2"},
    {"maximum",      "it takes the greater of two values; the greatest of one tile is tl.max(x, axis)"},
    {"minimum",      "it takes the lesser of two values; the least of one tile is tl.min(x, axis)"},
    {"where",        "tl.where(condition, a, b) takes a where the condition holds, else b"},
    {"dot",          "tl.dot(a, b, acc) gives acc + a @ b"},
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
    {"fill",      "other"},     {"fill_value", "value"},   {"val",      "value"},
    {"value",     "val"},       {"precision", "input_precision"},
    {"ptr",       "pointer"},   {"memory_order", "sem"},   {"order",    "sem"},
    {"func",      "combine_fn"}, {"fn",       "combine_fn"},
    {"shape",     "block_shape"}, {"size",    "shape"},
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

const char *advice_for_name(const char *name)
{
    return find_advice(for_names, COUNT(for_names), name);
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
