/*
 * os_process.c - run another program, with bytes for its input, and take what it says
 *
 * Its output and its errors are files in memory without a name, so nothing can block on a full pipe
 * and nothing is left behind; so is its input, but for a program that is started before that is
 * there, which waits for it at a pipe.  It may open them by name as well: "/dev/stdin",
 * "/dev/stdout".
 *
 * A pipe ends when nobody can write to it any more.  A child that another thread forks meanwhile,
 * and that runs no program, would keep it open: it closes the ends in `inputs` first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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

typedef int Streams[STREAMS];

static void close_streams(Streams s)
{
    for (int i = 0; i < STREAMS; i++) {
        if (s[i] >= 0)
            close(s[i]);
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
    return 0;
}

/* Numbered behind the standard streams, which a program may have been started without; else they
 * would be in each other's way in the child.  -1 and errno. */
static int move_up(int fd)
{
    if (fd < 0 || fd >= STREAMS)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STREAMS);
    close(fd);
    return moved;
}

static int open_streams(Streams s)
{
    static const char *const names[STREAMS] = {"tilec-in", "tilec-out", "tilec-err"};
    int status = 0;

    for (int i = 0; i < STREAMS; i++) {
        s[i] = move_up(memfd_create(names[i], MFD_CLOEXEC));
        if (s[i] < 0)
            status = errno;
    }
    return status;
}

/* With signals as a program expects them, whatever the calling thread blocks. */
static int spawn(const char *const *argv, const Streams s, pid_t *child)
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
            status = posix_spawn_file_actions_adddup2(&actions, s[i], i);
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

/* Wait for its end, and take what it said. */
static int collect(pid_t child, Streams s, Arena *a, OsRun *out)
{
    int status = wait_for(child, &out->code);

    if (!status)
        status = take(a, s[1], &out->output, &out->noutput);
    if (!status)
        status = take(a, s[2], &out->errors, &out->nerrors);
    return status;
}

int os_run(Arena *a, const char *const *argv, const void *input, size_t len, OsRun *out)
{
    Streams s;
    pid_t child;

    *out = (OsRun){0};
    if (!os_env("PATH"))
        return ENOENT;
    int status = open_streams(s);
    if (!status)
        status = fill(s[0], input, len);
    if (!status && lseek(s[0], 0, SEEK_SET) < 0)
        status = errno;
    if (!status)
        status = spawn(argv, s, &child);
    if (!status)
        status = collect(child, s, a, out);
    close_streams(s);
    return status;
}

/* --- programs that wait for their input --- */

enum { MOST_INPUTS = 64 };
static struct {
    pthread_once_t once;
    pthread_mutex_t lock; /* of what follows; held while a process forks */
    int at[MOST_INPUTS];  /* ends of pipes that will be written to */
    int n;
} inputs = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
    pthread_mutex_lock(&inputs.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&inputs.lock);
}

static void in_child(void)
{
    for (int i = 0; i < inputs.n; i++)
        close(inputs.at[i]);
    inputs.n = 0;
    pthread_mutex_unlock(&inputs.lock);
}

static void watch_forks(void)
{
    if (pthread_atfork(before_fork, in_parent, in_child) != 0)
        inputs.n = MOST_INPUTS; /* no program is started early */
}

/* A pipe whose end to write to is among the inputs. */
static int open_input(int *read_end, int *write_end)
{
    int ends[2], status = EAGAIN;

    pthread_once(&inputs.once, watch_forks);
    pthread_mutex_lock(&inputs.lock);
    if (inputs.n < MOST_INPUTS && (status = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno) == 0) {
        *read_end = move_up(ends[0]);
        *write_end = inputs.at[inputs.n++] = move_up(ends[1]);
    }
    pthread_mutex_unlock(&inputs.lock);
    return status;
}

static void close_input(int write_end)
{
    pthread_mutex_lock(&inputs.lock);
    for (int i = 0; i < inputs.n; i++) {
        if (inputs.at[i] == write_end)
            inputs.at[i] = inputs.at[--inputs.n];
    }
    close(write_end);
    pthread_mutex_unlock(&inputs.lock);
}

/* To a program that may have ended: the signal for that stays between us. */
static int fill_pipe(int fd, const void *input, size_t len)
{
    const struct timespec now = {0};
    sigset_t broken, before, waiting;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&waiting);
    bool was_waiting = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    int status = fill(fd, input, len);
    while (!was_waiting && status == EPIPE && sigtimedwait(&broken, NULL, &now) < 0 &&
           errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status == EPIPE ? 0 : status; /* it has said why, or will be missed */
}

int os_start(const char *const *argv, OsProgram *out)
{
    int write_end;
    Streams s;

    if (!os_env("PATH"))
        return ENOENT;
    int status = open_streams(s);
    if (!status) {
        close(s[0]);
        s[0] = -1;
        status = open_input(&s[0], &write_end);
    }
    if (status) {
        close_streams(s);
        return status;
    }
    status = spawn(argv, s, &out->child);
    close(s[0]);
    memcpy(out->streams, s, sizeof out->streams);
    out->streams[0] = write_end;
    if (status) {
        close_input(write_end);
        out->streams[0] = -1;
        close_streams(out->streams);
    }
    return status;
}

int os_finish(OsProgram *p, Arena *a, const void *input, size_t len, OsRun *out)
{
    *out = (OsRun){0};
    int status = fill_pipe(p->streams[0], input, len);
    close_input(p->streams[0]);
    p->streams[0] = -1;
    int collected = collect(p->child, p->streams, a, out);
    close_streams(p->streams);
    return status ? status : collected;
}

void os_stop(OsProgram *p)
{
    int ignored;

    kill(p->child, SIGKILL);
    close_input(p->streams[0]);
    p->streams[0] = -1;
    wait_for(p->child, &ignored);
    close_streams(p->streams);
}
