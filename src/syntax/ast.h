/*
 * ast.h - the syntax tree of a kernel file
 *
 * lex.c and parse.c make it, names/file.c finds the kernels and what surrounds them.  One uniform
 * node; which fields a kind uses stands beside the kind.
 */
#ifndef TILEC_SYNTAX_AST_H
#define TILEC_SYNTAX_AST_H

#include "../base/base.h"

/* clang-format off */
typedef enum {
    /* expressions */
    N_NAME,      /* name */
    N_INT,       /* integer */
    N_FLOAT,     /* real */
    N_STRING,    /* text, ntext (escapes done, adjacent strings joined) */
    N_FSTRING,   /* items: N_STRING pieces and N_FORMAT */
    N_FORMAT,    /* left = expression; op = '!r' conversion letter or 0; format spec ignored */
    N_TRUE, N_FALSE, N_NONE, N_ELLIPSIS,
    N_TUPLE,     /* items */
    N_LIST,      /* items */
    N_ATTRIBUTE, /* left . name */
    N_SUBSCRIPT, /* left [ right ]; right is N_TUPLE for several, N_SLICE, or an expression */
    N_SLICE,     /* left : right : extra, each may be NULL */
    N_CALL,      /* left ( items ), items may be N_STARRED, N_KEYWORD, N_DOUBLE_STARRED */
    N_KEYWORD,   /* name = left */
    N_STARRED, N_DOUBLE_STARRED, /* left */
    N_UNARY,     /* op left: UnaryOp */
    N_BINARY,    /* left op right: BinaryOp */
    N_BOOL,      /* items joined by op: BOOL_AND or BOOL_OR */
    N_COMPARE,   /* left, then items[i] compared by ops[i]: CompareOp; chains have nitems > 1 */
    N_CONDITIONAL, /* left if right else extra */
    N_WALRUS,    /* name := left */
    N_COMPREHENSION, /* [left for right in extra if items...] over one generator */
    N_UNSUPPORTED_EXPR, /* name = Python's AST class: Lambda, Dict, Set, Await, Yield...
                         * Dict: items = key, value, key, value... (N_DOUBLE_STARRED, NULL for **d)
                         * Lambda: left = result, items = parameters: N_NAME, N_KEYWORD with its
                         * default, N_STARRED or N_DOUBLE_STARRED with a name and no left
                         * ListComp over several generators, GeneratorExp, SetComp: left = element,
                         * items = generators, each an N_COMPREHENSION whose left is NULL */
    /* statements */
    N_ASSIGN,    /* items = targets (a = b = 1 has two), right = value */
    N_AUGMENTED, /* left op= right: BinaryOp */
    N_ANNOTATED, /* left : extra [= right or NULL] */
    N_EXPR,      /* left */
    N_IF,        /* left; body; orelse (an elif is one N_IF in orelse) */
    N_FOR,       /* for left in right: body; orelse */
    N_WHILE,     /* while left: body; orelse */
    N_RETURN,    /* left or NULL */
    N_PASS,
    N_ASSERT,    /* left, right = message or NULL */
    N_WITH,      /* with items[i] as ...: body */
    N_FUNCTION,  /* inner def: name */
    N_UNSUPPORTED_STMT /* name = Python's AST class: Break, Continue, Raise, Delete, Try... */
} NodeKind;
/* clang-format on */

typedef enum { UN_PLUS, UN_MINUS, UN_INVERT, UN_NOT } UnaryOp;
typedef enum {
    BIN_ADD,
    BIN_SUB,
    BIN_MUL,
    BIN_DIV,
    BIN_FLOORDIV,
    BIN_MOD,
    BIN_POW,
    BIN_MATMUL,
    BIN_AND,
    BIN_OR,
    BIN_XOR,
    BIN_SHL,
    BIN_SHR
} BinaryOp;
typedef enum { BOOL_AND, BOOL_OR } BoolOp;
typedef enum {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_IS,
    CMP_IS_NOT,
    CMP_IN,
    CMP_NOT_IN
} CompareOp;

/* Deepest tree that the parser hands out, so that recursive readers cannot overflow the stack. */
enum { AST_MAX_DEPTH = 1000 };

typedef struct Node Node;
struct Node {
    NodeKind kind;
    Span span;
    int op;
    Sym name;
    Node *left, *right, *extra;
    Node **items;
    int nitems;
    int depth;    /* 1 + that of the deepest child; the parser keeps it <= AST_MAX_DEPTH */
    uint8_t *ops; /* of N_COMPARE */
    Node **body, **orelse;
    int nbody, norelse;
    __int128 integer;
    double real;
    const char *text;
    size_t ntext;
};

typedef struct {
    Sym name;
    Span span;
    Node *annotation;    /* or NULL */
    Node *default_value; /* or NULL */
    bool is_constexpr;   /* annotation text contains "constexpr" (semantics R23) */
    bool is_star;        /* *args */
    bool by_name;        /* behind `*` or `*args`: no argument by position is for it */
} AstParam;

