/*
 * save.c - array files that a command writes: `--save x=o.npy`
 *
 * What goes to stdout is alone there, several arrays that are saved to one .npz become its members,
 * and with --each the rows of all files go to one table (gather.c).  Names are checked before
 * anything runs.
 */
#include "batch.h"
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

static void check_apart(Client *c, const SaveText *save, const IoName *name, const SaveText *before)
{
    IoName other = io_name(c->arena, before->path);
    bool both_npz = is_npz(name) && is_npz(&other);

    if (!file_same_output(c->arena, save->path, before->path) || (save->gathers && before->gathers))
        return;
    if (!both_npz)
        client_stop(c, CLIENT_USAGE, "--save %s=%s: '%s' is saved to that file already", save->name,
                    save->path, before->name);
    if (strcmp(member_of(save, name), member_of(before, &other)) == 0)
        client_stop(c, CLIENT_USAGE, "--save %s=%s: '%s' is its member '%s' already", save->name,
                    save->path, before->name, member_of(save, name));
}

static const char *path_of_folder(Client *c, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? arena_strndup(c->arena, path, (size_t)(slash - path)) : ".";
}

/* Stops where nothing can be written there, for now. */
static void save_check_output(Client *c, const char *path)
{
    IoName name = io_name(c->arena, path);
    const char *trouble = io_name_trouble(c->arena, &name, true);
    int error = trouble || is_stdout(&name) ? 0 : os_check_output(name.path, true);

    if (trouble)
        client_stop(c, CLIENT_USAGE, "%s: %s", shown_name(c->arena, path), trouble);
    const char *folder = path_of_folder(c, name.path);
    if (error == ENOENT && os_entry(folder).kind == OS_NOTHING)
        client_stop_at_file(c, name.path,
                            arena_printf(c->arena, "there is no folder '%s'; make it first",
                                         shown_name(c->arena, folder)));
    if (error == EISDIR)
        client_stop_at_file(c, name.path, "Is a directory; the name of a file in it is missing");
    if (error)
        client_stop_at_output(c, name.path, error);
}

/* Of what stands on a terminal people read text alone. */
static void check_stdout(Client *c, bool is_taken, const SaveText *save, const IoName *name)
{
    if (is_taken)
        client_stop(c, CLIENT_USAGE, "--save %s=%s and --json both want stdout", save->name,
                    save->path);
    if (os_is_terminal(1) && strcmp(name->suffix, ".csv") != 0)
        client_stop(c, CLIENT_USAGE,
                    "--save %s=%s: stdout is a terminal, and the file is binary\n"
                    "hint: `> FILE` or `| COMMAND` takes it; --show %s prints the array",
                    save->name, save->path, save->name);
}

void save_check_all(const Saving *s)
{
    Client *c = s->store->client;
    const Saves *saves = s->saves;

    for (int i = 0; i < saves->len; i++) {
        const SaveText *save = &saves->at[i];
        IoName name = io_name(c->arena, save->path);

        save_check_output(c, save->path);
        if (!is_stdout(&name))
            writing_check_origin(c, "--save", name.path, save->origin);
        for (int k = 0; k < i; k++)
            check_apart(c, save, &name, &saves->at[k]);
        if (is_stdout(&name))
            check_stdout(c, s->json, save, &name);
    }
}

