/*
 * versions.c - what another run of the kernel gave its names: another version of it, or a device
 *
 * Code that says what names are given (check/named.c) runs there, and each value is kept: by the
 * program, the name with its function, and how often the program has given it one.  The run that
 * is looked at has the same records.  At each of them its value is held against that one, as far
 * as there is one of that shape, by what `--compare` takes for equal (arrays/difference.c); or it
 * becomes that one, so that the interpreter goes on with what the device has computed.
 *
 * Values of a device are taken for some programs at a time, as many as there is room for, with a
 * launch on arrays of its own for each time.
 */
#include <string.h>

#include "inside.h"

enum { MOST_VERSION_BYTES = 256 << 20, OCCURRENCE_BITS = 24, NAME_BITS = 12 };

typedef struct {
    int64_t order; /* among all of its program, from 1 on */
    Type type;
    _Alignas(16) unsigned char data[];
} NamedValue;

struct DebugVersion {
    DebugOther run;
    Client *client;
    Store *store;
    Arena *arena;        /* of what follows; it ends when other programs are taken */
    Map *values;         /* NamedValue by key_of() */
    Map *counts;         /* of values that a name has had, by name_key(); of name 0: of all */
    int64_t first, last; /* the programs that are known */
    int64_t step;        /* so many at a time */
    int64_t kept, lost;  /* values */
    size_t bytes;
    char *error; /* of the last launch; NULL: there is none */

    Map *ids; /* Sym to 1 + its number */
    int nids;
    int64_t program;               /* of the run that is looked at, */
    int32_t count[1 << NAME_BITS]; /* .. and of values that a name has had in it */
    int64_t order;                 /* of all values in it */
    bool parted;                   /* it goes another way there */
};

/* --- names and values --- */

/* 0: there are too many. */
static int id_of(DebugVersion *v, const char *name)
{
    Sym sym = intern(v->client->words, name);
    intptr_t id = (intptr_t)map_get(v->ids, MAP_KEY(sym));

    if (id == 0 && v->nids < (1 << NAME_BITS) - 1) {
        id = ++v->nids;
        map_put(v->ids, MAP_KEY(sym), (void *)id);
    }
    return (int)id;
}

static uint64_t name_key(int64_t program, int id)
{
    return ((uint64_t)program + 1) << NAME_BITS | (uint64_t)id;
}

/* The value of that number, from 1 on. */
static uint64_t key_of(int64_t program, int id, int64_t count)
{
    return name_key(program, id) << OCCURRENCE_BITS | (uint64_t)count;
}

/* With one more. */
static intptr_t count_one(DebugVersion *v, int64_t program, int id)
{
    intptr_t count = (intptr_t)map_get(v->counts, name_key(program, id)) + 1;

    map_put(v->counts, name_key(program, id), (void *)count);
    return count;
}

/* One more value of that name; 0: there are too many. */
static uint64_t next_key(DebugVersion *v, int64_t program, const char *name)
{
    int id = id_of(v, name);
    intptr_t count = id > 0 ? count_one(v, program, id) : 0;

    return count > 0 && count < 1 << OCCURRENCE_BITS ? key_of(program, id, count) : 0;
}

/* --- the other run --- */

