/*
 * ir.h - the tile IR: SSA over scalars and tiles, structured control flow
 *
 * A Module holds functions; a function is one block (its arguments are the parameters); a block is
 * a list of ops that ends in a terminator; loops and ifs are ops with regions, and each region is
 * again one block with arguments.  There are no other jumps, so a value is visible after its
 * definition in the same block and in every block nested below that point.
 *
 * Everything lives in the module's arena and dies with it.  Types are interned: equal types are
 * the same pointer.  Value ids are dense per function, so a pass keeps its facts in plain arrays
 * of fn->nvalues entries.  docs/ir.md is the long form; ops.h and dtypes.h are the vocabulary.
 */
#ifndef TILEC_IR_H
#define TILEC_IR_H

#include "../base/base.h"
#include "symbol.h"

enum {
    MAX_RANK = 16,
    MAX_COMBINED = 8, /* tiles that one reduce or scan takes together */
    MAX_ELEMENTWISE_OPERANDS = 3
};
#define MAX_TILE ((int64_t)1 << 24) /* most elements that one tile may have */

typedef enum {
#define DTYPE(id, text, triton, longname, bits, kind, e, m, bias) DT_##id,
#include "dtypes.h"
    DT_COUNT
} DType;

typedef enum {
#define OP(name, operands, result, attrs, flags) OP_##name,
#include "ops.h"
    OP_COUNT
} OpCode;

typedef enum {
    PURE = 1 << 0,
    COMMUTES = 1 << 1,
    FOLDS = 1 << 2,
    READS = 1 << 3,
    WRITES = 1 << 4,
    APPROX = 1 << 5,
    ENDS = 1 << 6,
    REGION_1 = 1 << 7,
    REGION_2 = 1 << 8,
    FLOP = 1 << 9,
    EFFECT = 1 << 10,
    MOVES = 1 << 11,
    COMPARES = 1 << 12,
    TOWARD = 1 << 13,
    COMBINES = 1 << 14
} OpFlags;
#define REGIONS(n) ((n) == 1 ? REGION_1 : REGION_2)

/* The words of each attribute that has some: Rounding, CacheHint, .. */
#define WORDS(Type, name, text, need) typedef enum {
#define WORD(constant, word) constant,
#define END(Type)                                                                                  \
    }                                                                                              \
    Type;
#include "attrs.h"

typedef enum {
    ATTR_NONE,
#define NUMBER(name, text, need) ATTR_##name,
#define TEXT(name, text, need) ATTR_##name,
#define LIST(name, text) ATTR_##name,
#define WORDS(Type, name, text, need) ATTR_##name,
#define WORD(constant, word)
#define END(Type)
#include "attrs.h"
    ATTR_COUNT
} AttrId;

/* A way to whole blocks of an array, for a few ops only (docs/ir.md): it is neither number nor
 * pointer, and most targets have legalise.c take it apart. */
typedef enum { HANDLE_NONE, HANDLE_BLOCK_PTR, HANDLE_DESCRIPTOR } Handle;

/* dtype[d0,d1,..], or a pointer to dtype (a tile of pointers when rank > 0), or a handle, whose
 * dims are those of a block. */
typedef struct {
    DType dtype; /* of the element, or of what the pointer points to */
    bool pointer;
    bool is_const;  /* pointer or handle that may not be stored through (semantics R28) */
    int8_t rank;    /* 0 = scalar */
    int8_t space;   /* Space, of a pointer */
    int8_t handle;  /* Handle */
    int8_t padding; /* Padding: what a descriptor gives outside of its array */
    int32_t dims[MAX_RANK];
} Type;

typedef struct Block Block;
typedef struct Func Func;

struct Value {
    const Type *type;
    Op *def;                      /* the op that makes it, or NULL for a block argument */
    Block *block;                 /* the block it is defined in */
    int index;                    /* which result, or which argument */
    int id;                       /* dense within the function */
    Value *repl;                  /* set by passes that replace it; see ir_resolve() */
    Sym name;                     /* the user's name for it, or NULL; printing only */
    const Symbol *number;         /* what the number of a `const` was called, or NULL */
    const Symbol *const *extents; /* the same of each dimension; NULL: none has a symbol */
};

