/*
 * pattern.c - the paths that a pattern of `--each` matches
 *
 * `*`, `?` and `[...]` are those of glob(3).  A part of the path that is `**` stands for folders of
 * any depth, also for none: it is taken apart here, into one pattern for each such folder.  As `*`
 * does it leaves out what begins with a dot; links to folders it does not follow, so that it ends.
 * Folders wait in a list, not on the stack, and one whose path is too long for the system to open a
 * file in it is left out.
 */
#include "batch.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    Client *client;
    const char *pattern; /* as it was given */
    EachPaths found;
    bool too_deep; /* folders were left out */
} Search;

static EachPaths paths_of_glob(const Search *s, const char *pattern)
{
    Arena *a = s->client->arena;
    EachPaths paths = {0};
    glob_t found = {0};
    int error = glob(pattern, 0, NULL, &found);

    for (size_t i = 0; error == 0 && i < found.gl_pathc; i++)
        vec_push(a, &paths, arena_strndup(a, found.gl_pathv[i], strlen(found.gl_pathv[i])));
    globfree(&found);
    if (error == GLOB_NOSPACE)
        client_stop(s->client, CLIENT_REFUSED, "--each %s: there is no memory for the names",
                    s->pattern);
    return paths;
}

/* The first `**` that is a whole part of the path; NULL. */
static const char *deep_part(const char *pattern)
{
    for (const char *s = pattern; (s = strstr(s, "**")) != NULL; s += 2) {
        if ((s == pattern || s[-1] == '/') && (s[2] == '/' || s[2] == '\0'))
            return s;
    }
    return NULL;
}

/* What follows on `**`; more of them mean the same as one, and behind the last is any file. */
static const char *behind_deep_part(const char *deep)
{
    while (strncmp(deep, "**/", 3) == 0)
        deep += 3;
    return *deep == '\0' || strcmp(deep, "**") == 0 ? "*" : deep;
}

/* A pattern that only `path` matches. */
static const char *literal_pattern(Arena *a, const char *path)
{
    Text t = text_new(a);

    text_put(&t, "");
    for (const char *s = path; *s; s++) {
        if (strchr("*?[]\\", *s))
            text_put(&t, "\\");
        text_putn(&t, s, 1);
    }
    return t.s;
}

enum { MOST_FOLDERS = 1 << 20 };

/* Is the entry of an open folder a folder itself?  What cannot be looked at is none. */
static bool is_folder(DIR *around, const struct dirent *e)
{
    struct stat st;

    if (e->d_type != DT_UNKNOWN)
        return e->d_type == DT_DIR;
    return fstatat(dirfd(around), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Adds the folders in `folder`, which is "" or has a slash at its end, as it has. */
static void add_folders(Search *s, const char *folder, EachPaths *out)
{
    Arena *a = s->client->arena;
    DIR *dir = opendir(*folder ? folder : ".");
    const struct dirent *e;

    while (dir && (e = readdir(dir)) != NULL) {
        if (e->d_name[0] == '.' || !is_folder(dir, e))
            continue;
        if (strlen(folder) + strlen(e->d_name) + 2 >= PATH_MAX)
            s->too_deep = true;
        else
            vec_push(a, out, arena_printf(a, "%s%s/", folder, e->d_name));
    }
    if (dir)
        closedir(dir);
}

static void search(Search *s, const char *pattern);

/* In a folder, "" or with a slash at its end, and in all that are below it. */
static void search_below(Search *s, const char *folder, const char *rest)
{
    Arena *a = s->client->arena;
    EachPaths folders = {0};

    vec_push(a, &folders, folder);
    for (int i = 0; i < folders.len; i++) {
        if (folders.len > MOST_FOLDERS)
            client_stop(s->client, CLIENT_REFUSED,
                        "--each %s: there are more than %d folders below %s", s->pattern,
                        MOST_FOLDERS, *folder ? shown_name(a, folder) : "this one");
        search(s, arena_printf(a, "%s%s", literal_pattern(a, folders.at[i]), rest));
        add_folders(s, folders.at[i], &folders);
    }
}

static void search(Search *s, const char *pattern)
{
    Arena *a = s->client->arena;
    const char *deep = deep_part(pattern);
    EachPaths paths = {0};

    if (!deep) {
        paths = paths_of_glob(s, pattern);
        for (int i = 0; i < paths.len; i++)
            vec_push(a, &s->found, paths.at[i]);
        return;
    }
    if (deep == pattern)
        vec_push(a, &paths, "");
    else
        paths = paths_of_glob(s, arena_strndup(a, pattern, (size_t)(deep - pattern)));
    for (int i = 0; i < paths.len; i++)
        search_below(s, paths.at[i], behind_deep_part(deep));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

EachPaths each_match(Client *c, const char *pattern)
{
    Search s = {.client = c, .pattern = pattern};

    search(&s, pattern);
    if (s.too_deep)
        client_warn(c, "--each %s: folders whose path has more than %d bytes are left out", pattern,
                    PATH_MAX);
    if (s.found.len > 0)
        qsort(s.found.at, (size_t)s.found.len, sizeof *s.found.at, by_name);
    return s.found;
}

EachPaths each_in_folder(Client *c, const char *folder, const char *ending)
{
    size_t n = strlen(folder);
    const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";

    return each_match(
        c, arena_printf(c->arena, "%s%s*%s", literal_pattern(c->arena, folder), slash, ending));
}
