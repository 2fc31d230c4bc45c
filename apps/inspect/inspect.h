/*
 * inspect.h - tilec-inspect: what its parts tell each other
 *
 * The way of an image: inputs.c names it, a worker (worker.c) takes a batch of names, read.c and
 * stack.c read their pixels into a group of one shape (group.c), whose launches find the template,
 * shift, crop and look for defects on the device; label.c measures these, outputs.c and sheet.c
 * write.  crew.c has the threads, each with a worker of its own, and puts what they give back into
 * the order of the images, so that nothing that is written depends on who did what.
 *
 * All of it is a program on tilec.h and tilec_io.h alone, and for several ranks on src/ranks;
 * docs/inspect.md builds it up.
 */
#ifndef INSPECT_H
#define INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tilec.h>

#include "../../src/ranks/ranks.h"

/* --- text.c: texts that grow, and memory --- */

typedef struct {
    char *at; /* NULL while it is empty */
    size_t len, cap;
} Text;
void text_add(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_add_field(Text *t, const char *field); /* of a CSV, in quotes where it needs them */
void text_add_bytes(Text *t, const void *bytes, size_t n);
void text_free(Text *t);
char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* for free() */
void *more(void *at, size_t bytes); /* realloc() that ends the program where there is no memory */
/* Room for one more element behind `n` of them, in an array that more() made. */
#define ROOM(array, n, cap)                                                                        \
    do {                                                                                           \
        if ((n) >= (cap)) {                                                                        \
            (cap) = (cap) ? 2 * (cap) : 8;                                                         \
            (array) = more(array, (size_t)(cap) * sizeof *(array));                                \
        }                                                                                          \
    } while (0)

/* What the program exits with, as tilec does. */
enum { EXIT_DONE = 0, EXIT_SOME_FAILED = 1, EXIT_USAGE = 2, EXIT_FILES = 3 };
/* A line "tilec-inspect: ..." on stderr, as a whole and behind a line of progress. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_rank(int rank); /* lines of another rank than the first say which */

/* --- options.c: the command line --- */

typedef struct {
    int height, width; /* 0: not said */
} Extent;
typedef enum { RECTANGLE, CROSS, ELLIPSE } ElementKind;
typedef struct {
    char **images; /* `nimages` files and folders, as they were said */
    int nimages;
    const char *template_path, *out;
    const char *op; /* as kernels/morphology.py calls it */
    ElementKind element;
    Extent element_size;
    int64_t threshold; /* -1: the default of the image's type */
    Extent crop;       /* 0: seven eighths of each image */
    int search;        /* -1: as far as the crop stays in the image */
    bool has_place;    /* .. of the template's first pixel in an image that is not shifted */
    int place[2];
    double least_score;
    int batch, threads; /* 0: chosen */
    uint64_t memory;    /* bytes of pixels in hand, on all threads */
    const char *device;
    bool replace, quiet;
} Options;
/* Fills in the options, or ends the program: with 0 behind --help, with EXIT_USAGE behind a text.
 */
void options_read(Options *o, int argc, char **argv);

/* --- inputs.c, stack.c: which images there are --- */

/* Why an image is not inspected: a word or two for the table.  NULL: it is. */
typedef const char *Status;

/* A .npy file with images one behind the other, of which only what is asked for is read. */
typedef struct {
    const char *path;
    int fd;
    tilec_dtype dtype;
    int64_t count, height, width;
    int64_t begins; /* the byte where the first pixel is */
} Stack;
/* Opens it; where it fails `why` says more, for free(). */
Status stack_open(Stack *s, const char *path, char **why);
/* The pixels of image i, into `to`; NULL, or why not. */
char *stack_read(const Stack *s, int64_t i, void *to);

typedef struct {
    char *name;    /* in the tables: the path, and of a stack which one, "images.npy[17]" */
    char *picture; /* the name of its picture, without folder and suffix */
    const char *path;
    int stack; /* its number; -1: a file of its own */
    int64_t index;
    Status status; /* not NULL: a stack that cannot be opened */
    char *why;
} Input;
typedef struct {
    Input *at;
    int n, cap;
    Stack *stacks;
    int nstacks, stacks_cap;
} Inputs;
/* Finds them in the order of the arguments, of a folder in that of the names.  Ends the program
 * where one is not there, there are none, or two would have one picture. */
void inputs_find(Inputs *inputs, const Options *o);
void inputs_free(Inputs *inputs);

/* --- read.c: pixels --- */

typedef struct {
    tilec_tensor tensor; /* of a file, for tilec_io_free() */
    const Stack *stack;  /* or one of these, which are not read yet */
    int64_t index;
    tilec_dtype dtype;
    int64_t height, width;
} Pixels;
/* Reads an image, of at most `most` bytes; where it fails `why` says more, for free(). */
Status pixels_read(Pixels *p, const Inputs *inputs, const Input *input, uint64_t most, char **why);
Status pixels_put(const Pixels *p, void *to, char **why); /* row by row without gaps */
void pixels_free(Pixels *p);

/* --- label.c: defects --- */

typedef struct {
    int64_t area;
    int top, left, bottom, right; /* rows top .. bottom - 1, columns left .. right - 1 */
    unsigned peak;
} Defect;
typedef struct {
    Defect *at; /* in the order of their first pixels, row by row */
    int n, cap;
    int64_t area;     /* of all */
    struct Run *runs; /* what is kept for the next image */
    int *parents;
    int runs_cap, parents_cap;
} Defects;
/* Pixels above the threshold, touching by a side or a corner, are one defect. */
void label(Defects *d, const void *pixels, tilec_dtype dtype, int height, int width,
           unsigned threshold);
void defects_free(Defects *d);

/* --- group.c: what is done on the device --- */

typedef struct Device Device;
typedef struct {
    int dy, dx;
    double score;
} Place;
/* Along one axis, in pixels. */
typedef struct {
    int place;              /* of the template's first pixel in an image that is not shifted */
    int most_up, most_down; /* how far off it may be found, towards 0 and away from it */
    int crop_begins;        /* .. of an image that is not shifted */
} Range;
/* Images of one shape and type, in memory of their own. */
typedef struct {
    tilec_dtype dtype;
    int height, width;           /* of the images */
    int crop_height, crop_width; /* of what is left of them */
    Range rows, columns;
    int n, cap;
    void *images, *crops; /* `n` of `cap` */
    void *found;          /* what the operation makes of the crops */
    Place *places;
    bool has_run; /* with this shape */
} Group;
/* One for each worker, and with so many threads a launch: kernels, the template, memory of the
 * device.  NULL, or why there is none; the program then ends with `code`. */
char *device_open(Device **out, const Options *o, int worker, int threads, int *code);
void device_close(Device *d);
/* Why images of that shape cannot be inspected; NULL: they can.  Fills in the group's shape. */
Status group_shape(Group *g, const Device *d, tilec_dtype dtype, int64_t height, int64_t width,
                   char **why);
size_t group_image_bytes(const Group *g); /* that each of its images takes */
bool group_room(Group *g, int cap);       /* false: no memory */
void group_free(Group *g);
/* Fills in places, crops and found.  NULL, or why not, for free(). */
char *group_run(Device *d, Group *g);

/* --- sheet.c: the contact sheet --- */

enum { SHEET_SIDE = 112, SHEET_COLUMNS = 8, SHEET_MOST = 64 };
typedef struct {
    int number; /* of the image, from 0 */
    int64_t area;
    int height, width;
    unsigned char pixels[SHEET_SIDE * SHEET_SIDE * 3];
} Thumb;
void thumb_make(Thumb *t, int number, const Group *g, int k, const Defects *d);
typedef struct {
    Thumb *at[SHEET_MOST]; /* those with the most defective pixels, of several the first */
    int n;
} Sheet;
void sheet_add(Sheet *s, const Thumb *t);
/* What one worker has had so far, by which it knows which images cannot be on the sheet. */
typedef struct {
    struct {
        int64_t area;
        int number;
    } at[SHEET_MOST];
    int n;
} Ranking;
bool ranking_add(Ranking *r, int number, int64_t area); /* false: it is none of the most */
/* NULL, or why it was not written. */
char *sheet_write(const Sheet *s, const char *path);
void sheet_free(Sheet *s);

/* --- worker.c: a batch of images, from names to rows --- */

typedef struct {
    int first, n;     /* which images */
    int done, failed; /* how many of them are inspected, how many are not */
    int with_defects;
    int64_t defects;
    Text images, defect_rows; /* of the tables */
    Text said;                /* for stderr */
    Thumb *thumbs;            /* of those with defects */
    int nthumbs, thumbs_cap;
    char *fatal; /* why nothing more can be done; NULL */
    int code;    /* .. and what the program ends with */
} Result;
void result_free(Result *r);
/* pack.c: as bytes, for another rank; false: they are none */
void result_pack(const Result *r, Text *out);
bool result_unpack(Result *r, const void *bytes, size_t n);
typedef struct {
    const Options *options;
    const Inputs *inputs;
    const volatile int *stop; /* not 0: end soon, with what is done */
    const Ranks *ranks;       /* of which this process is one */
    Share *share;             /* with the others */
    int batch;                /* images that a worker takes at once, on all ranks */
    int workers;
    int launch_threads; /* of each launch of theirs */
} Job;
typedef struct Worker Worker;
/* Of job->workers that one; NULL: trouble->fatal says why. */
Worker *worker_open(const Job *job, int number, Result *trouble);
void worker_close(Worker *w);
void worker_do(Worker *w, int first, int n, Result *out);

/* --- outputs.c: the folder OUT --- */

typedef struct {
    const char *out;
    FILE *images, *defects; /* with names of their own until they are whole */
} Outputs;
/* Makes the folder; ends the program where it is there and may not be replaced. */
void outputs_open(Outputs *u, const Options *o, const Inputs *inputs);
/* The picture of what was found above the threshold; NULL, or why not. */
char *outputs_picture(const char *out, const char *name, const void *pixels, tilec_dtype dtype,
                      int height, int width, unsigned threshold);
bool outputs_add(Outputs *u, const Result *r); /* false: errno */
char *outputs_close(Outputs *u);               /* NULL, or why not */

/* --- crew.c: all images, on all threads --- */

typedef struct {
    int done, failed, with_defects;
    int64_t defects;
    double seconds;
    int code;
} Summary;
/* `first` is one of the workers, and is closed here; the others are opened. */
Summary crew_run(const Job *job, Worker *first, Outputs *outputs, Sheet *sheet);

/* --- progress.c: a line on a terminal, Ctrl-C --- */

extern volatile int progress_signal; /* the one that asked to end; 0 */
void progress_watch(void);           /* from now on signals are noted, and a later one ends */
void progress_end(void);             /* by the signal that was noted */
double progress_now(void);           /* seconds */
void progress_show(int done, int all, double seconds);
void progress_wipe(void);

#endif
