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
    const char *path;
    Functions functions;
    NamedCalls calls;
    int line;     /* of the comment; known while one goes on with a call, and of calls */
    uint32_t end; /* of a comment that belongs to the last call; 0: of none */
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

/* Which kernel the comment is for. */
static const char *kernel_for(const Functions *all, uint32_t at, int indent)
{
    const FileFunction *above = NULL, *below = NULL;

    for (int i = 0; i < all->all.len; i++) {
        const FileFunction *f = &all->all.at[i];

        if (!f->is_jit)
            continue;
        if (f->start < at && (!above || f->start > above->start))
            above = f;
        if (f->start > at && (!below || f->start < below->start))
            below = f;
    }
    if (above && (indent > above->indent || !below))
        below = above;
    return below ? below->syntax.name : NULL;
}

/* [KERNEL:]NAME; both may have dots and dashes in them, as `Class.kernel` and `fp16-large`. */
static void begin_call(Scan *s, const char *name, const Line *comment)
{
    const char *colon = strrchr(name, ':');
    NamedCall call = {.path = s->path, .name = colon ? colon + 1 : name, .line = s->line};

    if (!*call.name || *call.name == '-' || *call.name == '@' || strchr(call.name, '=')) {
        refuse(s, &call, "the call has no name");
        call.name = "-";
    }
    call.kernel = colon ? arena_strndup(s->c->arena, name, (size_t)(colon - name))
                        : kernel_for(&s->functions, s->functions.source->base + comment->start,
                                     comment->indent);
    vec_push(s->c->arena, &s->calls, call);
}

/* Does the comment stand right below the last one that belonged to a call? */
static bool is_below(const Scan *s, const Line *comment)
{
    const char *text = s->functions.source->text;
    uint32_t at = s->end;

    if (at == 0)
        return false;
    at += text[at] == '\r' && text[at + 1] == '\n' ? 2 : 1;
    line_indent(text, &at, comment->start);
    return at == comment->start;
}

static void read_comment(Scan *s, const Line *comment)
{
    static const char mark[] = "tilec:";
    const Source *source = s->functions.source;
    const char *text = arena_strndup(s->c->arena, source->text + comment->start + 1,
                                     comment->end - comment->start - 1);
    const char *at = text + strspn(text, " \t");
    bool begins = strncmp(at, mark, strlen(mark)) == 0;

    if (!begins && !(is_below(s, comment) && at - text > 1)) {
        s->end = 0;
        return;
    }
    s->line++;
    s->end = comment->end;
    if (begins) {
        s->line = source_place(s->functions.map, source->base + comment->start).line;
        at += strlen(mark);
        at += strspn(at, " \t");
        bool is_call = strcmp(take_word(s->c, &at), "call") == 0;
        begin_call(s, is_call ? take_word(s->c, &at) : "", comment);
        if (!is_call)
            refuse(s, &s->calls.at[s->calls.len - 1], "behind `# tilec:` comes `call`");
    }
    items_of_line(s->c, at, s->line, &s->calls.at[s->calls.len - 1].items);
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

const NamedCalls *calls_of_file(Client *c, const char *path)
{
    Scan s = {.c = c, .path = path, .functions = functions_named(c, path)};
    const Source *source = s.functions.source;
    Line comment = {0};

    while (comment_next(source->text, comment.end, (uint32_t)source->len, &comment))
        read_comment(&s, &comment);
    NamedCalls *all = NEW(c->arena, NamedCalls);
    *all = s.calls;
    for (int i = 0; i < s.calls.len; i++) {
        refuse_second(&s, i);
        s.calls.at[i].among = all;
    }
    return all;
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
    int known = 0;

    for (int i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].name, "-") != 0)
            names[known++] = all->at[i].name;
        else if (all->at[i].problem)
            wrong = all->at[i].problem; /* perhaps it was meant to be it */
    }
    if (all->len == 0)
        client_stop(
            c, CLIENT_USAGE,
            "%s names no calls: write `# tilec: call %s --grid E NAME=VALUE...` above a kernel",
            shown_name(c->arena, path), name);
    client_stop(c, CLIENT_USAGE, "%s has no call '%s'%s%s%s", shown_name(c->arena, path), name,
                hint_text(c->arena, name, names, known), wrong ? "\n" : "", wrong ? wrong : "");
}

const NamedCall *calls_find(Client *c, const NamedCalls *all, const char *path, const char *kernel,
                            const char *name)
{
    const NamedCall *found = NULL;
    int n = 0;

    for (int i = 0; i < all->len; i++) {
        const NamedCall *call = &all->at[i];

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
        refuse_several(c, all, name);
    if (n == 0)
        refuse_unknown(c, path, all, name);
    return found;
}

void calls_check(Client *c, const NamedCall *call)
{
    if (!call->problem)
        return;
    c->origin = NULL; /* the text has a place */
    client_stop(c, CLIENT_USAGE, "%s", call->problem);
}
