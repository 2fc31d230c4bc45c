/*
 * resolve.h - what names mean while a kernel is lowered
 *
 * A name that is no local is looked for by value_at(), from a place in a file outwards.  It asks,
 * in this order, what the host says, what the file's code outside of kernels binds, and what
 * imports bring.  A member of another file is asked for in the same way, from that file.
 *
 *   resolve_name.c     names: locals, and modules with what they have
 *   resolve_attribute.c  attributes of values
 *   resolve_global.c   what code outside of kernels binds: globals, closures
 *   resolve_choice.c   which code outside of kernels is run
 *   resolve_import.c   what imports bring
 *   resolve_host.c     what the program that loaded the file says
 *
 * The lowering calls some of it through its KernelLanguage (../lower/lower.h).
 */
#ifndef TILEC_RESOLVE_RESOLVE_H
#define TILEC_RESOLVE_RESOLVE_H

#include "../libdevice/formula.h"

/* --- for the lowering --- */
/* resolve_name.c */
/* The local, else global_value(); an error when it is neither. */
Val lower_name(Lower *l, const Node *n);
Val lower_undefined(Lower *l, const Node *name); /* says that it is not defined */
/* An attribute or call that is lowered from here on, unless it begins another one. */
void chain_begin(Lower *l, const Node *n);
/* resolve_attribute.c */
Val lower_attribute(Lower *l, const Node *n); /* of any expression; see value_attribute() */
/* A member of a module, a property or method of a tile, type or constant; an error when there is
 * none, unknown for what is unknown. */
Val value_attribute(Lower *l, Val self, Sym name, Span span);

/* resolve_global.c */
Val global_value(Lower *l, Sym name, Span span, bool *found); /* not local; builtins too */
/* An expression outside of kernels that stands there; unknown, without a word, when it has no
 * value. */
Val value_of_host(Lower *l, const Where *w, const Node *n, Span span);
/* What stands right in a class as an assignment or class: `WIDTH = 8`; false: nothing does. */
bool class_attribute(Lower *l, const AstClass *c, Sym name, Span span, Val *out);
/* An expression in a kernel, without its locals and with all that Python has outside of it. */
Val static_outside(Lower *l, const Node *n);
bool annotation_is_constexpr(const Node *n);      /* also as a text, and under any module (R23) */
void warn_of_choice(Lower *l, const AstFunc *fn); /* that another definition might count */

/* resolve_host.c */
/* What the host says about a parameter's default; false when it does not know. */
bool host_default(Lower *l, const AstFunc *fn, const AstParam *p, Val *out);

/* For names, through its Language: does a module mean something inside a kernel, and has such a
 * module a member of that name? */
bool module_is_known(Sym module);
bool module_has(Sym module, Sym member); /* false where it means nothing */

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
/* What a dotted path such as triton.language.exp names, as an object of the host is called; false:
 * it is no path of the language. */
bool language_function(Lower *l, const char *path, Span span, Val *out);
bool host_value(Lower *l, const Where *w, Sym name, Span span, Val *out);

/* --- resolve_name.c --- */
/* How a kernel spells what bears this name elsewhere, also in another case, or NULL. */
const char *own_name(Lower *l, Sym name);
/* What to write instead of a member that nothing has, the nearest one at worst; false: nothing. */
bool hint_instead(Lower *l, Sym name, const char *near);
/* A member of a module that is no file; `import` (or NULL) says why it is none. */
Val module_member(Lower *l, Sym module, Sym member, const Imported *import, Span span);

/* --- resolve_global.c --- */
void hint_of_global(Lower *l, const AstGlobal *g); /* how to say a value that is not known */
bool value_at(Lower *l, const Where *w, Sym name, Span span, Val *out); /* without builtins */

#endif
