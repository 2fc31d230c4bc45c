/*
 * got.c - JSON that was sent, as the library json-c reads it
 *
 * Its header and that of src/base, which writes JSON, both have a json_object: so this file, alone
 * in the tree, knows nothing of src/base, and nobody else knows the library.
 */
#include <json-c/json.h>
#include <math.h>

#include "got.h"

enum { MOST_NESTED = 64 };

Got *got_parse(const char *s, size_t n, const char **why)
{
    struct json_tokener *t = json_tokener_new_ex(MOST_NESTED);
    struct json_object *got = NULL;

    *why = "out of memory";
    if (!t)
        return NULL;
    json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    got = json_tokener_parse_ex(t, s, (int)n);
    enum json_tokener_error error = json_tokener_get_error(t);
    bool is_whole = error == json_tokener_success && json_tokener_get_parse_end(t) == n;
    *why = error == json_tokener_continue ? "it ends too early" : json_tokener_error_desc(error);
    if (error == json_tokener_success && !is_whole)
        *why = "something stands behind its end";
    json_tokener_free(t);
    if (is_whole && got)
        return got;
    json_object_put(got);
    if (is_whole)
        *why = "it is null";
    return NULL;
}

void got_free(Got *g)
{
    json_object_put(g);
}

GotKind got_kind(const Got *g)
{
    switch (json_object_get_type(g)) {
    case json_type_null:
        return GOT_NOTHING;
    case json_type_boolean:
        return GOT_BOOL;
    case json_type_double:
    case json_type_int:
        return GOT_NUMBER;
    case json_type_string:
        return GOT_TEXT;
    case json_type_array:
        return GOT_ARRAY;
    case json_type_object:
        return GOT_OBJECT;
    }
    return GOT_NOTHING;
}

const Got *got_member(const Got *g, const char *name)
{
    struct json_object *member = NULL;

    if (got_kind(g) == GOT_OBJECT)
        json_object_object_get_ex(g, name, &member);
    return member;
}

const char *got_text(const Got *g)
{
    return got_kind(g) == GOT_TEXT ? json_object_get_string((Got *)g) : NULL;
}

bool got_whole(const Got *g, int64_t *out)
{
    const double most = 9007199254740992.0; /* 2^53: beyond, an editor's numbers are no integers */
    double v = got_kind(g) == GOT_NUMBER ? json_object_get_double(g) : NAN;

    if (!(v >= -most && v <= most) || v != floor(v))
        return false;
    *out = (int64_t)v;
    return true;
}

bool got_is_true(const Got *g)
{
    return got_kind(g) == GOT_BOOL && json_object_get_boolean(g);
}

int got_length(const Got *g)
{
    return got_kind(g) == GOT_ARRAY ? (int)json_object_array_length(g) : 0;
}

const Got *got_item(const Got *g, int i)
{
    return i < got_length(g) ? json_object_array_get_idx(g, (size_t)i) : NULL;
}