struct Op {
    OpCode code;
    Span span;
    int site; /* through which calls it was inlined: a number in Module.sites, 0 = through none */
    int mark; /* how many of Func.marks were made before it */
    int noperands, nresults, nattrs;
    Value **operands;
    Value **results;
    int64_t *attrs;    /* in the order of the row of ops.h; see attr_get() */
    Block *regions[2]; /* NULL where the op has none */
    Func *callee;      /* of call */
    Op *prev, *next;
    Block *block;
};

struct Block {
    Value **args;
    int nargs, args_cap;
    Op *first, *last;
    Op *owner; /* the op whose region this is, or NULL for a function body */
    Func *func;
};

/* Where operands stand: the order of ops.h, by name. */
enum { LOAD_PTR, LOAD_MASK, LOAD_OTHER };
enum { STORE_PTR, STORE_DATA, STORE_MASK };
enum { RMW_PTR, RMW_DATA, RMW_MASK };    /* of atomic_rmw */
enum { CAS_PTR, CAS_EXPECTED, CAS_NEW }; /* of atomic_cas */
enum { BLOCK_HANDLE, BLOCK_DATA };       /* of load_block and store_block; offsets follow */
enum { GATHER_SOURCE, GATHER_INDEX };
enum { HISTOGRAM_VALUES, HISTOGRAM_MASK };
enum { ASSERT_CONDITION, ASSERT_MASK, CHECK_OFFSET };
enum { SELECT_IF, SELECT_THEN, SELECT_ELSE };
enum { FOR_LO, FOR_HI, FOR_STEP, FOR_BOUNDS }; /* carried values follow the bounds */

/* Where the launch of a kernel takes the value of a parameter from.  The user's come first, in the
 * order of the arguments; passes may add hidden ones behind them. */
typedef enum {
    PARAM_USER,
    PARAM_RECORDS,  /* a pointer: where the launch collects what its programs say */
    PARAM_VIEW,     /* an i64: of the array behind user parameter `of`, number `part` (ViewPart) */
    PARAM_WORKSPACE /* a pointer: to `bytes` that each program has for itself.  They begin at a
                     * multiple of WORKSPACE_ALIGN, and hold anything when the program begins. */
} ParamKind;
enum { WORKSPACE_ALIGN = 64 };

/* The elements that the view of an array has, as offsets from its pointer: those of
 *     low + i * stride 0 + j * stride 1 + .. + rest, with 0 <= rest < tail, 0 <= i < count 0, ..
 * where each stride is at least as large as all that comes behind it spans. */
enum { VIEW_LOW, VIEW_TAIL, VIEW_STRIDE, VIEW_COUNT }; /* dimension i: at + 2 * i */

/* For debuggers, see mark.c: a statement begins, or a name means something from here on: one value
 * where text is NULL; else the text, in which `%v` stands for the next value and `%%` for a `%`;
 * nothing any more where there is neither. */
typedef struct {
    Span span; /* of the statement, or of what bound the name */
    Sym name;  /* NULL: a statement begins */
    Value **values;
    int nvalues;
    const char *text;
    const Type *constant; /* of the scalar that text stands for; NULL: of something else */
    uint64_t bits;        /* .. and what it is */
    const Block *block;   /* where it holds, in nested blocks too */
    int site;             /* in whose frame it holds, as in Op */
} Mark;

/*
 * How a program says something while it runs: what a hidden PARAM_RECORDS points to.  The launch
 * owns it (run/record.c); compiled code and the interpreter call put() from any thread, for the op
 * `record` with that number.  `values` point to the operands: dense row-major tiles, or one
 * element.
 */
typedef struct RecordPort RecordPort;
struct RecordPort {
    void (*put)(RecordPort *port, int64_t site, const int32_t program[3],
                const void *const *values);
    _Atomic uint32_t stop; /* not 0: no other program may begin */
    bool wide_floats;      /* floats of less than 32 bits lie there as fp32 */
};

/*
 * The same for programs that cannot call: the hidden parameter then points to this, in memory that
 * they reach.  It begins as run/record.h has it; run/record_buffer.c hands what lies in it to a
 * port behind the launch.  A program takes room by adding to used[]; what would reach beyond end[]
 * is only counted.  Prints and what failed have room of their own, so that nothing of the latter is
 * lost to the former.
 *
 * A record is words of 32 bits, an even number of them:
 *     words in all | site | program x | y | z | operands n | where each of them begins, n words
 * and then the operands, dense row-major in memory form, each at a multiple of 8 bytes of the
 * record, which `where` counts in words.
 */
