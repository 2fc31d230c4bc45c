/*
 * accesses.c - a launch on the interpreter that notes which program reads and writes what
 *
 * Each array of the arguments has counts for all that lies between its first element in memory and
 * its last.  A program counts once for each element, however often it goes there.
 */
#include <string.h>

#include "inside.h"

/* What lies between the first element of an array and its last. */
typedef struct {
    uint64_t address, bytes;
    int size;
    uint8_t *reads, *writes;
    int64_t *first, *last, *reader, *writer; /* programs; -1: none */
} ArraySpan;
typedef struct {
    const DebugAccessWish *wish;
    Arena *arena;
    VEC(ArraySpan) spans;
    bool stopped;
} Noter;

static int64_t program_number(const int32_t grid[3], const int32_t at[3])
{
    return at[0] + (int64_t)grid[0] * (at[1] + (int64_t)grid[1] * at[2]);
}

/* Once for each program. */
static void note_program(int64_t program, uint8_t *count, int64_t *seen)
{
    if (*seen == program)
        return;
    *seen = program;
    *count = (uint8_t)MIN(*count + 1, UINT8_MAX);
}

static void note_element(ArraySpan *s, int64_t at, int effect, int64_t program)
{
    bool writes = (effect & WRITES) != 0, is_first_write = writes && s->writes[at] == 0;

    if (effect & READS)
        note_program(program, &s->reads[at], &s->reader[at]);
    if (writes)
        note_program(program, &s->writes[at], &s->writer[at]);
    if (!writes && s->writes[at] > 0)
        return; /* who writes is told, where anybody does */
    if (s->first[at] < 0 || is_first_write)
        s->first[at] = program;
    s->last[at] = program;
}

static void note_lane(Noter *n, uint64_t address, int effect, int64_t program)
{
    for (int i = 0; i < n->spans.len; i++) {
        ArraySpan *s = &n->spans.at[i];

        if (address >= s->address && address < s->address + s->bytes)
            note_element(s, (int64_t)(address - s->address) / s->size, effect, program);
    }
}

static void note_access(void *noter, const InterpFrame *f, const InterpAccess *a)
{
    Noter *n = noter;
    int64_t program = program_number(n->wish->launch->grid, interp_program(f));

    if (n->wish->program >= 0 && program != n->wish->program)
        return;
    for (int64_t i = 0; i < a->lanes; i++) {
        if (!a->mask || a->mask[i])
            note_lane(n, a->addresses[i], a->effect, program);
    }
}

static bool goes_on(void *noter, const InterpFrame *f, const Op *op)
{
    Noter *n = noter;

    (void)f;
    (void)op;
    n->stopped |= n->wish->interrupts && n->wish->interrupts(n->wish->ctx);
    return !n->stopped;
}

static int64_t *nobody(Arena *a, int64_t n)
{
    int64_t *out = NEW_N(a, int64_t, n + 1);

    for (int64_t i = 0; i < n; i++)
        out[i] = -1;
    return out;
}

/* The array of this name, or in a tuple of it. */
static void add_array(Noter *n, const char *name, const Array *array, DebugAccesses *out)
{
    int64_t low = 0, high = 0;
    int size = (int)tilec_dtype_size(array->dtype);

    for (int i = 0; i < array->ndim; i++) {
        int64_t step = (array->shape[i] - 1) * array->strides[i];

        low += MIN(step, 0);
        high += MAX(step, 0);
    }
    int64_t count = array_numel(array) > 0 ? high - low + 1 : 0;
    ArraySpan s = {.address = (uint64_t)(uintptr_t)array->data + (uint64_t)(low * size),
                   .bytes = (uint64_t)(count * size),
                   .size = size,
                   .reads = NEW_N(n->arena, uint8_t, count + 1),
                   .writes = NEW_N(n->arena, uint8_t, count + 1),
                   .first = nobody(n->arena, count),
                   .last = nobody(n->arena, count),
                   .reader = nobody(n->arena, count),
                   .writer = nobody(n->arena, count)};
    const Accessed told = {.name = name,
                           .array = *array,
                           .low = low,
                           .reads = s.reads,
                           .writes = s.writes,
                           .first = s.first,
                           .last = s.last,
                           .grid = n->wish->launch->grid};

    vec_push(n->arena, &n->spans, s);
    vec_push(n->arena, out, told);
}

static void add_value(Noter *n, const char *name, const Const *v, DebugAccesses *out)
{
    const Array *array = value_array(v);
    const Const *items;
    int count;

    if (array)
        add_array(n, name, array, out);
    else if (const_items(v, &items, &count)) {
        for (int i = 0; i < count; i++)
            add_value(n, arena_printf(n->arena, "%s[%d]", name, i), &items[i], out);
    } else if (value_tiles(v)) {
        add_array(n, name, &value_tiles(v)->array, out);
    }
}

static void hear_nothing(void *unused, const tilec_record *record)
{
    (void)unused;
    (void)record;
}

DebugAccesses debug_accesses(const DebugAccessWish *wish, Arena *a, const char **ended)
{
    const DebugLaunch *l = wish->launch;
    Noter n = {.wish = wish, .arena = a};
    const InterpObserver observer = {.ctx = &n, .op = goes_on, .access = note_access};
    const Observed observed = {.observer = &observer,
                               .last = (int64_t)l->grid[0] * l->grid[1] * l->grid[2]};
    tilec_launch_options options = *l->options;
    DebugAccesses out = {0};
    char *error = NULL;

    for (int i = 0; i < l->names->len; i++)
        add_value(&n, l->names->at[i].name, &l->names->at[i].value, &out);
    options.check = 0; /* races are to be seen, not to end it */
    options.on_message = NULL;
    options.on_progress = NULL;
    options.on_record = hear_nothing;
    options.on_count = NULL;
    options.on_span = NULL;
    options.seconds = NULL;
    *ended = NULL;
    tilec_status status = api_launch_observed(l->file, l->kernel, l->grid, l->args, l->nargs,
                                              &options, &observed, &error);
    if (n.stopped)
        *ended = "not all programs have run\n";
    else if (status != TILEC_OK)
        *ended =
            arena_printf(a, "%s%s", error ? error : tilec_status_text(status), error ? "" : "\n");
    tilec_free(error);
    return out;
}
