/*
 * files.c - the files of `--each`, and names that are made of theirs
 *
 * `{}` is a file's path, `{name}` its name without suffix, `{ext}` its suffix without the dot,
 * `{dir}` its folder, `{i}` its number from 0; `{{` and `}}` are braces.
 */
#include "batch.h"
#include "../io/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static const char *meaning(Arena *a, const EachFile *f, const char *place)
{
    const char *base = base_of(f->path), *suffix = suffix_of(base);

    switch (place[1]) {
    case '}':
        return f->path;
    case 'n':
        return arena_strndup(a, base, (size_t)(suffix - base));
    case 'e':
        return *suffix ? suffix + 1 : "";
    case 'd':
        return folder_of(a, f->path);
    default:
        return arena_printf(a, "%d", f->index);
    }
}

const char *each_expand(Client *c, const EachFile *f, const char *text)
{
    Text t = text_new(c->arena);

    text_put(&t, "");
    for (const char *s = text; *s;) {
        size_t n = place_length(s);

        if ((s[0] == '{' || s[0] == '}') && s[1] == s[0]) {
            text_putn(&t, s, 1);
            s += 2;
        } else if (n) {
            text_put(&t, meaning(c->arena, f, s));
            s += n;
        } else if (*s == '{')
            client_stop(
                c, CLIENT_USAGE,
                "%s: '%.*s' stands for nothing; there are {} {name} {ext} {dir} {i}, and {{ is a "
                "brace",
                text, (int)strcspn(s, "}") + 1, s);
        else
            text_putn(&t, s++, 1);
    }
    return t.s;
}

size_t each_value(Client *c, const EachGroup *group, const char *text, Const *out)
{
    size_t n = group ? place_length(text) : 0;

    if (n == 0)
        return 0;
    if (group->stacked)
        client_stop(c, CLIENT_USAGE,
                    "%.*s: with --batch it stands for several files; only names of files "
                    "may have it",
                    (int)n, text);
    const EachFile *f = group->files;
    const char *meant = meaning(c->arena, f, text);
    *out = text[1] == 'i' ? const_int(f->index) : const_string(meant, strlen(meant));
    return n;
}

static bool same_text(const FileText *a, const FileText *b)
{
    return strcmp(a->path, b->path) == 0 && a->has_type == b->has_type &&
           (!a->has_type || a->type == b->type);
}

/* One that this call may write to. */
static Array copy_of(Store *store, const Array *a)
{
    Array copy = array_new(store, a->dtype, a->ndim, a->shape);

    memcpy(copy.data, a->data, array_bytes(a)); /* without gaps, in whatever order */
    memcpy(copy.strides, a->strides, sizeof copy.strides);
    return copy;
}

Array each_load(Store *store, const EachGroup *group, const FileText *text)
{
    const EachArrays *known = group->arrays;

    for (int i = 0; i < known->len; i++) {
        if (!same_text(&known->at[i].text, text))
            continue;
        return known->at[i].is_stack ? known->at[i].array : copy_of(store, &known->at[i].array);
    }
    return file_load(store, each_expand(store->client, group->files, text->path),
                     text->has_type ? &text->type : NULL);
}

/* --- the files --- */

/* A pipe, a socket or a device, which may have nothing to read for ever. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

uint64_t each_identity(const OsEntry *e, const char *name)
{
    uint64_t key = hash_bytes(&e->number, sizeof e->number, e->device);

    return hash_bytes(name, strlen(name), key);
}

uint64_t each_place(Arena *a, const char *path)
{
    OsEntry folder = os_entry(folder_of(a, path));
    const char *slash = strrchr(path, '/');

    return each_identity(&folder, slash ? slash + 1 : path);
}

static void add_file(Client *c, EachFiles *files, const char *path, Map *seen)
{
    uint64_t key = each_place(c->arena, path);

    const EachFile file = {path, files->len};

    if (os_entry(path).kind == OS_FOLDER || map_get(seen, key))
        return;
    vec_push(c->arena, files, file);
    map_put(seen, key, files);
}

NORETURN static void refuse_folders(Client *c, const char *pattern)
{
    size_t n = strlen(pattern);

    while (n > 1 && pattern[n - 1] == '/')
        n--;
    client_stop(c, CLIENT_FILES,
                "--each %s: only folders have that name\n"
                "hint: --each '%.*s/*' takes the files in it",
                pattern, (int)n, pattern);
}

/* What only a shell knows. */
static const char *shell_hint(const char *pattern)
{
    if (pattern[0] == '~')
        return "\nhint: only a shell knows `~`; write the folder, as in --each \"$HOME/in/*.png\"";
    if (strchr(pattern, '{') && strchr(pattern, ','))
        return "\nhint: only a shell knows {A,B}; --each may be given several times";
    return "";
}

EachFiles each_find(Store *store, const EachPaths *patterns)
{
    Client *c = store->client;
    EachFiles files = {0};
    Map *seen = map_new(c->arena);

    for (int i = 0; i < patterns->len; i++) {
        const char *pattern = patterns->at[i];
        bool is_list = pattern[0] == '@';
        const EachPaths found = is_list ? each_listed(store, pattern + 1) : each_match(c, pattern);

        for (int k = 0; k < found.len; k++) {
            const char *path = found.at[k];

            if (!is_list && strcmp(path, pattern) != 0 && is_special(path))
                client_warn(c,
                            "--each %s: %s is left out, since it is no file but a pipe or the like",
                            pattern, shown_name(c->arena, path));
            else
                add_file(c, &files, path, seen);
        }
        if (found.len == 0)
            client_stop(c, CLIENT_FILES, "--each %s: there is no such file%s", pattern,
                        shell_hint(pattern));
    }
    if (files.len == 0)
        refuse_folders(c, patterns->at[0]);
    return files;
}
