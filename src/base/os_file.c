/*
 * os_file.c - reading files, and replacing them whole
 *
 * A file is replaced by writing another one beside it and renaming that over it, so that whoever
 * reads sees the old contents or the new, and a failure leaves the old.  Where the system can, the
 * new file has no name until it is complete, and nothing is left behind by a process that ends.
 * What must stay the file that it is (a device, a pipe, a file of several names or of another
 * owner) is written to where it stands.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

enum { FIRST_READ = 64 << 10, FIRST_GUESS = 4000, NAME_TRIES = 100, LINKS = 40 };

/* --- reading --- */

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

static int read_known(Arena *a, int fd, const struct stat *st, size_t limit, char **data,
                      size_t *len)
{
    if (!S_ISREG(st->st_mode))
        return read_all(a, fd, FIRST_READ, limit, data, len);
    if ((uint64_t)st->st_size > limit)
        return EFBIG;
    return read_all(a, fd, MAX((size_t)st->st_size, FIRST_GUESS), limit, data, len);
}

int os_read_file(Arena *a, const char *path, size_t limit, char **data, size_t *len)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return errno;
    int status = fstat(fd, &st) != 0 ? errno : read_known(a, fd, &st, limit, data, len);
    os_reads_add(fd, false);
    close(fd);
    return status;
}

/* Whether nobody but us can have put there what is in the file. */
static bool is_private(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
           (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int os_read_private(Arena *a, int folder, const char *name, size_t limit, char **data, size_t *len)
{
    struct stat st;
    /* does not wait for who writes to a pipe */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), status;

    if (fd < 0)
        return errno == ELOOP || errno == ENXIO ? EPERM : errno; /* a link, a socket */
    if (fstat(fd, &st) != 0)
        status = errno;
    else
        status = is_private(&st) ? read_known(a, fd, &st, limit, data, len) : EPERM;
    close(fd);
    return status;
}

/* --- writing --- */

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

/* Write; where the size of files is limited that fails, and the signal which comes with it and
 * would end the process is taken away. */
static int write_quietly(int fd, const void *data, size_t len)
{
    static const struct timespec now = {0};
    sigset_t limit, before, pending;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int status = write_all(fd, data, len);
    if (status == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int write_in_place(const char *path, const void *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (fd < 0)
        return errno;
    int status = write_quietly(fd, data, len);
    if (close(fd) != 0 && status == 0)
        status = errno;
    return status;
}

/* How much of `path` names its folder. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (int)(slash - path) + 1 : 0;
}

/* A file without a name in the folder of `path`, which link_to() can give one; -1 when the system
 * or the file system has none. */
static int open_unnamed(int folder, const char *path, mode_t mode)
{
#ifdef O_TMPFILE
    char name[PATH_MAX];
    int n = snprintf(name, sizeof name, "%.*s.", folder_length(path), path);

    if (n > 0 && (size_t)n < sizeof name && access("/proc/self/fd", X_OK) == 0)
        return openat(folder, name, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
#endif
    return -1;
}

static int link_to(int fd, int folder, const char *name)
{
    char self[64];

    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW) == 0 ? fd : -1;
}

/* Give the file `fd`, or one that is made now when that is -1, a new name in the folder of `path`;
 * gives the descriptor, or -1 with errno. */
static int name_beside(int fd, int folder, const char *path, mode_t mode, char name[PATH_MAX])
{
    for (int i = 0; i < NAME_TRIES; i++) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        int n = snprintf(name, PATH_MAX, "%.*s.tilec-%ld-%lx%05lx-%d.tmp", folder_length(path),
                         path, (long)getpid(), (long)now.tv_sec, (long)now.tv_nsec, i);
        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int got = fd >= 0 ? link_to(fd, folder, name)
                          : openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (got >= 0 || errno != EEXIST)
            return got;
    }
    return -1;
}

/* Make the new file as much the old one's as replacing it would hide; not always allowed. */
static int take_after(int fd, const struct stat *old)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return errno;
    if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0)
        return errno;
    return fchmod(fd, old->st_mode & 07777) == 0 ? 0 : errno;
}

/* Threads that have given a file a name which it must not keep. */
static _Atomic int unfinished;
static _Atomic bool none_begins;

int os_unfinished_files(void)
{
    none_begins = true;
    return atomic_load(&unfinished);
}

/* From here on such a file must not be left behind: what ends the process waits, on this thread. */
static void hold_signals(sigset_t *before)
{
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGQUIT);
    pthread_sigmask(SIG_BLOCK, &ends, before);
    atomic_fetch_add(&unfinished, 1);
    if (!none_begins)
        return;
    atomic_fetch_sub(&unfinished, 1);
    for (;;)
        pause(); /* the process is about to end */
}

