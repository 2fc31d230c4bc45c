/*
 * scan.h - what a file holds, before any function of it is parsed
 *
 * scan.c finds it, names/file.c decides which functions are kernels.
 */
#ifndef TILEC_SYNTAX_SCAN_H
#define TILEC_SYNTAX_SCAN_H

#include "ast.h"

/* One `def` anywhere in the file. */
typedef struct ScanDef {
    Span extent;      /* from `def` to the end of the body */
    int indent;       /* of its first line, in columns */
    Span *decorators; /* the text behind each `@`, outermost first */
    int ndecorators;
    const AstScope *scope;
    const AstScope *body; /* what names inside are local to */
    int inside;           /* index of the nearest `def` around it, or -1 */
    bool in_except;
    const AstChoice *choice;
} ScanDef;

/* One `class`, to be looked at by names/classes.c. */
typedef struct {
    Span header;      /* from its name to the end of the line */
    Span *decorators; /* as of a ScanDef */
    int ndecorators;
    const AstScope *scope;
    const AstScope *body;
    bool in_except;
    const AstChoice *choice;
} ScanClass;

/* A line that may assign names, or the first one of a block that does. */
typedef struct {
    Span span;
    const AstScope *scope;
    bool in_except;
    const AstChoice *choice;
} ScanLine;

typedef VEC(AstGlobal) AstGlobals;

typedef struct Scan {
    VEC(ScanDef) defs;
    VEC(ScanClass) classes;
    VEC(AstImport) imports;
    AstGlobals globals;   /* of the module */
    VEC(ScanLine) locals; /* of functions and classes, for scan_assignments() */
    VEC(Sym) changed;     /* names in `global` statements: functions assign them */
} Scan;

/* scan.c */
/* Find them by lines, in any text: what cannot be understood is passed over, and nothing is
 * reported here. */
void scan_file(Arena *a, Interner *interner, const Source *src, Scan *out);

/* scan_assign.c */
/* Put what the statements of the line assign behind `out`, in their order; what cannot be parsed
 * gives no value, and there is never an error. */
void scan_assignments(Arena *a, Interner *interner, const Source *src, const ScanLine *line,
                      AstGlobals *out);
/* `class NAME(bases):` from its name on: a name or a call; NULL when it cannot be parsed. */
Node *scan_class_header(Arena *a, Interner *interner, const Source *src, Span header);
/* The annotated name that the line declares in a class; false: none. */
bool scan_field(Arena *a, Interner *interner, const Source *src, const ScanLine *line,
                AstField *out);
/* The parameters of a `def`, which have no value that could be known. */
void scan_parameters(Arena *a, Interner *interner, const Source *src, const ScanDef *def,
                     AstGlobals *out);

#endif
