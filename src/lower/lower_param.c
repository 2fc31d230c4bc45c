/*
 * lower_param.c - what annotations and defaults say about parameters, and what those of a kernel
 * get from a launch (semantics R19, R24, R27, R28)
 */
#include "lower.h"

#include <string.h>

static bool starts_with(const char **s, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(*s, prefix, n) != 0)
        return false;
    *s += n;
    return true;
}

/* "i32", "tl.uint8", "*fp32", "const *fp32", "*kfp32". */
static bool dtype_of_text(const char *s, DType *out, bool *pointer, bool *is_const)
{
    *is_const = starts_with(&s, "const ");
    *pointer = starts_with(&s, "*");
    if (*pointer && starts_with(&s, "k"))
        *is_const = true;
    starts_with(&s, "tl.");
    return dtype_from_name(s, strlen(s), out) || dtype_from_long_name(s, strlen(s), out);
}

const Type *named_type(Lower *l, const char *text)
{
    bool is_pointer, is_const;
    DType t;

    if (!dtype_of_text(text, &t, &is_pointer, &is_const))
        return NULL;
    return is_pointer ? type_pointer(l->module, t, is_const) : type_scalar(l->module, t);
}

/* The last name of `a.b.c`. */
static Sym last_name(const Node *n)
{
    return n->kind == N_NAME || n->kind == N_ATTRIBUTE ? n->name : NULL;
}

static bool dtype_of_expr(Lower *l, const Node *n, DType *out, bool *pointer)
{
    Sym name = last_name(n);

    *pointer = false;
    if (n->kind == N_NAME && (strcmp(name, "int") == 0 || strcmp(name, "float") == 0)) {
        *out = name[0] == 'i' ? DT_I32 : DT_FP32;
        return true;
    }
    l->quiet++;
    Val v = lower_expr(l, n);
    l->quiet--;
    if (v.kind != VAL_TYPE || v.type->rank > 0)
        return false;
    *out = v.type->dtype;
    *pointer = v.type->pointer;
    return true;
}

bool param_dtype(Lower *l, const AstParam *p, DType *out, bool *pointer)
{
    bool is_const;

    if (!p->annotation)
        return false;
    if (p->annotation->kind == N_STRING)
        return dtype_of_text(p->annotation->text, out, pointer, &is_const);
    return dtype_of_expr(l, p->annotation, out, pointer);
}

/* Is it a pointer that is not stored through (R28)? */
static bool param_is_const(const AstParam *p)
{
    DType t;
    bool pointer, is_const = false;

    if (!p->annotation)
        return false;
    if (p->annotation->kind == N_STRING)
        return dtype_of_text(p->annotation->text, &t, &pointer, &is_const) && is_const;
    Sym name = last_name(p->annotation);
    return name && strcmp(name, "const") == 0;
}

/* What the host has evaluated when it ran the `def`; else it is evaluated where the `def` stands,
 * and sees whatever there is. */
Val lower_default(Lower *l, const AstFunc *fn, const AstParam *p, Span call)
{
    Frame *frame = l->frame;
    Val v;

    l->frame = frame_new(l, fn, call);
    l->frame->before = fn->extent.start;
    l->frame->is_static = true;
    if (!l->language->host_default(l, fn, p, &v))
        v = static_expr(l, p->default_value);
    l->frame = frame;
    return v;
}

/* --- what a launch gives --- */

static const char *host_object_text(const Const *self, Arena *a)
{
    return arena_printf(a, "an object, %s", (const char *)self->object);
}

const PyClass front_object_class = {.name = "an object", .text = host_object_text};

/* Where a part of a parameter stands: what its value is called, and how the kernel says it. */
typedef struct {
    Sym name;    /* of the values: `shape_0` */
    Sym written; /* of the constants: `shape.rows`; NULL where a name cannot say it */
} PartName;

static Val launched(Lower *l, Func *f, PartName name, const FrontArg *arg, bool is_const);

static Sym item_name(Lower *l, Sym of, int i)
{
    return intern(l->interner, arena_printf(l->arena, "%s[%d]", of, i));
}

