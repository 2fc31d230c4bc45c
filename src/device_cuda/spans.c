/*
 * spans.c - when the programs of a launch ran, as their code noted it (GenSpan), for traces
 *
 * The chip's clock is not the host's: the end of the last program is taken for the moment at which
 * the host sees the launch end, a few microseconds later.
 */
#include <stdlib.h>

#include "device_cuda.h"

static int64_t spans_of(const DeviceLaunch *l)
{
    return MIN(grid_programs(l->grid), (int64_t)GEN_SPANS);
}

CuResult cuda_spans_open(const CudaScope *s, const DeviceLaunch *l, CuAddress *out)
{
    size_t bytes = (size_t)spans_of(l) * sizeof(GenSpan);
    CuResult r = s->driver->alloc_in(out, bytes, l->stream);

    return r == CU_SUCCESS ? s->driver->fill_32(*out, 0, bytes / 4, l->stream) : r;
}

/* In the host's seconds, of which `now` was when the last of them ended. */
static void add_stints(Stints *to, const GenSpan *spans, int64_t n, double now)
{
    uint64_t last = 0;

    for (int64_t i = 0; i < n; i++)
        last = MAX(last, spans[i].end);
    for (int64_t i = 0; i < n; i++) {
        const GenSpan *s = &spans[i];
        if (s->end >= s->start && s->end > 0) /* else it was ended before */
            stints_add(to, &(Stint){i, i + 1, now - (double)(last - s->start) * 1e-9,
                                    now - (double)(last - s->end) * 1e-9, (int)s->unit});
    }
}

CuResult cuda_spans_tell(const CudaScope *s, const DeviceLaunch *l, CuAddress at)
{
    int64_t n = spans_of(l);
    GenSpan *spans = malloc((size_t)n * sizeof *spans);
    CuResult r = s->driver->stream_wait(l->stream);
    double now = os_seconds();

    if (r == CU_SUCCESS && spans && l->stints) {
        r = s->driver->copy_to_host(spans, at, (size_t)n * sizeof *spans, l->stream);
        if (r == CU_SUCCESS)
            r = s->driver->stream_wait(l->stream);
        if (r == CU_SUCCESS)
            add_stints(l->stints, spans, n, now);
    }
    free(spans);
    return r;
}
