/*
 * answer.c - JSON that is sent, and what must be asked of what was got
 */
#include <stdio.h>
#include <string.h>

#include "inside.h"

/* --- members --- */

/* An absolute path of the file; NULL: it is none. */
static const char *path_of(Arena *a, const Source *source)
{
    if (os_entry(source->path).kind != OS_FILE)
        return NULL;
    if (source->path[0] == '/')
        return source->path;
    return arena_printf(a, "%s/%s", os_current_folder(a), source->path);
}

void dap_put_source(Dap *p, Text *t, const Source *source)
{
    const char *slash = strrchr(source->path, '/'), *path = path_of(p->scratch, source);

    json_object(t, "source");
    json_printable(t, "name", slash ? slash + 1 : source->path);
    if (path)
        json_printable(t, "path", path);
    json_object_end(t);
}

void dap_put_place(Dap *p, Text *t, const Place *at)
{
    if (at->source)
        dap_put_source(p, t, at->source);
    json_int(t, "line", at->source ? at->line - 1 + p->first_line : 0);
    json_int(t, "column", at->source ? at->column - 1 + p->first_column : 0);
}

/* --- messages --- */

static Text message_new(Dap *p, const char *type)
{
    Text t = text_new(p->scratch);

    json_object(&t, NULL);
    json_int(&t, "seq", ++p->seq);
    json_text(&t, "type", type);
    return t;
}

static void message_send(Dap *p, Text *t)
{
    char header[64];

    json_object_end(t);
    int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", t->len);
    p->host->write(p->host->ctx, header, (size_t)n);
    p->host->write(p->host->ctx, t->s, t->len);
}

Text event_new(Dap *p, const char *name)
{
    Text t = message_new(p, "event");

    json_text(&t, "event", name);
    json_object(&t, "body");
    return t;
}

void event_send(Dap *p, Text *t)
{
    json_object_end(t);
    message_send(p, t);
}

void send_output(Dap *p, const char *category, const char *text)
{
    Text t = event_new(p, "output");
    size_t n = strlen(text);

    json_text(&t, "category", category);
    json_printable(&t, "output",
                   n > 0 && text[n - 1] == '\n' ? text : arena_printf(p->scratch, "%s\n", text));
    event_send(p, &t);
}

/* Editors that show why a request failed show `format`, others `message`. */
static void put_error(Text *t, const char *why, bool is_for_user)
{
    json_bool(t, "success", false);
    json_printable(t, "message", why);
    json_object(t, "body");
    json_object(t, "error");
    json_int(t, "id", 1);
    json_printable(t, "format", why);
    json_bool(t, "showUser", is_for_user);
    json_object_end(t);
    json_object_end(t);
}

void send_answer(Dap *p, int64_t seq, const char *command)
{
    Text t = message_new(p, "response");

    json_int(&t, "request_seq", seq);
    json_printable(&t, "command", command);
    if (p->why) {
        put_error(&t, p->why, strcmp(command, "evaluate") != 0);
    } else {
        json_bool(&t, "success", true);
        json_value(&t, "body", arena_printf(p->scratch, "{%s}", p->body.s ? p->body.s : ""));
    }
    message_send(p, &t);
}

/* --- arguments --- */

static const char *const kinds[] = {
    [GOT_NOTHING] = "nothing", [GOT_BOOL] = "true or false", [GOT_NUMBER] = "a number",
    [GOT_TEXT] = "a string",   [GOT_ARRAY] = "an array",     [GOT_OBJECT] = "an object"};

const Got *want_maybe(const Dap *p, const Got *g, const char *name, GotKind kind)
{
    const Got *member = got_member(g, name);

    if (got_kind(member) != GOT_NOTHING && got_kind(member) != kind)
        client_stop(p->client, CLIENT_USAGE, "`%s` is to be %s, and is %s", name, kinds[kind],
                    kinds[got_kind(member)]);
    return member;
}

const Got *want(const Dap *p, const Got *g, const char *name, GotKind kind)
{
    const Got *member = want_maybe(p, g, name, kind);

    if (!member)
        client_stop(p->client, CLIENT_USAGE, "`%s` is missing", name);
    return member;
}

const char *want_text(const Dap *p, const Got *g, const char *name)
{
    return got_text(want(p, g, name, GOT_TEXT));
}

int64_t want_whole(const Dap *p, const Got *g, const char *name)
{
    int64_t n = 0;

    if (!got_whole(want(p, g, name, GOT_NUMBER), &n))
        client_stop(p->client, CLIENT_USAGE, "`%s` is to be a whole number", name);
    return n;
}

int64_t want_whole_or(const Dap *p, const Got *g, const char *name, int64_t otherwise)
{
    return got_kind(got_member(g, name)) == GOT_NOTHING ? otherwise : want_whole(p, g, name);
}

int64_t line_from(const Dap *p, int64_t line)
{
    return line + 1 - p->first_line;
}