/* Of part `i` of what is called so: `name_field`, or `name_0`. */
static PartName part_name(Lower *l, PartName of, const FrontArg *part, int i)
{
    if (!part->name)
        return (PartName){intern(l->interner, arena_printf(l->arena, "%s_%d", of.name, i)),
                          of.written ? item_name(l, of.written, i) : NULL};
    const char *written =
        of.written ? arena_printf(l->arena, "%s.%s", of.written, part->name) : NULL;
    return (PartName){intern(l->interner, arena_printf(l->arena, "%s_%s", of.name, part->name)),
                      written ? intern(l->interner, written) : NULL};
}

static Val launched_tuple(Lower *l, Func *f, PartName name, const FrontArg *arg)
{
    Val *items = NEW_N(l->arena, Val, arg->nparts + 1);
    Sym *fields = NEW_N(l->arena, Sym, arg->nparts + 1);
    bool named = arg->nparts > 0;

    for (int i = 0; i < arg->nparts; i++) {
        const FrontArg *part = &arg->parts[i];

        items[i] = launched(l, f, part_name(l, name, part, i), part, false);
        named &= part->name != NULL;
        fields[i] = part->name ? intern(l->interner, part->name) : NULL;
    }
    Val v = val_tuple(l, arg->nparts, items);
    return named ? val_with_fields(l, v, fields) : v;
}

/* Its pointer, extents and strides are parameters of the kernel; the handle is made of them. */
static Val launched_descriptor(Lower *l, Func *f, PartName name, const FrontArg *arg)
{
    Value *v[1 + 2 * MAX_RANK];
    Type t = {.rank = (int8_t)((arg->nparts - 1) / 2),
              .padding = arg->pads_nan ? PAD_NAN : PAD_ZERO,
              .handle = HANDLE_DESCRIPTOR};

    for (int i = 0; i < arg->nparts; i++) {
        PartName part = i == 0 ? name : part_name(l, name, &arg->parts[i], i);
        Val given = launched(l, f, part, &arg->parts[i], false);

        v[i] = given.kind == VAL_RUN ? given.run
                                     : l->language->literal_cast(l, given.c, DT_I64, f->span);
        if (i == 0)
            t.dtype = v[i]->type->dtype;
        else
            v[i] = build_cast(&l->b, v[i], DT_I64, ROUND_NEAREST);
    }
    memcpy(t.dims, arg->block, sizeof t.dims[0] * (size_t)t.rank);
    const Type *type = type_of(l->module, t);
    return val_run(
        build_op(&l->b, OP_make_descriptor, arg->nparts, v, 0, NULL, 1, &type)->results[0]);
}

/* A constant of the launch with its name, or with those of its items. */
static Val named_constant(Lower *l, Sym written, Val v)
{
    enum { MOST = 64 }; /* items of longer ones need no names */
    Tuple *named;

    if (!written || v.kind != VAL_TUPLE)
        return written ? val_called(l, written, v) : v;
    if (v.tuple->n > MOST)
        return v;
    named = NEW(l->arena, Tuple);
    *named = *v.tuple;
    named->items = NEW_N(l->arena, Val, named->n + 1);
    for (int i = 0; i < named->n; i++)
        named->items[i] = named_constant(l, item_name(l, written, i), v.tuple->items[i]);
    v.tuple = named;
    return v;
}

static Val launched(Lower *l, Func *f, PartName name, const FrontArg *arg, bool is_const)
{
    if (arg->form == FRONT_TUPLE)
        return launched_tuple(l, f, name, arg);
    if (arg->form == FRONT_DESCRIPTOR)
        return launched_descriptor(l, f, name, arg);
    if (arg->is_constexpr)
        return named_constant(l, name.written, val_from_python(l, &arg->constant));
    const Type *t = arg->pointer ? type_pointer(l->module, arg->dtype, is_const)
                                 : type_scalar(l->module, arg->dtype);
    Value *v = func_add_param(f, name.name, t, arg->divisible);
    bool is_narrow = l->wide_floats && !arg->pointer && dtype_is_float(arg->dtype);
    return val_run(is_narrow ? build_cast(&l->b, v, DT_FP64, ROUND_NEAREST) : v);
}

Val lower_kernel_param(Lower *l, Func *f, const AstParam *p, const FrontArg *arg)
{
    l->b.span = p->span;
    Val v = launched(l, f, (PartName){p->name, p->name}, arg, param_is_const(p));
    if (arg->is_rounded)
        map_put(l->rounded, MAP_KEY(v.run), (void *)p);
    return v;
}
