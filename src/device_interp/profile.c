/*
 * profile.c - how long the interpreter was at each line
 *
 * It runs op by op, so nothing has to be sampled: the time from the beginning of an op to that of
 * the next one is the op's, and its line's.  A launch adds its own up, by op, and when it ends to
 * what all launches since the start took, by line, since ops are gone when their file is unloaded.
 */
#include "device_interp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *file; /* NULL: what a launch does around its ops */
    int line;
    double seconds;
} LineTime;

static struct {
    pthread_mutex_t lock;
    bool taken, paused;
    LineTime *lines;
    int nlines;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct {
    const Op *op;
    double seconds;
} OpTime;

struct OpClock {
    Arena *arena;
    Map *times; /* Op* to OpTime* */
    VEC(OpTime *) all;
    OpTime *now;
    double since;
};

/* --- all launches --- */

static void forget_lines(void)
{
    for (int i = 0; i < profile.nlines; i++)
        free(profile.lines[i].file);
    free(profile.lines);
    profile.lines = NULL;
    profile.nlines = 0;
}

RunStatus op_clock_start(const char **why)
{
    pthread_mutex_lock(&profile.lock);
    bool taken = profile.taken;
    profile.taken = true;
    if (!taken)
        profile.paused = false;
    pthread_mutex_unlock(&profile.lock);
    *why = "samples are being taken already";
    return taken ? RUN_FAILED : RUN_OK;
}

void op_clock_pause(bool paused)
{
    pthread_mutex_lock(&profile.lock);
    profile.paused = paused;
    pthread_mutex_unlock(&profile.lock);
}

void op_clock_stop(void (*on_sample)(void *ctx, const DeviceSample *sample), void *ctx)
{
    pthread_mutex_lock(&profile.lock);
    for (int i = 0; i < profile.nlines; i++) {
        const LineTime *l = &profile.lines[i];
        on_sample(ctx, &(DeviceSample){.file = l->file,
                                       .line = l->line,
                                       .clock = "microseconds",
                                       .steps = (uint64_t)(l->seconds * 1e6 + 0.5)});
    }
    forget_lines();
    profile.taken = false;
    pthread_mutex_unlock(&profile.lock);
}

static LineTime *find_line_time(const char *file, int line)
{
    for (int i = 0; i < profile.nlines; i++) {
        LineTime *l = &profile.lines[i];
        bool same_file = file && l->file ? strcmp(file, l->file) == 0 : file == l->file;
        if (l->line == line && same_file)
            return l;
    }
    return NULL;
}

/* A lack of memory loses the time of a line. */
static void add_line_time(const char *file, int line, double seconds)
{
    LineTime *l = find_line_time(file, line);

    if (l) {
        l->seconds += seconds;
        return;
    }
    char *kept = file ? strdup(file) : NULL;
    LineTime *more =
        file && !kept ? NULL : realloc(profile.lines, sizeof *more * (size_t)(profile.nlines + 1));
    if (!more) {
        free(kept);
        return;
    }
    profile.lines = more;
    more[profile.nlines++] = (LineTime){kept, line, seconds};
}

/* --- one launch --- */

/* The time from now on is this op's. */
static void begin_op_time(OpClock *c, const Op *op)
{
    c->now = map_get(c->times, MAP_KEY(op));
    if (c->now)
        return;
    c->now = NEW(c->arena, OpTime);
    c->now->op = op;
    map_put(c->times, MAP_KEY(op), c->now);
    vec_push(c->arena, &c->all, c->now);
}

OpClock *op_clock_new(Arena *a)
{
    pthread_mutex_lock(&profile.lock);
    bool runs = profile.taken && !profile.paused;
    pthread_mutex_unlock(&profile.lock);
    if (!runs)
        return NULL;
    OpClock *c = NEW(a, OpClock);
    c->arena = a;
    c->times = map_new(a);
    c->since = os_seconds();
    begin_op_time(c, NULL);
    return c;
}

static void change_op(OpClock *c, const Op *op)
{
    double now = os_seconds();

    c->now->seconds += now - c->since;
    c->since = now;
    if (c->now->op != op)
        begin_op_time(c, op);
}

/* The end of a block is the time of what is before it. */
bool op_clock_at(void *clock, const InterpFrame *f, const Op *op)
{
    (void)f;
    if (!op_has(op, ENDS))
        change_op(clock, op);
    return true;
}

void op_clock_end(OpClock *c, const SourceMap *sources)
{
    if (!c)
        return;
    change_op(c, NULL);
    pthread_mutex_lock(&profile.lock);
    for (int i = 0; profile.taken && i < c->all.len; i++) {
        const OpTime *t = c->all.at[i];
        Place at = t->op ? source_place(sources, t->op->span.start) : (Place){0};
        add_line_time(at.source ? at.source->path : NULL, at.line, t->seconds);
    }
    pthread_mutex_unlock(&profile.lock);
}
