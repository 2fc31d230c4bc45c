/*
 * pattern.c - the paths that a pattern of `--each` matches
 *
 * `*`, `?` and `[...]` are those of glob(3).  A part of the path that is `**` stands for folders of
 * any depth, also for none: it is taken apart here, into one pattern for each such folder.  As `*`
 * does it leaves out what begins with a dot; links to folders it does not follow, so that it ends.
 */
#include "each.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    Cli *cli;
    const char *pattern; /* as it was given */
    EachPaths found;
} Search;

static EachPaths paths_of_glob(const Search *s, const char *pattern)
{
    Arena *a = s->cli->arena;
    EachPaths paths = {0};
    glob_t found = {0};
    int error = glob(pattern, 0, NULL, &found);

    for (size_t i = 0; error == 0 && i < found.gl_pathc; i++)
        vec_push(a, &paths, arena_strndup(a, found.gl_pathv[i], strlen(found.gl_pathv[i])));
    globfree(&found);
    if (error == GLOB_NOSPACE)
        stop(s->cli, CLI_REFUSED, "--each %s: there is no memory for the names", s->pattern);
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

/* `path` ends with a slash, behind which lstat() would see what a link leads to. */
static bool is_link(Arena *a, const char *path)
{
    struct stat st;

    return lstat(arena_strndup(a, path, strlen(path) - 1), &st) == 0 && S_ISLNK(st.st_mode);
}

static void search(Search *s, const char *pattern);

/* In a folder, "" or with a slash at its end, and in all that are below it. */
static void search_below(Search *s, const char *folder, const char *rest)
{
    Arena *a = s->cli->arena;
    const char *here = literal_pattern(a, folder);
    EachPaths folders = paths_of_glob(s, arena_printf(a, "%s*/", here));

    search(s, arena_printf(a, "%s%s", here, rest));
    for (int i = 0; i < folders.len; i++) {
        if (!is_link(a, folders.at[i]))
            search_below(s, folders.at[i], rest);
    }
}

static void search(Search *s, const char *pattern)
{
    Arena *a = s->cli->arena;
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

EachPaths each_match(Cli *c, const char *pattern)
{
    Search s = {.cli = c, .pattern = pattern};

    search(&s, pattern);
    if (s.found.len > 0)
        qsort(s.found.at, (size_t)s.found.len, sizeof *s.found.at, by_name);
    return s.found;
}
