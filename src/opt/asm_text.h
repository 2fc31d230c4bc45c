/*
 * asm_text.h - a text of inline PTX, read into ops
 */
#ifndef TILEC_OPT_ASM_TEXT_H
#define TILEC_OPT_ASM_TEXT_H

#include "asm.h"

/* Put the ops that a text is in front of `op`, and give what each of its results is.  NULL, or else
 * why it is no text of such ops: a sentence that names what is not known.  What was made then is
 * dead. */
const char *asm_read(Op *op, Value **results);

#endif
