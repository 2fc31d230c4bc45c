/*
 * options.h - the table of options, for what parses by it (options.c) and what prints it (help.c)
 */
#ifndef TILEC_CLI_OPTIONS_H
#define TILEC_CLI_OPTIONS_H

#include "command.h"

/* Of what options and arguments are made. */
typedef struct {
    Cli *c;
    Command command;
    Options *o;
    const char *const *words; /* of the command line */
    int nwords;
} Parse;

/* What may stand behind the name of an option, in its word behind `=` or in the next one. */
typedef enum {
    BARE,
    MAY_HAVE, /* a number */
    MAY_LIST, /* NAME=VALUES */
    NEEDS
} Operand;

/* What help says of an option to some commands, which know it. */
typedef struct {
    int commands;
    const char *value; /* what it calls the operand; NULL: there is none, or nothing to be said */
    const char *text;  /* for people; NULL: as for run */
} OptionHelp;

enum { MOST_HELPS = 6 };
typedef struct Given Given;
typedef struct {
    const char *name, *other; /* and another name; NULL */
    Operand operand;
    bool once;                   /* two of them would contradict each other */
    void (*set)(const Given *g); /* NULL: a word that is no option, but is explained among them */
    size_t at;                   /* of the field of Options that it sets, if it is one alone */
    OptionHelp help[MOST_HELPS];
} Option;

/* An option of a command line, for the function that puts it to `o`. */
struct Given {
    const Parse *p;
    Cli *c; /* p's, and so is the next */
    Options *o;
    const Option *option;
    const char *operand; /* NULL: there is none; one that is needed is there, and not empty */
};

/* option_table.c */
const Option *option_at(int i); /* NULL behind the last */
bool option_is_called(const Option *o, const char *name);
bool option_is_known(const Option *o, int commands); /* to one of them */
/* May it be the operand of an option that has such ones? */
bool option_takes_word(Operand operand, const char *word);

/* options.c, for options that name more of them */
void options_call(const Parse *p, const char *name); /* --call NAME of run and dump */
int options_depth(const Origin *origin); /* how many files are around; 0: the command line */

#endif
