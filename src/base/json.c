/*
 * json.c - JSON, behind what is in a text
 *
 * Nothing is kept beside the text: a value needs a comma in front of it unless it comes first,
 * which the text's last byte says.  That is the end of a value, or `{`, `[`, the blank behind a
 * key's colon, or a line break of json_line().
 */
#include <math.h>
#include <string.h>

#include "base.h"

/* A string in quotes.  Bytes from 0x80 on are UTF-8's, and go through as they are. */
static void put_quoted(Text *t, const char *s)
{
    text_put(t, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            text_printf(t, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            text_printf(t, "\\u%04x", (unsigned)*s);
        else
            text_putn(t, s, 1);
    }
    text_put(t, "\"");
}

static bool needs_comma(const Text *t)
{
    return t->len > 0 && !strchr("{[ \n", t->s[t->len - 1]);
}

/* What stands in front of a value. */
static void begin(Text *t, const char *key)
{
    text_put(t, needs_comma(t) ? ", " : "");
    if (!key)
        return;
    put_quoted(t, key);
    text_put(t, ": ");
}

void json_object(Text *t, const char *key)
{
    begin(t, key);
    text_put(t, "{");
}

void json_object_end(Text *t)
{
    text_put(t, "}");
}

void json_array(Text *t, const char *key)
{
    begin(t, key);
    text_put(t, "[");
}

void json_array_end(Text *t)
{
    text_put(t, "]");
}

void json_value(Text *t, const char *key, const char *json)
{
    begin(t, key);
    text_put(t, json);
}

void json_members(Text *t, const char *object)
{
    size_t n = strlen(object);

    if (n <= strlen("{}"))
        return;
    begin(t, NULL);
    text_putn(t, object + 1, n - strlen("{}"));
}

void json_text(Text *t, const char *key, const char *s)
{
    begin(t, key);
    if (s)
        put_quoted(t, s);
    else
        text_put(t, "null");
}

void json_printable(Text *t, const char *key, const char *s)
{
    Text clean = text_new(t->arena);

    text_put(&clean, "");
    if (s)
        text_put_printable(&clean, s);
    json_text(t, key, s ? clean.s : NULL);
}

void json_bool(Text *t, const char *key, bool v)
{
    json_value(t, key, v ? "true" : "false");
}

void json_int(Text *t, const char *key, int64_t v)
{
    begin(t, key);
    text_printf(t, "%lld", (long long)v);
}

void json_number(Text *t, const char *key, double v, int digits)
{
    begin(t, key);
    if (isfinite(v))
        text_put_double(t, v, digits);
    else
        text_put(t, "null");
}

void json_fixed(Text *t, const char *key, double v, int digits)
{
    begin(t, key);
    if (isfinite(v))
        text_put_fixed(t, v, digits);
    else
        text_put(t, "null");
}

void json_line(Text *t)
{
    text_put(t, needs_comma(t) ? ",\n" : "\n");
}
