/*
 * table.c - cells of text in columns that are as wide as their widest cell
 */
#include "show.h"

#include <string.h>

Table table_new(Arena *a, int columns, int left)
{
    return (Table){.arena = a, .columns = columns, .left = left};
}

Table table_titled(Arena *a, const char *const *titles, int n, int left)
{
    Table t = table_new(a, n, left);

    for (int i = 0; i < n; i++)
        table_put(&t, titles[i]);
    return t;
}

void table_put(Table *t, const char *cell)
{
    vec_push(t->arena, &t->cells, shown_name(t->arena, cell));
}

void table_printf(Table *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    table_put(t, arena_vprintf(t->arena, fmt, ap));
    va_end(ap);
}

/* Characters of UTF-8. */
static int width_of(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void put_cell(Text *out, const char *cell, int width, bool left)
{
    int gap = MAX(width - width_of(cell), 0);

    text_printf(out, "%*s%s%*s", left ? 0 : gap, "", cell, left ? gap : 0, "");
}

static int column_width(const Table *t, int column)
{
    int width = 0;

    for (int i = column; i < t->cells.len; i += t->columns)
        width = MAX(width, width_of(t->cells.at[i]));
    return width;
}

const char *table_text(const Table *t)
{
    Text out = text_new(t->arena);

    text_put(&out, "");
    for (int i = 0; i < t->cells.len; i++) {
        int column = i % t->columns;
        bool last = column + 1 == t->columns;
        bool is_left = column < t->left || *t->cells.at[column] == '\0';

        put_cell(&out, t->cells.at[i], last && is_left ? 0 : column_width(t, column), is_left);
        text_put(&out, last ? "\n" : "  ");
    }
    return out.s;
}

/* With quotes where it has what divides cells; in one line, since it is read by people too. */
void put_csv_cell(Text *t, const char *cell)
{
    cell = shown_name(t->arena, cell);
    if (!cell[strcspn(cell, ",\"")]) {
        text_put(t, cell);
        return;
    }
    text_put(t, "\"");
    for (; *cell; cell++)
        text_printf(t, *cell == '"' ? "\"%c" : "%c", *cell);
    text_put(t, "\"");
}
