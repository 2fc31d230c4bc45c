/*
 * variant.c - the options of a call with some values replaced: what a sweep and the tuner run
 *
 * A value may be one of an argument or, where the kernel has no parameter of that name, a hint of
 * the launch: num_warps, num_stages; or what an argument says of the launch: maxnreg.
 */
#include "command.h"
#include "../syntax/lex.h"

#include <string.h>

Options variant_of(Cli *c, const Options *o)
{
    Options out = *o;

    out.args.at = NEW_N(c->arena, ArgText, o->args.len + 1);
    out.args.cap = o->args.len + 1;
    memcpy(out.args.at, o->args.at, sizeof *out.args.at * (size_t)o->args.len);
    return out;
}

/* The field of a hint that is no parameter; NULL. */
static int *hint_of(Cli *c, Options *o, const char *name)
{
    if (strcmp(name, "num_warps") == 0 && !args_takes(c, o, name))
        return &o->launch.num_warps;
    if (strcmp(name, "num_stages") == 0 && !args_takes(c, o, name))
        return &o->launch.num_stages;
    return NULL;
}

bool variant_takes(Cli *c, Options *o, const char *name)
{
    return args_takes(c, o, name) || hint_of(c, o, name) || args_wishes(c, o, name);
}

static int find_argument(const Options *o, const char *name)
{
    for (int i = 0; i < o->args.len; i++) {
        if (strcmp(o->args.at[i].name, name) == 0)
            return i;
    }
    return -1;
}

bool variant_gives(const Options *o, const char *name)
{
    return find_argument(o, name) >= 0;
}

static void remove_argument(Options *o, int i)
{
    o->args.len--;
    memmove(&o->args.at[i], &o->args.at[i + 1], sizeof *o->args.at * (size_t)(o->args.len - i));
}

/* In front of the others, which may use it. */
static ArgText *insert_argument(Cli *c, Options *o)
{
    static const ArgText none = {0};

    vec_push(c->arena, &o->args, none);
    memmove(&o->args.at[1], &o->args.at[0], sizeof *o->args.at * (size_t)(o->args.len - 1));
    return &o->args.at[0];
}

static int hint_value(Cli *c, const char *name, const char *text)
{
    const Names none = {0};
    Const v = value_parse(&c->store, &none, name, text);

    if (v.kind != CONST_INT || v.integer < 1 || v.integer > INT32_MAX)
        cli_stop(c, CLI_USAGE, "%s needs a whole number of 1 or more, not '%s'", name, text);
    return (int)v.integer;
}

void variant_set(Cli *c, Options *o, const char *name, const char *text)
{
    int *hint = hint_of(c, o, name), i = find_argument(o, name);

    if (hint) {
        *hint = hint_value(c, name, text);
        if (i >= 0)
            remove_argument(o, i);
        return;
    }
    if (i < 0)
        args_check_name(c, o, name);
    ArgText *arg = i >= 0 ? &o->args.at[i] : insert_argument(c, o);
    arg->name = name;
    arg->text = text;
}

/* Does the text mention one of these names?  More than it does no harm. */
static bool mentions(const char *text, const Values *names)
{
    for (const char *s = text; *s;) {
        size_t n = name_length(s);

        for (int i = 0; i < names->len && n > 0; i++) {
            if (strlen(names->at[i]) == n && strncmp(s, names->at[i], n) == 0)
                return true;
        }
        while (n == 0 && is_name_char(*s)) /* the tail of a number */
            s++;
        s += n > 0 ? n : *s != '\0';
    }
    return false;
}

void variant_share(Cli *c, Options *o, const Values *changed, const Names *given)
{
    Values depends = {0};

    for (int i = 0; i < changed->len; i++)
        vec_push(c->arena, &depends, changed->at[i]);
    for (int i = 0; i < o->args.len; i++) {
        ArgText *arg = &o->args.at[i];
        bool is_changed = mentions(arg->name, changed);

        if (!is_changed && mentions(arg->text, &depends))
            vec_push(c->arena, &depends, arg->name);
        else if (!is_changed)
            arg->value = args_value(given, arg->name);
    }
}
