/*
 * reader.h - a value while it is read; only value.c and names.c include it
 */
#ifndef TILEC_ARRAYS_READER_H
#define TILEC_ARRAYS_READER_H

#include "value.h"

/* A part of the text that Python has no words for. */
typedef struct {
    uint32_t start;
    Const value;
} Blank;

typedef struct {
    Store *store;
    const ValueHost *host; /* the store's, or one that knows nothing */
    tilec_file *file;      /* the host's; NULL: there is none */
    const Names *names;
    const char *label, *text; /* for messages */
    char *python;             /* the text with blanks */
    const Source *source;     /* of that */
    VEC(Blank) blanks;
    FileTexts *only_files; /* files are listed, not loaded; NULL */
} Reader;

/* names.c: as PyHost has them, for an evaluation whose context is a Reader */
bool reader_find_name(Py *p, const Node *n, Const *out, bool *found);
bool reader_find_path(Py *p, const Node *n, Const *out, bool *found);

#endif
