/*
 * command.h - what a command line says, and the files that it names: words, options, the arguments
 * of a call
 */
#ifndef TILEC_CLI_COMMAND_H
#define TILEC_CLI_COMMAND_H

#include "cli.h"
#include "../arrays/value.h"
#include "../batch/batch.h"
#include "../guess/guess.h"
#include "../show/show.h"
#include "../syntax/lex.h"
#include "../tune/tune.h"

/* items.c: the words of a command line in files */
typedef struct {
    const char *words[2]; /* an option and its value, or one word */
    int n, line;
} Item;
typedef VEC(Item) Items;
Items items_of_file(Cli *c, const char *path); /* in their order; stops when it is no text */
void items_of_line(Cli *c, const char *text, int line, Items *out); /* adds them to `out` */

/* calls.c: calls that a kernel's file names in comments, `# tilec: call NAME ...` */
typedef struct {
    const char *path, *name;
    const char *kernel;  /* NULL: the file has none */
    const char *problem; /* why it cannot be made; NULL */
    int line;
    Items items;
} NamedCall;
typedef VEC(NamedCall) NamedCalls;
NamedCalls calls_of_file(Cli *c, const char *path);
void calls_check(Cli *c, const NamedCall *call);              /* stops on one with a problem */
bool calls_is_named(const NamedCall *call, const char *name); /* NAME or KERNEL:NAME */
/* That of the kernel, else the only one of that name; stops without one, and where several kernels
 * have one. */
const NamedCall *calls_find(Cli *c, const char *path, const char *kernel, const char *name);

/* What options say. */
typedef struct {
    const char *name, *text;
    bool is_type;       /* NAME:TYPE */
    bool may_lack;      /* a kernel without such a parameter is launched without it */
    const Named *value; /* NULL, or what stands for the text */
    const Origin *origin;
} ArgText;
typedef struct {
    const char *name, *with; /* NULL: every array; a value or a device */
    const char *rtol, *atol; /* expressions; NULL: not given */
    const Origin *origin;
} CompareText;
typedef struct {
    const char *text, *file, *kernel; /* NULL: the same */
    VEC(ArgText) values;              /* that are other ones */
    const Origin *origin;
} AgainstText;
enum { MOST_OPTIONS = 48 };
typedef struct {
    const char *name; /* or an expression: x[0] */
    int way;          /* a ShowWay */
} ShowText;
typedef struct {
    const char *file, *kernel; /* kernel NULL = the only one */
    VEC(const char *) files;   /* of test: all of them, as they are written */
    VEC(const char *) calls;   /* of test: the only ones that it makes */
    const char *devices;       /* all that --device says, with commas between */
    const char *grid, *stage, *trace;
    const char *lines; /* of dump: "7-9"; NULL: all */
    tilec_launch_options launch;
    int device_id; /* behind a colon of --device */
    bool time, json, count, profile;
    int compress;   /* zlib's level for what --save writes; 0: the fastest files */
    double timeout; /* seconds that a launch may take; 0: any */
    int runs;       /* 0 = as many as fit in `seconds` */
    double seconds; /* of timed runs; 0: one */
    bool sweep, csv;
    const char *plot; /* NULL: none */
    bool tune;
    AgainstText against;             /* its text is NULL: it was not given */
    VEC(ArgText) tunes;              /* what it tries; none: what @triton.autotune says */
    bool uses_tuned;                 /* what an earlier one found */
    signed char given[MOST_OPTIONS]; /* 1 more than the depth of its origin; 0: not at all */
    const Origin *grid_origin;
    VEC(ArgText) args;
    Saves saves;
    VEC(CompareText) compares;
    VEC(ShowText) shows;
    VEC(const char *) paths;
    VEC(tilec_define) defines;
    EachPaths eaches; /* patterns of names; none: one call */
    int batch;        /* files a call; 0: each has one of its own */
    bool quiet;
    bool skip_existing; /* of these files those whose outputs are there */
    /* of build: */
    const char *output, *header, *symbol, *cpus; /* cpus: names with commas between */
    bool disjoint, exported;
    VEC(const char *) variants;
} Options;
typedef enum {
    COMMAND_RUN = 1,
    COMMAND_DUMP = 2,
    COMMAND_DEVICES = 4,
    COMMAND_TEST = 8,
    COMMAND_LIST = 16,
    COMMAND_BUILD = 32,
    COMMAND_ALL = 63
} Command;

