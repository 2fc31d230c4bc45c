/*
 * plugin.c - find and open the code generator, tilec-llvm.so
 *
 * Loading LLVM takes milliseconds and is done on the first cache miss.  The system counts the
 * references of a loaded library, so several contexts may each ask; it is never unloaded, since
 * LLVM does not support that.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

static const char plugin_name[] = "tilec-llvm.so";

/* Where it may lie, seen from the folder of this library or program: beside it, above it in a build
 * tree, installed beside the library, installed beside the program's folder. */
static const char *const places[] = {"", "../", "tilec/", TILEC_LIBRARIES_FROM_PROGRAMS "/tilec/"};

/* Absolute: where `make install` puts it, for programs elsewhere that link the static library. */
static const char install_folder[] = TILEC_PLUGIN_FOLDER "/";

/* NULL when the plugin may be used, else why not. */
static const char *unfit(const GenPlugin *p)
{
    if (p->abi != GEN_ABI)
        return "it was made for another version of tilec";
    if (!p->build_id || strcmp(p->build_id, run_build_id()) != 0)
        return "it comes from another build of tilec";
    return p->ntargets > 0 ? NULL : "it offers no target";
}

const GenPlugin *run_plugin_at(Arena *a, const char *path, const char **why)
{
    const char *error;

    if (!os_library_is_whole(path)) {
        *why = arena_printf(a, "%s: its end is missing: it was not copied as a whole",
                            shown_name(a, path));
        return NULL;
    }
    void *lib = os_load_library(path, &error);
    if (!lib) {
        *why = shown_name(a, error);
        return NULL;
    }
    const GenPlugin *(*entry)(void) =
        (const GenPlugin *(*)(void))os_library_symbol(lib, "tilec_gen_plugin");
    const GenPlugin *p = entry ? entry() : NULL;
    const char *problem = p ? unfit(p) : "it is not a code generator";
    if (problem)
        *why = arena_printf(a, "%s: %s", shown_name(a, path), problem);
    return problem ? NULL : p;
}

/* Loading it runs it, so nobody may have put it there but the system, who runs this, and who owns
 * the file that this code is in, since that was run already.  Gives NULL, or why `path` is not to
 * be trusted. */
static const char *distrusted(Arena *a, const char *path, const struct stat *st, uid_t owner)
{
    if (st->st_uid != 0 && st->st_uid != geteuid() && st->st_uid != owner)
        return arena_printf(a, "%s belongs to another user, who is not trusted",
                            shown_name(a, path));
    if ((st->st_mode & S_IWOTH) != 0)
        return arena_printf(a, "%s may be written by everybody, so it is not used: chmod o-w %s",
                            shown_name(a, path), shown_name(a, path));
    return NULL;
}

/* `path`, if it is a file to be trusted; else NULL, and in *why, unless there is a reason already,
 * what is wrong with it if it is there.  A link counts as what it leads to, but must itself be
 * trusted. */
static const char *trusted(Arena *a, const char *path, uid_t owner, const char **why)
{
    struct stat link, file, around;
    const char *slash = strrchr(path, '/'), *problem = NULL;
    const char *folder = arena_strndup(a, path, (size_t)(slash - path) + 1);

    if (lstat(path, &link) != 0 || stat(path, &file) != 0 || stat(folder, &around) != 0)
        return NULL;
    bool linked = S_ISLNK(link.st_mode); /* everybody may write to a link, says its mode */
    if (linked && link.st_uid != file.st_uid && link.st_uid != 0 && link.st_uid != geteuid())
        problem = arena_printf(a, "%s is a link of another user, who is not trusted",
                               shown_name(a, path));
    else if (!S_ISREG(file.st_mode))
        problem = arena_printf(a, "%s is no file", shown_name(a, path));
    else if (!(problem = distrusted(a, path, &file, owner)) &&
             !(problem = distrusted(a, folder, &around, owner)) && access(path, R_OK) != 0)
        problem = arena_printf(a, "%s may not be read", shown_name(a, path));
    *why = *why ? *why : problem;
    return problem ? NULL : path;
}

/* `folder` ends in a slash. */
static const char *trusted_plugin(Arena *a, const char *folder, uid_t owner, const char **why)
{
    return trusted(a, arena_printf(a, "%s%s", folder, plugin_name), owner, why);
}

const char *run_plugin_path(Arena *a, const char *library, const char *installed, const char **why)
{
    struct stat st;
    const char *slash = library[0] == '/' ? strrchr(library, '/') : NULL, *path;

    if (!slash || stat(library, &st) != 0)
        return NULL;
    const char *folder = arena_strndup(a, library, (size_t)(slash - library) + 1);
    for (int i = 0; i < COUNT(places); i++) {
        if ((path = trusted_plugin(a, arena_printf(a, "%s%s", folder, places[i]), st.st_uid, why)))
            return path;
    }
    return installed ? trusted_plugin(a, installed, 0, why) : NULL;
}

const GenPlugin *run_plugin_or_last(Arena *a, const char *last, const char **why)
{
    const char *chosen = os_env("TILEC_PLUGIN"), *library, *path;

    if (chosen && chosen[0] == '/') {
        const GenPlugin *p = run_plugin_at(a, chosen, why);
        if (!p)
            *why = arena_printf(a, "%s, which TILEC_PLUGIN names", *why);
        return p;
    }
    if (chosen && chosen[0] != '\0') {
        *why = arena_printf(a, "TILEC_PLUGIN is no absolute path: %s", shown_name(a, chosen));
        return NULL;
    }
    *why = NULL;
    library = os_library_file(a);
    path = library ? run_plugin_path(a, library, install_folder, why) : NULL;
    if (!path && last)
        path = trusted(a, last, 0, why);
    if (path)
        return run_plugin_at(a, path, why);
    if (*why)
        return NULL;
    if (!library)
        *why = "this system does not say where the library is; TILEC_PLUGIN says where the code "
               "generator is";
    else
        *why = arena_printf(a,
                            "%s was not found beside %s or in %s%s%s; TILEC_PLUGIN=/path/to/%s, or "
                            "`plugin` of tilec_open_options, says where it is",
                            plugin_name, shown_name(a, library), install_folder,
                            last ? " or as " : "", last ? shown_name(a, last) : "", plugin_name);
    return NULL;
}

const GenPlugin *run_plugin(Arena *a, const char **why)
{
    return run_plugin_or_last(a, NULL, why);
}
