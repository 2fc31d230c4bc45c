/*
 * tuning.c - what @triton.autotune and @triton.heuristics say (R340-R346)
 */
#include "ast.h"

FrontTuning tuning_of(FrontFile *f, const AstFunc *fn)
{
    (void)f;
    (void)fn;
    return (FrontTuning){0};
}
