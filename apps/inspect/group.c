/*
 * group.c - images of one shape on the device: find the template, shift and crop, look for defects
 *
 * Four launches of the kernels of kernels/: find_kernel and best_kernel say for each image where
 * the template fits best, shift_kernel brings that to its place and cuts out the crop, and
 * rectangle_kernel, which takes any element, makes of the crop what the operation finds.  Positions
 * are searched as far as both the template and the crop stay inside of the image, so that no pixel
 * is ever made up.
 */
#include "device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tilec_call.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* --- the shape --- */

static Status too_small(char **why, const char *what, int height, int width, const Group *g)
{
    *why =
        format("it is of %d x %d pixels, %s of %d x %d", g->height, g->width, what, height, width);
    return "too small";
}

/* Along one axis: how far the part may lie off its place. */
static void set_range(Range *r, int size, int crop, int template, int place, int search)
{
    const int before = (size - crop) / 2, after = size - crop - before;

    r->place = place;
    r->most_up = least(least(before, place), search);
    r->most_down = least(least(after, size - template - place), search);
    r->crop_begins = before;
}

Status group_shape(Group *g, const Device *d, tilec_dtype dtype, int64_t height, int64_t width,
                   char **why)
{
    const Options *o = d->options;
    const Template *t = &d->template;
    const int search = o->search < 0 ? 1 << 30 : o->search;

    group_free(g);
    if (height > 1 << 15 || width > 1 << 15) {
        *why = format("it is of %lld x %lld pixels, and %d to a side are inspected",
                      (long long)height, (long long)width, 1 << 15);
        return "too large";
    }
    *g = (Group){.dtype = dtype, .height = (int)height, .width = (int)width};
    if (dtype != t->dtype) {
        *why = format("its pixels are %s, those of the template %s", tilec_dtype_name(dtype),
                      tilec_dtype_name(t->dtype));
        return "type";
    }
    g->crop_height = o->crop.height ? o->crop.height : g->height - g->height / 8;
    g->crop_width = o->crop.height ? o->crop.width : g->width - g->width / 8;
    if (g->crop_height > g->height || g->crop_width > g->width || height < 1 || width < 1)
        return too_small(why, "the crop", g->crop_height, g->crop_width, g);
    const int y = o->has_place ? o->place[0] : (g->height - t->height) / 2;
    const int x = o->has_place ? o->place[1] : (g->width - t->width) / 2;
    if (t->height > g->height || t->width > g->width || y + t->height > g->height ||
        x + t->width > g->width)
        return too_small(why, o->has_place ? "the template at its place" : "the template",
                         t->height, t->width, g);
    set_range(&g->rows, g->height, g->crop_height, t->height, y, search);
    set_range(&g->columns, g->width, g->crop_width, t->width, x, search);
    return NULL;
}

size_t group_image_bytes(const Group *g)
{
    const size_t image = (size_t)g->height * (size_t)g->width;

    return (image + 2 * (size_t)g->crop_height * (size_t)g->crop_width) *
           tilec_dtype_size(g->dtype);
}

/* At a multiple of 64 bytes, for which the fastest code is compiled. */
static void *aligned(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
}

bool group_room(Group *g, int cap)
{
    const size_t size = tilec_dtype_size(g->dtype);
    const size_t image = (size_t)g->height * (size_t)g->width * size;
    const size_t crop = (size_t)g->crop_height * (size_t)g->crop_width * size;

    g->images = aligned((size_t)cap * image);
    g->crops = aligned((size_t)cap * crop);
    g->found = aligned((size_t)cap * crop);
    g->places = calloc((size_t)cap, sizeof *g->places);
    if (!g->images || !g->crops || !g->found || !g->places) {
        group_free(g);
        return false;
    }
    g->cap = cap;
    return true;
}

void group_free(Group *g)
{
    free(g->images);
    free(g->crops);
    free(g->found);
    free(g->places);
    *g = (Group){0};
}

/* --- the launches --- */

/* What one of them needs beside the group. */
typedef struct {
    Device *d;
    Group *g;
    int64_t images[3], crops[3]; /* shapes */
    char *error;
    tilec_status status; /* of the first that failed */
} Chain;

static void launch(Chain *c, tilec_file *file, const char *kernel, tilec_grid grid,
                   const tilec_arg *args, int nargs)
{
    if (!c->status)
        c->status =
            tilec_launch(file, kernel, grid.programs, args, nargs, &c->d->launch, &c->error);
}
#define LAUNCH(chain, file, kernel, grid, ...)                                                     \
    launch(chain, file, kernel, grid, ((const tilec_arg[]){__VA_ARGS__}),                          \
           (int)(sizeof((const tilec_arg[]){__VA_ARGS__}) / sizeof(tilec_arg)))

static tilec_arg array(const Chain *c, MirrorId id, tilec_dtype dtype, int ndim,
                       const int64_t *shape)
{
    return mirror_arg(c->d, &c->d->mirrors[id], dtype, ndim, shape);
}

