/*
 * shown.c - values as text: a scalar as a number, a tile as what it is like, or as a table
 *
 * What was not loaded is in parentheses, and pointers are indices into their array.
 */
#include <string.h>

#include "inside.h"
#include "../show/show.h"

int64_t debug_tile_numel(const DebugTile *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

Array debug_tile_array(const DebugTile *t)
{
    Array a = {.data = (void *)(uintptr_t)t->data, .dtype = (tilec_dtype)t->dtype, .ndim = t->ndim};
    int64_t stride = 1;

    for (int i = t->ndim - 1; i >= 0; i--) {
        a.shape[i] = t->shape[i];
        a.strides[i] = stride;
        stride *= t->shape[i];
    }
    return a;
}

static int64_t tensor_numel(const tilec_tensor *a)
{
    int64_t n = 1;

    for (int i = 0; i < a->ndim; i++)
        n *= a->shape[i];
    return n;
}

/* Where an offset of so many elements leads in the array: "[3,7]", "+1027" where it is in none of
 * its rows. */
static const char *pointed_text(Arena *arena, const DebugTile *t, int64_t offset)
{
    const tilec_tensor *a = t->tensor;
    int64_t rest = offset, stride = a ? tensor_numel(a) : 0;
    bool is_inside = stride > 0 && offset >= 0;
    Text out = text_new(arena);

    for (int i = 0; is_inside && i < a->ndim; i++) {
        stride /= a->shape[i];
        int64_t step = a->strides ? a->strides[i] : stride;
        int64_t index = step > 0 ? rest / step : 0;
        is_inside = index < a->shape[i];
        rest -= index * step;
        text_printf(&out, "%s%lld", i ? "," : "[", (long long)index);
    }
    if (!is_inside || rest != 0 || a->ndim == 0)
        return arena_printf(arena, "%+lld", (long long)offset);
    text_put(&out, "]");
    return out.s;
}

static const char *element_text(Arena *arena, const DebugTile *t, int64_t k)
{
    uint64_t bits = element_get_bits(t->data, k, (size_t)dtype_size(t->dtype));
    tilec_dtype dtype = (tilec_dtype)t->dtype;
    char word[ELEMENT_TEXT];

    if (t->array)
        return pointed_text(arena, t, (int64_t)bits);
    element_format(word, dtype, bits, element_wants_exponent(dtype, bits));
    return arena_printf(arena, "%s", word);
}

const char *debug_element_text(Arena *arena, const DebugTile *t, int64_t k)
{
    const char *text = element_text(arena, t, k);

    return t->mask && !t->mask[k] ? arena_printf(arena, "(%s)", text) : text;
}

/* As Cells have it. */
static const char *cell_of(void *tile, Arena *arena, int64_t k)
{
    return debug_element_text(arena, tile, k);
}

static int64_t count_masked(const DebugTile *t)
{
    int64_t n = 0;

    for (int64_t i = 0; t->mask && i < debug_tile_numel(t); i++)
        n += !t->mask[i];
    return n;
}

/* What it is, in one line without a newline. */
static void put_summary(Text *t, const DebugTile *tile)
{
    Array a = debug_tile_array(tile);
    int64_t masked = count_masked(tile);

    if (!tile->data) {
        text_put(t, "has no value here yet");
        return;
    }
    if (tile->array) {
        text_printf(t, "pointers %s %s, ", tile->is_outside ? "near" : "into", tile->array);
        summary_put_shape(t, &a);
    } else {
        summary_put(t, &a);
    }
    if (masked > 0)
        text_printf(t, "  not loaded %lld", (long long)masked);
}

/* A text with its tiles: each scalar in its place, of tiles what they are. */
static void put_text(Text *t, const DebugValue *v)
{
    int tile = 0;

    for (const char *s = v->text; *s; s++) {
        if (*s != '%') {
            text_putn(t, s, 1);
        } else if (*++s == 'v') {
            const DebugTile *its = &v->tiles[tile++];
            if (its->data && its->ndim == 0)
                text_put(t, element_text(t->arena, its, 0));
            else
                put_summary(t, its);
        } else {
            text_putn(t, s, 1);
        }
    }
}

void debug_put_brief(Text *t, const DebugValue *v)
{
    const DebugTile *tile = v->tiles;

    if (v->text)
        put_text(t, v);
    else if (tile->data && tile->ndim == 0)
        text_printf(t, "%s%s%s", tile->is_outside ? "near " : "", tile->array ? tile->array : "",
                    element_text(t->arena, tile, 0));
    else
        put_summary(t, tile);
}

void debug_put_value(Text *t, const char *name, const DebugValue *v)
{
    const DebugTile *tile = v->tiles;
    bool is_scalar = v->text || (tile->data && tile->ndim == 0);

    text_printf(t, is_scalar ? "%s = " : "%s: ", name);
    debug_put_brief(t, v);
    if (is_scalar && !v->text && !tile->array)
        text_printf(t, "  (%s)", dtype_name(tile->dtype));
    text_put(t, "\n");
    if (!is_scalar && tile->data) {
        const Cells cells = {(void *)tile, cell_of, tile->ndim, tile->shape};
        show_cells(t, &cells);
    }
}
