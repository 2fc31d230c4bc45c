/*
 * parts.c - the elements of a large array, a part at a time, on all CPUs
 *
 * Parts are of one size, whatever the machine, so that what is summed over them does not depend on
 * how many threads there are.  Threads live for one call; where none can be had, and for small
 * arrays, the caller works alone.
 */
#include "array.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LEAST_PARTS = 8, MOST_THREADS = 64 };

typedef struct {
    int64_t n;
    PartWork *work;
    void *context;
    _Atomic int64_t next; /* the first element of the next part */
} Parts;

static void *work_on_parts(void *parts)
{
    Parts *p = parts;
    int64_t first;

    while ((first = atomic_fetch_add(&p->next, PART_ELEMENTS)) < p->n)
        p->work(p->context, first, MIN(PART_ELEMENTS, p->n - first));
    return NULL;
}

void parts_run(int64_t n, PartWork *work, void *context)
{
    Parts p = {.n = n, .work = work, .context = context};
    bool is_large = n >= LEAST_PARTS * (int64_t)PART_ELEMENTS;
    int wanted = is_large ? MIN(os_cpu_count(), (int)MOST_THREADS) - 1 : 0, started = 0;
    pthread_t threads[MOST_THREADS];

    while (started < wanted && os_thread_start(&threads[started], NULL, work_on_parts, &p) == 0)
        started++;
    work_on_parts(&p);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
