/*
 * trace.c - what `run --trace` writes: when what ran on which thread
 *
 * The format is that of Chrome's chrome://tracing, which ui.perfetto.dev reads too: complete events
 * ("X") with a start and a duration in microseconds, counted from the first one, and names of
 * threads ("M").
 */
#include "report.h"

#include <string.h>

enum { PROCESS = 1 };

static const char *kind_name(tilec_span_kind kind)
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
    }
    return "copy";
}

void trace_add(Trace *t, const tilec_span *span)
{
    tilec_span kept = *span;

    kept.name = arena_strndup(t->arena, span->name, strlen(span->name));
    vec_push(t->arena, &t->spans, kept);
}

void trace_copy(Trace *t, const char *name, double start)
{
    const tilec_span span = {
        .kind = (tilec_span_kind)TRACE_COPY, .name = name, .start = start, .end = os_seconds()};

    trace_add(t, &span);
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

static void put_span(Text *out, const tilec_span *s, double first)
{
    json_line(out);
    json_object(out, NULL);
    json_text(out, "name", span_name(out->arena, s));
    json_text(out, "cat", kind_name(s->kind));
    json_text(out, "ph", "X");
    json_fixed(out, "ts", (s->start - first) * 1e6, 3);
    json_fixed(out, "dur", (s->end - s->start) * 1e6, 3);
    json_int(out, "pid", PROCESS);
    json_int(out, "tid", s->thread);
    if (s->kind == TILEC_SPAN_PROGRAMS) {
        json_object(out, "args");
        json_int(out, "first", s->programs.first);
        json_int(out, "last", s->programs.last - 1);
        json_object_end(out);
    }
    json_object_end(out);
}

int trace_write(const Trace *t, const char *path)
{
    Text out = text_new(t->arena);
    int threads = 1;
    double first = t->spans.len > 0 ? t->spans.at[0].start : 0;

    for (int i = 0; i < t->spans.len; i++) {
        threads = MAX(threads, t->spans.at[i].thread + 1);
        first = MIN(first, t->spans.at[i].start);
    }
    json_object(&out, NULL);
    json_text(&out, "displayTimeUnit", "ns");
    json_array(&out, "traceEvents");
    put_name(&out, -1, "tilec");
    for (int i = 0; i < threads; i++)
        put_name(&out, i, i ? arena_printf(t->arena, "worker %d", i) : "caller");
    for (int i = 0; i < t->spans.len; i++)
        put_span(&out, &t->spans.at[i], first);
    text_put(&out, "\n");
    json_array_end(&out);
    json_object_end(&out);
    text_put(&out, "\n");
    return os_write_file(path, out.s, out.len);
}
