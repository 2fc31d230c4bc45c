/*
 * each_json.c - what became of each file, as one object for programs
 *
 * Elements of its arrays are made when a file is told, in the order of the files, so that nothing
 * of a file has to be kept but its text here.
 */
#include "each.h"

void each_json_begin(Each *e)
{
    Text *const texts[] = {&e->json.failed, &e->json.problems, &e->json.results, &e->json.compared,
                           &e->json.unwritten};

    for (int i = 0; i < COUNT(texts); i++) {
        *texts[i] = text_new(e->client->arena);
        text_put(texts[i], "");
    }
}

/* An object that begins with the path of a file, and stays open. */
static void begin_file(Text *t, const Each *e, int i)
{
    json_object(t, NULL);
    json_text(t, "path", e->files.at[i].path);
}

static void add_failure(Each *e, int i)
{
    const char *problem = e->outcomes[i].problem;

    json_text(&e->json.failed, NULL, e->files.at[i].path);
    begin_file(&e->json.problems, e, i);
    if (problem)
        json_members(&e->json.problems, problem);
    json_object_end(&e->json.problems);
}

/* What --save has written for a file alone. */
static void put_saves(Text *t, const Each *e, int i)
{
    Client *c = e->client;

    json_array(t, "saved");
    for (int k = 0; k < e->saves->len; k++) {
        const SaveText *save = &e->saves->at[k];

        if (save->gathers)
            continue;
        json_object(t, NULL);
        json_text(t, "name", save->name);
        json_text(t, "path", io_name(c->arena, each_expand(c, &e->files.at[i], save->path)).path);
        json_object_end(t);
    }
    json_array_end(t);
}

static void add_result(Each *e, int i)
{
    Text *t = &e->json.results;

    begin_file(t, e, i);
    json_fixed(t, "seconds", e->outcomes[i].seconds, 6);
    put_saves(t, e, i);
    if (e->outcomes[i].compared)
        json_value(t, "compare", e->outcomes[i].compared);
    json_object_end(t);
}

void each_json_add(Each *e, int i)
{
    const EachOutcome *o = &e->outcomes[i];

    if (!e->wants_json)
        return;
    if (o->trouble)
        add_failure(e, i);
    if (o->made)
        add_result(e, i);
    if (o->compared) {
        begin_file(&e->json.compared, e, i);
        json_value(&e->json.compared, "compare", o->compared);
        json_object_end(&e->json.compared);
    }
}

void each_json_unwritten(Each *e, int i, const char *arrays)
{
    begin_file(&e->json.unwritten, e, i);
    json_value(&e->json.unwritten, "arrays", arrays);
    json_object_end(&e->json.unwritten);
}

/* An array of elements that are JSON already. */
static void put_elements(Text *t, const char *key, const Text *elements)
{
    json_array(t, key);
    text_put(t, elements->s);
    json_array_end(t);
}

const char *each_json_object(const Each *e, double seconds)
{
    const EachJson *j = &e->json;
    Text t = text_new(e->client->arena);

    json_object(&t, NULL);
    json_int(&t, "files", e->files.len);
    json_int(&t, "done", e->done - e->failed);
    json_number(&t, "seconds", seconds, 6);
    if (e->host->is_interrupted())
        json_bool(&t, "interrupted", true);
    if (each_is_over(e) || e->left > 0)
        json_int(&t, "left", e->left);
    json_int(&t, "replaced", e->replaced);
    json_int(&t, "stale", e->stale);
    if (e->skips)
        json_int(&t, "skipped", e->skipped);
    put_elements(&t, "failed", &j->failed);
    put_elements(&t, "problems", &j->problems);
    put_elements(&t, "results", &j->results);
    if (j->compared.len > 0)
        put_elements(&t, "compared", &j->compared);
    if (j->unwritten.len > 0)
        put_elements(&t, "unwritten", &j->unwritten);
    json_object_end(&t);
    return t.s;
}
