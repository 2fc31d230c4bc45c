/*
 * trace.c - what `run --trace` writes: when what ran on which thread
 *
 * The format is that of Chrome's chrome://tracing, which ui.perfetto.dev reads too: complete events
 * ("X") with a start and a duration in microseconds, counted from the first one, and names of
 * threads ("M").
 */
#include "cli.h"

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

static void put_thread(Text *out, int thread)
{
    text_printf(out,
                ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"args\": "
                "{\"name\": \"%s",
                PROCESS, thread, thread == 0 ? "caller" : "worker");
    if (thread > 0)
        text_printf(out, " %d", thread);
    text_put(out, "\"}}");
}

static void put_span(Text *out, const tilec_span *s, double first)
{
    bool programs = s->kind == TILEC_SPAN_PROGRAMS;

    text_put(out, ",\n{\"name\": ");
    if (programs && s->programs.last == s->programs.first + 1)
        text_printf(out, "\"program %lld\"", (long long)s->programs.first);
    else if (programs)
        text_printf(out, "\"programs %lld..%lld\"", (long long)s->programs.first,
                    (long long)s->programs.last - 1);
    else
        put_json_text(out, s->kind == TILEC_SPAN_COMPILE || s->kind == TILEC_SPAN_LAUNCH
                               ? arena_printf(out->arena, "%s %s", kind_name(s->kind), s->name)
                               : s->name);
    text_printf(out,
                ", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": %d, "
                "\"tid\": %d",
                kind_name(s->kind), (s->start - first) * 1e6, (s->end - s->start) * 1e6, PROCESS,
                s->thread);
    if (programs)
        text_printf(out, ", \"args\": {\"first\": %lld, \"last\": %lld}",
                    (long long)s->programs.first, (long long)s->programs.last - 1);
    text_put(out, "}");
}

void trace_write(Cli *c, const Trace *t, const char *path)
{
    Text out = text_new(c->arena);
    int threads = 1;
    double first = t->spans.len > 0 ? t->spans.at[0].start : 0;

    for (int i = 0; i < t->spans.len; i++) {
        threads = MAX(threads, t->spans.at[i].thread + 1);
        first = MIN(first, t->spans.at[i].start);
    }
    text_printf(&out,
                "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n{\"name\": \"process_name\", "
                "\"ph\": \"M\", \"pid\": %d, \"args\": {\"name\": \"tilec\"}}",
                PROCESS);
    for (int i = 0; i < threads; i++)
        put_thread(&out, i);
    for (int i = 0; i < t->spans.len; i++)
        put_span(&out, &t->spans.at[i], first);
    text_put(&out, "\n]}\n");
    int error = os_write_file(path, out.s, out.len);
    if (error)
        complain(c, CLI_FILES, "the trace could not be saved: %s: %s", path, os_error_text(error));
}
