/*
 * grad.c - `tilec grad`: write the kernel of a kernel's gradients, or with --check prove it
 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

/* "x,w", behind that option */
static GradNames names_of(Cli *c, const char *option, const char *text)
{
    GradNames all = {0};

    for (const char *s = text; *s;) {
        size_t n = strcspn(s, ",");
        if (n == 0)
            cli_stop(c, CLI_USAGE, "%s %s: a name is missing", option, text);
        vec_push(c->arena, &all, arena_strndup(c->arena, s, n));
        s += n + (s[n] == ',');
    }
    return all;
}

/* What is written: the kernel, or who adds to what. */
static const char *wanted_of(const Options *o, const tilec_derived *derived)
{
    return o->stage ? derived->accesses : derived->text;
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

static int number_of(Cli *c, const GradNames *wrt, const char *name)
{
    for (int i = 0; i < wrt->len; i++) {
        if (strcmp(wrt->at[i], name) == 0)
            return i;
    }
    cli_stop(c, CLI_USAGE, "--atomics=%s: the array is not among those of --wrt", name);
}

/* As tilec_launch_options has it. */
static int atomics_of(Cli *c, const char *text, const GradNames *wrt)
{
    int bits = 0;

    if (!text)
        return 0;
    if (!text[0])
        return TILEC_ATOMICS_OF_ALL;
    GradNames names = names_of(c, "--atomics", text);
    for (int i = 0; i < names.len; i++)
        bits |= TILEC_ATOMICS_OF(number_of(c, wrt, names.at[i]));
    return bits;
}

const tilec_derived *grad_derived(Cli *c, const Options *o, const GradNames *wrt,
                                  const Arguments *a)
{
    tilec_launch_options options = o->launch;
    tilec_derived *out = NULL;
    char *error = NULL;

    options.atomics |= atomics_of(c, o->atomics, wrt);
    options.on_message = cli_tell;
    options.unspecialised = 1; /* what is derived is for other values, too */
    options.check = 0;
    cli_check(c,
              tilec_derive(c->file, o->kernel, o->of, wrt->at, wrt->len, a->args, a->count,
                           &options, &out, &error),
              &error);
    return out;
}

/* What only runs of the kernels need. */
static void refuse_idle(Cli *c, const Options *o)
{
    static const char *const names[] = {"--grid",    "--device",  "--json",
                                        "--threads", "--timeout", "--rounds"};

    for (int i = 0; i < COUNT(names); i++) {
        if (!o->launch.check && options_typed(o, names[i]))
            cli_stop(c, CLI_USAGE, "%s is for --check, which runs the kernels", names[i]);
    }
}

void command_grad(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_GRAD, argc, argv);

    if (!o.of || !o.wrt)
        cli_stop(c, CLI_USAGE, "%s is missing: the array %s", o.of ? "--wrt NAME" : "--of NAME",
                 o.of ? "that it is differentiated by" : "that is differentiated");
    refuse_idle(c, &o);
    if (o.stage && strcmp(o.stage, "grad") != 0)
        cli_stop(c, CLI_USAGE,
                 "grad has one stage, --stage grad: `tilec dump --stage %s` has others", o.stage);
    GradNames wrt = names_of(c, "--wrt", o.wrt);
    args_open_kernel(c, &o);
    args_check_name(c, &o, o.of);
    for (int i = 0; i < wrt.len; i++)
        args_check_name(c, &o, wrt.at[i]);
    if (o.launch.check) {
        const tilec_derived *derived = proof_run(c, &o, &wrt);
        if (o.output)
            write_source(c, &o, wanted_of(&o, derived));
    } else {
        Arguments a = args_evaluate(c, &o);
        write_source(c, &o, wanted_of(&o, grad_derived(c, &o, &wrt, &a)));
    }
}
