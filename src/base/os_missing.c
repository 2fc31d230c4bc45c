/*
 * os_missing.c - what keeps a path from being found: a folder that is not there, a name that is
 * nearly the one of an entry
 */
#include <dirent.h>
#include <string.h>
#include <strings.h>

#include "base.h"

enum { MOST_ENTRIES = 4096 }; /* of a folder, that are looked at */

/* The entry of a folder that was meant: of the same letters, or nearly; NULL: there is none. */
static const char *near_entry(Arena *a, const char *folder, const char *name)
{
    VEC(const char *) names = {0};
    const char *same = NULL;
    DIR *dir = opendir(folder);
    const struct dirent *e;

    while (dir && (e = readdir(dir)) != NULL && names.len < MOST_ENTRIES) {
        if (e->d_name[0] == '.' && name[0] != '.')
            continue;
        vec_push(a, &names, arena_printf(a, "%s", e->d_name));
        if (strcasecmp(e->d_name, name) == 0)
            same = names.at[names.len - 1];
    }
    if (dir)
        closedir(dir);
    return same ? same : near_name(name, names.at, names.len);
}

/* The beginning of the path up to the first part that is not there; NULL: all are. */
static char *first_missing(Arena *a, const char *path)
{
    size_t n = strlen(path);

    for (size_t i = 1; i <= n; i++) {
        if (i < n && path[i] != '/')
            continue;
        char *part = arena_strndup(a, path, i);
        if (os_entry(part).kind == OS_NOTHING)
            return part;
    }
    return NULL;
}

const char *os_missing(Arena *a, const char *path)
{
    char *part = first_missing(a, path), *slash = part ? strrchr(part, '/') : NULL;

    if (!part)
        return "";
    if (strncmp(path, "https://", 8) == 0 || strncmp(path, "http://", 7) == 0)
        return "; files are read from here, not from the web: download it first";
    bool is_folder = strlen(part) < strlen(path);
    const char *name = slash ? slash + 1 : part;
    const char *before = slash ? arena_strndup(a, part, (size_t)(slash + 1 - part)) : "";
    const char *near = near_entry(a, *before ? before : ".", name);
    const char *meant = near ? arena_printf(a, "; did you mean '%s'?",
                                            shown_name(a, arena_printf(a, "%s%s", before, near)))
                             : "";

    return is_folder ? arena_printf(a, "; there is no folder '%s'%s", shown_name(a, part), meant)
                     : meant;
}
