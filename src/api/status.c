/*
 * status.c - how a call of the library ends: codes, texts of errors, and what else stands alone
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

_Static_assert((int)TILEC_FP64 == (int)DT_FP64 && (int)DT_FP64 == DT_COUNT - 1 &&
                   (int)TILEC_FP8E4NV == (int)DT_FP8E4NV,
               "tilec_dtype and dtypes.h list the same types in the same order");

void api_error(char **error, const char *fmt, ...)
{
    va_list ap;
    char *text;

    if (!error)
        return;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    char *shown = text ? printable_copy(text, false) : NULL; /* callers' words are in it */
    if (!shown || asprintf(error, "error: %s\n", shown) < 0)
        *error = NULL;
    free(shown);
    free(text);
}

void api_append(char **text, const char *more)
{
    char *both;

    if (asprintf(&both, "%s%s", *text ? *text : "", more) < 0)
        return;
    free(*text);
    *text = both;
}

void api_no_error(char **error)
{
    if (error)
        *error = NULL;
}

tilec_status api_status(RunStatus s)
{
    switch (s) {
    case RUN_OK:
        return TILEC_OK;
    case RUN_NO_MEMORY:
        return TILEC_NO_MEMORY;
    case RUN_BAD_GRID:
        return TILEC_BAD_ARGUMENT;
    case RUN_STOPPED:
        return TILEC_REFUSED;
    case RUN_FAULT:
        return TILEC_FAULT;
    case RUN_CANCELLED:
        return TILEC_CANCELLED;
    default:
        return TILEC_FAILED;
    }
}

tilec_status api_device_status(RunStatus status, char *text, char **error)
{
    if (status != RUN_OK && !text)
        return api_refuse(error, api_status(status), "%s", run_status_text(status));
    if (error)
        *error = text;
    else
        free(text);
    return api_status(status);
}

const char *tilec_version(void)
{
    return TILEC_VERSION;
}

const char *tilec_status_text(tilec_status s)
{
    static const char *const texts[] = {
        [TILEC_OK] = "done",
        [TILEC_REFUSED] = "the kernel or an argument is wrong",
        [TILEC_NOT_FOUND] = "no such kernel, parameter or device",
        [TILEC_IO] = "a file could not be read or written",
        [TILEC_NO_MEMORY] = "out of memory",
        [TILEC_BAD_ARGUMENT] = "wrong use of the library",
        [TILEC_FAILED] = "the machine or the installation refused",
        [TILEC_FAULT] = "an assertion or a check found something wrong",
        [TILEC_CANCELLED] = "the launch was cancelled",
    };

    return (unsigned)s < (unsigned)COUNT(texts) ? texts[s] : "unknown status";
}

size_t tilec_dtype_size(tilec_dtype t)
{
    return (unsigned)t < (unsigned)DT_COUNT ? (size_t)dtype_size((DType)t) : 0;
}

const char *tilec_dtype_name(tilec_dtype t)
{
    return (unsigned)t < (unsigned)DT_COUNT ? dtype_name((DType)t) : NULL;
}

void tilec_free(void *p)
{
    free(p);
}
