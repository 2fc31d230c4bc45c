/*
 * bind_value.c - what a parameter becomes: a constant, or a run-time type with its hint
 *
 * Takes one value at a time, from the caller or from what bind_missing.c has found, checks it
 * against the parameter (R24 to R27), and adds it to the Binding, its key and its slots.
 * bind_parts.c takes apart what holds several.
 */
#include <string.h>

#include "bind.h"

static bool is_power_of_two_constant(const Const *c)
{
    return c->kind == CONST_INT && c->integer > 0 && (c->integer & (c->integer - 1)) == 0;
}

/* R330; all other options are hints that a CPU ignores. */
bool bind_check_warps(Binder *b, Span span, const Const *c)
{
    if (is_power_of_two_constant(c))
        return true;
    if (c->kind != CONST_INT)
        return bind_refuse(b, TILEC_REFUSED, span, "num_warps must be a power of 2, not %s",
                           const_kind_name(c));
    return bind_refuse(b, TILEC_REFUSED, span, "num_warps must be a power of 2 (4, 8), not %lld",
                       (long long)c->integer);
}

static bool bind_constant(Binder *b, BindTo to, const Const *c)
{
    to.arg->is_constexpr = true;
    to.arg->constant = *c;
    to.arg->divisible = 1;
    bind_key_constant(b->out, c);
    return true;
}

static bool bind_run_time(Binder *b, BindTo to, DType t, bool pointer, int divisible, uint64_t bits)
{
    Binding *out = b->out;

    to.arg->dtype = t;
    to.arg->pointer = pointer;
    to.arg->divisible = divisible;
    out->slots[out->nslots] = bits;
    out->tensors[out->nslots] = NULL;
    out->nslots++;
    bind_key_run_time(out, t, pointer, divisible);
    return true;
}

/* All tensors of a launch are on one device, since it runs there. */
static bool check_device_id(Binder *b, const FrontParam *p, const tilec_tensor *t, const Device *d)
{
    int count = d->arrays->count();

    if (count > 0 && (t->device_id < 0 || t->device_id >= count))
        return bind_refuse(
            b, TILEC_NOT_FOUND, p->span,
            "the tensor given for `%s` is on number %d of the device `%s`, which has %d", p->name,
            t->device_id, d->name, count);
    if (b->out->id < 0)
        b->out->id = t->device_id;
    if (b->out->id == t->device_id)
        return true;
    return bind_refuse(
        b, TILEC_BAD_ARGUMENT, p->span,
        "the tensor given for `%s` is on number %d of the device `%s`, others on number %d",
        p->name, t->device_id, d->name, b->out->id);
}

/* Is it where the device of this launch can reach it? */
static bool check_tensor_memory(Binder *b, const FrontParam *p, const tilec_tensor *t)
{
    static const char *const names[] = {
        [MEMORY_HOST] = "the host's", [MEMORY_DEVICE] = "a device's"};
    const Device *d = device_at(b->r->device);

    if ((unsigned)t->memory >= (unsigned)COUNT(names))
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                           "the memory of `%s` is none of tilec_memory", p->name);
    if (t->memory == TILEC_MEMORY_HOST && t->device_id != 0)
        return bind_refuse(
            b, TILEC_BAD_ARGUMENT, p->span,
            "the tensor given for `%s` is in the host's memory, which has no number %d", p->name,
            t->device_id);
    if ((MemoryKind)t->memory == d->memory)
        return t->memory == TILEC_MEMORY_HOST || check_device_id(b, p, t, d);
    if (b->r->shown)
        return true;
    bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                "the tensor given for `%s` is in %s memory; the device `%s` works on %s", p->name,
                names[t->memory], d->name, names[d->memory]);
    bind_hint(b,
              t->memory == TILEC_MEMORY_HOST
                  ? "tilec_copy(), or x.cuda() of PyTorch, brings it there; arrays of NumPy stay "
                    "with the host, where `sim` is a GPU"
                  : "tilec_copy(), or x.cpu() of PyTorch, brings it to the host");
    return false;
}

static bool refuse_no_constant(Binder *b, const FrontParam *p, const char *why)
{
    bind_refuse(b, TILEC_REFUSED, p->span, "`%s` is a constexpr; it %s", p->name, why);
    bind_hint(b, "it is known when the kernel is compiled, as in %s=128", p->name);
    return false;
}

