/*
 * cupti.h - what we use of NVIDIA's CUPTI, whose library is opened at run time
 *
 * The declarations are ours; names, order of fields and meanings are those of CUPTI's range
 * profiler and of its host part, of CUDA 12.6 on.  Each function takes one struct, which begins
 * with how many bytes of it the caller knows: up to the end of its last field.
 */
#ifndef TILEC_DEVICE_CUDA_CUPTI_H
#define TILEC_DEVICE_CUDA_CUPTI_H

#include <stddef.h>

#include "driver.h"

#define CUPTI_HEAD                                                                                 \
    size_t size;                                                                                   \
    void *unused
#define CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

typedef struct CuptiHost CuptiHost;     /* which metrics there are, and what they are made of */
typedef struct CuptiRanges CuptiRanges; /* counting in one context */

typedef struct {
    CUPTI_HEAD;
} CuptiInitialize;
typedef struct {
    CUPTI_HEAD;
    size_t device;
    const char *name; /* out */
} CuptiChip;
typedef struct {
    CUPTI_HEAD;
    CuContext context;
    size_t image_size; /* in and out */
    uint8_t *image;    /* NULL: only how large it is */
} CuptiAvailability;
typedef struct {
    CUPTI_HEAD;
    int kind; /* CUPTI_RANGES */
    const char *chip;
    const uint8_t *availability;
    CuptiHost *host; /* out */
} CuptiHostOpen;
typedef struct {
    CUPTI_HEAD;
    CuptiHost *host;
} CuptiHostClose;
typedef struct {
    CUPTI_HEAD;
    CuptiHost *host;
    const char **names;
    size_t count;
} CuptiAdd;
typedef struct {
    CUPTI_HEAD;
    CuptiHost *host;
    size_t bytes; /* out */
} CuptiConfigSize;
typedef struct {
    CUPTI_HEAD;
    CuptiHost *host;
    size_t bytes;
    uint8_t *config;
} CuptiConfig;
typedef struct {
    CUPTI_HEAD;
    CuptiHost *host;
    const uint8_t *counts;
    size_t bytes, range;
    const char **names;
    size_t count;
    double *values; /* out */
} CuptiEvaluate;
typedef struct {
    CUPTI_HEAD;
    CuContext context;
    CuptiRanges *ranges; /* out */
} CuptiEnable;
typedef struct {
    CUPTI_HEAD;
    CuptiRanges *ranges;
} CuptiOfRanges; /* disable, start */
typedef struct {
    CUPTI_HEAD;
    CuptiRanges *ranges;
    const char **names;
    size_t count, most_ranges;
    uint32_t most_nodes;
    size_t bytes; /* out */
} CuptiCountsSize;
typedef struct {
    CUPTI_HEAD;
    CuptiRanges *ranges;
    size_t bytes;
    uint8_t *counts;
} CuptiCountsInit;
typedef struct {
    CUPTI_HEAD;
    CuptiRanges *ranges;
    size_t config_bytes;
    const uint8_t *config;
    size_t counts_bytes;
    uint8_t *counts;
    int range, replay; /* CUPTI_EACH_KERNEL, CUPTI_REPLAY_KERNEL */
    size_t most_ranges;
    uint16_t levels, first_level;
    size_t pass;
    uint16_t level;
} CuptiSetConfig;
typedef struct {
    CUPTI_HEAD;
    CuptiRanges *ranges;
    size_t pass, level;    /* out */
    uint8_t is_all_passes; /* out */
} CuptiStop;
typedef struct {
    CUPTI_HEAD;
    CuptiRanges *ranges;
    size_t dropped; /* out */
} CuptiDecode;

enum { CUPTI_RANGES = 0 };                               /* CUpti_ProfilerType */
enum { CUPTI_EACH_KERNEL = 1 };                          /* CUpti_ProfilerRange */
enum { CUPTI_REPLAY_KERNEL = 2 };                        /* CUpti_ProfilerReplayMode */
enum { CUPTI_NO_METRIC = 17, CUPTI_NO_PRIVILEGES = 35 }; /* CUptiResult; 0: it worked */

/*    name in Cupti         symbol                                         what it takes */
/* clang-format off */
#define CUPTI_ENTRIES(ENTRY)                                                                       \
    ENTRY(result_text,      "cuptiGetResultString",                        (int result, const char **text)) \
    ENTRY(initialize,       "cuptiProfilerInitialize",                     (CuptiInitialize *p))   \
    ENTRY(chip,             "cuptiDeviceGetChipName",                      (CuptiChip *p))         \
    ENTRY(availability,     "cuptiProfilerGetCounterAvailability",         (CuptiAvailability *p)) \
    ENTRY(host_open,        "cuptiProfilerHostInitialize",                 (CuptiHostOpen *p))     \
    ENTRY(host_close,       "cuptiProfilerHostDeinitialize",               (CuptiHostClose *p))    \
    ENTRY(add,              "cuptiProfilerHostConfigAddMetrics",           (CuptiAdd *p))          \
    ENTRY(config_size,      "cuptiProfilerHostGetConfigImageSize",         (CuptiConfigSize *p))   \
    ENTRY(config,           "cuptiProfilerHostGetConfigImage",             (CuptiConfig *p))       \
    ENTRY(evaluate,         "cuptiProfilerHostEvaluateToGpuValues",        (CuptiEvaluate *p))     \
    ENTRY(enable,           "cuptiRangeProfilerEnable",                    (CuptiEnable *p))       \
    ENTRY(disable,          "cuptiRangeProfilerDisable",                   (CuptiOfRanges *p))     \
    ENTRY(counts_size,      "cuptiRangeProfilerGetCounterDataSize",        (CuptiCountsSize *p))   \
    ENTRY(counts_init,      "cuptiRangeProfilerCounterDataImageInitialize",(CuptiCountsInit *p))   \
    ENTRY(set_config,       "cuptiRangeProfilerSetConfig",                 (CuptiSetConfig *p))    \
    ENTRY(start,            "cuptiRangeProfilerStart",                     (CuptiOfRanges *p))     \
    ENTRY(stop,             "cuptiRangeProfilerStop",                      (CuptiStop *p))         \
    ENTRY(decode,           "cuptiRangeProfilerDecodeData",                (CuptiDecode *p))
/* clang-format on */

typedef struct {
#define ENTRY_FIELD(name, symbol, params) int(*name) params;
    CUPTI_ENTRIES(ENTRY_FIELD)
#undef ENTRY_FIELD
} Cupti;

#endif
