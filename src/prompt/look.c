/*
 * look.c - commands that show: the source, the calls, names and values
 *
 * A value is shown by one of two languages.  What begins with the name of an array is one of
 * arrays (src/arrays/value.h), as for --show; all else is the kernel's, on what its names mean.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"

/* --- the source --- */

enum { LINES_AROUND = 5, LINES_ON = 11 };

static void put_line(Text *t, int line, const char *mark, const char *text, int length)
{
    text_printf(t, "%5d %s %.*s\n", line, mark, length, text);
}

void look_at_place(Prompt *p)
{
    Place at = debug_line(&p->place);
    Text t = text_new(p->client->arena);
    const int32_t *program = p->stop->program;

    if (p->level > 0)
        text_printf(&t, "#%d  ", p->level);
    text_printf(&t, "program (%d, %d, %d), %s at %s:%d\n", program[0], program[1], program[2],
                debug_function(&p->place, t.arena), at.source ? at.source->shown : "?", at.line);
    if (at.source)
        put_line(&t, at.line, " ", at.text, at.length);
    say(p, "%s", t.s);
}

static const char *mark_of(const Prompt *p, const Source *source, int line, int here)
{
    const DebugBreak *b;

    if (line == here)
        return ">";
    for (int i = 0; (b = debug_break_at(p->debugger, i)) != NULL; i++) {
        if (b->source == source && b->line == line)
            return "*";
    }
    return " ";
}

/* The lines first .. last of the source. */
static void list_lines(Prompt *p, const Source *source, int first, int last, int here)
{
    Text t = text_new(p->client->arena);
    const char *s = source->text, *end = s + source->len;

    text_put(&t, "");
    for (int line = source->line; s < end && line <= last; line++) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        int length = (int)((newline ? newline : end) - s);

        if (line >= first)
            put_line(&t, line, mark_of(p, source, line, here), s, length);
        s += length + 1;
    }
    if (t.len == 0)
        client_stop(p->client, CLIENT_USAGE, "%s has no line %d", source->shown, first);
    p->listed = last + 1;
    say(p, "%s", t.s);
}

void do_list(Prompt *p, const char *text)
{
    need_frame(p);
    Place at = debug_line(&p->place);
    int first = p->listed ? p->listed : at.line - LINES_AROUND;

    if (*text)
        first = (int)count_of(p, text) - LINES_AROUND;
    if (at.source)
        list_lines(p, at.source, MAX(first, 1), MAX(first, 1) + LINES_ON - 1, at.line);
}

/* --- calls --- */

void do_where(Prompt *p, const char *text)
{
    Text t = text_new(p->client->arena);
    InterpPlace at = p->stop->place;
    int level = 0;

    (void)text;
    need_frame(p);
    do {
        Place line = debug_line(&at);
        text_printf(&t, "%s #%d  %s at %s:%d\n", level == p->level ? ">" : " ", level,
                    debug_function(&at, t.arena), line.source ? line.source->shown : "?",
                    line.line);
        level++;
    } while (interp_caller(&at));
    say(p, "%s", t.s);
}

static void go_to_level(Prompt *p, int64_t level)
{
    InterpPlace at = p->stop->place;
    int64_t i = 0;

    need_frame(p);
    if (level < 0)
        client_stop(p->client, CLIENT_USAGE, "this is the innermost call");
    while (i < level && interp_caller(&at))
        i++;
    if (i < level)
        client_stop(p->client, CLIENT_USAGE, "this is the kernel, which nobody calls");
    p->place = at;
    p->level = (int)level;
    p->listed = 0;
    look_at_place(p);
}

void do_up(Prompt *p, const char *text)
{
    go_to_level(p, p->level + count_of(p, text));
}

void do_down(Prompt *p, const char *text)
{
    go_to_level(p, p->level - count_of(p, text));
}

/* --- values --- */

