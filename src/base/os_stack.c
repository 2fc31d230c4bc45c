/*
 * os_stack.c - work that needs more stack than its caller may have
 *
 * A library is called on threads that it did not make: with 64 KiB, or on a coroutine's stack whose
 * size nobody knows.  What recurses, or calls a library that does, runs here if there is room, else
 * on a thread of its own that the caller waits for.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base.h"

/* The stack that the system gave this thread; the same for its whole life. */
typedef struct {
    bool known;
    uintptr_t low, high;
} Stack;

/* That of the first thread grows downwards as it is used, up to a limit. */
static Stack main_stack(void)
{
    struct rlimit limit;
    uintptr_t top = (uintptr_t)getauxval(AT_RANDOM); /* bytes that the kernel put at its start */

    if (top == 0 || getrlimit(RLIMIT_STACK, &limit) != 0)
        return (Stack){0};
    uintptr_t size = limit.rlim_cur > top / 2 ? top / 2 : (uintptr_t)limit.rlim_cur;
    return (Stack){true, top - size, top};
}

static Stack thread_stack(void)
{
    pthread_attr_t attributes;
    size_t size, guard;
    void *low;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return (Stack){0};
    bool known = pthread_attr_getstack(&attributes, &low, &size) == 0 &&
                 pthread_attr_getguardsize(&attributes, &guard) == 0;
    pthread_attr_destroy(&attributes);
    if (!known)
        return (Stack){0};
    return (Stack){true, (uintptr_t)low + guard, (uintptr_t)low + size};
}

size_t os_stack_left(void)
{
    static _Thread_local Stack stack;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (!stack.known)
        stack = getpid() == (pid_t)syscall(SYS_gettid) ? main_stack() : thread_stack();
    return stack.known && here > stack.low && here < stack.high ? here - stack.low : 0;
}

typedef struct {
    void (*fn)(void *arg);
    void *arg;
} Work;

static void *do_work(void *work)
{
    const Work *w = work;

    w->fn(w->arg);
    return NULL;
}

/* Signals stay with the threads of the program that we are part of. */
static int run_apart(size_t bytes, Work *work)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int status = pthread_attr_init(&attributes);

    if (status != 0)
        return status;
    status = pthread_attr_setstacksize(&attributes, bytes);
    if (status == 0)
        status = os_thread_start(&thread, &attributes, do_work, work);
    pthread_attr_destroy(&attributes);
    return status == 0 ? pthread_join(thread, NULL) : status;
}

int os_with_stack(size_t bytes, void (*fn)(void *arg), void *arg)
{
    Work work = {fn, arg};

    if (os_stack_left() < bytes)
        return run_apart(OS_STACK_ROOM * bytes, &work);
    fn(arg);
    return 0;
}
