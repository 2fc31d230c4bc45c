/*
 * mark.h - the names of the source at each place of a function, for debuggers and dumps
 *
 * A Mark (ir.h) says what a name means from it on; a walk goes through those of one frame and knows
 * what every name means where it stands.  docs/ir.md, "Work with IR in C".
 */
#ifndef TILEC_IR_MARK_H
#define TILEC_IR_MARK_H

#include "ir.h"

void mark_add(Builder *b, Mark m); /* block and site are the builder's, whose ops come behind it */
/* The names of one frame (site) of a function, from its beginning on. */
typedef struct {
    const Mark *mark;
    int outer, inner; /* of the same name: what it hides, what hides it; -1 */
} LiveName;
typedef struct {
    const Func *func;
    Arena *arena;
    int site, next;
    VEC(LiveName) live; /* outer blocks first, and in each in the order of first binding */
    Map *top;           /* a name -> 1 + the number of its innermost entry */
} MarkWalk;
MarkWalk mark_walk(const Func *f, int site, Arena *a); /* at the beginning, with no names */
/* Go on to where `end` marks have been made, in block `now`: never backwards. */
void mark_walk_to(MarkWalk *w, int end, const Block *now);
/* What the name of live.at[i] means; NULL where that is nothing, or an earlier entry gave it. */
const Mark *mark_shown(const MarkWalk *w, int i);
void mark_put(Text *t, const Mark *m); /* `n: i32 = 5`, `BLOCK = 1024` */
/* What a debugger would show at each line: for each statement the names that it begins with, those
 * left out that mean what they meant at the one before; `-i` for one that is gone. */
const char *ir_print_vars(const Module *m, Arena *a);

#endif
