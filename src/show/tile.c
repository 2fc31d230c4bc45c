/*
 * tile.c - elements as a table with their indices, for those who look for one of them
 *
 * Rows and columns have their numbers at the edge; of long ones the first and last few are shown.
 * One dimension is broken into rows of TILE_ROW; of more than two each table has a heading.
 */
#include "show.h"

#include <string.h>

enum { TILE_ROW = 8, MOST_ROWS = 10, MOST_COLUMNS = 10, EDGE = 3 };

typedef struct {
    const Cells *cells;
    Text *out;
    int64_t first; /* element of this table */
    int64_t rows, columns;
    int64_t last; /* behind its elements, which may be fewer than rows * columns */
} Grid;

/* The next of what is shown; -1 stands for those that are left out. */
static int64_t next_shown(int64_t i, int64_t n, int most)
{
    if (n <= most)
        return i + 1;
    if (i == EDGE - 1)
        return -1;
    return i == -1 ? n - EDGE : i + 1;
}

static void put_row(const Grid *g, Table *t, int64_t row, bool is_flat)
{
    const Cells *c = g->cells;

    table_printf(t, row < 0 ? "..." : "%lld", (long long)(is_flat ? row * g->columns : row));
    for (int64_t i = 0; i < g->columns; i = next_shown(i, g->columns, MOST_COLUMNS)) {
        int64_t at = g->first + row * g->columns + i;
        if (i < 0)
            table_put(t, "...");
        else if (row < 0 || at >= g->last)
            table_put(t, "");
        else
            table_put(t, c->cell(c->ctx, t->arena, at));
    }
}

/* Without the blanks at the end of lines, where a row is not full. */
static void put_trimmed(Text *t, const char *lines)
{
    for (const char *end; *lines; lines = *end ? end + 1 : end) {
        size_t n;

        end = lines + strcspn(lines, "\n");
        for (n = (size_t)(end - lines); n > 0 && lines[n - 1] == ' ';)
            n--;
        text_putn(t, lines, n);
        text_put(t, "\n");
    }
}

static void put_grid(const Grid *g, bool is_flat)
{
    int shown = (int)MIN(g->columns, g->columns > MOST_COLUMNS ? 2 * EDGE + 1 : MOST_COLUMNS);
    Table t = table_new(g->out->arena, shown + 1, 0);

    table_put(&t, "");
    for (int64_t i = 0; i < g->columns; i = next_shown(i, g->columns, MOST_COLUMNS))
        table_printf(&t, i < 0 ? "..." : is_flat ? "+%lld" : "%lld", (long long)i);
    for (int64_t i = 0; i < g->rows; i = next_shown(i, g->rows, MOST_ROWS))
        put_row(g, &t, i, is_flat);
    put_trimmed(g->out, table_text(&t));
}

static void put_flat(Text *t, const Cells *c, int64_t n)
{
    Grid g = {c, t, 0, (n + TILE_ROW - 1) / TILE_ROW, MIN(n, TILE_ROW), n};

    put_grid(&g, true);
}

void show_cells(Text *t, const Cells *c)
{
    int64_t tables = 1, last[2] = {1, 1};

    for (int i = 0; i < c->ndim; i++)
        *(i < c->ndim - 2 ? &tables : &last[i - (c->ndim - 2)]) *= c->shape[i];
    if (c->ndim == 1) {
        put_flat(t, c, c->shape[0]);
        return;
    }
    for (int64_t k = 0; k < tables; k = next_shown(k, tables, MOST_ROWS)) {
        Grid g = {c, t, k * last[0] * last[1], last[0], last[1], (k + 1) * last[0] * last[1]};
        int64_t index[ARRAY_MAX_DIMS], rest = k;

        if (k < 0) {
            text_put(t, "...\n");
            continue;
        }
        for (int i = c->ndim - 3; i >= 0; rest /= c->shape[i--])
            index[i] = rest % c->shape[i];
        for (int i = 0; i < c->ndim - 2; i++)
            text_printf(t, "%s%lld%s", i ? "," : "[", (long long)index[i],
                        i == c->ndim - 3 ? ",:,:]\n" : "");
        put_grid(&g, false);
    }
}
