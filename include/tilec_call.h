/*
 * tilec_call.h - a launch as one readable statement of C
 *
 *     status = tilec_call(file, "add_kernel", TILEC_GRID(tilec_cdiv(n, BLOCK)), &error,
 *                         TILEC_ARRAY(x, n), TILEC_ARRAY(y, n), TILEC_ARRAY(out, n),
 *                         TILEC_VALUE(n), TILEC_NAMED(BLOCK, 1024));
 *
 * All of it are macros and inline functions over tilec.h, which it includes: tilec_call() is
 * tilec_launch() with the arguments written one behind the other.  What they point to (shapes,
 * names) are compound literals, which live to the end of the block that they stand in, so an
 * argument may also be kept in a variable of that block.
 *
 * TILEC_ARRAY and the like, TILEC_VALUE and TILEC_NAMED choose by the C type, for which they need
 * C11.  In C99 the others are there: TILEC_ARRAY_OF(TILEC_FP32, x, n), tilec_int(n),
 * tilec_named("BLOCK", tilec_int(1024)).  C++ has tilec.hpp.
 */
#ifndef TILEC_CALL_H
#define TILEC_CALL_H

#ifdef __cplusplus
#error "tilec_call.h is for C; C++ has tilec.hpp"
#endif

#include <stdbool.h>
#include <string.h>
#include <tilec.h>

/* --- launching --- */

/*
 * tilec_call(file, kernel, grid, error, argument...) is tilec_launch() with all options at their
 * defaults; tilec_call_with(file, kernel, grid, options, error, argument...) passes a `const
 * tilec_launch_options *`.  Both give its status, and fail as it does.  There must be an argument.
 */
#define tilec_call(file, kernel, grid, error, ...)                                                 \
    tilec_call_with(file, kernel, grid, NULL, error, __VA_ARGS__)
#define tilec_call_with(file, kernel, grid, options, error, ...)                                   \
    tilec_launch(file, kernel, TILEC_REQUIRE_GRID(grid) + (grid).programs,                         \
                 ((const tilec_arg[]){__VA_ARGS__}),                                               \
                 (int)(sizeof((const tilec_arg[]){__VA_ARGS__}) / sizeof(tilec_arg)), options,     \
                 error)

/*
 * TILEC_OPTIONS(.threads = 2, .check = 1): options for the argument of that name, all others at
 * their defaults; at least one.  It lives to the end of the block that it stands in.  To the
 * preprocessor the commas in braces part the arguments of a macro, so that
 * &(tilec_launch_options){...} of two fields needs brackets around it.
 */
#define TILEC_OPTIONS(...) (&(const tilec_launch_options){__VA_ARGS__})

/*
 * The int 0, and an error of the compiler where the constant `condition` does not hold.  It says
 * the words, and in C99, which has no static assertion, the name.
 */
#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L
#define TILEC_REQUIRE(condition, name, words)                                                      \
    (0 * (int)sizeof(struct {                                                                      \
         _Static_assert(condition, words);                                                         \
         char name;                                                                                \
     }))
#else
#define TILEC_REQUIRE(condition, name, words)                                                      \
    (0 * (int)sizeof(struct { unsigned name : (condition) ? 1 : -1; }))
#endif

/* The same, where a value is no integer.  `1 ? value : 0` has its type, and is there of nothing. */
#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L
#define TILEC_REQUIRE_INTEGER(value, words)                                                        \
    TILEC_REQUIRE(_Generic(1 ? value : 0, float : 0, double : 0, long double : 0, default : 1),    \
                  integer, words)
#else
#define TILEC_REQUIRE_INTEGER(value, words)                                                        \
    (0 * (int)sizeof((1 ? value : 0) | 0)) /* `|` takes integers only */
#endif

/* Programs along x, y and z. */
typedef struct {
    int32_t programs[3];
} tilec_grid;

/* For what is no grid the compiler says the name of this. */
static inline int tilec_a_grid_is_written_TILEC_GRID(tilec_grid grid)
{
    return grid.programs[0];
}
#define TILEC_REQUIRE_GRID(grid) (0 * (int)sizeof(tilec_a_grid_is_written_TILEC_GRID(grid)))

