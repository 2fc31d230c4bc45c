/*
 * crash.c - last words when a kernel reaches memory that is not there
 *
 * A kernel computes addresses, and one that is far outside of its arrays ends the process by a
 * signal.  The text is made before the launch, since nothing but write() is safe in a handler; the
 * signal then ends the command as it would have.
 */
#include "cli.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS};
static char last_words[512];
static size_t last_words_length;
static int watches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all three */

static void speak(int signal)
{
    /* the handler is gone by now: coming back to the access kills */
    (void)signal;
    if (write(STDERR_FILENO, last_words, last_words_length) < 0)
        return;
}

const char *crash_words(Cli *c, const char *kernel)
{
    Text t = text_new(c->arena);

    text_put(&t, "tilec: kernel '");
    text_put_printable(&t, kernel);
    text_put(&t, "' reached memory outside of its arrays: --check says where\n");
    return t.s;
}

void crash_watch(const char *words)
{
    struct sigaction action = {.sa_handler = speak, .sa_flags = (int)SA_RESETHAND};

    pthread_mutex_lock(&lock);
    if (watches++ == 0) {
        last_words_length = MIN(strlen(words), sizeof last_words);
        memcpy(last_words, words, last_words_length);
        for (int i = 0; i < COUNT(signals); i++)
            sigaction(signals[i], &action, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void crash_unwatch(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COUNT(signals) && watches == 1; i++)
        signal(signals[i], SIG_DFL);
    watches--;
    pthread_mutex_unlock(&lock);
}
