/*
 * os_thread.c - threads of our own in somebody else's program
 */
#include <signal.h>

#include "base.h"

/* A blocked signal that the thread itself causes ends the process without its handler. */
static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

int os_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                    void *argument)
{
    sigset_t set, before;

    sigfillset(&set);
    for (int i = 0; i < COUNT(own_faults); i++)
        sigdelset(&set, own_faults[i]);
    pthread_sigmask(SIG_SETMASK, &set, &before);
    int status = pthread_create(out, attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
