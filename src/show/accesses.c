/*
 * accesses.c - which elements of an array programs read and write, as a picture and in words
 *
 * A picture has a cell for each element, or for several of a large array: then the most notable of
 * them counts.  Rows are those of the array; one of a single dimension is cut into rows.
 */
#include "show.h"

#include <math.h>
#include <string.h>

enum { ROW = 64 }; /* elements of an array of one dimension in a row */

const AccessKind access_kinds[] = {
    {'.', "none", "nobody", {44, 44, 48}},
    {'r', "read", "one program reads", {62, 120, 216}},
    {'R', "reread", "several programs read", {128, 200, 255}},
    {'w', "written", "one program writes", {232, 150, 40}},
    {'b', "both", "one program writes, and some read", {176, 98, 208}},
    {'W', "rewritten", "several programs write", {240, 40, 48}},
};

int access_kind_of(int reads, int writes)
{
    if (writes > 1)
        return 5;
    if (writes == 1)
        return reads > 0 ? 4 : 3;
    return MIN(reads, 2);
}

/* Where element k, row-major, is among the counts. */
static int64_t place_of(const Accessed *x, int64_t k)
{
    const Array *a = &x->array;
    int64_t at = -x->low;

    for (int i = a->ndim - 1; i >= 0; i--) {
        at += k % a->shape[i] * a->strides[i];
        k /= a->shape[i];
    }
    return at;
}

/* --- in words --- */

typedef struct {
    int64_t once, more, none;
    int64_t first_more, first_none; /* -1: there is none */
} Counts;

static Counts count(const Accessed *x, const uint8_t *by)
{
    Counts c = {.first_more = -1, .first_none = -1};
    int64_t n = array_numel(&x->array);

    for (int64_t k = 0; k < n; k++) {
        int programs = by[place_of(x, k)];

        c.once += programs == 1;
        c.more += programs > 1;
        c.none += programs == 0;
        if (programs > 1 && c.first_more < 0)
            c.first_more = k;
        if (programs == 0 && c.first_none < 0)
            c.first_none = k;
    }
    return c;
}

static void put_program(Text *t, const Accessed *x, int64_t number)
{
    const int32_t *grid = x->grid;

    text_printf(t, "(%d, %d, %d)", (int)(number % grid[0]), (int)(number / grid[0] % grid[1]),
                (int)(number / grid[0] / grid[1]));
}

static const char *element_name(const Accessed *x, Arena *a, int64_t k)
{
    return arena_printf(a, "%s[%s]", x->name, array_index_text(a, &x->array, k));
}

static void put_counts(Text *t, const Accessed *x, const char *what, const uint8_t *by, bool writes)
{
    const Counts c = count(x, by);

    if (c.once + c.more == 0)
        return;
    text_printf(t, "  %s by one program: %lld", what, (long long)c.once);
    if (c.more > 0) {
        text_printf(t, ", by several: %lld, the first is %s", (long long)c.more,
                    element_name(x, t->arena, c.first_more));
        if (writes) {
            int64_t at = place_of(x, c.first_more);

            text_put(t, " by ");
            put_program(t, x, x->first[at] - 1);
            text_put(t, " and ");
            put_program(t, x, x->last[at] - 1);
        }
    }
    if (c.none > 0)
        text_printf(t, ", by none: %lld, the first is %s", (long long)c.none,
                    element_name(x, t->arena, c.first_none));
    text_put(t, "\n");
}

void accesses_put(Text *t, const Accessed *x)
{
    size_t before = t->len;

    put_counts(t, x, "read", x->reads, false);
    put_counts(t, x, "written", x->writes, true);
    if (t->len == before)
        text_put(t, "  nobody reads or writes it\n");
}

/* --- as cells --- */

static int64_t rows_of(const Array *a, int64_t *columns)
{
    int64_t n = array_numel(a);

    *columns = a->ndim >= 2 ? a->shape[a->ndim - 1] : MIN(n, ROW);
    *columns = MAX(*columns, 1);
    return MAX((n + *columns - 1) / *columns, 1);
}

static void add_to_cell(const Accessed *x, AccessCells *c, int64_t cell, int64_t k)
{
    int64_t at = place_of(x, k);
    int kind = access_kind_of(x->reads[at], x->writes[at]);

    if (c->programs[cell] == -2 || kind >= c->kinds[cell])
        c->programs[cell] = x->last[at] - 1;
    c->kinds[cell] = (uint8_t)MAX(c->kinds[cell], kind);
}

/* Of the cells of a side that has `extent`: as the other one is shrunk, but not to a few. */
static int side_of(int64_t extent, int most, double shrink)
{
    enum { FEW = 16 };
    double side = ceil((double)extent / shrink);

    return (int)fmin(fmax(side, (double)MIN(extent, FEW)), most);
}

/* Of element k, row-major. */
static int64_t cell_of(const Accessed *x, const AccessCells *c, int64_t k)
{
    int64_t columns, rows = rows_of(&x->array, &columns);
    int64_t row = k / columns * c->height / rows, column = k % columns * c->width / columns;

    return row * c->width + column;
}