/* Whether the description can be looked at at all. */
static const char *tensor_problem(const tilec_tensor *t)
{
    bool empty = false;

    if (!tilec_dtype_name(t->dtype))
        return "its dtype is none of tilec_dtype";
    if (t->ndim == TILEC_UNEQUAL_LISTS)
        return "it has not as many strides as extents";
    if (t->ndim > TILEC_MAX_DIMS)
        return "it has too many dimensions";
    if (t->ndim > 0 && !t->shape)
        return "it has dimensions but no shape";
    if (t->reserved[0])
        return "its `reserved` is not zero: a newer library is needed, or it was not initialised";
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] < 0)
            return "its shape is negative";
        empty |= t->shape[i] == 0;
    }
    if (empty)
        return NULL;
    if (!t->data && t->dtype == 0 && t->ndim == 0)
        return "all of it is zero: an argument without a `kind` is a tensor, TILEC_ARG_INT a "
               "number";
    if (!t->data)
        return "its data is NULL: was its memory allocated?";
    size_t size = tilec_dtype_size(t->dtype); /* a power of two */
    return ((uintptr_t)t->data & (size - 1)) == 0
               ? NULL
               : "its address is no multiple of the size of its elements";
}

/* May code be compiled for what divides the value of this parameter, or for it being 1? */
static bool is_divided(const Binder *b, const FrontParam *p)
{
    return !p->any_alignment && !b->r->options.unspecialised;
}

static bool is_specialised(const Binder *b, const FrontParam *p)
{
    return !p->do_not_specialize && !b->r->options.unspecialised;
}

/* R24: few classes, so that views do not each compile anew. */
static int address_divisor(uint64_t address)
{
    return address % 64 == 0 ? 64 : address % 16 == 0 ? 16 : 1;
}

/* False, as what it explains. */
static bool hint_of_annotation(Binder *b, const FrontParam *p, DType given)
{
    bind_hint(b,
              "`%s` alone takes any array; a pointer to %s is annotated as tl.pointer_type(tl.%s)",
              p->name, dtype_name(given), dtype_long_name(given));
    return false;
}

/* A tensor given for an annotated parameter is read as that type (R27), of the same size. */
bool bind_tensor(Binder *b, BindTo to, const tilec_tensor *t)
{
    const FrontParam *p = to.param;
    const char *problem = tensor_problem(t);
    uint64_t address = (uint64_t)(uintptr_t)t->data;
    DType dtype = (DType)t->dtype;

    if (problem)
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span, "the tensor given for `%s` is wrong: %s",
                           p->name, problem);
    if (!check_tensor_memory(b, p, t))
        return false;
    if (p->is_constexpr)
        return refuse_no_constant(b, p, "cannot be a tensor");
    if (p->typed && (!p->pointer || dtype_size(p->dtype) != dtype_size(dtype)))
        return bind_refuse(b, TILEC_REFUSED, p->span,
                           "`%s` is annotated as %s%s; a tensor of %s was given", p->name,
                           p->pointer ? "*" : "", dtype_name(p->dtype), dtype_name(dtype)) ||
               hint_of_annotation(b, p, dtype);
    if (p->typed)
        dtype = p->dtype;
    bind_run_time(b, to, dtype, true, is_divided(b, p) ? address_divisor(address) : 1, address);
    b->out->tensors[b->out->nslots - 1] = t;
    if (b->r->options.check)
        bind_key_byte(b->out, view_dims(t));
    return true;
}

/* Whether `v` is a value of the integer type. */
static bool in_range_of_type(DType t, __int128 v)
{
    int bits = dtype_bits(t);

    if (t == DT_I1 || dtype_is_unsigned(t))
        return 0 <= v && v >> bits == 0;
    return v >> (bits - 1) == 0 || v >> (bits - 1) == -1;
}

static bool refuse_kind(Binder *b, const FrontParam *p, const char *given)
{
    return bind_refuse(b, TILEC_REFUSED, p->span, "`%s` is annotated as %s%s; %s was given",
                       p->name, p->pointer ? "*" : "", dtype_name(p->dtype), given);
}

/* What code is compiled for: rows of so many elements of two or four bytes begin at multiples of 16
 * bytes, where the first one does. */
static int divisor_of(int64_t v)
{
    return v % 16 == 0 ? 16 : v % 8 == 0 ? 8 : v % 4 == 0 ? 4 : 1;
}

