/*
 * file.h - a file of kernels, and what names in it mean
 *
 * file.c makes it of what syntax/ finds; src/resolve/, tuning.c and decorators.c read it.
 */
#ifndef TILEC_NAMES_FILE_H
#define TILEC_NAMES_FILE_H

#include "../syntax/ast.h"
#include "front.h"

typedef VEC(const char *) Folders;

typedef struct FileDefine FileDefine;

/* All files that the kernels of one file use; the first is that file. */
typedef struct {
    Arena *arena;
    Interner *interner;
    SourceMap *sources;
    const Language *language;
    FrontOptions options;
    Map *defines;                  /* name -> the last FileDefine; NULL without any */
    VEC(const FileDefine *) given; /* all of them, as the user gave them */
    Map *answers;           /* AstFunc or FrontFile that asks -> map from names to HostName */
    const FrontFile *first; /* NULL while it is being read */
    VEC(FrontFile *) files; /* those of the disk */
    size_t bytes;           /* of the others */
    int hops;               /* imports that are being followed, one to the other */
} FileSet;

/* A global whose value the user gave. */
struct FileDefine {
    const char *module; /* "a.b"; NULL: the first file */
    AstGlobal global;
    const FileDefine *next; /* of the same name */
};

/* What an `import` brings: a file, or why there is none. */
typedef struct {
    FrontFile *file;
    const char *problem;
    bool is_missing; /* it was not found, in the folders that `problem` names */
} Imported;

typedef struct AddedFunction AddedFunction; /* of the host, that launches may name; host.c */

struct FrontFile {
    Arena *arena;
    Interner *interner;
    FileSet *set;
    const Source *source; /* one of set->sources */
    const char *folder;   /* where relative imports begin; NULL: it stands in none */
    bool is_package;      /* modules of `folder` are members of it */
    bool is_folder;       /* and it is nothing but that folder: there is no text */
    Sym host_name;        /* the module that it is to the host; NULL: it did not say */
    const char *object;   /* what it is to the host, if no module: "a dict"; else NULL */
    const char *advice;   /* what to do instead of using that object; NULL: it may be passed on */
    bool is_given;        /* it holds what the user gave, see define.c */
    bool in_memory;       /* the text was given; what is at its path is another file */
    bool is_known;        /* the set has it, so that files which it imports may be read */
    OsEntry entry;        /* OS_NOTHING: not looked up yet */
    Map *exports;         /* names in __all__; NULL: not read yet */
    bool has_exports;     /* there is an __all__ that can be read */
    Map *members;         /* name -> whether another file would find it; names.c */
    Map *changed;         /* names that functions assign with `global` */
    Map *submodules;      /* name -> Imported; see import_submodule() */
    Map *stars;           /* name -> AstImport; see import_star() */
    Map *modules;         /* names in imports -> Imported; see import_module() */
    Folders *roots;       /* where absolute imports are looked for; empty: not known yet */
    AstFunc **funcs; /* jit functions, constexpr functions and plain functions (no body parsed) */
    int nfuncs;
    const struct ScanDef *defs; /* of the first of `funcs`; decorators.c */
    int ndefs;
    AstClass **classes;
    int nclasses;
    AstImport *imports;
    int nimports;
    AstGlobal *globals;
    int nglobals;
    AstFunc **kernels; /* the jit functions among `funcs` */
    int nkernels;
    PyFunction *values; /* of the kernels, as what a launch may give to a parameter */
    _Atomic(const AddedFunction *) added; /* the last one first */
    int only_kernel;                      /* see file_only_kernel() */
    int eval_budget; /* nodes that tuning.c may still evaluate: bounds the time of hostile files */
    Map *func_of, *import_of, *global_of; /* by name; the binding that counts */
    Map *scopes; /* AstScope -> map from names to the last AstGlobal; see file_assigned() */
};

/* imports.c: the module that an import in `from` names, read now unless it was before.  What nobody
 * can find stays so. */
const Imported *import_module(const FrontFile *from, Sym module);
FrontFile *import_submodule(const FrontFile *package, Sym name); /* NULL: there is none */
/* "a" of "a/b.py", "" of "b.py", "/" of "/b.py". */
const char *path_folder(Arena *a, const char *path);
const char *file_qualified_name(const AstFunc *fn); /* with the names of what it is nested in */
const char *file_module(const FrontFile *f);        /* the last name of the module that it is */

/* What the host says that a name stands for. */
typedef struct {
    HostKind kind;
    Const value;
    bool is_constexpr;
    const AstFunc *func;
    const AstClass *class;
    const FrontFile *file; /* of a module or an object */
    Sym language;          /* full name, of what a library has, too */
} HostName;

/* host.c: ask the host for a name of `f`, in the body of `inside` or (NULL) outside of functions.
 * NULL: it does not know. */
const HostName *host_find(const FrontFile *f, const AstFunc *inside, Sym name);

/* host.c: the function of the text that the host means, called `name` unless it says more, made
 * what it says that it is; NULL: there is none. */
const AstFunc *host_function(FrontFile *f, const HostAnswer *a, const char *name);

/* host.c: what front_add_function() added under that name; false: nothing. */
bool host_added_function(const FrontFile *f, const char *name, Const *out);

/* imports.c: the file of that path, NULL when it cannot be read. */
FrontFile *import_path(FileSet *s, const char *path);