AccessCells accesses_cells(Arena *a, const Accessed *x, int width, int height)
{
    int64_t columns, rows = rows_of(&x->array, &columns), n = array_numel(&x->array);
    double shrink = fmax(fmax((double)columns / width, (double)rows / height), 1);
    AccessCells c = {.width = side_of(columns, width, shrink),
                     .height = side_of(rows, height, shrink)};
    size_t cells = (size_t)c.width * (size_t)c.height;

    c.kinds = arena_alloc(a, cells + 1);
    c.programs = arena_alloc(a, (cells + 1) * sizeof *c.programs);
    for (size_t i = 0; i < cells; i++)
        c.programs[i] = -2; /* behind the end of the last row */
    for (int64_t k = 0; k < n; k++)
        add_to_cell(x, &c, cell_of(x, &c, k), k);
    return c;
}

int32_t *accesses_cell_numbers(Arena *a, const Accessed *x, const AccessCells *c)
{
    int64_t n = array_numel(&x->array);
    int32_t *out = NEW_N(a, int32_t, x->count + 1);

    memset(out, -1, sizeof *out * (size_t)(x->count + 1));
    for (int64_t k = 0; k < n; k++)
        out[place_of(x, k)] = (int32_t)cell_of(x, c, k);
    return out;
}

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static char letter_of(const AccessCells *c, int64_t cell, bool programs)
{
    int64_t program = c->programs[cell];

    if (program == -2)
        return ' ';
    if (!programs)
        return access_kinds[c->kinds[cell]].letter;
    return program < 0 ? '.' : digits[program % (COUNT(digits) - 1)];
}

void accesses_put_letters(Text *t, const AccessCells *c, bool programs)
{
    for (int y = 0; y < c->height; y++) {
        text_put(t, "  ");
        for (int x = 0; x < c->width; x++) {
            char letter = letter_of(c, (int64_t)y * c->width + x, programs);

            if (letter != ' ')
                text_putn(t, &letter, 1);
        }
        text_put(t, "\n");
    }
}

void accesses_put_programs(Text *t, const Accessed *x, const AccessCells *c)
{
    enum { FEW = 16 };
    bool is_there[FEW] = {false};
    const char *comma = "  ";

    for (int64_t i = 0; i < (int64_t)c->width * c->height; i++) {
        if (c->programs[i] >= FEW)
            return;
        if (c->programs[i] >= 0)
            is_there[c->programs[i]] = true;
    }
    for (int i = 0; i < FEW; i++) {
        if (!is_there[i])
            continue;
        text_printf(t, "%s%c ", comma, digits[i]);
        put_program(t, x, i);
        comma = ", ";
    }
    text_put(t, *comma == ',' ? "\n" : "");
}

/* One hue for each, those of neighbours far apart. */
static void colour_of_program(int64_t program, uint8_t *rgb)
{
    double hue = fmod((double)program * 0.61803398875, 1) * 6;

    for (int i = 0; i < 3; i++) {
        double away = fabs(fmod(hue + (i == 0 ? 3 : i == 1 ? 1 : 5), 6) - 3) - 1;

        rgb[i] = (uint8_t)(70 + 175 * fmin(fmax(away, 0), 1));
    }
}

static void colour_of_cell(const AccessCells *c, int64_t cell, bool programs, uint8_t *rgb)
{
    if (c->programs[cell] == -2)
        memset(rgb, 0, 3);
    else if (programs && c->programs[cell] >= 0)
        colour_of_program(c->programs[cell], rgb);
    else
        memcpy(rgb, access_kinds[c->kinds[cell]].colour, 3);
}

Array accesses_image(Store *store, const AccessCells *c, bool programs)
{
    Array image = array_new(store, TILEC_U8, 3, (const int64_t[]){c->height, c->width, 3});

    for (int64_t i = 0; i < (int64_t)c->width * c->height; i++)
        colour_of_cell(c, i, programs, (uint8_t *)image.data + 3 * i);
    return image;
}

void accesses_put_legend(Text *t, const AccessCells *c, bool letters)
{
    bool is_there[COUNT(access_kinds)] = {false};
    const char *comma = "  ";

    for (int64_t i = 0; i < (int64_t)c->width * c->height; i++)
        is_there[c->kinds[i]] |= c->programs[i] != -2;
    for (int i = 0; i < COUNT(access_kinds); i++) {
        const AccessKind *k = &access_kinds[i];

        if (!is_there[i])
            continue;
        if (letters)
            text_printf(t, "%s%c %s", comma, k->letter, k->text);
        else
            text_printf(t, "%s\033[38;2;%d;%d;%dm\xe2\x96\xa0\033[0m %s", comma, k->colour[0],
                        k->colour[1], k->colour[2], k->text);
        comma = ", ";
    }
    text_put(t, "\n");
}