enum { RECORD_WORDS, RECORD_SITE, RECORD_PROGRAM, RECORD_COUNT = 5, RECORD_PLACES };
enum { RECORDS_PRINTED, RECORDS_FAILED, RECORDS_VALUES, RECORDS_KINDS };
typedef struct {
    uint32_t stop;                                    /* not 0: no other program may begin */
    uint32_t lost;                                    /* records for which there was no room */
    uint64_t used[RECORDS_KINDS], end[RECORDS_KINDS]; /* in words of data[] */
    uint64_t first, last; /* values are of the programs [first, last) alone */
    uint64_t told;        /* 0, or the address of a word that becomes 1 when an assertion fails */
    uint32_t data[];
} RecordBuffer;

/* What is promised about one parameter of a kernel. */
typedef struct {
    Sym name;
    int64_t divisible; /* value, or address in bytes, is a multiple of this; 0 or 1 = unknown */
    ParamKind kind;
    int of, part;  /* of PARAM_VIEW */
    int64_t bytes; /* of PARAM_WORKSPACE */
} Param;

struct Func {
    Sym name;
    Module *module;
    Block *body; /* its args are the parameters, in order */
    Param *params;
    int nparams;
    const Type **results; /* helpers only */
    int nresults;
    bool is_kernel;
    bool noinline;             /* says its decorator, which changes no code */
    int num_warps, num_stages; /* what the launch asks for; 0: nothing */
    int maxnreg;               /* .. registers that a thread may have */
    int32_t most_programs;     /* the launch promises no more along any axis; 0: nothing */
    int nvalues;               /* next free value id */
    Span span;
    VEC(Mark) marks; /* in the order of the program */
};

/* The body of a helper stands in place of a call. */
typedef struct {
    Span call;
    int parent; /* the site of the call itself, smaller than its own; 0 = none */
    int mark;   /* how many marks of its function were made before the call */
    Sym callee;
    Span callee_span; /* of Func */
} CallSite;

/* A loop that lowering wrote out, once for each value of its variable. */
typedef struct {
    Span span; /* of what it runs over */
    int rounds;
    int values; /* that all of them make, those of loops in it too */
} Unrolled;

struct Module {
    Arena *arena;
    Interner *interner;
    const SourceMap *sources; /* of the spans; may be NULL */
    VEC(CallSite) sites;      /* the first is nobody's; see site.c */
    VEC(Unrolled) unrolled;
    VEC(const Symbol *) constexprs; /* names, each with its value */
    Func **funcs;
    int nfuncs, funcs_cap;
    Map *types;
    bool tells_places; /* texts of ops, of this module and of plans for it, end with their lines */
};

/* Bytes of tiles that a kernel may hold at once, on one thread; more is refused. */
enum { IR_MOST_TILE_BYTES = 1 << 30 };

/* dtype.c */
const char *dtype_name(DType t);                                /* "fp32" */
const char *dtype_triton_name(DType t);                         /* "fp32", "int32" */
const char *dtype_long_name(DType t);                           /* "float32", "int32" */
bool dtype_from_name(const char *s, size_t n, DType *out);      /* IR and command-line names */
bool dtype_from_long_name(const char *s, size_t n, DType *out); /* tl.NAME */
int dtype_bits(DType t);                                        /* of the value: 1 for i1 */
int dtype_size(DType t);                                        /* bytes in memory; i1 takes one */
bool dtype_is_float(DType t);                                   /* fp8 to fp64 */
bool dtype_is_fp8(DType t);                                     /* any of its formats */
bool dtype_is_small_float(DType t); /* 16 bits and less: computed in fp32 */
bool dtype_is_int(DType t);         /* bool included */
bool dtype_is_signed(DType t);      /* i8 to i64 */
bool dtype_is_unsigned(DType t);    /* bool included */
int dtype_exponent_bits(DType t);   /* of floats; 0 for others */
int dtype_mantissa_bits(DType t);   /* stored ones; 0 for others */
int dtype_bias(DType t);            /* of the exponent of floats */

