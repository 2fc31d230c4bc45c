/*
 * template_cpu.h - a header for CPUs: template_frame.h says how to read this
 */
#include "template_frame.h"

/*! head_cpu */
/*
 * The kernel $KERNEL, compiled ahead of time by tilec $VERSION; made by `tilec build`, do not edit.
 *
 * Link the object that came with this header, and the C library's mathematics (-lm); nothing else
 * is needed, and nothing is read or started when it runs.
 *
 * $CONSTANTS
 * Specialisations, of which the first one is taken that fits:
 *     $FORMS_TEXT
 * Each has code for $LEVELS CPUs; the highest that the machine has is chosen by
 * the first call, or one that is not above what the environment variable TILEC_CPU names.
 * $DISJOINT
 *
 * Threads: any number of them may call these functions at once.  Each call runs on the thread
 * that makes it; $NAME_range() runs a part of the grid, for programs that spread it over threads.
 */
/*! prototype */
int $FORM(const void *args, const int32_t grid[3], int64_t first, int64_t last);
/*! cpu */

/* In the object: args has a word for each value (tilec's docs/aot.md). */
$PROTOTYPES
int $LEVEL(void);

/* Which of them code is used for, "$FIRST_LEVEL"; else what is wrong with TILEC_CPU. */
TILEC_AOT_FUNCTION const char *$NAME_cpu(void)
{
    static const char *const names[] = {$LEVEL_NAMES};
    const int tilec_level = $LEVEL();

    return tilec_level >= 0 ? names[tilec_level]
                            : "none: TILEC_CPU names no level of CPUs that there is code for";
}
/*! */
/* What a function has for each form, and for the last one. */
static inline int $NAME_forms(const uint64_t *tilec_words, const int32_t *tilec_grid,
                              int64_t tilec_first, int64_t tilec_last)
{
    /*! form_if */
    if ($CONDITIONS) {
        const uint64_t tilec_args[] = {$VALUES};
        return $FORM(tilec_args, tilec_grid, tilec_first, tilec_last);
    }
    /*! form */
    const uint64_t tilec_args[] = {$VALUES};
    return $FORM(tilec_args, tilec_grid, tilec_first, tilec_last);
    /*! */
}
/*! range */

/*
 * Run some programs of a grid: those from number tilec_first up to, not with, tilec_last,
 * where the program at (x, y, z) has the number x + tilec_grid[0] * (y + tilec_grid[1] * z).
 *
 *     $DESCRIPTION
 *
 * Gives TILEC_AOT_OK, or one of the errors that this header begins with; nothing has
 * run then$FAULTS.
 */
TILEC_AOT_FUNCTION int $NAME_range($PARAMETERS const int32_t tilec_grid[3], int64_t tilec_first,
                                   int64_t tilec_last)
{
    const int64_t tilec_programs = tilec_aot_programs(tilec_grid);
    $WORDS
    if (tilec_programs < 0 || tilec_first < 0 || tilec_first > tilec_last ||
        tilec_last > tilec_programs)
        return TILEC_AOT_BAD_ARGUMENT;
    $FORMS
}
/*! function */

/*
 * Run the kernel over its grid.
 *
 *     $DESCRIPTION
 *     tilec_x, tilec_y, tilec_z: how many programs; 1 where a dimension is not used
 *
 * Returns as $NAME_range() does.
 */
TILEC_AOT_FUNCTION int $NAME($PARAMETERS int32_t tilec_x, int32_t tilec_y, int32_t tilec_z)
{
    const int32_t tilec_grid[3] = {tilec_x, tilec_y, tilec_z};

    return $NAME_range($ARGUMENTS tilec_grid, 0, tilec_aot_programs(tilec_grid));
}
/*! */
#define $NAME $NAME_with_grid /* there is one of both */
/*! function_with_grid */

/*
 * Run the kernel over its grid.
 *
 *     $DESCRIPTION
 *
 * Returns as $NAME_range() does.
 */
TILEC_AOT_FUNCTION int $NAME($PARAMETERS_ALONE)
{
    int32_t tilec_grid[3];

    $NAME_grid($ARGUMENTS tilec_grid);
    return $NAME_range($ARGUMENTS tilec_grid, 0, tilec_aot_programs(tilec_grid));
}
