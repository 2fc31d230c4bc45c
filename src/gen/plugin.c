/*
 * plugin.c - the face of tilec-llvm.so towards the core; see gen.h
 */
#include "build_id.h" /* made by src/run/CMakeLists.txt */
#include "cpu.h"

#include <llvm-c/Target.h>

extern const Target cpu_target; /* cpu.c */

__attribute__((visibility("default"))) const GenPlugin *tilec_gen_plugin(void)
{
    static const Target *const targets[] = {&cpu_target};
    static const GenPlugin plugin = {
        .abi = GEN_ABI,
        .build_id = TILEC_BUILD_ID,
        .llvm_version = TILEC_LLVM_VERSION,
        .targets = targets,
        .ntargets = COUNT(targets),
    };
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    return &plugin;
}
