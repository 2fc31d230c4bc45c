/*
 * perf_event.c - samples that Linux takes of a thread, by the processor's counters or a clock
 *
 * The calling thread is watched by perf_event_open(), which systems allow for a process's own
 * threads outside of the kernel unless /proc/sys/kernel/perf_event_paranoid is above 2 or a sandbox
 * forbids it.  Each event has a ring of memory where the kernel puts the address that the thread
 * was at whenever `period` more of the event have happened; whoever reads them out must come often
 * enough, or later ones are lost.  Counters place their samples at the very instruction where the
 * processor can (precise_ip), else a few behind it.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device_cpu.h"

enum { RING_BYTES = 1 << 16, MOST_PRECISE = 3 };

/* A thousand to a few thousand samples a second; primes, since kernels have rhythms of their own.
 * Time comes first: without it there is nothing to relate the others to. */
static const PerfEvent counters[] = {
    {SAMPLE_TIME, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2000003},
    {SAMPLE_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 5000011},
    {SAMPLE_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 100003},
};
/* nanoseconds */
static const PerfEvent cpu_clock = {SAMPLE_TIME, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
                                    499979};

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t ring_bytes(void)
{
    return MAX(page_bytes(), (size_t)RING_BYTES); /* both are powers of two, as rings have to be */
}

/* A file descriptor of the event of this thread, which has not begun to count; or -1. */
static int open_event(const PerfEvent *e, int precise)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = e->type,
                                   .config = e->config,
                                   .sample_period = e->period,
                                   .sample_type = PERF_SAMPLE_IP,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .precise_ip = (unsigned)precise & 3};

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool perf_ring_open(PerfRing *r, const PerfEvent *e, int precise)
{
    *r = (PerfRing){.kind = e->kind, .fd = open_event(e, precise)};
    if (r->fd < 0)
        return false;
    r->head = mmap(NULL, page_bytes() + ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (r->head != MAP_FAILED)
        return true;
    close(r->fd);
    return false;
}

void perf_ring_count(const PerfRing *r, bool on)
{
    ioctl(r->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void perf_ring_close(PerfRing *r)
{
    munmap(r->head, page_bytes() + ring_bytes());
    close(r->fd);
}

/* Records are multiples of 8 bytes and lie across the ring's end, where they reach it. */
void perf_ring_read(PerfRing *r, void (*fn)(void *ctx, uint64_t address), void *ctx)
{
    struct perf_event_mmap_page *page = r->head;
    const char *ring = (const char *)r->head + page_bytes();
    uint64_t mask = ring_bytes() - 1, at = page->data_tail;
    uint64_t end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

    while (at < end) {
        struct perf_event_header header;
        uint64_t address;
        memcpy(&header, ring + (at & mask), sizeof header);
        memcpy(&address, ring + ((at + sizeof header) & mask), sizeof address);
        if (header.type == PERF_RECORD_SAMPLE)
            fn(ctx, address);
        at += header.size;
    }
    __atomic_store_n(&page->data_tail, end, __ATOMIC_RELEASE);
}

/* Whether this thread may have the event. */
static bool can_have(const PerfEvent *e, int precise)
{
    PerfRing r;

    if (!perf_ring_open(&r, e, precise))
        return false;
    perf_ring_close(&r);
    return true;
}

bool perf_choose_counters(PerfChoice *out)
{
    int precise = MOST_PRECISE;

    while (precise >= 0 && !can_have(&counters[0], precise))
        precise--;
    *out = (PerfChoice){.precise = MAX(precise, 0)};
    for (int i = 0; precise >= 0 && i < COUNT(counters); i++) {
        if (can_have(&counters[i], precise))
            out->events[out->n++] = counters[i];
    }
    return out->n > 0;
}

bool perf_choose_clock(PerfChoice *out)
{
    *out = (PerfChoice){.n = 1, .events = {cpu_clock}};
    return can_have(&cpu_clock, 0);
}
