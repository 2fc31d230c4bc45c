/*
 * versions.c - values of another version of a kernel, by their names, and the first one that is
 * another here
 *
 * The other version runs once, on the interpreter, and each value that a name of the source is
 * given is kept: by the program, the function, the name, and how often the program has given it
 * one. Behind each op of this version's run the values that it gave to names are held against
 * these, as far as there are any of that shape; what `--compare` takes for equal is
 * (arrays/difference.c).
 */
#include <string.h>

#include "inside.h"

enum { MOST_VERSION_BYTES = 256 << 20, OCCURRENCE_BITS = 24, NAME_BITS = 12 };

typedef struct {
    DType dtype;
    int ndim;
    int64_t shape[MAX_RANK];
    void *data;
} NamedValue;

/* The names that are bound to what an op gives. */
typedef VEC(const Mark *) Bound;

typedef struct {
    Map *bound, *funcs; /* Op* to its Bound; Func* that have been looked at */
    int64_t program;
    int32_t count[1 << NAME_BITS]; /* of values that a name has had in this program */
} Bindings;

struct DebugVersion {
    const char *name;
    Client *client;
    Store *store;
    const int32_t *grid;
    Map *ids;   /* Sym "function.name" to 1 + its number */
    Map *marks; /* Mark* to the same */
    int nids;
    Map *values; /* NamedValue by key_of() */
    size_t bytes;
    Bindings here, there; /* of the run that is looked at, and of its own */
};

/* --- names and values --- */

static const Value *value_bound(const Mark *m)
{
    const Value *v = m->name && !m->text && m->nvalues == 1 ? m->values[0] : NULL;

    while (v && v->repl)
        v = v->repl;
    return v && v->def && !v->type->pointer ? v : NULL;
}

static void look_at_marks(DebugVersion *v, Bindings *b, const Func *f)
{
    map_put(b->funcs, MAP_KEY(f), (void *)f);
    for (int i = 0; i < f->marks.len; i++) {
        const Value *value = value_bound(&f->marks.at[i]);
        Bound *bound = value ? map_get(b->bound, MAP_KEY(value->def)) : NULL;

        if (!value)
            continue;
        if (!bound) {
            bound = NEW(v->client->arena, Bound);
            map_put(b->bound, MAP_KEY(value->def), bound);
        }
        vec_push(v->client->arena, bound, &f->marks.at[i]);
    }
}

/* The kernel's own names go by no function, since versions may call it otherwise. */
static int id_of(DebugVersion *v, const InterpFrame *f, const Mark *m)
{
    const InterpPlace at = {f, m->site, 0, m->block, m->span};
    InterpPlace outer = at;
    intptr_t known = (intptr_t)map_get(v->marks, MAP_KEY(m));

    if (known)
        return (int)known - 1;
    const char *function = interp_caller(&outer) ? debug_function(&at, v->client->arena) : "";
    const char *text = arena_printf(v->client->arena, "%s.%s", function, m->name);
    Sym name = intern(v->client->words, text);
    intptr_t id = (intptr_t)map_get(v->ids, MAP_KEY(name));

    if (id == 0 && v->nids < (1 << NAME_BITS)) {
        id = ++v->nids;
        map_put(v->ids, MAP_KEY(name), (void *)id);
    }
    map_put(v->marks, MAP_KEY(m), (void *)id);
    return (int)id - 1;
}

/* One more value of that name in the program; 0: there are too many. */
static uint64_t key_of(Bindings *b, int64_t program, int id)
{
    if (id < 0 || b->count[id] == (1 << OCCURRENCE_BITS) - 1)
        return 0;
    return ((uint64_t)program + 1) << (OCCURRENCE_BITS + NAME_BITS) |
           (uint64_t)id << OCCURRENCE_BITS | (uint64_t)++b->count[id];
}

typedef void OnBound(void *ctx, const InterpFrame *f, const Mark *m, uint64_t key);

/* In front of an op: what the one before it has given names to. */
static void tell_bound(DebugVersion *v, Bindings *b, const InterpFrame *f, const Op *op,
                       OnBound *fn, void *ctx)
{
    const int32_t *at = interp_program(f), *grid = v->grid;
    int64_t program = at[0] + (int64_t)grid[0] * (at[1] + (int64_t)grid[1] * at[2]);
    const Bound *bound;

    if (program != b->program)
        memset(b->count, 0, sizeof b->count);
    b->program = program;
    if (!map_get(b->funcs, MAP_KEY(interp_func(f))))
        look_at_marks(v, b, interp_func(f));
    bound = op->prev ? map_get(b->bound, MAP_KEY(op->prev)) : NULL;
    for (int i = 0; bound && i < bound->len; i++) {
        uint64_t key = key_of(b, program, id_of(v, f, bound->at[i]));
        if (key)
            fn(ctx, f, bound->at[i], key);
    }
}

