/*
 * lower.h - what the files of the lowering share; for src/lower/ and what it calls
 *
 * The lowering walks a kernel's syntax tree once and evaluates it: what is known at compile time
 * is computed, what is not becomes ops.  Every expression gives a Val.  An error is reported where
 * it is found and gives VAL_UNKNOWN; whatever is made of an unknown value is unknown and silent,
 * so one run reports all errors that do not follow from each other.
 *
 *   lower.c            front_lower(): instances of functions, the work list of a module
 *   lower_env.c        names in scope, and what a piece of code changed
 *   lower_mark.c       what a debugger is told of them
 *   val.h              what an expression gives
 *   lower_value.c      kinds of Val: making, printing, taking apart into IR values
 *   lower_param.c      annotations and defaults of parameters
 *   lower_stmt.c       statements; lower_if.c, lower_loop.c: control flow
 *   lower_carry.c      what loops carry
 *   lower_dropped.c    expressions as statements; lower_forgotten.c: what nobody uses
 *   lower_static.c     Python outside of kernels, run while one is compiled
 *   lower_expr.c       expressions; lower_compare.c: comparisons
 *   lower_index.c      subscripts of tiles, as values and as targets
 *   lower_call.c       calls: binding of arguments, helpers
 *   lower_class.c      named tuples, aggregates, enumerations; their operators
 *   advice.c           hints for Python that kernels do not have
 *   foreign.c          names of other languages, and what is written instead
 *   combine.c          what functions of reductions may compute with
 *   messages.h         THE table of messages
 *
 * src/resolve/ says what names mean, src/tl/ and src/libdevice/ have the operators and functions of
 * the language; all are called through the KernelLanguage at the end of this header.
 */
#ifndef TILEC_LOWER_LOWER_H
#define TILEC_LOWER_LOWER_H

#include "../names/file.h"
#include "../names/messages.h"
#include "../python/python.h"
#include "lowering.h"
#include "messages.h"
#include "val.h"

/* --- names --- */

typedef struct {
    bool bound;
    bool declared; /* constexpr by annotation: may not be declared again (R16) */
    bool round;    /* the variable of a static_range (R128) */
    bool weak;     /* a constant that came through a parameter not annotated constexpr: turns
                    * into a run-time value where the code needs one (R26, kinder) */
    bool demoted;  /* was a constant until an unannotated assignment (R14) */
    bool pending;  /* the next assignment is constexpr (R17) */
    bool missing;  /* has no value, which was reported once (env_miss) */
    uint8_t lost;  /* LOST_*: why a name that was bound is no longer */
    Span span;     /* of the assignment */
    Val val;
} Binding;

enum { LOST_NOT, LOST_IN_ARM, LOST_WITH_ARM, LOST_IN_LOOP, LOST_LOOP_VARIABLE };

typedef struct {
    int slot;
    Binding old, new;
} Change;
typedef struct {
    Change *at;
    int n;
} Changes;

/* --- one function being lowered --- */

typedef enum { INSTANCE_OPEN, INSTANCE_DONE, INSTANCE_FAILED } InstanceState;
typedef struct {
    Func *func;
    InstanceState state;
    Val result; /* what a call gives; its run-time parts are the values that func returns */
} Instance;

typedef struct Frame Frame;
struct Frame {
    const AstFunc *fn;
    const FrontFile *file; /* where names that are no locals are looked for, */
    const AstScope *scope; /* from here outwards */
    uint32_t before;       /* what `scope` assigns from here on has not happened yet */
    Map *slots;            /* name -> slot + 1 */
    VEC(Binding) env;
    VEC(Sym) names; /* of slots */
    VEC(Change) log;
    VEC(Span) skipped; /* statements that were refused whole: what they bind is not known */
    int loop_depth;
    /* Of Python outside of kernels: a constexpr_function (R12), a default (R19), the value of a
     * global.  Everything happens at compile time, and any global counts. */
    bool is_static;
    Frame *caller;
    Span call; /* the call in the caller */
    int depth;
};

typedef struct {
    Val val;                /* evaluated once; unknown when the compiler cannot */
    bool joined;            /* with what the name may hold instead */
    bool told;              /* that it is refused, or that it is one of several */
    const AstGlobal *taken; /* where it comes from; NULL: from the assignment itself */
    const AstGlobal *other; /* that gives another value, and nothing says which of them counts */
    const Node *arm;        /* of the assignment's `a if there else b`: the one that was taken, */
    const Node *other_arm;  /* and the one that was not; NULL: both, as there was no choice */
} GlobalValue;

