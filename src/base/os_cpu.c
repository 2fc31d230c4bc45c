/*
 * os_cpu.c - how many CPUs this process may use, how much of their cache, and how wide they are
 *
 * Linux says both in small files: control groups (containers, service managers) limit the time
 * that a process gets on all CPUs together, and /sys tells which CPUs share a cache.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif

#include "base.h"

enum {
    LINE_LENGTH = 256,
    CACHES = 8, /* of one CPU */
    DEFAULT_CACHE = 32 << 20
};
/* A virtual machine sees the whole cache of a processor whose other CPUs, and their share of it,
 * are a stranger's.  Processors have up to about this much for each of theirs.  A cache of no more
 * than a few CPUs is counted on as a whole: to store around what it has after all takes more than
 * twice as long, and to store into it what it has not, a sixth more. */
static const size_t largest_share = 4 << 20, of_few_cpus = 32 << 20;

/* The first line of a file; "" when there is none. */
static void read_line(const char *folder, const char *name, char line[LINE_LENGTH])
{
    char path[PATH_MAX];
    FILE *f = NULL;

    line[0] = '\0';
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
        f = fopen(path, "re");
    if (!f)
        return;
    if (!fgets(line, LINE_LENGTH, f))
        line[0] = '\0';
    fclose(f);
}

/* --- CPUs --- */

/* How many CPUs `quota` microseconds in each `period` are, rounded up; 0: no limit. */
static int whole_cpus(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota / period >= INT_MAX)
        return 0;
    return (int)((quota + period - 1) / period);
}

/* The limit that one group sets; in version 1 of control groups -1 stands for none. */
static int group_quota(const char *folder, bool is_first_version)
{
    char line[LINE_LENGTH], period[LINE_LENGTH];
    long long most, each;

    if (!is_first_version) {
        read_line(folder, "cpu.max", line);
        return sscanf(line, "%lld %lld", &most, &each) == 2 ? whole_cpus(most, each) : 0;
    }
    read_line(folder, "cpu.cfs_quota_us", line);
    if (atoll(line) <= 0)
        return 0;
    read_line(folder, "cpu.cfs_period_us", period);
    return whole_cpus(atoll(line), atoll(period));
}

static int smaller_limit(int a, int b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The strictest of a group and those around it.  A container may see its own group at the top of
 * the mount, under whatever path the host gave it.  Version 2 has no folders of controllers. */
static int path_quota(const char *mount, const char *controller, const char *path)
{
    char folder[PATH_MAX];
    int n = snprintf(folder, sizeof folder, "%s%s%s", mount, controller, path), quota = 0;
    size_t top = strlen(mount) + strlen(controller);

    if (n < 0 || (size_t)n >= sizeof folder || strstr(path, "..") || strcmp(path, "/") == 0)
        folder[MIN(top, sizeof folder - 1)] = '\0';
    for (;;) {
        quota = smaller_limit(quota, group_quota(folder, controller[0] != '\0'));
        char *slash = strrchr(folder, '/');
        if (!slash || slash < folder + top)
            return quota;
        *slash = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *s = list; s; s = strchr(s, ','), s = s ? s + 1 : NULL) {
        if (strncmp(s, word, n) == 0 && (s[n] == ',' || s[n] == '\0'))
            return true;
    }
    return false;
}

int os_cpu_quota(const char *groups, const char *mount)
{
    char line[PATH_MAX];
    int quota = 0;
    FILE *f = fopen(groups, "re");

    /* lines as `4:cpu,cpuacct:/user.slice`; version 2 names no controllers */
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = NULL;
        if (controllers)
            path = strchr(++controllers, ':');
        if (!path)
            continue;
        *path++ = '\0';
        if (controllers[0] == '\0')
            quota = smaller_limit(quota, path_quota(mount, "", path));
        else if (has_word(controllers, "cpu"))
            quota = smaller_limit(quota, path_quota(mount, "/cpu", path));
    }
    if (f)
        fclose(f);
    return quota;
}

static int allowed_cpus(void)
{
#ifdef __linux__
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return MAX(CPU_COUNT(&set), 1);
#endif
    return (int)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

enum { STACK_NEEDED = 64 << 10 }; /* of paths, and what reads files */

static void read_quota(void *quota)
{
    *(int *)quota = os_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
}

/* What control groups allow stays what it was when a process first asked; it may change its
 * affinity itself. */
int os_cpu_count(void)
{
    static _Atomic int known = -1;
    int quota = atomic_load_explicit(&known, memory_order_relaxed);

    if (quota < 0) {
        quota = 0;
        os_with_stack(STACK_NEEDED, read_quota, &quota);
        atomic_store_explicit(&known, quota, memory_order_relaxed);
    }
    return smaller_limit(allowed_cpus(), quota);
}

/* --- caches --- */

/* A number with a unit, such as 32768K. */
static size_t parse_bytes(const char *s)
{
    char *end;
    size_t n = strtoul(s, &end, 10);

    return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : n;
}

/* How many numbers a list such as 0-3,8,10-11 has. */
static int list_length(const char *s)
{
    int n = 0;

    while (*s >= '0' && *s <= '9') {
        char *end;
        long first = strtol(s, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        n += (int)MIN(MAX(last - first + 1, 1), 1 << 16);
        s = *end == ',' ? end + 1 : end;
    }
    return n;
}

size_t os_cache_share(const char *folder, int cpus)
{
    char index[PATH_MAX], line[LINE_LENGTH];
    size_t size = 0;
    int best = 1, sharing = 0;

    for (int i = 0; i < CACHES; i++) {
        snprintf(index, sizeof index, "%s/index%d", folder, i);
        read_line(index, "level", line);
        int level = atoi(line);
        if (level < 2 || level < best)
            continue;
        best = level;
        read_line(index, "size", line);
        size = parse_bytes(line);
        read_line(index, "shared_cpu_list", line);
        sharing = list_length(line);
    }
    sharing = MAX(sharing, 1);
    if (size <= of_few_cpus)
        return size * (size_t)((cpus + sharing - 1) / sharing);
    return MIN(size / (size_t)sharing, largest_share) * (size_t)cpus;
}

size_t os_last_level_cache_bytes(void)
{
    size_t share = os_cache_share("/sys/devices/system/cpu/cpu0/cache", os_cpu_count());

#ifdef _SC_LEVEL3_CACHE_SIZE
    if (share == 0)
        share = (size_t)MAX(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
#endif
    return share ? share : DEFAULT_CACHE;
}

/* --- vectors --- */

#ifdef __x86_64__
/* What the system saves of the registers, by bits of XCR0. */
static uint32_t saved_registers(void)
{
    uint32_t a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0)
        return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return a;
}

static int vector_bytes(void)
{
    const uint32_t ymm = 6, zmm = 0xe6, saved = saved_registers();
    uint32_t a, b, c, d;

    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 16;
    if ((b & bit_AVX512F) != 0 && (saved & zmm) == zmm)
        return 64;
    return (b & bit_AVX2) != 0 && (saved & ymm) == ymm ? 32 : 16;
}
#else
static int vector_bytes(void)
{
    return 16;
}
#endif

/* Under a hypervisor each question takes many microseconds: it is asked once. */
int os_vector_bytes(void)
{
    static _Atomic int known;
    int bytes = atomic_load_explicit(&known, memory_order_relaxed);

    if (bytes == 0) {
        bytes = vector_bytes();
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}
