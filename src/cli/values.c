/*
 * values.c - what texts of a command line may name beside arrays and numbers: files from the folder
 * of the line that names them, the files of --each, functions of the kernel's file
 */
#include "each.h"

#include <string.h>

static tilec_file *file_of(Client *client)
{
    return cli_of(client)->file;
}

static const char *path_of(Client *client, const char *path)
{
    return origin_path(client, path);
}

/* What keeps a file from being found that is there under another name than the one that was read.
 */
static void check_path(Cli *c, const FileText *t, const char *label, const char *whole)
{
    bool named = strcmp(t->path, "-") != 0 && os_entry(t->path).kind == OS_NOTHING;

    if (!c->each && each_has_place(t->path) && named)
        cli_stop(c, CLI_USAGE,
                 "%s: `{}` in @%s stands for the files of --each 'PATTERN', which is missing",
                 label, t->path);
    if (named && strncmp(t->path, "~/", 2) == 0)
        cli_stop(c, CLI_FILES,
                 "%s: %s: No such file or directory\n"
                 "hint: a shell knows `~` only where a word begins: write %s=@\"$HOME\"%s",
                 label, t->path, label, t->path + 1);
    if (named && strpbrk(t->path, "*?"))
        cli_stop(
            c, CLI_FILES,
            "%s: %s: No such file or directory\n"
            "hint: --each '%s' runs the kernel for each of such files, and %s=@{} is that file",
            label, t->path, t->path, label);
    if (named && os_entry(origin_path(&c->client, whole)).kind == OS_FILE)
        cli_stop(c, CLI_FILES,
                 "%s: %s: No such file or directory\n"
                 "hint: a name with spaces, commas or brackets takes quotes: %s=\"@'%s'\"",
                 label, t->path, label, whole);
}

static Array load(Client *client, const FileText *file, const char *label, const char *text)
{
    Cli *c = cli_of(client);

    check_path(c, file, label, text);
    return c->each ? each_load(&c->store, c->each, file)
                   : file_load(&c->store, file->path, file->has_type ? &file->type : NULL);
}

static size_t placeholder(Client *client, const char *text, Const *out)
{
    return each_value(client, cli_of(client)->each, text, out);
}

static const char *problem(Client *client, const char *kernel)
{
    return config_problem(cli_of(client), kernel, 0);
}

const ValueHost cli_values = {
    .file = file_of, .path = path_of, .load = load, .placeholder = placeholder, .problem = problem};