/* A name of another file that is being looked up. */
typedef struct {
    const FrontFile *file;
    Sym name;
} Lookup;

/* What an expression may be although a kernel has no value of it. */
typedef enum {
    ADMIT_VALUES,    /* nothing */
    ADMIT_DTYPES,    /* a dtype of another library, which is compared */
    ADMIT_CONSTANTS, /* an object of the host that is there for its attributes, and passed on */
    ADMIT_OBJECTS    /* any object, of which an attribute is asked, or whether it is None */
} Admitted;

/* Random numbers that were drawn. */
typedef struct {
    const Value *words[6]; /* counters and keys */
    int64_t rounds;
    const Block *block;
    Span span;
} Draw;

typedef struct {
    const FrontFile *root; /* that the kernel stands in */
    Arena *arena;
    Interner *interner; /* of the file: what is put there stays with it */
    Interner *keys; /* of instances: they hold addresses, and mean nothing to another lowering */
    Module *module;
    Diags *diags;
    Builder b;
    Frame *frame;
    const KernelLanguage *language; /* the file's */
    Admitted admitted;              /* of the expression that is being lowered */
    const Node *chain; /* the last whole `a.b(c).d` that was begun, for messages about `a`; NULL */
    int depth;         /* of expressions and arms within each other, through all callers */
    long work;         /* statements lowered so far; repeated ones and parts of tuples count too */
    bool exhausted;    /* there was too much of it, which was reported */
    int num_warps;     /* of the launch; 0: nobody asked for a number yet, the kernel neither */
    bool drops_asserts, finds_overflow, wide_floats; /* as FrontLaunch has them */
    int quiet;                                       /* > 0: errors are counted but not reported */
    int quiet_errors;
    Map *instances;      /* key -> Instance */
    Map *names;          /* of functions of the module -> the last number behind it */
    Map *globals;        /* AstGlobal -> GlobalValue */
    VEC(Lookup) lookups; /* one inside of the other */
    Map *blamed;         /* values that an error has named as wrong: see val_blamed() */
    Map *told;           /* AstFunc that a warning was about */
    Map *rounded;        /* values of floats that are rounded, as FrontArg says -> AstParam */
    Map *choices;        /* AstChoice -> whether its test holds; resolve_choice.c */
    VEC(Draw) draws;     /* builtin_random.c */
    Map *plain;          /* AstFunc of plain Python -> the same with its body */
    Map *signatures;     /* builtin.c: Builtin -> Signature */
} Lower;

/* What a program may ask of the compiler before it is refused. */
enum {
    LOWER_MAX_DEPTH = 1500, /* of expressions; an arm of an `if` counts as several */
    MAX_STATEMENTS = 1000 * 1000,
    MAX_LOWER_BYTES = 1 << 30, /* of memory for all of it */
    MAX_TUPLE = 1 << 16,       /* values and tuples in it, at all levels */
    MAX_STATIC_TRIPS = 1 << 16,
    MAX_CALL_DEPTH = 64 /* helpers nested deeper are a recursion that does not end */
};

/* How a list of statements ends. */
typedef enum {
    FLOW_FALLS,   /* through its end */
    FLOW_RETURNS, /* by `return` on every path */
    FLOW_MAYBE    /* by `return` where `done` holds */
} FlowKind;
typedef struct {
    FlowKind kind;
    Value *done; /* i1, of FLOW_MAYBE */
    Val result;  /* of the paths that return */
} Flow;

