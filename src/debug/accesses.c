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
    int32_t *first, *last, *reader, *writer; /* programs, counted from 1; 0: none */
} ArraySpan;
typedef struct {
    const DebugAccessWish *wish;
    Arena *arena;
    VEC(ArraySpan) spans;
    int64_t elements; /* of all arrays */
    DebugMoment now;  /* .. of which the step counts ops alone */
    int first_logged; /* of this op */
    bool arrived;     /* where `until` stands */
    bool stopped;
} Noter;

static int64_t program_number(const int32_t grid[3], const int32_t at[3])
{
    return at[0] + (int64_t)grid[0] * (at[1] + (int64_t)grid[1] * at[2]);
}

/* Once for each program. */
static void note_program(int32_t program, uint8_t *count, int32_t *seen)
{
    if (*seen == program)
        return;
    *seen = program;
    *count = (uint8_t)MIN(*count + 1, UINT8_MAX);
}

static void note_element(ArraySpan *s, int64_t at, int effect, int32_t program)
{
    bool writes = (effect & WRITES) != 0, is_first_write = writes && s->writes[at] == 0;

    if (effect & READS)
        note_program(program, &s->reads[at], &s->reader[at]);
    if (writes)
        note_program(program, &s->writes[at], &s->writer[at]);
    if (!writes && s->writes[at] > 0)
        return; /* who writes is told, where anybody does */
    if (s->first[at] == 0 || is_first_write)
        s->first[at] = program;
    s->last[at] = program;
}

/* --- one by one --- */

/* The access of this op to that array. */
static DebugAccess *logged_access(Noter *n, int array, const DebugAccess *now)
{
    DebugAccessLog *log = n->wish->log;

    for (int i = n->first_logged; i < log->all.len; i++) {
        if (log->all.at[i].array == array)
            return &log->all.at[i];
    }
    vec_push(n->arena, &log->all, *now);
    DebugAccess *out = &log->all.at[log->all.len - 1];
    out->array = array;
    return out;
}

static void log_element(Noter *n, int array, int64_t at, const DebugAccess *now)
{
    const ArraySpan *s = &n->spans.at[array];
    const int kind = access_kind_of(s->reads[at], s->writes[at]);
    DebugAccess *to = logged_access(n, array, now);
    DebugRun *last = to->runs.len > 0 ? &to->runs.at[to->runs.len - 1] : NULL;

    if (last && last->at + last->n == at && last->kind == kind) {
        last->n++;
    } else if (n->wish->log->room > 0) {
        vec_push(n->arena, &to->runs, ((DebugRun){at, 1, kind}));
        n->wish->log->room--;
    }
}

/* --- each op --- */

static void note_lane(Noter *n, uint64_t address, const DebugAccess *now)
{
    for (int i = 0; i < n->spans.len; i++) {
        ArraySpan *s = &n->spans.at[i];
        int64_t at = (int64_t)(address - s->address) / s->size;

        if (address < s->address || address >= s->address + s->bytes)
            continue;
        note_element(s, at, now->effect, (int32_t)MIN(now->program + 1, INT32_MAX));
        if (n->wish->log && n->wish->log->room > 0)
            log_element(n, i, at, now);
    }
}

static void note_access(void *noter, const InterpFrame *f, const InterpAccess *a)
{
    Noter *n = noter;
    DebugAccess now = {.program = n->now.program, .effect = a->effect};

    if (n->wish->program >= 0 && now.program != n->wish->program)
        return;
    if (n->wish->log) {
        const InterpPlace at = interp_place(f, a->op);
        now.place = debug_line(&at);
        n->first_logged = n->wish->log->all.len;
    }
    for (int64_t i = 0; i < a->lanes; i++) {
        if (!a->mask || a->mask[i])
            note_lane(n, a->addresses[i], &now);
    }
}

static bool goes_on(void *noter, const InterpFrame *f, const Op *op)
{
    Noter *n = noter;
    const Debugger *until = n->wish->until;

    (void)f;
    if (op_says_value(op)) /* which is no moment */
        return !n->stopped && !n->arrived;
    n->arrived |= until && !until->has_ended && n->now.program == until->now.program &&
                  n->now.step == until->ops;
    n->now.step++;
    n->stopped |= n->wish->interrupts && n->wish->interrupts(n->wish->ctx);
    return !n->stopped && !n->arrived;
}

static void begin_call(void *noter, const InterpPlace *at)
{
    Noter *n = noter;
    InterpPlace outer = *at;

    if (interp_caller(&outer))
        return;
    n->now = (DebugMoment){program_number(n->wish->launch->grid, interp_program(at->frame)), 0};
    if (n->wish->log)
        n->wish->log->programs = n->now.program + 1;
}

static bool are_too_many(const Noter *n)
{
    return n->wish->most > 0 && n->elements > n->wish->most;
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
    n->elements += count;
    if (are_too_many(n))
        return;
    ArraySpan s = {.address = (uint64_t)(uintptr_t)array->data + (uint64_t)(low * size),
                   .bytes = (uint64_t)(count * size),
                   .size = size,
                   .reads = NEW_N(n->arena, uint8_t, count + 1),
                   .writes = NEW_N(n->arena, uint8_t, count + 1),
                   .first = NEW_N(n->arena, int32_t, count + 1),
                   .last = NEW_N(n->arena, int32_t, count + 1),
                   .reader = NEW_N(n->arena, int32_t, count + 1),
                   .writer = NEW_N(n->arena, int32_t, count + 1)};
    const Accessed told = {.name = name,
                           .array = *array,
                           .low = low,
                           .count = count,
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
    const InterpObserver observer = {.ctx = &n,
                                     .keeps_values = wish->until != NULL, /* else ops are others */
                                     .op = goes_on,
                                     .access = note_access,
                                     .enter = begin_call};
    const Observed observed = {.names = wish->until && wish->until->launch.says_names,
                               .observer = &observer,
                               .last = (int64_t)l->grid[0] * l->grid[1] * l->grid[2]};
    tilec_launch_options options = *l->options;
    DebugAccesses out = {0};
    char *error = NULL;

    for (int i = 0; i < l->names->len; i++)
        add_value(&n, l->names->at[i].name, &l->names->at[i].value, &out);
    if (!wish->until)
        options.check = 0; /* races are to be seen, not to end it */
    options.on_message = NULL;
    options.on_progress = NULL;
    options.on_record = hear_nothing;
    options.on_count = NULL;
    options.on_counter = NULL;
    options.on_span = NULL;
    options.seconds = NULL;
    *ended = NULL;
    if (are_too_many(&n))
        return (DebugAccesses){0};
    tilec_status status = api_launch_observed(l->file, l->kernel, l->grid, l->args, l->nargs,
                                              &options, &observed, &error);
    if (n.stopped && !n.arrived)
        *ended = "not all programs have run\n";
    else if (status != TILEC_OK && !n.arrived)
        *ended =
            arena_printf(a, "%s%s", error ? error : tilec_status_text(status), error ? "" : "\n");
    tilec_free(error);
    return out;
}
