/*
 * perf.c - tell Linux's perf about loaded code
 *
 * Where TILEC_PERF asks for it, each kernel that is loaded goes to two files: jit-PID.dump in the
 * current folder, with its bytes and lines, which `perf inject --jit` makes objects of (the format
 * is tools/perf/Documentation/jitdump-specification.txt of the kernel's sources), and
 * /tmp/perf-PID.map, which `perf report` reads without that, with names alone.  perf finds the
 * first because a page of it is mapped as if it were code; its clock is the monotonic one
 * (`perf record -k mono`).
 *
 * What cannot be written is left out: nobody's launch fails for that.  The files belong to the
 * process, so they are its state, under a lock.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device_cpu.h"

enum { DUMP_MAGIC = 0x4a695444, DUMP_VERSION = 1 };
enum { DUMP_LOAD = 0, DUMP_LINES = 2 };

typedef struct {
    uint32_t magic, version, bytes, machine, unused, process;
    uint64_t time, flags;
} DumpHeader;
typedef struct {
    uint32_t kind, bytes;
    uint64_t time;
} DumpRecord;
/* behind a record; then the name, a NUL, and the code */
typedef struct {
    uint32_t process, thread;
    uint64_t address, code, size, number;
} DumpLoad;
/* behind a record; then entries */
typedef struct {
    uint64_t code, entries;
} DumpLines;
/* behind it the name of the file and a NUL */
typedef struct {
    uint64_t address;
    int32_t line, discriminator;
} DumpLine;

static struct {
    pthread_mutex_t lock;
    pid_t owner; /* of the files; 0: nobody has tried to open them */
    FILE *dump, *map;
    uint64_t loaded; /* kernels */
} perf = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t perf_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A new file; never one that is there, or behind a link. */
static FILE *create_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

    if (!f && fd >= 0)
        close(fd);
    return f;
}

static void open_files(void)
{
    const DumpHeader head = {
        .magic = DUMP_MAGIC,
        .version = DUMP_VERSION,
        .bytes = sizeof head,
#if defined(__aarch64__)
        .machine = EM_AARCH64,
#else
        .machine = EM_X86_64,
#endif
        .process = (uint32_t)getpid(),
        .time = perf_clock()
    };
    char path[64];

    perf.owner = getpid();
    snprintf(path, sizeof path, "jit-%d.dump", (int)perf.owner);
    perf.dump = create_file(path);
    if (perf.dump) {
        fwrite(&head, sizeof head, 1, perf.dump);
        fflush(perf.dump);
        (void)mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
                   fileno(perf.dump), 0); /* for perf to see, as long as the process lives */
    }
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)perf.owner);
    perf.map = create_file(path);
}

static void put_record(uint32_t kind, size_t bytes)
{
    const DumpRecord r = {kind, (uint32_t)(sizeof r + bytes), perf_clock()};

    fwrite(&r, sizeof r, 1, perf.dump);
}

typedef struct {
    const char *folder, *between, *name; /* one behind the other */
} DumpPath;

/* From the root on, so that it is found from wherever perf runs. */
static DumpPath path_of_row(const LineTable *t, const LineRow *r, const char *folder)
{
    const char *name = t->files[r->file] ? t->files[r->file] : "";

    return name[0] == '/' || !folder[0] ? (DumpPath){"", "", name} : (DumpPath){folder, "/", name};
}

static size_t path_bytes(DumpPath p)
{
    return strlen(p.folder) + strlen(p.between) + strlen(p.name) + 1;
}

static void dump_lines(const LineTable *t, uint64_t start)
{
    DumpLines head = {.code = start};
    size_t bytes = sizeof head;
    char now[PATH_MAX];
    const char *folder = getcwd(now, sizeof now) ? now : "";

    for (int i = 0; i < t->n; i++) {
        if (t->rows[i].line == 0)
            continue;
        head.entries++;
        bytes += sizeof(DumpLine) + path_bytes(path_of_row(t, &t->rows[i], folder));
    }
    put_record(DUMP_LINES, bytes);
    fwrite(&head, sizeof head, 1, perf.dump);
    for (int i = 0; i < t->n; i++) {
        const LineRow *r = &t->rows[i];
        const DumpLine line = {.address = r->address, .line = r->line};
        if (r->line == 0)
            continue;
        const DumpPath path = path_of_row(t, r, folder);
        fwrite(&line, sizeof line, 1, perf.dump);
        fprintf(perf.dump, "%s%s%s%c", path.folder, path.between, path.name, 0);
    }
}

static void dump_code(const char *name, uint64_t start, uint64_t size)
{
    const DumpLoad load = {.process = (uint32_t)perf.owner,
                           .thread = (uint32_t)syscall(SYS_gettid),
                           .address = start,
                           .code = start,
                           .size = size,
                           .number = perf.loaded++};

    put_record(DUMP_LOAD, sizeof load + strlen(name) + 1 + size);
    fwrite(&load, sizeof load, 1, perf.dump);
    fwrite(name, strlen(name) + 1, 1, perf.dump);
    fwrite((const void *)(uintptr_t)start, size, 1, perf.dump);
}

void perf_note(const char *name, const void *entry, const LineTable *t)
{
    uint64_t start = (uint64_t)(uintptr_t)entry;

    if (!os_wants("TILEC_PERF") || !t || t->n == 0 || t->rows[t->n - 1].address <= start)
        return;
    uint64_t size = t->rows[t->n - 1].address - start; /* the last row is where the code ends */
    pthread_mutex_lock(&perf.lock);
    if (perf.owner != getpid())
        open_files();
    if (perf.dump) {
        dump_lines(t, start);
        dump_code(name, start, size);
        fflush(perf.dump);
    }
    if (perf.map) {
        fprintf(perf.map, "%llx %llx %s\n", (unsigned long long)start, (unsigned long long)size,
                name);
        fflush(perf.map);
    }
    pthread_mutex_unlock(&perf.lock);
}
