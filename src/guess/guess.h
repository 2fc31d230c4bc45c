/*
 * guess.h - what is read in a kernel's file beside what the library says: its functions, what
 * their parameters seem to be for, and a call that runs
 */
#ifndef TILEC_GUESS_GUESS_H
#define TILEC_GUESS_GUESS_H

#include "../arrays/value.h"
#include "../syntax/ast.h"

/* functions.c: the functions of a kernel's file as syntax trees, nested ones too */
typedef struct {
    AstFunc syntax;         /* without what decorators would say */
    const char *decorators; /* on one line, or NULL */
    bool is_jit;
    uint32_t start;   /* of `def`, or of what names it */
    int line, indent; /* of that */
} FileFunction;
typedef struct {
    const SourceMap *map; /* of the file alone */
    const Source *source;
    VEC(FileFunction) all; /* in file order; behind them those that a wrapper names */
} Functions;
enum { LARGEST_SOURCE = 4 << 20 };                        /* bytes, as the library has it */
Functions functions_of_file(Client *c, const char *path); /* stops on stdin */
/* The same without what is in them: of their syntax the names, and no lines. */
Functions functions_named(Client *c, const char *path);
Functions functions_once_read(Client *c, const char *path); /* none of stdin: that is read */
const FileFunction *functions_find(const Functions *all, const char *name); /* the last; or NULL */
bool functions_is_helper(const Functions *all, const char *name);           /* a kernel uses it */
const char *functions_text(Client *c, const Functions *all, const Node *n); /* as it is written */

/* guess.c: what a kernel's parameters seem to be for */
typedef struct {
    bool is_constexpr;
    bool is_pointer, is_loaded, is_stored;
    bool is_atomic, is_lock;  /* of atomics; of those that take integers */
    bool is_integer, is_mask; /* what it points to is one */
    bool is_index, is_target; /* that is part of an address; of one that is stored to */
    bool is_length;           /* that bounds places or counts rounds */
    bool is_address;          /* what it points to are addresses */
    bool has_next;            /* elements are used with those behind them */
    bool is_partial;          /* what was loaded says where it is stored to */
    bool is_size;             /* it bounds something */
    bool is_factor;           /* in an address */
    bool is_extent;           /* of a tile */
    bool is_unrolled;         /* it bounds a loop that is */
    bool is_rounds;           /* a loop has more rounds the larger it is */
    bool is_whole;            /* no float can stand there */
    bool is_mark;             /* loaded elements may be equal to it */
    bool is_number;           /* it is computed with */
    bool is_used;             /* its name stands in the kernel */
    const char *text;         /* that it is compared with; NULL: none */
    const char *dtype;        /* of what is stored, as "i32"; NULL: not known */
    int choice;               /* a number that it is compared with; 0: none */
    int ntile;                /* dimensions, of a descriptor that is given; else 0 */
    int strides[ARRAY_MAX_DIMS], nstrides; /* of a pointer: parameters that are factors with it */
    int sizes[ARRAY_MAX_DIMS], nsizes;     /* those that masks of its accesses depend on */
    bool has_unit;                         /* and a dimension without such a factor */
    int constants;                         /* dimensions whose factor is a constant */
    int scale;                             /* largest literal factor; 0: none */
} GuessedParam;
typedef struct {
    const char *size; /* what places are less than: an expression of parameters */
    int block;        /* the parameter that says how many of them a program takes; -1: one */
    bool is_exact;    /* places behind it are left out; else they come around by `%` */
} GuessedTile;
typedef struct {
    bool is_used, is_split; /* program_id; it is divided, as by grouped orders */
    bool is_row;            /* it is multiplied with what is no constant, as a stride */
    const char *part;       /* what it is divided by: an expression of parameters; or NULL */
    int block;              /* the parameter that it is multiplied with, or -1 */
    GuessedTile tiles[3];
    int ntiles;
} GuessedAxis;
typedef struct {
    GuessedParam *at; /* one a parameter */
    int n;
    GuessedAxis axes[3];
} Guess;
Guess guess_kernel(Client *c, const Functions *functions, const AstFunc *f);

/* example.c: a call of a kernel that can be copied */
typedef struct {
    Guess guess;
    const char *grid;
    const char **values;   /* of the parameters; NULL: it is left out */
    const char *problem;   /* why it does not run as it is, or NULL */
    const char *unwritten; /* of outputs, when it runs: "2 of 8 elements of y", or NULL */
} Example;
/* Of which kernel; the file is loaded. */
typedef struct {
    tilec_file *file;
    const char *path, *kernel;
    const Functions *functions;
    const AstFunc *f; /* the kernel's */
} ExampleOf;
/* A call as a launch takes it. */
typedef struct {
    int32_t grid[3];
    const tilec_arg *args;
    int nargs;
    Names names; /* of its values */
} ExampleCall;
typedef const char *ExampleTrial(Client *c, void *context);
/* What it takes of a client to run one. */
typedef struct {
    /* Values of the texts of an example; stops where they have none. */
    ExampleCall (*evaluate)(Client *c, const ExampleOf *of, const Example *e);
    /* Do `work`: NULL, or why it was stopped. */
    const char *(*attempt)(Client *c, void (*work)(Client *c, void *context), void *context);
    /* Do `trial` in a process of its own, for so many seconds of the CPU at most; *text is what it
     * gave, and when it did not come to its end, which gives false, why. */
    bool (*trial)(Client *c, unsigned seconds, ExampleTrial *trial, void *context,
                  const char **text);
} ExampleHost;
/* Tries it in the interpreter, with every access checked. */
Example example_of(Client *c, const ExampleHost *host, const ExampleOf *of);

#endif
