/*
 * describe.c - what the comments of a header say: parameters, constants and specialisations
 */
#include "aot.h"
#include "../ir/ir.h"

#include <ctype.h>
#include <string.h>

bool aot_is_integer(const AotParam *p)
{
    return p->kind == AOT_GIVEN && !p->type.pointer && p->type.dtype != TILEC_I1 &&
           dtype_is_int((DType)p->type.dtype);
}

bool aot_is_slot(const AotHeader *h, const AotForm *f, int param)
{
    return h->params[param].kind == AOT_GIVEN && !f->uses[param].is_set;
}

const char *aot_list(Arena *a, const char *const *words, int n, const char *last)
{
    Text t = text_new(a);

    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : last, words[i]);
    return n ? t.s : "";
}

/* --- parameters --- */

static void put_choices(Text *t, const AotParam *p)
{
    const char **words = NEW_N(t->arena, const char *, p->choices.len + 1);

    for (int i = 0; i < p->choices.len; i++)
        words[i] = arena_printf(t->arena, "%lld", (long long)p->choices.at[i]);
    text_put(t, aot_list(t->arena, words, p->choices.len, " or "));
}

static void describe_param(Text *t, const AotParam *p)
{
    const char *name = dtype_name((DType)p->type.dtype);

    text_printf(t, "%s%s: ", t->len ? "\n" : "", p->c_name);
    if (p->kind == AOT_CHOSEN)
        put_choices(t, p);
    else if (p->type.pointer)
        text_printf(t, "an array of %s, which is %s", name,
                    p->is_written ? "written, and may be read" : "only read");
    else
        text_put(t, name);
    if (p->kind == AOT_GIVEN && strncmp(name, "fp8", 3) == 0)
        text_put(t, "; its bits, as bytes");
    else if (p->kind == AOT_GIVEN && (p->type.dtype == TILEC_FP16 || p->type.dtype == TILEC_BF16))
        text_put(t, "; its bits, as 16-bit words");
}

const char *aot_describe_params(const AotHeader *h)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nparams; i++) {
        if (h->params[i].kind != AOT_FIXED)
            describe_param(&t, &h->params[i]);
    }
    return t.s;
}

/* --- constants --- */

/* In quotes, unless it has what might end the comment or the line. */
static const char *text_value(Arena *a, const char *text)
{
    bool is_plain = true;

    for (const char *s = text; *s; s++)
        is_plain &= isprint((unsigned char)*s) && !strchr("*/\\'", *s);
    return is_plain ? arena_printf(a, "'%s'", text) : "a text";
}

static const char *value_text(Arena *a, const tilec_arg *v)
{
    switch (v->kind) {
    case TILEC_ARG_INT:
        return arena_printf(a, "%lld", (long long)v->integer);
    case TILEC_ARG_UINT:
        return arena_printf(a, "%llu", (unsigned long long)v->uinteger);
    case TILEC_ARG_FLOAT:
        return arena_printf(a, "%.17g", v->real);
    case TILEC_ARG_BOOL:
        return v->integer ? "True" : "False";
    case TILEC_ARG_NONE:
        return "None";
    case TILEC_ARG_DTYPE:
        return dtype_name((DType)v->dtype);
    case TILEC_ARG_FUNCTION:
        return v->text;
    case TILEC_ARG_STRING:
        return text_value(a, v->text);
    case TILEC_ARG_TUPLE:
        return "a tuple";
    default:
        return "an object";
    }
}

const char *aot_describe_constants(const AotHeader *h)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nparams; i++) {
        const AotParam *p = &h->params[i];

        if (p->kind == AOT_FIXED && !p->is_missing)
            text_printf(&t, "%s%s = %s", t.len ? ", " : "Compiled in: ", p->name,
                        value_text(h->arena, &p->value));
    }
    text_put(&t, t.len ? "." : "");
    return t.s;
}

/* --- specialisations --- */

/* Do all words that can be multiples of 16 have to be?  And is there one? */
static bool is_aligned(const AotHeader *h, const AotForm *f)
{
    int n = 0;

    for (int i = 0; i < h->nparams; i++) {
        const AotParam *p = &h->params[i];
        if (!aot_is_slot(h, f, i) || !(p->type.pointer || aot_is_integer(p)))
            continue;
        if (f->uses[i].divisor != 16)
            return false;
        n++;
    }
    return n > 0;
}

/* Of a form that is neither aligned nor takes any arguments: each word that has to be a multiple of
 * something; gives whether there is one. */
static bool put_divisors(Text *t, const AotHeader *h, const AotForm *f, const char *before)
{
    bool any = false;

    for (int i = 0; i < h->nparams; i++) {
        if (!aot_is_slot(h, f, i) || f->uses[i].divisor <= 1)
            continue;
        bool is_array = h->params[i].type.pointer;
        text_printf(
            t, is_array ? "%s%s begins at a multiple of %lld bytes" : "%s%s is a multiple of %lld",
            any ? ", " : before, h->params[i].c_name, (long long)f->uses[i].divisor);
        any = true;
    }
    return any;
}

static void describe_form(Text *t, const AotHeader *h, const AotForm *f)
{
    const char *before = "";

    text_printf(t, "%s%s: ", t->len ? "\n" : "", f->symbol);
    for (int i = 0; i < h->nparams; i++) {
        if (h->params[i].kind == AOT_FIXED || !f->uses[i].is_set)
            continue;
        text_printf(t, "%s%s == %lld", before, h->params[i].c_name, (long long)f->uses[i].value);
        before = ", ";
    }
    if (is_aligned(h, f))
        text_printf(t, "%sarrays begin at multiples of 16 bytes, integers are multiples of 16",
                    before);
    else if (!put_divisors(t, h, f, before))
        text_printf(t, "%sany arguments", before);
}

const char *aot_describe_forms(const AotHeader *h)
{
    Text t = text_new(h->arena);

    text_put(&t, "");
    for (int i = 0; i < h->nforms; i++)
        describe_form(&t, h, &h->forms[i]);
    return t.s;
}
