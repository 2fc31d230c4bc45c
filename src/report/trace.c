/*
 * trace.c - what `run --trace` writes: when what ran on which thread
 *
 * The format is that of Chrome's chrome://tracing, which ui.perfetto.dev reads too: complete events
 * ("X") with a start and a duration in microseconds, counted from the first one, and names of the
 * process and of threads ("M").  docs/debugging.md has the events and what they say.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Rows: threads, the device, and behind it as many as a multiprocessor has room for programs. */
enum { PROCESS = 1, DEVICE_ROW = 1000, UNIT_ROWS = 32 };

static const char *kind_name(int kind)
{
    switch (kind) {
    case TILEC_SPAN_COMPILE:
        return "compile";
    case TILEC_SPAN_PHASE:
        return "phase";
    case TILEC_SPAN_LAUNCH:
        return "launch";
    case TILEC_SPAN_PROGRAMS:
        return "programs";
    case TILEC_SPAN_DEVICE:
        return "device";
    }
    return "copy";
}

static void add_event(Trace *t, const tilec_span *span, int64_t bytes)
{
    TraceEvent e = {.span = *span, .bytes = bytes};

    e.span.name = arena_strndup(t->arena, span->name, strlen(span->name));
    vec_push(t->arena, &t->events, e);
}

void trace_add(Trace *t, const tilec_span *span)
{
    add_event(t, span, 0);
}

void trace_copy(Trace *t, const char *name, double start, int64_t bytes)
{
    const tilec_span span = {
        .kind = (tilec_span_kind)TRACE_COPY, .name = name, .start = start, .end = os_seconds()};

    add_event(t, &span, bytes);
}

/* Of the process, or with a number of one of its threads. */
static void put_name(Text *out, int thread, const char *name)
{
    json_line(out);
    json_object(out, NULL);
    json_text(out, "name", thread < 0 ? "process_name" : "thread_name");
    json_text(out, "ph", "M");
    json_int(out, "pid", PROCESS);
    if (thread >= 0)
        json_int(out, "tid", thread);
    json_object(out, "args");
    json_text(out, "name", name);
    json_object_end(out);
    json_object_end(out);
}

static const char *span_name(Arena *a, const tilec_span *s)
{
    if (s->kind == TILEC_SPAN_COMPILE || s->kind == TILEC_SPAN_LAUNCH)
        return arena_printf(a, "%s %s", kind_name(s->kind), s->name);
    if (s->kind != TILEC_SPAN_PROGRAMS)
        return s->name;
    if (s->programs.last == s->programs.first + 1)
        return arena_printf(a, "program %lld", (long long)s->programs.first);
    return arena_printf(a, "programs %lld..%lld", (long long)s->programs.first,
                        (long long)s->programs.last - 1);
}

/* What a viewer shows of the event that was clicked on. */
static void put_args(Text *out, const Trace *t, const TraceEvent *e)
{
    int kind = e->span.kind;

    if (kind == TILEC_SPAN_PROGRAMS) {
        json_int(out, "first", e->span.programs.first);
        json_int(out, "last", e->span.programs.last - 1);
    } else if (kind == TILEC_SPAN_LAUNCH || kind == TILEC_SPAN_DEVICE) {
        json_text(out, "device", t->device);
        json_array(out, "grid");
        for (int axis = 0; axis < 3; axis++)
            json_int(out, NULL, t->grid[axis]);
        json_array_end(out);
    } else if (kind == TRACE_COPY) {
        json_int(out, "bytes", e->bytes);
    }
}

static void put_event(Text *out, const Trace *t, const TraceEvent *e, double first)
{
    const tilec_span *s = &e->span;

    json_line(out);
    json_object(out, NULL);
    json_text(out, "name", span_name(out->arena, s));
    json_text(out, "cat", kind_name(s->kind));
    json_text(out, "ph", "X");
    json_fixed(out, "ts", (s->start - first) * 1e6, 3);
    json_fixed(out, "dur", (s->end - s->start) * 1e6, 3);
    json_int(out, "pid", PROCESS);
    json_int(out, "tid", e->row);
    json_object(out, "args");
    put_args(out, t, e);
    json_object_end(out);
    json_object_end(out);
}

