/*
 * worker.c - a batch of images, from their names to rows of the tables
 *
 * A worker has a device, a group and defects of its own, so that workers share nothing but names.
 * It reads the images of its batch one by one into the group, and runs that when an image has
 * another shape or type, when it is full, or when it holds as many bytes as --memory leaves for a
 * worker.  What a row says depends on its image alone.
 */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

/* What is known of an image of the batch. */
typedef struct {
    Status status; /* NULL: inspected */
    bool is_done;  /* .. or it is known why not */
    char *why;
    Place place;
    bool has_place;
    int ndefects;
    int64_t area;
    Text defect_rows;
} Row;

struct Worker {
    const Job *job;
    Device *device;
    Group group;
    Defects defects;
    Ranking ranking;
    int *numbers;    /* of the images in the group, counted from the batch's first */
    Row *rows;       /* of a batch */
    uint64_t memory; /* bytes that this worker may have in hand */
};

void result_free(Result *r)
{
    text_free(&r->images);
    text_free(&r->defect_rows);
    text_free(&r->said);
    free(r->thumbs);
    free(r->fatal);
    *r = (Result){0};
}

static void fail_all(Result *out, int code, char *why)
{
    if (out->fatal) {
        free(why);
        return;
    }
    out->fatal = why;
    out->code = code;
}

Worker *worker_open(const Job *job, int number, Result *trouble)
{
    Worker *w = more(NULL, sizeof *w);
    char *why;
    int code;

    *w = (Worker){.job = job};
    if ((why = device_open(&w->device, job->options,
                           job->ranks->host_rank + number * job->ranks->host_size,
                           job->launch_threads, &code))) {
        fail_all(trouble, code, why);
        free(w);
        return NULL;
    }
    w->memory = job->options->memory / (uint64_t)job->workers;
    w->numbers = more(NULL, (size_t)job->batch * sizeof *w->numbers);
    w->rows = more(NULL, (size_t)job->batch * sizeof *w->rows);
    return w;
}

void worker_close(Worker *w)
{
    if (!w)
        return;
    group_free(&w->group);
    defects_free(&w->defects);
    device_close(w->device);
    free(w->numbers);
    free(w->rows);
    free(w);
}

/* --- one image, behind the launches --- */

static unsigned threshold_of(const Options *o, tilec_dtype dtype)
{
    if (o->threshold >= 0)
        return (unsigned)o->threshold;
    return dtype == TILEC_U8 ? 32 : 32 * 257;
}

static void put_defects(Row *row, const char *name, const Defects *d)
{
    for (int i = 0; i < d->n; i++) {
        const Defect *e = &d->at[i];

        text_add_field(&row->defect_rows, name);
        text_add(&row->defect_rows, ",%d,%lld,%d,%d,%d,%d,%u\n", i + 1, (long long)e->area, e->top,
                 e->left, e->bottom, e->right, e->peak);
    }
    row->ndefects = d->n;
    row->area = d->area;
}

static void add_thumb(Worker *w, int number, int k, Result *out)
{
    if (!ranking_add(&w->ranking, number, w->defects.area))
        return;
    ROOM(out->thumbs, out->nthumbs, out->thumbs_cap);
    thumb_make(&out->thumbs[out->nthumbs++], number, &w->group, k, &w->defects);
}

/* Image k of the group, which is image `number` of all. */
static void settle(Worker *w, int k, int number, Row *row, Result *out)
{
    const Options *o = w->job->options;
    const Input *input = &w->job->inputs->at[number];
    const Group *g = &w->group;
    const unsigned threshold = threshold_of(o, g->dtype);
    const size_t bytes =
        (size_t)g->crop_height * (size_t)g->crop_width * tilec_dtype_size(g->dtype);
    const char *found = (const char *)g->found + (size_t)k * bytes;
    char *why;

    row->is_done = true;
    row->place = g->places[k];
    row->has_place = true;
    if (!(row->place.score > o->least_score)) {
        row->status = "not found";
        row->why = format("the template is not found: its best score is %.6f", row->place.score);
        return;
    }
    label(&w->defects, found, g->dtype, g->crop_height, g->crop_width, threshold);
    if (!w->defects.n)
        return;
    put_defects(row, input->name, &w->defects);
    if ((why = outputs_picture(o->out, input->picture, found, g->dtype, g->crop_height,
                               g->crop_width, threshold)))
        fail_all(out, EXIT_FILES, why);
    add_thumb(w, number, k, out);
}

