/*
 * os.c - the operating system: files, clocks, pages, shared libraries
 *
 * With os_cpu.c the only file with #ifdefs for the system.  POSIX throughout; what Linux adds has
 * a fallback.
 * Functions that can fail give 0 or an errno, or NULL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

enum { HUGE_PAGE = 2 << 20, FIRST_READ = 64 << 10, FIRST_GUESS = 4000, NAME_TRIES = 100 };

/* files */

/* Read to the end into *data, at most `limit` bytes; `guess` is how many to expect. */
static int read_all(Arena *a, int fd, size_t guess, size_t limit, char **data, size_t *len)
{
    size_t cap = guess + 2, n = 0; /* one byte to see the end with, one for the NUL */
    char *buffer = arena_try_alloc(a, cap);

    while (buffer) {
        ssize_t got = read(fd, buffer + n, cap - 1 - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        n += (size_t)got;
        if (n > limit)
            return EFBIG;
        if (got == 0) {
            buffer[n] = '\0';
            *data = buffer;
            *len = n;
            return 0;
        }
        if (n < cap - 1)
            continue;
        char *bigger = arena_try_alloc(a, 2 * cap);
        if (bigger)
            memcpy(bigger, buffer, n);
        buffer = bigger;
        cap *= 2;
    }
    return ENOMEM;
}

int os_read_file(Arena *a, const char *path, size_t limit, char **data, size_t *len)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int status;

    if (fd < 0)
        return errno;
    if (fstat(fd, &st) != 0)
        status = errno;
    else if (!S_ISREG(st.st_mode))
        status = read_all(a, fd, FIRST_READ, limit, data, len);
    else if ((uint64_t)st.st_size > limit)
        status = EFBIG;
    else
        status = read_all(a, fd, MAX((size_t)st.st_size, FIRST_GUESS), limit, data, len);
    close(fd);
    return status;
}

static int write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, data, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return errno;
        data += put;
        len -= (size_t)put;
    }
    return 0;
}

/* Write and close; the first thing that goes wrong counts. */
static int write_and_close(int fd, const void *data, size_t len)
{
    int status = write_all(fd, data, len);

    if (close(fd) != 0 && status == 0)
        status = errno;
    return status;
}

/* Create a file of a new name in the folder of `path`; gives the descriptor, or -1 with errno. */
static int create_beside(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;

    for (int i = 0; i < NAME_TRIES; i++) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        int n = snprintf(name, size, "%.*s.tilec-%ld-%lx%05lx-%d.tmp", folder, path, (long)getpid(),
                         (long)now.tv_sec, (long)now.tv_nsec, i);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

int os_write_file(const char *path, const void *data, size_t len)
{
    struct stat st;
    char name[PATH_MAX];

    /* a device or a pipe cannot be replaced, only written to */
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        int device = open(path, O_WRONLY | O_CLOEXEC);
        return device < 0 ? errno : write_and_close(device, data, len);
    }
    int fd = create_beside(path, name, sizeof name);
    if (fd < 0)
        return errno;
    int status = write_and_close(fd, data, len);
    if (status == 0 && rename(name, path) != 0)
        status = errno;
    if (status != 0)
        unlink(name);
    return status;
}

static int make_dir(const char *path)
{
    struct stat st;

    if (mkdir(path, 0700) == 0)
        return 0;
    if (errno != EEXIST)
        return errno;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

int os_make_dirs(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);

    if (n == 0)
        return ENOENT;
    if (n >= sizeof part)
        return ENAMETOOLONG;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        int status = make_dir(part);
        if (status != 0)
            return status;
    }
    return 0;
}

/* the machine */

double os_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *os_env(const char *name)
{
    return getenv(name);
}

bool os_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

/* pages */

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (MAX(bytes, 1) + page - 1) / page * page;
}

static void *map_pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void *os_map_code(size_t bytes)
{
    return map_pages(whole_pages(bytes));
}

int os_seal_code(void *p, size_t bytes)
{
    __builtin___clear_cache((char *)p, (char *)p + bytes);
    return mprotect(p, whole_pages(bytes), PROT_READ | PROT_EXEC) == 0 ? 0 : errno;
}

void os_unmap_code(void *p, size_t bytes)
{
    if (p)
        munmap(p, whole_pages(bytes));
}

void *os_alloc_pages(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t size = whole_pages(bytes);
    if (size < HUGE_PAGE)
        return map_pages(size);

    /* map too much and give back both ends, so that the rest starts on a huge page */
    char *raw = map_pages(size + HUGE_PAGE);
    if (!raw)
        return NULL;
    size_t skip = (size_t)(-(uintptr_t)raw & (HUGE_PAGE - 1));
    if (skip > 0)
        munmap(raw, skip);
    if (skip < HUGE_PAGE)
        munmap(raw + skip + size, HUGE_PAGE - skip);
#ifdef MADV_HUGEPAGE
    madvise(raw + skip, size, MADV_HUGEPAGE); /* a wish: failing is fine */
#endif
    return raw + skip;
}

void os_free_pages(void *p, size_t bytes)
{
    if (p)
        munmap(p, whole_pages(bytes));
}

/* shared libraries */

void *os_load_library(const char *path, const char **error)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    *error = lib ? NULL : dlerror();
    return lib;
}

void *os_library_symbol(void *lib, const char *name)
{
    return dlsym(lib, name);
}

const char *os_library_folder(Arena *a)
{
    Dl_info info;
    char full[PATH_MAX];

    if (!dladdr((const void *)&os_library_folder, &info) || !info.dli_fname)
        return ".";
    const char *path = realpath(info.dli_fname, full) ? full : info.dli_fname;
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return arena_strndup(a, path, MAX((size_t)(slash - path), 1));
}
