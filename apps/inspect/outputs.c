/*
 * outputs.c - the folder OUT: two tables and the pictures of defects
 *
 * The tables grow under names of their own, with a dot in front, and get theirs when they are
 * whole; a picture is written by tilec_io_write(), which does the same.  An OUT that holds anything
 * is refused, unless --replace is said and it is the folder of an earlier run: that run's files are
 * then removed first, and no others.
 */
#include "inspect.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tilec_io.h>
#include <unistd.h>

static const char images_title[] = "image,status,dy,dx,score,defects,area\n";
static const char defects_title[] = "image,defect,area,top,left,bottom,right,peak\n";

__attribute__((noreturn)) static void stop(int code, const char *path, const char *why)
{
    say("%s: %s", path, why);
    exit(code);
}

static bool exists(const char *folder, const char *name)
{
    char *path = format("%s/%s", folder, name);
    struct stat s;
    const bool is_there = lstat(path, &s) == 0;

    free(path);
    return is_there;
}

static bool is_empty(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;

    if (!dir)
        stop(EXIT_FILES, folder, strerror(errno));
    for (const struct dirent *e; (e = readdir(dir));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return n == 0;
}

/* Nothing that is to be inspected may lie where files are removed. */
static void check_inputs_apart(const char *out, const Inputs *inputs)
{
    char whole[PATH_MAX], path[PATH_MAX];
    size_t n;

    if (!realpath(out, whole))
        stop(EXIT_FILES, out, strerror(errno));
    n = strlen(whole);
    for (int i = 0; i < inputs->n; i++) {
        if (realpath(inputs->at[i].path, path) && strncmp(path, whole, n) == 0 && path[n] == '/')
            stop(EXIT_USAGE, inputs->at[i].path, "lies in OUT, which --replace would empty");
    }
}

static void remove_file(const char *folder, const char *name)
{
    char *path = format("%s/%s", folder, name);

    if (unlink(path) != 0 && errno != ENOENT)
        stop(EXIT_FILES, path, strerror(errno));
    free(path);
}

static void remove_pictures(const char *out)
{
    char *folder = format("%s/defects", out);
    DIR *dir = opendir(folder);

    for (const struct dirent *e; dir && (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');

        if (dot && strcmp(dot, ".png") == 0)
            remove_file(folder, e->d_name);
    }
    if (dir)
        closedir(dir);
    free(folder);
}

static void make_room(const Options *o, const Inputs *inputs)
{
    if (is_empty(o->out))
        return;
    if (!exists(o->out, "images.csv"))
        stop(EXIT_USAGE, o->out,
             "this folder holds other files than those of an earlier run: name a new one");
    if (!o->replace)
        stop(EXIT_USAGE, o->out,
             "this folder holds an earlier run: name a new one, or --replace what is there");
    check_inputs_apart(o->out, inputs);
    remove_pictures(o->out);
    remove_file(o->out, "defects.csv");
    remove_file(o->out, "sheet.png");
    remove_file(o->out, "images.csv");
}

static FILE *begin_table(const char *out, const char *name, const char *title)
{
    char *path = format("%s/.%s", out, name);
    FILE *file = fopen(path, "w");

    if (!file || fputs(title, file) == EOF)
        stop(EXIT_FILES, path, strerror(errno));
    free(path);
    return file;
}

void outputs_open(Outputs *u, const Options *o, const Inputs *inputs)
{
    char *pictures = format("%s/defects", o->out);

    if (mkdir(o->out, 0777) != 0) {
        if (errno != EEXIST)
            stop(EXIT_FILES, o->out, strerror(errno));
        make_room(o, inputs);
    }
    if (mkdir(pictures, 0777) != 0 && errno != EEXIST)
        stop(EXIT_FILES, pictures, strerror(errno));
    free(pictures);
    u->out = o->out;
    u->images = begin_table(o->out, "images.csv", images_title);
    u->defects = begin_table(o->out, "defects.csv", defects_title);
}

char *outputs_picture(const char *out, const char *name, const void *pixels, tilec_dtype dtype,
                      int height, int width, unsigned threshold)
{
    const size_t n = (size_t)height * (size_t)width;
    const int64_t shape[] = {height, width};
    unsigned char *mask = more(NULL, n);
    const tilec_tensor t = {.data = mask, .dtype = TILEC_U8, .ndim = 2, .shape = shape};
    char *path = format("%s/defects/%s.png", out, name), *error = NULL, *why = NULL;

    for (size_t i = 0; i < n; i++) {
        const unsigned v =
            dtype == TILEC_U8 ? ((const uint8_t *)pixels)[i] : ((const uint16_t *)pixels)[i];

        mask[i] = v > threshold ? 255 : 0;
    }
    if (tilec_io_write(path, &t, NULL, &error) != TILEC_OK)
        why = format("%.*s", error ? (int)strcspn(error, "\n") : 0, error ? error : "");
    tilec_free(error);
    free(path);
    free(mask);
    return why;
}

static bool add_rows(FILE *file, const Text *rows)
{
    return fwrite(rows->at ? rows->at : "", 1, rows->len, file) == rows->len;
}

bool outputs_add(Outputs *u, const Result *r)
{
    return add_rows(u->images, &r->images) && add_rows(u->defects, &r->defect_rows);
}

static char *end_table(const char *out, FILE *file, const char *name)
{
    char *from = format("%s/.%s", out, name), *to = format("%s/%s", out, name), *why = NULL;

    if ((fclose(file) != 0) | (rename(from, to) != 0))
        why = format("%s: %s", to, strerror(errno));
    free(from);
    free(to);
    return why;
}

char *outputs_close(Outputs *u)
{
    char *first = end_table(u->out, u->defects, "defects.csv");
    char *second = end_table(u->out, u->images, "images.csv");

    if (first && second) {
        free(second);
        return first;
    }
    return first ? first : second;
}