/* --- lower_value.c --- */
Val val_unknown(void);                                 /* behind an error that was reported */
Val val_const_type(Lower *l, const Const *c, DType t); /* of type `t` at run time */
Val val_plain_type(Val v);        /* a VAL_CONST_TYPE as the type at run time; others as they are */
Val val_const(Lower *l, Const c); /* a copy; a dtype becomes a VAL_TYPE */
/* A number that nothing is called after is called so from now on, where no other one is. */
Val val_called(Lower *l, Sym name, Val v);
Val val_none(Lower *l);                  /* None */
Val val_bool(Lower *l, bool b);          /* True or False, known */
Val val_int(Lower *l, __int128 i);       /* a literal without a type of its own yet (R40) */
Val val_float(Lower *l, double d);       /* the same */
Val val_string(Lower *l, const char *s); /* keeps the pointer */
Val val_run(Value *v);                   /* NULL gives VAL_UNKNOWN: what made it has reported why */
Val val_type(const Type *t); /* as an object of the language, such as `tl.float32` or `x.type` */
Val val_dtype(Lower *l, DType d);                 /* the same of a scalar */
Val val_tuple(Lower *l, int n, const Val *items); /* a copy */
/* The same for what programs put together: unknown after an error when it is beyond MAX_TUPLE. */
Val val_new_tuple(Lower *l, int n, const Val *items, Span span);
Val val_pair(Lower *l, Val a, Val b); /* a tuple of two */
/* The same tuple with names for its items, or without (NULL); keeps the pointer. */
Val val_with_fields(Lower *l, Val v, const Sym *fields);
Val val_tuple_like(Lower *l, const Tuple *like, const Val *items); /* with its names and class */
Val val_module(Sym module);                                        /* by its full name, interned */
Val val_file(const FrontFile *file);                               /* a module that is a file */
bool val_is_const(Val v, ConstKind kind);                          /* known, and of that kind */
bool val_is_none(Val v);                                           /* the constant None */
bool val_is_number(Val v);             /* a constant bool, int or float */
bool val_is_handle(Val v);             /* a block pointer or a descriptor */
bool val_is_known(Val v);              /* nothing in it is left to run time */
bool val_is_function(Val v);           /* or a module */
bool val_is_object(Val v);             /* of the host, for its attributes: a VAL_FILE */
bool val_same(Val a, Val b);           /* identical: the same value or equal compile-time values */
bool val_unknown_inside(Val v);        /* it, or anything in a tuple: an error was reported */
const char *val_text(Lower *l, Val v); /* for messages: "fp32[64]", "constexpr 3" */
/* With the names of the language: "pointer<const fp32>", "fp32[64, 32]". */
const char *val_type_text(Lower *l, const Type *t);
/* Of constants, dtypes and tuples of these; false when there is no such Const. */
bool val_to_const(Lower *l, Val v, Const *out);
/* The run-time values in v, in a fixed order; and v again with others in their place. */
typedef VEC(Value *) Values;
void val_flatten(Lower *l, Val v, Values *out); /* put behind `out`; tuples from left to right */
/* `like` itself where all is known; *next moves behind what was used. */
Val val_rebuild(Lower *l, Val like, Value *const **next);

/* --- lower_mark.c: for debuggers --- */
/* It begins here; nothing for a text alone, or in Python outside of kernels. */
void mark_statement(Lower *l, const Node *n);
void mark_binding(Lower *l, int slot, const Binding *b); /* what the slot's name means now */

/* --- lower_env.c --- */
/* For a call at `call` from l->frame, which stays the current one.  Names that are no locals are
 * looked for in the scopes around `fn`, as those are at their ends. */
Frame *frame_new(Lower *l, const AstFunc *fn, Span call);
/* Of l->frame; made, and unbound, when the name is new.  Stays the same for the frame. */
int env_slot(Lower *l, Sym name);
Binding *env_find(Lower *l, Sym name);               /* NULL when the name never had a slot */
void env_put(Lower *l, int slot, Binding b);         /* and logs the change, for env_rollback() */
void env_bind(Lower *l, Sym name, Val v, Span span); /* with every flag of it off */
/* There is no such value, and an error has said so. */
void env_miss(Lower *l, Sym name, Span span);
/* Lives only in the branch or loop that binds it: is neither joined nor carried. */
void env_skip(Lower *l, Span statement);        /* its names have no meaning from here on, */
bool env_was_skipped(const Lower *l, Sym name); /* and nothing is said about them */
bool env_is_local(const Binding *b);
int env_mark(Lower *l); /* of l->frame, for env_rollback() */
/* Undo everything since the mark; gives each changed slot once. */
Changes env_rollback(Lower *l, int mark);
void env_redo(Lower *l, Changes c); /* what env_rollback() gave, in the same frame */

