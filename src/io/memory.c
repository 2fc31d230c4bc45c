/*
 * memory.c - bytes of files, and the arrays that come from them or go to them
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* Deflate's best: 258 bytes for two bits, and what its wrapping takes. */
enum { BEST_RATIO = 1032, WRAPPING = 4096 };
enum { HEAD = 64 << 10 };

/* --- in --- */

static size_t read_fd(Io *io, void *to, size_t n)
{
    size_t got = 0;

    while (got < n) {
        ssize_t k = read(io->in.fd, (char *)to + got, n - got);

        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            io_refuse_system(io, errno, "");
        if (k == 0)
            break;
        got += (size_t)k;
    }
    return got;
}

void io_open_file(Io *io, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        io_refuse_system(io, errno, path);
    os_reads_add(fd, true);
    io->in = (IoInput){.fd = fd, .more = read_fd, .left = UINT64_MAX};
    if (!is_stdin && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        io->in.left = (uint64_t)st.st_size;
}

static size_t in_hand(const Io *io)
{
    return (size_t)(io->in.end - io->in.at);
}

static void took(Io *io, size_t n)
{
    if (io->in.left != UINT64_MAX)
        io->in.left -= MIN(n, io->in.left);
}

size_t io_get(Io *io, void *to, size_t n)
{
    size_t ready = MIN(n, in_hand(io));

    if (ready > 0)
        memcpy(to, io->in.at, ready);
    io->in.at += ready;
    if (ready < n && io->in.more)
        ready += io->in.more(io, (char *)to + ready, n - ready);
    took(io, ready);
    return ready;
}

void io_peek(Io *io, size_t n)
{
    size_t had = in_hand(io);
    unsigned char *head;

    if (had >= n || !io->in.more)
        return;
    head = arena_alloc(io->arena, n);
    if (had > 0)
        memcpy(head, io->in.at, had);
    had += io->in.more(io, head + had, n - had);
    io->in.at = head;
    io->in.end = head + had;
}

void io_get_all(Io *io)
{
    uint64_t most = MAX(io->options.most_bytes, io->in.left + 1); /* of unknown size: + 1 is 0 */
    size_t want = io->in.left == UINT64_MAX ? HEAD : (size_t)io->in.left + 1; /* to see the end */

    if (!io->in.more)
        return;
    for (io_peek(io, want); in_hand(io) >= want; io_peek(io, want)) {
        if (want > most)
            io_refuse(io, "it has more than %llu bytes, which is the most that is read",
                      (unsigned long long)most);
        want *= 2;
    }
    io->in.more = NULL;
    io->in.left = in_hand(io);
}

void io_check_unpacked(Io *io, uint64_t bytes, uint64_t packed)
{
    if (bytes > io->options.most_bytes)
        io_refuse(io, "it would unpack to %llu bytes; the most that is read is %llu",
                  (unsigned long long)bytes, (unsigned long long)io->options.most_bytes);
    if (bytes / BEST_RATIO > packed + WRAPPING)
        io_refuse(io, "the file is shorter than its header says");
}

/* --- arrays --- */

int64_t io_numel(int ndim, const int64_t *shape)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0)
            return 0; /* the other extents may have a product beyond 64 bits */
    }
    for (int i = 0; i < ndim; i++) {
        if (__builtin_mul_overflow(n, shape[i], &n))
            return -1;
    }
    return n;
}

/* Strides of what has no gaps; an extent of 0 counts as 1, since others may be beyond 64 bits. */
static void set_row_major(IoArray *a, int64_t n)
{
    int64_t step = 1;

    for (int i = a->ndim - 1; i >= 0; i--) {
        a->strides[i] = step;
        step *= n == 0 ? 1 : a->shape[i];
    }
}

void io_array_new(Io *io, tilec_dtype t, int ndim, const int64_t *shape)
{
    int64_t n = io_numel(ndim, shape), bytes;
    IoArray *a = &io->array;

    if (n < 0 || __builtin_mul_overflow(n, (int64_t)dtype_size((DType)t), &bytes))
        io_refuse(io, "its array is larger than the address space");
    *a = (IoArray){.bytes = MAX((size_t)bytes, 64), .dtype = t, .ndim = ndim};
    memcpy(a->shape, shape, sizeof *shape * (size_t)ndim);
    set_row_major(a, n);
    a->data = os_alloc_pages(a->bytes);
    if (!a->data)
        io_no_memory(io);
}

void io_array_free(IoArray *a)
{
    if (a->data)
        os_free_pages(a->data, a->bytes);
    a->data = NULL;
}

static bool is_dense(const tilec_tensor *t)
{
    int64_t step = 1;

    for (int i = t->ndim - 1; i >= 0 && t->strides; i--) {
        if (t->shape[i] != 1 && t->strides[i] != step)
            return false;
        step *= t->shape[i];
    }
    return true;
}

/* The next index in row-major order; false behind the last. */
static bool next_index(const tilec_tensor *t, int64_t *index, int64_t *offset)
{
    for (int i = t->ndim - 1; i >= 0; i--) {
        *offset += t->strides[i];
        if (++index[i] < t->shape[i])
            return true;
        *offset -= t->strides[i] * index[i];
        index[i] = 0;
    }
    return false;
}

const void *io_dense(Io *io, const tilec_tensor *t)
{
    size_t size = (size_t)dtype_size((DType)t->dtype), bytes;
    int64_t n = io_numel(t->ndim, t->shape), index[IO_MAX_DIMS] = {0}, offset = 0;
    char *copy, *to;

    if (n == 0)
        return "";
    if (n < 0 || __builtin_mul_overflow(size, (size_t)n, &bytes))
        io_no_memory(io);
    if (is_dense(t))
        return t->data;
    to = copy = arena_alloc(io->arena, bytes);
    do {
        memcpy(to, (const char *)t->data + offset * (int64_t)size, size);
        to += size;
    } while (next_index(t, index, &offset));
    return copy;
}

void io_make_row_major(Io *io)
{
    IoArray *a = &io->array;
    const tilec_tensor t = {.data = a->data,
                            .dtype = a->dtype,
                            .ndim = a->ndim,
                            .shape = a->shape,
                            .strides = a->strides};
    int64_t n = io_numel(a->ndim, a->shape);
    const void *rows = io_dense(io, &t);

    if (n > 0 && rows != a->data)
        memcpy(a->data, rows, (size_t)(n * dtype_size((DType)a->dtype)));
    set_row_major(a, n);
}

/* --- out --- */

char *io_put_room(Io *io, size_t n)
{
    size_t need, cap;

    if (__builtin_add_overflow(io->out_len, n, &need))
        io_no_memory(io);
    if (need > io->out_cap) {
        cap = io->out_cap ? MAX(need, io->out_cap + io->out_cap / 2) : need;
        char *grown = realloc(io->out, cap);
        if (!grown)
            io_no_memory(io);
        io->out = grown;
        io->out_cap = cap;
    }
    io->out_len = need;
    return io->out + need - n;
}

void io_put(Io *io, const void *bytes, size_t n)
{
    char *room = io_put_room(io, n);

    if (n > 0)
        memcpy(room, bytes, n);
}

void io_put_text(Io *io, const char *s)
{
    io_put(io, s, strlen(s));
}