/* type.c */
const Type *type_of(Module *m, Type t);      /* the module's own: equal types are one pointer */
const Type *type_scalar(Module *m, DType d); /* interned, as all types */
const Type *type_pointer(Module *m, DType d, bool is_const); /* a scalar one, to global memory */
/* Rank 0: the scalar; more than MAX_RANK is a bug(). */
const Type *type_tile(Module *m, DType d, int rank, const int32_t *dims);
/* the element of one in the shape of the other */
const Type *type_with_shape(Module *m, const Type *element, const Type *shape);
const Type *type_with_dtype(Module *m, const Type *shape, DType d); /* no pointer */
const Type *type_element(Module *m, const Type *t);                 /* rank 0 */
int64_t type_numel(const Type *t);                                  /* 1 for scalars */
int type_size(const Type *t);                         /* bytes of one element; 8 for pointers */
bool type_same_shape(const Type *a, const Type *b);   /* of whatever elements */
bool type_same_element(const Type *a, const Type *b); /* of whatever shape */
bool type_equal(const Type *a, const Type *b); /* also across modules; within one compare with == */
bool type_is_tile(const Type *t);              /* of rank 1 or more; pointers and handles too */
/* "fp32[64,32]", "*fp32", "*shared fp32[64]", "block fp32[64,32]" */
const char *type_text(Arena *a, const Type *t);
/* The same behind a text; with what its extents are called: "fp32[BLOCK=1024,(N // 4)=16]". */
void type_put(Text *s, const Type *t, const Symbol *const *extents);

/* build.c: every op is made through these; results get fresh ids. */
/* Without functions; `sources` may be NULL.  What is passed in must outlive it. */
Module *module_new(Arena *a, Interner *interner, const SourceMap *sources);
/* The last of the module; its body is empty, and its name need not be the only one. */
Func *module_kernel(const Module *m); /* a bug() when there is none */
Func *func_new(Module *m, const char *name, Span span);
/* `divisible` as in Param; before any hidden one. */
Value *func_add_param(Func *f, const char *name, const Type *type, int64_t divisible);
/* A parameter of a kernel that the launch fills by itself; behind all others. */
Value *func_add_hidden(Func *f, const char *name, const Type *type, ParamKind kind, int of,
                       int part);
Value *func_add_workspace(Func *f, const char *name, const Type *type, int64_t bytes);
/* Bytes from the beginning of a program's workspaces to that of parameter i, or, for the number of
 * parameters, to their end: a multiple of WORKSPACE_ALIGN. */
int64_t ir_workspace_at(const Func *f, int i);
const Value *func_hidden(const Func *f, ParamKind kind); /* the first of that kind, or NULL */
Block *block_new(Func *f, Op *owner);             /* empty; `owner` does not know of it yet */
Value *block_add_arg(Block *b, const Type *type); /* behind the others; its id is new */

/* Where new ops go: at the end of `block`, or in front of `before` when that is set. */
enum { MOST_HELD = 32 };
typedef struct {
    Module *module;
    Func *func;
    Block *block;
    Op *before;
    Span span; /* given to new ops, as are these */
    int site, mark;
    int nheld; /* of a formula: operands that are made, whose op is not yet */
    Value *held[MOST_HELD];
} Builder;
/* C leaves open which argument of a call is evaluated first, and so in which order their ops would
 * come.  A formula that is written as calls within calls is a macro that has the operands behind
 * the first wait, from the last one on: `op(b, (build_hold(b, y), x))`. */
static inline void build_hold(Builder *b, Value *v)
{
    if (b->nheld == MOST_HELD)
        bug("a formula is too deep");
    b->held[b->nheld++] = v;
}
/* The one that came last. */
static inline Value *build_held(Builder *b)
{
    return b->held[--b->nheld];
}
/* Ops have no span, site or mark until it is given some. */
Builder builder_at_end(Func *f, Block *b);
Builder builder_before(Op *op);                     /* ops get the span, site and mark of `op` */
Builder builder_into(const Builder *b, Block *end); /* at the end of another block, else the same */

/* The general maker.  Arrays are copied; attributes that are not given are 0.  Result types follow
 * the table when `given` is NULL; it is needed for ops whose row says so.  Regions are made empty,
 * owned by the op. */
