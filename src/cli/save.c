/*
 * save.c - array files that a command writes: `--save x=o.npy`
 *
 * What goes to stdout is alone there, several arrays that are saved to one .npz become its members,
 * and with --each the rows of all files go to one table (gather.c).  Names are checked before
 * anything runs.
 */
#include "command.h"
#include "../io/io.h"

#include <errno.h>
#include <string.h>

static bool is_npz(const IoName *name)
{
    return strcmp(name->suffix, ".npz") == 0;
}

static bool is_stdout(const IoName *name)
{
    return strcmp(name->path, "-") == 0;
}

/* What an array is called in an .npz. */
static const char *member_of(const SaveText *save, const IoName *name)
{
    return name->member ? name->member : save->name;
}

static void check_apart(Cli *c, const SaveText *save, const IoName *name, const SaveText *before)
{
    IoName other = io_name(c->arena, before->path);
    bool both_npz = is_npz(name) && is_npz(&other);

    if (!file_same_output(c->arena, save->path, before->path) || (save->gathers && before->gathers))
        return;
    if (!both_npz)
        cli_stop(c, CLI_USAGE, "--save %s=%s: '%s' is saved to that file already", save->name,
                 save->path, before->name);
    if (strcmp(member_of(save, name), member_of(before, &other)) == 0)
        cli_stop(c, CLI_USAGE, "--save %s=%s: '%s' is its member '%s' already", save->name,
                 save->path, before->name, member_of(save, name));
}

static const char *path_of_folder(Cli *c, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? arena_strndup(c->arena, path, (size_t)(slash - path)) : ".";
}

void save_check_output(Cli *c, const char *path)
{
    IoName name = io_name(c->arena, path);
    const char *trouble = io_name_trouble(c->arena, &name, true);
    int error = trouble || is_stdout(&name) ? 0 : os_check_output(name.path, true);

    if (trouble)
        cli_stop(c, CLI_USAGE, "%s: %s", shown_name(c->arena, path), trouble);
    const char *folder = path_of_folder(c, name.path);
    if (error == ENOENT && os_entry(folder).kind == OS_NOTHING)
        cli_stop_at_file(c, name.path,
                         arena_printf(c->arena, "there is no folder '%s'; make it first",
                                      shown_name(c->arena, folder)));
    if (error == EISDIR)
        cli_stop_at_file(c, name.path, "Is a directory; the name of a file in it is missing");
    if (error)
        client_stop_at_output(&c->client, name.path, error);
}

/* Of what stands on a terminal people read text alone. */
static void check_stdout(Cli *c, const Options *o, const SaveText *save, const IoName *name)
{
    if (o->json)
        cli_stop(c, CLI_USAGE, "--save %s=%s and --json both want stdout", save->name, save->path);
    if (os_is_terminal(1) && strcmp(name->suffix, ".csv") != 0)
        cli_stop(c, CLI_USAGE,
                 "--save %s=%s: stdout is a terminal, and the file is binary\n"
                 "hint: `> FILE` or `| COMMAND` takes it; --show %s prints the array",
                 save->name, save->path, save->name);
}

void save_check_all(Cli *c, const Options *o)
{
    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];
        IoName name = io_name(c->arena, save->path);

        save_check_output(c, save->path);
        if (!is_stdout(&name))
            writing_check_origin(c, "--save", name.path, save->origin);
        for (int k = 0; k < i; k++)
            check_apart(c, save, &name, &o->saves.at[k]);
        if (is_stdout(&name))
            check_stdout(c, o, save, &name);
    }
}

bool save_uses_stdout(Cli *c, const Options *o)
{
    for (int i = 0; i < o->saves.len; i++) {
        IoName name = io_name(c->arena, o->saves.at[i].path);

        if (is_stdout(&name))
            return true;
    }
    return false;
}

static tilec_tensor tensor_of(const Array *a)
{
    return (tilec_tensor){.data = a->data,
                          .dtype = a->dtype,
                          .ndim = a->ndim,
                          .shape = a->shape,
                          .strides = a->strides};
}

/* How --compress wants files written. */
static tilec_io_options io_options(const Options *o)
{
    return (tilec_io_options){.png_level = o->compress, .npz_level = o->compress};
}

