/*
 * interrupt.c - Ctrl-C ends the command at once, whatever it is doing, and leaves a clean line
 *
 * The process dies by the signal itself, so that a shell's loop ends with it and $? is 130. Nothing
 * is left to tidy up: files that are not complete have no name (base/os_file.c), and the moment in
 * which they get one waits for no signal.
 */
#include "cli.h"

#include <signal.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t line_shown;

static void end(int signal)
{
    static const char wipe[] = "\r\033[K";

    if (line_shown && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0)
        line_shown = 0;
    raise(signal); /* the handler is gone: this ends the process when it returns */
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = end, .sa_flags = (int)SA_RESETHAND}, before;

    for (int i = 0; i < COUNT(signals); i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

void interrupt_wipes(bool shown)
{
    line_shown = shown;
}
