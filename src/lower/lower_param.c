/*
 * lower_param.c - what annotations and defaults say about parameters (semantics R19, R27, R28)
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

bool param_is_const(const AstParam *p)
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

/* It is evaluated where the `def` stands, and sees whatever there is. */
Val lower_default(Lower *l, const AstFunc *fn, const AstParam *p, Span call)
{
    Frame *frame = l->frame;
    Val v;

    l->frame = frame_new(l, fn, call);
    l->frame->before = fn->extent.start;
    l->frame->is_static = true;
    v = static_expr(l, p->default_value);
    l->frame = frame;
    return v;
}
