/*
 * inputs.c - which images there are: files, folders and stacks, in an order that does not change
 *
 * A folder gives its own files, not those of folders in it, whose suffix is one of those below, in
 * the order of their names' bytes; hidden ones and others are left out.  Whether a file holds an
 * image shows when it is read; how many a stack has must be known before.
 */
#include "inspect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const suffixes[] = {".png", ".pgm", ".pnm", ".npy", NULL};

static const char *suffix_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');

    for (int i = 0; dot && suffixes[i]; i++) {
        if (strcasecmp(dot, suffixes[i]) == 0)
            return suffixes[i];
    }
    return NULL;
}

__attribute__((noreturn)) static void stop(int code, const char *path, const char *why)
{
    say("%s: %s", path, why);
    exit(code);
}

/* The name without folder and suffix. */
static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return format("%.*s", (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
}

static void add(Inputs *inputs, Input input)
{
    ROOM(inputs->at, inputs->n, inputs->cap);
    inputs->at[inputs->n++] = input;
}

/* A stack that cannot be opened is one image that cannot: it has a row, and the rest goes on. */
static void add_stack(Inputs *inputs, char *path)
{
    Stack stack;
    char *stem = stem_of(path), *why = NULL;
    const Status status = stack_open(&stack, path, &why);

    if (status) {
        add(inputs, (Input){path, stem, path, -1, 0, status, why});
        return;
    }
    if (!stack.count)
        say("%s: no images in this stack", path);
    ROOM(inputs->stacks, inputs->nstacks, inputs->stacks_cap);
    inputs->stacks[inputs->nstacks++] = stack;
    for (int64_t i = 0; i < stack.count; i++)
        add(inputs,
            (Input){format("%s[%lld]", path, (long long)i), format("%s-%06lld", stem, (long long)i),
                    path, inputs->nstacks - 1, i, NULL, NULL});
    free(stem);
}

static void add_file(Inputs *inputs, char *path)
{
    if (strcmp(suffix_of(path), ".npy") == 0)
        add_stack(inputs, path);
    else
        add(inputs, (Input){path, stem_of(path), path, -1, 0, NULL, NULL});
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static void add_folder(Inputs *inputs, const char *folder)
{
    const size_t len = strlen(folder);
    DIR *dir = opendir(folder);
    char **paths = NULL;
    int n = 0, cap = 0;

    if (!dir)
        stop(EXIT_FILES, folder, strerror(errno));
    for (const struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.' || !suffix_of(e->d_name))
            continue;
        ROOM(paths, n, cap);
        paths[n] = format("%s%s%s", folder, len && folder[len - 1] == '/' ? "" : "/", e->d_name);
        if (is_folder(paths[n]))
            free(paths[n]);
        else
            n++;
    }
    closedir(dir);
    if (!n)
        say("%s: no images in this folder: no file ends in .png, .pgm, .pnm or .npy", folder);
    else
        qsort(paths, (size_t)n, sizeof *paths, by_name);
    for (int i = 0; i < n; i++)
        add_file(inputs, paths[i]);
    free(paths);
}

static int by_picture(const void *a, const void *b)
{
    return strcmp((*(const Input *const *)a)->picture, (*(const Input *const *)b)->picture);
}

/* Two images of one name, as in two folders, would write one picture. */
static void check_pictures(const Inputs *inputs)
{
    const Input **sorted = more(NULL, (size_t)inputs->n * sizeof *sorted);

    for (int i = 0; i < inputs->n; i++)
        sorted[i] = &inputs->at[i];
    qsort(sorted, (size_t)inputs->n, sizeof *sorted, by_picture);
    for (int i = 1; i < inputs->n; i++) {
        if (by_picture(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        say("%s and %s would both have the picture defects/%s.png: rename one, or inspect them in "
            "two runs",
            sorted[i - 1]->name, sorted[i]->name, sorted[i]->picture);
        exit(EXIT_USAGE);
    }
    free(sorted);
}

void inputs_find(Inputs *inputs, const Options *o)
{
    *inputs = (Inputs){0};
    for (int i = 0; i < o->nimages; i++) {
        char *path = o->images[i];
        struct stat s;

        if (stat(path, &s) != 0)
            stop(EXIT_FILES, path, strerror(errno));
        if (S_ISDIR(s.st_mode))
            add_folder(inputs, path);
        else if (suffix_of(path))
            add_file(inputs, format("%s", path));
        else
            stop(EXIT_USAGE, path, "not an image by its name: .png, .pgm, .pnm and .npy are known");
    }
    if (!inputs->n) {
        say("no images to inspect");
        exit(EXIT_FILES);
    }
    check_pictures(inputs);
}

void inputs_free(Inputs *inputs)
{
    for (int i = 0; i < inputs->n; i++) {
        Input *input = &inputs->at[i];

        free(input->name); /* of a file of its own it is the path */
        free(input->picture);
        free(input->why);
    }
    for (int i = 0; i < inputs->nstacks; i++) {
        close(inputs->stacks[i].fd);
        free((char *)inputs->stacks[i].path);
    }
    free(inputs->at);
    free(inputs->stacks);
    *inputs = (Inputs){0};
}
