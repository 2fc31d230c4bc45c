/*
 * template_gpu.h - a header for GPUs: template_frame.h says how to read this
 */
#include "runtime_gpu.h"
#include "template_frame.h"

/*! head_gpu */
/*
 * The kernel $KERNEL, compiled ahead of time by tilec $VERSION; made by `tilec build`, do not edit.
 *
 * Link the object that came with this header; it opens NVIDIA's driver when it runs, and
 * needs nothing else.
 *
 * $CONSTANTS
 * Specialisations, of which the first one is taken that fits:
 *     $FORMS_TEXT
 * Each is for NVIDIA's $CHIPS, as PTX, which the driver assembles when it is first
 * launched in a context.
 * $DISJOINT
 *
 * Arrays are addresses on the GPU.  A launch goes to the context that is current, or to the
 * primary one of the first GPU, and is queued on the stream; errors of the programs come from
 * later calls of the driver.  Any number of threads may launch at once.
 */
/*! gpu */

/* In the object. */
$VARIABLES
/*! variable */
extern tilec_aot_kernel $FORM;
/*! */
/* What a function has for each form, and for the last one. */
static inline int $NAME_launches(uint64_t *tilec_words, const int32_t *tilec_grid,
                                 void *tilec_stream)
{
    /*! launch_if */
    if ($CONDITIONS) {
        void *tilec_args[] = {$ADDRESSES NULL};
        return tilec_aot_launch(&$FORM, tilec_args, tilec_grid, tilec_stream);
    }
    /*! launch */
    void *tilec_args[] = {$ADDRESSES NULL};
    return tilec_aot_launch(&$FORM, tilec_args, tilec_grid, tilec_stream);
    /*! */
}
/*! function_gpu */

/*
 * Launch the kernel over its grid.
 *
 *     $DESCRIPTION
 *     tilec_x, tilec_y, tilec_z: how many programs; 1 where a dimension is not used
 *     tilec_stream: a CUstream or cudaStream_t; NULL: the default one
 *
 * Gives TILEC_AOT_OK, or one of the errors that this header begins with; of TILEC_AOT_FAILED
 * tilec_aot_gpu_problem() says why.
 */
TILEC_AOT_FUNCTION int $NAME($PARAMETERS int32_t tilec_x, int32_t tilec_y, int32_t tilec_z,
                             void *tilec_stream)
{
    const int32_t tilec_grid[3] = {tilec_x, tilec_y, tilec_z};
    $WORDS
    if (!tilec_aot_fits(tilec_grid))
        return TILEC_AOT_BAD_ARGUMENT;
    if (tilec_aot_programs(tilec_grid) == 0)
        return TILEC_AOT_OK;
    $FORMS
}
/*! */
#undef $NAME
#define $NAME $NAME_gpu_with_grid /* there is one of both */
/*! function_gpu_with_grid */

/*
 * Launch the kernel over its grid.
 *
 *     $DESCRIPTION
 *     tilec_stream: a CUstream or cudaStream_t; NULL: the default one
 *
 * Gives TILEC_AOT_OK, or one of the errors that this header begins with; of TILEC_AOT_FAILED
 * tilec_aot_gpu_problem() says why.
 */
TILEC_AOT_FUNCTION int $NAME($PARAMETERS void *tilec_stream)
{
    int32_t tilec_grid[3];
    $WORDS
    $NAME_grid($ARGUMENTS tilec_grid);
    if (!tilec_aot_fits(tilec_grid))
        return TILEC_AOT_BAD_ARGUMENT;
    if (tilec_aot_programs(tilec_grid) == 0)
        return TILEC_AOT_OK;
    $FORMS
}