/* --- lower.c --- */
/* With a note for each caller; counted alone while l->quiet. */
void error_at(Lower *l, Span span, const char *fmt, ...) PRINTF(3, 4);
int error_count(const Lower *l); /* goes up whenever there is an error, reported or quiet */
/* Will a hint of the last error be seen?  Asked before one is looked for. */
bool hints_show(const Lower *l);
void hint_at(Lower *l, const char *fmt, ...) PRINTF(2, 3); /* of the error before it */
/* Of the error or warning before it; not while l->quiet. */
void note_at(Lower *l, Span span, const char *fmt, ...) PRINTF(3, 4);
void warn_at(Lower *l, Span span, const char *fmt, ...) PRINTF(3, 4); /* not while l->quiet */
void print_at(Lower *l, Span span, const char *text); /* what the program itself says (R294) */
/* Report, and be unknown: `return fail_val(...)`. */
#define fail_val(l, span, ...) (error_at((l), (span), __VA_ARGS__), val_unknown())
/* Has an error said of this very value that it is of the wrong kind?  From now on one has: what
 * else is made of it is wrong for the same reason. */
bool val_blamed(Lower *l, Val v);
/* The same with a hint, which is no format. */
#define fail_hint(l, span, hint, ...)                                                              \
    (error_at((l), (span), __VA_ARGS__), hint_at((l), "%s", (hint)), val_unknown())
/* A name for a function of the module that none has: the one wanted, or with a number behind it. */
Sym lower_function_name(Lower *l, Sym wanted);
/* Lower `fn` for these arguments (one a parameter) unless that was done before. */
Instance *lower_instance(Lower *l, const AstFunc *fn, const Val *args, Span call);

/* --- lower_param.c --- */
/* What its annotation fixes (R27); false, without a word, when it fixes nothing. */
bool param_dtype(Lower *l, const AstParam *p, DType *out, bool *pointer);
/* The type that "i32", "*fp32" or "const *fp32" says, as annotations do; NULL: none. */
const Type *named_type(Lower *l, const char *text);
/* What a launch gives the kernel for `p`; run-time parts become parameters of `f` (R24). */
Val lower_kernel_param(Lower *l, Func *f, const AstParam *p, const FrontArg *arg);
/* The default of a parameter of `fn`, for a call at `call` (R19). */
Val lower_default(Lower *l, const AstFunc *fn, const AstParam *p, Span call);

/* --- lower_stmt.c --- */
/* Statements, and others that follow as if they stood in the same list. */
typedef struct Stmts Stmts;
struct Stmts {
    Node *const *at;
    int n;
    const Stmts *then;
};
/* tail: behind the list the function ends, so that falling through is returning. */
Flow flow_falls(void); /* to what comes next, with nothing returned */
Flow lower_stmts(Lower *l, Node *const *stmts, int n, bool tail);
Flow lower_sequence(Lower *l, Stmts s, bool tail); /* the same, with what follows */
bool stmts_end(const Stmts *s);                    /* is none left? */
void unsupported_syntax(Lower *l, const Node *n);  /* an error, with advice where there is some */
/* Stops what repeats itself without end; complains once. */
bool lower_out_of_budget(Lower *l, Span span);
/* Can v be taken apart for these targets (R135)?  False after an error. */
bool lower_unpacks(Lower *l, const Node *target, Val v, Span span);
/* Bind names, through tuples; what kernels cannot assign to is an error. */
void lower_assign(Lower *l, const Node *target, Val v, Span span);

/* --- lower_if.c --- */
/* `rest` are the statements behind the `if`; an arm chosen at compile time is put in front of them.
 * *took_rest tells that the flow given covers them as well. */
Flow lower_if(Lower *l, const Node *n, Stmts *rest, bool tail, bool *took_rest);
/* Lower `rest` for the paths that have not returned yet (FLOW_MAYBE), and join the results. */
Flow lower_guarded(Lower *l, Flow before, Stmts rest, bool tail);
/* x if c else y: one side alone when c is known, else both, joined by its value (R101). */
Val lower_conditional(Lower *l, const Node *n);
/* An i1 scalar of a run-time condition (R101); NULL after an error. */
Value *lower_condition(Lower *l, Val c, Span span, const char *hint);

/* --- lower_loop.c --- */
/* Ranges of tl.static_range are unrolled here; all else is one op, which carries what the body
 * changes. */
void lower_for(Lower *l, const Node *n);
/* One op; its condition is lowered once, and runs before each round. */
void lower_while(Lower *l, const Node *n);

