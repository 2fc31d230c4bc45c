/*
 * calls.c - the calls of kernels that a Python file names in comments
 *
 *     # tilec: call [KERNEL:]NAME ITEM...
 *     #     ITEM...
 *
 * Items are those of items.c; a comment line right below, indented by more than one space, goes on
 * with them.  Without KERNEL it is the kernel that the comment stands in, else the next one below,
 * else the last one above.  Kernels may have calls of one name.  A comment that is wrong costs only
 * the call that it names.
 */
#include "options.h"
#include "../guess/guess.h"
#include "../syntax/lex.h"

#include <string.h>

typedef struct {
    Client *c;
    const char *path, *text;
    const char *kernel; /* the last one above */
    int kernel_indent;
    bool is_jit; /* a decorator of the next function says so */
    int line, line_indent;
    NamedCalls calls;
    bool open; /* the line above belongs to the last call */
} Scan;

/* The word that `*s` begins with goes into the arena; `*s` moves behind it and the blanks there. */
static const char *take_word(Client *c, const char **s)
{
    size_t n = strcspn(*s, " \t\r\n");
    const char *word = arena_strndup(c->arena, *s, n);

    *s += n;
    *s += strspn(*s, " \t\r");
    return word;
}

static void refuse(const Scan *s, NamedCall *call, const char *text)
{
    call->problem = arena_printf(
        s->c->arena, "%s:%d: %s\n    write: # tilec: call [KERNEL:]NAME --grid E NAME=VALUE...",
        shown_name(s->c->arena, s->path), call->line, text);
}

/* [KERNEL:]NAME; both may have dots and dashes in them, as `Class.kernel` and `fp16-large`. */
static void begin_call(Scan *s, const char *name)
{
    const char *colon = strrchr(name, ':');
    NamedCall call = {.path = s->path, .name = colon ? colon + 1 : name, .line = s->line};

    if (!*call.name || *call.name == '-' || *call.name == '@' || strchr(call.name, '=')) {
        refuse(s, &call, "the call has no name");
        call.name = "-";
    }
    if (colon)
        call.kernel = arena_strndup(s->c->arena, name, (size_t)(colon - name));
    else if (s->kernel && s->line_indent > s->kernel_indent)
        call.kernel = s->kernel;
    vec_push(s->c->arena, &s->calls, call);
}

/* A comment that is alone in its line; `text` is what stands behind the `#`. */
static void read_comment(Scan *s, const char *text)
{
    static const char mark[] = "tilec:";
    const char *at = text + strspn(text, " \t");
    bool goes_on = s->open && at - text > 1 && strncmp(at, mark, strlen(mark)) != 0;

    s->open = goes_on;
    if (!goes_on) {
        if (strncmp(at, mark, strlen(mark)) != 0)
            return;
        at += strlen(mark);
        at += strspn(at, " \t");
        bool is_call = strcmp(take_word(s->c, &at), "call") == 0;
        begin_call(s, is_call ? take_word(s->c, &at) : "");
        if (!is_call)
            refuse(s, &s->calls.at[s->calls.len - 1], "behind `# tilec:` comes `call`");
        s->open = true;
    }
    items_of_line(s->c, at, s->line, &s->calls.at[s->calls.len - 1].items);
}

/* `def NAME` and decorators: what the calls above and inside of it are of. */
static void read_statement(Scan *s, const char *line)
{
    const char *at = line;

    if (*line == '@') {
        s->is_jit |= strstr(arena_strndup(s->c->arena, line, strcspn(line, "\n")), "jit") != NULL;
        return;
    }
    if (strncmp(line, "def ", 4) != 0)
        return;
    take_word(s->c, &at);
    if (s->is_jit) {
        s->kernel = arena_strndup(s->c->arena, at, name_length(at));
        s->kernel_indent = s->line_indent;
        for (int i = 0; i < s->calls.len; i++) {
            if (!s->calls.at[i].kernel)
                s->calls.at[i].kernel = s->kernel;
        }
    }
    s->is_jit = false;
}

/* Gives the place behind the line, or behind the texts in quotes that begin in it. */
static uint32_t skip_line(const Scan *s, uint32_t at, uint32_t end)
{
    bool closed;

    while (at < end && s->text[at] != '\n' && s->text[at] != '#') {
        bool quote = s->text[at] == '"' || s->text[at] == '\'';

        at = quote ? string_end(s->text, at, end, false, &closed) : at + 1;
    }
    while (at < end && s->text[at] != '\n')
        at++;
    return at;
}

