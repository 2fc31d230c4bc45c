/*
 * template_frame.h - what stands around a header's functions, and the grid, which all kinds have
 *
 * Headers are made of parts, each from its mark to the next one.  In a part `$HOLE` stands for what
 * fill.c puts there; templates.c has an example for each, so that compilers read this as C.
 */
#include "runtime.h"

/*! begin */
#ifndef $GUARD
#define $GUARD

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

$RUNTIME

#ifdef __cplusplus
extern "C" {
#endif
/*! grid_function */

/* The grid for these arguments: programs along x, y and z; negative where it is too large. */
TILEC_AOT_FUNCTION void $NAME_grid($PARAMETERS int32_t tilec_grid[3])
{
    $USES
    tilec_grid[0] = tilec_aot_extent($GRID_X);
    tilec_grid[1] = tilec_aot_extent($GRID_Y);
    tilec_grid[2] = tilec_aot_extent($GRID_Z);
}
/*! end */

#ifdef __cplusplus
}
#endif
#endif