/* --- lower_carry.c --- */
void forget_assigned(Lower *l, Node *const *nodes, int n); /* what they assign is unknown */

/* --- lower_expr.c --- */
Val lower_expr(Lower *l, const Node *n);   /* VAL_UNKNOWN after an error; too deep a tree is one */
Val lower_binary(Lower *l, const Node *n); /* `left op right`, also that of `left op= right` */
/* The same for an operand that is looked at without being a value of the kernel. */
Val lower_admitting(Lower *l, const Node *n, Admitted admitted);
/* What stands outside of the kernel is put as it is written: a name that no local has, and
 * attributes behind it.  False: it is something else. */
bool lower_put_outside(Lower *l, const Node *n, Text *t);

/* --- lower_index.c --- */
/* What stands in the brackets behind a scalar or tile. */
Val index_tile(Lower *l, Value *v, const Node *brackets, Span span);
/* `name[...] = v`: the name gets a tile with these elements; all else is an error. */
void index_assign(Lower *l, const Node *target, Val v, Span span);
void index_augment(Lower *l, const Node *n); /* `name[...] op= v` */

/* --- lower_call.c --- */
typedef struct {
    Val v;
    const Node *node;
    Sym keyword; /* NULL: by position */
    Span word;   /* where it stands */
} Arg;
typedef struct {
    Arg *at;
    int n;
    Span span; /* of the call */
} ArgList;
/* The callee, then the arguments, then call_value(); static_assert sees its arguments as
 * written. */
Val lower_call(Lower *l, const Node *n);
/* In order; starred ones in pieces, `**` is an error. */
ArgList lower_arguments(Lower *l, const Node *call, Admitted admitted);
/* `name` is where the callee stands.  Unknown without another word when the callee or an argument
 * is. */
Val call_value(Lower *l, Val callee, const ArgList *args, Span name);
/* Of a function without a decorator: the same with its body, which the file does not hold. */
const AstFunc *lower_plain_body(Lower *l, const AstFunc *fn);
/* py_bind() of them: out[i] is the index in args of parameter i, of a star the first that it takes,
 * -1 for its default.  False after errors. */
bool lower_bind_arguments(Lower *l, const char *what, const PyParam *params, int nparams,
                          const ArgList *args, int *out);

/* `fn` with these arguments, of which the first may be an instance; jit functions are called,
 * others run at compile time. */
Val call_function(Lower *l, const AstFunc *fn, const ArgList *args);
/* One more argument, by position, in front of the others. */
ArgList arguments_behind(Lower *l, Val first, const ArgList *args, Span span);

/* --- lower_class.c --- */
bool val_is_aggregate(Val v);
/* `Class(...)`: an instance, by its fields or its own __init__ (R31). */
Val class_call(Lower *l, const AstClass *c, const ArgList *args);
/* `Class.name`: a function in it, a member of an enumeration, a default. */
Val class_member(Lower *l, const AstClass *c, Sym name, Span span);
/* A function that stands in the class or a base of it; NULL: none of that name. */
const AstFunc *class_function(Lower *l, const AstClass *c, Sym name);
bool class_is(Lower *l, const AstClass *c, const AstClass *base); /* the same, or derived from it */
/* Is `fn` run by kernels though it has no decorator, as it stands in an aggregate or named tuple?
 */
bool class_lets_run(const AstFunc *fn);
/* The class whose __init__ this is; NULL: it is none. */
const AstClass *class_of_init(const AstFunc *fn);
/* `self.name = v` in an __init__; false: this is none. */
bool class_set_field(Lower *l, const Node *target, Val v);
/* tl.aggregate_replace(instance, field=value...) */
Val class_replace(Lower *l, const ArgList *args);
/* `x op y` by the function that the class of x has for it, as `__add__`, or that of y, as
 * `__radd__`; of an aggregate it is an error that there is none.  false: neither has a class that
 * says how. */
bool class_binary(Lower *l, BinaryOp op, const Arg *x, const Arg *y, Span span, Val *out);
/* .. of the sign of x, or `~x`: op is not UN_NOT. */
bool class_unary(Lower *l, UnaryOp op, const Arg *x, Span span, Val *out);
/* .. of a comparison by the class of x; without a function there, aggregates compare as tuples. */
bool class_compare(Lower *l, CompareOp op, const Arg *x, const Arg *y, Span span, Val *out);