Op *build_op(Builder *b, OpCode code, int noperands, Value *const *operands, int nattrs,
             const int64_t *attrs, int nresults, const Type *const *given);
Value *build_const(Builder *b, const Type *t, uint64_t bits); /* scalar, or a tile of one value */
Value *build_int(Builder *b, const Type *t, int64_t v);       /* any int dtype; truncates */
Value *build_float(Builder *b, const Type *t, double v);      /* any float dtype; rounds */
Value *build_unary(Builder *b, OpCode code, Value *x);        /* the table gives the type */
/* The same; what fits is in the row of ops.h, and nobody looks before the verifier. */
Value *build_binary(Builder *b, OpCode code, Value *x, Value *y);
/* The condition is i1, in the shape of x and y. */
Value *build_select(Builder *b, Value *c, Value *x, Value *y);
/* The same, where c is true nearly everywhere, and y is right everywhere; see docs/ir.md. */
Value *build_usually(Builder *b, Value *c, Value *x, Value *y);
/* Gives x itself when it is `to` already; `r` counts where floats get narrower. */
Value *build_cast(Builder *b, Value *x, DType to, Rounding r);
/* Gives x itself when it is `to` already; of equal size. */
Value *build_bitcast(Builder *b, Value *x, DType to);
Value *build_arange(Builder *b, int32_t start, int32_t end); /* i32[end - start], from start on */
Value *build_splat(Builder *b, Value *x, const Type *shape); /* element of x in shape's dims */
/* Extents of 1 become those of `shape`; x itself when it has that shape. */
Value *build_broadcast(Builder *b, Value *x, const Type *shape);
/* A dimension of extent 1 at `axis`; a bug() beyond MAX_RANK. */
Value *build_expand(Builder *b, Value *x, int axis);
/* The same elements in row-major order; x itself when it has that shape. */
Value *build_reshape(Builder *b, Value *x, int rank, const int32_t *dims);
/* Dimension i of the result is dims[i] of x. */
Value *build_permute(Builder *b, Value *x, const int *dims);
/* The tile of these dims that begins at starts[] within x. */
Value *build_slice(Builder *b, Value *x, const int64_t *starts, const int32_t *dims);
Value *build_addptr(Builder *b, Value *p, Value *offset); /* offsets in elements of the pointee */
Op *build_load(Builder *b, Value *p, Value *mask,
               Value *other); /* NULL: none; no other without mask */
/* Along an axis; its region has its arguments, and nothing else yet. */
Op *build_reduce(Builder *b, int n, Value *const *tiles, int axis);
/* Elements along one axis combined by this op. */
Value *build_reduce_along(Builder *b, OpCode how, Value *v, int axis);
/* The same over all dimensions; a scalar is itself. */
Value *build_reduce_all(Builder *b, OpCode how, Value *v);
/* i32 in that shape: the number of each element, row-major. */
Value *build_numbers(Builder *b, const Type *shape);
/* That load of another place, under another mask; `other` may be NULL. */
Value *build_load_like(Builder *b, const Op *load, Value *pointer, Value *mask, Value *other);
Op *build_scan(Builder *b, int n, Value *const *tiles, int axis, bool reverse);
void build_yield(Builder *b, OpCode ends, int n, Value *const *values); /* yield condition return */

/* failure.c */
/* An `if` without an else; what goes there comes in front of its end. */
Builder build_branch(Builder *b, Value *condition);
/* Say that an assertion or a check failed, where `bad`, i1 in its shape, is set; `asked`: if any
 * is, else one is known to be. */
void build_failure(Builder *b, const Op *op, Value *bad, bool asked);

/* edit.c */
void op_remove(Op *op);                    /* unlink; its results must have no uses left */
void op_insert_before(Op *op, Op *before); /* move or place */
void op_append(Block *b, Op *op);          /* to the end, from wherever it is */
Value *ir_resolve(Value *v);               /* follow v->repl to its end, shortening the path */
void ir_resolve_operands(Op *op);          /* of this op alone, not of its regions */
Op *op_clone(Builder *b, const Op *op, Map *values); /* deep; `values` maps old to new Value* */
/* The same of operands in another shape; the results have these types. */
Op *op_clone_as(Builder *b, const Op *op, const Type *const *types, Map *values);
bool block_encloses(const Block *outer, const Block *inner); /* at any depth; or they are one */
/* In order, each op before its regions; `visit` may remove the op. */
void ir_walk(Block *b, void (*visit)(Op *op, void *ctx), void *ctx);