/* --- rows --- */

static int by_start(const void *a, const void *b)
{
    const TraceEvent *x = *(TraceEvent *const *)a, *y = *(TraceEvent *const *)b;

    return (x->span.start > y->span.start) - (x->span.start < y->span.start);
}

typedef struct {
    double ends[UNIT_ROWS]; /* when what was last in each row ended */
    bool used[UNIT_ROWS];
} Unit;

/* A multiprocessor runs several programs at once, and a row holds one at a time: each goes to the
 * first row of its multiprocessor that is free then. */
static void place_on_unit(Unit *u, TraceEvent *e)
{
    int row = 0;

    while (row < UNIT_ROWS - 1 && u->ends[row] > e->span.start)
        row++;
    u->ends[row] = e->span.end;
    u->used[row] = true;
    e->row = DEVICE_ROW + 1 + UNIT_ROWS * e->span.thread + row;
}

static void place_on_device(Text *out, TraceEvent **programs, int n)
{
    int units = 0;

    for (int i = 0; i < n; i++)
        units = MAX(units, programs[i]->span.thread + 1);
    Unit *all = NEW_N(out->arena, Unit, units + 1);
    qsort(programs, (size_t)n, sizeof *programs, by_start);
    for (int i = 0; i < n; i++)
        place_on_unit(&all[programs[i]->span.thread], programs[i]);
    for (int i = 0; i < units * UNIT_ROWS; i++) {
        if (all[i / UNIT_ROWS].used[i % UNIT_ROWS])
            put_name(out, DEVICE_ROW + 1 + i,
                     arena_printf(out->arena, "multiprocessor %d", i / UNIT_ROWS));
    }
}

/* Threads, and where the device has a clock of its own that and its multiprocessors behind them. */
static void place(Text *out, const Trace *t)
{
    TraceEvent **programs = NEW_N(t->arena, TraceEvent *, t->events.len + 1);
    bool has_clock = false;
    int n = 0, threads = 1;

    for (int i = 0; i < t->events.len; i++)
        has_clock |= t->events.at[i].span.kind == TILEC_SPAN_DEVICE;
    for (int i = 0; i < t->events.len; i++) {
        TraceEvent *e = &t->events.at[i];

        e->row = e->span.kind == TILEC_SPAN_DEVICE ? DEVICE_ROW : e->span.thread;
        if (has_clock && e->span.kind == TILEC_SPAN_PROGRAMS)
            programs[n++] = e;
        else if (e->span.kind != TILEC_SPAN_DEVICE)
            threads = MAX(threads, e->row + 1);
    }
    put_name(out, -1, arena_printf(t->arena, "tilec on %s", t->device));
    for (int i = 0; i < threads; i++)
        put_name(out, i, i ? arena_printf(t->arena, "worker %d", i) : "caller");
    if (has_clock)
        put_name(out, DEVICE_ROW, t->device);
    place_on_device(out, programs, n);
}

int trace_write(const Trace *t, const char *path)
{
    Text out = text_new(t->arena);
    double first = t->events.len > 0 ? t->events.at[0].span.start : 0;

    for (int i = 0; i < t->events.len; i++)
        first = MIN(first, t->events.at[i].span.start);
    json_object(&out, NULL);
    json_text(&out, "displayTimeUnit", "ns");
    json_array(&out, "traceEvents");
    place(&out, t);
    for (int i = 0; i < t->events.len; i++)
        put_event(&out, t, &t->events.at[i], first);
    text_put(&out, "\n");
    json_array_end(&out);
    json_object_end(&out);
    text_put(&out, "\n");
    return os_write_file(path, out.s, out.len);
}