static void release_signals(const sigset_t *before)
{
    atomic_fetch_sub(&unfinished, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Write what `fd` is to hold, which then is as much as `old` as it can be. */
static int fill_new(int fd, const struct stat *old, const void *data, size_t len)
{
    int status = old ? take_after(fd, old) : 0;

    return status == 0 ? write_quietly(fd, data, len) : status;
}

/* Let the complete file `name` be `path`, or neither. */
static int finish_replacing(int folder, const char *name, const char *path, int fd, int status)
{
    if (close(fd) != 0 && status == 0)
        status = errno;
    if (status == 0 && renameat(folder, name, folder, path) != 0)
        status = errno;
    if (status != 0)
        unlinkat(folder, name, 0);
    return status;
}

/* By a file that has a name while it is written. */
static int replace_by_named(int folder, const char *path, const struct stat *old, mode_t mode,
                            const void *data, size_t len)
{
    char name[PATH_MAX];
    sigset_t before;

    hold_signals(&before);
    int fd = name_beside(-1, folder, path, mode, name), status = errno;
    if (fd >= 0)
        status = finish_replacing(folder, name, path, fd, fill_new(fd, old, data, len));
    release_signals(&before);
    return status;
}

/* Give the complete file a name: its own at once where that is new. */
static int name_unnamed(int fd, int folder, const char *path, mode_t mode)
{
    char name[PATH_MAX];
    sigset_t before;

    if (link_to(fd, folder, path) >= 0)
        return close(fd) == 0 ? 0 : errno;
    hold_signals(&before);
    int named = name_beside(fd, folder, path, mode, name), status = errno;
    if (named >= 0)
        status = finish_replacing(folder, name, path, fd, 0);
    else
        close(fd);
    release_signals(&before);
    return status;
}

/* Write a file and let it be `path`, which is seen from `folder`.  It gets the owner and the mode
 * of `old`, if that is not NULL, else `mode`. */
static int replace(int folder, const char *path, const struct stat *old, mode_t mode,
                   const void *data, size_t len)
{
    int fd = open_unnamed(folder, path, mode);

    if (fd < 0)
        return replace_by_named(folder, path, old, mode, data, len);
    int status = fill_new(fd, old, data, len);
    if (status == 0)
        return name_unnamed(fd, folder, path, mode);
    close(fd);
    return status;
}

/* The name behind the links that `path` is, of a file which may not be there yet; "" when it leads
 * through a link of /proc, to an open file that need not have a name. */
static int follow_links(const char *path, char target[PATH_MAX])
{
    struct stat st, proc = {0};
    char next[PATH_MAX];

    if (strlen(path) >= PATH_MAX)
        return ENAMETOOLONG;
    strcpy(target, path);
    bool has_proc = stat("/proc", &proc) == 0;
    for (int i = 0; i < LINKS; i++) {
        if (lstat(target, &st) != 0 || !S_ISLNK(st.st_mode))
            return 0;
        if (has_proc && st.st_dev == proc.st_dev) {
            target[0] = '\0';
            return 0;
        }
        ssize_t n = readlink(target, next, sizeof next);
        if (n < 0)
            return errno;
        size_t folder = next[0] == '/' ? 0 : (size_t)folder_length(target);
        if (folder + (size_t)n >= PATH_MAX)
            return ENAMETOOLONG;
        memcpy(target + folder, next, (size_t)n);
        target[folder + (size_t)n] = '\0';
    }
    return ELOOP;
}

int os_rewrite_file(const char *path, const void *data, size_t len)
{
    struct stat st;
    char target[PATH_MAX];
    bool there = stat(path, &st) == 0; /* and the system lets us follow its links */

    if (!there && errno != ENOENT)
        return errno;
    int status = follow_links(path, target);
    if (status != 0)
        return status;
    if (!there)
        return replace(AT_FDCWD, target, NULL, 0666, data, len);
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return errno;
    if (target[0] == '\0' || !S_ISREG(st.st_mode) || st.st_nlink > 1)
        return write_in_place(path, data, len);
    status = replace(AT_FDCWD, target, &st, 0600, data, len);
    if (status == EACCES || status == EPERM) /* of the folder, or of giving the file away */
        status = write_in_place(path, data, len);
    return status;
}

int os_write_file(const char *path, const void *data, size_t len)
{
    int status = os_reads_refuse(path, false);

    return status ? status : os_rewrite_file(path, data, len);
}

int os_write_array(const char *path, const void *data, size_t len)
{
    int status = os_reads_refuse(path, true);

    return status ? status : os_rewrite_file(path, data, len);
}

int os_write_private(int folder, const char *name, const void *data, size_t len)
{
    return replace(folder, name, NULL, S_IRUSR | S_IWUSR, data, len);
}

/* --- folders --- */

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
    if (os_entry(path).kind == OS_FOLDER)
        return 0;
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

uint64_t os_user(void)
{
    return geteuid();
}

OsEntry os_entry(const char *path)
{
    struct stat st;
    OsEntry e = {0};

    if (stat(path, &st) != 0)
        return e;
    e.kind = S_ISREG(st.st_mode) ? OS_FILE : S_ISDIR(st.st_mode) ? OS_FOLDER : OS_NOTHING;
    e.is_public = (st.st_mode & S_IWOTH) != 0;
    e.is_sticky = (st.st_mode & S_ISVTX) != 0;
    e.owner = st.st_uid;
    e.device = (uint64_t)st.st_dev;
    e.number = (uint64_t)st.st_ino;
    e.changed = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
    return e;
}
