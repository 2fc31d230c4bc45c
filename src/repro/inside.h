/*
 * inside.h - what the files of src/repro/ share
 *
 *   uses.c   what a kernel uses, and what that uses
 *   cut.c    these as text, each called by a name of its own
 *   data.c   arrays as words that make them again
 *   write.c  the file
 */
#ifndef TILEC_REPRO_INSIDE_H
#define TILEC_REPRO_INSIDE_H

#include "repro.h"
#include "../names/file_python.h"

/* --- uses.c --- */

typedef enum {
    PART_FUNCTION,
    PART_CLASS,
    PART_GLOBAL, /* an assignment outside of kernels */
    PART_VALUE,  /* the same, of which the host says the value */
    PART_IMPORT  /* of the language or a library */
} PartKind;
typedef struct Part Part;

/* A place in a part's text that means another one. */
typedef struct {
    Span span;
    Part *means;
} Use;
struct Part {
    PartKind kind;
    const FrontFile *file;
    const AstFunc *fn;
    const AstClass *class;
    const AstGlobal *global;
    Const value;       /* of a global that has one, and of PART_VALUE */
    bool has_value;    /* else a global is what its text says */
    bool is_constexpr; /* PART_VALUE: to the host */
    const char *full;  /* of an import: "triton.language" */
    Sym wish;          /* what it is called where it was met first */
    Sym name;          /* and in the file that is written; set by cut_name() */
    VEC(Use) uses;
    Map *own; /* names that are its own locals */
    bool is_written;
};
typedef VEC(Part *) Parts;
typedef struct {
    Arena *arena;
    Interner *interner;
    Diags *diags;
    const FrontFile *file; /* that was loaded */
    Parts parts;           /* in the order in which they were met */
    Map *known;            /* from what a part is of to the part */
    bool failed;           /* and that is said */
    PartKind last;         /* that was written */
} Uses;
/* A function of the file, by its name there, and all that it needs; NULL: there is none. */
Part *uses_add_function(Uses *u, const char *name);
Part *uses_add_import(Uses *u, const char *full, Sym wish);

/* --- cut.c --- */

void cut_name(Uses *u);           /* give each part a name */
void cut_put(Uses *u, Text *out); /* imports, then all others, each behind what it needs */
/* A value as both languages write it; false: it is none that has such a text. */
bool cut_literal(const Uses *u, const Const *c, Text *out);

/* --- data.c --- */

/* Arrays that were written before: another one may share their memory. */
typedef struct {
    const tilec_tensor *tensor;
    const char *text; /* "x", "xs[0]" */
} KnownArray;
typedef struct {
    Arena *arena;
    VEC(const tilec_tensor *) all;    /* of the launch */
    VEC(const tilec_tensor *) unread; /* of them, that are only written */
    VEC(KnownArray) known;
    Text notes; /* lines of a comment: which arrays are not the real ones */
    int seeds;  /* given so far */
} DataWriter;
/* The words that make the array called `text`. */
void data_put(DataWriter *w, const tilec_tensor *t, const char *text, Text *out);

#endif