/* One extent of a grid; what does not fit becomes -1, which a launch refuses. */
static inline int32_t tilec_extent(int64_t programs)
{
    return programs >= 0 && programs <= INT32_MAX ? (int32_t)programs : -1;
}

/* TILEC_GRID(x), TILEC_GRID(x, y) or TILEC_GRID(x, y, z), of integers; what is left out is 1. */
#define TILEC_GRID(...)                                                                            \
    TILEC_GRID_OF_3(TILEC_REQUIRE(sizeof(#__VA_ARGS__) > 1, extents_of_the_grid,                   \
                                  "TILEC_GRID takes one to three extents: TILEC_GRID(programs)"),  \
                    __VA_ARGS__, 1, 1, 1)
#define TILEC_GRID_OF_3(any, x, y, z, ...) /* of the 1s above, one is left over for each extent */ \
    ((tilec_grid){                                                                                 \
        {TILEC_EXTENT(x) + any +                                                                   \
             TILEC_REQUIRE(sizeof((const char[]){__VA_ARGS__}) <= 3, at_most_three_extents,        \
                           "TILEC_GRID takes at most three extents"),                              \
         TILEC_EXTENT(y), TILEC_EXTENT(z)}})
#define TILEC_EXTENT(programs)                                                                     \
    (TILEC_REQUIRE_INTEGER(                                                                        \
         programs,                                                                                 \
         "an extent of a TILEC_GRID is an integer: convert it, rounding as you mean it") +         \
     tilec_extent(1 ? programs : 0))

/* How many parts of `part` elements cover `n`, n >= 0: triton.cdiv().  Of no or negative elements
 * it is -1, which a launch refuses as a grid. */
static inline int64_t tilec_cdiv(int64_t n, int64_t part)
{
    return part > 0 ? n / part + (n % part != 0) : -1;
}
#define tilec_cdiv(n, part)                                                                        \
    (TILEC_REQUIRE_INTEGER(n, TILEC_WHOLE_PARTS) +                                                 \
     TILEC_REQUIRE_INTEGER(part, TILEC_WHOLE_PARTS) + tilec_cdiv(n, part))
#define TILEC_WHOLE_PARTS "tilec_cdiv divides integers, and rounds up: give it whole numbers"

/* --- arrays --- */

/* Extents or strides of an array, in elements: TILEC_LIST(rows, columns).  The first eight are
 * looked at; what is behind that becomes what C makes of it. */
#define TILEC_LIST(...)                                                                            \
    (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)) +                              \
        TILEC_INTEGERS_OF_8(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1),                                  \
        ((const int64_t[]){__VA_ARGS__})
#define TILEC_INTEGERS_OF_8(a, b, c, d, e, f, g, h, ...)                                           \
    TILEC_ELEMENTS(a) + TILEC_ELEMENTS(b) + TILEC_ELEMENTS(c) + TILEC_ELEMENTS(d) +                \
        TILEC_ELEMENTS(e) + TILEC_ELEMENTS(f) + TILEC_ELEMENTS(g) + TILEC_ELEMENTS(h)
#define TILEC_ELEMENTS(n)                                                                          \
    TILEC_REQUIRE_INTEGER(n, "extents and strides are numbers of elements, and integers")

