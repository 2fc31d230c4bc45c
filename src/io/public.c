/*
 * public.c - the entry points of tilec_io.h
 *
 * The shape of a tensor that was read is that of an IoArray from malloc().
 */
#define _GNU_SOURCE
#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static IoArray *array_of(const tilec_tensor *t)
{
    return (IoArray *)((char *)t->shape - offsetof(IoArray, shape));
}

static tilec_status misuse(char **error, const char *text)
{
    if (error && asprintf(error, "error: %s\n", text) < 0)
        *error = NULL;
    return TILEC_BAD_ARGUMENT;
}

/* A text of the library's ends with a newline. */
static tilec_status told(tilec_status status, char **error)
{
    char *text = error ? *error : NULL;

    if (status != TILEC_OK && text) {
        if (asprintf(error, "%s\n", text) < 0)
            *error = NULL;
        free(text);
    }
    return status;
}

static bool is_row_major(const IoArray *a)
{
    int64_t step = 1;

    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] == 0)
            return true;
    }
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (a->strides[i] != step)
            return false;
        step *= a->shape[i];
    }
    return true;
}

static tilec_status read_tensor(const char *name, const void *bytes, size_t len,
                                const tilec_io_options *options, tilec_tensor *out, char **error)
{
    if (!name || !out)
        return misuse(error, "a name or the tensor is NULL");
    IoArray *a = calloc(1, sizeof *a);
    if (!a) {
        misuse(error, "there is no memory");
        return TILEC_NO_MEMORY;
    }
    tilec_status status = io_read(name, bytes, len, options, a, error);
    if (status != TILEC_OK) {
        free(a);
        return told(status, error);
    }
    *out = (tilec_tensor){.data = a->data, .dtype = a->dtype, .ndim = a->ndim, .shape = a->shape};
    if (!is_row_major(a))
        out->strides = a->strides;
    return TILEC_OK;
}

tilec_status tilec_io_read(const char *path, const tilec_io_options *options, tilec_tensor *out,
                           char **error)
{
    return read_tensor(path, NULL, 0, options, out, error);
}

tilec_status tilec_io_decode(const char *name, const void *bytes, size_t len,
                             const tilec_io_options *options, tilec_tensor *out, char **error)
{
    if (!bytes)
        return misuse(error, "the bytes are NULL");
    return read_tensor(name, bytes, len, options, out, error);
}

void tilec_io_free(tilec_tensor *tensor)
{
    if (!tensor || !tensor->shape)
        return;
    IoArray *a = array_of(tensor);
    io_array_free(a);
    free(a);
    *tensor = (tilec_tensor){0};
}

static bool is_usable(const tilec_tensor *t)
{
    return t && t->ndim >= 0 && (t->shape || t->ndim == 0);
}

tilec_status tilec_io_write(const char *path, const tilec_tensor *tensor,
                            const tilec_io_options *options, char **error)
{
    if (!path || !is_usable(tensor))
        return misuse(error, "the path, the tensor or its shape is NULL");
    return told(io_write(path, tensor, NULL, 0, options, error), error);
}

tilec_status tilec_io_write_npz(const char *path, const tilec_io_member *members, int n,
                                const tilec_io_options *options, char **error)
{
    bool usable = path && n >= 0 && (members || n == 0);

    for (int i = 0; i < n && usable; i++)
        usable = is_usable(&members[i].tensor);
    if (!usable)
        return misuse(error, "the path, the members, a tensor or its shape is NULL");
    return told(io_write(path, NULL, members, n, options, error), error);
}
