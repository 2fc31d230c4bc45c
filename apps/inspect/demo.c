/*
 * demo.c - files of images with known shifts and planted defects, and what tilec-inspect found
 *
 *     tilec-inspect-demo make FOLDER [COUNT [SEED]]
 *
 * makes FOLDER/images/NUMBER.png, FOLDER/template.png and FOLDER/planted.csv, of which a line is
 * image,dy,dx and of each spot top,left,bottom,right.
 *
 *     tilec-inspect-demo check FOLDER OUT
 *
 * counts the shifts and spots that OUT has found; exits with 1 where one was not, or where
 * something was found that is none.
 *
 *     tilec-inspect-demo copy FOLDER OUT NEW
 *
 * reads the images, and writes OUT's pictures anew: what these files take without an inspection.
 */
#define _GNU_SOURCE
#include "demo.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tilec_io.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, LONGEST_LINE = 8192, MOST_THREADS = 64 };

__attribute__((noreturn)) static void stop(const char *path, const char *why)
{
    fprintf(stderr, "tilec-inspect-demo: %s: %s\n", path, why);
    exit(3);
}

static void check_io(const char *path, tilec_status status, const char *error)
{
    if (status != TILEC_OK)
        stop(path, error ? error : "no memory");
}

static void write_grey(const char *path, void *pixels, int64_t side)
{
    const int64_t shape[] = {side, side};
    const tilec_tensor t = {.data = pixels, .dtype = TILEC_U8, .ndim = 2, .shape = shape};
    char *error = NULL;

    check_io(path, tilec_io_write(path, &t, NULL, &error), error);
}

/* --- work for all CPUs --- */

typedef struct {
    void (*piece)(const void *context, int i);
    const void *context;
    int n;
    atomic_int next;
} Work;

static void *pieces(void *arg)
{
    Work *w = arg;

    for (int i; (i = w->next++) < w->n;)
        w->piece(w->context, i);
    return NULL;
}

static void on_all_cpus(int n, void (*piece)(const void *, int), const void *context)
{
    Work w = {piece, context, n, 0};
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[MOST_THREADS];
    int running = 0;

    while (running < cpus - 1 && running < MOST_THREADS &&
           pthread_create(&threads[running], NULL, pieces, &w) == 0)
        running++;
    pieces(&w);
    for (int i = 0; i < running; i++)
        pthread_join(threads[i], NULL);
}

/* --- make --- */

typedef struct {
    const char *folder;
    uint64_t seed;
} Set;

static void make_image(const void *context, int i)
{
    const Set *set = context;
    const Scene scene = scene_plan(set->seed, i);
    unsigned char pixels[SIDE * SIDE];
    char path[LONGEST_PATH];

    scene_draw(&scene, pixels);
    snprintf(path, sizeof path, "%s/images/%04d.png", set->folder, i);
    write_grey(path, pixels, SIDE);
}

static void make_list(const Set *set, int count)
{
    char path[LONGEST_PATH];
    FILE *list;

    snprintf(path, sizeof path, "%s/planted.csv", set->folder);
    if (!(list = fopen(path, "w")))
        stop(path, strerror(errno));
    for (int i = 0; i < count; i++) {
        const Scene s = scene_plan(set->seed, i);

        fprintf(list, "%s/images/%04d.png,%d,%d", set->folder, i, s.dy, s.dx);
        for (int k = 0; k < s.nspots; k++)
            fprintf(list, ",%d,%d,%d,%d", s.spots[k].top, s.spots[k].left, s.spots[k].bottom,
                    s.spots[k].right);
        fputc('\n', list);
    }
    if (fclose(list) != 0)
        stop(path, strerror(errno));
}

static int make(const char *folder, int count, uint64_t seed)
{
    const Set set = {folder, seed};
    unsigned char template[TEMPLATE_SIDE * TEMPLATE_SIDE];
    char path[LONGEST_PATH];

    snprintf(path, sizeof path, "%s/images", folder);
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) ||
        (mkdir(path, 0777) != 0 && errno != EEXIST))
        stop(path, strerror(errno));
    on_all_cpus(count, make_image, &set);
    scene_template(template);
    snprintf(path, sizeof path, "%s/template.png", folder);
    write_grey(path, template, TEMPLATE_SIDE);
    make_list(&set, count);
    return 0;
}

/* --- check --- */

static FILE *open_in(const char *folder, const char *name)
{
    char path[LONGEST_PATH];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!(file = fopen(path, "r")))
        stop(path, strerror(errno));
    return file;
}

/* The next whole numbers behind commas, `most` at most; gives how many. */
static int take_numbers(const char *text, int *to, int most)
{
    int n = 0;

    for (; text && *text == ',' && n < most; n++) {
        char *end;

        to[n] = (int)strtol(text + 1, &end, 10);
        text = end;
    }
    return n;
}

