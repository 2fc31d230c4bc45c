/*
 * pieces.c - arrays of the launch in expressions: `v - x[row, :5]`
 *
 * What stands so in an expression of the kernel's language is of the language of arrays
 * (src/arrays/value.h), in which the scalars of the place have names, too.  Its value takes a name
 * of its own, `__p0`, which the expression has in its place: the kernel's language has nothing that
 * an index behind a pointer could mean besides.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* --- values of arrays --- */

/* A number of the kernel's; false: it is none. */
static bool number_of(const DebugValue *v, Const *out)
{
    const DebugTile *t = v->tiles;
    char *end;

    if (v->n == 0 && v->text) {
        *out = const_int(strtoll(v->text, &end, 10));
        return end > v->text && !*end;
    }
    if (v->n != 1 || v->text || !t->data || t->ndim > 0 || t->array)
        return false;
    double number =
        scalar_to_double(t->dtype, element_get_bits(t->data, 0, (size_t)dtype_size(t->dtype)));
    *out = dtype_is_float(t->dtype) ? const_float(number) : const_int((__int128)number);
    return true;
}

/* In place of what an argument is called so. */
static void set_name(Names *names, Named named, Arena *a)
{
    for (int i = 0; i < names->len; i++) {
        if (strcmp(names->at[i].name, named.name) == 0) {
            names->at[i] = named;
            return;
        }
    }
    vec_push(a, names, named);
}

/* The arguments of the launch, and what is a number at the place. */
static Names names_there(const Debugger *d, const DebugValues *values, Arena *a)
{
    Names names = {.later = d->launch.names->later, .kernel = d->launch.names->kernel};
    Const number;

    for (int i = 0; i < d->launch.names->len; i++)
        vec_push(a, &names, d->launch.names->at[i]);
    for (int i = 0; i < values->len; i++) {
        if (number_of(&values->at[i], &number))
            set_name(&names, (Named){.name = values->at[i].name, .value = number}, a);
    }
    return names;
}

static void take_array(DebugTile *out, const Array *array, Arena *a)
{
    void *data = arena_alloc(a, array_bytes(array) + 1);

    array_copy_dense(array, data);
    *out = (DebugTile){.dtype = (DType)array->dtype, .ndim = array->ndim, .data = data};
    memcpy(out->shape, array->shape, sizeof out->shape[0] * (size_t)array->ndim);
}

typedef struct {
    const Debugger *d;
    const DebugValues *names;
    const char *text;
    Arena *arena;
    Const value; /* an array's elements are copied into `tile` */
    DebugTile tile;
    const char *why; /* it has no value; NULL: it has one */
} Piece;

/* What it makes on the way lives no longer than the arena. */
static void evaluate_piece(void *piece)
{
    Piece *p = piece;
    Store store = *p->d->launch.store;
    const int kept = store.blocks.len;
    const Names names = names_there(p->d, p->names, p->arena);

    store.arena = p->arena;
    p->value = value_parse(&store, &names, "print", p->text);
    const Array *array = value_array(&p->value);
    if (array)
        take_array(&p->tile, array, p->arena);
    array_free_from(&store, kept);
}

static void attempt_piece(Piece *p)
{
    p->why = p->d->host->attempt(p->d->host->ctx, evaluate_piece, p);
}

const char *piece_value(const Debugger *d, const DebugValues *names, const char *text, Arena *a,
                        DebugValue *out)
{
    Piece p = {.d = d, .names = names, .text = text, .arena = a};

    attempt_piece(&p);
    if (p.why)
        return p.why;
    *out = (DebugValue){.name = text, .tiles = NEW(a, DebugTile), .n = 1};
    out->tiles[0] = p.tile;
    if (!p.tile.data)
        out->text = const_text(&p.value, a);
    return NULL;
}

/* --- in an expression --- */

static bool is_name_part(int c)
{
    return isalnum(c) || c == '_' || c >= 0x80;
}

/* Behind the bracket that closes the one at `s`; all are closed. */
static const char *behind_bracket(const char *s)
{
    int depth = 0;

    do {
        depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
        s = *s == '\'' || *s == '"' ? value_end_of_quotes(s) : s + 1;
    } while (depth > 0 && *s);
    return s;
}

bool piece_is_all(const char *text)
{
    const char *s = text;

    while (is_name_part((unsigned char)*s))
        s++;
    while (*s == '[' || *s == '.' || *s == '(') {
        s = *s == '.' ? s + 1 : behind_bracket(s);
        while (is_name_part((unsigned char)*s))
            s++;
    }
    return s > text && !*s;
}

/* The number of a scalar of NumPy's, whose dtype it has. */
static bool scalar_tile(const Const *v, DebugTile *out, Arena *a)
{
    if (v->kind != CONST_INT && v->kind != CONST_BOOL && v->kind != CONST_FLOAT)
        return false;
    DType dtype = v->is_scalar ? v->dtype : v->kind == CONST_FLOAT ? DT_FP64 : DT_I64;
    uint64_t *bits = NEW(a, uint64_t);

    *bits = v->kind == CONST_FLOAT ? scalar_from_double(dtype, v->real) : (uint64_t)v->integer;
    *out = (DebugTile){.dtype = dtype, .data = bits};
    return true;
}

/* `x[row, :5]` as a value with a name of its own. */
static const char *take_piece(Debugger *d, const DebugValues *names, const char *text, Arena *a,
                              DebugValues *taken)
{
    Piece p = {.d = d, .names = names, .text = text, .arena = a};
    DebugValue v = {.name = arena_printf(a, "__p%d", taken->len), .n = 1};

    attempt_piece(&p);
    if (p.why)
        return p.why;
    if (!p.tile.data && !scalar_tile(&p.value, &p.tile, a))
        return arena_printf(a, "`%s` is no array, and no number", text);
    v.tiles = NEW(a, DebugTile);
    v.tiles[0] = p.tile;
    vec_push(a, taken, v);
    return NULL;
}

const char *pieces_taken(Debugger *d, const DebugValues *names, const char *text, Arena *a,
                         DebugValues *taken, const char **why)
{
    Text t = text_new(a);

    *why = NULL;
    text_put(&t, "");
    for (const char *s = text, *end; *s; s = end) {
        int before = s > text ? (unsigned char)s[-1] : 0;
        end = *s == '\'' || *s == '"' ? value_end_of_quotes(s) : s + 1;
        bool is_name = is_name_part((unsigned char)*s) && !is_name_part(before) && before != '.';
        const char *bracket = s;
        while (is_name && is_name_part((unsigned char)*bracket))
            bracket++;
        end = MAX(end, bracket);
        if (!is_name || *bracket != '[' || !debug_array_named(d, s, names)) {
            text_putn(&t, s, (size_t)(end - s));
            continue;
        }
        for (end = bracket; *end == '[';)
            end = behind_bracket(end);
        *why = take_piece(d, names, arena_strndup(a, s, (size_t)(end - s)), a, taken);
        if (*why)
            return NULL;
        text_put(&t, taken->at[taken->len - 1].name);
    }
    return t.s;
}
