/*
 * gather.c - `run --each .. --save x=all.csv`: one table for all files
 *
 * Each file adds its rows, which begin with its path; they come in the order of the files, and the
 * table is written when all are there.  An array of one dimension is a row, one of two its rows;
 * several arrays that are saved to one table are columns side by side.  What a file adds begins
 * with the line of titles, of which that of the first file is kept.
 */
#include "batch.h"
#include "../show/show.h"
#include "../io/io.h"

#include <stdio.h>
#include <string.h>

/* all.csv:TITLE,TITLE.. */
static void take_titles(Client *c, SaveText *save)
{
    static const char suffix[] = ".csv:";
    const char *found = each_has_place(save->path) ? NULL : strstr(save->path, suffix);

    if (!found)
        return;
    save->titles = found + strlen(suffix);
    if (strchr(save->titles, '\n'))
        client_stop(c, CLIENT_USAGE, "--save %s: a title has one line", save->name);
    save->path = arena_strndup(c->arena, save->path, (size_t)(save->titles - 1 - save->path));
}

/* The first --save with the same table. */
static int table_of(Client *c, const SaveText *saves, int i)
{
    for (int k = 0; k < i; k++) {
        if (saves[k].gathers && file_same_output(c->arena, saves[k].path, saves[i].path))
            return k;
    }
    return i;
}

Saves each_mark_gathered(Client *c, const Saves *all)
{
    SaveText *saves = NEW_N(c->arena, SaveText, all->len + 1);

    for (int i = 0; i < all->len; i++) {
        saves[i] = all->at[i];
        take_titles(c, &saves[i]);
        saves[i].gathers = !each_has_place(saves[i].path) && file_is_csv(c->arena, saves[i].path);
        saves[i].table = saves[i].gathers ? table_of(c, saves, i) : i;
    }
    return (Saves){saves, all->len, all->len + 1};
}

/* --- the rows of a file --- */

static int64_t rows_of(const Array *a)
{
    return a->ndim == 2 ? a->shape[0] : 1;
}

static int64_t columns_of(const Array *a)
{
    return a->ndim == 0 ? 1 : a->shape[a->ndim - 1];
}

static void put_element(Text *t, const Array *a, const int64_t *index)
{
    char text[CSV_NUMBER];
    uint64_t bits = 0;

    memcpy(&bits, array_at(a, index), tilec_dtype_size(a->dtype));
    text_put(t, ",");
    text_putn(t, text, (size_t)csv_put_element(text, (DType)a->dtype, bits));
}

static void put_row(Text *t, const Array *a, int64_t row)
{
    for (int64_t k = 0; k < columns_of(a); k++)
        put_element(t, a, a->ndim == 2 ? (int64_t[]){row, k} : &k);
}

/* The given titles, else the array's name, with numbers where it has several columns. */
static void put_titles(Client *c, Text *t, const SaveText *save, const Array *a)
{
    const char *rest = save->titles, *title;
    int64_t columns = columns_of(a), given = 0;

    for (; rest && (title = value_next_part(c->arena, &rest)) != NULL; given++) {
        text_put(t, ",");
        put_csv_cell(t, title);
    }
    if (save->titles && given != columns)
        client_stop(c, CLIENT_USAGE,
                    "--save %s=%s:%s: titles for %lld column%s, and the array has %lld", save->name,
                    save->path, save->titles, (long long)given, given == 1 ? "" : "s",
                    (long long)columns);
    for (int64_t i = 0; i < columns && !save->titles; i++) {
        text_printf(t, ",%s", save->name);
        if (columns > 1)
            text_printf(t, "[%lld]", (long long)i);
    }
}

/* Can it stand in a table beside the array that it begins with? */
static void check_shape(Client *c, const SaveText *save, const Array *a, const SaveText *first,
                        const Array *beside)
{
    if (a->ndim > 2)
        client_stop(c, CLIENT_USAGE,
                    "--save %s=%s: rows of a table have up to 2 dimensions, and it has %d",
                    save->name, save->path, a->ndim);
    if (rows_of(a) != rows_of(beside))
        client_stop(c, CLIENT_USAGE, "--save %s=%s: it has %lld row%s, and '%s' beside it has %lld",
                    save->name, save->path, (long long)rows_of(a), rows_of(a) == 1 ? "" : "s",
                    first->name, (long long)rows_of(beside));
}

const char *gather_rows(const Saving *s, int table, const Array *const *arrays)
{
    Client *c = s->store->client;
    const SaveText *saves = s->saves->at;
    Text t = text_new(c->arena);

    text_put(&t, "file");
    for (int i = table; i < s->saves->len; i++) {
        if (!saves[i].gathers || saves[i].table != table)
            continue;
        check_shape(c, &saves[i], arrays[i], &saves[table], arrays[table]);
        put_titles(c, &t, &saves[i], arrays[i]);
    }
    text_put(&t, "\n");
    for (int64_t row = 0; row < rows_of(arrays[table]); row++) {
        put_csv_cell(&t, s->file);
        for (int i = table; i < s->saves->len; i++) {
            if (saves[i].gathers && saves[i].table == table)
                put_row(&t, arrays[i], row);
        }
        text_put(&t, "\n");
    }
    return t.s;
}

/* --- the tables --- */

Gathered gathered_new(Arena *a, const Saves *saves)
{
    Gathered g = {.arena = a,
                  .saves = saves,
                  .texts = NEW_N(a, Text, saves->len + 1),
                  .begun = NEW_N(a, bool, saves->len + 1)};

    for (int i = 0; i < saves->len; i++) {
        g.texts[i] = text_new(a);
        text_put(&g.texts[i], "");
    }
    return g;
}

int gathered_tables(const Gathered *g, GatheredTable *out)
{
    int n = 0;

    for (int i = 0; i < g->saves->len; i++) {
        if (g->begun[i])
            out[n++] = (GatheredTable){io_name(g->arena, g->saves->at[i].path).path, g->texts[i].s,
                                       g->texts[i].len};
    }
    return n;
}

bool gathered_add(Gathered *g, char *const *rows)
{
    bool any = false;

    for (int i = 0; i < g->saves->len; i++) {
        if (!rows || !rows[i])
            continue;
        text_put(&g->texts[i], g->begun[i] ? strchr(rows[i], '\n') + 1 : rows[i]);
        g->begun[i] = true;
        any = true;
    }
    return any;
}

void gathered_write(Client *c, const Gathered *g, FILE *out)
{
    const Saves *saves = g->saves;

    for (int i = 0; i < saves->len; i++) {
        const SaveText *save = &saves->at[i];
        IoName name = io_name(c->arena, save->path);
        const Text *t = &g->texts[i];
        int error = 0;

        if (!save->gathers || !g->begun[i])
            continue;
        if (strcmp(name.path, "-") == 0)
            fputs(t->s, out);
        else
            error = os_write_array(name.path, t->s, t->len);
        if (error)
            client_complain(c, &(ClientTrouble){
                                   .fault = CLIENT_FILES,
                                   .text = arena_printf(c->arena, "'%s' could not be saved: %s: %s",
                                                        save->name, shown_name(c->arena, name.path),
                                                        os_error_text(error))});
    }
}
