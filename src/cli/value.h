/*
 * value.h - the language of values: Python's, with arrays
 */
#ifndef TILEC_CLI_VALUE_H
#define TILEC_CLI_VALUE_H

#include "array.h"
#include "../python/python.h"

/* value.c: the language of NAME=VALUE and --grid; values are Python's, and objects of ours */
typedef struct {
    const char *name;
    Const value;
    int random_arrays; /* of the command, behind it */
} Named;
typedef struct {
    Named *at;
    int len, cap;
    const char *const *later; /* names of arguments that have no value yet; NULL behind them */
    const char *kernel;       /* all of whose parameters with a value are among them; NULL: none */
} Names;                      /* earlier arguments, oldest first */

/* All of `text` as one expression; `label` ("n", "--grid") is what messages call it. */
Const value_parse(Cli *c, const Names *names, const char *label, const char *text);
/* The same where several with commas between them are meant, or a tuple: gives how many, at most
 * `limit`. */
int value_parse_list(Cli *c, const Names *names, const char *label, const char *text, Const *out,
                     int limit);
FileTexts value_files(Cli *c, const char *label, const char *text); /* that it would load */
Cli *value_cli(const Py *p);                                        /* of an evaluation of ours */

/* array_value.c */
Const value_of_array(Cli *c, Array a);      /* a copy that shares the elements */
const Array *value_array(const Const *v);   /* NULL: it is none */
Const value_of_function(const char *name);  /* of the kernel's file */
const char *value_function(const Const *v); /* NULL: it is none */

/* array_math.c: as PyClass has them; at least one side is an array */
bool array_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out);
bool array_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out); /* `x` is the array */
/* Gives an array of i1; with what is no number, `==` is False. */
bool array_compare(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out);

/* array_reduce.c */
/* The method x.sum and so on, as it can be called; false: there is none of that name. */
bool array_reduction(Py *p, const Array *a, const char *name, Const *out);
/* sum(x), as PyClass has it: of an array of one dimension, by one of these names. */
bool array_reduce(Py *p, const Const *self, const char *name, Span at, Const *out);

/* tiles.c: descriptors of arrays */
typedef struct {
    Array array;
    int64_t extents[CLI_MAX_DIMS]; /* of a tile */
    bool pads_nan;                 /* outside of the array */
} Tiles;
const Tiles *value_tiles(const Const *v);          /* NULL: it is none */
bool tiles_function(const char *name, Const *out); /* descriptor; false for other names */

/* make.c: functions that make arrays */
int make_count(void);
const char *make_name(int i); /* in the order that messages list them; below make_count() */
bool make_is_function(const char *name);          /* by its whole name */
bool make_function(const char *name, Const *out); /* as a value; false: there is none */

/* files.c: of the files of --each */
typedef struct EachGroup EachGroup;
Array each_load(Cli *c, const FileText *text); /* an array for c->each */
/* The value of a placeholder that `text` begins with; gives its length, 0: it is none. */
size_t each_value(Cli *c, const char *text, Const *out);

#endif