static Bindings bindings_new(const DebugVersion *v)
{
    return (Bindings){
        .bound = map_new(v->client->arena), .funcs = map_new(v->client->arena), .program = -1};
}

/* --- the other version's run --- */

static void keep_value(void *version, const InterpFrame *f, const Mark *m, uint64_t key)
{
    DebugVersion *v = version;
    const Type *t = value_bound(m)->type;
    const void *data = interp_value(f, value_bound(m));
    size_t bytes = (size_t)(type_numel(t) * type_size(t));

    if (!data)
        return;
    NamedValue *n = NEW(v->client->arena, NamedValue);
    *n = (NamedValue){
        .dtype = t->dtype, .ndim = t->rank, .data = arena_alloc(v->client->arena, bytes + 1)};
    for (int i = 0; i < t->rank; i++)
        n->shape[i] = t->dims[i];
    memcpy(n->data, data, bytes);
    v->bytes += bytes;
    map_put(v->values, key, n);
}

static bool before_op_there(void *version, const InterpFrame *f, const Op *op)
{
    DebugVersion *v = version;

    tell_bound(v, &v->there, f, op, keep_value, v);
    return v->bytes < MOST_VERSION_BYTES;
}

/* What it has to say it has said before. */
static void on_message(void *user, const char *text)
{
    (void)user;
    (void)text;
}

DebugVersion *debug_version_new(Client *c, const DebugLaunch *launch, const char *name)
{
    DebugVersion *v = NEW(c->arena, DebugVersion);
    const InterpObserver observer = {.ctx = v, .keeps_values = true, .op = before_op_there};
    const int32_t *grid = launch->grid;
    const Observed observed = {.observer = &observer, .last = (int64_t)grid[0] * grid[1] * grid[2]};
    tilec_launch_options options = {.on_message = on_message};
    char *error = NULL;

    *v = (DebugVersion){.name = name,
                        .client = c,
                        .store = launch->store,
                        .grid = launch->grid,
                        .ids = map_new(c->arena),
                        .marks = map_new(c->arena),
                        .values = map_new(c->arena)};
    v->here = bindings_new(v);
    v->there = bindings_new(v);
    api_launch_observed(launch->file, launch->kernel, launch->grid, launch->args, launch->nargs,
                        &options, &observed, &error);
    tilec_free(error); /* one that fails has said so before, and is known as far as it came */
    return v;
}

/* --- this version's --- */

static Array array_of(const NamedValue *n, const void *data)
{
    const DebugTile t = {.dtype = n->dtype, .ndim = n->ndim, .data = data};
    DebugTile shaped = t;

    memcpy(shaped.shape, n->shape, sizeof shaped.shape);
    return debug_tile_array(&shaped);
}

static bool has_shape(const NamedValue *n, const Type *t)
{
    bool is_same = n->dtype == t->dtype && n->ndim == t->rank;

    for (int i = 0; is_same && i < t->rank; i++)
        is_same = n->shape[i] == t->dims[i];
    return is_same;
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

typedef struct {
    DebugVersion *version;
    Arena *arena;
    const char *text; /* of the first difference; NULL: there is none yet */
    Span at;          /* of what gives the value its name */
} Comparing;

static void compare_value(void *comparing, const InterpFrame *f, const Mark *m, uint64_t key)
{
    Comparing *c = comparing;
    const NamedValue *n = map_get(c->version->values, key);
    const void *data = interp_value(f, value_bound(m));
    int64_t first = 0;

    if (c->text || !n || !data || !has_shape(n, value_bound(m)->type))
        return;
    const Array got = array_of(n, data), want = array_of(n, n->data);
    const Difference usual = difference_usual(&got, &want);
    Difference is = usual;
    difference_find(c->version->store, &got, &want, &is);
    if (is.wrong == 0)
        return;
    while (!is_apart(c->version->store, &got, &want, first, usual))
        first++;
    Text t = text_new(c->arena);
    text_printf(&t, "`%s` is %s, and in %s %s", m->name, element_text(c->arena, &got, first),
                c->version->name, element_text(c->arena, &want, first));
    if (got.ndim > 0)
        text_printf(&t, ": %lld of %lld elements differ, the first at [%s]", (long long)is.wrong,
                    (long long)array_numel(&got), array_index_text(c->arena, &got, first));
    c->text = t.s;
    c->at = m->span;
}

const char *version_compare(DebugVersion *v, const InterpFrame *f, const Op *op, Arena *a, Span *at)
{
    Comparing c = {.version = v, .arena = a};

    tell_bound(v, &v->here, f, op, compare_value, &c);
    *at = c.at;
    return c.text;
}

bool version_fits(const DebugVersion *v, const int32_t grid[3])
{
    return memcmp(v->grid, grid, sizeof v->grid[0] * 3) == 0;
}

void version_begin(DebugVersion *v)
{
    v->here = bindings_new(v);
}
