/*
 * tuned.c - which configuration of @triton.autotune was fastest, as --tune, or another program on
 * this machine, has found
 */
#include "call.h"

/* Does the user say something of what configurations give? */
static bool is_chosen(const Call *k)
{
    const Options *o = &k->options;
    tilec_config config;

    if (tilec_config_info(k->cli->file, o->kernel, 0, &config) != TILEC_OK)
        return true;
    for (int i = 0; i < config.nvalues; i++) {
        if (variant_gives(o, config.values[i].name))
            return true;
    }
    return false;
}

void tuned_use(Call *k)
{
    Cli *c = k->cli;
    const tilec_tune_options options = {.device_id = k->options.device_id};
    tilec_choice choice;

    if (!k->options.uses_tuned || tilec_config_count(c->file, k->options.kernel) < 2 ||
        is_chosen(k) ||
        tilec_tuned(c->file, k->options.kernel, k->args.args, k->args.count, &k->options.launch,
                    &options, &choice, NULL) != TILEC_OK)
        return;
    for (int i = 0; i < choice.config.nvalues; i++) {
        if (variant_takes(c, &k->options, choice.config.values[i].name))
            args_add(c, &k->options, &k->args, &choice.config.values[i]);
    }
    k->timing.tuned = config_text(c->arena, &choice.config);
    if (!k->silent)
        terminal_say("tilec: tuned: %s, which --tune has found on this machine\n", k->timing.tuned);
}
