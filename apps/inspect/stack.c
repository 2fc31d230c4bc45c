/*
 * stack.c - .npy files with images one behind the other, [images, H, W] or [H, W], u8 or u16
 *
 * tilec_io_read() would read all of it; a stack may be larger than memory, so its header is read
 * here and images then one by one, where they stand.  Any thread may read any image.
 */
#include "inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_HEADER = 4096, BEGINNING = 12 };

/* Reads n bytes at that place: fewer are an end that comes too early. */
static char *read_at(int fd, void *to, size_t n, int64_t at)
{
    while (n) {
        const ssize_t got = pread(fd, to, n, at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return format("%s", strerror(errno));
        if (got == 0)
            return format("the file ends before its images do");
        to = (char *)to + got;
        n -= (size_t)got;
        at += got;
    }
    return NULL;
}

/* What stands behind a key of the header's dictionary; NULL: it is not there. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, ": ");
}

static bool take_dtype(Stack *s, const char *text)
{
    if (strncmp(text, "'|u1'", 5) == 0)
        s->dtype = TILEC_U8;
    else if (strncmp(text, "'<u2'", 5) == 0)
        s->dtype = TILEC_U16;
    else
        return false;
    return true;
}

/* "(5, 256, 256)", or two extents, which are one image. */
static bool take_shape(Stack *s, const char *text)
{
    int64_t extents[3];
    int n = 0;

    if (*text++ != '(')
        return false;
    for (; *text && *text != ')'; text += strspn(text, ", ")) {
        char *end;

        errno = 0;
        if (n == 3 || *text < '0' || *text > '9')
            return false;
        extents[n++] = strtoll(text, &end, 10);
        if (errno || end == text)
            return false;
        text = end;
    }
    if (n < 2)
        return false;
    s->count = n == 3 ? extents[0] : 1;
    s->height = extents[n - 2];
    s->width = extents[n - 1];
    return true;
}

/* Do so many bytes have a size at all? */
static bool has_size(const Stack *s)
{
    int64_t bytes;

    return !__builtin_mul_overflow(s->height, s->width, &bytes) &&
           !__builtin_mul_overflow(bytes, 2, &bytes) &&
           !__builtin_mul_overflow(bytes, s->count, &bytes);
}

static Status take_header(Stack *s, const char *header, char **why)
{
    const char *descr = value_of(header, "'descr'"), *shape = value_of(header, "'shape'");
    const char *order = value_of(header, "'fortran_order'");

    if (!descr || !shape || !order) {
        *why = format("damaged .npy file: no header");
        return "damaged";
    }
    if (strncmp(order, "False", 5) != 0) {
        *why = format("it is in Fortran's order: save numpy.ascontiguousarray() of it");
        return "type";
    }
    if (!take_dtype(s, descr)) {
        *why = format("its pixels are %.*s; u8 and u16 ('|u1', '<u2') are inspected",
                      (int)strcspn(descr, ",}"), descr);
        return "type";
    }
    if (!take_shape(s, shape)) {
        *why = format("its shape is %.*s; a stack is [images, H, W] or [H, W]",
                      (int)strcspn(shape, ")") + 1, shape);
        return "not grey";
    }
    if (!has_size(s)) {
        *why = format("damaged .npy file: its shape is beyond all sizes");
        return "damaged";
    }
    return NULL;
}

static Status read_header(Stack *s, char **why)
{
    unsigned char begin[BEGINNING];
    char header[LONGEST_HEADER + 1];
    size_t len, at;

    if ((*why = read_at(s->fd, begin, sizeof begin, 0)))
        return "damaged";
    if (memcmp(begin, "\x93NUMPY", 6) != 0 || begin[6] < 1 || begin[6] > 3) {
        *why = format("not a .npy file");
        return "damaged";
    }
    at = begin[6] == 1 ? 10 : BEGINNING;
    len = begin[8] | (size_t)begin[9] << 8;
    if (begin[6] > 1)
        len |= (size_t)begin[10] << 16 | (size_t)begin[11] << 24;
    if (len > LONGEST_HEADER) {
        *why = format("damaged .npy file: its header is of %zu bytes", len);
        return "damaged";
    }
    if ((*why = read_at(s->fd, header, len, (int64_t)at)))
        return "damaged";
    header[len] = '\0';
    s->begins = (int64_t)(at + len);
    return take_header(s, header, why);
}

Status stack_open(Stack *s, const char *path, char **why)
{
    Status status;

    *s = (Stack){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (s->fd < 0) {
        *why = format("%s", strerror(errno));
        return "unreadable";
    }
    status = read_header(s, why);
    if (status)
        close(s->fd);
    return status;
}

char *stack_read(const Stack *s, int64_t i, void *to)
{
    const int64_t bytes = s->height * s->width * (int64_t)tilec_dtype_size(s->dtype);

    return read_at(s->fd, to, (size_t)bytes, s->begins + i * bytes);
}
