/*
 * device.c - the device "cuda": NVIDIA's GPUs, through their driver
 *
 * Its code comes from the target "nv" as PTX (docs/gpu.md).  assemble.c makes a chip's own code of
 * it, which is what the cache keeps; module.c loads that where launch.c needs it; arrays.c is the
 * memory, context.c says in whose name all of it happens, driver.h what it stands on.
 */
#include "device_cuda.h"

static const char default_arch[] = "sm_80"; /* to look at code where there is no GPU */

static const char *describe_cuda(void)
{
    return cuda_count() > 0 ? cuda_unit(0)->name : "NVIDIA GPUs";
}

static int threads_of_cuda(void)
{
    return cuda_count() > 0 ? cuda_unit(0)->about.processors : 0;
}

static GenOptions options_for_cuda(const LaunchFacts *facts)
{
    return (GenOptions){.cpu = facts->arch ? facts->arch : default_arch,
                        .features = "",
                        .disjoint = facts->disjoint,
                        .lines = facts->lines,
                        .spans = facts->spans,
                        .clocks = facts->lines && cuda_is_profiled()};
}

const Device cuda_device = {
    .name = "cuda",
    .target_name = "nv",
    .schedules = true,
    .has_archs = true,
    .has_counters = true,
    .most_y_and_z = 65535,
    .memory = MEMORY_DEVICE,
    .has_streams = true,
    .arrays = &cuda_arrays,
    .describe = describe_cuda,
    .missing = cuda_missing,
    .threads = threads_of_cuda,
    .open = cuda_open,
    .close = cuda_close,
    .options = options_for_cuda,
    .expect = cuda_expect,
    .abandon = cuda_abandon,
    .assemble = cuda_assemble,
    .assembler = cuda_label,
    .texts = GEN_HAS(SASS),
    .show = cuda_show,
    .load = cuda_load,
    .unload = cuda_unload,
    .profile_start = cuda_profile_start,
    .profile_pause = cuda_profile_pause,
    .profile_stop = cuda_profile_stop,
    .facts = cuda_facts,
    .launch = cuda_launch,
    .hear = cuda_async_hear,
};