static int64_t numel_of(const DebugTile *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

static Array array_of(const DebugTile *t)
{
    Array a = {.data = (void *)(uintptr_t)t->data, .dtype = (tilec_dtype)t->dtype, .ndim = t->ndim};
    int64_t stride = 1;

    for (int i = t->ndim - 1; i >= 0; i--) {
        a.shape[i] = t->shape[i];
        a.strides[i] = stride;
        stride *= t->shape[i];
    }
    return a;
}

static int64_t tensor_numel(const tilec_tensor *a)
{
    int64_t n = 1;

    for (int i = 0; i < a->ndim; i++)
        n *= a->shape[i];
    return n;
}

/* Where an offset of so many elements leads in the array: "[3,7]", "+1027" where it is in none of
 * its rows. */
static const char *pointed_text(Arena *arena, const DebugTile *t, int64_t offset)
{
    const tilec_tensor *a = t->tensor;
    int64_t rest = offset, stride = a ? tensor_numel(a) : 0;
    bool is_inside = stride > 0 && offset >= 0;
    Text out = text_new(arena);

    for (int i = 0; is_inside && i < a->ndim; i++) {
        stride /= a->shape[i];
        int64_t step = a->strides ? a->strides[i] : stride;
        int64_t index = step > 0 ? rest / step : 0;
        is_inside = index < a->shape[i];
        rest -= index * step;
        text_printf(&out, "%s%lld", i ? "," : "[", (long long)index);
    }
    if (!is_inside || rest != 0 || a->ndim == 0)
        return arena_printf(arena, "%+lld", (long long)offset);
    text_put(&out, "]");
    return out.s;
}

static const char *element_text(Arena *arena, const DebugTile *t, int64_t k)
{
    uint64_t bits = element_get_bits(t->data, k, (size_t)dtype_size(t->dtype));
    tilec_dtype dtype = (tilec_dtype)t->dtype;
    char word[ELEMENT_TEXT];

    if (t->array)
        return pointed_text(arena, t, (int64_t)bits);
    element_format(word, dtype, bits, element_wants_exponent(dtype, bits));
    return arena_printf(arena, "%s", word);
}

/* As Cells have it: what was not loaded is in parentheses. */
static const char *cell_of(void *tile, Arena *arena, int64_t k)
{
    const DebugTile *t = tile;
    const char *text = element_text(arena, t, k);

    return t->mask && !t->mask[k] ? arena_printf(arena, "(%s)", text) : text;
}

static int64_t count_masked(const DebugTile *t)
{
    int64_t n = 0;

    for (int64_t i = 0; t->mask && i < numel_of(t); i++)
        n += !t->mask[i];
    return n;
}

/* What it is, in one line without a newline. */
static void put_summary(Text *t, const DebugTile *tile)
{
    Array a = array_of(tile);
    int64_t masked = count_masked(tile);

    if (!tile->data) {
        text_put(t, "has no value here yet");
        return;
    }
    if (tile->array) {
        text_printf(t, "pointers into %s, ", tile->array);
        summary_put_shape(t, &a);
    } else {
        summary_put(t, &a);
    }
    if (masked > 0)
        text_printf(t, "  not loaded %lld", (long long)masked);
}

static void put_tile(Text *t, const char *name, const DebugTile *tile)
{
    Cells cells = {(void *)tile, cell_of, tile->ndim, tile->shape};

    if (tile->data && tile->ndim == 0) {
        text_printf(t, "%s = %s%s", name, tile->array ? tile->array : "",
                    element_text(t->arena, tile, 0));
        text_printf(t, tile->array ? "\n" : "  (%s)\n", dtype_name(tile->dtype));
        return;
    }
    text_printf(t, "%s: ", name);
    put_summary(t, tile);
    text_put(t, "\n");
    if (tile->data)
        show_cells(t, &cells);
}

/* A text with its tiles: each scalar in its place, of tiles what they are. */
static void put_text(Text *t, const DebugValue *v)
{
    int tile = 0;

    for (const char *s = v->text; *s; s++) {
        if (*s != '%') {
            text_putn(t, s, 1);
        } else if (*++s == 'v') {
            const DebugTile *its = &v->tiles[tile++];
            if (its->data && its->ndim == 0)
                text_put(t, element_text(t->arena, its, 0));
            else
                put_summary(t, its);
        } else {
            text_putn(t, s, 1);
        }
    }
}

static void put_value(Text *t, const char *name, const DebugValue *v)
{
    if (!v->text) {
        put_tile(t, name, &v->tiles[0]);
        return;
    }
    text_printf(t, "%s = ", name);
    put_text(t, v);
    text_put(t, "\n");
}

/* --- print --- */

static size_t name_length_of(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_' || (unsigned char)text[n] >= 0x80)
        n++;
    return n;
}

/* The array of the launch that the text is about: its name, or that and an index or a method. NULL:
 * it is about none, or the name means something else at this place. */
static const Array *array_named(const Prompt *p, const char *text, const DebugValues *names)
{
    size_t n = name_length_of(text);
    const Array *array = NULL;

    if (n == 0 || (text[n] && text[n] != '[' && text[n] != '.'))
        return NULL;
    for (int i = 0; i < p->names->len; i++) {
        const Named *named = &p->names->at[i];
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

/* Of the language of arrays, as a tile. */
static bool array_value_of(Prompt *p, const char *text, DebugValue *out)
{
    Arena *a = p->client->arena;
    Const v = value_parse(p->store, p->names, "print", text);
    const Array *array = value_array(&v);

    *out = (DebugValue){.name = text, .tiles = NEW(a, DebugTile), .n = 1};
    if (!array) {
        out->text = const_text(&v, a);
        return true;
    }
    DebugTile *t = &out->tiles[0];
    void *data = arena_alloc(a, array_bytes(array) + 1);
    array_copy_dense(array, data);
    *t = (DebugTile){.dtype = (DType)array->dtype, .ndim = array->ndim, .data = data};
    memcpy(t->shape, array->shape, sizeof t->shape[0] * (size_t)array->ndim);
    return true;
}

static const DebugValue *find_name(const DebugValues *names, const char *text)
{
    for (int i = 0; i < names->len; i++) {
        if (strcmp(names->at[i].name, text) == 0)
            return &names->at[i];
    }
    return NULL;
}

/* Stops the client where it has no value. */
static void evaluate(Prompt *p, const char *text, DebugValue *out)
{
    Arena *a = p->client->arena;
    DebugValues names = {0};
    const char *why = NULL;

    if (!*text)
        client_stop(p->client, CLIENT_USAGE, "print what? A name, or an expression");
    if (p->place.frame)
        names = debug_names(p->debugger, &p->place, a);
    if (array_named(p, text, &names) && array_value_of(p, text, out))
        return;
    need_frame(p);
    const DebugValue *known = find_name(&names, text);
    if (known)
        *out = *known;
    else if (!debug_evaluate(p->debugger, &p->place, text, a, out, &why))
        client_stop(p->client, CLIENT_REFUSED, "%s", why);
}

void do_print(Prompt *p, const char *text)
{
    DebugValue v;
    Text t = text_new(p->client->arena);

    evaluate(p, text, &v);
    put_value(&t, text, &v);
    say(p, "%s", t.s);
}

void do_picture(Prompt *p, const char *text)
{
    DebugValue v;
    Text t = text_new(p->client->arena);

    evaluate(p, text, &v);
    Array a = {0};
    if (!v.text)
        a = array_of(&v.tiles[0]);
    const char *problem = a.data ? picture_problem(&a) : "it has no elements";
    if (problem)
        client_stop(p->client, CLIENT_USAGE, "`%s` cannot be drawn: %s", text, problem);
    show_array(&t, text, &a, SHOW_PICTURE, p->host->terminal);
    say(p, "%s", t.s);
}

/* --- info --- */

static void info_stops(Prompt *p)
{
    Text t = text_new(p->client->arena);
    const DebugBreak *b;
    const DebugWatch *w;

    text_put(&t, "");
    for (int i = 0; (b = debug_break_at(p->debugger, i)) != NULL; i++) {
        text_printf(&t, "breakpoint %d at %s:%d", b->number, b->source->shown, b->line);
        for (int k = 0; k < 3 && (b->program[0] & b->program[1] & b->program[2]) != -1; k++) {
            text_put(&t, k ? "," : " program ");
            text_printf(&t, b->program[k] < 0 ? "*" : "%d", b->program[k]);
        }
        text_printf(&t, b->condition ? " if %s\n" : "\n", b->condition);
    }
    for (int i = 0; (w = debug_watch_at(p->debugger, i)) != NULL; i++)
        text_printf(&t, "watch %d: %s\n", w->number, w->name);
    say(p, "%s", t.len ? t.s : "no breakpoints and no watches\n");
}

/* A name in a line of its own. */
static void put_name(const Prompt *p, Text *t, const DebugValues *names, const DebugValue *v)
{
    const Array *array = array_named(p, v->name, names);

    if (!array && (v->text || (v->tiles[0].data && v->tiles[0].ndim == 0))) {
        put_value(t, v->name, v);
        return;
    }
    text_printf(t, "%s: %s", v->name, array ? "array, " : "");
    if (array)
        summary_put(t, array);
    else
        put_summary(t, &v->tiles[0]);
    text_put(t, "\n");
}

void do_info(Prompt *p, const char *text)
{
    Text t = text_new(p->client->arena);

    if (strcmp(text, "stops") == 0) {
        info_stops(p);
        return;
    }
    if (*text)
        client_stop(p->client, CLIENT_USAGE, "`info` shows names, `info stops` breakpoints");
    need_frame(p);
    DebugValues names = debug_names(p->debugger, &p->place, p->client->arena);
    text_put(&t, "");
    for (int i = 0; i < names.len; i++)
        put_name(p, &t, &names, &names.at[i]);
    say(p, "%s", t.s);
}
