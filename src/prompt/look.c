/*
 * look.c - commands that show: the source, the calls, names and values
 *
 * What a value is, and how it is shown, is src/debug's.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"
#include "tilec_io.h"

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

/* The lines around `asked`, or from there on, first .. last of the source. */
static void list_lines(Prompt *p, const Source *source, int64_t asked, int64_t first, int here)
{
    const int64_t last = first + LINES_ON - 1;
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
        client_stop(p->client, CLIENT_USAGE, "%s has no line %lld", source->shown,
                    (long long)asked);
    p->listed = (int)last + 1;
    say(p, "%s", t.s);
}

void do_list(Prompt *p, const char *text)
{
    need_frame(p);
    Place at = debug_line(&p->place);
    int64_t first = p->listed ? p->listed : at.line - LINES_AROUND, asked = first;

    if (*text) {
        asked = count_of(p, text);
        first = asked - LINES_AROUND;
    }
    if (at.source)
        list_lines(p, at.source, asked, MAX(first, 1), at.line);
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

/* --- print --- */

static void look_up(Prompt *p, const char *text, DebugValue *out)
{
    if (!*text)
        client_stop(p->client, CLIENT_USAGE, "print what? A name, or an expression");
    debug_look_up(p->debugger, &p->place, text, p->client->arena, out);
}

void do_print(Prompt *p, const char *text)
{
    DebugValue v;
    Text t = text_new(p->client->arena);

    look_up(p, text, &v);
    debug_put_value(&t, text, &v);
    answer_value(p, &v);
    say(p, "%s", t.s);
}

/* --- pictures --- */

/* `.. FILE.png`; NULL: it is for the terminal. */
static const char *take_file(Prompt *p, const char **text)
{
    const char *blank = strrchr(*text, ' '), *word = blank ? blank + 1 : "";
    size_t n = strlen(word);

    bool has_ending = n > 4 && word[n - 4] == '.' && isalpha((unsigned char)word[n - 3]);
    if (word[0] == '/' || (has_ending && strcmp(word + n - 4, ".png") != 0))
        client_stop(p->client, CLIENT_USAGE, "`%s`: a picture is written to a .png", word);
    if (n < 5 || strcmp(word + n - 4, ".png") != 0)
        return NULL;
    for (n = (size_t)(blank - *text); n > 0 && strchr(" \t", (*text)[n - 1]);)
        n--;
    *text = arena_strndup(p->client->arena, *text, n);
    p->host->check_output(p->host->ctx, word);
    return word;
}

static void write_image(Prompt *p, const char *path, const Array *image)
{
    char *error = NULL;
    const tilec_tensor t = array_tensor(image);
    tilec_status status = tilec_io_write(path, &t, NULL, &error);

    client_check(p->client, path, status, &error);
    say(p, "%s: %lldx%lld pixels\n", path, (long long)image->shape[1], (long long)image->shape[0]);
}

/* What programs do with an array. */
typedef struct {
    Prompt *prompt;
    const char *path;
    DebugPicture of;
} AccessPicture;

static void draw_access(void *picture, const DebugLaunch *fresh)
{
    const AccessPicture *w = picture;
    Prompt *p = w->prompt;
    const char *ended;
    Text t = text_new(p->client->arena);
    const DebugAccessWish wish = {
        .launch = fresh, .interrupts = p->host->interrupts, .ctx = p->host->ctx};
    const Accessed *x = debug_picture_take(p->debugger, &w->of, wish, &ended);

    if (ended)
        say(p, "up to where it ended: %s", ended);
    if (w->path) {
        const AccessCells c =
            accesses_cells(t.arena, x, DEBUG_PICTURE_PIXELS, DEBUG_PICTURE_PIXELS);
        const Array image = accesses_image(p->launch->store, &c, w->of.by_program);
        const Array large = picture_image(p->launch->store, &image, DEBUG_PICTURE_PIXELS);
        write_image(p, w->path, &large);
        return;
    }
    debug_put_picture(p->debugger, &t, &w->of, x, p->host->terminal);
    draw(p, t.s);
}

void do_picture(Prompt *p, const char *text)
{
    DebugValue v;
    Text t = text_new(p->client->arena);
    const char *path = take_file(p, &text);

    AccessPicture accesses = {.prompt = p, .path = path};
    if (debug_picture_named(p->debugger, text, &accesses.of)) {
        p->host->afresh(p->host->ctx, draw_access, &accesses);
        return;
    }
    look_up(p, text, &v);
    Array a = {0};
    if (!v.text)
        a = debug_tile_array(&v.tiles[0]);
    const char *problem = a.data ? picture_problem(&a) : "it has no elements";
    if (problem)
        client_stop(p->client, CLIENT_USAGE, "`%s` cannot be drawn: %s", text, problem);
    if (path) {
        const Array image = picture_image(p->launch->store, &a, DEBUG_PICTURE_PIXELS);
        write_image(p, path, &image);
        return;
    }
    show_array(&t, shown_name(t.arena, text), &a, SHOW_PICTURE, p->host->terminal);
    draw(p, t.s);
}

/* --- info --- */

static void info_stops(Prompt *p)
{
    Text t = text_new(p->client->arena);
    const DebugBreak *b;
    const DebugWatch *w;

    text_put(&t, "");
    for (int i = 0; (b = debug_break_at(p->debugger, i)) != NULL; i++) {
        text_printf(&t, "%s %d at %s:%d", b->when.log ? "log point" : "breakpoint", b->number,
                    b->source->shown, b->line);
        for (int k = 0; k < 3 && (b->program[0] & b->program[1] & b->program[2]) != -1; k++) {
            text_put(&t, k ? "," : " program ");
            text_printf(&t, b->program[k] < 0 ? "*" : "%d", b->program[k]);
        }
        if (b->when.condition)
            text_printf(&t, " if %s", b->when.condition);
        text_put(&t, b->when.hits.kind == HITS_ALL ? "" : " hits ");
        debug_hits_put(&t, &b->when.hits);
        if (b->when.log)
            text_printf(&t, ": %s", b->when.log);
        text_put(&t, "\n");
    }
    for (int i = 0; (w = debug_watch_at(p->debugger, i)) != NULL; i++)
        text_printf(&t, "watch %d: %s\n", w->number, w->name);
    say(p, "%s", t.len ? t.s : "no breakpoints and no watches\n");
}

/* A name in a line of its own. */
static void put_name(const Prompt *p, Text *t, const DebugValues *names, const DebugValue *v)
{
    const Array *array = debug_array_named(p->debugger, v->name, names);

    if (!array && (v->text || (v->tiles[0].data && v->tiles[0].ndim == 0))) {
        debug_put_value(t, v->name, v);
        return;
    }
    text_printf(t, "%s: %s", v->name, array ? "array, " : "");
    if (array)
        summary_put(t, array);
    else
        debug_put_brief(t, v);
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
