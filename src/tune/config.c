/*
 * config.c - configurations as texts, and which of a list may differ in speed
 *
 * Two configurations whose values of the kernel's parameters are equal, and on devices that follow
 * them the numbers of warps, stages and registers, are the same code: the first one stands for all
 * of them.
 * One without any values is like no other: whoever gives it knows what it stands for.
 * The same text names a configuration in files of times, whoever has written them: options that
 * only other devices have, and the order of values, make no difference.
 */
#include <stdlib.h>
#include <string.h>

#include "tuning.h"

static void put_value(Text *out, const tilec_arg *v);

static void put_quoted(Text *out, const char *s)
{
    text_put(out, "'");
    for (; *s; s++) {
        if ((unsigned char)*s < ' ')
            text_printf(out, "\\x%02x", *s);
        else
            text_printf(out, *s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    text_put(out, "'");
}

static void put_items(Text *out, const tilec_arg *v)
{
    text_put(out, "(");
    for (int i = 0; i < v->nitems; i++) {
        text_put(out, i ? ", " : "");
        put_value(out, &v->items[i]);
    }
    text_put(out, v->nitems == 1 ? ",)" : ")");
}

static void put_value(Text *out, const tilec_arg *v)
{
    switch (v->kind) {
    case TILEC_ARG_NONE:
        text_put(out, "None");
        return;
    case TILEC_ARG_BOOL:
        text_put(out, v->integer ? "True" : "False");
        return;
    case TILEC_ARG_INT:
        text_printf(out, "%lld", (long long)v->integer);
        return;
    case TILEC_ARG_UINT:
        text_printf(out, "%llu", (unsigned long long)v->uinteger);
        return;
    case TILEC_ARG_FLOAT:
        text_printf(out, "%.17g", v->real);
        return;
    case TILEC_ARG_STRING:
    case TILEC_ARG_FUNCTION:
    case TILEC_ARG_OBJECT:
        put_quoted(out, v->text ? v->text : "");
        return;
    case TILEC_ARG_DTYPE:
        text_put(out, tilec_dtype_name(v->dtype));
        return;
    case TILEC_ARG_TUPLE:
        put_items(out, v);
        return;
    case TILEC_ARG_CONSTEXPR:
        put_value(out, v->items);
        return;
    default: /* an array, of which only the dtype counts */
        text_printf(out, "<%s>",
                    tilec_dtype_name(v->kind == TILEC_ARG_TYPE ? v->dtype : v->tensor.dtype));
    }
}

const char *config_value_text(Arena *a, const tilec_arg *v)
{
    Text t = text_new(a);

    put_value(&t, v);
    return t.s;
}

const char *config_text(Arena *a, const tilec_config *c)
{
    Text t = text_new(a);

    text_put(&t, "");
    for (int i = 0; i < c->nvalues; i++) {
        text_printf(&t, "%s%s=", i ? " " : "", c->values[i].name);
        put_value(&t, &c->values[i]);
    }
    return t.s;
}

/* --- what makes a difference --- */

static const tilec_arg warps = {.name = "num_warps", .kind = TILEC_ARG_INT, .integer = 4};
static const tilec_arg stages = {.name = "num_stages", .kind = TILEC_ARG_INT, .integer = 3};

static bool is_param(const Kernel *k, const char *name)
{
    return bind_param_index(k->signature, name, 0) >= 0;
}

static bool is_hint(const char *name)
{
    return strcmp(name, warps.name) == 0 || strcmp(name, stages.name) == 0 ||
           strcmp(name, "maxnreg") == 0;
}

/* maxnreg=None says nothing, as maxnreg=0 does. */
static bool is_said(const tilec_arg *v)
{
    return v->kind != TILEC_ARG_NONE && (v->kind != TILEC_ARG_INT || v->integer != 0);
}

bool config_takes(const Kernel *k, const char *name)
{
    return is_param(k, name) || is_hint(name);
}

static int by_name(const void *a, const void *b)
{
    const tilec_arg *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Of a hint that it does not give, what launches take. */
static void add_hint(const Tuning *t, tilec_config *c, tilec_arg *values, const tilec_arg *usual)
{
    if (tilec_config_value(c, usual->name) || is_param(t->kernel, usual->name))
        return;
    values[c->nvalues++] = *usual;
}

static const char *text_of(const Tuning *t, const tilec_config *from)
{
    bool schedules = device_at(device_find(t->launch.device))->schedules;
    tilec_arg *values = NEW_N(t->arena, tilec_arg, from->nvalues + 2);
    tilec_config c = {.values = values};

    for (int i = 0; i < from->nvalues; i++) {
        const char *name = from->values[i].name;

        if (is_param(t->kernel, name) || (schedules && is_hint(name) && is_said(&from->values[i])))
            values[c.nvalues++] = from->values[i];
    }
    if (schedules) {
        add_hint(t, &c, values, &warps);
        add_hint(t, &c, values, &stages);
    }
    qsort(values, (size_t)c.nvalues, sizeof *values, by_name);
    return config_text(t->arena, &c);
}

/* --- the list --- */

static tilec_status check_config(const Tuning *t, const tilec_config *c)
{
    if (c->nvalues < 0 || (c->nvalues > 0 && !c->values))
        return api_refuse(t->error, TILEC_BAD_ARGUMENT,
                          "tilec_tune: a configuration has no values");
    for (int i = 0; i < c->nvalues; i++) {
        if (!c->values[i].name)
            return api_refuse(t->error, TILEC_BAD_ARGUMENT,
                              "tilec_tune: a value of a configuration has no name");
    }
    return TILEC_OK;
}

static void take_from_file(Tuning *t, int i)
{
    Candidate *k = &t->all[i];

    if (t->kernel->configs[i].nvalues >= 0) {
        k->config = t->kernel->configs[i];
        return;
    }
    k->config.nvalues = -1;
    k->status = TILEC_REFUSED;
    k->error = strdup(t->kernel->problems[i]);
}

static void find_same(Tuning *t, int i)
{
    t->all[i].same_as = -1;
    for (int j = 0; j < i && t->all[i].config.nvalues > 0; j++) {
        if (t->all[j].text && t->all[j].same_as < 0 && strcmp(t->all[i].text, t->all[j].text) == 0)
            t->all[i].same_as = j;
    }
}

tilec_status config_list(Tuning *t)
{
    bool given = t->options.configs != NULL;
    int n = given ? t->options.nconfigs : t->kernel->tuning->nconfigs;

    if (n <= 0)
        return api_refuse(t->error, TILEC_NOT_FOUND,
                          "the kernel `%s` has no configurations: give some, or write "
                          "@triton.autotune above it",
                          t->kernel->name);
    t->all = NEW_N(t->arena, Candidate, n);
    t->count = n;
    for (int i = 0; i < n; i++) {
        tilec_status status = given ? check_config(t, &t->options.configs[i]) : TILEC_OK;

        if (status != TILEC_OK)
            return status;
        if (given)
            t->all[i].config = t->options.configs[i];
        else
            take_from_file(t, i);
        if (t->all[i].config.nvalues >= 0)
            t->all[i].text = text_of(t, &t->all[i].config);
        find_same(t, i);
    }
    return TILEC_OK;
}
