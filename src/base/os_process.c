/*
 * os_process.c - run another program, with bytes for its input, and take what it says
 *
 * Its input, its output and its errors are files in memory without a name, so nothing can block on
 * a full pipe and nothing is left behind.  It may open them by name as well: "/dev/stdin",
 * "/dev/stdout".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"

enum { STREAMS = 3 }; /* stdin, stdout, stderr */
extern char **environ;

typedef struct {
    int fds[STREAMS];
} Streams;

static void close_streams(Streams *s)
{
    for (int i = 0; i < STREAMS; i++) {
        if (s->fds[i] >= 0)
            close(s->fds[i]);
    }
}

static int fill(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return lseek(fd, 0, SEEK_SET) < 0 ? errno : 0;
}

/* Numbered behind the standard streams, which a program may have been started without; else they
 * would be in each other's way in the child. */
static int memory_file(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd < 0 || fd >= STREAMS)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STREAMS);
    close(fd);
    return moved;
}

static int open_streams(Streams *s, const void *input, size_t len)
{
    static const char *const names[STREAMS] = {"tilec-in", "tilec-out", "tilec-err"};
    int status = 0;

    for (int i = 0; i < STREAMS; i++) {
        s->fds[i] = memory_file(names[i]);
        if (s->fds[i] < 0)
            status = errno;
    }
    return status ? status : fill(s->fds[0], input, len);
}

/* With signals as a program expects them, whatever the calling thread blocks. */
static int spawn(const char *const *argv, const Streams *s, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int status = posix_spawn_file_actions_init(&actions);

    if (status)
        return status;
    status = posix_spawnattr_init(&attributes);
    if (!status) {
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        for (int i = 0; i < STREAMS && !status; i++)
            status = posix_spawn_file_actions_adddup2(&actions, s->fds[i], i);
        if (!status)
            status =
                posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static int wait_for(pid_t child, int *code)
{
    int status;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return errno; /* who ignores SIGCHLD never hears how it ended */
    }
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return 0;
}

static int take(Arena *a, int fd, char **data, size_t *len)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return errno;
    *data = arena_try_alloc(a, (size_t)st.st_size + 1);
    if (!*data)
        return ENOMEM;
    for (*len = 0; *len < (size_t)st.st_size;) {
        ssize_t n = pread(fd, *data + *len, (size_t)st.st_size - *len, (off_t)*len);

        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return errno;
        *len += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int os_run(Arena *a, const char *const *argv, const void *input, size_t len, OsRun *out)
{
    Streams s;
    pid_t child;

    *out = (OsRun){0};
    if (!os_env("PATH"))
        return ENOENT;
    int status = open_streams(&s, input, len);
    if (!status)
        status = spawn(argv, &s, &child);
    if (!status)
        status = wait_for(child, &out->code);
    if (!status)
        status = take(a, s.fds[1], &out->output, &out->noutput);
    if (!status)
        status = take(a, s.fds[2], &out->errors, &out->nerrors);
    close_streams(&s);
    return status;
}
