/*
 * cut.c - what a kernel uses as the text of one file
 *
 * Functions and classes are copied from their files, and where they name something that bears
 * another name here they are changed at that place.  Two things of one name, from two files, get
 * different ones, and nothing is called as a local of those who use it.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../syntax/lex.h"
#include "inside.h"

/* --- names --- */

static bool is_taken(const Uses *u, const Part *part, Sym name)
{
    for (int i = 0; i < u->parts.len; i++) {
        const Part *other = u->parts.at[i];

        if (other != part && other->name == name)
            return true;
        for (int k = 0; k < other->uses.len; k++) {
            if (other->uses.at[k].means == part && map_get(other->own, MAP_KEY(name)))
                return true;
        }
    }
    return false;
}

static void give_name(const Uses *u, Part *part)
{
    Sym name = part->wish;

    for (int k = 2; is_taken(u, part, name); k++)
        name = intern(u->interner, arena_printf(u->arena, "%s_%d", part->wish, k));
    part->name = name;
}

void cut_name(Uses *u)
{
    for (int own = 1; own >= 0; own--) { /* what stands in the kernel's file keeps its name */
        for (int i = 0; i < u->parts.len; i++) {
            Part *part = u->parts.at[i];

            if (!part->name && (!own || part->file == u->file))
                give_name(u, part);
        }
    }
}

/* --- values --- */

static bool put_tuple(const Uses *u, const Const *c, Text *out)
{
    const Const *items;
    int n;

    if (!const_items(c, &items, &n) || (c->kind == CONST_TUPLE && c->fields))
        return false;
    text_put(out, "(");
    for (int i = 0; i < n; i++) {
        if (!cut_literal(u, &items[i], out))
            return false;
        text_put(out, n == 1 ? "," : i + 1 < n ? ", " : "");
    }
    text_put(out, ")");
    return true;
}

bool cut_literal(const Uses *u, const Const *c, Text *out)
{
    switch (c->kind) {
    case CONST_FLOAT:
        if (!isfinite(c->real)) {
            text_printf(out, "float(\"%s\")",
                        isnan(c->real) ? "nan"
                        : c->real < 0  ? "-inf"
                                       : "inf");
            return true;
        }
        text_put(out, const_text(c, u->arena));
        return true;
    case CONST_NONE:
    case CONST_BOOL:
    case CONST_INT:
    case CONST_STRING:
        text_put(out, const_text(c, u->arena));
        return true;
    case CONST_DTYPE:
        text_printf(out, "tl.%s", dtype_long_name(c->dtype));
        return true;
    case CONST_TUPLE:
    case CONST_LIST:
        return put_tuple(u, c, out);
    default:
        return false;
    }
}

/* --- texts --- */

/* The first byte of the line that `at` is in. */
static uint32_t line_start(const Source *src, uint32_t at)
{
    while (at > src->base && source_at(src, at)[-1] != '\n')
        at--;
    return at;
}

static int indent_of(const Source *src, uint32_t line)
{
    uint32_t at = line - src->base;

    return line_indent(src->text, &at, (uint32_t)src->len);
}

static uint32_t next_line(const Source *src, uint32_t at)
{
    uint32_t end = src->base + (uint32_t)src->len;

    while (at < end && *source_at(src, at) != '\n')
        at++;
    return at < end ? at + 1 : end;
}

/* A class without what decorates it: up to the next line that is indented less. */
static Span class_text(const Source *src, const AstClass *c)
{
    Span out = {line_start(src, c->span.start), 0};
    int indent = indent_of(src, out.start);
    uint32_t end = src->base + (uint32_t)src->len;

    out.end = next_line(src, out.start);
    for (uint32_t at = out.end; at < end; at = next_line(src, at)) {
        bool is_blank = source_at(src, at)[strspn(source_at(src, at), " \t\r")] == '\n';

        if (!is_blank && indent_of(src, at) <= indent)
            break;
        if (!is_blank)
            out.end = next_line(src, at);
    }
    return out;
}

static int by_place(const void *x, const void *y)
{
    const Use *a = x, *b = y;

    return (a->span.start > b->span.start) - (a->span.start < b->span.start);
}

/* The text with other names for what is called otherwise here. */
static const char *renamed(const Uses *u, const Part *part, Span span)
{
    const Source *src = part->file->source;
    Text out = text_new(u->arena);
    uint32_t at = span.start;

    if (part->uses.len > 0)
        qsort(part->uses.at, (size_t)part->uses.len, sizeof(Use), by_place);
    text_put(&out, "");
    for (int i = 0; i < part->uses.len; i++) {
        const Use *use = &part->uses.at[i];

        if (use->span.start < at || use->span.end > span.end)
            continue; /* of a text in quotes, or of a place that was there twice */
        text_putn(&out, source_at(src, at), use->span.start - at);
        text_put(&out, use->means->name);
        at = use->span.end;
    }
    text_putn(&out, source_at(src, at), span.end - at);
    return out.s;
}

/* Its lines, moved to the left, the first of which stands there already; `KEYWORD OLD` in it is
 * called by its new name. */
