/*
 * writing.c - may the command write there?  Asked of every file that it is told to write, before
 * long work
 *
 * What was read is not replaced (base/os_reads.c), which writing asks once more, since modules are
 * read late.  What a call in a comment names is not what a user has typed: it makes new files, and
 * replaces only those below the folder of the kernel that are not hidden.
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

/* Does it lie below the folder, behind all links, in nothing that is hidden? */
static bool is_below(const char *path, const char *folder)
{
    char file[PATH_MAX], top[PATH_MAX];

    if (!realpath(path, file) || !realpath(folder, top))
        return false;
    size_t n = strlen(top) - (strcmp(top, "/") == 0);
    return strncmp(file, top, n) == 0 && file[n] == '/' && !strstr(file + n, "/.");
}

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

void writing_check_origin(Client *c, const char *option, const char *path, const Origin *origin)
{
    const Origin *comment = comment_around(origin);

    if (!comment || !is_there(path) || is_below(path, comment->folder))
        return;
    c->origin = origin;
    client_stop(
        c, CLIENT_USAGE,
        "%s: %s is there, and a call in a comment replaces only files below the folder of its "
        "kernel, none that is hidden\n"
        "hint: %s on the command line replaces it",
        option, shown_name(c->arena, path), option);
}

void writing_check(Client *c, const char *path)
{
    int error = os_check_output(path, false);

    if (error)
        client_stop_at_output(c, path, error);
}
