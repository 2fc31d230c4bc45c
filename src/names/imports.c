/*
 * imports.c - which file a module is, and reading it
 *
 * Python looks for modules along sys.path, which a compiler does not have.  A relative import says
 * where its file is.  An absolute one is looked for in the folder that holds the outermost package
 * around the importing file, then in those that the user named, then in the file's own folder and
 * in those above it, so that packages without __init__.py are found too.  Folders above that
 * everybody may write to are left out.
 *
 * A module is not read where another user may have put it (is_strange()), unless the user named its
 * folder, or a host imports modules itself.
 *
 * Files are read when a name of theirs is needed, once, and stay.  A module that cannot be found or
 * read is a text that says why, for whoever needs it.
 */
#include <string.h>

#include "file.h"

enum {
    MAX_FILES = 512,
    MAX_FILE_BYTES = 4 << 20,
    MAX_ALL_BYTES = 64 << 20,
    MAX_FOLDERS_ABOVE = 16,
    MAX_FOLDERS_SHOWN = 3
};

/* --- paths --- */

/* The folder of a file: "a" of "a/b.py", "" of "b.py", "/" of "/b.py". */
const char *path_folder(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == path)
        return "/";
    return slash ? arena_strndup(a, path, (size_t)(slash - path)) : "";
}

/* "b" of "a/b.py" and of "a/b/__init__.py". */
const char *file_module(const FrontFile *f)
{
    const char *path = f->is_package && f->folder && *f->folder ? f->folder : f->source->path;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, ".py") == 0 ? arena_strndup(f->arena, name, n - 3) : name;
}

static const char *path_join(Arena *a, const char *folder, const char *name, size_t n)
{
    size_t len = strlen(folder);
    const char *between = len == 0 || folder[len - 1] == '/' ? "" : "/";

    return arena_printf(a, "%s%s%.*s", folder, between, (int)n, name);
}

/* The folder that holds `folder`; NULL above the root. */
static const char *path_above(Arena *a, const char *folder)
{
    size_t n = strlen(folder), last;

    while (n > 1 && folder[n - 1] == '/')
        n--;
    if (n == 1 && folder[0] == '/')
        return NULL;
    for (last = n; last > 0 && folder[last - 1] != '/';)
        last--;
    if (n == 0 || (n - last == 1 && folder[last] == '.'))
        return arena_printf(a, "%.*s..", (int)last, folder);
    if (n - last == 2 && memcmp(folder + last, "..", 2) == 0)
        return arena_printf(a, "%.*s/..", (int)n, folder);
    return last == 0 ? "" : last == 1 ? "/" : arena_strndup(a, folder, last - 1);
}

static OsEntry folder_entry(const char *folder)
{
    return os_entry(*folder ? folder : ".");
}

static bool is_file(const char *path)
{
    return os_entry(path).kind == OS_FILE;
}

/* --- where absolute imports are looked for --- */

static void add_root(FileSet *s, Folders *roots, const char *folder)
{
    for (int i = 0; i < roots->len; i++) {
        if (strcmp(roots->at[i], folder) == 0)
            return;
    }
    vec_push(s->arena, roots, folder);
}

/* The folder around the outermost package that `folder` is in; itself when it is in none. */
static const char *around_package(FileSet *s, const char *folder)
{
    for (int i = 0; i < MAX_FOLDERS_ABOVE && folder; i++) {
        if (!is_file(path_join(s->arena, folder, "__init__.py", 11)))
            return folder;
        folder = path_above(s->arena, folder);
    }
    return folder;
}

static void add_folders_above(FileSet *s, Folders *roots, const char *folder)
{
    OsEntry below = {0};

    for (int i = 0; i < MAX_FOLDERS_ABOVE && folder; i++) {
        OsEntry e = folder_entry(folder);

        if (i > 0 && e.device == below.device && e.number == below.number)
            return; /* above the root is the root */
        if (i == 0 || !e.is_public)
            add_root(s, roots, folder);
        below = e;
        folder = path_above(s->arena, folder);
    }
}

static const Folders *roots_of(const FrontFile *from)
{
    FileSet *s = from->set;
    Folders *roots = from->roots;

    if (roots->len > 0)
        return roots;
    if (from->folder) {
        const char *around = around_package(s, from->folder);

        if (around)
            add_root(s, roots, around);
    }
    for (int i = 0; i < s->options.npaths; i++)
        add_root(s, roots, s->options.paths[i]);
    if (from->folder)
        add_folders_above(s, roots, from->folder);
    return roots;
}

/* --- reading --- */

/* Whatever path led to it, a file is read once. */
static FrontFile *find_read(FileSet *s, const OsEntry *e)
{
    for (int i = 0; i < s->files.len; i++) {
        FrontFile *f = s->files.at[i];

        if (f->entry.kind == OS_NOTHING && !f->in_memory)
            f->entry = os_entry(f->source->path);
        if (f->entry.kind == e->kind && f->entry.device == e->device &&
            f->entry.number == e->number)
            return f;
    }
    return NULL;
}

