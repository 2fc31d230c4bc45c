/*
 * asked.c - what people ask for in words: a value, the truth of a condition, an element to watch
 *
 * A value is of one of two languages.  What begins with the name of an array is one of arrays
 * (src/arrays/value.h), as for --show; all else is the kernel's, on what its names mean.
 */
#include <ctype.h>
#include <setjmp.h>
#include <string.h>

#include "inside.h"

/* --- values --- */

static size_t name_length_of(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_' || (unsigned char)text[n] >= 0x80)
        n++;
    return n;
}

/* The array of the launch that the text is about: its name, or that and an index or a method. NULL:
 * it is about none, or the name means something else at this place. */
const Array *debug_array_named(const Debugger *d, const char *text, const DebugValues *names)
{
    size_t n = name_length_of(text);
    const Names *args = d->launch.names;
    const Array *array = NULL;

    if (n == 0 || (text[n] && text[n] != '[' && text[n] != '.'))
        return NULL;
    for (int i = 0; args && i < args->len; i++) {
        const Named *named = &args->at[i];
        if (strlen(named->name) == n && memcmp(named->name, text, n) == 0)
            array = value_array(&named->value);
    }
    for (int i = 0; i < names->len && array; i++) {
        const DebugValue *v = &names->at[i];
        bool is_it = strlen(v->name) == n && memcmp(v->name, text, n) == 0;
        if (is_it && (v->n != 1 || v->text || !v->tiles[0].array || v->tiles[0].ndim > 0))
            return NULL;
    }
    return array;
}

static const DebugValue *find_name(const DebugValues *names, const char *text)
{
    for (int i = 0; i < names->len; i++) {
        if (strcmp(names->at[i].name, text) == 0)
            return &names->at[i];
    }
    return NULL;
}

void debug_look_up(Debugger *d, const InterpPlace *at, const char *text, Arena *a, DebugValue *out)
{
    DebugValues names = {0};
    const char *why = NULL, *why_of_array = NULL;

    if (at->frame)
        names = debug_names(d, at, a);
    if (debug_array_named(d, text, &names)) {
        why_of_array = piece_value(d, &names, text, a, out);
        if (!why_of_array)
            return;
    }
    if (!at->frame)
        client_stop(d->client, CLIENT_USAGE, "%s", why_of_array ? why_of_array : DEBUG_NO_NAMES);
    const DebugValue *known = find_name(&names, text);
    if (known)
        *out = *known;
    else if (why_of_array && piece_is_all(text))
        client_stop(d->client, CLIENT_REFUSED, "%s", why_of_array);
    else if (!debug_evaluate(d, at, text, a, out, &why))
        client_stop(d->client, CLIENT_REFUSED, "%s", why);
}

/* --- conditions --- */

/* As Python has it; a tile is. */
static bool is_true(const DebugValue *v)
{
    const DebugTile *t = v->tiles;

    if (v->text || t->ndim > 0)
        return !v->text || (strcmp(v->text, "False") != 0 && strcmp(v->text, "0") != 0);
    uint64_t bits = element_get_bits(t->data, 0, (size_t)dtype_size(t->dtype));
    return scalar_to_double(t->dtype, bits) != 0;
}

/* It may be asked a great many times: nothing is kept but why. */
bool debug_holds(Debugger *d, const InterpPlace *at, const char *condition, const char **why)
{
    Guard guard = {0};
    Arena *volatile a = NULL;
    volatile bool holds = true;

    *why = NULL;
    if (setjmp(guard.env) == 0) {
        DebugValue v;
        const char *text = NULL;

        a = arena_new(&guard);
        if (debug_evaluate(d, at, condition, a, &v, &text))
            holds = is_true(&v);
        else
            *why = arena_printf(d->client->arena, "%s", text);
    }
    arena_free(a);
    return holds;
}

/* --- watches --- */

static bool is_array_name(const Debugger *d, const char *name, size_t n)
{
    const Names *args = d->launch.names;

    for (int i = 0; args && i < args->len; i++) {
        const Named *named = &args->at[i];
        if (strlen(named->name) == n && memcmp(named->name, name, n) == 0 &&
            value_array(&named->value))
            return true;
    }
    return false;
}

const DebugWatch *debug_watch_element(Debugger *d, const char *text)
{
    if (!*text)
        client_stop(d->client, CLIENT_USAGE, "watch what? An element of an array: watch out[3,7]");
    if (!is_array_name(d, text, strcspn(text, "[")))
        client_stop(d->client, CLIENT_USAGE,
                    "`%s` is no element of an array of the launch: watch out[3,7]", text);
    const Const v = value_parse(d->launch.store, d->launch.names, "watch", text);
    const Array *a = value_array(&v);

    /* An element is a number in the language of values; a slice of one is where it is. */
    if (!a || array_numel(a) != 1)
        client_stop(d->client, CLIENT_USAGE, "`%s` is not one element: watch out[3,7]", text);
    return debug_watch(d, text, (uint64_t)(uintptr_t)a->data, a->dtype);
}
