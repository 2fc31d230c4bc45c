/*
 * file.h - a file of kernels, and what names in it mean
 *
 * file.c makes it of what syntax/ finds; lower_*.c, tuning.c and decorators.c read it.  Internal to
 * src/front/.
 */
#ifndef TILEC_FRONT_FILE_H
#define TILEC_FRONT_FILE_H

#include "../syntax/ast.h"
#include "front.h"

struct FrontFile {
    Arena *arena;
    Interner *interner;
    const SourceMap *sources;
    const Source *source; /* one of `sources` */
    AstFunc **funcs; /* jit functions, constexpr functions and plain functions (no body parsed) */
    int nfuncs;
    AstImport *imports;
    int nimports;
    AstGlobal *globals;
    int nglobals;
    AstFunc **kernels; /* the jit functions among `funcs` */
    int nkernels;
    int only_kernel; /* see file_only_kernel() */
    int eval_budget; /* nodes that tuning.c may still evaluate: bounds the time of hostile files */
    Map *func_of, *import_of, *global_of; /* by name; the binding that counts */
    Map *scopes; /* AstScope -> map from names to the last AstGlobal; see file_assigned() */
};

/* file.c: what a name means at module level; NULL when nothing in the file binds it so.
 * file_find() prefers jit functions over plain ones, module level over nested ones, the last
 * definition over earlier ones; "outer.kernel" names a nested one. */
const AstFunc *file_find(const FrontFile *f, Sym name);
/* The same as seen in the body of `inside`: what is nested beside it goes first. */
const AstFunc *file_find_from(const FrontFile *f, const AstFunc *inside, Sym name);
/* A function defined right in `scope`, which is not NULL. */
const AstFunc *file_find_in(const FrontFile *f, const AstScope *scope, Sym name);
/* Another definition of a function that may be the one that counts; NULL when `fn` is certain. */
const AstFunc *file_other_choice(const FrontFile *f, const AstFunc *fn);
const AstImport *file_import(const FrontFile *f, Sym name);
/* The last assignment at module level, but for augmented ones. */
const AstGlobal *file_global(const FrontFile *f, Sym name);
/* The last assignment of `scope`, of those that stand before `before`. */
const AstGlobal *file_assigned(const FrontFile *f, const AstScope *scope, Sym name,
                               uint32_t before);
/* Report the syntax errors of one function; false when there are none.  Whoever needs the body
 * calls this first. */
bool file_report_errors(const AstFunc *fn, Diags *d);

/* only.c: the number of the kernel that no other one uses; -1 when there are several, or none. */
int file_only_kernel(const FrontFile *f);

/* file.c: the full name of a dotted expression, imports and global aliases followed, such as
 * "triton.language.float16"; NULL when `n` is no dotted name. */
const char *file_full_name(const FrontFile *f, const Node *n);
/* The same in `a`, for those who may not allocate in the file's arena. */
const char *file_full_name_in(const FrontFile *f, const Node *n, Arena *a);
const char *file_full_path(const FrontFile *f, const char *path); /* of the text NAME.NAME... */

#endif
