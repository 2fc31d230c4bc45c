/*
 * range.c - NAME=1024..65536*4 and NAME=64,128,256: what a sweep and the tuner run one by one
 *
 *     values := value {',' value}  |  first '..' last ['*' factor | '+' step]
 *
 * Commas in brackets and in quotes belong to a value.  A range ends at `last` or before it; its
 * parts are expressions without names.
 */
#include "command.h"

#include <string.h>

enum { MOST_VALUES = 10000 };

/* Where `..` stands outside of brackets and quotes; NULL.  It is no path. */
static const char *find_dots(const char *text)
{
    int depth = 0;

    for (const char *s = text; *s && *text != '@';) {
        if (depth == 0 && s > text && strncmp(s, "..", 2) == 0 && s[2] != '.')
            return s;
        depth += strchr("([{", *s) != NULL;
        depth -= strchr(")]}", *s) != NULL;
        s = *s == '\'' || *s == '"' ? words_end_of_quotes(s) : s + 1;
    }
    return NULL;
}

bool range_is_several(const char *text)
{
    int depth = 0;

    for (const char *s = text; *s;) {
        if (depth == 0 && *s == ',' && s[1])
            return true;
        depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
        s = *s == '\'' || *s == '"' ? words_end_of_quotes(s) : s + 1;
    }
    return find_dots(text) != NULL;
}

void range_refuse(Cli *c, const Options *o)
{
    for (int i = 0; i < o->args.len; i++) {
        const ArgText *arg = &o->args.at[i];

        c->origin = arg->origin;
        if (find_dots(arg->text))
            cli_stop(c, CLI_USAGE, "%s=%s is a range: --sweep runs all of its values", arg->name,
                     arg->text);
    }
    c->origin = NULL;
}

static int64_t integer(Cli *c, const char *name, const char *text, const char *end)
{
    const Names none = {0};
    Const v = value_parse(c, &none, name, arena_strndup(c->arena, text, (size_t)(end - text)));

    if (v.kind != CONST_INT || v.integer < -INT32_MAX || v.integer > (INT64_C(1) << 53))
        cli_stop(c, CLI_USAGE, "%s: the parts of a range are integers, not %s", name,
                 const_brief(&v, c->arena));
    return (int64_t)v.integer;
}

/* The last `*` or `+` of its own, in front of which `last` ends; the end of the text without one.
 */
static const char *find_step(const char *text)
{
    const char *at = text + strlen(text);

    for (const char *s = text; *s; s++) {
        bool power = s[0] == '*' && (s[1] == '*' || (s > text && s[-1] == '*'));

        if ((*s == '*' || *s == '+') && !power && s > text)
            at = s;
    }
    return at;
}

static void add_value(Cli *c, const char *name, int64_t value, Values *out)
{
    if (out->len == MOST_VALUES)
        cli_stop(c, CLI_USAGE, "%s: a range has at most %d values", name, MOST_VALUES);
    vec_push(c->arena, out, arena_printf(c->arena, "%lld", (long long)value));
}

static void expand_range(Cli *c, const char *name, const char *text, const char *dots, Values *out)
{
    const char *behind = dots + 2, *step = find_step(behind), *end = behind + strlen(behind);
    int64_t first = integer(c, name, text, dots), last = integer(c, name, behind, step);
    int64_t by = *step ? integer(c, name, step + 1, end) : 1;

    if (first > last)
        cli_stop(c, CLI_USAGE, "%s: the range %s is empty: it begins behind its end", name, text);
    if (*step == '*' && (by < 2 || first < 1))
        cli_stop(c, CLI_USAGE,
                 "%s: the range %s needs a factor of 2 or more, and a start of 1 or more", name,
                 text);
    if (by < 1)
        cli_stop(c, CLI_USAGE, "%s: the range %s needs a step of 1 or more", name, text);
    for (int64_t v = first; v <= last; v = *step == '*' ? v * by : v + by)
        add_value(c, name, v, out);
}

Values range_expand(Cli *c, const char *name, const char *text)
{
    const char *dots = find_dots(text), *rest = text, *part;
    Values out = {0};

    if (dots) {
        expand_range(c, name, text, dots, &out);
        return out;
    }
    while ((part = operand_next_part(c, &rest)) != NULL) {
        if (!*part)
            cli_stop(c, CLI_USAGE, "%s: a value is missing in %s", name, text);
        vec_push(c->arena, &out, part);
    }
    return out;
}
