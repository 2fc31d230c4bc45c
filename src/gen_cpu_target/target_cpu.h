/*
 * target_cpu.h - the target "cpu": from a function to its plan and its code
 */
#ifndef TILEC_GEN_CPU_TARGET_TARGET_CPU_H
#define TILEC_GEN_CPU_TARGET_TARGET_CPU_H

#include "../gen_cpu/cpu.h"
#include "../plan_verify/plan_verify.h"

/* cpu_limits.c: is there not too much of it, and is it whole?  False: a diagnostic says what. */
bool cpu_takes(Diags *d, const Plan *p);

/* cpu_build.c */
bool cpu_build(const GenBuild *b, Arena *a, GenOutput *out, Diags *d); /* Target.build */

#endif
