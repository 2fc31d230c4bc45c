/*
 * tl.h - operators and functions of the language, tl.*, and what their files share
 *
 *   operators.c      operators on values; promote.c: which dtype they compute in, shapes.c: which
 *                    shape
 *   elements.c       parts of tiles, taken and put
 *   builtins.h       THE table of functions: where each is visible, its signature, its handler
 *   builtin.c        finds them, binds arguments to their signatures, reads arguments
 *   builtin_*.c      the handlers, by theme
 *   messages.h       THE table of messages
 *   ../lower/arguments.h   THE table of what parameters are called
 *
 * The lowering calls a function by its row; a handler gets bound arguments, asks for them by name
 * (`arg_axis(l, a, ARG_dim, ...)`), and gives a Val, made of ops where it is not known at compile
 * time.
 */
#ifndef TILEC_TL_TL_H
#define TILEC_TL_TL_H

#include "../lower/lower.h"
#include "messages.h"

/* --- for the lowering, through its KernelLanguage --- */
/* operators.c: Python's on constants and tuples, else an op in the promoted dtype and the joint
 * shape (R42 and on); unknown after an error. */
Val ops_binary(Lower *l, BinaryOp op, Val x, Val y, Span span);
Val ops_unary(Lower *l, UnaryOp op, Val x, Span span); /* `not` is ops_truth_not() */
/* Gives i1; known where both sides are. */
Val ops_compare(Lower *l, CompareOp op, Val x, Val y, Span span);
Val ops_truth_not(Lower *l, Val x, Span span); /* `not x`; each element of a tile for itself */
/* `and` and `or`, on i1 and element by element (R110); NULL after an error. */
Value *ops_logical(Lower *l, BinaryOp op, Value *x, Span x_span, Value *y, Span y_span);
Value *ops_cast(Lower *l, Value *v, DType to, Rounding r, Span span); /* NULL after an error */

/* elements.c: parts of tiles (R152, R153) */
/* The shape of the elements of x there; `news`: with the dimensions of None.  False after an error.
 */
bool elements_shape(Lower *l, const Value *x, const Indices *at, bool news, Type *out, Span span);
/* The elements themselves; NULL after an error.  What is known at compile time only moves elements;
 * the rest is gathered, and where x has no such element gives 0. */
Value *elements_of(Lower *l, Value *x, const Indices *at, Span span);
/* x with the elements of y, in the shape that elements_of() gives, in their place; those that x
 * does not have are dropped.  No index is a tile. */
Value *elements_put(Lower *l, Value *x, const Indices *at, Value *y);
/* Shape to which v can be broadcast; a scalar goes to any. */
Value *ops_to_shape(Lower *l, Value *v, const Type *shape);

/* promote.c */
/* The dtype that an operator computes in (R43); false after an error: they do not go together. */
bool promote_types(Lower *l, DType a, DType b, bool division, Span span, DType *out);
/* That of a constant by itself (R40); false after an error: no number, or one too large. */
bool literal_dtype(Lower *l, const Const *c, Span span, DType *out);
/* R40, then a cast to t; NULL after an error.  What no integer type holds may still be a float. */
Value *literal_cast(Lower *l, const Const *c, DType t, Span span);
/* A run-time value of v: constants by R40.  NULL after an error, with v unknown too. */
Value *val_to_run(Lower *l, Val v, Span span);

/* builtin.c */
/* `where`: IN_* bits, any of which will do; NULL: there is none. */
const Builtin *builtin_find(Sym name, int where);
/* Binds, then the handler; unknown after an error. */
Val call_builtin(Lower *l, const Builtin *b, const ArgList *args);
/* By its signature, with defaults filled in; false after an error. */
bool bind_builtin(Lower *l, const Builtin *b, const ArgList *args, Args *out);
/* For a misspelt word; dtypes too in tl; NULL: none is near. */
const char *builtin_near(const char *word, int where);
/* The function that has this name but for case and underscores; NULL: none. */
const char *builtin_alike(const char *word, int where);

/* builtin.c: arguments of a bound call, by a name that its signature has; any other is a bug().
 * Only arg_int() reports anything. */
