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
static const char *const places[] = {"", "../", "tilec/", "../lib/tilec/", "../lib/"};

#ifdef TILEC_PLUGIN_FOLDER /* absolute; where `install` puts it */
static const char install_folder[] = TILEC_PLUGIN_FOLDER "/";
#else
static const char install_folder[] = "";
#endif

/* NULL when the plugin may be used, else why not. */
static const char *unfit(const GenPlugin *p)
{
    if (p->abi != GEN_ABI)
        return "it was made for another version of tilec";
    if (!p->build_id || strcmp(p->build_id, run_build_id()) != 0)
        return "it comes from another build of tilec";
    return p->ntargets > 0 ? NULL : "it offers no target";
}

static const GenPlugin *open_plugin(Arena *a, const char *path, const char **why)
{
    const char *error;
    void *lib = os_load_library(path, &error);

    if (!lib) {
        *why = arena_printf(a, "%s", error);
        return NULL;
    }
    const GenPlugin *(*entry)(void) =
        (const GenPlugin *(*)(void))os_library_symbol(lib, "tilec_gen_plugin");
    const GenPlugin *p = entry ? entry() : NULL;
    const char *problem = p ? unfit(p) : "it is not a code generator";
    if (problem)
        *why = arena_printf(a, "%s: %s", path, problem);
    return problem ? NULL : p;
}

/* Loading it runs it, so it must not be that anybody can put one there: the folder above may be
 * everybody's.  Trusted are the system, who runs this, and who owns the library. */
static bool is_trusted(const char *path, uid_t owner)
{
    struct stat st;

    return lstat(path, &st) == 0 &&
           (st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == owner) &&
           access(path, R_OK) == 0;
}

const char *run_plugin_path(Arena *a, const char *folder)
{
    struct stat st;

    if (stat(folder, &st) != 0)
        return NULL;
    for (int i = 0; i < COUNT(places); i++) {
        const char *path = arena_printf(a, "%s/%s%s", folder, places[i], plugin_name);
        if (is_trusted(path, st.st_uid))
            return path;
    }
    return NULL;
}

const GenPlugin *run_plugin(Arena *a, const char **why)
{
    const char *chosen = os_env("TILEC_PLUGIN"), *folder, *path;

    if (chosen && chosen[0] != '\0')
        return open_plugin(a, chosen, why);
    folder = os_library_folder(a);
    path = run_plugin_path(a, folder);
    if (path)
        return open_plugin(a, path, why);
    path = arena_printf(a, "%s%s", install_folder, plugin_name);
    if (install_folder[0] != '\0' && access(path, R_OK) == 0)
        return open_plugin(a, path, why);
    *why = arena_printf(a, "%s was not found in %s or in %s", plugin_name, folder,
                        install_folder[0] != '\0' ? install_folder : "its installation");
    return NULL;
}