/* --- lower_static.c --- */
/* A value of Python's where the lowering goes on with it. */
Val val_from_python(Lower *l, const Const *c); /* unknown for what a kernel has no use for */
/* An expression outside of kernels, in l->frame. */
Val static_expr(Lower *l, const Node *n);
/* Run a function that is no kernel, with known values for its parameters. */
Val static_run(Lower *l, const AstFunc *fn, const Val *args, Span call);
/* Call one of Python's functions with known arguments. */
Val static_call(Lower *l, const Const *function, const ArgList *args);

/* --- advice.c --- */
/* What to write instead; NULL when there is nothing to say. */
const char *advice_for_syntax(const char *node);
const char *advice_for_call(const char *name); /* a function that was given wrong arguments */
/* Of the `n` names of parameters the one that a keyword of NumPy, PyTorch or CUDA stands for. */
const char *advice_for_keyword(const char *keyword, const char *const *names, int n);
/* Does a library for images call what stands outside of one so? */
bool keyword_of_border(const char *keyword);

/* --- foreign.c --- */
/* What to write instead of a name that other languages and libraries have; NULL: nothing known. */
const char *advice_for_word(const char *name);     /* that means something by itself */
const char *advice_for_function(const char *name); /* that is called, or a member; or a word */
bool is_library_alias(const char *name);           /* `np`, `F`: its members are meant */

/* --- combine.c --- */
/* Makes scalars of the tiles of one element in a combine function; false after an error: others are
 * left. */
bool combine_works_on_elements(Lower *l, Func *f);

/* Where a name that is no local is looked for. */
typedef struct {
    const FrontFile *file;
    const AstScope *scope; /* NULL: the module */
    uint32_t before;       /* see Frame */
    bool any;              /* whatever it holds counts, not only what R3 allows */
    bool is_member;        /* asked by another file: nested functions do not count */
} Where;

/* lower_compare.c */
Val lower_compare(Lower *l, const Node *n);

/* lower_dropped.c: an expression that is a statement */
void lower_expr_stmt(Lower *l, const Node *n);

/* lower_forgotten.c */
/* lower_strides.c */
void warn_of_strides(Lower *l, const AstFunc *fn, const Func *kernel);
void warn_of_forgotten(Lower *l, const AstFunc *fn, const Func *kernel); /* arrays and loads */
/* lower_head.c */
void lower_head(Lower *l, const AstFunc *fn); /* names in decorators and annotations */
void warn_of_tuning(Lower *l, const AstFunc *fn);

/* --- indices, and functions of the language as their table has them --- */
typedef enum {
    INDEX_NEW,   /* None: a new dimension of 1 */
    INDEX_ALL,   /* `:` */
    INDEX_SLICE, /* a:b */
    INDEX_ONE,   /* a: the dimension goes */
    INDEX_TILE   /* a tile of integers, whose dimensions take the place of this one */
} IndexKind;
/* One entry of x[...]. */
typedef struct {
    IndexKind kind;
    int axis;       /* of x; of INDEX_NEW the one that it stands in front of */
    int32_t extent; /* of a slice; else 1 */
    int64_t start;  /* of a slice or an element, where `at` is NULL */
    Value *at;      /* the same, known at run time: i32; the indices of INDEX_TILE, one at most */
} Index;
/* Each axis of x has one, in order. */
typedef struct {
    Index at[2 * MAX_RANK];
    int n;
} Indices;
enum {
    IN_TL = 1,          /* tl.NAME */
    IN_MATH = 2,        /* tl.math.NAME */
    IN_METHOD = 4,      /* tile.NAME */
    IN_PYTHON = 8,      /* NAME */
    IN_TRITON = 16,     /* triton.NAME */
    IN_CUDA = 32,       /* tl.extra.cuda.NAME */
    IN_DESCRIPTOR = 64, /* descriptor.NAME */
    IN_CLASS = 128,     /* names a class for isinstance */
    IN_TARGET = 256,    /* tl.target_info.NAME */
    IN_STANDARD = 512   /* tl.standard.NAME */
};
enum { BUILTIN_MAX_PARAMS = 12 };

/* What a parameter is called: ARG_axis, ARG_mask... */
typedef enum {
#define ARGUMENT(name) ARG_##name,
#include "arguments.h"
    ARG_COUNT
} ArgName;