static void put_block(const char *text, int indent, const char *keyword, Sym old, Sym name,
                      Text *out)
{
    const char *head = arena_printf(out->arena, "%s %s", keyword, old);

    for (bool is_named = false; *text;) {
        size_t blanks = strspn(text, " \t"), n = strcspn(text, "\n");

        blanks = MIN(blanks, (size_t)indent);
        text += blanks;
        n -= MIN(blanks, n);
        if (!is_named && strncmp(text, head, strlen(head)) == 0) {
            text_printf(out, "%s %s", keyword, name);
            text += strlen(head);
            n -= strlen(head);
            is_named = true;
        }
        while (n > 0 && isspace((unsigned char)text[n - 1]) && strspn(text, " \t\r") >= n)
            n--;
        text_putn(out, text, n);
        text_put(out, "\n");
        text += n;
        text += *text == '\r';
        text += *text == '\n';
    }
}

static void put_name_list(const char *key, const AstNames *names, const char **comma, Text *out)
{
    if (names->n == 0)
        return;
    text_printf(out, "%s%s=[", *comma, key);
    for (int i = 0; i < names->n; i++)
        text_printf(out, "%s\"%s\"", i ? ", " : "", names->at[i]);
    text_put(out, "]");
    *comma = ", ";
}

static void put_decorator(const AstFunc *fn, Text *out)
{
    Text options = text_new(out->arena);
    const char *comma = "";

    if (!fn->is_jit && !fn->is_constexpr_function)
        return;
    text_put(&options, "");
    put_name_list("do_not_specialize", &fn->do_not_specialize, &comma, &options);
    put_name_list("do_not_specialize_on_alignment", &fn->do_not_specialize_on_alignment, &comma,
                  &options);
    if (fn->noinline)
        text_printf(&options, "%snoinline=True", comma);
    text_printf(out, "@triton.%s%s%s%s\n", fn->is_jit ? "jit" : "constexpr_function",
                options.len > 0 ? "(" : "", options.s, options.len > 0 ? ")" : "");
}

static void put_global(const Uses *u, const Part *part, Text *out)
{
    const Node *annotation = part->global ? part->global->annotation : NULL;
    const Source *src = part->file->source;
    bool is_constexpr = part->is_constexpr || (part->global && part->global->file->is_given);

    /* what the file calls a constexpr is one here */
    if (annotation)
        is_constexpr |= strstr(arena_strndup(u->arena, source_at(src, annotation->span.start),
                                             annotation->span.end - annotation->span.start),
                               "constexpr") != NULL;
    if (part->global && !part->global->file->is_given && part->global->value)
        is_constexpr |=
            strstr(arena_strndup(u->arena, source_at(src, part->global->value->span.start),
                                 part->global->value->span.end - part->global->value->span.start),
                   "constexpr") != NULL;
    text_printf(out, "%s = ", part->name);
    if (!part->has_value) {
        text_printf(out, "%s\n", renamed(u, part, part->global->value->span));
        return;
    }
    text_put(out, is_constexpr ? "tl.constexpr(" : "");
    cut_literal(u, &part->value, out);
    text_put(out, is_constexpr ? ")\n" : "\n");
}

static void put_import(const Part *part, Text *out)
{
    const char *dot = strrchr(part->full, '.');

    if (strcmp(part->full, part->name) == 0)
        text_printf(out, "import %s\n", part->full);
    else if (!dot || strcmp(part->full, "triton.language") == 0)
        text_printf(out, "import %s as %s\n", part->full, part->name);
    else
        text_printf(out, "from %.*s import %s%s%s\n", (int)(dot - part->full), part->full, dot + 1,
                    strcmp(dot + 1, part->name) == 0 ? "" : " as ",
                    strcmp(dot + 1, part->name) == 0 ? "" : part->name);
}

static void put_part(Uses *u, Part *part, Text *out)
{
    const Source *src = part->file ? part->file->source : NULL;

    if (part->is_written || part->kind == PART_IMPORT)
        return;
    part->is_written = true;
    for (int i = 0; i < part->uses.len; i++)
        put_part(u, part->uses.at[i].means, out);
    bool is_block = part->kind == PART_FUNCTION || part->kind == PART_CLASS;
    bool was_block = u->last == PART_FUNCTION || u->last == PART_CLASS;
    text_put(out, is_block || was_block ? "\n\n" : u->last == PART_IMPORT ? "\n" : "");
    u->last = part->kind;
    switch (part->kind) {
    case PART_FUNCTION:
        put_decorator(part->fn, out);
        put_block(renamed(u, part, part->fn->extent),
                  (int)(part->fn->extent.start - line_start(src, part->fn->extent.start)), "def",
                  part->fn->name, part->name, out);
        break;
    case PART_CLASS: {
        Span span = class_text(src, part->class);
        if (part->class->kind == CLASS_AGGREGATE)
            text_put(out, "@triton.language.core._aggregate\n");
        put_block(renamed(u, part, span), indent_of(src, span.start), "class", part->class->name,
                  part->name, out);
        break;
    }
    case PART_GLOBAL:
    case PART_VALUE:
        put_global(u, part, out);
        break;
    case PART_IMPORT:
        break;
    }
}

void cut_put(Uses *u, Text *out)
{
    for (int i = 0; i < u->parts.len; i++) {
        if (u->parts.at[i]->kind == PART_IMPORT)
            put_import(u->parts.at[i], out);
    }
    u->last = PART_IMPORT;
    for (int i = 0; i < u->parts.len; i++)
        put_part(u, u->parts.at[i], out);
}
