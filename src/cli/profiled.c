/*
 * profiled.c - may --profile measure what runs on this device?
 */
#include "call.h"

#include <string.h>

static const char *profiled_device(const Options *o)
{
    return o->launch.device ? o->launch.device : "cpu";
}

bool profiled_is_on(const Options *o, const char *device)
{
    return strcmp(profiled_device(o), device) == 0;
}

void profiled_check(Cli *c, const Options *o)
{
    static const struct {
        const char *device, *instead;
    } others[] = {
        {"sim", "--count says what each line does there"},
        {"cuda",
         "--time measures the kernel there; --device sim --count counts what each line does "
         "on such a GPU, and ncu of the CUDA toolkit, with --debug, measures it"}};
    const char *device = profiled_device(o), *hint = "";

    if (profiled_is_on(o, "cpu") || profiled_is_on(o, "interp"))
        return;
    for (int i = 0; i < COUNT(others); i++) {
        if (strcmp(device, others[i].device) == 0)
            hint = arena_printf(c->arena, "\nhint: %s", others[i].instead);
    }
    cli_stop(
        c, CLI_USAGE,
        "--profile measures what runs on the CPU, by 'cpu' and 'interp', not on the device '%s'%s",
        device, hint);
}