/* site.c: the calls that an op was inlined through, and messages about ops. */
/* The unrolled loop that makes most of a kernel of so many values, and half of them or more; NULL:
 * there is none. */
const Unrolled *ir_most_unrolled(const Module *m, int values);
int call_site_new(Module *m, const Op *call);           /* for what takes the place of the call */
int call_site_under(Module *m, CallSite s, int parent); /* the same call, inlined once more */
const CallSite *call_site(const Module *m, int site);   /* NULL: none */
/* Of what stands there: the source's name, where the IR may have several, f, f__2, .. */
const char *site_function(const Func *f, int site, Arena *a);
void ir_diag_calls(Diags *d, const Module *m, int site); /* a note for each call, innermost first */
/* A message at the op's place, with notes about the calls that it was inlined through. */
void ir_diag(Diags *d, DiagKind kind, const Op *op, const char *fmt, ...) PRINTF(4, 5);
/* The same with the arguments in hand. */
void ir_diag_v(Diags *d, DiagKind kind, const Op *op, const char *fmt, va_list ap);

/* table.c: what ops.h says */
enum { MAX_OP_ATTRS = 7 };
typedef struct {
    const char *name, *operands, *result;
    AttrId attrs[MAX_OP_ATTRS + 1]; /* up to ATTR_NONE */
    int flags;
} OpInfo;
const OpInfo *op_info(OpCode code); /* a bug() for what is no op */
/* Of n letters; false: no op is called so. */
bool opcode_from_name(const char *s, size_t n, OpCode *out);
/* One word of a row's operands: `mask?` is {"mask", 4, '?'}; false at the end. */
typedef struct {
    const char *s;
    int len;
    char mark; /* '?', '*' or 0 */
} TableWord;
/* *list moves behind it; words are apart by spaces. */
bool table_word(const char **list, TableWord *out);

