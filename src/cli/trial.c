/*
 * trial.c - do in a child process what may crash, take for ever or fill the memory
 */
#include "cli.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_TEXT = 4096 };

static NORETURN void be_child(Cli *c, unsigned seconds, Trial *trial, void *context, int pipe_end)
{
    const char *text;

    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    text = trial(c, context);
    if (text && write(pipe_end, text, strnlen(text, LONGEST_TEXT)) < 0)
        _exit(1);
    _exit(0);
}

/* What the child has written, all of it. */
static const char *read_text(Cli *c, int pipe_end)
{
    char text[LONGEST_TEXT];
    size_t n = 0;
    ssize_t got;

    while (n < sizeof text && (got = read(pipe_end, text + n, sizeof text - n)) > 0)
        n += (size_t)got;
    return n ? arena_strndup(c->arena, text, n) : NULL;
}

const char *trial_run(Cli *c, unsigned seconds, Trial *trial, void *context)
{
    int ends[2], status = 0;
    const char *text;
    pid_t child;

    if (pipe(ends) != 0)
        return trial(c, context);
    child = fork();
    if (child == 0)
        be_child(c, seconds, trial, context, ends[1]);
    close(ends[1]);
    text = child < 0 ? NULL : read_text(c, ends[0]);
    close(ends[0]);
    if (child < 0)
        return trial(c, context);
    while (waitpid(child, &status, 0) < 0)
        continue;
    if (!WIFSIGNALED(status))
        return text;
    if (WTERMSIG(status) == SIGALRM)
        return arena_printf(c->arena, "it runs for more than %u s", seconds);
    return "it ends the process: it may reach memory outside of its arrays";
}
