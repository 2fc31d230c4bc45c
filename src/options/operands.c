/*
 * operands.c - the values of options, taken apart, before any expression in them is evaluated
 */
#include "table.h"
#include "../show/show.h"
#include "../syntax/lex.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int operand_count(Client *c, const char *option, const char *text)
{
    char *end;
    long v = strtol(text, &end, 10);

    if (end == text || *end || v < 1 || v > INT_MAX)
        client_stop(c, CLIENT_USAGE, "%s needs a whole number of 1 or more, not '%s'", option,
                    text);
    return (int)v;
}

double operand_seconds(Client *c, const char *option, const char *text)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *end || !(v > 0) || isinf(v))
        client_stop(c, CLIENT_USAGE, "%s needs a number of seconds, 5 or 0.5, not '%s'", option,
                    text);
    return v;
}

int operand_level(Client *c, const char *option, const char *text)
{
    enum { USUAL = 6, MOST = 9 };
    int level = text ? operand_count(c, option, text) : USUAL;

    if (level > MOST)
        client_stop(c, CLIENT_USAGE, "%s has levels from 1 to %d, not %s", option, MOST, text);
    return level;
}

SaveText operand_save(Client *c, const char *text)
{
    size_t n = name_length(text), k = text[n] == ':' ? name_length(text + n + 1) : 0;
    const char *equals = text + n + (text[n] == ':' ? 1 + k : 0);
    SaveText out = {
        .name = arena_strndup(c->arena, text, n), .converts = text[n] == ':', .origin = c->origin};

    if (n == 0 || *equals != '=' || !equals[1])
        client_stop(c, CLIENT_USAGE,
                    "--save needs NAME=FILE, as in out=o.npy, or NAME:TYPE=FILE, not '%s'", text);
    if (out.converts && !array_dtype(text + n + 1, k, &out.type))
        client_stop(c, CLIENT_USAGE, "--save %s: there is no dtype '%.*s'", text, (int)k,
                    text + n + 1);
    out.path = origin_path(c, equals + 1);
    return out;
}

/* `=` in brackets is none of ours. */
ShowText operand_show(Client *c, const char *text)
{
    static const char *const ways[] = {
        [SHOW_BRIEF] = "brief",   [SHOW_WHOLE] = "whole", [SHOW_PICTURE] = "picture",
        [SHOW_BLOCKS] = "blocks", [SHOW_TEXT] = "text",   [SHOW_SIXEL] = "sixel",
        [SHOW_KITTY] = "kitty"};
    const char *bracket = strrchr(text, ']');
    const char *equals = strchr(bracket ? bracket : text, '=');

    if (!equals)
        return (ShowText){text, SHOW_BRIEF};
    for (int i = 0; i < COUNT(ways); i++) {
        if (strcmp(equals + 1, ways[i]) == 0)
            return (ShowText){arena_strndup(c->arena, text, (size_t)(equals - text)), i};
    }
    client_stop(c, CLIENT_USAGE,
                "--show %s: there is no way '%s'%s\n"
                "hint: NAME alone is brief; NAME=whole prints all, NAME=picture draws it",
                text, equals + 1, hint_text(c->arena, equals + 1, ways, COUNT(ways)));
}

/* The text behind `NAME=`; NULL. */
static const char *behind_name(const char *text, const char *name)
{
    size_t n = strlen(name);
    const char *equals = text + n + (strncmp(text, name, n) == 0 ? strspn(text + n, " ") : 0);

    return strncmp(text, name, n) == 0 && *equals == '=' ? equals + 1 : NULL;
}

CompareText operand_compare(Client *c, const char *text)
{
    CompareText out = {.origin = c->origin};
    const char *rest = text, *first = value_next_part(c->arena, &rest), *equals = first;
    const char **tolerances[] = {&out.rtol, &out.atol};

    while (equals && *equals && *equals != '=')
        equals += *equals == '[' ? strcspn(equals, "]") : 1;
    if (!first || !*first || equals == first || (*equals == '=' && !equals[1]))
        client_stop(c, CLIENT_USAGE, "--compare needs NAME=VALUE or NAME=DEVICE, not '%s'", text);
    out.with = *equals ? equals + 1 : first;
    out.name = *equals ? arena_strndup(c->arena, first, (size_t)(equals - first)) : NULL;
    for (int i = 0; (first = value_next_part(c->arena, &rest)) != NULL; i++) {
        int which = behind_name(first, "rtol") ? 0 : behind_name(first, "atol") ? 1 : i;
        const char *value = which < 2 ? behind_name(first, which ? "atol" : "rtol") : NULL;

        if (which > 1 || *tolerances[which])
            client_stop(c, CLIENT_USAGE, "--compare %s: behind the value come only rtol and atol",
                        text);
        *tolerances[which] = value ? value : first;
    }
    return out;
}