/* table.c: what attrs.h says */
typedef enum { ATTR_IS_NUMBER, ATTR_IS_WORD, ATTR_IS_TEXT, ATTR_IS_LIST } AttrKind;
typedef struct {
    const char *name; /* in the text form */
    AttrKind kind;
    bool needed; /* the others are 0 or empty when left out */
    const char *const *words;
    int nwords;
} AttrInfo;
const AttrInfo *attr_info(AttrId attr); /* a bug() for what is no attribute */
/* The number of a word of WORDS; false: there is no such word. */
bool attr_from_word(AttrId attr, const char *s, size_t n, int64_t *out);
int op_fixed_attrs(OpCode code); /* how many it has, a list not counted */
/* An attribute that the op's row has; asking for another is a bug. */
int64_t attr_get(const Op *op, AttrId attr);
void attr_set(Op *op, AttrId attr, int64_t v); /* a bug() when the op's row does not have it */
Sym attr_text(const Op *op, AttrId attr);      /* "" when it is empty */
/* What a TEXT attribute holds: the interned text, 0 when it is empty. */
int64_t attr_of_text(Module *m, const char *s, size_t n);
const int64_t *attr_list(const Op *op, AttrId attr, int *n); /* *n may be 0; within op->attrs */
/* The same by name: attr_axis(op), attr_cache(op), attr_message(op), attr_dims(op, &n). */
#define NUMBER(name, text, need)                                                                   \
    static inline int64_t attr_##name(const Op *op)                                                \
    {                                                                                              \
        return attr_get(op, ATTR_##name);                                                          \
    }
#define TEXT(name, text, need)                                                                     \
    static inline Sym attr_##name(const Op *op)                                                    \
    {                                                                                              \
        return attr_text(op, ATTR_##name);                                                         \
    }
#define LIST(name, text)                                                                           \
    static inline const int64_t *attr_##name(const Op *op, int *n)                                 \
    {                                                                                              \
        return attr_list(op, ATTR_##name, n);                                                      \
    }
#define WORDS(Type, name, text, need)                                                              \
    static inline Type attr_##name(const Op *op)                                                   \
    {                                                                                              \
        return (Type)attr_get(op, ATTR_##name);                                                    \
    }
#define WORD(constant, word)
#define END(Type)
#include "attrs.h"

static inline bool op_has(const Op *op, int flag)
{
    return (op_info(op->code)->flags & flag) != 0;
}
/* NULL: it is not given, or i is -1. */
static inline Value *op_operand(const Op *op, int i)
{
    return i >= 0 && i < op->noperands ? op->operands[i] : NULL;
}
bool op_is_elementwise(const Op *op);      /* result element i needs only operand elements i */
bool op_contains(const Op *op, int flags); /* itself or anything in its regions has one of them */
bool op_has_effects(const Op *op); /* contains an op that uses memory or has an effect beyond it */
/* The constant behind v, through ops that move elements; false when there is none. */
bool value_constant(const Value *v, uint64_t *bits);
bool value_const_int(const Value *v, int64_t *out); /* extended by the dtype's signedness */
/* As bounds and steps of loops count: signed, whatever the dtype (semantics R126). */
bool value_const_signed(const Value *v, int64_t *out);

/* moves.c: where the result of an op with MOVES has its elements from.  Dimension d of operand 0 is
 * read at start[d] and the index of the result's dimension follows[d]; at start[d] when that is -1.
 */
typedef struct {
    int8_t follows[MAX_RANK];
    int32_t start[MAX_RANK];
} Move;
/* False: not dimension by dimension, but in the same order. */
bool op_move(const Op *op, Move *out);
/* The same where every dimension is read from 0 on: the result is the operand by another name. */
bool op_renames(const Op *op, Move *out);
/* Are the result operand 0's elements in the same row-major order? */
bool op_keeps_order(const Op *op);
/* Does an element that it gives follow from those of other lanes?  Control is not asked. */
bool op_crosses_lanes(const Op *op);
bool op_says_value(const Op *op); /* a record of what a name is given */

/* print.c, read.c: the text form; reading what was printed gives the same module. */
const char *ir_print(const Module *m, Arena *a);       /* all functions; also of unsound IR */
bool ir_is_name_char(char c);                          /* of names in that text */
const char *ir_print_sites(const Module *m, Arena *a); /* also the calls that ops came through */
const char *op_text(const Op *op, Arena *a);           /* one line, for messages */
/* As the text form has it, floats so that they read back the same. */
void ir_put_constant(Text *t, const Type *type, uint64_t bits);
/* The same for many ops of a function, whose values get their names once. */
typedef struct Printer Printer;
/* Values made later, and all of them where f is NULL, are `?` and their id. */
Printer *op_printer_new(const Func *f, Arena *a);
void op_printer_show_symbols(
    Printer *p); /* from now on, what numbers are called, as a module has it */
const char *op_printer_value(Printer *p, const Value *v); /* "%x" */
const char *op_printer_text(Printer *p, const Op *op);    /* one line, without the op's regions */
/* Verified; NULL after errors.  `src` is one of the sources of `d`. */
Module *ir_read(Arena *a, Interner *interner, const Source *src, Diags *d);

/* verify.c: false and diagnostics when the IR is not well formed. */
bool ir_verify(const Module *m, Diags *d);

/* scalar.c: what each op with FOLDS means, on each dtype; scalar_int_ops.h and scalar_float_ops.h
 * say it, once.
 * Applies `op` to n elements: operands are arrays in memory form (dtype_size bytes each, i1 one
 * byte of 0 or 1), `in` the dtype of operand 0 (of operand 1 for select), `out` of the result;
 * `attrs` are the op's, NULL when it has none; ldexp's exponents are i32; pointers pass as u64.
 * dst may be a source whose elements are no narrower.  False: no such meaning. */
bool scalar_apply(OpCode op, const int64_t *attrs, DType in, DType out, const void *const *src,
                  void *dst, size_t n);
/* The shortest decimal that reads back as v, which is finite, in that dtype. */
void scalar_put_shortest(Text *t, DType d, double v);
double scalar_to_double(DType t, uint64_t bits);  /* ints too, nearest */
uint64_t scalar_from_double(DType t, double v);   /* nearest even, once; ints saturate */
int64_t scalar_to_int(DType t, uint64_t bits);    /* ints: by signedness; floats: toward zero */
uint64_t scalar_truncate(DType t, uint64_t bits); /* keep the dtype's bits; i1: != 0 */

#endif
