/*
 * trial.c - do in a child process what may crash, take for ever or fill the memory
 */
#include "call.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOWEST = 10 }; /* seconds on the wall for one of the CPU, where others use it, too */
enum { SLOWEST_ASIDE = 3000 }; /* milliseconds that are waited for one beside the command */
enum { STOPPED = 3 };          /* the exit code of a child that trial_stop() has ended */

static int trial_pipe = -1; /* of a child, to its parent */

static void write_text(int to, const char *text)
{
    const char *end = text ? text + strlen(text) : NULL;

    for (ssize_t n = 0; text && text < end && n >= 0; text += n)
        n = write(to, text, (size_t)(end - text));
}

static NORETURN void be_child(Cli *c, unsigned seconds, Trial *trial, void *context, int pipe_end)
{
    const struct rlimit most = {seconds, seconds + 1};

    if (seconds > 0)
        setrlimit(RLIMIT_CPU, &most);
    signal(SIGALRM, SIG_DFL);
    alarm(seconds * SLOWEST);
    crash_be_quiet();
    interrupt_be_quiet();
    trial_pipe = pipe_end;
    write_text(pipe_end, trial(c, context));
    _exit(0);
}

void trial_stop(const char *text)
{
    if (trial_pipe < 0)
        return;
    write_text(trial_pipe, text);
    _exit(STOPPED);
}

/* What the child has written, all of it; NULL: nothing. */
static const char *read_text(Cli *c, int pipe_end)
{
    Text out = text_new(c->arena);
    char part[4096];
    ssize_t n;

    while ((n = read(pipe_end, part, sizeof part)) > 0)
        text_putn(&out, part, (size_t)n);
    return out.s;
}

static const char *ending_text(Cli *c, unsigned seconds, int status)
{
    if (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU)
        return arena_printf(c->arena, "it runs for more than %u s", seconds);
    if (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS)
        return "it reaches memory outside of its arrays: --check says where";
    return arena_printf(c->arena, "signal %d ends it", WTERMSIG(status));
}

bool trial_is_needed(const Options *o)
{
    return !o->launch.device || strcmp(o->launch.device, "cuda") != 0;
}

bool trial_run(Cli *c, unsigned seconds, Trial *trial, void *context, const char **text)
{
    int ends[2] = {-1, -1}, status = 0;
    pid_t child = pipe(ends) == 0 ? fork() : -1;

    if (child == 0)
        be_child(c, seconds, trial, context, ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    *text = child < 0 ? trial(c, context) : read_text(c, ends[0]);
    if (ends[0] >= 0)
        close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        continue;
    if (WIFSIGNALED(status))
        *text = ending_text(c, seconds, status);
    return !WIFSIGNALED(status) && !(WIFEXITED(status) && WEXITSTATUS(status) == STOPPED);
}

/* --- beside the command --- */

static volatile int aside_over;

/* The first half of its time is over: programs that have begun may end; or all of it is. */
static void end_aside(int number)
{
    (void)number;
    if (aside_over)
        _exit(0);
    aside_over = 1;
}

static void limit_aside(long micros)
{
    const struct itimerval half = {{0, micros / 2}, {0, micros / 2}};

    signal(SIGPROF, end_aside);
    setitimer(ITIMER_PROF, &half, NULL);
}

Aside aside_start(Cli *c, long micros, AsideTrial *trial, void *context)
{
    int ends[2] = {-1, -1};
    pid_t child = pipe(ends) == 0 ? fork() : -1;

    if (child == 0) {
        crash_be_quiet();
        interrupt_be_quiet();
        limit_aside(micros);
        write_text(ends[1], trial(c, context, &aside_over));
        _exit(0);
    }
    if (ends[1] >= 0)
        close(ends[1]);
    return (Aside){child, ends[0]};
}

const char *aside_end(Cli *c, const Aside *a)
{
    struct pollfd end = {.fd = a->pipe, .events = POLLIN};
    const char *text = NULL;

    if (a->child > 0 && poll(&end, 1, SLOWEST_ASIDE) > 0)
        text = read_text(c, a->pipe);
    else if (a->child > 0)
        kill(a->child, SIGKILL);
    if (a->pipe >= 0)
        close(a->pipe);
    while (a->child > 0 && waitpid(a->child, NULL, 0) < 0)
        continue;
    return text;
}