Val arg(const Args *a, ArgName name);              /* a star parameter's is a tuple */
const Node *arg_node(const Args *a, ArgName name); /* NULL where the default stands */
bool arg_is_self(const Args *a, ArgName name);     /* what the method was called on */
bool arg_given(const Args *a, ArgName name);       /* neither left out nor None */
bool arg_unknown(const Args *a);                   /* any of them is */
bool arg_int(Lower *l, const Args *a, ArgName name, int64_t *out); /* known and in 64 bits */
/* Why a value that had to be known is not: points at the assignment that ended it (R14).  False:
 * nothing was said. */
bool hint_not_constexpr(Lower *l, const Node *n);

/* builtin_say.c */
void lower_assert(Lower *l, const Node *n); /* the statement, as tl.device_assert has it (R137) */

bool value_is_instance(Val v, const char *class); /* builtin_static.c: of a class by its name */

/* --- for these files --- */
/* shapes.c */
/* Both in one shape (R47); false after an error. */
bool ops_broadcast(Lower *l, Value **x, Value **y, Span span);
/* For n from 1 on; changes v[] only when it is true. */
bool ops_broadcast_all(Lower *l, Value **v, int n, Span span);
/* Warn where the sign of `v` is asked for, and it is the difference of two unsigned elements that
 * were loaded. */
void ops_warn_of_wrap(Lower *l, const Value *v, Span span);
/* builtin_say.c: assert that a sum, difference or product of integers fits its dtype; nothing for
 * other operations, and for 64 bits.  Asked where l->finds_overflow. */
void say_overflow(Lower *l, Value *result, Value *x, Value *y, Span span);
/* Can they be?  Asked before a conversion, so that a message shows the types as written. */
bool ops_shapes_fit(Lower *l, Val x, Val y, Span span);
/* Could a tile have these extents?  R150 without the power of two; false after an error. */
bool ops_check_tile(Lower *l, int rank, const int64_t *dims, Span span);
/* operators.c: one run-time binary op with its operands promoted the non-adopting way (R45). */
Val ops_math2(Lower *l, OpCode code, Val x, Val y, Span span);

/* promote.c: bring x and y to one dtype by the rules of operators that adopt literals (or not). */
typedef struct {
    bool adopts, division;
} PromoteRule;
/* Neither may be anything but a constant or a run-time value; shapes stay.  False after an
 * error. */
bool promote_pair(Lower *l, PromoteRule rule, Val x, Val y, Value **vx, Value **vy, Span span);
/* shapes.c: and to one shape, which is looked at first. */
bool ops_pair(Lower *l, PromoteRule rule, Val x, Val y, Value **vx, Value **vy, Span span);

/* builtin.c */
/* Arguments as handlers want them.  Each reports what is wrong and gives false or NULL. */
Span arg_span(const Args *a, ArgName name);            /* of the call, where it is not written */
Value *arg_run(Lower *l, const Args *a, ArgName name); /* a run-time value; literals by R40 */
bool arg_bool(Lower *l, const Args *a, ArgName name, bool *out); /* known; Python's truth of it */
bool arg_string(Lower *l, const Args *a, ArgName name, const char **out); /* None gives "" */
bool arg_dtype(Lower *l, const Args *a, ArgName name, const Type **out); /* may be a pointer type */
/* Negative ones count from the end; *out is in [0, rank). */
bool arg_axis(Lower *l, const Args *a, ArgName name, int rank, int *out);
/* Up to `max` ints from a tuple, a list, or one int. */
bool arg_ints(Lower *l, const Args *a, ArgName name, int max, int64_t *out, int *n);
/* Extents from 1 on, MAX_RANK of them and MAX_TILE elements at most; powers of two are for the
 * caller to ask for. */
bool arg_shape(Lower *l, const Args *a, ArgName name, int *rank, int32_t *dims);
/* Name the extents of `v`, which has the shape that this argument says. */
void arg_name_extents(Lower *l, const Args *a, ArgName name, Value *v);
/* A text of names[]; *out is values[] of it, or its place where `values` is NULL.  `wrong` is the
 * message with the text. */
bool arg_choice(Lower *l, const Args *a, ArgName name, const char *const *names, const int *values,
                int n, const char *wrong, int64_t *out);
/* Note where the one parameter is that holds this very value, which is not what it should be; its
 * name, or NULL. */
const char *note_parameter(Lower *l, Val v);
/* Of an address that is none: which parameter got no array; false: none of them is to blame. */
bool note_not_a_pointer(Lower *l, const Node *address);