static const char *read_text(FileSet *s, const char *path, char **text, size_t *len)
{
    const char *shown = shown_name(s->arena, path);
    int status;

    if (s->files.len > MAX_FILES)
        return arena_printf(s->arena, "%s is not read: %d files were", shown, MAX_FILES);
    if (s->bytes >= MAX_ALL_BYTES)
        return arena_printf(s->arena, "%s is not read: %d MiB were", shown, MAX_ALL_BYTES >> 20);
    status = os_read_file(s->arena, path, MAX_FILE_BYTES, text, len);
    if (status != 0)
        return arena_printf(s->arena, "%s: %s", shown, strerror(status));
    if (memchr(*text, '\0', *len))
        return arena_printf(s->arena, "%s is not text", shown);
    return NULL;
}

/* --- who may have written it --- */

/* May anybody but the owner have put there what is in this file, or another file in its place? */
static bool is_open(const char *path, Arena *a)
{
    OsEntry folder = folder_entry(path_folder(a, path));

    return os_entry(path).is_public || (folder.is_public && !folder.is_sticky);
}

/* A module is as good as the file of kernels, which the user named: it may have the same owner, and
 * be open to everybody if that is.  A group is taken for people who trust each other, since in many
 * systems every user has one of his own. */
static const char *is_strange(const FileSet *s, const char *path, const OsEntry *e)
{
    const char *first = s->first ? s->first->source->path : path;
    OsEntry named = os_entry(first);

    if (named.kind == OS_NOTHING)
        named = folder_entry(path_folder(s->arena, first));
    if (e->owner != 0 && e->owner != os_user() && e->owner != named.owner)
        return "it belongs to another user";
    if (is_open(path, s->arena) && !is_open(first, s->arena))
        return e->is_public ? "everybody may write to it" : "everybody may write to its folder";
    return NULL;
}

static Imported refuse_module(const FileSet *s, const char *path, const char *why)
{
    const char *folder = path_folder(s->arena, path);

    return (Imported){.problem = arena_printf(s->arena,
                                              "%s is not read, since %s; where that is all right "
                                              "--path %s says so",
                                              shown_name(s->arena, path), why,
                                              *folder ? shown_name(s->arena, folder) : ".")};
}

static bool is_same(const OsEntry *a, const OsEntry *b)
{
    return a->kind == b->kind && a->device == b->device && a->number == b->number;
}

/* Does it stand in a folder that the user named, or below one? */
static bool is_named(const FileSet *s, const char *path)
{
    const char *folder = path_folder(s->arena, path);

    for (int up = 0; up < MAX_FOLDERS_ABOVE && folder; up++) {
        OsEntry e = folder_entry(folder);
        for (int i = 0; i < s->options.npaths; i++) {
            OsEntry named = folder_entry(s->options.paths[i]);
            if (is_same(&e, &named))
                return true;
        }
        folder = path_above(s->arena, folder);
    }
    return s->options.host.find != NULL;
}

static Imported read_module(FileSet *s, const char *path, const char *folder)
{
    OsEntry e = os_entry(path);
    const char *why = is_strange(s, path, &e);
    Imported out = {.file = find_read(s, &e)};
    const Source *src;
    FrontFile *f;
    size_t len = 0;
    char *text = NULL;

    if (out.file)
        return out;
    if (why && !is_named(s, path))
        return refuse_module(s, path, why);
    out.problem = read_text(s, path, &text, &len);
    if (out.problem)
        return out;
    src = source_add(s->sources, path, text, len);
    if (!src)
        return (Imported){.problem = arena_printf(s->arena, "%s is not read: too much was",
                                                  shown_name(s->arena, path))};
    s->bytes += len;
    f = file_read(s, src, folder);
    f->entry = e;
    vec_push(s->arena, &s->files, f);
    decorators_follow(f);
    return (Imported){.file = f};
}

FrontFile *import_path(FileSet *s, const char *path)
{
    return read_module(s, path, path_folder(s->arena, path)).file;
}

/* A folder without __init__.py is a package that holds nothing but its modules. */
static Imported read_folder(FileSet *s, const char *folder)
{
    const char *init = path_join(s->arena, folder, "__init__.py", 11);
    OsEntry e = folder_entry(folder);
    Imported out = {0};

    if (is_file(init))
        return read_module(s, init, folder);
    if (e.kind != OS_FOLDER)
        return out;
    out.file = find_read(s, &e);
    if (!out.file) {
        const Source *src = source_add(s->sources, *folder ? folder : ".", "", 0);
        FrontFile *f = src ? file_read(s, src, folder) : NULL;

        if (f) {
            f->is_package = f->is_folder = true;
            f->entry = e;
            vec_push(s->arena, &s->files, f);
        }
        out.file = f;
    }
    return out;
}

