/*
 * plugin.c - the face of tilec-llvm.so towards the core; see gen.h
 */
#include "build_id.h" /* made by src/run/CMakeLists.txt */
#include "../gen/emit.h"

#include <llvm-c/ErrorHandling.h>
#include <pthread.h>

/* LLVM cannot go on, and has no way back to us: without this it would call exit(). */
static void stop(const char *reason)
{
    bug("LLVM: %s", reason);
}

/* The table: one row a target. */
static const Target *const targets[] = {&cpu_target, &nv_target};

static void start_llvm(void)
{
    LLVMInstallFatalErrorHandler(stop);
    for (int i = 0; i < COUNT(targets); i++) {
        if (targets[i]->start)
            targets[i]->start();
    }
}

/* Several threads may ask at once, and LLVM's list of targets has no lock. */
__attribute__((visibility("default"))) const GenPlugin *tilec_gen_plugin(void)
{
    static const GenPlugin plugin = {
        .abi = GEN_ABI,
        .build_id = TILEC_BUILD_ID,
        .targets = targets,
        .ntargets = COUNT(targets),
    };
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start_llvm);
    return &plugin;
}