/* The arguments of one call.  Read them by name, through arg() and its siblings. */
typedef struct {
    const Builtin *builtin;
    Span span;                            /* of the call */
    const int8_t *place;                  /* of each ArgName in the signature; -1: not in it */
    Val v[BUILTIN_MAX_PARAMS];            /* by place, as is `node` */
    const Node *node[BUILTIN_MAX_PARAMS]; /* NULL where the default stands */
} Args;

struct Builtin {
    const char *name;
    int where;
    int data; /* what the handler wants to know: an op code, a kind */
    const char *signature;
    Val (*handler)(Lower *l, const Args *a);
};

enum { ASM_SMID, ASM_TIMER };                   /* `data` of asm_register() */
enum { RANGE_STATIC = -1, RANGE_DYNAMIC = -2 }; /* `data` of what a `for` may iterate */

/*
 * What the lowering asks the language: src/resolve/ says what names mean, src/tl/ and
 * src/libdevice/ have operators and functions.  They stand on the lowering, so they are handed
 * down, by their own names; their headers say what each does.
 */
struct KernelLanguage {
    /* resolve/resolve.h */
    Val (*lower_name)(Lower *l, const Node *n);
    Val (*lower_undefined)(Lower *l, const Node *name);
    void (*chain_begin)(Lower *l, const Node *n);
    Val (*lower_attribute)(Lower *l, const Node *n);
    Val (*value_attribute)(Lower *l, Val self, Sym name, Span span);
    Val (*global_value)(Lower *l, Sym name, Span span, bool *found);
    Val (*value_of_host)(Lower *l, const Where *w, const Node *n, Span span);
    bool (*class_attribute)(Lower *l, const AstClass *c, Sym name, Span span, Val *out);
    Val (*static_outside)(Lower *l, const Node *n);
    bool (*annotation_is_constexpr)(const Node *n);
    void (*warn_of_choice)(Lower *l, const AstFunc *fn);
    bool (*host_default)(Lower *l, const AstFunc *fn, const AstParam *p, Val *out);
    bool (*language_function)(Lower *l, const char *path, Span span, Val *out);
    /* tl/tl.h: operators */
    Val (*ops_binary)(Lower *l, BinaryOp op, Val x, Val y, Span span);
    Val (*ops_unary)(Lower *l, UnaryOp op, Val x, Span span);
    Val (*ops_compare)(Lower *l, CompareOp op, Val x, Val y, Span span);
    Val (*ops_truth_not)(Lower *l, Val x, Span span);
    Value *(*ops_logical)(Lower *l, BinaryOp op, Value *x, Span x_span, Value *y, Span y_span);
    Value *(*ops_cast)(Lower *l, Value *v, DType to, Rounding r, Span span);
    Value *(*ops_to_shape)(Lower *l, Value *v, const Type *shape);
    bool (*elements_shape)(Lower *l, const Value *x, const Indices *at, bool news, Type *out,
                           Span span);
    Value *(*elements_of)(Lower *l, Value *x, const Indices *at, Span span);
    Value *(*elements_put)(Lower *l, Value *x, const Indices *at, Value *y);
    bool (*promote_types)(Lower *l, DType a, DType b, bool division, Span span, DType *out);
    Value *(*literal_cast)(Lower *l, const Const *c, DType t, Span span);
    Value *(*val_to_run)(Lower *l, Val v, Span span);
    /* .. and functions */
    const Builtin *(*builtin_find)(Sym name, int where);
    Val (*call_builtin)(Lower *l, const Builtin *b, const ArgList *args);
    bool (*bind_builtin)(Lower *l, const Builtin *b, const ArgList *args, Args *out);
    Val (*arg)(const Args *a, ArgName name);
    const Node *(*arg_node)(const Args *a, ArgName name);
    bool (*arg_given)(const Args *a, ArgName name);
    bool (*arg_unknown)(const Args *a);
    bool (*arg_int)(Lower *l, const Args *a, ArgName name, int64_t *out);
    bool (*hint_not_constexpr)(Lower *l, const Node *n);
    bool (*value_is_instance)(Val v, const char *class);
    void (*lower_assert)(Lower *l, const Node *n);
    /* libdevice/formula.h */
    const char *(*libdevice_name)(const Libdevice *d);
    Val (*call_libdevice)(Lower *l, const Libdevice *d, const ArgList *args);
};

#endif