static tilec_status save_one(const Options *o, const char *path, const Array *a, char **error)
{
    const tilec_tensor tensor = tensor_of(a);
    const tilec_io_options options = io_options(o);

    return io_write(path, &tensor, NULL, 0, &options, error);
}

/* All saves from `i` on that go to its .npz; none where an earlier one has seen to that. */
static tilec_status save_members(Cli *c, const Options *o, const Array *const *arrays, int i,
                                 char **error)
{
    tilec_io_member *members = NEW_N(c->arena, tilec_io_member, o->saves.len);
    IoName name = io_name(c->arena, o->saves.at[i].path);
    int n = 0;

    for (int k = 0; k < o->saves.len; k++) {
        const SaveText *save = &o->saves.at[k];
        IoName other = io_name(c->arena, save->path);

        if (!is_npz(&other) || !(k == i || strcmp(other.path, name.path) == 0 ||
                                 file_same_output(c->arena, save->path, o->saves.at[i].path)))
            continue;
        if (k < i)
            return TILEC_OK;
        members[n++] = (tilec_io_member){member_of(save, &other), tensor_of(arrays[k])};
    }
    const tilec_io_options options = io_options(o);
    return io_write(is_stdout(&name) ? "-.npz" : name.path, NULL, members, n, &options, error);
}

static const char *image_hint(Cli *c, const SaveText *save, const char *path, const char *why)
{
    if (!strstr(why, "holds u8 or u16"))
        return "";
    return arena_printf(c->arena, "\nhint: --save %s:u8=%s rounds, and cuts at 0 and 255",
                        save->name, shown_name(c->arena, path));
}

void save_check_array(Cli *c, const SaveText *save, const Array *a)
{
    const IoName name = io_name(c->arena, save->path);
    tilec_tensor tensor = tensor_of(a);

    if (save->converts)
        tensor.dtype = save->type;
    const char *why = io_tensor_trouble(c->arena, &name, &tensor);
    if (!why)
        return;
    c->trouble_file = name.path;
    cli_stop(c, c->each ? CLI_REFUSED : CLI_FILES, "'%s' could not be saved: %s: %s%s", save->name,
             shown_name(c->arena, name.path), why, image_hint(c, save, name.path, why));
}

/* With --each it is the failure of one file. */
static void tell_failure(Cli *c, const SaveText *save, const char *path, const char *why)
{
    const char *hint = image_hint(c, save, path, why);

    c->trouble_file = path;
    if (c->each)
        cli_stop(c, CLI_REFUSED, "'%s' could not be saved: %s%s", save->name, why, hint);
    cli_complain(c, CLI_FILES, "'%s' could not be saved: %s%s", save->name, why, hint);
    c->trouble_file = NULL;
}

/* The arrays in the types that --save names. */
static const Array **converted(Cli *c, const Options *o, const Array *const *arrays)
{
    const Array **out = NEW_N(c->arena, const Array *, o->saves.len + 1);

    for (int i = 0; i < o->saves.len; i++) {
        Array *own = NEW(c->arena, Array);

        out[i] = arrays[i];
        if (!o->saves.at[i].converts)
            continue;
        *own = array_saturate(&c->store, arrays[i], o->saves.at[i].type);
        out[i] = own;
    }
    return out;
}

void save_all(Cli *c, const Options *o, const Array *const *given)
{
    const Array **arrays = converted(c, o, given);

    if (c->each)
        c->rows = NEW_N(c->arena, const char *, c->nrows = o->saves.len);
    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];

        if (save->gathers) {
            c->rows[i] = save->table == i ? gather_rows(c, o, i, arrays) : NULL;
            continue;
        }
        IoName name = io_name(c->arena, save->path);
        char *error = NULL;
        tilec_status status = is_npz(&name) ? save_members(c, o, arrays, i, &error)
                                            : save_one(o, save->path, arrays[i], &error);

        if (status != TILEC_OK)
            c->reason = errno;
        const char *why =
            status ? arena_printf(c->arena, "%s", error ? error : tilec_status_text(status)) : NULL;

        tilec_free(error);
        if (why)
            tell_failure(c, save, name.path, why);
    }
}