/* option_table.c: may `word` be the value of the option of that name?  True where there is none. */
bool option_takes(const char *name, const char *word);

/* options.c */
bool options_typed(const Options *o, const char *name); /* on the command line itself, not a file */
/* argv behind the command's name.  What the command line says goes before what files say that it
 * names, and these before those that they name. */
Options options_parse(Cli *c, Command command, int argc, char **argv);
/* Add what a call says that stands in a file named by the command line. */
void options_add_call(Cli *c, Command command, Options *o, const NamedCall *call);
/* Of the words of `tilec test` what `tilec run` does a call of theirs with, for a shell, each with
 * a blank in front: all but files, calls, devices, and how it tells. */
const char *options_again(Cli *c, int argc, char **argv);

/* operands.c: the values of options.  Each stops on a text that is none. */
/* FILE.py[:KERNEL]: gives the file; *kernel is NULL without one. */
const char *operand_file(Cli *c, const char *word, const char **kernel);
/* NAME[:N]; of several with commas between them the first. */
void operand_device(Cli *c, Options *o, const char *list);
int operand_count(Cli *c, const char *option, const char *text);      /* 1 or more */
double operand_seconds(Cli *c, const char *option, const char *text); /* more than 0 */
int operand_level(Cli *c, const char *option, const char *text); /* of zlib; NULL: the usual one */
SaveText operand_save(Cli *c, const char *text);                 /* NAME[:TYPE]=FILE */
ShowText operand_show(Cli *c, const char *text);                 /* NAME[=WAY] */
/* [NAME=]WITH[,RTOL[,ATOL]], the last two also as rtol=RTOL and atol=ATOL */
CompareText operand_compare(Cli *c, const char *text);
ArgText operand_tune(Cli *c, const char *text); /* NAME=VALUES */
/* [FILE.py][:KERNEL] or NAME=VALUE, and more of the latter behind commas */
AgainstText operand_against(Cli *c, const char *text);
tilec_define operand_define(Cli *c, const char *text); /* [MODULE.]NAME=VALUE */

/* help.c */
void help_brief(FILE *to);                  /* the commands, a line each: what `tilec` alone says */
void help_print(Command command, FILE *to); /* COMMAND_ALL: the options of all */

/* topics.c: what docs/ say of a topic, an option or a function */
void topics_list(FILE *to);                    /* a line each */
void topics_name(FILE *to);                    /* only their names */
bool topics_print(const char *name, FILE *to); /* false: there is none of that name */
NORETURN void topics_refuse(Cli *c, const char *name);

/* args.c: the kernel's file and its arguments */
typedef struct {
    Names names;
    tilec_arg *args;
    int count;
} Arguments;
/* Opens what the Cli does not have open: the library, the file. */
void args_open_file(Cli *c, const Options *o);
/* The same.  Names the kernel, if the user did
 * not. */
void args_open_kernel(Cli *c, Options *o);
/* In the order they were given, so that later ones may use the names of earlier ones; tuples and
 * texts live in the command's arena.  Equal options give equal arrays each time. */
Arguments args_evaluate(Cli *c, const Options *o);
const Named *args_value(const Names *names, const char *name); /* NULL: it has none */
bool args_takes(Cli *c, const Options *o, const char *name);   /* has the kernel that parameter? */
/* Is it `debug` or `sanitize_overflow`, which say what a launch looks for, and no parameter? */
bool args_wishes(Cli *c, const Options *o, const char *name);
tilec_arg args_wish(Cli *c, const ArgText *text); /* as an argument; stops where it is no bool */
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

/* run.c, dump.c, devices.c, test.c, list.c: each prints its result on stdout */
void command_run(Cli *c, int argc, char **argv); /* files are written before times are taken */
/* `argv` behind the command's name, as for all three. */
void command_dump(Cli *c, int argc, char **argv);
void command_build(Cli *c, int argc, char **argv);   /* writes two files */
void command_devices(Cli *c, int argc, char **argv); /* works without a kernel's file */
void command_list(Cli *c, int argc, char **argv);
void command_test(Cli *c, int argc, char **argv); /* the exit code is 1 when a call fails */

#endif
