/*
 * front.h - the files of kernels, as the rest of the project knows them
 *
 * front_parse() reads a file once: which kernels it has, and what decorators say about tuning them.
 * It reports every error that it can find and gives NULL when there was any; src/lower/lowering.h
 * makes IR of a kernel.
 *
 * R and a number, here and in every other folder, is a rule of the language: docs/language.md.
 */
#ifndef TILEC_NAMES_FRONT_H
#define TILEC_NAMES_FRONT_H

#include "../ir/ir.h"
#include "../python/value.h"

typedef struct FrontFile FrontFile;

/* What @triton.autotune and @triton.heuristics said.  Values that are not constants are kept as
 * source text only (text != NULL, known false); a whole configuration, list or dict that cannot be
 * read is one such binding with the name "**". */
typedef struct {
    const char *name;
    bool known;
    Const value;
    const char *text;
    const Node *node; /* that text's expression, or one that it is in */
    Span where;       /* what in it cannot be told, */
    const char *why;  /* and the reason; NULL: nobody can say */
} FrontBinding;
typedef struct {
    FrontBinding *bindings; /* keyword arguments, then num_warps, num_stages... as given */
    int nbindings;
    const char *hook; /* the text of its pre_hook, which is no binding; NULL: it has none */
} FrontConfig;
/* What is in a decorator and can have no effect, as a warning and a hint (NULL: none). */
typedef struct {
    Span span;
    const char *text, *hint;
} FrontWarning;
typedef struct FrontTuning {
    FrontConfig *configs;
    int nconfigs;
    FrontBinding *heuristics; /* name, function and source text: see front_heuristic() */
    int nheuristics;
    const char **keys; /* the parameters that autotune's `key` names */
    int nkeys;
    FrontWarning *warnings;
    int nwarnings;
} FrontTuning;

/* One argument of a launch, as the functions of @triton.heuristics see it. */
typedef enum {
    GIVEN_NOT,    /* there is none of that name, or it has no value yet */
    GIVEN_VALUE,  /* value */
    GIVEN_TENSOR, /* dtype, and what follows it */
    GIVEN_TYPE    /* a type without a value: dtype, pointer */
} GivenKind;
typedef struct {
    GivenKind kind;
    Const value;
    DType dtype;
    bool pointer;
    int ndim; /* negative: the shape is not known */
    const int64_t *shape, *strides;
    uint64_t address;
} FrontGiven;
typedef struct {
    FrontGiven (*find)(void *context, const char *name);
    void *context;
} FrontArguments;

/* Why a heuristic has no value. */
typedef struct {
    Span where;
    const char *why;     /* NULL: nothing was wrong */
    const char *missing; /* the argument that it asked for and did not get, or NULL */
} FrontTrouble;

/* A global that code outside of kernels would compute. */
typedef struct {
    const char *name;  /* NAME, of the file itself, or MODULE.NAME */
    const char *value; /* an expression of constants; names are those of triton.language */
} FrontDefine;

