/*
 * outputs.c - what `--save` writes and `--show` prints: the arrays of a call, behind its first run
 */
#include "call.h"

#include <stdio.h>
#include <string.h>

/* x[0], x['ptr']: an array in an argument. */
static const Array *array_inside(Cli *c, const Names *names, const char *option, const char *text)
{
    Const v = value_parse(&c->store, names, option, text);
    const Array *array = value_array(&v);

    if (!array)
        cli_stop(c, CLI_USAGE, "%s %s: it is %s, not an array", option, text, const_kind_name(&v));
    return array;
}

/* `out,x`: each has an option of its own. */
static const char *several_hint(Cli *c, const char *option, const char *text)
{
    Text t = text_new(c->arena);

    text_put(&t, "; one stands behind each:");
    for (const char *part; (part = value_next_part(c->arena, &text)) != NULL;)
        text_printf(&t, " %s %s", option, part);
    return t.s;
}

const Array *outputs_find(Cli *c, const Names *names, const char *option, const char *name)
{
    if (strchr(name, '['))
        return array_inside(c, names, option, name);
    const char **known = NEW_N(c->arena, const char *, names->len + 1);

    for (int i = 0; i < names->len; i++) {
        known[i] = names->at[i].name;
        if (strcmp(known[i], name) != 0)
            continue;
        const Array *array = value_array(&names->at[i].value);
        if (!array)
            cli_stop(c, CLI_USAGE, "%s %s: it is %s, not an array", option, name,
                     const_kind_name(&names->at[i].value));
        return array;
    }
    cli_stop(c, CLI_USAGE, "%s %s: there is no such argument%s", option, name,
             strchr(name, ',')   ? several_hint(c, option, name)
             : strchr(name, '.') ? "; it takes an array, and says its dtype and shape"
                                 : hint_text(c->arena, name, known, names->len));
}

Saving saving_of(Cli *c, const Options *o)
{
    return (Saving){.store = &c->store,
                    .saves = &o->saves,
                    .file = c->each ? c->each->files[0].path : NULL,
                    .compress = o->compress,
                    .json = o->json};
}

static void check_show(const Call *k, const ShowText *show)
{
    const Array *a = outputs_find(k->cli, &k->args.names, "--show", show->name);
    const char *problem = show->way >= SHOW_PICTURE ? picture_problem(a) : NULL;

    if (problem)
        cli_stop(k->cli, CLI_USAGE, "--show %s: it cannot be drawn: %s", show->name, problem);
}

/* A file that was read is only replaced by the array that was read from it. */
static void check_read(Cli *c, const SaveText *save, const Array *array, const FileRead *f)
{
    const Storage *s = &c->store.blocks.at[f->block];
    const char *first = s->memory, *at = array->data;

    if (file_same_output(c->arena, save->path, f->path) && (at < first || at >= first + s->bytes))
        cli_stop(c, CLI_USAGE,
                 "--save %s=%s would replace a file that this call reads\n"
                 "hint: save it under another name, and move it behind the run",
                 save->name, save->path);
}

static void check_reads(const Call *k)
{
    const Saves *saves = &k->options.saves;
    Cli *c = k->cli;

    for (int i = 0; i < saves->len * c->store.files.len; i++) {
        const SaveText *save = &saves->at[i / c->store.files.len];
        check_read(c, save, outputs_find(c, &k->args.names, "--save", save->name),
                   &c->store.files.at[i % c->store.files.len]);
    }
}

/* Names and files are checked before anything runs. */
void outputs_check(const Call *k)
{
    const Options *o = &k->options;
    const Saving saving = saving_of(k->cli, o);

    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];
        const Array *array = outputs_find(k->cli, &k->args.names, "--save", save->name);

        if (!save->gathers && !o->batch) /* which saves parts of it */
            save_check_array(&saving, save, array);
    }
    for (int i = 0; i < o->shows.len; i++)
        check_show(k, &o->shows.at[i]);
    if (!k->cli->each) { /* which has looked at the outputs of all files */
        save_check_all(&saving);
        check_reads(k);
    }
    if (o->trace)
        writing_check(&k->cli->client, o->trace);
    if (o->repro)
        writing_check(&k->cli->client, o->repro);
}

/* One that fails must not cost the others. */
void outputs_write(const Call *k)
{
    Cli *c = k->cli;
    const Options *o = &k->options;
    const Names *names = &k->args.names;
    const Array **arrays = NEW_N(c->arena, const Array *, o->saves.len + 1);
    Text t = text_new(c->arena);

    for (int i = 0; i < o->saves.len; i++)
        arrays[i] = outputs_find(c, names, "--save", o->saves.at[i].name);
    const Saving saving = saving_of(c, o);
    c->rows = save_all(&saving, arrays);
    c->nrows = c->each ? o->saves.len : 0;
    for (int i = 0; i < o->shows.len; i++) {
        const ShowText *show = &o->shows.at[i];
        show_array(&t, show->name, outputs_find(c, names, "--show", show->name), show->way,
                   fileno(c->tells));
    }
    if (o->shows.len > 0 && fputs(t.s, c->tells) == EOF)
        cli_complain(c, CLI_FILES, "what --show prints could not be written");
}
