/*
 * dump.c - `tilec dump`: print a kernel at one stage of its compilation
 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

typedef VEC(const char *) Stages;

static NORETURN void ask_for_stage(Cli *c, const Stages *stages)
{
    Text all = text_new(c->arena);

    for (int i = 0; i < stages->len; i++)
        text_printf(&all, "%s%s", i == 0 ? "" : i < stages->len - 1 ? ", " : " or ", stages->at[i]);
    cli_stop(c, CLI_USAGE, "which stage? --stage %s is missing", all.s);
}

static void check_stage(Cli *c, const char *stage)
{
    Stages stages = {0};

    for (const char *name; (name = tilec_stage_name(stages.len)) != NULL;) {
        if (stage && strcmp(name, stage) == 0)
            return;
        vec_push(c->arena, &stages, name);
    }
    if (!stage)
        ask_for_stage(c, &stages);
    cli_stop(c, CLI_USAGE, "there is no stage '%s'%s", stage,
             hint_text(c->arena, stage, stages.at, stages.len));
}

/* The stage as the library takes it: "asm:7-9", "ir:places". */
static void take_lines(Cli *c, Options *o)
{
    const char *rest = o->lines;

    if (rest && o->places)
        cli_stop(c, CLI_USAGE, "--line takes a part of a stage, which --places shows as a whole");
    if (o->places)
        o->stage = arena_printf(c->arena, "%s:places", o->stage);
    if (!rest)
        return;
    rest += strspn(rest, "0123456789");
    rest += *rest == '-' && rest > o->lines ? 1 + strspn(rest + 1, "0123456789") : 0;
    if (*rest || rest == o->lines)
        cli_stop(c, CLI_USAGE, "--line %s: it takes a line of the file, 7, or some, 7-9", o->lines);
    o->stage = arena_printf(c->arena, "%s:%s", o->stage, o->lines);
}

/* --device cuda:1 shows what that one runs. */
static void take_arch(Cli *c, Options *o)
{
    tilec_unit unit;

    if (!o->launch.device || o->launch.arch || o->device_id == 0)
        return;
    if (tilec_unit_info(c->tilec, o->launch.device, o->device_id, &unit) != TILEC_OK)
        cli_stop(c, CLI_USAGE, "--device %s:%d: there is none of that number", o->launch.device,
                 o->device_id);
    o->launch.arch = unit.arch;
}

static void print_json(Cli *c, const Options *o, const char *text)
{
    Text t = text_new(c->arena);

    json_object(&t, NULL);
    json_text(&t, "kernel", o->kernel);
    json_text(&t, "stage", o->stage);
    json_text(&t, "text", text);
    json_object_end(&t);
    puts(t.s);
}

/* The kernel at the stage; of several devices, as calls may name, for the first one that has it.
 * Gives what the first of them says where none has. */
static tilec_status dump_stage(Cli *c, Options *o, const Arguments *a, char **text, char **error)
{
    const char *rest = o->devices, *device;
    tilec_status first =
        tilec_dump(c->file, o->kernel, o->stage, a->args, a->count, &o->launch, text, error);

    if (first != TILEC_BAD_ARGUMENT || !rest)
        return first;
    value_next_part(c->arena, &rest);
    while ((device = value_next_part(c->arena, &rest)) != NULL) {
        tilec_launch_options launch = o->launch;
        char *again = NULL;

        launch.device = arena_strndup(c->arena, device, strcspn(device, ":"));
        if (tilec_dump(c->file, o->kernel, o->stage, a->args, a->count, &launch, text, &again) ==
            TILEC_OK) {
            tilec_free(*error);
            return TILEC_OK;
        }
        tilec_free(again);
    }
    return first;
}

void command_dump(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_DUMP, argc, argv);
    char *text = NULL, *error = NULL;
    Arguments a;

    check_stage(c, o.stage);
    take_lines(c, &o);
    o.launch.on_message = cli_tell;
    args_open_kernel(c, &o);
    take_arch(c, &o);
    a = args_evaluate(c, &o);
    cli_check(c, dump_stage(c, &o, &a, &text, &error), &error);
    if (o.json)
        print_json(c, &o, text);
    else
        fputs(text, stdout);
    tilec_free(text);
}
