/*
 * trace.c - what `run --trace` writes: when what ran on which thread
 *
 * The format is that of Chrome's chrome://tracing, which ui.perfetto.dev reads too: complete events
 * ("X") with a start and a duration in microseconds, counted from the first one, and names of the
 * process and of threads ("M").  docs/debugging.md has the events and what they say.
 */
#include "report.h"

#include <string.h>

enum { PROCESS = 1 };

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
    TraceEvent e = {*span, bytes};

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

static void put_event(Text *out, const Trace *t, const TraceEvent *e, double first, int thread)
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
    json_int(out, "tid", thread);
    json_object(out, "args");
    put_args(out, t, e);
    json_object_end(out);
    json_object_end(out);
}

/* Threads, and behind them a row for what a clock of the device says. */
static void put_names(Text *out, const Trace *t, int threads)
{
    bool has_clock = false;

    put_name(out, -1, arena_printf(t->arena, "tilec on %s", t->device));
    for (int i = 0; i < threads; i++)
        put_name(out, i, i ? arena_printf(t->arena, "worker %d", i) : "caller");
    for (int i = 0; i < t->events.len; i++)
        has_clock |= t->events.at[i].span.kind == TILEC_SPAN_DEVICE;
    if (has_clock)
        put_name(out, threads, t->device);
}

int trace_write(const Trace *t, const char *path)
{
    Text out = text_new(t->arena);
    int threads = 1;
    double first = t->events.len > 0 ? t->events.at[0].span.start : 0;

    for (int i = 0; i < t->events.len; i++) {
        threads = MAX(threads, t->events.at[i].span.thread + 1);
        first = MIN(first, t->events.at[i].span.start);
    }
    json_object(&out, NULL);
    json_text(&out, "displayTimeUnit", "ns");
    json_array(&out, "traceEvents");
    put_names(&out, t, threads);
    for (int i = 0; i < t->events.len; i++) {
        const TraceEvent *e = &t->events.at[i];

        put_event(&out, t, e, first, e->span.kind == TILEC_SPAN_DEVICE ? threads : e->span.thread);
    }
    text_put(&out, "\n");
    json_array_end(&out);
    json_object_end(&out);
    text_put(&out, "\n");
    return os_write_file(path, out.s, out.len);
}
