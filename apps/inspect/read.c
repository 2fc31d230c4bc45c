/*
 * read.c - the pixels of one image: of a file of its own by libtilec-io, or of a stack
 */
#include "inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tilec_io.h>
#include <unistd.h>

/* libtilec-io begins its text with the name of the file, which ours has anyway. */
static char *without_name(char *error, const char *path)
{
    size_t n = strlen(path), len = error ? strlen(error) : 0;
    char *why;

    while (len && error[len - 1] == '\n')
        error[--len] = '\0';
    if (len > n + 2 && strncmp(error, path, n) == 0 && error[n] == ':')
        why = format("%s", error + n + 2);
    else
        why = format("%s", error ? error : "out of memory");
    tilec_free(error);
    return why;
}

static Status check_grey(const Pixels *p, int ndim, char **why)
{
    if (ndim != 2) {
        *why =
            format("%s", ndim == 3 ? "it is in colour, or has transparency, and what is inspected "
                                     "is grey"
                                   : "it is no image of H x W");
        return "not grey";
    }
    if (p->dtype != TILEC_U8 && p->dtype != TILEC_U16) {
        *why = format("its pixels are %s; u8 and u16 are inspected", tilec_dtype_name(p->dtype));
        return "type";
    }
    return NULL;
}

static Status too_large(uint64_t bytes, uint64_t most, char **why)
{
    *why = format("it takes %llu MB, of the %llu that --memory leaves for an image",
                  (unsigned long long)(bytes >> 20), (unsigned long long)(most >> 20));
    return "too large";
}

static Status read_file(Pixels *p, const char *path, uint64_t most, char **why)
{
    const tilec_io_options options = {.most_bytes = most};
    char *error = NULL;
    Status status;

    if (access(path, R_OK) != 0) {
        *why = format("%s", strerror(errno));
        return "unreadable";
    }
    if (tilec_io_read(path, &options, &p->tensor, &error) != TILEC_OK) {
        *why = without_name(error, path);
        return "damaged";
    }
    p->dtype = p->tensor.dtype;
    if ((status = check_grey(p, p->tensor.ndim, why)))
        return status;
    p->height = p->tensor.shape[0];
    p->width = p->tensor.shape[1];
    return NULL;
}

Status pixels_read(Pixels *p, const Inputs *inputs, const Input *input, uint64_t most, char **why)
{
    Status status = NULL;
    uint64_t bytes;

    *p = (Pixels){.index = input->index};
    if (input->status) {
        *why = format("%s", input->why);
        return input->status;
    }
    if (input->stack < 0) {
        status = read_file(p, input->path, most, why);
    } else {
        p->stack = &inputs->stacks[input->stack];
        p->dtype = p->stack->dtype;
        p->height = p->stack->height;
        p->width = p->stack->width;
    }
    bytes = (uint64_t)(p->height * p->width) * tilec_dtype_size(p->dtype);
    if (!status && bytes > most)
        status = too_large(bytes, most, why);
    if (status)
        pixels_free(p);
    return status;
}

Status pixels_put(const Pixels *p, void *to, char **why)
{
    if (p->stack) {
        *why = stack_read(p->stack, p->index, to);
        return *why ? "damaged" : NULL;
    }
    memcpy(to, p->tensor.data, (size_t)(p->height * p->width) * tilec_dtype_size(p->dtype));
    return NULL;
}

void pixels_free(Pixels *p)
{
    tilec_io_free(&p->tensor);
}
