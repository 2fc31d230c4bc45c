/*
 * crash.c - last words when a kernel reaches memory that is not there
 *
 * A kernel computes addresses, and one that is far outside of its arrays ends the process by a
 * signal.  The text is made before the launch, since little but read() and write() is safe in a
 * handler; the signal then ends the command as it would have.  Where a process beside the command
 * looks at the same launch (rehearsal.c), what it says is waited for and handed on.
 */
#include "terminal.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const int signals[CRASH_SIGNALS] = {SIGSEGV, SIGBUS};
typedef struct {
    char text[1024];
    size_t length;
} Words;
static Words last_words, last_json[CRASH_SIGNALS];
static int watches;
static bool is_quiet;
static volatile int witness = -1; /* where another process says what it has seen */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all three */

/* What is at work now, for the handler: it can take no lock. */
enum { MOST_FILES = 64 };
static _Atomic(const char *) files[MOST_FILES];
static atomic_flag spoken = ATOMIC_FLAG_INIT;

void crash_file_end(const char *path)
{
    for (int i = 0; i < MOST_FILES; i++) {
        const char *it = path;

        if (atomic_compare_exchange_strong(&files[i], &it, NULL))
            return;
    }
}

void crash_file_begin(const char *path)
{
    crash_file_end(path); /* it may have been put back */
    for (int i = 0; i < MOST_FILES; i++) {
        const char *none = NULL;

        if (atomic_compare_exchange_strong(&files[i], &none, path))
            return;
    }
}

static void put(int stream, const char *text, size_t length)
{
    if (write(stream, text, length) < 0)
        return;
}

/* Nothing but write() here, too. */
static void put_name(const char *name)
{
    char shown[PRINTABLE_BYTES];

    for (size_t n = strlen(name), taken; n > 0; name += taken, n -= taken)
        put(STDERR_FILENO, shown, printable_in_name(name, n, shown, &taken));
}

void crash_say_files(void)
{
    static const char begin[] = "tilec: it was at work on ", between[] = ", ";
    bool is_first = true;

    for (int i = 0; i < MOST_FILES; i++) {
        const char *path = atomic_load(&files[i]);

        if (!path)
            continue;
        put(STDERR_FILENO, is_first ? begin : between, strlen(is_first ? begin : between));
        put_name(path);
        is_first = false;
    }
    if (!is_first)
        put(STDERR_FILENO, "\n", 1);
}

void crash_witness(int pipe)
{
    witness = pipe;
}

static void hand_on(void)
{
    struct pollfd end = {.fd = witness, .events = POLLIN};
    char part[512];
    ssize_t n;

    if (witness < 0 || poll(&end, 1, CRASH_WAITS) <= 0)
        return;
    while ((n = read(witness, part, sizeof part)) > 0)
        put(STDERR_FILENO, part, (size_t)n);
}

static void say_all(int number)
{
    put(STDERR_FILENO, last_words.text, last_words.length);
    hand_on();
    crash_say_files();
    interrupt_tell();
    for (int i = 0; i < CRASH_SIGNALS; i++) {
        if (number == signals[i])
            put(STDOUT_FILENO, last_json[i].text, last_json[i].length);
    }
}

void crash_be_quiet(void)
{
    is_quiet = true;
}

/* Threads fault side by side: the first one speaks, and until the signal that it raises then ends
 * the process, the others wait. */
static void speak(int number)
{
    while (atomic_flag_test_and_set(&spoken))
        pause();
    if (!is_quiet)
        say_all(number);
    rescue_write();
    signal(number, SIG_DFL);
    raise(number);
}

int crash_signal(int i)
{
    return signals[i];
}

static void learn(Words *words, const char *text)
{
    words->length = MIN(strlen(text), sizeof words->text);
    memcpy(words->text, text, words->length);
}

void crash_watch(const LastWords *words)
{
    struct sigaction action = {.sa_handler = speak};

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
