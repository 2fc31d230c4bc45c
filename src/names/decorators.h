/*
 * decorators.h - what decorators make of a function
 *
 * Internal to src/names/.
 */
#ifndef TILEC_NAMES_DECORATORS_H
#define TILEC_NAMES_DECORATORS_H

#include "file.h"
#include "../syntax/scan.h"

typedef enum {
    DECO_OTHER,
    DECO_JIT,
    DECO_CONSTEXPR,
    DECO_MUST_USE,
    DECO_STATIC,
    DECO_PROPERTY,
    DECO_AGGREGATE
} Decorator;

/* decorators.c */
/* What the decorator whose text is at `where` does, judged by the name that it begins with. */
Decorator decorator_at(const FrontFile *f, Span where);
/* Parse the decorators of a kernel and take in what they say. */
void decorators_read(FrontFile *f, AstFunc *fn, const ScanDef *def);
/* What takes knowing all of the file: kernels that are made by assignments at module level,
 * `k = triton.jit(k)`, and what the functions give that decorators call. */
void decorators_finish(FrontFile *f);

/* tuning.c */
/* triton.autotune or triton.heuristics, under any name that the file's imports give them. */
bool tuning_is_decorator(const FrontFile *f, const Node *n);
bool tuning_is_autotune(const FrontFile *f, const Node *n); /* the first of these */
/* Fill fn->tuning from its decorators, and parse the functions of the file that they may call. */
void tuning_read(FrontFile *f, AstFunc *fn);

/* tuning_check.c: find what the decorators of `fn` say in vain; fills t->warnings. */
void tuning_check(const FrontFile *f, const AstFunc *fn, FrontTuning *t);

#endif
