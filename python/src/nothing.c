/*
 * nothing.c - launches of no programs that do not look meant
 *
 * (n // BLOCK,) is (0,) where n is less than BLOCK: nothing runs, and the array stays as it was.
 * Where there is nothing to do an argument says so: an array without elements, or a number that is
 * 0.  Else there is a RuntimeWarning, which Python gives once for each place.
 */
#include "core.h"

static bool says_nothing(const tilec_arg *a)
{
    switch (a->kind) {
    case TILEC_ARG_TENSOR:
    case TILEC_ARG_DESCRIPTOR:
        for (int i = 0; i < a->tensor.ndim; i++) {
            if (a->tensor.shape[i] == 0)
                return true;
        }
        return false;
    case TILEC_ARG_INT:
        return a->integer == 0;
    case TILEC_ARG_UINT:
        return a->uinteger == 0;
    case TILEC_ARG_CONSTEXPR:
        return says_nothing(&a->items[0]);
    case TILEC_ARG_TUPLE:
        for (int i = 0; i < a->nitems; i++) {
            if (says_nothing(&a->items[i]))
                return true;
        }
        return false;
    default:
        return false;
    }
}

int warn_of_nothing(const char *kernel, const int32_t *grid, const tilec_arg *args, int nargs)
{
    for (int i = 0; i < nargs; i++) {
        if (says_nothing(&args[i]))
            return 0;
    }
    return PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                            "kernel `%s`: the grid (%d, %d, %d) has no programs: nothing runs. "
                            "triton.cdiv(n, BLOCK) rounds up where n // BLOCK is 0",
                            kernel, (int)grid[0], (int)grid[1], (int)grid[2]);
}