/* Of `size` in as few blocks of at most `most` as there can be, the extent of each, rounded up to a
 * multiple of `unit`. */
static int even_block(int size, int most, int unit)
{
    const int blocks = (size + most - 1) / most;

    return ((size + blocks - 1) / blocks + unit - 1) / unit * unit;
}

/* How the positions of the search are spread over programs. */
typedef struct {
    int rows, columns, block_y, block_x;
    int64_t pieces; /* programs of an image */
} Search;

static Search search_of(const Group *g)
{
    Search s = {.rows = g->rows.most_up + g->rows.most_down + 1,
                .columns = g->columns.most_up + g->columns.most_down + 1};

    s.block_y = even_block(s.rows, 12, 1);
    s.block_x = even_block(s.columns, 64, 16);
    s.pieces = tilec_cdiv(s.rows, s.block_y) * tilec_cdiv(s.columns, s.block_x);
    return s;
}

static void find(Chain *c)
{
    const Group *g = c->g;
    const Template *t = &c->d->template;
    const Search s = search_of(g);
    const int64_t templates[] = {1, t->height, t->width}, parts[] = {g->n, 1, s.pieces};
    const int64_t best[] = {g->n, 1}, offsets[] = {g->n, 1, 2};

    LAUNCH(c, c->d->registration, "find_kernel", TILEC_GRID(s.pieces, 1, g->n),
           array(c, IMAGES, g->dtype, 3, c->images), array(c, TEMPLATES, g->dtype, 3, templates),
           array(c, SCORES, TILEC_FP64, 3, parts), array(c, PLACES, TILEC_I32, 3, parts),
           TILEC_VALUE(g->height), TILEC_VALUE(g->width),
           TILEC_VALUE(g->rows.place - g->rows.most_up),
           TILEC_VALUE(g->columns.place - g->columns.most_up), TILEC_VALUE(s.rows),
           TILEC_VALUE(s.columns), TILEC_VALUE(g->height * g->width), TILEC_VALUE(g->width),
           TILEC_VALUE(0), TILEC_VALUE(t->height * t->width), TILEC_VALUE(t->width),
           TILEC_NAMED(TH, t->height), TILEC_NAMED(TW, t->width), TILEC_NAMED(NORMALISED, true),
           TILEC_NAMED(BLOCK_Y, s.block_y), TILEC_NAMED(BLOCK_X, s.block_x));
    LAUNCH(c, c->d->registration, "best_kernel", TILEC_GRID(g->n),
           array(c, SCORES, TILEC_FP64, 3, parts), array(c, PLACES, TILEC_I32, 3, parts),
           array(c, BEST, TILEC_FP64, 2, best), array(c, OFFSETS, TILEC_I32, 3, offsets),
           TILEC_VALUE(s.pieces), TILEC_VALUE(s.columns), TILEC_VALUE(g->rows.most_up),
           TILEC_VALUE(g->columns.most_up), TILEC_NAMED(BLOCK, 256));
}

static void shift(Chain *c)
{
    const Group *g = c->g;
    const bool is_gpu = device_is_gpu(c->d);
    const int block_y = even_block(g->crop_height, is_gpu ? 32 : 64, 16);
    const int block_x = even_block(g->crop_width, is_gpu ? 64 : 256, 16);
    const int64_t offsets[] = {g->n, 2};

    LAUNCH(
        c, c->d->registration, "shift_kernel",
        TILEC_GRID(tilec_cdiv(g->crop_width, block_x), tilec_cdiv(g->crop_height, block_y), g->n),
        array(c, IMAGES, g->dtype, 3, c->images), array(c, CROPS, g->dtype, 3, c->crops),
        array(c, OFFSETS, TILEC_I32, 2, offsets), TILEC_VALUE(g->height), TILEC_VALUE(g->width),
        TILEC_VALUE(g->crop_height), TILEC_VALUE(g->crop_width), TILEC_VALUE(g->rows.crop_begins),
        TILEC_VALUE(g->columns.crop_begins), TILEC_VALUE(g->height * g->width),
        TILEC_VALUE(g->width), TILEC_VALUE(g->crop_height * g->crop_width),
        TILEC_VALUE(g->crop_width), TILEC_VALUE(0), TILEC_NAMED(UNDO, true),
        TILEC_NAMED(BILINEAR, false), TILEC_NAMED(BLOCK_Y, block_y), TILEC_NAMED(BLOCK_X, block_x));
}

static tilec_grid tiles_of(const Group *g, int block_h, int block_w)
{
    return TILEC_GRID(tilec_cdiv(g->crop_width, block_w), tilec_cdiv(g->crop_height, block_h),
                      g->n);
}