/* A syntax error inside one function.  Reported only when that function is needed. */
typedef struct {
    Span span;
    const char *message;
} AstError;

/* Names that an option of a decorator lists. */
typedef struct {
    Sym *at;
    int n;
} AstNames;

/* The block of an `if`, `elif`, `else`, `case` or loop outside of kernels. */
typedef struct AstChoice AstChoice;
struct AstChoice {
    const AstChoice *outer;       /* that it stands in, or NULL */
    const AstChoice *before;      /* the arm in front of an `elif` or `else` */
    const struct AstScope *scope; /* that it stands in; NULL is the module */
    Span header;                  /* its first line */
    bool has_test;                /* it is an `if` or `elif` */
};

/* The `def` or `class` that a function is nested in; NULL is the module. */
typedef struct AstScope AstScope;
struct AstScope {
    Sym name;
    const AstScope *outer;
    bool is_class;
};

typedef struct {
    Sym name;
    const struct FrontFile *file; /* that it stands in */
    const AstScope *scope;
    Span span;   /* the `def` line */
    Span extent; /* from `def` to the end of the body */
    bool is_jit; /* @triton.jit under any alias, or a known wrapper around it */
    bool is_constexpr_function;
    bool is_decorated; /* by something that makes neither of these of it */
    bool noinline;
    bool is_static;       /* in a class: it gets no instance */
    bool is_property;     /* in a class: `x.f` calls it */
    const char *must_use; /* a call must not be a statement (R143): the hint, "" or NULL */
    AstParam *params;
    int nparams;
    Node **body;
    int nbody;
    Node **decorators; /* outermost first; those that could not be parsed are absent */
    int ndecorators;
    AstNames do_not_specialize; /* parameters */
    AstNames do_not_specialize_on_alignment;
    const struct FrontTuning *tuning; /* of kernels: what decorators say; names/tuning.c */
    AstError *errors;                 /* see file_report_errors() in front */
    int nerrors;
    bool in_except; /* stands in an `except` block: any other function of that name goes first */
    const AstChoice *choice; /* that it stands in outside of kernels, or NULL */
} AstFunc;

/* `name: annotation = value` right in a class. */
typedef struct {
    Sym name;
    Span span;
    Node *annotation;
    Node *value; /* or NULL */
} AstField;

typedef enum {
    CLASS_OTHER,       /* kernels may use functions in it, and nothing else */
    CLASS_NAMED_TUPLE, /* of typing.NamedTuple */
    CLASS_AGGREGATE,   /* under @triton.aggregate, or derived from such a one */
    CLASS_ENUM         /* its assignments are its members */
} AstClassKind;

typedef struct {
    Sym name;
    AstClassKind kind;
    const struct FrontFile *file; /* that it stands in */
    const AstScope *scope;
    const AstScope *body;
    Span span; /* the line with its name */
    Node **bases;
    int nbases;
    AstField *fields; /* its own; see class_fields() for those of its bases */
    int nfields;
    bool in_except;          /* it stands in an `except` block: all else of that name goes first */
    const AstChoice *choice; /* that it stands in outside of kernels, or NULL */
} AstClass;

/* A name that an import binds: `import triton.language as tl` gives {tl, "triton.language", NULL};
 * `from a.b import c as d` gives {d, "a.b", "c"}. */
typedef struct AstImport AstImport;
struct AstImport {
    Sym name;
    Sym module; /* as it is written: ".a" is relative */
    Sym member; /* or NULL */
    Span span;
    const AstChoice *choice; /* that it stands in, or NULL */
    bool goes_last;          /* stands in an `except` block or in a function */
    const AstImport *other;  /* that counts when this one brings nothing, or NULL */
    /* where it leads to, if that was followed: see import_follow() in front */
    bool is_followed;
    struct FrontFile *file;
    Sym target;       /* a name of that file; NULL: the file itself */
    const char *full; /* or the full name of what stands in no file */
};

/* `name = value` or `name: annotation = value` outside of kernels: at module level, or in a
 * function or class around a kernel.  The last one wins. */
typedef struct AstGlobal AstGlobal;
struct AstGlobal {
    Sym name;
    const struct FrontFile *file;
    Node *annotation; /* or NULL */
    Node *value;      /* N_UNSUPPORTED_EXPR when it has none that could be parsed */
    Span span;
    uint32_t start;           /* of the statement */
    const AstScope *scope;    /* NULL = the module */
    const AstGlobal *earlier; /* what the name held before, or NULL */
    const AstGlobal *instead; /* what an `except` block assigns if this fails, or NULL */
    bool in_except;
    const AstChoice *choice; /* that it stands in: the name may hold `earlier` instead; or NULL */
    bool is_augmented;       /* `name op= x`, or name.append(x); the value is `name op x` */
};

/* ast.c: the text that `tilec dump --stage ast` prints: one node a line, indented by depth. */
void ast_print(Text *out, const AstFunc *f);

#endif
