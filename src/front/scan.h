/*
 * scan.h - what a file holds, before any function of it is parsed
 *
 * Internal to src/front/: scan.c finds it, file.c decides which functions are kernels.
 */
#ifndef TILEC_FRONT_SCAN_H
#define TILEC_FRONT_SCAN_H

#include "ast.h"

/* One `def` anywhere in the file. */
typedef struct {
    Span extent;      /* from `def` to the end of the body */
    Span *decorators; /* the text behind each `@`, outermost first */
    int ndecorators;
    const AstScope *scope;
    int inside; /* index of the nearest `def` around it, or -1 */
    bool is_fallback;
} ScanDef;

typedef struct {
    VEC(ScanDef) defs;
    VEC(AstImport) imports;
    VEC(AstGlobal) globals;
} Scan;

void scan_file(Arena *a, Interner *names, const Source *src, Scan *out);

#endif