/* A number for a parameter whose annotation fixes its type (R27). */
static bool bind_typed(Binder *b, BindTo to, const Const *c)
{
    const FrontParam *p = to.param;
    bool whole = c->kind == CONST_INT || c->kind == CONST_BOOL;

    if (p->pointer || (!whole && !dtype_is_float(p->dtype)))
        return refuse_kind(b, p, c->kind == CONST_FLOAT ? "a float" : "a number");
    if (dtype_is_float(p->dtype)) {
        double v = whole ? (double)c->integer : c->real;
        return bind_run_time(b, to, p->dtype, false, 1, scalar_from_double(p->dtype, v));
    }
    if (!in_range_of_type(p->dtype, c->integer))
        return bind_refuse(b, TILEC_REFUSED, p->span,
                           "`%s` is annotated as %s; the value is too large", p->name,
                           dtype_name(p->dtype));
    int divisible = c->kind == CONST_INT && is_divided(b, p) ? divisor_of(c->integer) : 1;
    return bind_run_time(b, to, p->dtype, false, divisible,
                         scalar_truncate(p->dtype, (uint64_t)c->integer));
}

/* An integer for a parameter without annotation: R24, first two rows. */
static bool bind_int(Binder *b, BindTo to, const Const *c)
{
    const FrontParam *p = to.param;

    if (c->integer == 1 && is_specialised(b, p))
        return bind_constant(b, to, c);
    DType t = in_range_of_type(DT_I32, c->integer)   ? DT_I32
              : in_range_of_type(DT_I64, c->integer) ? DT_I64
                                                     : DT_U64;
    if (!in_range_of_type(t, c->integer))
        return bind_refuse(b, TILEC_REFUSED, p->span, "the value of `%s` does not fit into 64 bits",
                           p->name);
    int divisible = is_divided(b, p) ? divisor_of(c->integer) : 1;
    return bind_run_time(b, to, t, false, divisible, scalar_truncate(t, (uint64_t)c->integer));
}

static bool bind_number(Binder *b, BindTo to, const Const *c)
{
    if (to.param->typed)
        return bind_typed(b, to, c);
    if (c->kind == CONST_INT)
        return bind_int(b, to, c);
    if (c->kind == CONST_BOOL)
        return bind_run_time(b, to, DT_I1, false, 1, c->integer != 0);
    to.arg->is_rounded = c->real == c->real && (double)(float)c->real != c->real;
    return bind_run_time(b, to, DT_FP32, false, 1, scalar_from_double(DT_FP32, c->real));
}

/* "4", "-1.5e3" */
static bool is_number_text(const Const *c)
{
    const char *end;
    bool digit = c->ntext > 0 && strpbrk(c->text, "0123456789") && !strpbrk(c->text, "xX(nN");

    return digit && (double_from_text(c->text, &end), end == c->text + c->ntext);
}

/* A plain value, from the caller or from the signature. */
bool bind_value(Binder *b, BindTo to, const Const *c)
{
    const FrontParam *p = to.param;

    if (c->kind != CONST_NONE && strcmp(p->name, "num_warps") == 0 &&
        !bind_check_warps(b, p->span, c))
        return false;
    if (p->is_constexpr || c->kind == CONST_NONE)
        return bind_constant(b, to, c);
    switch (c->kind) {
    case CONST_BOOL:
    case CONST_INT:
    case CONST_FLOAT:
        return bind_number(b, to, c);
    case CONST_FUNCTION:
        return p->typed ? refuse_kind(b, p, "a function") : bind_constant(b, to, c);
    case CONST_TUPLE:
        return p->typed ? refuse_kind(b, p, "a tuple") : bind_tuple_value(b, to, c);
    default:
        bind_refuse(b, TILEC_REFUSED, p->span, "`%s` is a run-time parameter; %s cannot be passed",
                    p->name,
                    c->kind == CONST_STRING   ? "a string"
                    : c->kind == CONST_OBJECT ? "an object"
                                              : "a dtype");
        if (c->kind == CONST_STRING && is_number_text(c))
            bind_hint(b, "it is the text of a number: pass the number, %s=%.*s", p->name,
                      (int)c->ntext, c->text);
        else if (c->kind == CONST_STRING)
            bind_hint(b,
                      "the launch gives it: pass an array or a number; text is for parameters that "
                      "are compiled in, `%s: tl.constexpr`",
                      p->name);
        else if (c->kind == CONST_DTYPE)
            bind_hint(b,
                      "the launch gives it: pass an array of that dtype, %s=empty(%s,1000) in the "
                      "command, or a number; a dtype is for parameters that are compiled in, "
                      "`%s: tl.constexpr`",
                      p->name, dtype_triton_name(c->dtype), p->name);
        else
            bind_hint(b, "annotate it as `%s: tl.constexpr`", p->name);
        return false;
    }
}

