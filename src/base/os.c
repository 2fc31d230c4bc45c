/*
 * os.c - the operating system: clocks, pages
 *
 * With os_file.c and os_cpu.c the only file with #ifdefs for the system.  POSIX throughout; what
 * Linux adds has a fallback. Functions that can fail give 0 or an errno, or NULL.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

enum { HUGE_PAGE = 2 << 20 };

/* --- the machine --- */

double os_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *os_env(const char *name)
{
#ifdef __GLIBC__
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

bool os_wants(const char *name)
{
    const char *value = os_env(name);

    return value && value[0] && strcmp(value, "0") != 0;
}

bool os_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

bool os_terminal_draws(int fd)
{
    const char *term = os_env("TERM");

    return os_is_terminal(fd) && term && strcmp(term, "dumb") != 0;
}

void os_keep_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) /* open() takes the first that is free */
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

bool os_can_read(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

void os_terminal_size(int fd, int *columns, int *rows)
{
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return;
    *columns = size.ws_col;
    *rows = size.ws_row;
}

/* --- pages --- */

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

void *os_alloc_guarded(size_t bytes)
{
    size_t used = (MAX(bytes, 1) + 63) / 64 * 64, size = whole_pages(used), page = whole_pages(1);
    char *raw = bytes < SIZE_MAX / 2 ? map_pages(size + page) : NULL;

    if (!raw || mprotect(raw + size, page, PROT_NONE) != 0) {
        os_free_pages(raw, size + page);
        return NULL;
    }
    return raw + size - used;
}

void os_free_guarded(void *p, size_t bytes)
{
    size_t used = (MAX(bytes, 1) + 63) / 64 * 64, size = whole_pages(used), page = whole_pages(1);

    if (p)
        munmap((char *)p + used - size, size + page);
}

bool os_has_memory(size_t bytes)
{
    void *p = map_pages(bytes);

    if (p)
        munmap(p, bytes);
    return p != NULL;
}

void os_free_pages(void *p, size_t bytes)
{
    if (p)
        munmap(p, whole_pages(bytes));
}

/* --- the process --- */

const char *os_current_folder(Arena *a)
{
    char path[PATH_MAX];

    return getcwd(path, sizeof path) ? arena_strndup(a, path, strlen(path)) : "";
}
