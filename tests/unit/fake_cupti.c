/*
 * fake_cupti.c - a stand-in for CUPTI's range profiler and its host part, for machines without
 *
 * Structs are those of CUDA 12.6's headers in offsets and sizes, which are written down here as
 * numbers, so that a field in the wrong place is found.  Metric i has the value i + 1.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fake_cupti.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define API __attribute__((visibility("default")))

enum { NO_METRIC = 17, IMAGE = 48, HOST = 1, RANGES = 2 };

static FakeCupti state;
static int configured;
static unsigned char *image; /* of the counts: where decoding goes */

API FakeCupti *fake_cupti_state(void)
{
    return &state;
}

static size_t word(const void *p, int offset)
{
    size_t w;

    memcpy(&w, (const char *)p + offset, sizeof w);
    return w;
}

static int number(const void *p, int offset)
{
    int n;

    memcpy(&n, (const char *)p + offset, sizeof n);
    return n;
}

static void set(void *p, int offset, size_t w)
{
    memcpy((char *)p + offset, &w, sizeof w);
}

/* Of a struct of that size, with nothing in `pPriv`. */
static int called(const char *name, const void *p, size_t size)
{
    if (word(p, 0) != size || word(p, 8) != 0)
        state.wrong++;
    return state.fail && strcmp(state.fail, name) == 0 ? state.result : 0;
}

static int of(const void *p, int offset, size_t what)
{
    if (word(p, offset) != what)
        state.wrong++;
    return 0;
}

#define CALL(name, size)                                                                           \
    int r_ = called(name, p, size);                                                                \
    if (r_ != 0)                                                                                   \
    return r_

API int cuptiGetResultString(int result, const char **text)
{
    *text = result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_FAKE";
    return 0;
}

API int cuptiProfilerInitialize(void *p)
{
    CALL("cuptiProfilerInitialize", 16);
    return 0;
}

API int cuptiDeviceGetChipName(void *p)
{
    CALL("cuptiDeviceGetChipName", 32);
    set(p, 24, (size_t) "FAKE100");
    return 0;
}

API int cuptiProfilerGetCounterAvailability(void *p)
{
    CALL("cuptiProfilerGetCounterAvailability", 40);
    if (word(p, 32))
        memset((void *)word(p, 32), 7, word(p, 24));
    set(p, 24, IMAGE);
    return 0;
}

API int cuptiProfilerHostInitialize(void *p)
{
    CALL("cuptiProfilerHostInitialize", 48);
    const unsigned char *available = (const unsigned char *)word(p, 32);
    if (number(p, 16) != 0 || strcmp((const char *)word(p, 24), "FAKE100") != 0 ||
        (available && available[IMAGE - 1] != 7))
        state.wrong++;
    set(p, 40, HOST);
    state.open++;
    state.metrics = configured = 0;
    return 0;
}

API int cuptiProfilerHostDeinitialize(void *p)
{
    CALL("cuptiProfilerHostDeinitialize", 24);
    state.open--;
    return of(p, 16, HOST);
}

API int cuptiProfilerHostConfigAddMetrics(void *p)
{
    CALL("cuptiProfilerHostConfigAddMetrics", 40);
    const char *const *names = (const char *const *)word(p, 24);
    of(p, 32, 1);
    if (state.lacks && strcmp(names[0], state.lacks) == 0)
        return NO_METRIC;
    state.metrics++;
    return of(p, 16, HOST);
}

API int cuptiProfilerHostGetConfigImageSize(void *p)
{
    CALL("cuptiProfilerHostGetConfigImageSize", 32);
    set(p, 24, IMAGE);
    return of(p, 16, HOST);
}

API int cuptiProfilerHostGetConfigImage(void *p)
{
    CALL("cuptiProfilerHostGetConfigImage", 40);
    of(p, 24, IMAGE);
    memset((void *)word(p, 32), 1, IMAGE);
    return of(p, 16, HOST);
}

API int cuptiProfilerHostEvaluateToGpuValues(void *p)
{
    CALL("cuptiProfilerHostEvaluateToGpuValues", 72);
    const char *const *names = (const char *const *)word(p, 48);
    double *values = (double *)word(p, 64);
    const unsigned char *counts = (const unsigned char *)word(p, 24);

    of(p, 32, IMAGE);
    of(p, 40, 0);
    of(p, 56, (size_t)state.metrics);
    if (counts[0] != 4)
        state.wrong++;
    for (int i = 0; i < state.metrics; i++)
        values[i] = state.nan && strcmp(names[i], state.nan) == 0 ? (double)NAN : i + 1;
    return of(p, 16, HOST);
}

API int cuptiRangeProfilerEnable(void *p)
{
    CALL("cuptiRangeProfilerEnable", 32);
    if (!word(p, 16))
        state.wrong++;
    set(p, 24, RANGES);
    state.open++;
    return 0;
}

API int cuptiRangeProfilerDisable(void *p)
{
    CALL("cuptiRangeProfilerDisable", 24);
    state.open--;
    state.counting = 0;
    return of(p, 16, RANGES);
}

API int cuptiRangeProfilerGetCounterDataSize(void *p)
{
    CALL("cuptiRangeProfilerGetCounterDataSize", 64);
    of(p, 32, (size_t)state.metrics);
    of(p, 40, 1);
    if (number(p, 48) != 1)
        state.wrong++;
    set(p, 56, IMAGE);
    return of(p, 16, RANGES);
}

API int cuptiRangeProfilerCounterDataImageInitialize(void *p)
{
    CALL("cuptiRangeProfilerCounterDataImageInitialize", 40);
    of(p, 24, IMAGE);
    memset((void *)word(p, 32), 2, IMAGE);
    return of(p, 16, RANGES);
}

API int cuptiRangeProfilerSetConfig(void *p)
{
    CALL("cuptiRangeProfilerSetConfig", 90);
    const unsigned char *config = (const unsigned char *)word(p, 32);
    unsigned char *counts = (unsigned char *)word(p, 48);
    uint16_t levels[2];

    of(p, 24, IMAGE);
    of(p, 40, IMAGE);
    of(p, 64, 1);
    memcpy(levels, (char *)p + 72, sizeof levels);
    /* each kernel is a range, and is replayed */
    if (config[0] != 1 || counts[0] != 2 || number(p, 56) != 1 || number(p, 60) != 2 ||
        levels[0] != 1 || levels[1] != 1)
        state.wrong++;
    image = counts;
    configured = 1;
    return of(p, 16, RANGES);
}

API int cuptiRangeProfilerStart(void *p)
{
    CALL("cuptiRangeProfilerStart", 24);
    if (!configured)
        state.wrong++;
    state.counting = 1;
    return of(p, 16, RANGES);
}

API int cuptiRangeProfilerStop(void *p)
{
    CALL("cuptiRangeProfilerStop", 41);
    if (!state.counting)
        state.wrong++;
    state.counting = 0;
    return of(p, 16, RANGES);
}

API int cuptiRangeProfilerDecodeData(void *p)
{
    CALL("cuptiRangeProfilerDecodeData", 32);
    image[0] = 4;
    return of(p, 16, RANGES);
}
