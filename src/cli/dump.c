/*
 * dump.c - `tilec dump`: print a kernel at one stage of its compilation
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const char *const stages[] = {"ast", "ir", "opt", "plan", "llvm", "asm"};

static void check_stage(Cli *c, const char *stage)
{
    if (!stage)
        stop(c, CLI_USAGE, "which stage? --stage ast, ir, opt, plan, llvm or asm is missing");
    for (int i = 0; i < COUNT(stages); i++)
        if (strcmp(stages[i], stage) == 0)
            return;
    stop(c, CLI_USAGE, "there is no stage '%s'%s", stage,
         hint_text(c->arena, stage, stages, COUNT(stages)));
}

void command_dump(Cli *c, int argc, char **argv)
{
    Options o = options_parse(c, COMMAND_DUMP, argc, argv);
    char *text = NULL, *error = NULL;
    Arguments a;

    check_stage(c, o.stage);
    o.launch.on_message = tell;
    args_open_kernel(c, &o);
    a = args_evaluate(c, &o);
    check(c, tilec_dump(c->file, o.kernel, o.stage, a.args, a.count, &o.launch, &text, &error),
          &error);
    fputs(text, stdout);
    tilec_free(text);
}
