/*
 * march.h - tiles that rounds of a loop, or programs, take one behind the other
 */
#ifndef TILEC_AXIS_MARCH_H
#define TILEC_AXIS_MARCH_H

#include "../ir/ir.h"

/* The tl.arange(0, E) along which the address goes on by E elements in each round of the loop, so
 * that tiles lie side by side; NULL: there is none. */
const Value *axis_march(const Value *pointer, const Op *loop);
/* .. that begins at tl.program_id(axis) * by, a constant; axis -1: any. */
const Value *axis_program_march(const Value *pointer, int axis, int64_t *by);

#endif