/* --- the group --- */

static void run_group(Worker *w, Result *out)
{
    char *why = w->group.n && !out->fatal ? group_run(w->device, &w->group) : NULL;

    if (why)
        fail_all(out, EXIT_SOME_FAILED, why);
    for (int k = 0; k < w->group.n && !out->fatal; k++)
        settle(w, k, out->first + w->numbers[k], &w->rows[w->numbers[k]], out);
    w->group.n = 0;
}

/* Makes the group one that takes an image of that kind; what was in it is run. */
static Status prepare_group(Worker *w, const Pixels *p, Result *out, char **why)
{
    Group *g = &w->group;
    Status status;
    uint64_t most;
    int cap;

    if (g->cap && p->dtype == g->dtype && p->height == g->height && p->width == g->width) {
        if (g->n == g->cap)
            run_group(w, out);
        return NULL;
    }
    run_group(w, out);
    if ((status = group_shape(g, w->device, p->dtype, p->height, p->width, why)))
        return status;
    most = w->memory / group_image_bytes(g);
    cap = most > (uint64_t)w->job->batch ? w->job->batch : (int)most;
    if (!group_room(g, cap > 1 ? cap : 1)) {
        *why = format("there is no memory for it");
        return "too large";
    }
    return NULL;
}

static void read_one(Worker *w, int i, Result *out)
{
    Row *row = &w->rows[i];
    Group *g = &w->group;
    Pixels p;

    row->status = pixels_read(&p, w->job->inputs, &w->job->inputs->at[out->first + i],
                              w->memory / 2, &row->why);
    if (row->status) {
        row->is_done = true;
        return;
    }
    row->status = prepare_group(w, &p, out, &row->why);
    if (!row->status)
        row->status = pixels_put(&p,
                                 (char *)g->images + (size_t)g->n * (size_t)(g->height * g->width) *
                                                         tilec_dtype_size(g->dtype),
                                 &row->why);
    if (row->status)
        row->is_done = true;
    else
        w->numbers[g->n++] = i;
    pixels_free(&p);
}

/* --- rows --- */

static void put_row(const Input *input, Row *row, Result *out)
{
    text_add_field(&out->images, input->name);
    if (row->status && !row->has_place) {
        text_add(&out->images, ",%s,,,,,\n", row->status);
    } else if (row->status) {
        text_add(&out->images, ",%s,%d,%d,%.6f,,\n", row->status, row->place.dy, row->place.dx,
                 row->place.score);
    } else {
        text_add(&out->images, ",ok,%d,%d,%.6f,%d,%lld\n", row->place.dy, row->place.dx,
                 row->place.score, row->ndefects, (long long)row->area);
    }
    if (row->status)
        text_add(&out->said, "%s: %s\n", input->name, row->why ? row->why : row->status);
    text_add_bytes(&out->defect_rows, row->defect_rows.at, row->defect_rows.len);
    out->done += !row->status;
    out->failed += row->status != NULL;
    out->with_defects += row->ndefects > 0;
    out->defects += row->ndefects;
}

void worker_do(Worker *w, int first, int n, Result *out)
{
    *out = (Result){.first = first, .n = n};
    memset(w->rows, 0, (size_t)n * sizeof *w->rows);
    w->group.n = 0;
    for (int i = 0; i < n && !out->fatal && !*w->job->stop; i++)
        read_one(w, i, out);
    run_group(w, out);
    for (int i = 0; i < n; i++) {
        Row *row = &w->rows[i];

        if (row->is_done)
            put_row(&w->job->inputs->at[first + i], row, out);
        text_free(&row->defect_rows);
        free(row->why);
    }
}
