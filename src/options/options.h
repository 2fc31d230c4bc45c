/*
 * options.h - what a command line says, as data: options, arguments, the files and the calls in
 * comments of kernels that say more of it
 *
 * table.c has every option, options.c parses by it, operands.c reads values, items.c and calls.c
 * files and comments.  Nothing is evaluated here: arguments stay texts.
 */
#ifndef TILEC_OPTIONS_OPTIONS_H
#define TILEC_OPTIONS_OPTIONS_H

#include "../batch/batch.h"

/* items.c: the words of a command line in files */
typedef struct {
    const char *words[2]; /* an option and its value, or one word */
    int n, line;
} Item;
typedef VEC(Item) Items;
Items items_of_file(Client *c, const char *path); /* in their order; stops when it is no text */
void items_of_line(Client *c, const char *text, int line, Items *out); /* adds them to `out` */

/* calls.c: calls that a kernel's file names in comments, `# tilec: call NAME ...` */
typedef struct NamedCalls NamedCalls;
typedef struct {
    const char *path, *name;
    const NamedCalls *among; /* all of its file */
    const char *kernel;      /* NULL: the file has none */
    const char *problem;     /* why it cannot be made; NULL */
    int line;
    Items items;
} NamedCall;
struct NamedCalls {
    NamedCall *at;
    int len, cap;
};
const NamedCalls *calls_of_file(Client *c, const char *path);
void calls_check(Client *c, const NamedCall *call);           /* stops on one with a problem */
bool calls_is_named(const NamedCall *call, const char *name); /* NAME or KERNEL:NAME */
/* That of the kernel, else the only one of that name; stops without one, and where several kernels
 * have one. */
const NamedCall *calls_find(Client *c, const NamedCalls *all, const char *path, const char *kernel,
                            const char *name);

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
enum { MOST_OPTIONS = 64 };
typedef struct {
    const char *name; /* or an expression: x[0] */
    int way;          /* a ShowWay */
} ShowText;
typedef struct {
    const char *file, *kernel; /* kernel NULL = the only one */
    const NamedCalls *known;   /* calls of the file; NULL: nobody has asked for one */
    VEC(const char *) files;   /* of test: all of them, as they are written */
    VEC(const char *) calls;   /* of test: the only ones that it makes */
    const char *devices;       /* all that --device says, with commas between */
    const char *grid, *stage, *trace, *repro;
    const char *lines; /* of dump: "7-9"; NULL: all */
    bool places;       /* of dump: ops name their lines */
    tilec_launch_options launch;
    int device_id; /* behind a colon of --device */
    bool time, json, count, profile;
    int compress;   /* zlib's level for what --save writes; 0: the fastest files */
    double timeout; /* seconds that a launch may take; 0: any */
    int runs;       /* 0 = as many as fit in `seconds` */
    double seconds; /* of timed runs; 0: one */
    bool sweep, csv;
    const char *plot;                /* NULL: none */
    bool tune, tune_alone;           /* without a list, at least once */
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
    VEC(const char *) scripts; /* of debug */
    bool dap;                  /* of debug: no file, but an editor */
    bool text;                 /* of report: in the terminal */
    bool ptxas;                /* of report: ask it */
    /* of grad: names with commas between; atomics: "" for all of wrt */
    const char *of, *wrt, *atomics;
    VEC(const char *) rounds; /* of grad: NAME=N */
    VEC(const char *) variants;
} Options;
typedef enum {
    COMMAND_RUN = 1,
    COMMAND_DUMP = 2,
    COMMAND_DEVICES = 4,
    COMMAND_TEST = 8,
    COMMAND_LIST = 16,
    COMMAND_BUILD = 32,
    COMMAND_GRAD = 64,
    COMMAND_DEBUG = 128,
    COMMAND_REPORT = 256,
    COMMAND_ALL = 511
} Command;

/* table.c: may `word` be the value of the option of that name?  True where there is none. */
bool option_takes(const char *name, const char *word);

/* What some options say at once, to whoever reads them; each may be NULL. */
typedef struct {
    void (*json)(Client *c);
    void (*quiet)(Client *c);
    bool (*color)(const char *when); /* false: it is not known */
} OptionsHost;

/* options.c */
bool options_typed(const Options *o, const char *name); /* on the command line itself, not a file */
/* argv behind the command's name.  What the command line says goes before what files say that it
 * names, and these before those that they name. */
Options options_parse(Client *c, const OptionsHost *host, Command command, int argc, char **argv);
/* Add what a call says that stands in a file named by the command line. */
void options_add_call(Client *c, Command command, Options *o, const NamedCall *call);
/* Of the words of `tilec test` what `tilec run` does a call of theirs with, for a shell, each with
 * a blank in front: all but files, calls, devices, and how it tells. */
const char *options_again(Client *c, int argc, char **argv);

/* operands.c */
/* FILE.py[:KERNEL]: gives the file; *kernel is NULL without one. */
const char *operand_file(Client *c, const char *word, const char **kernel);
/* NAME[:N]; of several with commas between them the first. */
void operand_device(Client *c, Options *o, const char *list);

/* table.c */
const char *option_full_name(const char *name); /* `--debug` of `-g`; NULL: there is none */

#endif