/* As they lie in memory. */
static void copy_elements(void *to, const RecordedValue *r)
{
    int64_t n = type_numel(r->type);
    int size = type_size(r->type);

    if (!r->wide_floats || !dtype_is_small_float(r->type->dtype)) {
        memcpy(to, r->data, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = scalar_from_double(r->type->dtype, ((const float *)r->data)[i]);
        memcpy((char *)to + i * size, &bits, (size_t)size);
    }
}

static void keep_value(void *version, const RecordedValue *r)
{
    DebugVersion *v = version;
    size_t bytes = (size_t)(type_numel(r->type) * type_size(r->type));
    uint64_t key = v->bytes + bytes <= MOST_VERSION_BYTES ? next_key(v, r->program, r->name) : 0;

    if (key == 0) {
        v->lost++;
        return;
    }
    NamedValue *n = arena_try_alloc(v->arena, sizeof *n + bytes);
    if (!n) {
        v->lost++;
        return;
    }
    n->order = count_one(v, r->program, 0);
    n->type = *r->type;
    copy_elements(n->data, r);
    v->bytes += bytes;
    v->kept++;
    map_put(v->values, key, n);
}

static void forget_values(DebugVersion *v)
{
    arena_free(v->arena);
    v->arena = arena_new(NULL);
    v->values = map_new(v->arena);
    v->counts = map_new(v->arena);
    v->kept = v->lost = 0;
    v->bytes = 0;
    tilec_free(v->error);
    v->error = NULL;
}

/* What it has to say it has said before. */
static void on_message(void *user, const char *text)
{
    (void)user;
    (void)text;
}

/* On this thread alone, which keeps the values. */
static void take(void *version, const DebugLaunch *launch)
{
    DebugVersion *v = version;
    int64_t lost = 0;
    const Observed observed = {.first = v->first,
                               .last = v->last,
                               .names = true,
                               .on_value = keep_value,
                               .user = v,
                               .lost = &lost};
    tilec_launch_options options = *launch->options;

    options.threads = 1;
    options.check = 0;
    options.on_message = on_message;
    options.on_record = NULL;
    options.on_progress = NULL;
    api_launch_observed(launch->file, launch->kernel, launch->grid, launch->args, launch->nargs,
                        &options, &observed, &v->error);
    v->lost += lost;
}

static int64_t count_of_grid(const int32_t grid[3])
{
    return (int64_t)grid[0] * grid[1] * grid[2];
}

DebugVersion *debug_version_new(Client *c, Store *store, const DebugOther *run)
{
    DebugVersion *v = NEW(c->arena, DebugVersion);

    *v = (DebugVersion){.run = *run,
                        .client = c,
                        .store = store,
                        .ids = map_new(c->arena),
                        .step = count_of_grid(run->grid),
                        .program = -1};
    forget_values(v);
    return v;
}

void debug_version_free(DebugVersion *v)
{
    tilec_free(v->error);
    arena_free(v->arena);
}

void debug_version_take(DebugVersion *v, const DebugLaunch *launch)
{
    v->last = count_of_grid(v->run.grid);
    take(v, launch);
}

const char *debug_version_error(const DebugVersion *v)
{
    return v->kept == 0 ? v->error : NULL;
}

/* From that program on, as many as there is room for. */
static void take_programs(DebugVersion *v, int64_t program)
{
    bool is_whole = false;

    while (!is_whole) {
        forget_values(v);
        v->first = program;
        v->last = MIN(count_of_grid(v->run.grid), program + v->step);
        v->run.afresh(v->run.ctx, take, v);
        is_whole = v->lost == 0 || v->step == 1;
        if (!is_whole)
            v->step = MAX(1, (v->last - v->first) * v->kept / (v->kept + v->lost) / 2);
    }
}

void debug_version_begin(DebugVersion *v, int64_t program)
{
    memset(v->count, 0, sizeof v->count);
    v->program = program;
    v->order = 0;
    v->parted = false;
    if (v->run.afresh && (program < v->first || program >= v->last))
        take_programs(v, program);
}

/* --- the run that is looked at --- */

static bool has_type(const NamedValue *n, const Type *t)
{
    bool is_same = n->type.dtype == t->dtype && n->type.rank == t->rank;

    for (int i = 0; is_same && i < t->rank; i++)
        is_same = n->type.dims[i] == t->dims[i];
    return is_same;
}

/* What this record's name has been given there; NULL: nothing of that type. */
static const NamedValue *value_there(DebugVersion *v, const Op *record)
{
    int id = id_of(v, attr_message(record));
    const NamedValue *n =
        id > 0 ? map_get(v->values, key_of(v->program, id, ++v->count[id])) : NULL;

    return n && has_type(n, record->operands[0]->type) ? n : NULL;
}

const char *version_follow(DebugVersion *v, const InterpFrame *f, const Op *record)
{
    const NamedValue *n = v->parted ? NULL : value_there(v, record);
    bool is_it = n && n->order == ++v->order;

    if (is_it)
        interp_put_value(f, record->operands[0], n->data);
    if (is_it || v->parted)
        return NULL;
    v->parted = true;
    return v->lost > 0 && v->step == 1
               ? "there is no room for more values of this program from %s: these are the "
                 "interpreter's from here on"
               : "this program goes another way on %s: values are the interpreter's from here on";
}

static Array array_of(const Type *t, const void *data)
{
    DebugTile tile = {.dtype = t->dtype, .ndim = t->rank, .data = data};

    for (int i = 0; i < t->rank; i++)
        tile.shape[i] = t->dims[i];
    return debug_tile_array(&tile);
}

/* Is element k of both apart? */
static bool is_apart(Store *store, const Array *got, const Array *want, int64_t k, Difference is)
{
    size_t at = (size_t)k * tilec_dtype_size(got->dtype);
    const Array here = {.data = (char *)got->data + at, .dtype = got->dtype};
    const Array there = {.data = (char *)want->data + at, .dtype = want->dtype};

    difference_find(store, &here, &there, &is);
    return is.wrong > 0;
}

static const char *element_text(Arena *a, const Array *x, int64_t k)
{
    char word[ELEMENT_TEXT];
    uint64_t bits = element_get_bits(x->data, k, tilec_dtype_size(x->dtype));

    element_format(word, x->dtype, bits, element_wants_exponent(x->dtype, bits));
    return arena_printf(a, "%s", word);
}

/* What check/named.c calls so. */
static const char *called(const char *name, Arena *a)
{
    const char *own = strrchr(name, '.') + 1;

    return *own == '='   ? "what is stored"
           : *own == '?' ? "the condition"
           : *own == ':' ? "a bound of the loop"
                         : arena_printf(a, "`%s`", own);
}

/* "`x` is 3., and in old.py 4.: .." */
static const char *text_of(DebugVersion *v, const char *name, const Array *got, const Array *want,
                           Difference is, Arena *a)
{
    int64_t first = 0;
    Text t = text_new(a);

    const Difference usual = difference_usual(got, want);
    while (!is_apart(v->store, got, want, first, usual))
        first++;
    text_printf(&t, "%s is %s, and %s %s %s", called(name, a), element_text(a, got, first),
                v->run.afresh ? "on" : "in", v->run.name, element_text(a, want, first));
    if (got->ndim > 0)
        text_printf(&t, ": %lld of %lld elements differ, the first at [%s]", (long long)is.wrong,
                    (long long)array_numel(got), array_index_text(a, got, first));
    return t.s;
}

const char *version_compare(DebugVersion *v, const InterpFrame *f, const Op *record, Arena *a)
{
    const Value *value = record->operands[0];
    const NamedValue *n = value_there(v, record);

    if (!n)
        return NULL;
    const Array got = array_of(value->type, interp_value(f, value));
    const Array want = array_of(&n->type, n->data);
    Difference is = difference_usual(&got, &want);
    difference_find(v->store, &got, &want, &is);
    return is.wrong > 0 ? text_of(v, attr_message(record), &got, &want, is, a) : NULL;
}

bool version_fits(const DebugVersion *v, const int32_t grid[3])
{
    return memcmp(v->run.grid, grid, sizeof v->run.grid[0] * 3) == 0;
}

const char *version_name(const DebugVersion *v)
{
    return v->run.name;
}
