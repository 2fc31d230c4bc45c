/*
 * copy.c - what reading and writing many array files takes alone, for files.sh
 *
 *     bench-files make FOLDER COUNT SUFFIX     images of 256x256 u8: waves with a little noise
 *     bench-files copy FROM TO COUNT SUFFIX    reads each and writes it, on every CPU
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec_io.h>
#include <unistd.h>

enum { SIDE = 256, LONGEST_PATH = 4096 };

typedef struct {
    const char *from, *to, *suffix;
    int count;
    atomic_int next, failed;
} Work;

static int check(Work *w, tilec_status status, char *error)
{
    if (status == TILEC_OK)
        return 1;
    fprintf(stderr, "%s\n", error ? error : "failed");
    tilec_free(error);
    w->failed = 1;
    return 0;
}

static void write_image(Work *w, int i, const tilec_tensor *t)
{
    char path[LONGEST_PATH], *error = NULL;

    snprintf(path, sizeof path, "%s/%04d%s", w->to, i, w->suffix);
    check(w, tilec_io_write(path, t, NULL, &error), error);
}

static void copy_image(Work *w, int i)
{
    char path[LONGEST_PATH], *error = NULL;
    tilec_tensor t;

    snprintf(path, sizeof path, "%s/%04d%s", w->from, i, w->suffix);
    if (!check(w, tilec_io_read(path, NULL, &t, &error), error))
        return;
    write_image(w, i, &t);
    tilec_io_free(&t);
}

/* Triangles instead of sines, so that every machine makes the same. */
static int wave(int v, int period)
{
    v %= 2 * period;
    return (v < period ? v : 2 * period - v) * 100 / period;
}

static void make_image(Work *w, int i)
{
    static const int64_t shape[] = {SIDE, SIDE};
    static _Thread_local unsigned char pixels[SIDE * SIDE];
    const tilec_tensor t = {.data = pixels, .dtype = TILEC_U8, .ndim = 2, .shape = shape};
    unsigned state = (unsigned)i * 2654435761u + 1;

    for (int k = 0; k < SIDE * SIDE; k++) {
        state = state * 1664525u + 1013904223u;
        pixels[k] = (unsigned char)(wave(k % SIDE + i, 53) + wave(k / SIDE + 2 * i, 71) +
                                    (int)(state >> 28));
    }
    write_image(w, i, &t);
}

static void *work(void *arg)
{
    Work *w = arg;

    for (int i; (i = w->next++) < w->count;) {
        if (w->from)
            copy_image(w, i);
        else
            make_image(w, i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int is_copy = argc == 6 && strcmp(argv[1], "copy") == 0, threads;
    Work w = {.from = is_copy ? argv[2] : NULL};
    pthread_t ids[256];

    if (!is_copy && (argc != 5 || strcmp(argv[1], "make") != 0)) {
        fprintf(stderr,
                "usage: bench-files make FOLDER COUNT SUFFIX | copy FROM TO COUNT SUFFIX\n");
        return 2;
    }
    w.to = argv[argc - 3];
    w.count = atoi(argv[argc - 2]);
    w.suffix = argv[argc - 1];
    threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads < 1 ? 1 : threads > 256 ? 256 : threads;
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, work, &w) != 0)
            return 1;
    }
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    return w.failed;
}
