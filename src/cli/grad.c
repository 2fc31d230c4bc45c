/*
 * grad.c - `tilec grad`: write the kernel of a kernel's gradients
 */
#include "command.h"

#include <stdio.h>
#include <string.h>

typedef VEC(const char *) Arrays;

/* "x,w" */
static Arrays names_of(Cli *c, const char *text)
{
    Arrays all = {0};

    for (const char *s = text; *s;) {
        size_t n = strcspn(s, ",");
        if (n == 0)
            cli_stop(c, CLI_USAGE, "--wrt %s: a name is missing", text);
        vec_push(c->arena, &all, arena_strndup(c->arena, s, n));
        s += n + (s[n] == ',');
    }
    return all;
}

static void write_source(Cli *c, const Options *o, const char *text)
{
    if (!o->output) {
        fputs(text, stdout);
        return;
    }
    writing_check(&c->client, o->output);
    int problem = os_write_file(o->output, text, strlen(text));
    if (problem)
        cli_stop(c, CLI_FILES, "%s: %s", o->output, strerror(problem));
}

void command_grad(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_GRAD, argc, argv);
    tilec_derived *derived = NULL;
    char *error = NULL;

    if (!o.of || !o.wrt)
        cli_stop(c, CLI_USAGE, "%s is missing: the array %s", o.of ? "--wrt NAME" : "--of NAME",
                 o.of ? "that it is differentiated by" : "that is differentiated");
    Arrays wrt = names_of(c, o.wrt);
    o.launch.on_message = cli_tell;
    o.launch.unspecialised = 1; /* what is derived is for other values, too */
    args_open_kernel(c, &o);
    args_check_name(c, &o, o.of);
    for (int i = 0; i < wrt.len; i++)
        args_check_name(c, &o, wrt.at[i]);
    Arguments a = args_evaluate(c, &o);
    cli_check(c,
              tilec_derive(c->file, o.kernel, o.of, wrt.at, wrt.len, a.args, a.count, &o.launch,
                           &derived, &error),
              &error);
    write_source(c, &o, derived->text);
    tilec_free(derived);
}
