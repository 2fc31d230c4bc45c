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

static const int signals[CRASH_SIGNALS] = {SIGSEGV, SIGBUS};
typedef struct {
    char text[1024];
    size_t length;
} Words;
static Words last_words, last_json[CRASH_SIGNALS];
static int watches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all three */

static void say(int stream, const Words *words)
{
    if (write(stream, words->text, words->length) < 0)
        return;
}

/* The handler is gone by now: coming back to the access kills. */
static void speak(int signal)
{
    say(STDERR_FILENO, &last_words);
    for (int i = 0; i < CRASH_SIGNALS; i++) {
        if (signal == signals[i])
            say(STDOUT_FILENO, &last_json[i]);
    }
}

LastWords crash_words(Cli *c, const char *kernel)
{
    enum { OF_SIGNALS = 128 }; /* a shell's exit codes */
    Text t = text_new(c->arena);
    LastWords out = {.json = {"", ""}};

    text_put(&t, "kernel '");
    text_put_printable(&t, kernel);
    text_put(&t, "' reached memory outside of its arrays: --check says where");
    out.text = arena_printf(c->arena, "tilec: %s\n", t.s);
    for (int i = 0; i < CRASH_SIGNALS && c->json; i++)
        out.json[i] =
            arena_printf(c->arena, "%s\n", problem_of_fault(c, t.s, OF_SIGNALS + signals[i]));
    return out;
}

static void learn(Words *words, const char *text)
{
    words->length = MIN(strlen(text), sizeof words->text);
    memcpy(words->text, text, words->length);
}

void crash_watch(const LastWords *words)
{
    struct sigaction action = {.sa_handler = speak, .sa_flags = (int)SA_RESETHAND};

    pthread_mutex_lock(&lock);
    if (watches++ == 0) {
        learn(&last_words, words->text);
        for (int i = 0; i < CRASH_SIGNALS; i++)
            learn(&last_json[i], words->json[i]);
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
