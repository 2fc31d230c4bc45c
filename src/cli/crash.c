/*
 * crash.c - last words when a kernel reaches memory that is not there
 *
 * A kernel computes addresses, and one that is far outside of its arrays ends the process by a
 * signal.  The text is made before the launch, since nothing but write() is safe in a handler; the
 * signal then ends the command as it would have.
 */
#include "cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS};
static char last_words[512];
static size_t last_words_length;

static void speak(int signal)
{
    /* the handler is gone by now: coming back to the access kills */
    (void)signal;
    if (write(STDERR_FILENO, last_words, last_words_length) < 0)
        return;
}

void crash_watch(Cli *c, const char *kernel)
{
    struct sigaction action = {.sa_handler = speak, .sa_flags = (int)SA_RESETHAND};
    Text t = text_new(c->arena);

    text_put(&t, "tilec: kernel '");
    text_put_printable(&t, kernel);
    text_put(&t, "' reached memory outside of its arrays: --check says where\n");
    last_words_length = MIN(t.len, sizeof last_words);
    memcpy(last_words, t.s, last_words_length);
    for (int i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], &action, NULL);
}

void crash_unwatch(void)
{
    for (int i = 0; i < COUNT(signals); i++)
        signal(signals[i], SIG_DFL);
}
