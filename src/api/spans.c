/*
 * spans.c - tell the caller of a launch what took how long, and on which thread
 */
#include "api.h"

enum { MOST_STINTS = 1 << 17 };

static void tell_span(const Request *r, const tilec_span *span)
{
    r->options.on_span(r->options.user, span);
}

/* One part of a compile, which begins where the one before it ended. */
static void tell_phase(const Request *r, const char *name, double *at, double seconds)
{
    const tilec_span span = {
        .kind = TILEC_SPAN_PHASE, .name = name, .start = *at, .end = *at + seconds};

    if (seconds > 0)
        tell_span(r, &span);
    *at = span.end;
}

void spans_tell_compile(const Request *r, double start)
{
    const tilec_span all = {
        .kind = TILEC_SPAN_COMPILE, .name = r->kernel->name, .start = start, .end = os_seconds()};
    const CompileParts *parts = &r->variant->parts;
    double known = parts->generator + parts->emit + parts->assemble, at = start;

    if (!r->options.on_span)
        return;
    tell_span(r, &all);
    if (r->variant->from_cache || known <= 0 || known > all.end - start)
        return;
    tell_phase(r, "front end, cache", &at, all.end - start - known);
    tell_phase(r, "load the code generator", &at, parts->generator);
    tell_phase(r, "make code", &at, parts->emit);
    tell_phase(r, "assemble", &at, parts->assemble);
}

Stints *spans_begin(const Request *r)
{
    return r->options.on_span ? stints_new(MOST_STINTS) : NULL;
}

void spans_tell_launch(const Request *r, Stints *stints, double start)
{
    const tilec_span all = {
        .kind = TILEC_SPAN_LAUNCH, .name = r->kernel->name, .start = start, .end = os_seconds()};
    tilec_span there = all;

    tell_span(r, &all);
    if (device_at(r->device)->arrays && r->options.seconds) {
        there.kind = TILEC_SPAN_DEVICE;
        there.start = MAX(start, all.end - *r->options.seconds);
        tell_span(r, &there);
    }
    for (int64_t i = 0; stints && i < stints_count(stints); i++) {
        const Stint *s = &stints->at[i];
        const tilec_span span = {.kind = TILEC_SPAN_PROGRAMS,
                                 .name = r->kernel->name,
                                 .start = s->start,
                                 .end = s->end,
                                 .thread = s->worker,
                                 .programs = {s->first, s->last}};
        tell_span(r, &span);
    }
    stints_free(stints);
}