ArgText operand_tune(Client *c, const char *text)
{
    size_t n = name_length(text);

    if (n == 0 || text[n] != '=' || !text[n + 1])
        client_stop(c, CLIENT_USAGE, "--tune needs NAME=A,B,C or NAME=A..B*F, not '%s'", text);
    return (ArgText){
        .name = arena_strndup(c->arena, text, n), .text = text + n + 1, .origin = c->origin};
}

static bool is_named(const char *text)
{
    size_t n = name_length(text);

    return n > 0 && text[n] == '=' && text[n + 1];
}

/* FILE.py[:KERNEL], or :KERNEL of the same file */
static void take_version(Client *c, AgainstText *out, const char *word)
{
    if (word[0] == ':')
        out->kernel = word + 1;
    else
        out->file = origin_path(c, operand_file(c, word, &out->kernel));
    if (out->file && !strchr(out->file, '.') && os_entry(out->file).kind == OS_NOTHING)
        client_stop(
            c, CLIENT_USAGE,
            "--against needs FILE.py[:KERNEL], :KERNEL of the same file, or NAME=VALUE, not '%s'",
            word);
}

bool operand_is_word(const char *text)
{
    size_t n = name_length(text);

    if (n > 0 && text[n] == ':')
        n += 1 + strspn(text + n + 1, "0123456789");
    return n > 0 && !text[n] && os_entry(text).kind == OS_NOTHING;
}

AgainstText operand_against(Client *c, const char *text)
{
    AgainstText out = {.text = text, .origin = c->origin};
    const char *rest = text, *part = value_next_part(c->arena, &rest);

    if (!part || !*part || (part[0] == ':' && name_length(part + 1) == 0))
        client_stop(c, CLIENT_USAGE, "--against needs FILE.py[:KERNEL] or NAME=VALUE, not '%s'",
                    text);
    if (!is_named(part)) {
        take_version(c, &out, part);
        part = value_next_part(c->arena, &rest);
    }
    for (; part; part = value_next_part(c->arena, &rest)) {
        size_t n = name_length(part);
        const ArgText value = {.name = arena_strndup(c->arena, part, n),
                               .text = part + n + is_named(part),
                               .origin = c->origin};

        if (!is_named(part))
            client_stop(c, CLIENT_USAGE,
                        "--against %s: what is other is written NAME=VALUE, not '%s'", text, part);
        for (int i = 0; i < out.values.len; i++) {
            if (strcmp(out.values.at[i].name, value.name) == 0)
                client_stop(c, CLIENT_USAGE, "--against %s: '%s' is given twice", text, value.name);
        }
        vec_push(c->arena, &out.values, value);
    }
    return out;
}

tilec_define operand_define(Client *c, const char *text)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text || !equals[1])
        client_stop(c, CLIENT_USAGE, "--define needs NAME=VALUE, not '%s'", text);
    return (tilec_define){arena_strndup(c->arena, text, (size_t)(equals - text)), equals + 1};
}

void operand_device(Client *c, Options *o, const char *list)
{
    const char *text = arena_strndup(c->arena, list, strcspn(list, ","));
    const char *colon = strchr(text, ':');
    char *end = NULL;
    long id = colon ? strtol(colon + 1, &end, 10) : 0;

    if (colon && (end == colon + 1 || *end || id < 0 || id > INT_MAX))
        client_stop(c, CLIENT_USAGE, "--device needs NAME or NAME:N, not '%s'", text);
    o->devices = list;
    o->launch.device = arena_strndup(c->arena, text, colon ? (size_t)(colon - text) : strlen(text));
    o->device_id = (int)id;
}

/* NAME{.NAME}: a kernel inside of functions and classes */
static bool is_kernel_name(const char *s)
{
    for (;;) {
        size_t n = name_length(s);

        if (n == 0 || !s[n])
            return n > 0;
        if (s[n] != '.')
            return false;
        s += n + 1;
    }
}

const char *operand_file(Client *c, const char *word, const char **kernel)
{
    const char *colon = strrchr(word, ':'); /* before anything else it belongs to the file's name */

    *kernel = NULL;
    if (!colon || colon == word || (colon[1] && !is_kernel_name(colon + 1)))
        return word;
    if (colon[-1] == ':')
        client_stop(c, CLIENT_USAGE, "%s: one colon stands in front of a kernel: FILE.py:KERNEL",
                    word);
    *kernel = colon[1] ? colon + 1 : NULL;
    return arena_strndup(c->arena, word, (size_t)(colon - word));
}
