/*
 * range.c - NAME=1024..65536*4 and NAME=64,128,256: what a sweep and the tuner run one by one
 *
 *     values := value {',' value}  |  first '..' last ['*' factor | '+' step]
 *
 * Commas in brackets and in quotes belong to a value.  A range ends at `last` or before it; its
 * parts are expressions without names.
 */
#include "value.h"
#include "../syntax/lex.h"

#include <string.h>

enum { MOST_VALUES = 10000 };

const char *value_end_of_quotes(const char *s)
{
    bool closed;

    return s + string_end(s, 0, (uint32_t)strlen(s), false, &closed);
}

const char *value_next_part(Arena *a, const char **text)
{
    const char *from = *text + strspn(*text, " "), *end = from, *last;
    int depth = 0;

    if (!**text)
        return NULL;
    while (*end && (*end != ',' || depth > 0)) {
        depth += (strchr("([{", *end) != NULL) - (strchr(")]}", *end) != NULL);
        end = *end == '\'' || *end == '"' ? value_end_of_quotes(end) : end + 1;
    }
    *text = *end ? end + 1 : end;
    for (last = end; last > from && last[-1] == ' ';)
        last--;
    return arena_strndup(a, from, (size_t)(last - from));
}

/* Where `..` stands outside of brackets and quotes; NULL.  It is no path. */
static const char *find_dots(const char *text)
{
    int depth = 0;

    for (const char *s = text; *s && *text != '@';) {
        if (depth == 0 && s > text && strncmp(s, "..", 2) == 0 && s[2] != '.')
            return s;
        depth += strchr("([{", *s) != NULL;
        depth -= strchr(")]}", *s) != NULL;
        s = *s == '\'' || *s == '"' ? value_end_of_quotes(s) : s + 1;
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
        s = *s == '\'' || *s == '"' ? value_end_of_quotes(s) : s + 1;
    }
    return find_dots(text) != NULL;
}

bool range_has_dots(const char *text)
{
    return find_dots(text) != NULL;
}

static int64_t integer(Store *store, const char *name, const char *text, const char *end)
{
    const Names none = {0};
    Const v =
        value_parse(store, &none, name, arena_strndup(store->arena, text, (size_t)(end - text)));

    if (v.kind != CONST_INT || v.integer < -INT32_MAX || v.integer > (INT64_C(1) << 53))
        client_stop(store->client, CLIENT_USAGE, "%s: the parts of a range are integers, not %s",
                    name, const_brief(&v, store->arena));
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

static void add_value(Store *store, const char *name, int64_t value, Values *out)
{
    if (out->len == MOST_VALUES)
        client_stop(store->client, CLIENT_USAGE, "%s: a range has at most %d values", name,
                    MOST_VALUES);
    vec_push(store->arena, out, arena_printf(store->arena, "%lld", (long long)value));
}

static void expand_range(Store *store, const char *name, const char *text, const char *dots,
                         Values *out)
{
    const char *behind = dots + 2, *step = find_step(behind), *end = behind + strlen(behind);
    int64_t first = integer(store, name, text, dots), last = integer(store, name, behind, step);
    int64_t by = *step ? integer(store, name, step + 1, end) : 1;

    if (first > last)
        client_stop(store->client, CLIENT_USAGE,
                    "%s: the range %s is empty: it begins behind its end", name, text);
    if (*step == '*' && (by < 2 || first < 1))
        client_stop(store->client, CLIENT_USAGE,
                    "%s: the range %s needs a factor of 2 or more, and a start of 1 or more", name,
                    text);
    if (by < 1)
        client_stop(store->client, CLIENT_USAGE, "%s: the range %s needs a step of 1 or more", name,
                    text);
    for (int64_t v = first; v <= last; v = *step == '*' ? v * by : v + by)
        add_value(store, name, v, out);
}

Values range_expand(Store *store, const char *name, const char *text)
{
    const char *dots = find_dots(text), *rest = text, *part;
    Values out = {0};

    if (dots) {
        expand_range(store, name, text, dots, &out);
        return out;
    }
    while ((part = value_next_part(store->arena, &rest)) != NULL) {
        if (!*part)
            client_stop(store->client, CLIENT_USAGE, "%s: a value is missing in %s", name, text);
        vec_push(store->arena, &out, part);
    }
    return out;
}
