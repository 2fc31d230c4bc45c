/*
 * file.c - array files of the command line: `@x.npy` in, `--save x=o.npy` out
 *
 * The formats are in src/io.  Here is what a command adds: what stands on stdin is read once, what
 * goes to stdout is alone there, and several arrays that are saved to one .npz become its members.
 */
#include "cli.h"
#include "../io/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The array that was read, in the storage of the command. */
static Array adopt(Cli *c, const IoArray *from)
{
    const Storage storage = {.memory = from->data, .bytes = from->bytes};
    Array a = {.data = from->data, .dtype = from->dtype, .ndim = from->ndim};

    memcpy(a.shape, from->shape, sizeof a.shape);
    memcpy(a.strides, from->strides, sizeof a.strides);
    vec_push(c->arena, &c->blocks, storage);
    return a;
}

void file_claim_stdin(Cli *c, const char *what)
{
    if (c->stdin_user)
        stop(c, CLI_USAGE, "stdin is read as %s already; %s has to come from a file", c->stdin_user,
             what);
    if (!os_can_read(0))
        stop(c, CLI_FILES, "%s comes from stdin, which is closed", what);
    c->stdin_user = what;
}

/* `@x.png.to(fp32)` and `@x.png/255` read on to a bracket or the end: is the file in front of that?
 */
static void check_end(Cli *c, const char *path, const char *file)
{
    if (os_entry(file).kind != OS_NOTHING)
        return;
    for (size_t n = strlen(path); n > 1; n--) {
        const char *front = arena_strndup(c->arena, path, n - 1);

        if (strchr("./*+-<>=", path[n - 1]) && os_entry(front).kind == OS_FILE)
            stop(c, CLI_USAGE,
                 "%s: there is no such file\n"
                 "hint: the name of a file ends at a bracket or a space: (@%s)%s",
                 path, front, path + n - 1);
    }
}

void file_check(Cli *c, const char *path, tilec_status status, bool drops_numbers, char **error)
{
    c->reason = status == TILEC_OK ? 0 : errno;
    c->trouble_file = status == TILEC_IO ? path : NULL;
    check(c, status, error);
    if (drops_numbers)
        warn(c,
             "%s: the first line is taken for titles, since it begins with no number, and numbers "
             "in it are not read; in quotes they are titles",
             path);
}

Array file_load(Cli *c, const char *path, const tilec_dtype *as)
{
    const tilec_io_options options = {.as = as, .keep_order = 1};
    IoName name = io_name(c->arena, path);
    char *error = NULL;
    IoArray from;

    if (strcmp(name.path, "-") == 0)
        file_claim_stdin(c, arena_printf(c->arena, "@%s", path));
    else
        check_end(c, path, name.path);
    const tilec_status status = io_read(path, NULL, 0, &options, &from, &error);
    file_check(c, name.path, status, !status && from.drops_numbers, &error);
    return adopt(c, &from);
}

size_t file_member_length(const char *path, size_t len, const char *behind)
{
    static const char npz[] = ".npz";
    size_t n = strlen(npz);

    if (len <= n || strncasecmp(path + len - n, npz, n) != 0 || *behind != ':')
        return 0;
    return 1 + strcspn(behind + 1, "[](): ,");
}

/* --- saving --- */

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

static bool same_output(const IoName *a, const IoName *b)
{
    if (is_stdout(a) || is_stdout(b))
        return is_stdout(a) && is_stdout(b);
    return os_same_output(a->path, b->path);
}

bool file_same_output(Cli *c, const char *path, const char *other)
{
    const IoName a = io_name(c->arena, path), b = io_name(c->arena, other);

    return same_output(&a, &b);
}

