/*
 * resolve.h - what names mean while a kernel is lowered
 *
 * A name that is no local is looked for by value_at(), from a place in a file outwards.  It asks,
 * in this order, what the host says, what the file's code outside of kernels binds, and what
 * imports bring.  A member of another file is asked for in the same way, from that file.
 *
 *   resolve_name.c     names and attributes: locals, modules and what they have
 *   resolve_global.c   what code outside of kernels binds: globals, closures
 *   resolve_choice.c   which code outside of kernels is run
 *   resolve_import.c   what imports bring
 *   resolve_host.c     what the program that loaded the file says
 *
 * The lowering calls it through the prototypes in ../lower/lower.h; here is what its files share.
 */
#ifndef TILEC_RESOLVE_RESOLVE_H
#define TILEC_RESOLVE_RESOLVE_H

#include "../lower/lower.h"

/* --- resolve_import.c --- */
/* What an import brings, whatever else may stand for it. */
Val import_value(Lower *l, const Where *w, const AstImport *i, Span span);
/* `from MODULE import *` brings NAME; false when none does. */
bool star_value(Lower *l, const Where *w, Sym name, Span span, Val *out);
/* NAME as a member of another file; `any` as in Where. */
Val file_member(Lower *l, const FrontFile *file, Sym name, bool any, Span span);
/* What an import stands for as a file, or in one; NULL for all else, and for NULL. */
const FrontFile *imported_file(const FrontFile *from, const AstImport *i);
/* The same for an assignment at module level: its own file and place are in it. */
const AstGlobal *imported_global(const FrontFile *from, const AstImport *i);
/* What to do about a module that brings nothing, or about the global that is made of it. */
void hint_of_import(Lower *l, const Imported *module, const AstGlobal *global);

/* --- resolve_choice.c --- */
/* Does Python run the block of a host `if`?  What stands in none is run. */
/* OPEN: it depends on what the compiler does not know. */
ChoiceState choice_state(Lower *l, const FrontFile *file, const AstChoice *c);
/* The last of `g` and what its name held before that may have been assigned; NULL: none. */
const AstGlobal *choice_assigned(Lower *l, const AstGlobal *g);
/* `fn`, or another definition of it where `fn` is not run; NULL when none is. */
const AstFunc *choice_function(Lower *l, const AstFunc *fn);
/* The class of that name right in `scope` (NULL: the module) that counts; NULL: none. */
const AstClass *choice_class(Lower *l, const FrontFile *f, const AstScope *scope, Sym name);
/* Another one that may be run instead; NULL when `fn` is certain. */
const AstFunc *choice_other(Lower *l, const AstFunc *fn);

/* --- resolve_host.c --- */
/* What the host says about a name; false when it does not know. */
bool host_value(Lower *l, const Where *w, Sym name, Span span, Val *out);

/* --- resolve_name.c --- */
/* A member of a module that is no file; `import` (or NULL) says why it is none. */
Val module_member(Lower *l, Sym module, Sym member, const Imported *import, Span span);

/* --- resolve_global.c --- */
void hint_of_global(Lower *l, const AstGlobal *g); /* how to say a value that is not known */
bool value_at(Lower *l, const Where *w, Sym name, Span span, Val *out); /* without builtins */

#endif
