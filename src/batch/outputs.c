/*
 * each_outputs.c - what `--save` writes for the files of `--each`: is it allowed, is it there
 * already?
 *
 * All of it is looked at before anything runs.  A file is known by the number of its folder and its
 * name, so that two spellings of a path are one file, and two links to a file are two.
 */
#include "batch.h"
#include "../io/io.h"

#include <string.h>

Saves each_saves(Client *c, const Saves *all, const EachFile *f)
{
    Saves out = {NEW_N(c->arena, SaveText, all->len + 1), all->len, all->len + 1};

    for (int i = 0; i < all->len; i++) {
        out.at[i] = all->at[i];
        out.at[i].path = each_expand(c, f, all->at[i].path);
    }
    return out;
}

/* --- what must not be written --- */

/* What the files of a run are known by. */
typedef struct {
    Client *client;
    const EachFiles *files;
    Map *inputs;  /* the identity of a file -> its EachFile */
    Map *outputs; /* folder and name of an output -> its Output */
} Known;
typedef struct {
    const char *path;
    const EachFile *file;
} Output;

static Known know_inputs(Client *c, const EachFiles *files)
{
    Known k = {c, files, map_new(c->arena), map_new(c->arena)};

    for (int i = 0; i < files->len; i++) {
        OsEntry e = os_entry(files->at[i].path);

        if (e.kind == OS_FILE)
            map_put(k.inputs, each_identity(&e, ""), &files->at[i]);
    }
    return k;
}

/* An input is only overwritten by its own result, and where `{}` says so. */
static void check_input(const Known *k, const SaveText *save, const char *path, const EachFile *f)
{
    OsEntry e = os_entry(path);
    const EachFile *input = e.kind == OS_FILE ? map_get(k->inputs, each_identity(&e, "")) : NULL;

    if (!input || (input == f && strncmp(save->path, "{}", 2) == 0))
        return;
    if (input == f)
        client_stop(
            k->client, CLIENT_USAGE,
            "--save %s=%s would overwrite the input %s; if that is meant, write --save %s={}",
            save->name, save->path, shown_name(k->client->arena, path), save->name);
    client_stop(k->client, CLIENT_USAGE, "--save %s=%s would write %s, which is an input too",
                save->name, save->path, shown_name(k->client->arena, path));
}

static void check_output(const Known *k, const SaveText *save, const EachFile *f)
{
    Client *c = k->client;
    IoName name = io_name(c->arena, each_expand(c, f, save->path));
    uint64_t key = each_place(c->arena, name.path);
    const Output *other = map_get(k->outputs, key);
    Output *own = NEW(c->arena, Output);

    *own = (Output){name.path, f};
    if (save->gathers) {
        check_input(k, save, name.path, NULL);
        return;
    }
    if (strcmp(name.path, "-") == 0)
        client_stop(c, CLIENT_USAGE, "--save %s=%s: results of several files do not go to stdout",
                    save->name, save->path);
    if (other && other->file != f)
        client_stop(
            c, CLIENT_USAGE, "--save %s=%s: %s and %s would both be written to %s%s", save->name,
            save->path, shown_name(c->arena, other->file->path), shown_name(c->arena, f->path),
            shown_name(c->arena, name.path),
            each_has_place(save->path)
                ? ""
                : "; {name} in it makes one for each, and a .csv without it has rows of all");
    check_input(k, save, name.path, f);
    map_put(k->outputs, key, own);
}

/* All folders that are missing are named at once, in a command that makes them. */
static void check_folders(Client *c, const Saves *saves, const EachFiles *files)
{
    enum { MOST_NAMED = 20 };
    Map *seen = map_new(c->arena);
    Text words = text_new(c->arena);
    const char *first = NULL;
    int missing = 0;

    for (int i = 0; i < files->len * saves->len; i++) {
        const SaveText *save = &saves->at[i % saves->len];
        const char *text = each_expand(c, &files->at[i / saves->len], save->path);
        const char *path = io_name(c->arena, text).path, *folder = folder_of(c->arena, path);
        uint64_t key = hash_bytes(folder, strlen(folder), 0);

        if (map_get(seen, key))
            continue;
        map_put(seen, key, (void *)folder);
        if (os_entry(folder).kind == OS_FOLDER)
            continue;
        first = first ? first : path;
        if (missing++ < MOST_NAMED)
            text_printf(&words, " %s", shell_word(c->arena, folder));
    }
    if (missing == 1)
        client_stop_at_file(c, first,
                            arena_printf(c->arena, "there is no folder %s; `mkdir -p%s` makes it",
                                         shown_name(c->arena, folder_of(c->arena, first)),
                                         words.s));
    if (missing > 1)
        client_stop_at_file(c, first,
                            arena_printf(c->arena,
                                         "there is no folder %s, and %d more are missing\n"
                                         "hint: mkdir -p%s%s",
                                         shown_name(c->arena, folder_of(c->arena, first)),
                                         missing - 1, words.s, missing > MOST_NAMED ? " ..." : ""));
}

void each_check_outputs(const Saving *s, const EachFiles *files)
{
    Client *c = s->store->client;
    const Known known = know_inputs(c, files);

    check_folders(c, s->saves, files);
    for (int i = 0; i < files->len; i++) {
        Saving one = *s;

        for (int k = 0; k < s->saves->len; k++)
            check_output(&known, &s->saves->at[k], &files->at[i]);
        const Saves own = each_saves(c, s->saves, &files->at[i]);
        one.saves = &own;
        save_check_all(&one);
    }
}

/* --- what is there already --- */

/* Of one --save of a file; a table of all files is nobody's. */
static OsEntry output_of(Client *c, const SaveText *save, const EachFile *f)
{
    OsEntry nobodys = {0};

    return save->gathers ? nobodys
                         : os_entry(io_name(c->arena, each_expand(c, f, save->path)).path);
}

/* An output that is there is complete: it was renamed to its place. */
static bool is_done(Client *c, const Saves *saves, const EachFile *f)
{
    OsEntry input = os_entry(f->path);

    for (int i = 0; i < saves->len; i++) {
        OsEntry e = output_of(c, &saves->at[i], f);

        if (e.kind != OS_FILE || e.changed < input.changed)
            return false;
    }
    return true;
}

int each_skip_existing(Client *c, const Saves *saves, EachFiles *files)
{
    int kept = 0, all = files->len;

    for (int i = 0; i < files->len; i++) {
        if (!is_done(c, saves, &files->at[i]))
            files->at[kept++] = files->at[i];
    }
    files->len = kept;
    return all - kept;
}

int each_older_outputs(Client *c, const Saves *saves, const EachFile *f)
{
    OsEntry input = os_entry(f->path);
    int n = 0;

    for (int i = 0; i < saves->len; i++) {
        OsEntry e = output_of(c, &saves->at[i], f);

        n += e.kind == OS_FILE && (e.device != input.device || e.number != input.number);
    }
    return n;
}
