/*
 * table.h - the table of options, for what parses by it (options.c) and what prints it (src/help)
 */
#ifndef TILEC_OPTIONS_TABLE_H
#define TILEC_OPTIONS_TABLE_H

#include "options.h"

/* Of what options and arguments are made. */
typedef struct {
    Client *c;
    const OptionsHost *host;
    Command command;
    Options *o;
    const char *const *words; /* of the command line */
    int nwords;
} Parse;

/* What may stand behind the name of an option, in its word behind `=` or in the next one. */
typedef enum {
    BARE,
    MAY_NAME, /* NAME[,NAME...], behind `=` alone */
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

enum { MOST_HELPS = 8 };
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
    Client *c; /* p's, and so is the next */
    Options *o;
    const Option *option;
    const char *operand; /* NULL: there is none; one that is needed is there, and not empty */
};

/* table.c */
const Option *option_at(int i); /* NULL behind the last */
bool option_is_called(const Option *o, const char *name);
bool option_is_known(const Option *o, int commands); /* to one of them */
/* May it be the operand of an option that has such ones? */
bool option_takes_word(Operand operand, const char *word);

/* options.c, for options that name more of them */
void options_call(const Parse *p, const char *name); /* --call NAME of run and dump */
int options_depth(const Origin *origin); /* how many files are around; 0: the command line */

/* operands.c: the values of options.  Each stops on a text that is none. */
int operand_count(Client *c, const char *option, const char *text);      /* 1 or more */
double operand_seconds(Client *c, const char *option, const char *text); /* more than 0 */
int operand_level(Client *c, const char *option,
                  const char *text);                /* of zlib; NULL: the usual one */
SaveText operand_save(Client *c, const char *text); /* NAME[:TYPE]=FILE */
ShowText operand_show(Client *c, const char *text); /* NAME[=WAY] */
/* [NAME=]WITH[,RTOL[,ATOL]], the last two also as rtol=RTOL and atol=ATOL */
CompareText operand_compare(Client *c, const char *text);
ArgText operand_tune(Client *c, const char *text); /* NAME=VALUES */
/* [FILE.py][:KERNEL] or NAME=VALUE, and more of the latter behind commas */
bool operand_is_word(const char *text); /* `cpu`, `cuda:1`: neither a file nor NAME=VALUE */
AgainstText operand_against(Client *c, const char *text);
tilec_define operand_define(Client *c, const char *text); /* [MODULE.]NAME=VALUE */

#endif
