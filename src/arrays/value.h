/*
 * value.h - the language of values: Python's, with arrays
 */
#ifndef TILEC_ARRAYS_VALUE_H
#define TILEC_ARRAYS_VALUE_H

#include "array.h"
#include "../python/python.h"

/* What texts may name besides, as the client of a Store knows it; each may be NULL. */
struct ValueHost {
    tilec_file *(*file)(Client *c); /* whose functions are values; NULL: there is none now */
    /* Where the file is that a text calls so. */
    const char *(*path)(Client *c, const char *path);
    /* The array of a file, in the place of file_load(); `text` is all that stands behind the @, and
     * `label` what messages call it. */
    Array (*load)(Client *c, const FileText *file, const char *label, const char *text);
    /* The value of a placeholder that `text` begins with; gives its length, 0: it is none. */
    size_t (*placeholder)(Client *c, const char *text, Const *out);
    /* Why the kernel's first configuration gives no values; NULL. */
    const char *(*problem)(Client *c, const char *kernel);
};

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
Const value_parse(Store *store, const Names *names, const char *label, const char *text);
/* The same where several with commas between them are meant, or a tuple: gives how many, at most
 * `limit`. */
int value_parse_list(Store *store, const Names *names, const char *label, const char *text,
                     Const *out, int limit);
FileTexts value_files(Store *store, const char *label, const char *text); /* that it would load */
Store *value_store(const Py *p); /* of an evaluation of ours */

/* array_value.c */
Const value_of_array(Store *store, Array a); /* a copy that shares the elements */
const Array *value_array(const Const *v);    /* NULL: it is none */
Const value_of_function(const char *name);   /* of the kernel's file */
const char *value_function(const Const *v);  /* NULL: it is none */

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
    int64_t extents[ARRAY_MAX_DIMS]; /* of a tile */
    bool pads_nan;                   /* outside of the array */
} Tiles;
const Tiles *value_tiles(const Const *v);          /* NULL: it is none */
bool tiles_function(const char *name, Const *out); /* descriptor; false for other names */

/* make.c: functions that make arrays */
int make_count(void);
const char *make_name(int i); /* in the order that messages list them; below make_count() */
bool make_is_function(const char *name);          /* by its whole name */
bool make_function(const char *name, Const *out); /* as a value; false: there is none */

/* range.c: several values of one argument, as texts: 1024..65536*4, or with commas between them */
typedef VEC(const char *) Values;
bool range_has_dots(const char *text);
bool range_is_several(const char *text); /* a range, or values with commas between them */
Values range_expand(Store *store, const char *name, const char *text); /* `name`: for messages */
/* The next of the parts of *text that commas divide outside of brackets and quotes, without the
 * blanks around it; NULL behind the last. */
const char *value_next_part(Arena *a, const char **text);
const char *value_end_of_quotes(const char *s); /* which begin there */

#endif
