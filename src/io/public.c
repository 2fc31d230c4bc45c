/*
 * public.c - the entry points of tilec_io.h
 *
 * The shape of a tensor that was read is that of an IoArray from malloc().
 */
#define _GNU_SOURCE
#include "io.h"

#include <stdio.h>
#include <stdlib.h>

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
    if (out)
        *out = (tilec_tensor){0};
    if (!name || !out)
        return misuse(error, name ? "the tensor to read is NULL" : "the path is NULL");
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
    if (!bytes && out)
        *out = (tilec_tensor){0};
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

/* NULL, or why this is no array in the host's memory. */
static const char *trouble_with_array(const tilec_tensor *t)
{
    int64_t n, bytes;

    if (!t)
        return "the tensor is NULL";
    if (t->ndim < 0)
        return "the tensor is a pointer of unknown extent (ndim is negative): a file needs a shape";
    if (!t->shape && t->ndim > 0)
        return "the tensor's shape is NULL";
    if ((unsigned)t->dtype > TILEC_FP64)
        return "the tensor's dtype is none of tilec_dtype";
    if (t->memory != TILEC_MEMORY_HOST)
        return "the tensor is not in the host's memory: tilec_copy() brings it there";
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] < 0)
            return "an extent of the tensor is negative";
    }
    n = io_numel(t->ndim, t->shape);
    if (n < 0 || __builtin_mul_overflow(n, (int64_t)dtype_size((DType)t->dtype), &bytes))
        return "the tensor's extents make more bytes than an address can say";
    return n > 0 && !t->data ? "the tensor has elements, and its data is NULL" : NULL;
}

tilec_status tilec_io_write(const char *path, const tilec_tensor *tensor,
                            const tilec_io_options *options, char **error)
{
    const char *trouble = path ? trouble_with_array(tensor) : "the path is NULL";

    if (trouble)
        return misuse(error, trouble);
    return told(io_write(path, tensor, NULL, 0, options, error), error);
}

tilec_status tilec_io_write_npz(const char *path, const tilec_io_member *members, int n,
                                const tilec_io_options *options, char **error)
{
    const char *trouble = !path               ? "the path is NULL"
                          : n < 0             ? "the number of members is negative"
                          : !members && n > 0 ? "the members are NULL"
                                              : NULL;

    for (int i = 0; i < n && !trouble; i++)
        trouble = members[i].name ? trouble_with_array(&members[i].tensor)
                                  : "the name of a member is NULL";
    if (trouble)
        return misuse(error, trouble);
    return told(io_write(path, NULL, members, n, options, error), error);
}