typedef struct {
    int images, shifts, planted, found, extra;
} Count;

/* How many of the planted spots are among the rows of defects.csv of this image; takes the rows. */
static void count_spots(FILE *defects, const char *image, int nfound, const int *spots, int nspots,
                        Count *c)
{
    char line[LONGEST_LINE];
    int hits = 0;

    for (int i = 0; i < nfound && fgets(line, sizeof line, defects); i++) {
        const size_t n = strlen(image);
        int row[6] = {0}, hit = 0;

        if (strncmp(line, image, n) != 0 || take_numbers(line + n, row, 6) != 6)
            stop(image, "its rows are not in defects.csv");
        for (int k = 0; k < nspots; k++) {
            const int *s = &spots[4 * k];

            hit |= row[2] < s[2] && s[0] < row[4] && row[3] < s[3] && s[1] < row[5];
        }
        hits += hit;
    }
    c->planted += nspots;
    c->found += hits < nspots ? hits : nspots;
    c->extra += hits < nspots ? nfound - hits : nfound - nspots;
}

static int check(const char *folder, const char *out)
{
    FILE *planted = open_in(folder, "planted.csv"), *images = open_in(out, "images.csv");
    FILE *defects = open_in(out, "defects.csv");
    char line[LONGEST_LINE], row[LONGEST_LINE], title[LONGEST_LINE];
    Count c = {0};

    if (!fgets(title, sizeof title, images) || !fgets(title, sizeof title, defects))
        stop(out, "its tables are empty");
    while (fgets(line, sizeof line, planted)) {
        char *comma = strchr(line, ',');
        int numbers[2 + 4 * MOST_SPOTS], dy = 0, dx = 0, n = 0;
        const int count = take_numbers(comma, numbers, 2 + 4 * MOST_SPOTS);

        *comma = '\0';
        if (!fgets(row, sizeof row, images) || strncmp(row, line, strlen(line)) != 0)
            stop(line, "it has no row in images.csv");
        c.images++;
        if (sscanf(row + strlen(line), ",ok,%d,%d,%*f,%d", &dy, &dx, &n) == 3)
            c.shifts += dy == numbers[0] && dx == numbers[1];
        count_spots(defects, line, n, numbers + 2, (count - 2) / 4, &c);
    }
    fclose(planted);
    fclose(images);
    fclose(defects);
    printf("%d of %d shifts found; %d of %d defects found, %d that were not planted\n", c.shifts,
           c.images, c.found, c.planted, c.extra);
    return c.shifts != c.images || c.found != c.planted || c.extra;
}

/* --- copy --- */

typedef struct {
    const char *from, *to; /* to: NULL: it is only read */
    struct dirent **names;
} Copy;

static void copy_file(const void *context, int i)
{
    const Copy *copy = context;
    char path[LONGEST_PATH], *error = NULL;
    tilec_tensor t;

    snprintf(path, sizeof path, "%s/%s", copy->from, copy->names[i]->d_name);
    check_io(path, tilec_io_read(path, NULL, &t, &error), error);
    if (copy->to) {
        snprintf(path, sizeof path, "%s/%s", copy->to, copy->names[i]->d_name);
        check_io(path, tilec_io_write(path, &t, NULL, &error), error);
    }
    tilec_io_free(&t);
}

static int is_png(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');

    return dot && strcmp(dot, ".png") == 0;
}

static void copy_folder(const char *from, const char *to)
{
    Copy copy = {.from = from, .to = to};
    const int n = scandir(from, &copy.names, is_png, alphasort);

    if (n < 0)
        stop(from, strerror(errno));
    on_all_cpus(n, copy_file, &copy);
    for (int i = 0; i < n; i++)
        free(copy.names[i]);
    free(copy.names);
}

static int copy(const char *folder, const char *out, const char *new)
{
    char from[LONGEST_PATH];

    if (mkdir(new, 0777) != 0 && errno != EEXIST)
        stop(new, strerror(errno));
    snprintf(from, sizeof from, "%s/images", folder);
    copy_folder(from, NULL);
    snprintf(from, sizeof from, "%s/defects", out);
    copy_folder(from, new);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && argc <= 5 && strcmp(argv[1], "make") == 0)
        return make(argv[2], argc > 3 ? atoi(argv[3]) : 2048,
                    argc > 4 ? strtoull(argv[4], NULL, 10) : 1);
    if (argc == 4 && strcmp(argv[1], "check") == 0)
        return check(argv[2], argv[3]);
    if (argc == 5 && strcmp(argv[1], "copy") == 0)
        return copy(argv[2], argv[3], argv[4]);
    fputs("usage: tilec-inspect-demo make FOLDER [COUNT [SEED]] | check FOLDER OUT | copy FOLDER "
          "OUT NEW\n",
          stderr);
    return 2;
}