static int lines_between(const char *text, uint32_t from, uint32_t to)
{
    int n = 0;

    for (uint32_t i = from; i < to; i++)
        n += text[i] == '\n';
    return n;
}

/* Is there one of that name in front of call `i` of a kernel? */
static void refuse_second(const Scan *s, int i)
{
    NamedCall *call = &s->calls.at[i];

    for (int k = 0; k < i && !call->problem; k++) {
        const NamedCall *other = &s->calls.at[k];
        bool is_same_kernel = call->kernel && other->kernel
                                  ? strcmp(call->kernel, other->kernel) == 0
                                  : call->kernel == other->kernel;

        if (is_same_kernel && strcmp(call->name, other->name) == 0)
            refuse(s, call,
                   arena_printf(s->c->arena, "there is a call '%s' in line %d already", call->name,
                                other->line));
    }
}

NamedCalls calls_of_file(Client *c, const char *path)
{
    size_t n;
    const char *text = functions_read_source(c, path, &n);
    Scan s = {.c = c, .path = path, .text = text, .line = 1};

    for (uint32_t at = 0, next; at < n; at = next + 1) {
        uint32_t first = at;

        s.line_indent = line_indent(text, &first, (uint32_t)n);
        next = skip_line(&s, first, (uint32_t)n);
        if (text[first] == '#') {
            read_comment(&s, arena_strndup(c->arena, text + first + 1, next - first - 1));
        } else {
            s.open = false;
            read_statement(&s, text + first);
        }
        s.line += 1 + lines_between(text, at, next);
    }
    for (int i = 0; i < s.calls.len; i++) {
        if (!s.calls.at[i].kernel)
            s.calls.at[i].kernel = s.kernel;
        refuse_second(&s, i);
    }
    return s.calls;
}

/* --- finding --- */

bool calls_is_named(const NamedCall *call, const char *name)
{
    const char *colon = strrchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : 0;

    if (strcmp(call->name, colon ? colon + 1 : name) != 0)
        return false;
    return !colon ||
           (call->kernel && strlen(call->kernel) == n && memcmp(call->kernel, name, n) == 0);
}

/* Of several kernels', where nothing says which: how to say it. */
NORETURN static void refuse_several(Client *c, const NamedCalls *all, const char *name)
{
    Text kernels = text_new(c->arena);
    int n = 0;

    for (int i = 0; i < all->len; i++) {
        const NamedCall *call = &all->at[i];

        if (calls_is_named(call, name))
            text_printf(&kernels, "%s--call %s:%s", n++ ? " or " : "",
                        call->kernel ? call->kernel : "", call->name);
    }
    client_stop(c, CLIENT_USAGE, "several kernels of %s have a call '%s': write %s",
                shown_name(c->arena, all->at[0].path), name, kernels.s);
}

NORETURN static void refuse_unknown(Client *c, const char *path, const NamedCalls *all,
                                    const char *name)
{
    const char **names = NEW_N(c->arena, const char *, all->len + 1), *wrong = NULL;

    for (int i = 0; i < all->len; i++) {
        names[i] = all->at[i].name;
        if (strcmp(names[i], "-") == 0 && all->at[i].problem)
            wrong = all->at[i].problem; /* perhaps it was meant to be it */
    }
    if (all->len == 0)
        client_stop(
            c, CLIENT_USAGE,
            "%s names no calls: write `# tilec: call %s --grid E NAME=VALUE...` above a kernel",
            shown_name(c->arena, path), name);
    client_stop(c, CLIENT_USAGE, "%s has no call '%s'%s%s%s", shown_name(c->arena, path), name,
                hint_text(c->arena, name, names, all->len), wrong ? "\n" : "", wrong ? wrong : "");
}

const NamedCall *calls_find(Client *c, const char *path, const char *kernel, const char *name)
{
    NamedCalls all = calls_of_file(c, path);
    const NamedCall *found = NULL;
    int n = 0;

    for (int i = 0; i < all.len; i++) {
        const NamedCall *call = &all.at[i];

        if (!calls_is_named(call, name))
            continue;
        calls_check(c, call);
        found = call;
        n++;
        if (kernel && call->kernel && strcmp(kernel, call->kernel) == 0) {
            n = 1;
            break;
        }
    }
    if (n > 1)
        refuse_several(c, &all, name);
    if (n == 0)
        refuse_unknown(c, path, &all, name);
    return found;
}

void calls_check(Client *c, const NamedCall *call)
{
    if (!call->problem)
        return;
    c->origin = NULL; /* the text has a place */
    client_stop(c, CLIENT_USAGE, "%s", call->problem);
}
