/*
 * clocks.c - how long the lines of kernels took, as their code noted it (GenClock), for profiles
 *
 * One profile a process, as on the CPU: launches of code with lines note it from the start of one
 * to its end, and are waited for.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device_cuda.h"

typedef struct {
    char *file; /* NULL: of no line that is known */
    int line;
    uint64_t cycles;
} Clocked;

static struct {
    pthread_mutex_t lock;
    Clocked *lines; /* under the lock, as the rest */
    int n, room;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_bool is_on, is_paused;

RunStatus cuda_profile_start(const char **why)
{
    bool was_on = atomic_exchange(&is_on, true);

    *why = "a profile is being taken already";
    return was_on ? RUN_FAILED : RUN_OK;
}

void cuda_profile_pause(bool paused)
{
    pthread_mutex_lock(&profile.lock);
    atomic_store(&is_paused, paused && atomic_load(&is_on));
    pthread_mutex_unlock(&profile.lock);
}

void cuda_profile_stop(void (*on_sample)(void *ctx, const DeviceSample *sample), void *ctx)
{
    pthread_mutex_lock(&profile.lock);
    for (int i = 0; i < profile.n; i++) {
        const Clocked *l = &profile.lines[i];
        on_sample(ctx, &(DeviceSample){.file = l->file,
                                       .line = l->line,
                                       .clock = "the clocks of multiprocessors",
                                       .steps = l->cycles});
        free(l->file);
    }
    free(profile.lines);
    profile.lines = NULL;
    profile.n = profile.room = 0;
    atomic_store(&is_on, false);
    atomic_store(&is_paused, false);
    pthread_mutex_unlock(&profile.lock);
}

bool cuda_is_profiled(void)
{
    return atomic_load(&is_on) && !atomic_load(&is_paused);
}

/* Under the lock.  A lack of memory loses what the line took. */
static void add(const char *file, int line, uint64_t cycles)
{
    Clocked *l = profile.lines;

    for (int i = 0; i < profile.n; i++, l++) {
        bool same = file && l->file ? strcmp(file, l->file) == 0 : file == l->file;
        if (same && l->line == line) {
            l->cycles += cycles;
            return;
        }
    }
    if (profile.n == profile.room) {
        int room = 2 * profile.room + 16;
        if (!(l = realloc(profile.lines, (size_t)room * sizeof *l)))
            return;
        profile.lines = l;
        profile.room = room;
    }
    char *name = file ? strdup(file) : NULL;
    if (name || !file)
        profile.lines[profile.n++] = (Clocked){name, line, cycles};
}

enum { CLOCKS = GEN_CLOCK_ROWS * GEN_CLOCKS };

CuResult cuda_clocks_open(const CudaScope *s, const DeviceLaunch *l, CuAddress *out)
{
    size_t bytes = CLOCKS * sizeof(GenClock);
    CuResult r = s->driver->alloc_in(out, bytes, l->stream);

    return r == CU_SUCCESS ? s->driver->fill_32(*out, 0, bytes / 4, l->stream) : r;
}

/* A profile that has ended meanwhile does without, and the next one, too. */
static void add_all(const DeviceLaunch *l, const GenClock *clocks)
{
    pthread_mutex_lock(&profile.lock);
    for (int i = 0; i < CLOCKS && atomic_load(&is_on); i++) {
        const GenClock *c = &clocks[i];
        const Place at = l->sources && c->place ? source_place(l->sources, c->place) : (Place){0};

        if (c->cycles > 0)
            add(at.source ? at.source->path : NULL, at.line, c->cycles);
    }
    pthread_mutex_unlock(&profile.lock);
}

CuResult cuda_clocks_tell(const CudaScope *s, const DeviceLaunch *l, CuAddress at)
{
    size_t bytes = CLOCKS * sizeof(GenClock);
    GenClock *clocks = malloc(bytes);
    CuResult r = CU_OUT_OF_MEMORY;

    if (clocks)
        r = s->driver->copy_to_host(clocks, at, bytes, l->stream);
    if (r == CU_SUCCESS)
        r = s->driver->stream_wait(l->stream);
    if (r == CU_SUCCESS)
        add_all(l, clocks);
    free(clocks);
    return r;
}