/* A type without a value, for looking at code only. */
static bool bind_type(Binder *b, BindTo to, const tilec_arg *a)
{
    const FrontParam *p = to.param;

    if (p->is_constexpr)
        return refuse_no_constant(b, p, "needs a value");
    int64_t divisible = a->integer != 0 ? a->integer : a->pointer ? 16 : 1;
    bool is_divisor = a->pointer ? divisible == 1 || divisible == 16 || divisible == 64
                                 : divisible == 1 || divisible == divisor_of(divisible);
    if (!tilec_dtype_name(a->dtype) || !is_divisor)
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span, "the type given for `%s` is wrong",
                           p->name);
    b->out->typed_only = true;
    return bind_run_time(b, to, (DType)a->dtype, a->pointer != 0,
                         is_divided(b, p) ? (int)divisible : 1, 0);
}

/* "[1].x", where a tensor stands in a tuple or constexpr; NULL: in none. */
static const char *tensor_inside(Arena *a, const tilec_arg *arg, int level)
{
    bool is_tuple = arg->kind == TILEC_ARG_TUPLE;

    if (arg->kind == TILEC_ARG_TENSOR || arg->kind == TILEC_ARG_DESCRIPTOR)
        return "";
    if ((!is_tuple && arg->kind != TILEC_ARG_CONSTEXPR) || !arg->items || level == BIND_MOST_LEVELS)
        return NULL;
    for (int i = 0; i < arg->nitems; i++) {
        const tilec_arg *item = &arg->items[i];
        const char *rest = tensor_inside(a, item, level + 1);

        if (rest && !is_tuple)
            return rest;
        if (rest)
            return item->name ? arena_printf(a, ".%s%s", item->name, rest)
                              : arena_printf(a, "[%d]%s", i, rest);
    }
    return NULL;
}

/* A tuple or constexpr that is no constant. */
static bool refuse_parts(Binder *b, const FrontParam *p, const tilec_arg *a)
{
    const char *at = b->arena ? tensor_inside(b->arena, a, 0) : NULL;

    if (at) {
        bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                    "`%s%s` is a constant, which cannot be a tensor", p->name, at);
        bind_hint(b, "give the tensor to a parameter that is no tl.constexpr, by itself or in a "
                     "tuple");
        return false;
    }
    if (!a->items && a->nitems > 0)
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                           "the items of what is given for `%s` are NULL", p->name);
    return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                       "the %s given for `%s` holds what is no constant, or too much of it",
                       a->kind == TILEC_ARG_TUPLE ? "tuple" : "constexpr", p->name);
}

/* No constant could be made of the argument. */
static bool refuse_argument(Binder *b, const FrontParam *p, const tilec_arg *a)
{
    if (a->kind == TILEC_ARG_STRING || a->kind == TILEC_ARG_OBJECT)
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span, "the text given for `%s` is NULL",
                           p->name);
    if (a->kind == TILEC_ARG_DTYPE)
        return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span, "the dtype given for `%s` is wrong",
                           p->name);
    if (a->kind == TILEC_ARG_FUNCTION)
        return bind_refuse(b, a->text ? TILEC_REFUSED : TILEC_BAD_ARGUMENT, p->span,
                           "the file has no @triton.jit function `%s`, which is given for `%s`",
                           a->text ? a->text : "NULL", p->name);
    if (a->kind == TILEC_ARG_TUPLE || a->kind == TILEC_ARG_CONSTEXPR)
        return refuse_parts(b, p, a);
    return bind_refuse(b, TILEC_BAD_ARGUMENT, p->span,
                       "the kind of the argument for `%s` is none of tilec_arg_kind", p->name);
}

bool bind_argument(Binder *b, BindTo to, const tilec_arg *a)
{
    const FrontParam *p = to.param;
    Const c;

    if (a->kind == TILEC_ARG_TENSOR)
        return bind_tensor(b, to, &a->tensor);
    if (a->kind == TILEC_ARG_TYPE)
        return bind_type(b, to, a);
    if (a->kind == TILEC_ARG_DESCRIPTOR)
        return bind_descriptor(b, to, a);
    if (a->kind == TILEC_ARG_TUPLE && !p->is_constexpr && !p->typed)
        return bind_tuple(b, to, a);
    if (!bind_constant_of(a, b->r->file->parsed, b->arena, &c))
        return refuse_argument(b, p, a);
    return a->kind == TILEC_ARG_CONSTEXPR ? bind_constant(b, to, &c) : bind_value(b, to, &c);
}
