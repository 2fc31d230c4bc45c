/*
 * command.h - what a command line says: options, and values of the kernel's parameters
 */
#ifndef TILEC_CLI_COMMAND_H
#define TILEC_CLI_COMMAND_H

#include "cli.h"
#include "../arrays/value.h"
#include "../batch/batch.h"
#include "../guess/guess.h"
#include "../options/options.h"
#include "../show/show.h"
#include "../tune/tune.h"

/* said.c: options_parse() for this command */
Options cli_options(Cli *c, Command command, int argc, char **argv);

/* args.c: the kernel's file and its arguments */
typedef struct {
    Names names;
    tilec_arg *args;
    int count;
} Arguments;
/* Opens what the Cli does not have open: the library, the file. */
void args_open_file(Cli *c, const Options *o);
NORETURN void args_refuse_kernel(Cli *c, const Options *o); /* the file has none of that name */
/* The same.  Names the kernel, if the user did
 * not. */
void args_open_kernel(Cli *c, Options *o);
/* In the order they were given, so that later ones may use the names of earlier ones; tuples and
 * texts live in the command's arena.  Equal options give equal arrays each time. */
Arguments args_evaluate(Cli *c, const Options *o);
const Named *args_value(const Names *names, const char *name); /* NULL: it has none */
bool args_takes(Cli *c, const Options *o, const char *name);   /* has the kernel that parameter? */
/* Is it `debug` or `sanitize_overflow`, which say what a launch looks for, `enable_fp_fusion`,
 * which says how it rounds, or `maxnreg`, and no parameter? */
bool args_wishes(Cli *c, const Options *o, const char *name);
tilec_arg args_wish(Cli *c, const ArgText *text); /* as an argument; stops where it is no such */
/* Stops when the kernel has no such parameter: misspelt arguments are better found here, where the
 * candidates are known, than in the launch. */
void args_check_name(Cli *c, const Options *o, const char *name);
/* One more argument behind the others: a value of a parameter, or a hint of the launch unless the
 * user gives that. */
void args_add(Cli *c, Options *o, Arguments *a, const tilec_arg *value);
/* One of them: NAME:TYPE, and a value, with `name` for messages. */
tilec_arg args_of_type(Cli *c, const ArgText *t);
tilec_arg args_of_value(Cli *c, const char *name, const Const *v);
/* Names for the parameters that are not given but have a value all the same. */
void args_add_defaults(Cli *c, const Options *o, Arguments *a);

/* values.c */
extern const ValueHost cli_values;

/* examples.c */
extern const ExampleHost cli_examples;

/* configs.c */
/* Why a configuration is not known, on one line: "k.py:5:26: ..."; NULL: it is. */
const char *config_problem(Cli *c, const char *kernel, int i);

/* variant.c: options with other values; the kernel's file is open */
Options variant_of(Cli *c, const Options *o); /* a copy whose arguments may be set */
/* An argument, given or not, or num_warps or num_stages. */
void variant_set(Cli *c, Options *o, const char *name, const char *text);
bool variant_gives(const Options *o, const char *name);   /* an argument of that name */
bool variant_takes(Cli *c, Options *o, const char *name); /* may it be set? */
/* What does not depend on the changed names has the value that is given, the same array. */
void variant_share(Cli *c, Options *o, const Values *changed, const Names *given);

#endif
