/*
 * files.c - the files of `--each`, and names that are made of theirs
 *
 * `{}` is a file's path, `{name}` its name without suffix, `{ext}` its suffix without the dot,
 * `{dir}` its folder, `{i}` its number from 0; `{{` and `}}` are braces.
 */
#include "each.h"
#include "../io/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- placeholders --- */

static const char *const places[] = {"{}", "{name}", "{ext}", "{dir}", "{i}"};

/* The length of a placeholder that begins here; 0: none does. */
static size_t place_length(const char *s)
{
    for (int i = 0; i < COUNT(places); i++) {
        if (strncmp(s, places[i], strlen(places[i])) == 0)
            return strlen(places[i]);
    }
    return 0;
}

bool each_has_place(const char *text)
{
    for (const char *s = text; *s; s++) {
        if (s[0] == '{' && s[1] == '{')
            s++;
        else if (place_length(s))
            return true;
    }
    return false;
}

/* Where the last part of a path begins, and where its suffix does. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const char *suffix_of(const char *base)
{
    const char *dot = strrchr(base, '.');

    return dot && dot != base ? dot : base + strlen(base);
}

static const char *meaning(Cli *c, const EachFile *f, const char *place)
{
    const char *base = base_of(f->path), *suffix = suffix_of(base);

    switch (place[1]) {
    case '}':
        return f->path;
    case 'n':
        return arena_strndup(c->arena, base, (size_t)(suffix - base));
    case 'e':
        return *suffix ? suffix + 1 : "";
    case 'd':
        return folder_of(c, f->path);
    default:
        return arena_printf(c->arena, "%d", f->index);
    }
}

const char *each_expand(Cli *c, const EachFile *f, const char *text)
{
    Text t = text_new(c->arena);

    text_put(&t, "");
    for (const char *s = text; *s;) {
        size_t n = place_length(s);

        if ((s[0] == '{' || s[0] == '}') && s[1] == s[0]) {
            text_putn(&t, s, 1);
            s += 2;
        } else if (n) {
            text_put(&t, meaning(c, f, s));
            s += n;
        } else if (*s == '{')
            stop(c, CLI_USAGE,
                 "%s: '%.*s' stands for nothing; there are {} {name} {ext} {dir} {i}, and {{ is a "
                 "brace",
                 text, (int)strcspn(s, "}") + 1, s);
        else
            text_putn(&t, s++, 1);
    }
    return t.s;
}

size_t each_value(Cli *c, const char *text, Const *out)
{
    size_t n = c->each ? place_length(text) : 0;

    if (n == 0)
        return 0;
    if (c->each->stacked)
        stop(c, CLI_USAGE,
             "%.*s: with --batch it stands for several files; only names of files "
             "may have it",
             (int)n, text);
    const EachFile *f = c->each->files;
    const char *meant = meaning(c, f, text);
    *out = text[1] == 'i' ? const_int(f->index) : const_string(meant, strlen(meant));
    return n;
}

static bool same_text(const FileText *a, const FileText *b)
{
    return strcmp(a->path, b->path) == 0 && a->has_type == b->has_type &&
           (!a->has_type || a->type == b->type);
}

/* One that this call may write to. */
static Array copy_of(Cli *c, const Array *a)
{
    Array copy = array_new(c, a->dtype, a->ndim, a->shape);

    memcpy(copy.data, a->data, array_bytes(a)); /* without gaps, in whatever order */
    memcpy(copy.strides, a->strides, sizeof copy.strides);
    return copy;
}

Array each_load(Cli *c, const FileText *text)
{
    const EachArrays *known = c->each->arrays;

    for (int i = 0; i < known->len; i++) {
        if (!same_text(&known->at[i].text, text))
            continue;
        return known->at[i].is_stack ? known->at[i].array : copy_of(c, &known->at[i].array);
    }
    return file_load(c, each_expand(c, c->each->files, text->path),
                     text->has_type ? &text->type : NULL);
}

/* --- the files --- */