bool save_uses_stdout(Arena *a, const Saves *saves)
{
    for (int i = 0; i < saves->len; i++) {
        IoName name = io_name(a, saves->at[i].path);

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
static tilec_io_options io_options(const Saving *s)
{
    return (tilec_io_options){.png_level = s->compress, .npz_level = s->compress};
}

static tilec_status save_one(const Saving *s, const char *path, const Array *a, char **error)
{
    const tilec_tensor tensor = tensor_of(a);
    const tilec_io_options options = io_options(s);

    return io_write(path, &tensor, NULL, 0, &options, error);
}

/* All saves from `i` on that go to its .npz; none where an earlier one has seen to that. */
static tilec_status save_members(const Saving *s, const Array *const *arrays, int i, char **error)
{
    Client *c = s->store->client;
    const Saves *saves = s->saves;
    tilec_io_member *members = NEW_N(c->arena, tilec_io_member, saves->len);
    IoName name = io_name(c->arena, saves->at[i].path);
    int n = 0;

    for (int k = 0; k < saves->len; k++) {
        const SaveText *save = &saves->at[k];
        IoName other = io_name(c->arena, save->path);

        if (!is_npz(&other) || !(k == i || strcmp(other.path, name.path) == 0 ||
                                 file_same_output(c->arena, save->path, saves->at[i].path)))
            continue;
        if (k < i)
            return TILEC_OK;
        members[n++] = (tilec_io_member){member_of(save, &other), tensor_of(arrays[k])};
    }
    const tilec_io_options options = io_options(s);
    return io_write(is_stdout(&name) ? "-.npz" : name.path, NULL, members, n, &options, error);
}

static const char *image_hint(Arena *a, const SaveText *save, const char *path, const char *why)
{
    if (!strstr(why, "holds u8 or u16"))
        return "";
    return arena_printf(a, "\nhint: --save %s:u8=%s rounds, and cuts at 0 and 255", save->name,
                        shown_name(a, path));
}

void save_check_array(const Saving *s, const SaveText *save, const Array *a)
{
    Arena *arena = s->store->arena;
    const IoName name = io_name(arena, save->path);
    tilec_tensor tensor = tensor_of(a);

    if (save->converts)
        tensor.dtype = save->type;
    const char *why = io_tensor_trouble(arena, &name, &tensor);
    if (!why)
        return;
    const char *text =
        arena_printf(arena, "'%s' could not be saved: %s: %s%s", save->name,
                     shown_name(arena, name.path), why, image_hint(arena, save, name.path, why));
    client_stop_for(s->store->client,
                    &(ClientTrouble){.fault = s->file ? CLIENT_REFUSED : CLIENT_FILES,
                                     .text = text,
                                     .file = name.path});
}

/* With --each it is the failure of one file. */
static void tell_failure(const Saving *s, const SaveText *save, const char *path, const char *why,
                         int reason)
{
    Arena *a = s->store->arena;
    const ClientTrouble trouble = {.fault = s->file ? CLIENT_REFUSED : CLIENT_FILES,
                                   .text =
                                       arena_printf(a, "'%s' could not be saved: %s%s", save->name,
                                                    why, image_hint(a, save, path, why)),
                                   .file = path,
                                   .reason = reason};

    if (s->file)
        client_stop_for(s->store->client, &trouble);
    client_complain(s->store->client, &trouble);
}

/* The arrays in the types that --save names. */
static const Array **converted(const Saving *s, const Array *const *arrays)
{
    const Array **out = NEW_N(s->store->arena, const Array *, s->saves->len + 1);

    for (int i = 0; i < s->saves->len; i++) {
        Array *own = NEW(s->store->arena, Array);

        out[i] = arrays[i];
        if (!s->saves->at[i].converts)
            continue;
        *own = array_saturate(s->store, arrays[i], s->saves->at[i].type);
        out[i] = own;
    }
    return out;
}

/* To a file of its own, or, with others, to an .npz. */
static void save_file(const Saving *s, const Array *const *arrays, int i)
{
    const SaveText *save = &s->saves->at[i];
    IoName name = io_name(s->store->arena, save->path);
    char *error = NULL;
    tilec_status status = is_npz(&name) ? save_members(s, arrays, i, &error)
                                        : save_one(s, save->path, arrays[i], &error);
    const int reason = errno;

    if (status == TILEC_OK)
        return;
    const char *why =
        arena_printf(s->store->arena, "%s", error ? error : tilec_status_text(status));
    tilec_free(error);
    tell_failure(s, save, name.path, why, reason);
}

const char **save_all(const Saving *s, const Array *const *given)
{
    const Array **arrays = converted(s, given);
    const char **rows = NEW_N(s->store->arena, const char *, s->saves->len + 1);

    for (int i = 0; i < s->saves->len; i++) {
        const SaveText *save = &s->saves->at[i];

        if (!save->gathers) {
            save_file(s, arrays, i);
            save_warn_of_dark(s, save, arrays[i]);
        } else if (save->table == i) {
            rows[i] = gather_rows(s, i, arrays);
        }
    }
    return rows;
}
