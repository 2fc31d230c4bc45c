/*
 * gather.c - `run --each .. --save x=all.csv`: one table for all files
 *
 * Each file adds its rows, which begin with its path; they come in the order of the files, and the
 * table is written when all are there.  An array of one dimension is a row, one of two its rows.
 */
#include "each.h"
#include "../io/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void each_mark_gathered(Cli *c, Options *o)
{
    SaveText *saves = NEW_N(c->arena, SaveText, o->saves.len + 1);

    for (int i = 0; i < o->saves.len; i++) {
        saves[i] = o->saves.at[i];
        saves[i].gathers = !each_has_place(saves[i].path) && file_is_csv(c, saves[i].path);
    }
    o->saves.at = saves;
    o->saves.cap = o->saves.len + 1;
}

static void put_element(Text *t, const Array *a, const int64_t *index)
{
    char text[CSV_NUMBER];
    uint64_t bits = 0;

    memcpy(&bits, array_at(a, index), tilec_dtype_size(a->dtype));
    text_put(t, ",");
    text_putn(t, text, (size_t)csv_put_element(text, (DType)a->dtype, bits));
}

const char *gather_rows(Cli *c, const SaveText *save, const Array *a)
{
    Text t = text_new(c->arena);
    int64_t rows = a->ndim == 2 ? a->shape[0] : 1,
            columns = a->ndim == 0 ? 1 : a->shape[a->ndim - 1];

    if (a->ndim > 2)
        stop(c, CLI_USAGE, "--save %s=%s: rows of a table have up to 2 dimensions, and it has %d",
             save->name, save->path, a->ndim);
    text_printf(&t, "%lld\n", (long long)columns);
    for (int64_t i = 0; i < rows; i++) {
        put_csv_cell(&t, c->each->files[0].path);
        for (int64_t k = 0; k < columns; k++)
            put_element(&t, a, a->ndim == 2 ? (int64_t[]){i, k} : &k);
        text_put(&t, "\n");
    }
    return t.s;
}

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

static void put_titles(Text *t, const char *name, int columns)
{
    text_put(t, "file");
    for (int i = 0; i < columns; i++)
        text_printf(t, columns > 1 ? ",%s[%d]" : ",%s", name, i);
    text_put(t, "\n");
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
        if (!g->begun[i])
            put_titles(&g->texts[i], o->saves.at[i].name, atoi(rows[i]));
        g->begun[i] = true;
        text_put(&g->texts[i], strchr(rows[i], '\n') + 1);
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
            error = os_write_file(name.path, t->s, t->len);
        if (error)
            complain(c, CLI_FILES, "'%s' could not be saved: %s: %s", save->name, name.path,
                     strerror(error));
    }
}