static void check_apart(Cli *c, const SaveText *save, const IoName *name, const SaveText *before)
{
    IoName other = io_name(c->arena, before->path);
    bool both_npz = is_npz(name) && is_npz(&other);

    if (!same_output(name, &other) || (save->gathers && before->gathers))
        return;
    if (!both_npz)
        stop(c, CLI_USAGE, "--save %s=%s: '%s' is saved to that file already", save->name,
             save->path, before->name);
    if (strcmp(member_of(save, name), member_of(before, &other)) == 0)
        stop(c, CLI_USAGE, "--save %s=%s: '%s' is its member '%s' already", save->name, save->path,
             before->name, member_of(save, name));
}

static const char *path_of_folder(Cli *c, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? arena_strndup(c->arena, path, (size_t)(slash - path)) : ".";
}

void file_check_output(Cli *c, const char *path)
{
    IoName name = io_name(c->arena, path);
    const char *trouble = io_name_trouble(c->arena, &name, true);
    int error = trouble || is_stdout(&name) ? 0 : os_check_output(name.path, true);

    if (trouble)
        stop(c, CLI_USAGE, "%s: %s", path, trouble);
    const char *folder = path_of_folder(c, name.path);
    if (error == ENOENT && os_entry(folder).kind == OS_NOTHING)
        stop_at_file(c, name.path,
                     arena_printf(c->arena, "there is no folder '%s'; make it first", folder));
    if (error == EISDIR)
        stop_at_file(c, name.path, "Is a directory; the name of a file in it is missing");
    if (error)
        stop_at_output(c, name.path, error);
}

/* Of what stands on a terminal people read text alone. */
static void check_stdout(Cli *c, const Options *o, const SaveText *save, const IoName *name)
{
    if (o->json)
        stop(c, CLI_USAGE, "--save %s=%s and --json both want stdout", save->name, save->path);
    if (os_is_terminal(1) && strcmp(name->suffix, ".csv") != 0)
        stop(c, CLI_USAGE,
             "--save %s=%s: stdout is a terminal, and the file is binary\n"
             "hint: `> FILE` or `| COMMAND` takes it; --show %s prints the array",
             save->name, save->path, save->name);
}

void file_check_saves(Cli *c, const Options *o)
{
    for (int i = 0; i < o->saves.len; i++) {
        const SaveText *save = &o->saves.at[i];
        IoName name = io_name(c->arena, save->path);

        file_check_output(c, save->path);
        if (!is_stdout(&name))
            writing_check_origin(c, "--save", name.path, save->origin);
        for (int k = 0; k < i; k++)
            check_apart(c, save, &name, &o->saves.at[k]);
        if (is_stdout(&name))
            check_stdout(c, o, save, &name);
    }
}

bool file_is_csv(Cli *c, const char *path)
{
    return strcmp(io_name(c->arena, path).suffix, ".csv") == 0;
}

bool file_uses_stdout(Cli *c, const Options *o)
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

        if (!is_npz(&other) ||
            !(k == i || strcmp(other.path, name.path) == 0 || same_output(&other, &name)))
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
                        save->name, path);
}

void file_check_array(Cli *c, const SaveText *save, const Array *a)
{
    const IoName name = io_name(c->arena, save->path);
    tilec_tensor tensor = tensor_of(a);

    if (save->converts)
        tensor.dtype = save->type;
    const char *why = io_tensor_trouble(c->arena, &name, &tensor);
    if (!why)
        return;
    c->trouble_file = name.path;
    stop(c, c->each ? CLI_REFUSED : CLI_FILES, "'%s' could not be saved: %s: %s%s", save->name,
         name.path, why, image_hint(c, save, name.path, why));
}

/* With --each it is the failure of one file. */
static void tell_failure(Cli *c, const SaveText *save, const char *path, const char *why)
{
    const char *hint = image_hint(c, save, path, why);

    c->trouble_file = path;
    if (c->each)
        stop(c, CLI_REFUSED, "'%s' could not be saved: %s%s", save->name, why, hint);
    complain(c, CLI_FILES, "'%s' could not be saved: %s%s", save->name, why, hint);
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
        *own = array_saturate(c, arrays[i], o->saves.at[i].type);
        out[i] = own;
    }
    return out;
}

void file_save_all(Cli *c, const Options *o, const Array *const *given)
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
