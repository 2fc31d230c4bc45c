/*
 * gather.c - `run --each .. --save x=all.csv`: one table for all files
 *
 * Each file adds its rows, which begin with its path; they come in the order of the files, and the
 * table is written when all are there.  An array of one dimension is a row, one of two its rows;
 * several arrays that are saved to one table are columns side by side.  What a file adds begins
 * with the line of titles, of which that of the first file is kept.
 */
#include "each.h"
#include "../io/io.h"

#include <stdio.h>
#include <string.h>

/* all.csv:TITLE,TITLE.. */
static void take_titles(Cli *c, SaveText *save)
{
    static const char suffix[] = ".csv:";
    const char *found = each_has_place(save->path) ? NULL : strstr(save->path, suffix);

    if (!found)
        return;
    save->titles = found + strlen(suffix);
    if (strchr(save->titles, '\n'))
        cli_stop(c, CLI_USAGE, "--save %s: a title has one line", save->name);
    save->path = arena_strndup(c->arena, save->path, (size_t)(save->titles - 1 - save->path));
}

/* The first --save with the same table. */
static int table_of(Cli *c, const SaveText *saves, int i)
{
    for (int k = 0; k < i; k++) {
        if (saves[k].gathers && file_same_output(c->arena, saves[k].path, saves[i].path))
            return k;
    }
    return i;
}

void each_mark_gathered(Cli *c, Options *o)
{
    SaveText *saves = NEW_N(c->arena, SaveText, o->saves.len + 1);

    for (int i = 0; i < o->saves.len; i++) {
        saves[i] = o->saves.at[i];
        take_titles(c, &saves[i]);
        saves[i].gathers = !each_has_place(saves[i].path) && file_is_csv(c->arena, saves[i].path);
        saves[i].table = saves[i].gathers ? table_of(c, saves, i) : i;
    }
    o->saves.at = saves;
    o->saves.cap = o->saves.len + 1;
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
static void put_titles(Cli *c, Text *t, const SaveText *save, const Array *a)
{
    const char *rest = save->titles, *title;
    int64_t columns = columns_of(a), given = 0;

    for (; rest && (title = value_next_part(c->arena, &rest)) != NULL; given++) {
        text_put(t, ",");
        put_csv_cell(t, title);
    }
    if (save->titles && given != columns)
        cli_stop(c, CLI_USAGE, "--save %s=%s:%s: titles for %lld column%s, and the array has %lld",
                 save->name, save->path, save->titles, (long long)given, given == 1 ? "" : "s",
                 (long long)columns);
    for (int64_t i = 0; i < columns && !save->titles; i++) {
        text_printf(t, ",%s", save->name);
        if (columns > 1)
            text_printf(t, "[%lld]", (long long)i);
    }
}

/* Can it stand in a table beside the array that it begins with? */
static void check_shape(Cli *c, const SaveText *save, const Array *a, const SaveText *first,
                        const Array *beside)
{
    if (a->ndim > 2)
        cli_stop(c, CLI_USAGE,
                 "--save %s=%s: rows of a table have up to 2 dimensions, and it has %d", save->name,
                 save->path, a->ndim);
    if (rows_of(a) != rows_of(beside))
        cli_stop(c, CLI_USAGE, "--save %s=%s: it has %lld row%s, and '%s' beside it has %lld",
                 save->name, save->path, (long long)rows_of(a), rows_of(a) == 1 ? "" : "s",
                 first->name, (long long)rows_of(beside));
}

const char *gather_rows(Cli *c, const Options *o, int table, const Array *const *arrays)
{
    const SaveText *saves = o->saves.at;
    Text t = text_new(c->arena);

    text_put(&t, "file");
    for (int i = table; i < o->saves.len; i++) {
        if (!saves[i].gathers || saves[i].table != table)
            continue;
        check_shape(c, &saves[i], arrays[i], &saves[table], arrays[table]);
        put_titles(c, &t, &saves[i], arrays[i]);
    }
    text_put(&t, "\n");
    for (int64_t row = 0; row < rows_of(arrays[table]); row++) {
        put_csv_cell(&t, c->each->files[0].path);
        for (int i = table; i < o->saves.len; i++) {
            if (saves[i].gathers && saves[i].table == table)
                put_row(&t, arrays[i], row);
        }
        text_put(&t, "\n");
    }
    return t.s;
}

/* --- the tables --- */

Gathered gathered_new(Cli *c, const Options *o)
{
    Gathered g = {c->arena, NEW_N(c->arena, Text, o->saves.len + 1),
                  NEW_N(c->arena, bool, o->saves.len + 1)};

    for (int i = 0; i < o->saves.len; i++) {
        g.texts[i] = text_new(c->arena);
        text_put(&g.texts[i], "");
    }
    return g;
}

/* For a signal that ends the command. */
static void publish(const Gathered *g, const Options *o)
{
    Arena *a = g->arena;
    Rescue *all = arena_alloc(a, sizeof *all + sizeof *all->at * (size_t)o->saves.len);

    for (int i = 0; i < o->saves.len; i++) {
        if (!g->begun[i])
            continue;
        all->at[all->n].path = io_name(a, o->saves.at[i].path).path;
        all->at[all->n].text = g->texts[i].s;
        all->at[all->n++].length = g->texts[i].len;
    }
    rescue_publish(all);
}

void gathered_add(Gathered *g, const Options *o, char *const *rows)
{
    bool any = false;

    for (int i = 0; i < o->saves.len; i++) {
        if (!rows || !rows[i])
            continue;
        text_put(&g->texts[i], g->begun[i] ? strchr(rows[i], '\n') + 1 : rows[i]);
        g->begun[i] = true;
        any = true;
    }
    if (any)
        publish(g, o);
}

void gathered_write(Cli *c, const Gathered *g, const Options *o)
{
    rescue_publish(NULL);
    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];
        IoName name = io_name(c->arena, save->path);
        const Text *t = &g->texts[i];
        int error = 0;

        if (!save->gathers || !g->begun[i])
            continue;
        if (strcmp(name.path, "-") == 0)
            fputs(t->s, stdout);
        else
            error = os_write_array(name.path, t->s, t->len);
        if (error)
            cli_complain(c, CLI_FILES, "'%s' could not be saved: %s: %s", save->name,
                         shown_name(c->arena, name.path), os_error_text(error));
    }
}
