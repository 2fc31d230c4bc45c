/*
 * os_thread.c - threads of our own in somebody else's program
 */
#include <signal.h>

#include "base.h"

/* A blocked signal that the thread itself causes ends the process without its handler. */
static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

enum { LEAST_STACK = 1 << 20 };

/* What `ulimit -s` says is too little for us only if it is very little. */
static int choose_stack(pthread_attr_t *attributes)
{
    size_t bytes;
    int status = pthread_attr_getstacksize(attributes, &bytes);

    if (status != 0 || bytes >= LEAST_STACK)
        return status;
    return pthread_attr_setstacksize(attributes, LEAST_STACK);
}

static int start_with_usual_stack(pthread_t *out, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);

    if (status != 0)
        return status;
    status = choose_stack(&attributes);
    if (status == 0)
        status = os_thread_start(out, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return status;
}

int os_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                    void *argument)
{
    sigset_t set, before;

    if (!attributes)
        return start_with_usual_stack(out, run, argument);

    sigfillset(&set);
    for (int i = 0; i < COUNT(own_faults); i++)
        sigdelset(&set, own_faults[i]);
    pthread_sigmask(SIG_SETMASK, &set, &before);
    int status = pthread_create(out, attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
