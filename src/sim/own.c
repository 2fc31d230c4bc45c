/*
 * own.c - memory of the process beside the launch's arrays
 *
 * A kernel that loads addresses from memory may follow them wherever the process has memory, as it
 * may on a GPU.  What there is is asked once a launch, when the first such address is met.
 */
#include <pthread.h>
#include <stdlib.h>

#include "execute.h"

struct OwnMemory {
    pthread_mutex_t lock;
    bool known;
    SimRange *ranges; /* by address */
    int count;
};

OwnMemory *own_memory_new(void)
{
    OwnMemory *own = calloc(1, sizeof *own);

    if (own)
        pthread_mutex_init(&own->lock, NULL);
    return own;
}

void own_memory_free(OwnMemory *own)
{
    if (!own)
        return;
    pthread_mutex_destroy(&own->lock);
    free(own->ranges);
    free(own);
}

/* What the system does not tell is not there. */
static void learn(OwnMemory *own)
{
    OsMapping *all;
    int n = os_mappings(&all);

    own->known = true;
    own->ranges = calloc((size_t)n + 1, sizeof *own->ranges);
    for (int i = 0; i < n && own->ranges; i++)
        own->ranges[own->count++] = (SimRange){.address = all[i].start,
                                               .bytes = all[i].end - all[i].start,
                                               .read_only = !all[i].writable};
    free(all);
}

const SimRange *own_memory_find(OwnMemory *own, uint64_t address)
{
    int lo = 0, hi;

    pthread_mutex_lock(&own->lock);
    if (!own->known)
        learn(own);
    pthread_mutex_unlock(&own->lock);
    hi = own->count;
    while (lo < hi) { /* the first that ends behind the address */
        int mid = (lo + hi) / 2;
        const SimRange *r = &own->ranges[mid];

        if (r->address + r->bytes <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < own->count && own->ranges[lo].address <= address ? &own->ranges[lo] : NULL;
}
