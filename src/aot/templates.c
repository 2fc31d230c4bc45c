/*
 * templates.c - the templates of headers as C, for an example: so that compilers, clang-tidy and
 * clang-format see them
 *
 * Each hole is a macro here, and a name with a hole in it a name.  All functions are static inline,
 * and nobody calls them: of this file nothing is left in the library.
 */
#define $RUNTIME
#define $PROTOTYPES
#define $VARIABLES
#define $LEVEL_NAMES "x86-64", "x86-64-v3"
#define $PARAMETERS const float *x, int32_t n,
#define $PARAMETERS_ALONE const float *x, int32_t n
#define $ARGUMENTS x, n,
#define $USES (void)x, (void)n;
#define $GRID_X tilec_aot_cdiv(n, INT64_C(64))
#define $GRID_Y INT64_C(1)
#define $GRID_Z INT64_C(1)
#define $WORDS uint64_t tilec_words[2] = {(uint64_t)(uintptr_t)x, (uint64_t)n};
#define $CONDITIONS tilec_words[0] % 16 == 0
#define $VALUES tilec_words[0], tilec_words[1]
#define $ADDRESSES &tilec_words[0], &tilec_words[1],

#define $FORMS return $NAME_forms(tilec_words, tilec_grid, tilec_first, tilec_last);
#include "template_cpu.h"

#undef $FORMS
#undef $NAME
#define $FORMS return $NAME_launches(tilec_words, tilec_grid, tilec_stream);
#define $NAME $NAME_gpu
#define $FORM $FORM_gpu
#include "template_gpu.h"
