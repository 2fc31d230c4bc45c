/*
 * proof.h - gradients that are compared with differences: proof.c does it, proof_tell.c says what
 * came of it
 */
#ifndef TILEC_COMMANDS_PROOF_H
#define TILEC_COMMANDS_PROOF_H

#include "commands.h"
#include "../slope/slope.h"

/* Elements of an array that a kernel has, one after the other: what differences are made of. */
typedef struct {
    const char *name;
    tilec_arg *arg;   /* of the forward, or of the derived kernel */
    int64_t n, *at;   /* of each element, row-major, where it is from the first on */
    double *elements; /* in the host's memory */
    int block;
} Column;
typedef struct {
    Column x;        /* that it is differentiated by */
    double *claimed; /* its gradient */
    SlopeReport report;
} Proven;
typedef struct {
    Cli *cli;
    Call forward, backward;
    const tilec_derived *derived;
    Column of;
    double *weights;  /* of its elements */
    KeptBlocks begun; /* all arrays before the forward, which may write what it reads */
    Proven *wrt;
    int nwrt;
} Proof;

/* proof_tell.c: on stdout, as lines or JSON; the exit code where something is wrong */
void proof_tell(const Proof *p);

#endif