/* --- finding --- */

/* NAME.NAME... below `folder`, which is meant itself when there is no name. */
static Imported find_below(FileSet *s, const char *folder, const char *dotted)
{
    while (*dotted) {
        size_t n = strcspn(dotted, ".");
        const char *path = path_join(s->arena, folder, dotted, n);
        const char *file = arena_printf(s->arena, "%s.py", path);
        const char *init = path_join(s->arena, path, "__init__.py", 11);

        if (!dotted[n] && !is_file(init) && is_file(file))
            return read_module(s, file, folder);
        if (folder_entry(path).kind != OS_FOLDER)
            return (Imported){0};
        folder = path;
        dotted += n + (dotted[n] == '.');
    }
    return read_folder(s, folder);
}

static Imported not_found(const char *problem)
{
    return (Imported){.problem = problem, .is_missing = true};
}

/* `.a.b` begins in the file's own folder, each further dot goes one up. */
static Imported find_relative(const FrontFile *from, const char *module)
{
    Arena *a = from->arena;
    const char *folder = from->folder;
    Imported found = {0};

    for (module++; *module == '.' && folder; module++)
        folder = path_above(a, folder);
    if (!folder)
        return not_found("the text that imports it stands in no folder");
    found = find_below(from->set, folder, module);
    if (found.file || found.problem)
        return found;
    return not_found(arena_printf(a, "there is no module `%s` in %s", module,
                                  *folder ? shown_name(a, folder) : "."));
}

static Imported report_roots(const FrontFile *from, const Folders *roots)
{
    Text all = text_new(from->arena);

    if (roots->len == 0)
        return not_found("there is no folder to look for it in");
    for (int i = 0; i < roots->len && i < MAX_FOLDERS_SHOWN; i++)
        text_printf(&all, "%s%s", i > 0 ? ", " : "", *roots->at[i] ? roots->at[i] : ".");
    return not_found(arena_printf(from->arena, "it was looked for in %s%s", all.s,
                                  roots->len > MAX_FOLDERS_SHOWN ? ", and above" : ""));
}

/* The first that has a text; else the first folder of that name. */
static Imported find_in_folders(FileSet *s, const char *const *folders, int n, const char *module)
{
    Imported folder = {0};

    for (int i = 0; i < n; i++) {
        Imported found = find_below(s, folders[i], module);

        if (found.problem || (found.file && !found.file->is_folder))
            return found;
        if (found.file && !folder.file)
            folder = found;
    }
    return folder;
}

static Imported find_absolute(const FrontFile *from, const char *module)
{
    const Folders *roots = roots_of(from);
    Imported found = find_in_folders(from->set, roots->at, roots->len, module);

    return found.file || found.problem ? found : report_roots(from, roots);
}

/* What no folder of a project stands for, so that nothing is looked up. */
static bool is_foreign(const char *module)
{
    static const char *const names[] = {"triton",    "math",      "torch",    "numpy",
                                        "os",        "sys",       "typing",   "typing_extensions",
                                        "functools", "itertools", "warnings", "logging"};
    size_t n = strcspn(module, ".");

    for (int i = 0; i < COUNT(names); i++) {
        if (strlen(names[i]) == n && memcmp(names[i], module, n) == 0)
            return true;
    }
    return false;
}

/* A part of such a package, as torch._inductor.runtime, may hold what kernels use: it is looked for
 * where the user says that packages are, and nowhere else.  The package itself stays closed. */
static Imported find_foreign(const FrontFile *from, const char *module)
{
    const FrontOptions *o = &from->set->options;
    Imported found = {0};

    if (!strchr(module, '.'))
        return found;
    found = find_in_folders(from->set, o->paths, o->npaths, module);
    if (found.file || found.problem)
        return found;
    return not_found(arena_printf(from->arena,
                                  "modules of `%.*s` are looked for in the folders of --path alone",
                                  (int)strcspn(module, "."), module));
}

const Imported *import_module(const FrontFile *from, Sym module)
{
    Imported *known = map_get(from->modules, MAP_KEY(module));

    if (known)
        return known;
    known = NEW(from->arena, Imported);
    map_put(from->modules, MAP_KEY(module), known);
    if (is_foreign(module))
        *known = find_foreign(from, module);
    else if (module[0] == '.')
        *known = find_relative(from, module);
    else
        *known = find_absolute(from, module);
    return known;
}

FrontFile *import_submodule(const FrontFile *package, Sym name)
{
    Imported *known = map_get(package->submodules, MAP_KEY(name));

    if (!package->is_package || !package->folder)
        return NULL;
    if (!known) {
        known = NEW(package->arena, Imported);
        map_put(package->submodules, MAP_KEY(name), known);
        *known = find_below(package->set, package->folder, name);
    }
    return known->file;
}