static void look(Chain *c)
{
    const Group *g = c->g;
    const Options *o = c->d->options;
    const int kh = o->element_size.height, kw = o->element_size.width;
    const bool is_gpu = device_is_gpu(c->d);
    const int block_h = even_block(g->crop_height, is_gpu ? 32 : 112, 16);
    const int block_w = even_block(g->crop_width, is_gpu ? 64 : 256, 16);

    LAUNCH(c, c->d->morphology, "rectangle_kernel", tiles_of(g, block_h, block_w),
           array(c, CROPS, g->dtype, 3, c->crops), array(c, FOUND, g->dtype, 3, c->crops),
           TILEC_VALUE(g->crop_height), TILEC_VALUE(g->crop_width),
           TILEC_VALUE(g->crop_height * g->crop_width), TILEC_VALUE(g->crop_width),
           TILEC_VALUE(g->crop_height * g->crop_width), TILEC_VALUE(g->crop_width), TILEC_VALUE(0),
           tilec_none(), TILEC_NAMED(OP, o->op), TILEC_NAMED(KH, kh), TILEC_NAMED(KW, kw),
           TILEC_NAMED(ANCHOR_Y, kh / 2), TILEC_NAMED(ANCHOR_X, kw / 2),
           TILEC_NAMED(BORDER, "none"), TILEC_NAMED(BLOCK_H, block_h),
           TILEC_NAMED(BLOCK_W, block_w),
           tilec_named("ELEMENT", c->d->element ? tilec_text(c->d->element) : tilec_none()));
}

/* --- the whole --- */

static size_t crop_bytes(const Group *g)
{
    return (size_t)g->crop_height * (size_t)g->crop_width * tilec_dtype_size(g->dtype);
}

/* Arrays of the device for a group; those of the search are small. */
static char *make_arrays(Device *d, Group *g)
{
    const size_t n = (size_t)g->cap, crops = n * crop_bytes(g);
    const size_t pieces = n * (size_t)search_of(g).pieces;
    const size_t size = tilec_dtype_size(g->dtype);

    d->scores = more(d->scores, pieces * sizeof *d->scores);
    d->places = more(d->places, pieces * sizeof *d->places);
    d->best = more(d->best, n * sizeof *d->best);
    d->offsets = more(d->offsets, 2 * n * sizeof *d->offsets);
    const struct {
        MirrorId id;
        void *host;
        size_t bytes;
    } arrays[] = {
        {IMAGES, g->images, n * (size_t)g->height * (size_t)g->width * size},
        {TEMPLATES, d->template.pixels,
         (size_t)d->template.height * (size_t)d->template.width * size},
        {SCORES, d->scores, pieces * sizeof *d->scores},
        {PLACES, d->places, pieces * sizeof *d->places},
        {BEST, d->best, n * sizeof *d->best},
        {OFFSETS, d->offsets, 2 * n * sizeof *d->offsets},
        {CROPS, g->crops, crops},
        {FOUND, g->found, crops},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char *why = mirror_set(d, &d->mirrors[arrays[i].id], arrays[i].host, arrays[i].bytes);

        if (why)
            return why;
    }
    return NULL;
}

static char *copy_some(Device *d, const Group *g, bool to_device)
{
    const size_t n = (size_t)g->n;
    const size_t images = n * (size_t)g->height * (size_t)g->width * tilec_dtype_size(g->dtype);
    const size_t template = (size_t)d->template.height * (size_t)d->template.width *
                            tilec_dtype_size(d->template.dtype);
    const struct {
        MirrorId id;
        size_t bytes;
        bool to_device;
    } copies[] = {
        {IMAGES, images, true},
        {TEMPLATES, template, true},
        {BEST, n * sizeof *d->best, false},
        {OFFSETS, 2 * n * sizeof *d->offsets, false},
        {CROPS, n * crop_bytes(g), false},
        {FOUND, n * crop_bytes(g), false},
    };
    char *why = NULL;

    for (size_t i = 0; i < sizeof copies / sizeof *copies && !why; i++) {
        if (copies[i].to_device == to_device)
            why = mirror_copy(d, &d->mirrors[copies[i].id], copies[i].bytes, to_device);
    }
    return why;
}

static char *run(Device *d, Group *g)
{
    Chain c = {.d = d,
               .g = g,
               .images = {g->n, g->height, g->width},
               .crops = {g->n, g->crop_height, g->crop_width}};
    char *why = make_arrays(d, g);

    if (!why)
        why = copy_some(d, g, true);
    if (why)
        return why;
    find(&c);
    shift(&c);
    look(&c);
    if (c.status)
        return device_why(c.error);
    if ((why = copy_some(d, g, false)))
        return why;
    for (int i = 0; i < g->n; i++)
        g->places[i] = (Place){d->offsets[2 * i], d->offsets[2 * i + 1], d->best[i]};
    return NULL;
}

char *group_run(Device *d, Group *g)
{
    static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;
    char *why;

    if (g->has_run)
        return run(d, g);
    /* the first one compiles, and others then find the code in the cache */
    pthread_mutex_lock(&compiling);
    why = run(d, g);
    pthread_mutex_unlock(&compiling);
    g->has_run = true;
    return why;
}