static uint64_t identity(const OsEntry *e, const char *name)
{
    uint64_t key = hash_bytes(&e->number, sizeof e->number, e->device);

    return hash_bytes(name, strlen(name), key);
}

/* Folder and name: the same for ./a and a, and another one for each link to a file. */
static uint64_t identity_of_path(Cli *c, const char *path)
{
    OsEntry folder = os_entry(folder_of(c, path));

    return identity(&folder, base_of(path));
}

static void add_file(Cli *c, EachFiles *files, const char *path, Map *seen)
{
    uint64_t key = identity_of_path(c, path);

    const EachFile file = {path, files->len};

    if (os_entry(path).kind == OS_FOLDER || map_get(seen, key))
        return;
    vec_push(c->arena, files, file);
    map_put(seen, key, files);
}

NORETURN static void refuse_folders(Cli *c, const char *pattern)
{
    size_t n = strlen(pattern);

    while (n > 1 && pattern[n - 1] == '/')
        n--;
    stop(c, CLI_FILES,
         "--each %s: only folders have that name\n"
         "hint: --each '%.*s/*' takes the files in it",
         pattern, (int)n, pattern);
}

EachFiles each_find(Cli *c, const Options *o)
{
    EachFiles files = {0};
    Map *seen = map_new(c->arena);

    for (int i = 0; i < o->eaches.len; i++) {
        const char *pattern = o->eaches.at[i];
        const EachPaths found = each_match(c, pattern);

        for (int k = 0; k < found.len; k++)
            add_file(c, &files, found.at[k], seen);
        if (found.len == 0)
            stop(c, CLI_FILES, "--each %s: there is no such file", pattern);
    }
    if (files.len == 0)
        refuse_folders(c, o->eaches.at[0]);
    return files;
}

/* --- the outputs --- */

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
            map_put(k.inputs, identity(&e, ""), &files->at[i]);
    }
    return k;
}

/* An input is only overwritten by its own result, and where `{}` says so. */
static void check_input(const Known *k, const SaveText *save, const char *path, const EachFile *f)
{
    OsEntry e = os_entry(path);
    const EachFile *input = e.kind == OS_FILE ? map_get(k->inputs, identity(&e, "")) : NULL;

    if (!input || (input == f && strncmp(save->path, "{}", 2) == 0))
        return;
    if (input == f)
        stop(k->cli, CLI_USAGE,
             "--save %s=%s would overwrite the input %s; if that is meant, write --save %s={}",
             save->name, save->path, path, save->name);
    stop(k->cli, CLI_USAGE, "--save %s=%s would write %s, which is an input too", save->name,
         save->path, path);
}

static void check_output(const Known *k, const SaveText *save, const EachFile *f)
{
    Cli *c = k->cli;
    IoName name = io_name(c->arena, each_expand(c, f, save->path));
    uint64_t key = identity_of_path(c, name.path);
    const Output *other = map_get(k->outputs, key);
    Output *own = NEW(c->arena, Output);

    *own = (Output){name.path, f};
    if (save->gathers) {
        check_input(k, save, name.path, NULL);
        return;
    }
    if (strcmp(name.path, "-") == 0)
        stop(c, CLI_USAGE, "--save %s=%s: results of several files do not go to stdout", save->name,
             save->path);
    if (other && other->file != f)
        stop(c, CLI_USAGE, "--save %s=%s: %s and %s would both be written to %s%s", save->name,
             save->path, other->file->path, f->path, name.path,
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
        stop_at_file(c, first,
                     arena_printf(c->arena, "there is no folder %s; `mkdir -p%s` makes it",
                                  folder_of(c, first), words.s));
    if (missing > 1)
        stop_at_file(c, first,
                     arena_printf(c->arena,
                                  "there is no folder %s, and %d more are missing\n"
                                  "hint: mkdir -p%s%s",
                                  folder_of(c, first), missing - 1, words.s,
                                  missing > MOST_NAMED ? " ..." : ""));
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
        file_check_saves(c, &one);
    }
}