/* What a name stands for in the program that loaded the file, and where it is asked for. */
typedef enum {
    HOST_UNKNOWN,  /* what the files say counts */
    HOST_VALUE,    /* value */
    HOST_FUNCTION, /* role, text, len, path, line, module, function */
    HOST_CLASS,    /* text, len, path, line, module, function: as of a function */
    HOST_MODULE,   /* module, path */
    HOST_LANGUAGE, /* module: the full name of what the language has, "triton.language.exp" */
    HOST_LIBRARY,  /* module: the same of what a library for the host has, "torch.tanh" */
    HOST_OBJECT    /* text: what it is, hint, module: where its attributes are */
} HostKind;
typedef enum {
    HOST_JIT,
    HOST_CONSTEXPR_FUNCTION,
    HOST_PYTHON,
    HOST_NAMED_TUPLE, /* and these of classes */
    HOST_AGGREGATE,
    HOST_ENUM
} HostRole;
typedef struct {
    const char *name;
    const char *function; /* in which the name stands, "outer.kernel"; NULL: in none */
    const char *module;   /* as the host named it; NULL: it did not, or it is the loaded file */
    const char *path;     /* of the file; NULL: it is none */
} HostQuestion;
typedef struct {
    const char *const *at;
    int n; /* less than 0 counts as 0 */
} HostNames;
typedef struct {
    HostKind kind;
    Const value;
    bool is_constexpr; /* a kernel may use the value, or object, by its bare name (R3) */
    HostRole role;
    const char *text; /* from `def`, or its decorators, on */
    size_t len;
    const char *path;        /* a function's for messages; a module's to read, or NULL */
    int line;                /* of the text in that file */
    const char *module;      /* a function's: where its own names are looked for */
    const char *function;    /* as it is called in the text */
    HostNames unspecialised; /* parameters in do_not_specialize */
    HostNames unaligned;     /* in do_not_specialize_on_alignment */
    bool noinline;
    const char *hint; /* what to do instead of using an object; NULL: it may be passed on */
} HostAnswer;
typedef struct {
    void (*find)(void *context, const HostQuestion *question, HostAnswer *answer); /* or NULL */
    void *context;
} FrontHost;

/* What is known about the other files of a kernel's package.  Whatever it points to must live as
 * long as the FrontFile. */
typedef struct {
    const char *const *paths; /* folders to look for modules in, besides those around the file */
    int npaths;
    const FrontDefine *defines; /* each goes before all else that binds the name */
    int ndefines;
    FrontHost host; /* asked for each name once; what its answers point to is copied */
    bool in_memory; /* the text is no file: its imports are looked for only if its name has a folder
                     */
    const HostAnswer *kernel; /* NULL, or the function of the text that is its one kernel */
} FrontOptions;

/* The language that kernels are written in, which stands on all this and is handed down. */
typedef struct KernelLanguage KernelLanguage; /* lower/lower.h */
typedef struct {
    bool (*module_is_known)(Sym module);        /* does it mean something inside a kernel? */
    bool (*module_has)(Sym module, Sym member); /* false where it means nothing */
    const KernelLanguage *kernels;
} Language;

/* file.c: `src` is one of the sources of `d`, and the same map is behind each `d` that is given
 * with the file from then on; files that it imports are added.  options NULL: none. */
FrontFile *front_parse(Arena *a, Interner *interner, const Language *language, const Source *src,
                       const FrontOptions *options, Diags *d);
int front_kernel_count(const FrontFile *f); /* every jit function, in file order */
/* Bare where that finds it, else the full one; lives as long as `f`. */
const char *front_kernel_name(const FrontFile *f, int i);
const char *front_kernel_full_name(const FrontFile *f, int i); /* "outer.kernel" of a nested one */
int front_only_kernel(const FrontFile *f); /* that no other one uses; -1 unless there is one such */
/* Add a function of the host for front_function() to find; false: the text has none.  Once for a
 * name. */
bool front_add_function(FrontFile *f, const char *name, const HostAnswer *function);
/* The same of what the file imports by that name or path, a function for kernels or one of the
 * language; false: nothing.  Reads the files that it needs. */
bool front_import_function(FrontFile *f, const char *path);
/* The jit function of this name, or what was added by it, as a value for a constexpr, of one of the
 * language its full name as a text; false when there is none.  Interns nothing, and may run while
 * another thread adds functions. */
bool front_function(const FrontFile *f, const char *name, Const *out);
const FrontTuning *front_tuning(const FrontFile *f,
                                const char *kernel); /* NULL if no such kernel */
/* "" when there is no such kernel or constexpr_function. */
const char *front_print_ast(const FrontFile *f, const char *kernel, Arena *a);

/* heuristic.c */
/* Evaluate a function of FrontTuning.heuristics; everything made is in `a`.  Touches nothing of the
 * file, so several threads may.  False when it has no value; `trouble` (NULL: nobody asks), which
 * was zero, then says why. */
bool front_heuristic(const FrontFile *f, const FrontBinding *heuristic, const FrontArguments *args,
                     Arena *a, Const *out, FrontTrouble *trouble);

#endif
