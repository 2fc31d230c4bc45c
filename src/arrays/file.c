/*
 * file.c - array files that a client reads, `@x.npy`, and what their names say
 *
 * The formats are in src/io.  Here is what a client adds: what stands on stdin is read once.
 */
#include "array.h"
#include "../io/io.h"

#include <errno.h>
#include <string.h>

/* The array that was read, in storage of the client. */
static Array adopt(Store *store, const IoArray *from)
{
    const Storage storage = {.memory = from->data, .bytes = from->bytes};
    Array a = {.data = from->data, .dtype = from->dtype, .ndim = from->ndim};

    memcpy(a.shape, from->shape, sizeof a.shape);
    memcpy(a.strides, from->strides, sizeof a.strides);
    vec_push(store->arena, &store->blocks, storage);
    return a;
}

void file_claim_stdin(Store *store, const char *what)
{
    if (store->stdin_user)
        client_stop(store->client, CLIENT_USAGE,
                    "stdin is read as %s already; %s has to come from a file", store->stdin_user,
                    what);
    if (!os_can_read(0))
        client_stop(store->client, CLIENT_FILES, "%s comes from stdin, which is closed", what);
    store->stdin_user = what;
}

/* `@x.png.to(fp32)` and `@x.png/255` read on to a bracket or the end: is the file in front of that?
 */
static void check_end(Store *store, const char *path, const char *file)
{
    if (os_entry(file).kind != OS_NOTHING)
        return;
    for (size_t n = strlen(path); n > 1; n--) {
        const char *front = arena_strndup(store->arena, path, n - 1);

        if (strchr("./*+-<>=", path[n - 1]) && os_entry(front).kind == OS_FILE)
            client_stop(store->client, CLIENT_USAGE,
                        "%s: there is no such file\n"
                        "hint: the name of a file ends at a bracket or a space: (@%s)%s",
                        shown_name(store->arena, path), shown_name(store->arena, front),
                        shown_name(store->arena, path + n - 1));
    }
}

void client_check(Client *c, const char *file, tilec_status status, char **error)
{
    const int reason = errno;

    if (status == TILEC_OK)
        return;
    const char *text = error && *error ? *error : tilec_status_text(status);
    const ClientTrouble why = {.text = arena_printf(c->arena, "%s", text),
                               .file = status == TILEC_IO ? file : NULL,
                               .status = status,
                               .reason = file ? reason : 0};

    if (error)
        tilec_free(*error);
    client_stop_for(c, &why);
}

void file_check(Store *store, const char *path, tilec_status status, bool drops_numbers,
                char **error)
{
    client_check(store->client, path, status, error);
    if (drops_numbers)
        client_warn(
            store->client,
            "%s: the first line is taken for titles, since it begins with no number, and numbers "
            "in it are not read; in quotes they are titles",
            shown_name(store->arena, path));
}

Array file_load(Store *store, const char *path, const tilec_dtype *as)
{
    const tilec_io_options options = {.as = as, .keep_order = 1};
    IoName name = io_name(store->arena, path);
    char *error = NULL;
    IoArray from;

    if (strcmp(name.path, "-") == 0)
        file_claim_stdin(store, arena_printf(store->arena, "@%s", path));
    else
        check_end(store, path, name.path);
    const tilec_status status = io_read(path, NULL, 0, &options, &from, &error);
    file_check(store, name.path, status, !status && from.drops_numbers, &error);
    const Array read = adopt(store, &from);
    if (strcmp(name.path, "-") != 0)
        vec_push(store->arena, &store->files, ((FileRead){name.path, store->blocks.len - 1}));
    return read;
}

size_t file_member_length(const char *path, size_t len, const char *behind)
{
    static const char npz[] = ".npz";
    size_t n = strlen(npz);

    if (len <= n || strncasecmp(path + len - n, npz, n) != 0 || *behind != ':')
        return 0;
    return 1 + strcspn(behind + 1, "[](): ,");
}

/* --- names --- */

bool file_same_output(Arena *arena, const char *path, const char *other)
{
    const IoName a = io_name(arena, path), b = io_name(arena, other);
    bool to_stdout = strcmp(a.path, "-") == 0, other_to_stdout = strcmp(b.path, "-") == 0;

    if (to_stdout || other_to_stdout)
        return to_stdout && other_to_stdout;
    return os_same_output(a.path, b.path);
}

bool file_is_csv(Arena *arena, const char *path)
{
    return strcmp(io_name(arena, path).suffix, ".csv") == 0;
}
