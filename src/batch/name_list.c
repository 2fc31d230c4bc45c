/*
 * name_list.c - `--each @list.txt`, `--each @-`: the files that a list names, in its order
 *
 * One name a line and no comments, or, where there is a NUL in it, as `find -print0` writes them.
 * Names are seen from the folder where the command runs.
 */
#include "batch.h"

#include <string.h>

enum { LARGEST_LIST = 256 << 20 };

static void add_name(Client *c, EachPaths *names, const char *list, const char *from, size_t n)
{
    const char *name = arena_strndup(c->arena, from, n);

    if (n == 0)
        return;
    if (os_entry(name).kind == OS_FOLDER)
        client_stop(c, CLIENT_FILES, "--each @%s: '%s' is a folder, and a list names files", list,
                    shown_name(c->arena, name));
    if (name[0] == '#' && os_entry(name).kind == OS_NOTHING)
        client_stop(c, CLIENT_FILES,
                    "--each @%s: there is no file '%s'; each line is a name, and none a comment: "
                    "grep -v '^#' leaves such lines out",
                    list, shown_name(c->arena, name));
    vec_push(c->arena, names, name);
}

EachPaths each_listed(Store *store, const char *list)
{
    Client *c = store->client;
    bool is_stdin = strcmp(list, "-") == 0;
    EachPaths names = {0};
    char *text;
    size_t len;

    if (is_stdin)
        file_claim_stdin(store, "--each @-");
    int error = os_read_file(c->arena, is_stdin ? "/dev/stdin" : list, LARGEST_LIST, &text, &len);
    if (error)
        client_stop_at_file(c, is_stdin ? "stdin" : list, strerror(error));
    char end = memchr(text, '\0', len) ? '\0' : '\n';
    for (const char *at = text, *last = text + len; at < last;) {
        const char *behind = memchr(at, end, (size_t)(last - at));
        size_t n = (size_t)((behind ? behind : last) - at);

        add_name(c, &names, list, at, n - (end == '\n' && n > 0 && at[n - 1] == '\r'));
        at += n + 1;
    }
    if (names.len == 0)
        client_stop(c, CLIENT_FILES, "--each @%s: there is no name in it", list);
    return names;
}
