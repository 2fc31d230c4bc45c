/*
 * help.h - what `tilec` alone, `tilec COMMAND --help` and `tilec help NAME` say
 */
#ifndef TILEC_HELP_HELP_H
#define TILEC_HELP_HELP_H

#include <stdio.h>

#include "../options/options.h"

/* usage.c */
void help_brief(FILE *to);                  /* the commands, a line each: what `tilec` alone says */
void help_print(Command command, FILE *to); /* COMMAND_ALL: the options of all */

/* topics.c: what docs/ say of a topic, an option or a function */
void topics_list(FILE *to);                    /* a line each */
void topics_name(FILE *to);                    /* only their names */
bool topics_print(const char *name, FILE *to); /* false: there is none of that name */
const char *topics_text(const char *name);     /* of a topic alone; NULL: there is none */
const char *topics_missing(Arena *arena, const char *name); /* which it may have been: a sentence */

#endif
