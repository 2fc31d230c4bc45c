/*
 * runtime.h - what every header of an object that was compiled ahead of time has: what functions
 * return, the types that they rely on, and the arithmetic of grids
 *
 * What stands behind the mark is copied into headers as it is (cmake/aot.cmake): C99 and C++17,
 * without a warning, with the names of no library.  A program may include several such headers.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*! runtime */
#ifndef TILEC_AOT
#define TILEC_AOT
/* What the functions return; the values are those of tilec_status in tilec.h. */
enum {
    TILEC_AOT_OK = 0,
    TILEC_AOT_REFUSED = 1,      /* there is no specialisation for these values */
    TILEC_AOT_NO_CPU = 2,       /* TILEC_CPU names no level of CPUs that there is code for */
    TILEC_AOT_NO_MEMORY = 4,    /* for the kernel's intermediate tiles */
    TILEC_AOT_BAD_ARGUMENT = 5, /* the grid is negative or too large, or no range of it is given */
    TILEC_AOT_FAILED = 6,       /* of a GPU: there is no driver, or it refuses */
    TILEC_AOT_FAULT = 7         /* an assertion in the kernel failed */
};

/* How the functions for programs are defined.  Without `static` they are real ones, for other
 * languages: docs/aot.md. */
#ifndef TILEC_AOT_FUNCTION
#define TILEC_AOT_FUNCTION static inline
#endif

/* C's types are what the kernels were compiled for, or this does not compile. */
typedef char tilec_aot_floats[sizeof(float) == 4 && sizeof(double) == 8 ? 1 : -1];
typedef char tilec_aot_words[sizeof(void *) == 8 && sizeof(bool) == 1 ? 1 : -1];

/* Programs of a grid; -1: it is negative, or has more than 2^62. */
static inline int64_t tilec_aot_programs(const int32_t grid[3])
{
    int64_t plane;

    if (grid[0] < 0 || grid[1] < 0 || grid[2] < 0)
        return -1;
    plane = (int64_t)grid[0] * grid[1];
    if (grid[2] > 0 && plane > (INT64_C(1) << 62) / grid[2])
        return -1;
    return plane * grid[2];
}

/* One extent of a grid; what does not fit is negative. */
static inline int32_t tilec_aot_extent(int64_t n)
{
    return n < 0 || n > INT32_MAX ? -1 : (int32_t)n;
}

/* Python's whole division, and what it leaves; a division by 0 gives a grid that is refused. */
static inline int64_t tilec_aot_floordiv(int64_t a, int64_t b)
{
    return b == 0 || (b == -1 && a == INT64_MIN) ? -1 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t tilec_aot_mod(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? -(b == 0) : a - tilec_aot_floordiv(a, b) * b;
}
static inline int64_t tilec_aot_cdiv(int64_t a, int64_t b)
{
    return b == 0 || (b == -1 && a == INT64_MIN) ? -1 : a / b + (a % b != 0 && (a < 0) == (b < 0));
}
static inline int64_t tilec_aot_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t tilec_aot_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
#endif