/* names.c */
/* The first of `i` and what stands behind it that brings something; NULL when none does. */
const AstImport *import_that_resolves(const FrontFile *from, const AstImport *i);
bool import_goes_first(const FrontFile *f, Sym name); /* before functions and assignments? */
/* What `import *` brings under that name, as an import of it; NULL when none does. */
const AstImport *import_star(const FrontFile *f, Sym name);
/* Find out where the imports of a name lead to, for those who may not: sets what AstImport has for
 * that.  Only while the first file is loaded.  NULL: nowhere. */
const AstImport *import_follow(FrontFile *f, Sym name);

/* A function for kernels that imports bring under `path`, "f" or "module.f"; false: none.  Reads
 * the files that it needs. */
typedef struct {
    const AstFunc *def;   /* of another file; NULL: */
    const char *language; /* the full name of one of the language */
} ImportedFunction;
bool import_function(const FrontFile *f, const char *path, ImportedFunction *out);

/* define.c: take in options->defines; false after an error. */
bool define_read(FileSet *s, Diags *d);
const AstGlobal *define_find(const FrontFile *f, Sym name); /* NULL: it was not given */
/* Does any file that was read so far bind the name at module level? */
bool define_is_bound(const FileSet *s, const FileDefine *d);

/* file.c: read what is in a text of `folder`, but for what decorators say about tuning, and for
 * those that stand in other files. */
FrontFile *file_read(FileSet *s, const Source *src, const char *folder);
/* file.c: the function that each name means; again when more of them are kernels. */
void file_bind_functions(FrontFile *f);
/* decorators.c: list the kernels anew, after functions have become some */
void decorators_collect(FrontFile *f);
/* decorators.c: make kernels of the functions whose decorator is triton.jit under a name that
 * another file gives it.  Reads these files, so `f` must be one of the set's, or they would read it
 * again. */
void decorators_follow(FrontFile *f);

/* file.c: what a name means at module level; NULL when nothing in the file binds it so.
 * file_find() prefers jit functions over plain ones, module level over nested ones, the last
 * definition over earlier ones; "outer.kernel" names a nested one. */
const AstFunc *file_find(const FrontFile *f, Sym name);
/* The same as seen in the body of `inside`: what is nested beside it goes first. */
const AstFunc *file_find_from(const FrontFile *f, const AstFunc *inside, Sym name);
/* The same as another file sees it: only what stands at module level. */
const AstFunc *file_member_function(const FrontFile *f, Sym name);
/* A function defined right in `scope`, which is not NULL. */
const AstFunc *file_find_in(const FrontFile *f, const AstScope *scope, Sym name);
/* The last one that counts; NULL: nothing is imported by that name. */
const AstImport *file_import(const FrontFile *f, Sym name);
/* The last assignment at module level, but for augmented ones; what the user gave goes first, here
 * and in file_assigned(). */
const AstGlobal *file_global(const FrontFile *f, Sym name);
/* The last assignment of `scope`, of those that stand before `before`. */
const AstGlobal *file_assigned(const FrontFile *f, const AstScope *scope, Sym name,
                               uint32_t before);
/* Report the syntax errors of one function; false when there are none.  Whoever needs the body
 * calls this first. */
bool file_report_errors(const AstFunc *fn, Diags *d);

/* classes.c */
struct Scan;
void classes_read(FrontFile *f, const struct Scan *scan); /* when its imports are known */
/* The last class of that name outside of all else, as the host says what it is; NULL: none. */
const AstClass *class_of_host(FrontFile *f, Sym name, HostRole role);
/* Does the file assign the attribute from outside of the class: `CLASS.NAME = `?  Then *where is
 * the first such place.  Interns names. */
bool class_is_assigned(const AstClass *c, Sym name, Span *where);
/* Is it that of a class, so that what stands right in it is assigned to attributes? */
bool class_is_body(const FrontFile *f, const AstScope *body);
/* The last class of that name right in `scope`; NULL is the module. */
const AstClass *file_class(const FrontFile *f, const AstScope *scope, Sym name);
const AstClass *class_around(const AstFunc *fn); /* that it stands right in; NULL: none */

/* only.c: the number of the kernel that no other one uses; -1 when there are several, or none. */
int file_only_kernel(const FrontFile *f);

/* file.c: the text of a chain NAME.NAME...; NULL for any other expression. */
const char *dotted_text(Arena *a, const Node *n);
/* file.c: the full name of a dotted expression, imports and global aliases followed, such as
 * "triton.language.float16"; NULL when `n` is no dotted name. */
const char *file_full_name(const FrontFile *f, const Node *n);
/* The same in `a`, for those who may not allocate in the file's arena. */
const char *file_full_name_in(const FrontFile *f, const Node *n, Arena *a);
const char *file_full_path(const FrontFile *f, const char *path); /* of the text NAME.NAME... */

/* choice.c: is the block of a host `if` run?  Open: that cannot be told. */
typedef enum { CHOICE_OPEN, CHOICE_RUN, CHOICE_LEFT_OUT } ChoiceState;
/* What the test of an `if` or `elif` says of its own block. */
typedef ChoiceState ChoiceTest(void *context, const FrontFile *f, const AstChoice *c);
/* Of all tests around and in front of it; c NULL is the module, which is run. */
ChoiceState choice_of(const FrontFile *f, const AstChoice *c, ChoiceTest *test, void *context);
/* The test of an `if` or `elif`; NULL when it cannot be read.  Interns names. */
const Node *choice_parse_test(Arena *a, const FrontFile *f, const AstChoice *c);

#endif
