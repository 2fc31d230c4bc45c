/*
 * writing.c - may the command write there?  Asked of every file that it is told to write, before
 * long work
 *
 * What was read is not replaced (base/os_reads.c), which writing asks once more, since modules are
 * read late.  What a call in a comment names is not what a user has typed: it makes new files, and
 * replaces only those below the folder of the kernel; neither where a name that begins with a dot
 * hides them, since programs look there by themselves.
 */
#include "batch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The line of a comment that has named the call which this one is in; NULL: the user has typed it.
 */
static const Origin *comment_around(const Origin *o)
{
    while (o && !o->call)
        o = o->outer;
    return o;
}

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* Where it lies or would lie, behind all links; false: in no folder that there is, or it is a link
 * to nowhere. */
static bool place_of_file(Arena *a, const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    if (realpath(path, out))
        return true;
    if (is_there(path) ||
        !realpath(slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".", folder))
        return false;
    int n = snprintf(out, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                     slash ? slash + 1 : path);
    return n < PATH_MAX;
}

/* How many bytes of both are the same folders, to the slash in front of what differs. */
static size_t same_folders(const char *file, const char *top)
{
    size_t same = 0;

    for (size_t i = 0; file[i]; i++) {
        if (file[i] == '/' && (top[i] == '/' || top[i] == '\0'))
            same = i;
        if (file[i] != top[i])
            break;
    }
    return same;
}

typedef enum { BELOW, ELSEWHERE, HIDDEN } Where;

/* From the folder of the kernel, which may be hidden itself. */
static Where where_is(Arena *a, const char *path, const char *folder)
{
    char file[PATH_MAX], top[PATH_MAX];

    if (!place_of_file(a, path, file) || !realpath(folder, top))
        return ELSEWHERE;
    bool is_root = strcmp(top, "/") == 0;
    size_t n = is_root ? 0 : same_folders(file, top);
    if (strstr(file + n, "/."))
        return HIDDEN;
    return is_root || top[n] == '\0' ? BELOW : ELSEWHERE;
}

void writing_check_origin(Client *c, const char *option, const char *path, const Origin *origin)
{
    const Origin *comment = comment_around(origin);

    if (!comment)
        return;
    Where where = where_is(c->arena, path, comment->folder);
    if (where == BELOW || (where == ELSEWHERE && !is_there(path)))
        return;
    c->origin = origin;
    if (where == HIDDEN)
        client_stop(c, CLIENT_USAGE,
                    "%s: %s is hidden by a dot, and a call in a comment writes nothing there\n"
                    "hint: %s on the command line does",
                    option, shown_name(c->arena, path), option);
    client_stop(
        c, CLIENT_USAGE,
        "%s: %s is there, and a call in a comment replaces only files below the folder of its "
        "kernel\n"
        "hint: %s on the command line replaces it",
        option, shown_name(c->arena, path), option);
}

void writing_check(Client *c, const char *path)
{
    int error = os_check_output(path, false);

    if (error)
        client_stop_at_output(c, path, error);
}