/* builtin_memory.c */
/* cache_modifier and eviction_policy of tl.load and of tl.store, as attributes of their ops. */
typedef struct {
    int64_t cache, evict; /* CacheHint, EvictHint */
} AccessHints;
bool access_hints(Lower *l, const Args *a, AccessHints *out); /* false after an error */
void access_hints_put(Op *access, const AccessHints *h);      /* `access` has both attributes */

bool atomic_takes(RmwKind kind, DType t); /* the table of R220 */

/* builtin_block_ptr.c */
/* n int64 scalars from a tuple of ints; false after an error. */
bool block_i64_parts(Lower *l, const Args *a, ArgName name, int n, Value **out);
/* The pointer, shape and strides that a handle is made of, and its type but for its kind. */
bool block_parts(Lower *l, const Args *a, Type *t, Value **v);
/* padding_option, for elements of `t`; false after an error. */
bool block_padding(Lower *l, const Args *a, DType t, int64_t *out);
/* The value in the element type and shape of the block; NULL after an error. */
Value *block_data(Lower *l, const Args *a, ArgName name, Val handle);
/* tl.load of a block pointer, whose arguments are those of tl.load (R231). */
Val load_block_ptr(Lower *l, const Args *a);
Val store_block_ptr(Lower *l, const Args *a); /* tl.store, in the same way; gives None */

/* What a builtin gives where it is lowered without a row of its own. */
/* max or min, NaN as `code` has it; bf16 gives fp32 (R251). */
Val extremum_values(Lower *l, OpCode code, Val x, Val y, Span span);
/* stored.c: warn where a store to elements of type t, or tl.full, cuts off a fraction of what the
 * program has not converted itself, or a constant that t does not hold */
void stored_warn(Lower *l, const Value *v, DType t, Span span);
void stored_warn_of_literal(Lower *l, const Const *c, DType t, Span span);
/* Of what lanes hold that are not loaded: nor are bits meant by a negative number. */
void stored_warn_of_other(Lower *l, const Const *c, DType t, Span span);
/* unread.c: warn where lanes that the mask of a load leaves out count in the reduction of `v` by
 * OP_add, OP_mul, OP_max or OP_min along an axis, -1: all of them; it is this argument */
void unread_warn(Lower *l, const Args *a, ArgName of, OpCode code, const Value *v, int axis);
/* The same of a histogram without a mask, which counts numbers below `bins`. */
void unread_warn_of_count(Lower *l, const Args *a, const Value *v, int32_t bins);
/* The same of a sum by atomics without a mask: p and data in one shape. */
void unread_warn_of_atomic(Lower *l, const Args *a, const Value *p, const Value *data);
Value *reduce_values(Lower *l, OpCode code, Value *v, int axis); /* one operand, combined by code */
Value *indices_along(Lower *l, const Value *v,
                     int axis); /* 0, 1, 2... along it, in v's shape; i32 */
/* Elements of v at `index` along `axis`: in the shape of index, of which only that extent differs
 * from v's. */
Value *elements_at(Lower *l, Value *v, Value *index, int64_t axis);
Value *arg_numbers(Lower *l, const Args *a, ArgName name); /* a tile of them; NULL after an error */
/* Elements of two tiles of one type by turns along `axis`; NULL after an error. */
Value *interleave_along(Lower *l, Value *x, Value *y, int axis, Span span);
/* builtin_dot.c: a @ b + acc of the operands as they are, where `acc` names an argument; unknown
 * after an error.  Their shapes are looked at, their dtypes are not.  `attrs` are the op's. */
enum { DOT_ATTRS = 2 };
Val dot_of(Lower *l, const Args *a, Value *x, Value *y, DType result, const int64_t *attrs);
enum { PHILOX_SEED, PHILOX_KEYS }; /* what tl.philox and its kin are given */
DType extremum_dtype(DType t);     /* of what max and min give, R251 */
/* At run time, fp32 or fp64 (R66); NULL after an error. */
Value *float_operand(Lower *l, const Args *a, ArgName name);

/* the handlers of builtins.h */
#define BUILTIN(name, where, data, signature, handler) Val handler(Lower *l, const Args *a);
#include "builtins.h"

#endif