/* The same, of one or more. */
#define TILEC_SOME_LIST(...)                                                                       \
    TILEC_REQUIRE(sizeof(#__VA_ARGS__) > 1, extents_behind_the_pointer,                            \
                  "the extents stand behind the pointer: TILEC_ARRAY(x, rows, columns)") +         \
        TILEC_LIST(__VA_ARGS__)

/*
 * An array in the host's memory of an element type that is named, for types that C does not have:
 * TILEC_ARRAY_OF(TILEC_BF16, weights, rows, columns).  Row-major without gaps.
 */
#define TILEC_ARRAY_OF(dtype, pointer, ...)                                                        \
    tilec_array(dtype, pointer, 0, TILEC_LIST(__VA_ARGS__), 0, NULL)
/* The same with strides: TILEC_STRIDED_OF(TILEC_BF16, x, TILEC_LIST(rows, columns),
 * TILEC_LIST(stride, 1)).  As many strides as extents. */
#define TILEC_STRIDED_OF(dtype, pointer, extents, strides)                                         \
    TILEC_ARRAY_BY_LISTS(dtype, pointer, 0, extents, strides)
#define TILEC_ARRAY_BY_LISTS(dtype, pointer, read_only, ...)                                       \
    tilec_array(dtype, pointer, read_only, __VA_ARGS__)

/* What the macros above and below make an argument with: `nstrides` is 0, where `strides` is not
 * looked at, or else `ndim`; of any other it makes a tensor that a launch refuses with these words.
 */
static inline tilec_arg tilec_array(tilec_dtype dtype, const void *data, int read_only, int ndim,
                                    const int64_t *shape, int nstrides, const int64_t *strides)
{
    tilec_arg a;
    bool fits = nstrides == 0 || nstrides == ndim;

    memset(&a, 0, sizeof a);
    a.kind = TILEC_ARG_TENSOR;
    memcpy(&a.tensor.data, &data, sizeof data); /* read_only keeps the promise of its const */
    a.tensor.dtype = dtype;
    a.tensor.ndim = fits ? ndim : TILEC_UNEQUAL_LISTS;
    a.tensor.shape = shape;
    a.tensor.strides = nstrides == 0 ? NULL : strides;
    a.tensor.read_only = read_only;
    return a;
}

/* --- values --- */

static inline tilec_arg tilec_int(int64_t value) /* i32, or i64 where the value needs it */
{
    tilec_arg a;

    memset(&a, 0, sizeof a);
    a.kind = TILEC_ARG_INT;
    a.integer = value;
    return a;
}

static inline tilec_arg tilec_uint(uint64_t value) /* the same, and u64 from 2^63 on */
{
    tilec_arg a = tilec_int(0);

    a.kind = TILEC_ARG_UINT;
    a.uinteger = value;
    return a;
}

/* fp32 where it is a run-time value, to which it is rounded, unless the kernel says `x: tl.float64`
 */
static inline tilec_arg tilec_float(double value)
{
    tilec_arg a = tilec_int(0);

    a.kind = TILEC_ARG_FLOAT;
    a.real = value;
    return a;
}

static inline tilec_arg tilec_bool(bool value)
{
    tilec_arg a = tilec_int(value);

    a.kind = TILEC_ARG_BOOL;
    return a;
}

static inline tilec_arg tilec_none(void)
{
    tilec_arg a = tilec_int(0);

    a.kind = TILEC_ARG_NONE;
    return a;
}

static inline tilec_arg tilec_text(const char *text) /* which is not copied */
{
    tilec_arg a = tilec_int(0);

    a.kind = TILEC_ARG_STRING;
    a.text = text;
    return a;
}

static inline tilec_arg tilec_type(tilec_dtype dtype) /* a dtype: tl.float32 */
{
    tilec_arg a = tilec_int(0);

    a.kind = TILEC_ARG_DTYPE;
    a.dtype = dtype;
    return a;
}

/* An argument for the parameter `name`, which is not copied; named ones come last. */
static inline tilec_arg tilec_named(const char *name, tilec_arg argument)
{
    argument.name = name;
    return argument;
}

/* --- chosen by the C type --- */

#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L

/* The element type that a pointer to C's own numbers points to. */
#define TILEC_DTYPE_OF(pointer)                                                                    \
    ((tilec_dtype)(TILEC_BY_ELEMENT(pointer) - 1 +                                                 \
                   TILEC_REQUIRE(TILEC_BY_ELEMENT(pointer), pointer_to_a_number,                   \
                                 "TILEC_ARRAY takes a pointer to C's own numbers, or an array of " \
                                 "them: of `float x[3][4]` pass x[0], and say the type of others " \
                                 "by TILEC_ARRAY_OF")))
#define TILEC_BY_ELEMENT(pointer) /* one more than the type, and 0 for what is none */             \
    _Generic((pointer) + 0, TILEC_EITHER(bool, TILEC_I1), TILEC_EITHER(char, TILEC_CHAR),          \
             TILEC_EITHER(signed char, TILEC_I8), TILEC_EITHER(short, TILEC_I16),                  \
             TILEC_EITHER(int, TILEC_I32), TILEC_EITHER(long, TILEC_LONG(I)),                      \
             TILEC_EITHER(long long, TILEC_I64), TILEC_EITHER(unsigned char, TILEC_U8),            \
             TILEC_EITHER(unsigned short, TILEC_U16), TILEC_EITHER(unsigned int, TILEC_U32),       \
             TILEC_EITHER(unsigned long, TILEC_LONG(U)),                                           \
             TILEC_EITHER(unsigned long long, TILEC_U64), TILEC_EITHER(float, TILEC_FP32),         \
             TILEC_EITHER(double, TILEC_FP64), default : 0)
#define TILEC_EITHER(type, value) type * : 1 + (value), const type * : 1 + (value)
#define TILEC_CHAR ((char)-1 < 0 ? TILEC_I8 : TILEC_U8)
#define TILEC_LONG(sign) (sizeof(long) == 8 ? TILEC_##sign##64 : TILEC_##sign##32)

/* 1 for a pointer to const, which a kernel that may write is refused. */
#define TILEC_IS_CONST(pointer)                                                                    \
    _Generic((pointer) + 0, TILEC_IF_CONST(bool), TILEC_IF_CONST(char),                            \
             TILEC_IF_CONST(signed char), TILEC_IF_CONST(short), TILEC_IF_CONST(int),              \
             TILEC_IF_CONST(long), TILEC_IF_CONST(long long), TILEC_IF_CONST(unsigned char),       \
             TILEC_IF_CONST(unsigned short), TILEC_IF_CONST(unsigned int),                         \
             TILEC_IF_CONST(unsigned long), TILEC_IF_CONST(unsigned long long),                    \
             TILEC_IF_CONST(float), TILEC_IF_CONST(double), default : 0)
#define TILEC_IF_CONST(type) const type * : 1

/* TILEC_ARRAY(x, n), TILEC_ARRAY(x, rows, columns): an array of C's own numbers, row-major without
 * gaps.  `x` is a pointer to one of them, or an array of them; of `float x[3][4]` it is x[0]. */
#define TILEC_ARRAY(pointer, ...)                                                                  \
    tilec_array(TILEC_DTYPE_OF(pointer), pointer, TILEC_IS_CONST(pointer),                         \
                TILEC_SOME_LIST(__VA_ARGS__), 0, NULL)
/* TILEC_STRIDED(x, TILEC_LIST(rows, columns), TILEC_LIST(stride, 1)) */
#define TILEC_STRIDED(pointer, extents, strides)                                                   \
    TILEC_ARRAY_BY_LISTS(TILEC_DTYPE_OF(pointer), pointer, TILEC_IS_CONST(pointer), extents,       \
                         strides)

/* Chosen for what is none of these, and fails to compile: the compiler says its name. */
typedef struct {
    int nothing;
} tilec_no_value;
static inline tilec_arg tilec_value_is_a_number_a_bool_or_a_text(tilec_no_value v)
{
    return tilec_int(v.nothing);
}

/* A number, bool or text as what it is in C, but for a double, which becomes an fp32: see
 * tilec_float().  A tilec_dtype is a number to C: tilec_type(). */
#define TILEC_VALUE(value)                                                                         \
    _Generic((value), bool : tilec_bool, char : tilec_int, signed char : tilec_int,                \
        short : tilec_int, int : tilec_int, long : tilec_int, long long : tilec_int,               \
        unsigned char : tilec_int, unsigned short : tilec_int, unsigned int : tilec_uint,          \
        unsigned long : tilec_uint, unsigned long long : tilec_uint, float : tilec_float,          \
        double : tilec_float, char * : tilec_text, const char * : tilec_text,                       \
        default : tilec_value_is_a_number_a_bool_or_a_text)(value)

/* TILEC_NAMED(BLOCK, 1024): a value for the parameter of that name. */
#define TILEC_NAMED(name, value) tilec_named(#name, TILEC_VALUE(value))

#else /* names that no compiler knows, to be read in its error */

#define TILEC_ARRAY(...) TILEC_ARRAY_needs_C11_else_write_TILEC_ARRAY_OF
#define TILEC_STRIDED(...) TILEC_STRIDED_needs_C11_else_write_TILEC_STRIDED_OF
#define TILEC_VALUE(...) TILEC_VALUE_needs_C11_else_write_tilec_int_or_tilec_float
#define TILEC_NAMED(...) TILEC_NAMED_needs_C11_else_write_tilec_named

#endif
#endif
