/*
 * each_outputs.c - what `--save` writes for the files of `--each`: is it allowed, is it there
 * already?
 *
 * All of it is looked at before anything runs.  A file is known by the number of its folder and its
 * name, so that two spellings of a path are one file, and two links to a file are two.
 */
#include "each.h"
#include "../io/io.h"

#include <string.h>

Options each_options(Cli *c, const Options *o, const EachFile *f)
{
    Options out = *o;

    out.saves.at = NEW_N(c->arena, SaveText, o->saves.len + 1);
    out.saves.cap = o->saves.len + 1;
    for (int i = 0; i < o->saves.len; i++) {
        out.saves.at[i] = o->saves.at[i];
        out.saves.at[i].path = each_expand(c, f, o->saves.at[i].path);
    }
    return out;
}

/* --- what must not be written --- */

/* What the files of a run are known by. */
typedef struct {
    Cli *cli;
    const EachFiles *files;
    Map *inputs;  /* the identity of a file -> its EachFile */
    Map *outputs; /* folder and name of an output -> its Output */
} Known;
typedef struct {
    const char *path;
    const EachFile *file;
} Output;

static Known know_inputs(Cli *c, const EachFiles *files)
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
        cli_stop(k->cli, CLI_USAGE,
                 "--save %s=%s would overwrite the input %s; if that is meant, write --save %s={}",
                 save->name, save->path, shown_name(k->cli->arena, path), save->name);
    cli_stop(k->cli, CLI_USAGE, "--save %s=%s would write %s, which is an input too", save->name,
             save->path, shown_name(k->cli->arena, path));
}

static void check_output(const Known *k, const SaveText *save, const EachFile *f)
{
    Cli *c = k->cli;
    IoName name = io_name(c->arena, each_expand(c, f, save->path));
    uint64_t key = each_place(c, name.path);
    const Output *other = map_get(k->outputs, key);
    Output *own = NEW(c->arena, Output);

    *own = (Output){name.path, f};
    if (save->gathers) {
        check_input(k, save, name.path, NULL);
        return;
    }
    if (strcmp(name.path, "-") == 0)
        cli_stop(c, CLI_USAGE, "--save %s=%s: results of several files do not go to stdout",
                 save->name, save->path);
    if (other && other->file != f)
        cli_stop(c, CLI_USAGE, "--save %s=%s: %s and %s would both be written to %s%s", save->name,
                 save->path, shown_name(c->arena, other->file->path), shown_name(c->arena, f->path),
                 shown_name(c->arena, name.path),
                 each_has_place(save->path)
                     ? ""
                     : "; {name} in it makes one for each, and a .csv without it has rows of all");
    check_input(k, save, name.path, f);
    map_put(k->outputs, key, own);
}

/* All folders that are missing are named at once, in a command that makes them. */
static void check_folders(Cli *c, const Options *o, const EachFiles *files)
{
    enum { MOST_NAMED = 20 };
    Map *seen = map_new(c->arena);
    Text words = text_new(c->arena);
    const char *first = NULL;
    int missing = 0;

    for (int i = 0; i < files->len * o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i % o->saves.len];
        const char *text = each_expand(c, &files->at[i / o->saves.len], save->path);
        const char *path = io_name(c->arena, text).path, *folder = folder_of(c, path);
        uint64_t key = hash_bytes(folder, strlen(folder), 0);

        if (map_get(seen, key))
            continue;
        map_put(seen, key, (void *)folder);
        if (os_entry(folder).kind == OS_FOLDER)
            continue;
        first = first ? first : path;
        if (missing++ < MOST_NAMED)
            text_printf(&words, " %s", shell_word(c, folder));
    }
    if (missing == 1)
        cli_stop_at_file(c, first,
                         arena_printf(c->arena, "there is no folder %s; `mkdir -p%s` makes it",
                                      shown_name(c->arena, folder_of(c, first)), words.s));
    if (missing > 1)
        cli_stop_at_file(c, first,
                         arena_printf(c->arena,
                                      "there is no folder %s, and %d more are missing\n"
                                      "hint: mkdir -p%s%s",
                                      shown_name(c->arena, folder_of(c, first)), missing - 1,
                                      words.s, missing > MOST_NAMED ? " ..." : ""));
}

void each_check_outputs(Cli *c, const Options *o, const EachFiles *files)
{
    const Known known = know_inputs(c, files);

    check_folders(c, o, files);
    for (int i = 0; i < files->len; i++) {
        Options one;

        for (int k = 0; k < o->saves.len; k++)
            check_output(&known, &o->saves.at[k], &files->at[i]);
        one = each_options(c, o, &files->at[i]);
        save_check_all(c, &one);
    }
}

/* --- what is there already --- */

/* Of one --save of a file; a table of all files is nobody's. */
static OsEntry output_of(Cli *c, const SaveText *save, const EachFile *f)
{
    OsEntry nobodys = {0};

    return save->gathers ? nobodys
                         : os_entry(io_name(c->arena, each_expand(c, f, save->path)).path);
}

/* An output that is there is complete: it was renamed to its place. */
static bool is_done(Cli *c, const Options *o, const EachFile *f)
{
    OsEntry input = os_entry(f->path);

    for (int i = 0; i < o->saves.len; i++) {
        OsEntry e = output_of(c, &o->saves.at[i], f);

        if (e.kind != OS_FILE || e.changed < input.changed)
            return false;
    }
    return true;
}

static void skip_existing(Each *e)
{
    int kept = 0;

    for (int i = 0; i < e->files.len; i++) {
        if (!is_done(e->cli, e->options, &e->files.at[i]))
            e->files.at[kept++] = e->files.at[i];
    }
    e->skipped = e->files.len - kept;
    e->files.len = kept;
}

/* Outputs that are there, but for one that is the file itself. */
static int count_older(Cli *c, const Options *o, const EachFile *f)
{
    OsEntry input = os_entry(f->path);
    int n = 0;

    for (int i = 0; i < o->saves.len; i++) {
        OsEntry e = output_of(c, &o->saves.at[i], f);

        n += e.kind == OS_FILE && (e.device != input.device || e.number != input.number);
    }
    return n;
}

void each_look_at_outputs(Each *e)
{
    if (e->options->skip_existing)
        skip_existing(e);
    e->older = NEW_N(e->cli->arena, int, e->files.len + 1);
    for (int i = 0; i < e->files.len; i++)
        e->older[i] = count_older(e->cli, e->options, &e->files.at[i]);
}
