/*
 * each_json.c - what `run --each --json` prints: one object, with what became of each file
 *
 * Elements of its arrays are made when a file is told, in the order of the files, so that nothing
 * of a file has to be kept but its text here.
 */
#include "each.h"
#include "../io/io.h"

#include <stdio.h>
#include <string.h>

void each_json_begin(Each *e)
{
    Text *const texts[] = {&e->json.failed, &e->json.problems, &e->json.results, &e->json.compared,
                           &e->json.unwritten};

    for (int i = 0; i < COUNT(texts); i++) {
        *texts[i] = text_new(e->cli->arena);
        text_put(texts[i], "");
    }
}

/* Between the elements of an array. */
static void put_comma(Text *t)
{
    text_put(t, t->len > 0 ? ", " : "");
}

/* An object that begins with the path of a file. */
static void put_path(Text *t, const char *path)
{
    text_put(t, "{\"path\": ");
    put_json_text(t, path);
}

static void add_failure(Each *e, int i)
{
    const char *path = e->files.at[i].path, *problem = e->outcomes[i].problem;

    put_comma(&e->json.failed);
    put_json_text(&e->json.failed, path);
    put_comma(&e->json.problems);
    put_path(&e->json.problems, path);
    text_printf(&e->json.problems, "%s%s", problem ? ", " : "", problem ? problem + 1 : "}");
}

/* What --save has written for a file alone. */
static void put_saves(Text *t, const Each *e, int i)
{
    Cli *c = e->cli;
    int n = 0;

    text_put(t, ", \"saved\": [");
    for (int k = 0; k < e->options->saves.len; k++) {
        const SaveText *save = &e->options->saves.at[k];

        if (save->gathers)
            continue;
        text_put(t, n++ ? ", {\"name\": " : "{\"name\": ");
        put_json_text(t, save->name);
        text_put(t, ", \"path\": ");
        put_json_text(t, io_name(c->arena, each_expand(c, &e->files.at[i], save->path)).path);
        text_put(t, "}");
    }
    text_put(t, "]");
}

static void put_comparison(Text *t, const char *compared)
{
    if (compared)
        text_printf(t, ", \"compare\": %s", compared);
}

static void add_result(Each *e, int i)
{
    Text *t = &e->json.results;

    put_comma(t);
    put_path(t, e->files.at[i].path);
    text_printf(t, ", \"seconds\": %.6f", e->outcomes[i].seconds);
    put_saves(t, e, i);
    put_comparison(t, e->outcomes[i].compared);
    text_put(t, "}");
}

void each_json_add(Each *e, int i)
{
    const EachOutcome *o = &e->outcomes[i];

    if (!e->options->json)
        return;
    if (o->trouble)
        add_failure(e, i);
    if (o->made)
        add_result(e, i);
    if (o->compared) {
        put_comma(&e->json.compared);
        put_path(&e->json.compared, e->files.at[i].path);
        put_comparison(&e->json.compared, o->compared);
        text_put(&e->json.compared, "}");
    }
}

void each_json_unwritten(Each *e, int i, const char *arrays)
{
    put_comma(&e->json.unwritten);
    put_path(&e->json.unwritten, e->files.at[i].path);
    text_printf(&e->json.unwritten, ", \"arrays\": %s}", arrays);
}

void each_json_print(const Each *e, double seconds)
{
    const EachJson *j = &e->json;
    Text t = text_new(e->cli->arena);

    text_printf(&t, "{\"files\": %d, \"done\": %d, \"seconds\": %.6g", e->files.len,
                e->done - e->failed, seconds);
    if (interrupt_noted())
        text_put(&t, ", \"interrupted\": true");
    if (each_is_over(e))
        text_printf(&t, ", \"left\": %d", e->left);
    text_printf(&t, ", \"replaced\": %d, \"stale\": %d", e->replaced, e->stale);
    if (e->options->skip_existing)
        text_printf(&t, ", \"skipped\": %d", e->skipped);
    text_printf(&t, ", \"failed\": [%s], \"problems\": [%s], \"results\": [%s]", j->failed.s,
                j->problems.s, j->results.s);
    if (j->compared.len > 0)
        text_printf(&t, ", \"compared\": [%s]", j->compared.s);
    if (j->unwritten.len > 0)
        text_printf(&t, ", \"unwritten\": [%s]", j->unwritten.s);
    printf("%s}\n", t.s);
}
