/*
 * resolve_host.c - names that the program that loaded a file knows
 *
 * It has run what the files only say, so that its answers go before what they bind.
 */
#include <string.h>

#include "resolve.h"

/* The function whose body is being lowered, when it is the body that asks. */
static const AstFunc *asking_function(const Lower *l, const Where *w)
{
    const Frame *f = l->frame;

    return w->file == f->fn->file && w->scope == f->fn->scope && f->before == UINT32_MAX ? f->fn
                                                                                         : NULL;
}

/* "triton.language.exp": a module, or a member of one; "*fp32": a type of pointers. */
static Val language_value(Lower *l, Sym full, Sym name, Span span)
{
    const Type *type = named_type(l, full);
    const char *dot = strrchr(full, '.');
    Sym module;

    if (type)
        return val_type(type);
    if (module_is_known(full))
        return val_module(full);
    module = dot ? intern_n(l->interner, full, (size_t)(dot - full)) : NULL;
    if (!module || !module_is_known(module))
        return fail_val(l, span, E_HOST_LANGUAGE, name, full);
    return module_member(l, module, intern(l->interner, dot + 1), NULL, span);
}

bool language_function(Lower *l, const char *path, Span span, Val *out)
{
    const char *dot = strrchr(path, '.');
    Sym module = dot ? intern_n(l->interner, path, (size_t)(dot - path)) : NULL;

    if (!module || strchr(path, ' ') || !module_is_known(module))
        return false;
    *out = module_member(l, module, intern(l->interner, dot + 1), NULL, span);
    return true;
}

/* "torch.nn.functional.relu": a member of a module that is none of the language's.  It may be
 * there, whatever it is. */
static Val library_value(Lower *l, Sym full, Span span)
{
    if (l->admitted == ADMIT_OBJECTS && !l->frame->is_static)
        return val_module(full);
    const char *dot = strrchr(full, '.');
    Sym module = dot ? intern_n(l->interner, full, (size_t)(dot - full)) : full;

    return module_member(l, module, intern(l->interner, dot ? dot + 1 : full), NULL, span);
}

/* R3 for what is no value; whoever uses it says what it is. */
static Val object_value(Lower *l, const Where *w, const HostName *h, Sym name, Span span)
{
    if (w->any || h->is_constexpr || !h->file->advice)
        return val_file(h->file);
    error_at(l, span, E_GLOBAL, name);
    hint_at(l, H_GLOBAL_OBJECT, h->file->object, h->file->advice);
    return val_unknown();
}

/* R3 holds for the values of the host, too. */
static Val constant_value(Lower *l, const Where *w, const HostName *h, Sym name, Span span)
{
    bool usable =
        w->any || h->is_constexpr || h->value.kind == CONST_NONE || h->value.kind == CONST_DTYPE;

    if (usable)
        return val_from_python(l, &h->value);
    error_at(l, span, E_GLOBAL, name);
    hint_at(l, H_GLOBAL, name);
    return val_unknown();
}

/* What an answer (or NULL) means; false when it says nothing. */
static bool answered(Lower *l, const Where *w, const HostName *h, Sym name, Span span, Val *out)
{
    if (!h)
        return false;
    switch (h->kind) {
    case HOST_UNKNOWN:
        return false;
    case HOST_VALUE:
        *out = constant_value(l, w, h, name, span);
        break;
    case HOST_FUNCTION:
        *out = (Val){.kind = VAL_FUNC, .func = h->func};
        break;
    case HOST_CLASS:
        *out = (Val){.kind = VAL_CLASS, .class = h->class};
        break;
    case HOST_MODULE:
        *out = val_file(h->file);
        break;
    case HOST_LANGUAGE:
        *out = language_value(l, h->language, name, span);
        break;
    case HOST_LIBRARY:
        *out = library_value(l, h->language, span);
        break;
    case HOST_OBJECT:
        *out = object_value(l, w, h, name, span);
        break;
    }
    return true;
}

bool host_value(Lower *l, const Where *w, Sym name, Span span, Val *out)
{
    return answered(l, w, host_find(w->file, asking_function(l, w), name), name, span, out);
}

bool host_default(Lower *l, const AstFunc *fn, const AstParam *p, Val *out)
{
    const Where w = {.file = fn->file, .any = true};
    Sym name = intern(l->interner, arena_printf(l->arena, "%s=", p->name));

    return answered(l, &w, host_find(fn->file, fn, name), p->name, p->span, out);
}
